import { and, gte, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { prepared, unforeseen } from "../db/prepared.ts";
import { counters, monthlyCounters } from "../db/schema.ts";
import { dayAfter, daysUntil, ofKinds, type Span } from "./counters.ts";

/** The dashboard's four figures. Money in cents. */
const figures = {
  orders: sql`sum(count) filter (where subject = 'orders')`,
  users: sql`sum(count) filter (where subject = 'customers')`,
  revenue: sql`sum(cents) filter (where subject = 'fedex charges' or (subject = 'orders' and kind = 'Active'))`,
  deposits: sql`sum(cents) filter (where subject = 'deposits')`,
};
type Name = keyof typeof figures;
const subjects = ["orders", "customers", "fedex charges", "deposits"] as const;

/** How many days, weeks and months are drawn, with the running one. */
const drawnDays = 30;
const drawn = 13;

/** Each figure by day, week and month, and what each period's finished days came to against those of the one before. */
export async function trendsAt(db: Database, today: string) {
  const spans = comparedAt(today);
  const monday = mondayOf(today);
  const firstMonth = monthsBefore(today, drawn - 1);
  const [byDay, byMonth] = await Promise.all([
    figuresBy(db, "day", dayAfter(monday, -7 * (drawn - 1))),
    figuresBy(db, "month", firstMonth),
  ]);
  const ofDay = new Map(byDay.map((figure) => [figure.at, figure]));
  const ofMonth = new Map(byMonth.map((figure) => [figure.at, figure]));
  // The calendar is reckoned with once for all figures: that takes longer than to add them up.
  const inSpan = ({ from, to }: Span) => byDay.filter(({ at }) => at >= from && at <= to);
  const inBoth = ({ span, against }: Compared) => ({ value: inSpan(span), before: inSpan(against) });
  const days = daysUntil(today, drawnDays).map((day) => ofDay.get(day));
  const weeks = oldestFirst((weeksAgo) => {
    const from = dayAfter(monday, -7 * weeksAgo);
    return inSpan({ from, to: dayAfter(from, 6) });
  });
  const months = oldestFirst((monthsAgo) => ofMonth.get(monthsBefore(today, monthsAgo)));
  const changes = { today: inBoth(spans.today), week: inBoth(spans.week), month: inBoth(spans.month) };
  const trendOf = (name: Name) => {
    const sum = (figures: (typeof byDay)[number][]) => figures.reduce((all, figure) => all + figure[name], 0);
    const compared = ({ value, before }: typeof changes.today) => ({ value: sum(value), before: sum(before) });
    return {
      days: days.map((figure) => figure?.[name] ?? 0),
      weeks: weeks.map(sum),
      months: months.map((figure) => figure?.[name] ?? 0),
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

const oldestFirst = <T>(value: (ago: number) => T): T[] =>
  Array.from({ length: drawn }, (_, index) => value(drawn - 1 - index));

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
      .where(and(ofKinds(source, subjects), gte(at, unforeseen("since", "date"))))
      .groupBy(at)
      .prepare("");
  });
  return query.execute({ since });
}

type Compared = { span: Span; against: Span; isFinished: boolean };

/**
 * What can be compared honestly: the days of this week and this month that are over, with the same days of the one
 * before. A day that is not over stands against a whole one, and is told as such.
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
  // The month before may be shorter.
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

/** The first day of the month so many months before a day's. */
function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 0] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 - months, 1)).toISOString().slice(0, 10);
}
