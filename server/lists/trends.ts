import { and, gte, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { hiddenPlaceholder, prepared } from "../db/prepared.ts";
import { counters, monthlyCounters } from "../db/schema.ts";
import { dayAfter, daysUntil, ofKinds, type Span } from "./counters.ts";

/** The dashboard's four figures. Money is in cents. */
const figures = {
  orders: sql`sum(count) filter (where subject = 'orders')`,
  users: sql`sum(count) filter (where subject = 'customers')`,
  revenue: sql`sum(cents) filter (where subject = 'fedex charges' or (subject = 'orders' and kind = 'Active'))`,
  deposits: sql`sum(cents) filter (where subject = 'deposits')`,
};
type Name = keyof typeof figures;
const subjects = ["orders", "customers", "fedex charges", "deposits"] as const;

/** How many days, and how many weeks and months, are drawn, including the current one. */
const drawnDays = 30;
const drawnPeriods = 13;

/** Each figure by day, week and month, and the sums of this period's finished days and the same days of the last. */
export async function trendsAt(db: Database, today: string) {
  const { days, weeks, months, spans, changes } = calendarAt(today);
  const [byDay, byMonth] = await Promise.all([
    figuresBy(db, "day", weeks[0]?.[0] ?? today),
    figuresBy(db, "month", months[0] ?? today),
  ]);
  const ofDay = new Map(byDay.map((figure) => [figure.at, figure]));
  const ofMonth = new Map(byMonth.map((figure) => [figure.at, figure]));
  const trendOf = (name: Name) => {
    const on = (day: string) => ofDay.get(day)?.[name] ?? 0;
    const sum = (some: string[]) => some.reduce((all, day) => all + on(day), 0);
    const compared = ({ value, before }: typeof changes.today) => ({ value: sum(value), before: sum(before) });
    return {
      days: days.map(on),
      weeks: weeks.map(sum),
      months: months.map((month) => ofMonth.get(month)?.[name] ?? 0),
      changes: { today: compared(changes.today), week: compared(changes.week), month: compared(changes.month) },
    };
  };
  return {
    spans,
    orders: trendOf("orders"),
    users: trendOf("users"),
    revenue: trendOf("revenue"),
    deposits: trendOf("deposits"),
  };
}

async function figuresBy(db: Database, unit: "day" | "month", since: string) {
  const query = prepared(db, `trends by ${unit}`, () => {
    const source = unit === "day" ? counters : monthlyCounters;
    const at = unit === "day" ? counters.day : monthlyCounters.month;
    const total = (value: SQL) => sql<number>`coalesce(${value}, 0)`.mapWith(Number);
    return db
      .select({
        at,
        orders: total(figures.orders),
        users: total(figures.users),
        revenue: total(figures.revenue),
        deposits: total(figures.deposits),
      })
      .from(source)
      .where(and(ofKinds(source, subjects), gte(at, hiddenPlaceholder("since", "date"))))
      .groupBy(at)
      .prepare("");
  });
  return query.execute({ since });
}

/** The days, weeks and months to draw, oldest first, and the spans to compare. */
function calendarOf(today: string) {
  const monday = mondayOf(today);
  const oldestFirst = <T>(value: (ago: number) => T): T[] =>
    Array.from({ length: drawnPeriods }, (_, index) => value(drawnPeriods - 1 - index));
  const weeks = oldestFirst((ago) => {
    const from = dayAfter(monday, -7 * ago);
    return daysIn({ from, to: dayAfter(from, 6) });
  });
  const months = oldestFirst((ago) => monthsBefore(today, ago));
  const { today: day, week, month } = comparedAt(today);
  const inBoth = ({ span, against }: Compared) => ({ value: daysIn(span), before: daysIn(against) });
  return {
    today,
    days: daysUntil(today, drawnDays),
    weeks,
    months,
    spans: { today: day, week, month },
    changes: { today: inBoth(day), week: inBoth(week), month: inBoth(month) },
  };
}

let newest: ReturnType<typeof calendarOf> | undefined;

/** Computed once a day, since it takes longer than adding up all figures. */
function calendarAt(today: string) {
  newest = newest?.today === today ? newest : calendarOf(today);
  return newest;
}

function daysIn({ from, to }: Span): string[] {
  const days = [];
  for (let day = from; day <= to; day = dayAfter(day, 1)) days.push(day);
  return days;
}

type Compared = { span: Span; against: Span; isFinished: boolean };

/**
 * Compares the finished days of this week and month with the same days of the last one. If there is no finished day, or
 * for today, an unfinished day is compared with a whole one, and marked as such.
 */
function comparedAt(today: string) {
  const yesterday = dayAfter(today, -1);
  const monday = mondayOf(today);
  const [first, firstBefore] = [monthsBefore(today, 0), monthsBefore(today, 1)];
  const days = Number(today.slice(8)) - 1;
  const unfinished = (dayBefore: string): Compared => ({
    span: { from: today, to: today },
    against: { from: dayBefore, to: dayBefore },
    isFinished: false,
  });
  const finished = (from: string, fromBefore: string, toBefore: string): Compared => ({
    span: { from, to: yesterday },
    against: { from: fromBefore, to: toBefore },
    isFinished: true,
  });
  // The last month may be shorter.
  const lastBefore = [dayAfter(firstBefore, days - 1), dayAfter(first, -1)].sort()[0] as string;
  return {
    today: unfinished(yesterday),
    week:
      monday === today
        ? unfinished(dayAfter(today, -7))
        : finished(monday, dayAfter(monday, -7), dayAfter(yesterday, -7)),
    month: first === today ? unfinished(firstBefore) : finished(first, firstBefore, lastBefore),
  };
}

const mondayOf = (day: string) => dayAfter(day, -((new Date(day).getUTCDay() + 6) % 7));

/** The first day of the month that was so many months before the month of a day. */
function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 0] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 - months, 1)).toISOString().slice(0, 10);
}
