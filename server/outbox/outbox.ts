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

/** Something that happened, for shops and colleagues to hear of. */
export type Happening = {
  [T in EventType | StaffEventType]: {
    type: T;
    data: T extends EventType ? EventData<T> : T extends StaffEventType ? StaffEventData<T> : never;
    /** Whom it concerns: what concerns one customer is told in order. */
    customerId?: string;
    /** Whose it is; null for what is no shop's. */
    shopId?: string | null;
  };
}[EventType | StaffEventType];

const told = { ...eventData, ...staffEventData };

/**
 * Writes what happened to the outbox, in the transaction in which it does. Whatever concerns a customer is written while
 * that customer's row, or the row that it is about, is locked: so their events are numbered as they happened.
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
