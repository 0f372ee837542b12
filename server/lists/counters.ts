import { approvalStatus } from "@footprint/contract/approvals.ts";
import { dayIn } from "@footprint/contract/days.ts";
import { fedexStatus } from "@footprint/contract/fedex.ts";
import { invoiceStatus, paymentMethod } from "@footprint/contract/invoices.ts";
import { logType } from "@footprint/contract/logs.ts";
import { trackingType } from "@footprint/contract/tracking.ts";
import { and, between, desc, eq, gte, type Placeholder, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Config } from "../config.ts";
import type { Database, Transaction } from "../db/database.ts";
import { withoutTimeLimit } from "../db/engine.ts";
import { hiddenPlaceholder, isOneOfHidden, prepared } from "../db/prepared.ts";
import { counters, monthlyCounters, settings } from "../db/schema.ts";

// Everything here is read from the counters; the rows they count are never read.

const total = (value: SQL) => sql<number>`coalesce(${value}, 0)`.mapWith(Number);

/** What is counted, and its kinds if they are fixed. Migrations define how; a test compares them with this. */
export const countedKinds = {
  orders: ["Active", "Refunded"],
  "orders by label type": undefined,
  /** By shop, whether the customer was new, and whether the order was refunded: see compared.ts. */
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

/** A subject of the counters, with some of its kinds or all. */
export type Counted = { [S in Subject]: { subject: S; kinds?: readonly Kind<S>[] } }[Subject];

/** Business days, both included. Either may be open. */
export type Period = { from?: string | undefined; to?: string | undefined };

type Source = typeof counters | typeof monthlyCounters;

/**
 * True for the counters of a subject. Its kinds are always named, since the index has them before the day. The planner
 * sees neither, or it would plan anew at every call.
 */
export const isCounterOf = (source: Source, { subject, kinds = countedKinds[subject] ?? [] }: Counted) =>
  and(isAbout(source, subject), isOneOfHidden(source.kind, kinds));

const isAbout = (source: Source, subject: string | Placeholder) => sql`${source.subject} = (select ${subject}::text)`;

/** The same with placeholders for the subject and maybe the kinds. */
const isCounterToFillIn = (source: Source, withKinds = false) =>
  and(
    isAbout(source, sql.placeholder("subject")),
    withKinds ? isOneOfHidden(source.kind, sql.placeholder("kinds")) : undefined,
  );

/** How many are counted before a day: in whole months, then on the earlier days of its own month. */
export function countedBefore(day: SQL, isCounter: (source: Source) => SQL | undefined): SQL {
  const month = sql`date_trunc('month', ${day}::timestamp)::date`;
  return sql`(
    (select coalesce(sum(count), 0) from ${monthlyCounters} where ${isCounter(monthlyCounters)} and month < ${month}) +
    (select coalesce(sum(count), 0) from ${counters} where ${isCounter(counters)} and day >= ${month} and day < ${day}))`;
}

/** Up to this many days are added up one by one; for more, whole months are. */
const fewDays = 62;

/** Periods of the same length, in this sense, are counted by the same statement. */
export const lengthOf = ({ from, to }: Period) =>
  !from && !to ? "all" : from && to && to < dayAfter(from, fewDays) ? "few days" : "days";

/** How many rows of a subject there are, in all or in a period. `countedValues` has the values to fill in. */
export function countIn(period: Period): SQL<number> {
  const length = lengthOf(period);
  if (length === "all")
    return total(sql`(select sum(count) from ${monthlyCounters} where ${isCounterToFillIn(monthlyCounters, true)})`);
  const [first, last] = [hiddenPlaceholder("firstDay", "date"), hiddenPlaceholder("lastDay", "date")];
  if (length === "few days")
    return total(sql`(
      select sum(count) from ${counters} where ${and(isCounterToFillIn(counters, true), between(counters.day, first, last))})`);
  const before = (day: SQL) => countedBefore(day, (source) => isCounterToFillIn(source, true));
  return total(sql`${before(sql`(${last} + 1)`)} - ${before(first)}`);
}

export const countedValues = ({ subject, kinds = countedKinds[subject] ?? [] }: Counted, period: Period) => ({
  subject,
  kinds,
  ...daysOf(period),
});

export const daysOf = ({ from, to }: Period) => ({ firstDay: from ?? "-infinity", lastDay: to ?? "infinity" });

/** The same as a statement of its own. */
export async function countOf(db: Database | Transaction, counted: Counted, period: Period = {}): Promise<number> {
  const query = prepared(db, `count of ${lengthOf(period)}`, () =>
    db
      .select({ count: countIn(period) })
      .from(sql`(values (1)) as one`)
      .prepare(""),
  );
  const [row] = await query.execute(countedValues(counted, period));
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
      .where(isCounterToFillIn(monthlyCounters))
      .groupBy(monthlyCounters.kind)
      .prepare(""),
  );
  const rows = await query.execute({ subject });
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count])) as Partial<Record<Kind<S>, number>>;
}

/** The cents of all rows of one kind together. */
export async function centsOf<S extends Subject>(db: Database, subject: S, kind: Kind<S>): Promise<number> {
  const query = prepared(db, "cents of a kind", () =>
    db
      .select({ cents: total(sql`sum(${monthlyCounters.cents})`) })
      .from(monthlyCounters)
      .where(and(isCounterToFillIn(monthlyCounters), eq(monthlyCounters.kind, sql.placeholder("kind"))))
      .prepare(""),
  );
  const [row] = await query.execute({ subject, kind });
  return row?.cents ?? 0;
}

/** How many there are since a day, the most frequent kind first. Kinds without any are left out. */
export async function countsSince(db: Database, subject: Subject, day: string) {
  const query = prepared(db, "counts since", () => {
    const count = total(sql`sum(${counters.count})`);
    return db
      .select({ kind: counters.kind, count })
      .from(counters)
      .where(and(isCounterToFillIn(counters), gte(counters.day, hiddenPlaceholder("day", "date"))))
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

/** The same with fixed kinds. They are part of the text, so that the plan is made for their number. */
export const ofKinds = <S extends Subject>(source: Source, subjects: readonly S[], kinds?: readonly Kind<S>[]) => {
  const known = kinds ?? subjects.flatMap((subject) => countedKinds[subject] ?? []);
  const list = (texts: readonly string[]) => sql.raw(`array['${texts.join("', '")}']`);
  return sql`${source.subject} = any(${list(subjects)}) and ${source.kind} = any(${list(known)})`;
};

/** Sums of subjects for all time, today, this week from Monday, and this month, in the business's timezone. */
export async function figuresByPeriod<S extends Subject>(db: Database, subjects: S[], config: Config, now: Date) {
  const query = prepared(db, `periods of ${subjects}`, () => {
    const day = sql`${sql.placeholder("day")}::date`;
    const start = (unit: SQL) => sql`date_trunc(${unit}, ${hiddenPlaceholder("day", "date")})`;
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

/** Sums of subjects, or of some of their kinds, on each of these consecutive days. */
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
          between(counters.day, hiddenPlaceholder("first", "date"), hiddenPlaceholder("last", "date")),
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

/** Sums of subjects by kind over a span: from whole months, and from single days of the months at its ends. */
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
            sql`${at} >= ${hiddenPlaceholder(`${name} from`, "date")} and ${at} <= ${hiddenPlaceholder(`${name} to`, "date")}`,
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

/** The whole months of a span, and the days before and after them, if there are any. */
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
export const today = ({ timezone }: Pick<Config, "timezone">, now: Date): string => dayIn(timezone, now);

/** The calendar day so many days after another, or before it if the number is negative. */
export const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** This many calendar days up to and including `last`, oldest first. */
export function daysUntil(last: string, amount: number): string[] {
  const known = daysBefore.get(amount);
  if (known?.at(-1) === last) return known;
  const days = Array.from({ length: amount }, (_, index) => dayAfter(last, index - amount + 1));
  daysBefore.set(amount, days);
  return days;
}

/** The last answer for each amount: most callers ask for days up to today, and computing dates is slow. */
const daysBefore = new Map<number, string[]>();

/** The counters' days are business days, so everything is counted anew after the timezone was changed. */
export async function adoptTimezone(db: Database, timezone: string): Promise<void> {
  await withoutTimeLimit(db).transaction(async (tx) => {
    const [current] = await tx.select().from(settings).for("update");
    if (current?.timezone === timezone) return;
    await tx.update(settings).set({ timezone });
    await tx.execute(sql`call recount()`);
  });
}
