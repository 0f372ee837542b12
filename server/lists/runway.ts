import { type trackingType, trackingTypes } from "@footprint/contract/tracking.ts";
import { and, between, eq, isNotNull, sql } from "drizzle-orm";
import type * as z from "zod";
import type { Config } from "../config.ts";
import type { Database, Transaction } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { codeAlerts, counters, labelTypes } from "../db/schema.ts";
import { countsByKind, dayAfter, daysUntil, today } from "./counters.ts";

type Type = z.output<typeof trackingType>;
/** When codes of a type are low. With `codes` null their number alone never makes them low. */
export type Alert = { days: number; leadDays: number; codes: number | null };

/** Codes are low a week before the next ones have to be ordered, and those take a few days to arrive. */
const usualAlert: Alert = { days: 7, leadDays: 3, codes: 100 };

/** How many days are looked ahead. Codes that last longer do not run out in sight. */
const mostDays = 3650;

export type Runway = {
  type: Type;
  left: number;
  /** Days until the last one is used, 0 for today; null if none are used, or if they last for years. */
  days: number | null;
  /** The day on which the last one is used. */
  emptyOn: string | null;
  /** The last day to order the next ones so that they arrive in time. */
  orderBy: string | null;
  /** Somebody should act. Codes that nobody needs are never low. */
  isLow: boolean;
  perDay7: number;
  perDay28: number;
  /** The names of the enabled label types that take them. */
  labelTypes: string[];
  alert: Alert;
};

/** How long the codes of each type last. Read from counters, so it costs the same however many were sold. */
export async function runways(
  db: Database | Transaction,
  config: Pick<Config, "timezone">,
  now: Date,
): Promise<Runway[]> {
  const day = today(config, now);
  const [counts, used, takers, alerts] = await Promise.all([
    countsByKind(db, "tracking codes"),
    usedByDay(db, daysUntil(day, 29)),
    enabledTakers(db),
    codeAlertsOf(db),
  ]);
  return trackingTypes.map((type) => {
    const usedLately = used.get(type) ?? Array<number>(29).fill(0);
    const left = counts[`${type} left`] ?? 0;
    const before = (counts[`${type} used`] ?? 0) - sum(usedLately);
    const alert = alerts[type];
    const names = takers.filter(({ codes }) => codes === type).map(({ name }) => name);
    const { perDay7, perDay28, days } = howLong(left, usedLately, before > 0);
    const emptyOn = days === null ? null : dayAfter(day, days);
    const isNeeded = names.length > 0 || perDay28 > 0;
    const isShort =
      left === 0 ||
      (days !== null && days <= alert.days + alert.leadDays) ||
      (alert.codes !== null && left < alert.codes);
    return {
      type,
      left,
      days,
      emptyOn,
      orderBy: emptyOn && dayAfter(emptyOn, -alert.leadDays),
      isLow: isNeeded && isShort,
      perDay7,
      perDay28,
      labelTypes: names,
      alert,
    };
  });
}

/** When codes of each type are low. */
export async function codeAlertsOf(db: Database | Transaction): Promise<Record<Type, Alert>> {
  const rows = await prepared(db, "code alerts", () => db.select().from(codeAlerts).prepare("")).execute();
  const alertOf = (type: Type): Alert => {
    const { days, leadDays, codes } = rows.find((row) => row.type === type) ?? usualAlert;
    return { days, leadDays, codes };
  };
  return Object.fromEntries(trackingTypes.map((type) => [type, alertOf(type)])) as Record<Type, Alert>;
}

/**
 * How many codes of each type were used on each of these days. The database sends one row for each type: writing a row for
 * each type and day took it longer than finding them.
 */
async function usedByDay(db: Database | Transaction, days: string[]): Promise<Map<string, number[]>> {
  const first = sql`${sql.placeholder("first")}::date`;
  const query = prepared(db, "codes used by day", () =>
    db
      .select({
        type: counters.kind,
        places: sql<number[]>`array_agg(${counters.day} - ${first})`,
        counts: sql<number[]>`array_agg(${counters.count}::int)`,
      })
      .from(counters)
      .where(
        and(
          eq(counters.subject, "used codes"),
          // Kinds are named because the index has them before the day.
          sql`${counters.kind} = any(${sql.param(trackingTypes)}::text[])`,
          between(counters.day, first, sql.placeholder("last")),
        ),
      )
      .groupBy(counters.kind)
      .prepare(""),
  );
  const rows = await query.execute({ first: days[0], last: days.at(-1) });
  return new Map(
    rows.map(({ type, places, counts }) => {
      const used = days.map(() => 0);
      for (const [index, place] of places.entries()) used[place] = (used[place] ?? 0) + (counts[index] ?? 0);
      return [type, used];
    }),
  );
}

async function enabledTakers(db: Database | Transaction) {
  const query = prepared(db, "label types that take codes", () =>
    db
      .select({ name: labelTypes.name, codes: labelTypes.codes })
      .from(labelTypes)
      .where(and(labelTypes.active, isNotNull(labelTypes.codes)))
      .orderBy(sql`lower(${labelTypes.name})`)
      .prepare(""),
  );
  return query.execute();
}

/**
 * How many days codes last at the pace of the last 28 finished days, each weekday by its own average, or faster if the
 * last 7 days were busier. Today only adds what it has used so far.
 */
function howLong(left: number, usedLately: number[], isOld: boolean) {
  const usedToday = usedLately.at(-1) ?? 0;
  // Days before codes were first used say nothing; on the very first day there is only today.
  const firstUse = isOld ? 0 : usedLately.findIndex((used) => used > 0);
  const finished = firstUse < 0 ? [] : usedLately.slice(firstUse, -1);
  const known = finished.length > 0 ? finished : [usedToday];
  const perDay28 = mean(known);
  const perDay7 = mean(known.slice(-7));
  const pace = { perDay7, perDay28 };
  if (left === 0) return { ...pace, days: perDay28 > 0 ? 0 : null };
  if (perDay28 === 0) return { ...pace, days: null };

  // `known` ends yesterday, so days with the same weekday as `ahead` days from now are found from its end.
  const onWeekday = (ahead: number) => {
    const same = known.filter((_, place) => (known.length - place + ahead) % 7 === 0);
    return finished.length > 0 && same.length > 0 ? mean(same) : perDay28;
  };
  const week = Array.from({ length: 7 }, (_, ahead) => onWeekday(ahead));
  const faster = known.length < 7 ? 1 : Math.max(1, (perDay7 * 7) / sum(week));
  let remaining = left + usedToday;
  for (let days = 0; days <= mostDays; days++) {
    const expected = (week[days % 7] as number) * faster;
    remaining -= days === 0 ? Math.max(expected, usedToday) : expected;
    // Averages are fractions: a tiny remainder is a rounding error, not a code.
    if (remaining < 1e-6) return { ...pace, days };
  }
  return { ...pace, days: null };
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
const mean = (numbers: number[]) => sum(numbers) / numbers.length;
