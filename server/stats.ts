import { and, between, desc, eq, gte, type SQL, sql } from "drizzle-orm";
import type { Config } from "./config.ts";
import type { Database } from "./db/engine.ts";
import { counters, settings } from "./db/schema.ts";

// Everything here is read from the counters; no row that is counted is ever looked at.

const total = (value: SQL) => sql<number>`coalesce(${value}, 0)`.mapWith(Number);

/** A subject of the counters, of one kind or of all. */
export type Counted = { subject: string; kind?: string | undefined };

export const of = ({ subject, kind }: Counted) =>
  and(eq(counters.subject, subject), kind === undefined ? undefined : eq(counters.kind, kind));

/** How many rows of a counted subject there are. */
export async function countOf(db: Database, counted: Counted): Promise<number> {
  const [row] = await db
    .select({ count: total(sql`sum(${counters.count})`) })
    .from(counters)
    .where(of(counted));
  return row?.count ?? 0;
}

/** How many rows of each kind of a subject there are. */
export async function countsByKind(db: Database, subject: string): Promise<Record<string, number>> {
  const rows = await countsSince(db, subject, "-infinity");
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

/** The same from a day on, the most frequent kind first; kinds that ceased to occur are left out. */
export async function countsSince(db: Database, subject: string, day: string) {
  const count = total(sql`sum(${counters.count})`);
  return db
    .select({ kind: counters.kind, count })
    .from(counters)
    .where(and(of({ subject }), gte(counters.day, day)))
    .groupBy(counters.kind)
    .having(sql`sum(${counters.count}) > 0`)
    .orderBy(desc(count), counters.kind);
}

type Figure = { count: number; cents: number };
type Periods = Record<"allTime" | "today" | "week" | "month", Figure>;

/** A subject's figures by calendar period of the business: today, this week from Monday, this month. */
export async function periodsOf(db: Database, subject: string, config: Config, now: Date) {
  const day = sql`${today(config, now)}::date`;
  const figures = (condition: SQL) => ({
    count: total(sql`sum(${counters.count}) filter (where ${condition})`),
    cents: total(sql`sum(${counters.cents}) filter (where ${condition})`),
  });
  const rows = await db
    .select({
      kind: counters.kind,
      allTime: figures(sql`true`),
      today: figures(sql`${counters.day} = ${day}`),
      week: figures(sql`${counters.day} between date_trunc('week', ${day}) and ${day}`),
      month: figures(sql`${counters.day} between date_trunc('month', ${day}) and ${day}`),
    })
    .from(counters)
    .where(of({ subject }))
    .groupBy(counters.kind);
  return {
    all: rows.reduce(addPeriods, nothing),
    of: (kind: string): Periods => rows.find((row) => row.kind === kind) ?? nothing,
  };
}

const zero: Figure = { count: 0, cents: 0 };
const nothing: Periods = { allTime: zero, today: zero, week: zero, month: zero };
const add = (a: Figure, b: Figure): Figure => ({ count: a.count + b.count, cents: a.cents + b.cents });
const addPeriods = (a: Periods, b: Periods): Periods => ({
  allTime: add(a.allTime, b.allTime),
  today: add(a.today, b.today),
  week: add(a.week, b.week),
  month: add(a.month, b.month),
});

/** A subject's figures on each of these consecutive days. */
export async function seriesOf(db: Database, subject: string, days: string[], kind?: string): Promise<Figure[]> {
  const rows = await db
    .select({
      day: counters.day,
      count: total(sql`sum(${counters.count})`),
      cents: total(sql`sum(${counters.cents})`),
    })
    .from(counters)
    .where(and(of({ subject, kind }), between(counters.day, days[0] ?? "", days.at(-1) ?? "")))
    .groupBy(counters.day);
  const byDay = new Map(rows.map((row) => [row.day, row]));
  return days.map((day) => byDay.get(day) ?? zero);
}

/** The business's calendar day, as an ISO date. */
export function today({ timezone }: Pick<Config, "timezone">, now: Date): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: timezone, dateStyle: "short" }).format(now);
}

/** So many calendar days up to and including one, oldest first. */
export function daysUntil(last: string, amount: number): string[] {
  const end = Date.parse(last);
  return Array.from({ length: amount }, (_, index) =>
    new Date(end - (amount - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  );
}

/** The counters' days are business days: where the business moved to another timezone, they are counted anew. */
export async function adoptTimezone(db: Database, timezone: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [current] = await tx.select().from(settings).for("update");
    if (current?.timezone === timezone) return;
    await tx.update(settings).set({ timezone });
    await tx.execute(sql`set local statement_timeout = 0`);
    await tx.execute(sql`call recount()`);
  });
}
