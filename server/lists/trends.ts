import { and, gte, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { counters, monthlyCounters } from "../db/schema.ts";
import { dayAfter, daysUntil, type Span } from "./counters.ts";

/** The dashboard's four figures. Money in cents. */
const figures = {
  orders: sql`sum(count) filter (where subject = 'orders')`,
  users: sql`sum(count) filter (where subject = 'customers')`,
  revenue: sql`sum(cents) filter (where subject = 'fedex charges' or (subject = 'orders' and kind = 'Active'))`,
  deposits: sql`sum(cents) filter (where subject = 'deposits')`,
};
type Name = keyof typeof figures;
const subjects = ["orders", "customers", "fedex charges", "deposits"];

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
  const trendOf = (name: Name) => {
    const sum = ({ from, to }: Span) =>
      byDay.filter(({ at }) => at >= from && at <= to).reduce((all, figure) => all + figure[name], 0);
    const week = (weeksAgo: number) => {
      const from = dayAfter(monday, -7 * weeksAgo);
      return sum({ from, to: dayAfter(from, 6) });
    };
    const month = (monthsAgo: number) => {
      const at = monthsBefore(today, monthsAgo);
      return byMonth.find((figure) => figure.at === at)?.[name] ?? 0;
    };
    const compared = ({ span, against }: Compared) => ({ value: sum(span), before: sum(against) });
    return {
      days: daysUntil(today, drawnDays).map((day) => sum({ from: day, to: day })),
      weeks: oldestFirst(week),
      months: oldestFirst(month),
      changes: { today: compared(spans.today), week: compared(spans.week), month: compared(spans.month) },
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

const oldestFirst = (value: (ago: number) => number) =>
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
      .where(
        and(
          sql`${source.subject} = any(${sql.param(sql.placeholder("subjects"))}::text[])`,
          gte(at, sql.placeholder("since")),
        ),
      )
      .groupBy(at)
      .prepare("");
  });
  return query.execute({ subjects, since });
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
