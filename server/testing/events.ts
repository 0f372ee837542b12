import type { keptEventType } from "@footprint/contract/outbox.ts";
import { sql } from "drizzle-orm";
import type * as z from "zod";
import { events, webhooks } from "../db/schema.ts";
import { addCustomer } from "./builders.ts";
import { db } from "./server.ts";

type Happened = { type: z.output<typeof keptEventType>; data: Record<string, unknown>; secondsAgo?: number };

/** Adds a readable event; returns its position. */
export async function addEvent({ type, data, secondsAgo = 0 }: Happened): Promise<number> {
  const [row] = await db
    .insert(events)
    .values({ type, data, createdAt: sql`clock_timestamp() - make_interval(secs => ${secondsAgo})` })
    .returning();
  if (!row) throw new Error("not inserted");
  return row.position;
}

/** A customer waiting for verification. */
export const addNewcomer = (values: Parameters<typeof addCustomer>[0] = {}) =>
  addCustomer({ ...values, verifiedAt: null });

type Row = { id: string; username: string };

const named = ({ id: _id, username }: Row) => ({ _id, username, discordId: "d-1" });

/** The events behind some kinds of notices. */
export const happened = {
  newcomer: (customer: Row, secondsAgo = 0) =>
    addEvent({ type: "customer.created", data: { customer: named(customer) }, secondsAgo }),
  fedexOrder: (order: { id: string }, customer: Row, secondsAgo = 0) =>
    addEvent({
      type: "fedex-order.created",
      data: { customer: named(customer), order: { _id: order.id } },
      secondsAgo,
    }),
  invoice: (invoice: { id: string }, customer: Row, secondsAgo = 0) =>
    addEvent({
      type: "invoice.created",
      data: { customer: named(customer), invoice: { _id: invoice.id, amount: 50, payment_method: "cashapp" } },
      secondsAgo,
    }),
  unbalanced: (secondsAgo = 0) =>
    addEvent({ type: "books.unbalanced", data: { problems: ["one", "two"], checkedAt: "" }, secondsAgo }),
  setting: (setting: string, secondsAgo = 0) =>
    addEvent({
      type: "settings.changed",
      data: { setting, cashapp: { cashappId: "$mallory", image: null } },
      secondsAgo,
    }),
  async paused(secondsAgo = 0) {
    const values = { url: "https://shop.example/hooks", secret: "whsec_", position: 0, pausedAt: sql`now()` };
    const [webhook] = await db.insert(webhooks).values(values).returning();
    const data = { webhook: { _id: webhook?.id, host: "shop.example" }, because: "No answer for three days" };
    return addEvent({ type: "webhook.paused", data, secondsAgo });
  },
};
