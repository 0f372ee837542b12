import { approvalStatus } from "@footprint/contract/approvals.ts";
import { fedexStatus } from "@footprint/contract/fedex.ts";
import { invoiceStatus, paymentMethod } from "@footprint/contract/invoices.ts";
import { logType } from "@footprint/contract/logs.ts";
import { trackingType } from "@footprint/contract/tracking.ts";
import { and, between, desc, eq, gte, type Placeholder, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Config } from "../config.ts";
import type { Database, Transaction } from "../db/database.ts";
import { withoutTimeLimit } from "../db/engine.ts";
import { isOneUnforeseen, prepared, unforeseen } from "../db/prepared.ts";
import { counters, monthlyCounters, settings } from "../db/schema.ts";

// Everything here is read from the counters; no row that is counted is ever looked at.

const total = (value: SQL) => sql<number>`coalesce(${value}, 0)`.mapWith(Number);

/** What is counted, and its kinds, where these are known beforehand. The migrations say how; a test holds one against the other. */
export const countedKinds = {
  orders: ["Active", "Refunded"],
  "orders by label type": undefined,
  /** By shop, whether the customer was new, and whether it was refunded: see compared.ts. */
  "orders by shop": undefined,
  refunds: ["refunded"],
  "bulk orders": ["All"],
  "fedex orders": fedexStatus.options,
  "fedex charges": ["charged"],
  "closed fedex orders": ["Completed", "Cancelled"],
  customers: ["new", "declined", "verified"],
  invoices: invoiceStatus.options,
  deposits: paymentMethod.options,
  "tracking codes": trackingType.options.flatMap((type) => [`${type} left`, `${type} used`] as const),
  "used codes": trackingType.options,
  "codes by batch": undefined,
  "used codes by batch": undefined,
  "code batches": trackingType.options,
  logs: logType.options,
  "unusual events": ["open", "dismissed"],
  approvals: approvalStatus.options,
  /** By statement and state: see money/statements/. */
  "statement lines": undefined,
} as const;

export type Subject = keyof typeof countedKinds;
type Kind<S extends Subject> = (typeof countedKinds)[S] extends readonly (infer K extends string)[] ? K : string;

/** A subject of the counters, of some kinds or of all. */
export type Counted = { [S in Subject]: { subject: S; kinds?: readonly Kind<S>[] } }[Subject];

/** A span, either side of which may be open. */
export type Period = { from?: string | undefined; to?: string | undefined };

type Source = typeof counters | typeof monthlyCounters;

/**
 * True for the counters of a subject. All kinds are named too: the index has them before the day. Neither is looked at
 * when a statement is planned: it would be, at every call.
 */
export const isCounterOf = (source: Source, { subject, kinds = countedKinds[subject] ?? [] }: Counted) =>
  and(isAbout(source, subject), isOneUnforeseen(source.kind, kinds));

const isAbout = (source: Source, subject: string | Placeholder) => sql`${source.subject} = (select ${subject}::text)`;

/** The same with the subject to be filled in, and the kinds if need be. */
const ofAny = (source: Source, withKinds = false) =>
  and(
    isAbout(source, sql.placeholder("subject")),
    withKinds ? isOneUnforeseen(source.kind, sql.placeholder("kinds")) : undefined,
  );

/** How many are counted on the days before one: in whole months, and on the days of its own month. */
export function countedBefore(day: SQL, isCounter: (source: Source) => SQL | undefined): SQL {
  const month = sql`date_trunc('month', ${day}::timestamp)::date`;
  return sql`(
    (select coalesce(sum(count), 0) from ${monthlyCounters} where ${isCounter(monthlyCounters)} and month < ${month}) +
    (select coalesce(sum(count), 0) from ${counters} where ${isCounter(counters)} and day >= ${month} and day < ${day}))`;
}

/** How many rows of a counted subject there are, in all or on the days of a period; `countedValues` fills it in. */
export function countIn({ from, to }: Period): SQL<number> {
  if (!from && !to)
    return total(sql`(select sum(count) from ${monthlyCounters} where ${ofAny(monthlyCounters, true)})`);
  const before = (day: SQL) => countedBefore(day, (source) => ofAny(source, true));
  const [first, last] = [unforeseen("firstDay", "date"), sql`(${unforeseen("lastDay", "date")} + 1)`];
  return total(sql`${before(last)} - ${before(first)}`);
}

export const countedValues = ({ subject, kinds = countedKinds[subject] ?? [] }: Counted, period: Period) => ({
  subject,
  kinds,
  ...daysOf(period),
});

export const daysOf = ({ from, to }: Period) => ({ firstDay: from ?? "-infinity", lastDay: to ?? "infinity" });

/** The same as a question of its own. */
export async function countOf(
  db: Database | Transaction,
  counted: Counted,
  { from, to }: Period = {},
): Promise<number> {
  const query = prepared(db, from || to ? "count of days" : "count", () =>
    db
      .select({ count: countIn({ from, to }) })
      .from(sql`(values (1)) as one`)
      .prepare(""),
  );
  const [row] = await query.execute(countedValues(counted, { from, to }));
  return row?.count ?? 0;
}

/** How many rows of each kind of a subject there are. */
export async function countsByKind<S extends Subject>(
  db: Database | Transaction,
  subject: S,
): Promise<Partial<Record<Kind<S>, number>>> {
  const query = prepared(db, "counts by kind", () =>
    db
      .select({ kind: monthlyCounters.kind, count: total(sql`sum(${monthlyCounters.count})`) })
      .from(monthlyCounters)
      .where(ofAny(monthlyCounters))
      .groupBy(monthlyCounters.kind)
      .prepare(""),
  );
  const rows = await query.execute({ subject });
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count])) as Partial<Record<Kind<S>, number>>;
}

/** What the rows of one kind are worth together, in cents. */
export async function centsOf<S extends Subject>(db: Database, subject: S, kind: Kind<S>): Promise<number> {
  const query = prepared(db, "cents of a kind", () =>
    db
      .select({ cents: total(sql`sum(${monthlyCounters.cents})`) })
      .from(monthlyCounters)
      .where(and(ofAny(monthlyCounters), eq(monthlyCounters.kind, sql.placeholder("kind"))))
      .prepare(""),
  );
  const [row] = await query.execute({ subject, kind });
  return row?.cents ?? 0;
}

/** How many there are from a day on, the most frequent kind first; kinds that ceased to occur are left out. */
export async function countsSince(db: Database, subject: Subject, day: string) {
  const query = prepared(db, "counts since", () => {
    const count = total(sql`sum(${counters.count})`);
    return db
      .select({ kind: counters.kind, count })
      .from(counters)
      .where(and(ofAny(counters), gte(counters.day, unforeseen("day", "date"))))
      .groupBy(counters.kind)
      .having(sql`sum(${counters.count}) > 0`)
      .orderBy(desc(count), counters.kind)
      .prepare("");
  });
  return query.execute({ subject, day });
}

type Figure = { count: number; cents: number };
type Periods = Record<"allTime" | "today" | "week" | "month", Figure>;

/** True for the counters of several subjects, whose kinds have different names. */
const ofSubjects = (source: Source) => sql`${source.subject} = any(${sql.param(sql.placeholder("subjects"))}::text[])`;

/** The same where all kinds are known. As a part of the text, so that the plan is made for as many as there are. */
export const ofKinds = <S extends Subject>(source: Source, subjects: readonly S[], kinds?: readonly Kind<S>[]) => {
  const known = kinds ?? subjects.flatMap((subject) => countedKinds[subject] ?? []);
  const list = (texts: readonly string[]) => sql.raw(`array['${texts.join("', '")}']`);
  return sql`${source.subject} = any(${list(subjects)}) and ${source.kind} = any(${list(known)})`;
};

/** What subjects come to by calendar period of the business: today, this week from Monday, this month. */
export async function figuresByPeriod<S extends Subject>(db: Database, subjects: S[], config: Config, now: Date) {
  const query = prepared(db, `periods of ${subjects}`, () => {
    const day = sql`${sql.placeholder("day")}::date`;
    const start = (unit: SQL) => sql`date_trunc(${unit}, ${unforeseen("day", "date")})`;
    const columns = {
      kind: sql<string>`kind`.as("kind"),
      count: sql`count`.as("count"),
      cents: sql`cents`.as("cents"),
    };
    const allTime = db
      .select({ ...columns, day: sql`null::date`.as("day") })
      .from(monthlyCounters)
      .where(ofKinds(monthlyCounters, subjects));
    const lately = db
      .select({ ...columns, day: sql`day`.as("day") })
      .from(counters)
      .where(and(ofKinds(counters, subjects), sql`day >= least(${start(sql`'week'`)}, ${start(sql`'month'`)})`));
    const figures = (condition: SQL) => ({
      count: total(sql`sum(count) filter (where ${condition})`),
      cents: total(sql`sum(cents) filter (where ${condition})`),
    });
    return db
      .select({
        kind: sql<string>`kind`,
        allTime: figures(sql`day is null`),
        today: figures(sql`day = ${day}`),
        week: figures(sql`day between date_trunc('week', ${day}) and ${day}`),
        month: figures(sql`day between date_trunc('month', ${day}) and ${day}`),
      })
      .from(unionAll(allTime, lately).as("figures"))
      .groupBy(sql`kind`)
      .prepare("");
  });
  const rows = await query.execute({ day: today(config, now) });
  return {
    all: rows.reduce(addPeriods, nothing),
    ofKind: (kind: Kind<S>): Periods => rows.find((row) => row.kind === kind) ?? nothing,
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

/** What subjects, or some kinds of them, come to on each of these consecutive days. */
export async function figuresByDay<S extends Subject>(
  db: Database,
  subjects: S[],
  days: string[],
  kinds?: Kind<S>[],
): Promise<Figure[]> {
  const query = prepared(db, `series of ${subjects}, ${kinds ?? "all"}`, () =>
    db
      .select({
        day: counters.day,
        count: total(sql`sum(${counters.count})`),
        cents: total(sql`sum(${counters.cents})`),
      })
      .from(counters)
      .where(
        and(
          ofKinds(counters, subjects, kinds),
          between(counters.day, unforeseen("first", "date"), unforeseen("last", "date")),
        ),
      )
      .groupBy(counters.day)
      .prepare(""),
  );
  const rows = await query.execute({ first: days[0], last: days.at(-1) });
  const byDay = new Map(rows.map((row) => [row.day, row]));
  return days.map((day) => byDay.get(day) ?? zero);
}

/** Business days, both included. */
export type Span = { from: string; to: string };

/**
 * What subjects come to between two days, both included, by kind: from whole months, and from the days of those that
 * are not whole.
 */
export async function figuresBetween(db: Database | Transaction, subjects: Subject[], span: Span) {
  const { months, days } = partsOf(span);
  const query = prepared(db, `figures between, ${months.length} ${days.length}`, () => {
    const columns = {
      subject: sql<Subject>`subject`.as("subject"),
      kind: sql<string>`kind`.as("kind"),
      count: sql`count`.as("count"),
      cents: sql`cents`.as("cents"),
    };
    const part = (source: Source, at: SQL, name: string) =>
      db
        .select(columns)
        .from(source)
        .where(
          and(
            ofSubjects(source),
            sql`${at} >= ${unforeseen(`${name} from`, "date")} and ${at} <= ${unforeseen(`${name} to`, "date")}`,
          ),
        );
    const [first = part(counters, sql`day`, "days0"), second, third] = [
      ...months.map((_, number) => part(monthlyCounters, sql`month`, `months${number}`)),
      ...days.map((_, number) => part(counters, sql`day`, `days${number}`)),
    ];
    const all = second ? unionAll(first, second, ...(third ? [third] : [])) : first;
    return db
      .select({
        subject: sql<Subject>`subject`,
        kind: sql<string>`kind`,
        count: total(sql`sum(count)`),
        cents: total(sql`sum(cents)`),
      })
      .from(all.as("figures"))
      .groupBy(sql`subject`, sql`kind`)
      .having(sql`sum(count) <> 0 or sum(cents) <> 0`)
      .orderBy(sql`sum(count) desc`, sql`kind`)
      .prepare("");
  });
  const named = (name: string) => (part: Span, number: number) => [
    [`${name}${number} from`, part.from],
    [`${name}${number} to`, part.to],
  ];
  const values = Object.fromEntries([...months.flatMap(named("months")), ...days.flatMap(named("days"))]);
  return query.execute({ subjects, ...values });
}

/** The whole months of a span, and the days before and after them, where there are any. */
function partsOf({ from, to }: Span): { months: Span[]; days: Span[] } {
  const wholeFrom = from.endsWith("-01") ? from : monthAfter(from);
  const wholeUntil = monthOf(dayAfter(to, 1));
  if (wholeFrom >= wholeUntil) return { months: [], days: [{ from, to }] };
  const days = [
    { from, to: dayAfter(wholeFrom, -1) },
    { from: wholeUntil, to },
  ];
  return {
    months: [{ from: wholeFrom, to: dayAfter(wholeUntil, -1) }],
    days: days.filter((part) => part.from <= part.to),
  };
}

const monthOf = (day: string) => `${day.slice(0, 7)}-01`;
const monthAfter = (day: string) => monthOf(dayAfter(monthOf(day), 31));

/** The business's calendar day, as an ISO date. */
export function today({ timezone }: Pick<Config, "timezone">, now: Date): string {
  let calendar = calendars.get(timezone);
  if (!calendar) {
    calendar = new Intl.DateTimeFormat("en-CA", { timeZone: timezone, dateStyle: "short" });
    calendars.set(timezone, calendar);
  }
  return calendar.format(now);
}

const calendars = new Map<string, Intl.DateTimeFormat>();

/** The calendar day that comes so many days after one; before it, where they are negative. */
export const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** So many calendar days up to and including one, oldest first. */
export function daysUntil(last: string, amount: number): string[] {
  const known = daysBefore.get(amount);
  if (known?.at(-1) === last) return known;
  const days = Array.from({ length: amount }, (_, index) => dayAfter(last, index - amount + 1));
  daysBefore.set(amount, days);
  return days;
}

/** The days that were asked for last, by how many: everybody asks for those up to today, and a calendar is slow. */
const daysBefore = new Map<number, string[]>();

/** The counters' days are business days: where the business moved to another timezone, they are counted anew. */
export async function adoptTimezone(db: Database, timezone: string): Promise<void> {
  await withoutTimeLimit(db).transaction(async (tx) => {
    const [current] = await tx.select().from(settings).for("update");
    if (current?.timezone === timezone) return;
    await tx.update(settings).set({ timezone });
    await tx.execute(sql`call recount()`);
  });
}
