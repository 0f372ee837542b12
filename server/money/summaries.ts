import { DaySummary, mostTold } from "@footprint/contract/summaries.ts";
import { trackingTypes } from "@footprint/contract/tracking.ts";
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Database, Transaction } from "../db/database.ts";
import { daySummaries } from "../db/schema.ts";
import { isCredit } from "./limits.ts";

export type Summary = z.output<typeof DaySummary>;

/** After a day's end, transactions that began on it may still be committed. */
const afterwards = sql.raw("interval '2 minutes'");
/** If the summary is made later than this, the queues are no longer what they were when the day ended. */
const closingTime = sql.raw("interval '1 hour'");
/** After a time without any server so many days are made up for; older ones are computed when somebody asks. */
const mostMissed = sql.raw("31");

const oneMoment = { isolationLevel: "repeatable read", accessMode: "read only" } as const;

/** A day's summary by what is known now; what is waiting only if the day ends about now. */
export const summaryOf = (db: Database, day: string, isClosing: boolean): Promise<Summary> =>
  db.transaction((tx) => summarise(tx, day, isClosing), oneMoment);

/** Stores each day's summary once it is over; only once, however many servers there are. */
export async function keepSummaries(db: Database, time?: Date): Promise<void> {
  const now = time ? sql`${time.toISOString()}::timestamptz` : sql`now()`;
  const { rows } = await db.execute<{ day: string; isClosing: boolean }>(sql`
    select day::text, ${now} < day_start(day + 1) + ${closingTime} as "isClosing"
    from (select business_day(${now} - ${afterwards}) - 1 as yesterday) as today
    cross join lateral (
      select greatest(yesterday - ${mostMissed}, coalesce(max(day) + 1, yesterday)) as first
      -- A clock that was once ahead may have stored summaries of future days.
      from day_summaries where day <= yesterday) as missed
    cross join lateral (select yesterday - back as day from generate_series(0, yesterday - first) as back) as days
    order by day`);
  for (const { day, isClosing } of rows) {
    const summary = z.encode(DaySummary, await summaryOf(db, day, isClosing));
    await db.insert(daySummaries).values({ day, summary }).onConflictDoNothing();
  }
}

type Sum = { count: number; total: number };
const none: Sum = { count: 0, total: 0 };

async function summarise(tx: Transaction, day: string, isClosing: boolean): Promise<Summary> {
  const { rows: bounds } = await tx.execute<{ from: string; until: string }>(
    sql`select day_start(${day}::date)::text as from, day_start(${day}::date + 1)::text as until`,
  );
  const { from, until } = bounds[0] ?? { from: "", until: "" };
  const isOfDay = sql`created_at >= ${from}::timestamptz and created_at < ${until}::timestamptz`;
  const counted = await countersOf(tx, sql`day = ${day}::date`);
  const [sold, charged] = [counted("orders", "Active"), counted("fedex charges", "charged")];
  const [cashapp, paypal] = [counted("deposits", "cashapp"), counted("deposits", "paypal")];
  const counts = (subject: string, kinds: string[]) =>
    kinds.map((kind) => counted(subject, kind).count).reduce((a, b) => a + b);
  return {
    orders: counts("orders", ["Active", "Refunded"]),
    revenue: sold.total + charged.total,
    fedexCharges: charged,
    newCustomers: counts("customers", ["new", "declined", "verified"]),
    deposits: { ...plus(cashapp, paypal), cashapp: cashapp.total, paypal: paypal.total },
    refunds: await refundsOf(tx, isOfDay),
    credits: await creditsOf(tx, isOfDay),
    priceChanges: await priceChangesOf(tx, isOfDay, counted("logs", "pricing").count),
    unusual: counts("unusual events", ["open", "dismissed"]),
    closing: isClosing ? await queuesAtClosing(tx, day) : null,
  };
}

const plus = (a: Sum, b: Sum): Sum => ({ count: a.count + b.count, total: a.total + b.total });

const subjects: [subject: string, kind: string][] = [
  ["orders", "Active"],
  ["orders", "Refunded"],
  ["fedex charges", "charged"],
  ["customers", "new"],
  ["customers", "declined"],
  ["customers", "verified"],
  ["deposits", "cashapp"],
  ["deposits", "paypal"],
  ["logs", "pricing"],
  ["unusual events", "open"],
  ["unusual events", "dismissed"],
];

/** The counters, found by subject, kind and days. */
async function countersOf(tx: Transaction, days: SQL, asked = subjects) {
  const { rows } = await tx.execute<Sum & { subject: string; kind: string }>(sql`
    select subject, kind, sums.*
    from unnest(${sql.param(asked.map(([subject]) => subject))}::text[], ${sql.param(asked.map(([, kind]) => kind))}::text[])
      as asked (subject, kind)
    cross join lateral (
      select coalesce(sum(count), 0)::float8 as count, coalesce(sum(cents), 0)::float8 as total from counters
      where counters.subject = asked.subject and counters.kind = asked.kind and ${days}) as sums`);
  return (subject: string, kind: string): Sum => {
    const found = rows.find((row) => row.subject === subject && row.kind === kind);
    return found ? { count: found.count, total: found.total } : none;
  };
}

async function refundsOf(tx: Transaction, isOfDay: SQL) {
  const { rows } = await tx.execute<Sum & { reason: string }>(sql`
    select reason, count(*)::float8 as count, sum(amount_cents)::float8 as total from transfers
    where kind = 'refund' and kind <> 'purchase' and ${isOfDay}
    group by reason order by total desc, reason collate "C"`);
  return {
    ...rows.reduce<Sum>(plus, none),
    reasons: rows.slice(0, mostTold),
    others: rows.slice(mostTold).reduce<Sum>(plus, none),
  };
}

async function creditsOf(tx: Transaction, isOfDay: SQL) {
  const { rows } = await tx.execute<Sum & { id: string; username: string }>(sql`
    select actor_id as id, max(actor) as username, count(*)::float8 as count, sum(amount_cents)::float8 as total
    from transfers
    where kind <> 'purchase' and actor_kind = 'account' and ${isCredit} and ${isOfDay}
    group by actor_id order by total desc, max(actor) collate "C", id`);
  return rows.map(({ id, username, count, total }) => ({ account: { _id: id, username }, count, total }));
}

async function priceChangesOf(tx: Transaction, isOfDay: SQL, count: number) {
  const { rows } = await tx.execute<{ _id: string; by: string; action: string; createdAt: string | Date }>(sql`
    select id as "_id", admin as by, action, created_at as "createdAt" from logs
    where type = 'pricing' and ${isOfDay} order by created_at, id limit ${sql.raw(String(mostTold))}`);
  return { count, first: rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) })) };
}

/** What came in after the day's end does not count as waiting then. */
async function queuesAtClosing(tx: Transaction, day: string) {
  const waiting = await countersOf(tx, sql`day <= ${day}::date`, [
    ["customers", "new"],
    ["fedex orders", "Pending"],
    ["invoices", "pending"],
  ]);
  const left = await countersOf(
    tx,
    sql`true`,
    trackingTypes.map((type) => ["tracking codes", `${type} left`]),
  );
  return {
    newUsers: waiting("customers", "new").count,
    fedexOrders: waiting("fedex orders", "Pending").count,
    invoices: waiting("invoices", "pending").count,
    codes: Object.fromEntries(
      trackingTypes.map((type) => [type, left("tracking codes", `${type} left`).count]),
    ) as Record<(typeof trackingTypes)[number], number>,
  };
}
