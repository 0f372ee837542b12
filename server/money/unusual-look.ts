import { setTimeout } from "node:timers/promises";
import { moneyRules, type UnusualRule, unusualRules } from "@footprint/contract/unusual.ts";
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { type LogEntry, record, system } from "../accounts/audit.ts";
import { noteFact } from "../db/commits.ts";
import type { Database, Transaction } from "../db/database.ts";
import { withoutTimeLimit } from "../db/engine.ts";
import { settledUntil } from "../db/horizon.ts";
import { uuidv7 } from "../db/ids.ts";
import { settings, unusualEvents } from "../db/schema.ts";
import { tell } from "../outbox/outbox.ts";
import { dollars } from "./ledger.ts";
import { addressInWords, addressOf, lags, leastOf, rowsOf, rules, type Source } from "./unusual-rules.ts";

/** Most rows looked at in one transaction. */
const pieceSize = 1000;
/** How many days the very first look goes back. */
const daysBefore = sql.raw("7");

type Looking = { distance?: string; isStopped?: () => boolean };

/**
 * Looks through new rows since the last look, piece by piece, each piece in its own transaction. Only one server at a
 * time looks at a source; others return at once.
 */
export async function lookForUnusual(
  db: Database,
  { distance = "1 minute", isStopped = () => false }: Looking = {},
): Promise<void> {
  for (const source of ["orders", "transfers", "deposits", "prices"] as const) {
    let looked = pieceSize;
    while (looked === pieceSize && !isStopped()) {
      const begun = performance.now();
      looked = await withoutTimeLimit(db).transaction((tx) => lookAtPiece(tx, source, distance));
      // There is more to do. Others get the database for as long as this took.
      if (looked === pieceSize) await setTimeout(performance.now() - begun);
    }
  }
}

type End = { at: string; id: string };

/** Returns how many rows there were. */
async function lookAtPiece(tx: Transaction, source: Source, distance: string): Promise<number> {
  const after = await lastLook(tx, source);
  if (!after) return 0;
  const horizon = await settledUntil(tx, distance);
  const isNew = sql`(created_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
    and created_at < ${horizon}::timestamptz - ${lags[source]}::interval`;
  const fresh = sql`select * from ${rowsOf[source]} and ${isNew} order by created_at, id limit ${sql.raw(String(pieceSize))}`;
  const { rows } = await tx.execute<End & { amount: number }>(sql`
    select created_at::text as at, id, (count(*) over ())::int as amount from (${fresh}) as fresh
    order by created_at desc, id desc limit 1`);
  const [last] = rows;
  if (!last) return 0;
  if (source === "orders") await countAddresses(tx, fresh, last);
  await findUnusual(tx, source, fresh);
  await tx.execute(sql`
    update unusual_looks set until_at = ${last.at}::timestamptz, until_id = ${last.id}::uuid where source = ${source}`);
  return last.amount;
}

/** Where the last look ended; undefined while another server looks. */
async function lastLook(tx: Transaction, source: Source): Promise<End | undefined> {
  await tx.execute(sql`
    insert into unusual_looks (source, until_at, until_id)
    values (${source}, day_start(business_day(now()) - ${daysBefore}), '00000000-0000-0000-0000-000000000000')
    on conflict do nothing`);
  const { rows } = await tx.execute<End>(sql`
    select until_at::text as at, until_id as id from unusual_looks where source = ${source} for update skip locked`);
  return rows[0];
}

/** Orders have no index by address, which would slow down every purchase. So each order is counted here, once. */
async function countAddresses(tx: Transaction, fresh: SQL, { at }: End) {
  // Orders of a day arrive until its end, and a little longer.
  await tx.execute(sql`delete from address_days where day < business_day(${at}::timestamptz) - 1`);
  await tx.execute(sql`
    insert into address_days (day, address, name, orders, first, customer_id)
    select business_day(created_at), ${addressOf}, min(${addressInWords}), count(*),
      (array_agg(id order by created_at, id))[1:20],
      case when count(distinct customer_id) = 1 then (array_agg(customer_id))[1] end
    from (${fresh}) as fresh group by 1, 2
    on conflict (day, address) do update set orders = address_days.orders + excluded.orders,
      first = (address_days.first || excluded.first)[1:20],
      customer_id = case when address_days.customer_id = excluded.customer_id then excluded.customer_id end`);
}

type Found = { subject: string; day: string; name: string; seen: string | number; usual?: string | number | null } & {
  customerId?: string | null;
  accountId?: string | null;
  orders?: string[];
};

async function findUnusual(tx: Transaction, source: Source, fresh: SQL) {
  const [current] = await tx.select().from(settings);
  if (!current) throw new Error("the settings row is missing");
  const least = leastOf(current);
  for (const rule of unusualRules) {
    const from = least[rule];
    if (rules[rule].source !== source || from === null) continue;
    const { rows } = await tx.execute<Found>(rules[rule].find(fresh, from));
    for (const found of rows) await keep(tx, rule, found);
  }
}

/** One event per rule, subject and day. Until it is dismissed, it shows the current amount. */
async function keep(tx: Transaction, rule: UnusualRule, found: Found) {
  const { customerId = null, accountId = null, orders = [] } = found;
  const [seen, usual] = [Number(found.seen), found.usual == null ? null : Number(found.usual)];
  const [kept] = await tx
    .insert(unusualEvents)
    .values({ ...found, rule, seen, usual, customerId, accountId, orders })
    .onConflictDoUpdate({
      target: [unusualEvents.rule, unusualEvents.subject, unusualEvents.day],
      set: { seen, orders, customerId },
      setWhere: sql`${unusualEvents.dismissedAt} is null and ${unusualEvents.seen} < ${seen}`,
    })
    .returning({ ...getTableColumns(unusualEvents), isNew: sql<boolean>`xmax = 0` });
  if (kept?.isNew) {
    await record(tx, system, ...noticed(kept));
    const event = { _id: kept.id, rule, words: eventInWords(kept) };
    await tell(tx, { type: "unusual.noticed", data: { event } });
  } else if (kept) tellOfGrowth(tx, kept);
}

type Event = typeof unusualEvents.$inferSelect;

/** It is in the log already; the event should show the current amount. */
function tellOfGrowth(tx: Transaction, event: Event) {
  const { type, about } = aboutEvent(event);
  const logged = { id: uuidv7(), type, actorKind: "system", actorId: null, customerId: null } as const;
  noteFact(tx, { logged: { ...logged, subjectKind: about.kind, subjectId: event.id } });
}

/** The subject of an event in a few words. */
export const eventInWords = ({ rule, name, seen, day }: Pick<Event, "rule" | "name" | "seen" | "day">) => {
  const amount = moneyRules.includes(rule) ? dollars(seen) : `${seen} ${seen === 1 ? "order" : "orders"}`;
  const words: Record<UnusualRule, string> = {
    spend: `${name} spent ${amount}`,
    refunds: `${name} was refunded ${amount}`,
    credits: `${name} credited ${amount}`,
    address: `${amount} to ${name}`,
    deposits: `${name} deposited ${amount} without buying anything`,
    night: `${amount} at night by ${name}, who is new`,
    prices: `A price changed by ${seen} %: ${name}`,
  };
  return `${words[rule]} (${day})`;
};

const logTypes: Partial<Record<UnusualRule, "staff" | "pricing">> = { credits: "staff", prices: "pricing" };

export const aboutEvent = ({ id, rule, customerId }: Pick<Event, "id" | "rule" | "customerId">) => ({
  type: logTypes[rule] ?? ("user" as const),
  about: { kind: "unusual event" as const, id, ...(customerId && { customerId }) },
});

function noticed(event: Event): LogEntry {
  const { type, about } = aboutEvent(event);
  const { rule, day, seen, usual } = event;
  const told = (value: number | null) => (value === null || !moneyRules.includes(rule) ? value : value / 100);
  return [
    type,
    `Noticed something unusual: ${eventInWords(event)}`,
    { after: { rule, day, seen: told(seen), usual: told(usual) }, about },
  ];
}
