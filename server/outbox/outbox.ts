import {
  type EventData,
  type EventType,
  eventData,
  type StaffEventData,
  type StaffEventType,
  staffEventData,
} from "@footprint/contract/outbox.ts";
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { insertion } from "../db/insert-rows.ts";
import { outbox } from "../db/schema.ts";

/** A business event, for shops and staff. */
export type Happening = {
  [T in EventType | StaffEventType]: {
    type: T;
    data: T extends EventType ? EventData<T> : T extends StaffEventType ? StaffEventData<T> : never;
    /** The customer it concerns; a customer's events are told in order. */
    customerId?: string;
    /** The shop it belongs to; null if none. */
    shopId?: string | null;
  };
}[EventType | StaffEventType];

const told = { ...eventData, ...staffEventData };

/**
 * Writes events to the outbox, in the transaction of the change itself. While an event about a customer is written,
 * that customer's row or the row it is about is locked, so events are numbered in the order in which they happened.
 */
export async function tell(tx: Transaction, ...happenings: Happening[]): Promise<void> {
  if (happenings.length > 0) await tx.execute(noting(happenings));
}

/** The same together with another statement. */
export const telling = (happenings: Happening[], statement: SQL): SQL =>
  sql`with told as (${noting(happenings)}) ${statement}`;

const noting = (happenings: Happening[]) =>
  insertion(
    outbox,
    happenings.map(({ type, data, customerId = null, shopId = null }) => ({
      id: uuidv7(),
      type,
      customerId,
      shopId,
      data: z.encode(told[type] as z.ZodType<Record<string, unknown>>, data),
    })),
    { createdAt: "clock_timestamp()" },
  );
