import type { Parsed, Scope } from "@footprint/contract/endpoint.ts";
import { outbox as contract, type EventType, eventTypes } from "@footprint/contract/outbox.ts";
import { sql } from "drizzle-orm";
import type { Shop } from "../accounts/api-keys.ts";
import type { Database } from "../db/database.ts";
import { Later } from "../http/later.ts";
import { routes, type Services } from "../http/routes.ts";
import { positionOf, type Reader, readEvents } from "../outbox/reading.ts";

/** The scopes that a key needs to get these events; all others go to every key that may see them. */
const scopesOf: Partial<Record<EventType, readonly Scope[]>> = {
  "order.created": ["orders"],
  "order.refunded": ["orders"],
  "bulk-order.created": ["orders"],
  "fedex-order.created": ["orders"],
  "fedex-order.changed": ["orders"],
  "invoice.created": ["deposits", "mark-as-paid"],
  "invoice.paid": ["deposits", "mark-as-paid"],
  "invoice.reversed": ["deposits", "mark-as-paid"],
};

export const outboxRoutes = routes(contract, {
  async pull(call) {
    const { db, query, actor } = call;
    const until = performance.now() + query.wait * 1000;
    return read(call, await positionOf(db, readerOf(actor), query.after), until);
  },
});

type Call = Pick<Services, "db" | "outbox"> & { query: Parsed<typeof contract.pull, "query">; actor: Shop };
type Answer = { events: Told[]; next: string };
type Told = { id: string; type: EventType; timestamp: Date; data: Record<string, unknown> };

/** The existing events or, if there are none, those that come before the time is over. */
async function read(call: Call, after: number, until: number): Promise<Answer | Later<Answer>> {
  const { db, outbox, query, actor } = call;
  // The key's scopes may have changed while it waited.
  const reader = readerOf(actor);
  const { events, next, isAtEnd } = await readEvents(db, reader, after, query.limit);
  const left = until - performance.now();
  if (events.length === 0 && isAtEnd && left > 0 && !outbox.isClosing())
    return new Later(
      (signal) => outbox.wait(actor.id, reader, next, left, signal),
      () => read(call, next, until),
    );
  return { events: actor.isBounded ? await withoutOthers(db, actor, events) : events, next: String(next) };
}

const readerOf = ({ shopId, isBounded, scopes }: Shop): Reader => ({
  shopId,
  isBounded,
  types: eventTypes.filter((type) => scopesOf[type]?.some((scope) => scopes.includes(scope)) ?? true),
});

/** Every shop sells to every customer. What another shop sold is not named, as in the transfers. */
async function withoutOthers(db: Database, { shopId }: Shop, events: Told[]): Promise<Told[]> {
  const ids = events.flatMap((event) => referenceOf(event) ?? []);
  if (ids.length === 0) return events;
  const all = sql`${sql.param(ids)}::uuid[]`;
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from orders where id = any(${all}) and shop_id = ${shopId}
    union all select id from bulk_orders where id = any(${all}) and shop_id = ${shopId}
    union all select id from fedex_orders where id = any(${all}) and shop_id = ${shopId}
    union all select id from invoices where id = any(${all}) and shop_id = ${shopId}`);
  const own = new Set(rows.map(({ id }) => id));
  return events.map((event) => {
    const reference = referenceOf(event);
    if (!reference || own.has(reference)) return event;
    return { ...event, data: { ...event.data, transfer: { ...(event.data.transfer as object), for: null } } };
  });
}

/** What the money was for. */
const referenceOf = ({ type, data }: Told) =>
  type === "balance.changed" ? (data.transfer as { for: string | null }).for : null;
