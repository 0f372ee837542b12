import { and, type SQL, sql } from "drizzle-orm";
import { counters, monthlyCounters } from "../db/schema.ts";
import { type Counted, countedBefore, isCounterOf } from "./counters.ts";
import { type ListQuery, within } from "./list.ts";
import { eachOf, orderOf, type PageStart, type Selection } from "./rows.ts";

/**
 * Finds where a page begins by adding up counters, for offsets that would take too long to skip row by row: first the
 * month of the page's first row, then its day, then the row within that day, from whichever end of the day is nearer.
 * That reads some dozens of counters, however old the business is. Needs the values `offset`, `firstDay` and `lastDay`.
 */
export function startByCounters(selection: Selection, counted: Counted): PageStart {
  const { table, query } = selection;
  const isAscending = query.sort === "asc";
  const [forward, backward] = isAscending ? [sql`asc`, sql`desc`] : [sql`desc`, sql`asc`];
  const offset = sql`(select start.offset from start)`;
  // Months are added up from the beginning of the list; of the month's days, those from the page's to the month's end.
  const place = sql`with start as materialized (
    select ${sql.placeholder("offset")}::bigint + ${countBeforePeriod(query, counted)} as offset
  ), near as materialized (
    select month, up_to - ${offset} as remaining
    from (select month, sum(count) over (order by month ${forward}) as up_to
      from ${monthlyCounters} where ${isCounterOf(monthlyCounters, counted)}) as months
    where up_to > ${offset} order by month ${forward} limit 1
  ), place as materialized (
    select day_start(day) as begins, day_start(day + 1) as ends, up_to - remaining as skip, count - (up_to - remaining) as rest
    from near, lateral (
      select day, sum(count) as count, sum(sum(count)) over (order by day ${backward} rows unbounded preceding) as up_to
      from ${counters} where ${isCounterOf(counters, counted)} and day >= near.month and day < near.month + interval '1 month'
      group by day) as days
    where up_to >= remaining order by day ${backward} limit 1
  )`;
  const since = sql`${table.createdAt} >= (select begins from place)`;
  const until = sql`${table.createdAt} < (select ends from place)`;
  const skip = sql`(select skip from place)`;
  const [indexCondition, ...further] = eachOf(selection.indexConditions);
  if (further.length > 0) return { with: place, from: isAscending ? since : until, skip, mostSkipped: skip };
  const rowAfter = (skip: SQL, sort: ListQuery["sort"], where: SQL) => sql`(
    select created_at, id from ${table}
    where ${and(indexCondition, within(table, selection.moments), sort === "asc" ? since : until, where)}
    ${orderOf({ ...selection, query: { ...query, sort } })} offset ${skip} limit 1)`;
  const first = sql`first as materialized (
    ${rowAfter(skip, query.sort, sql`(select skip <= rest from place)`)} union all
    ${rowAfter(
      sql`(select greatest(rest - 1, 0) from place)`,
      isAscending ? "des" : "asc",
      sql`(select skip > rest and rest > 0 from place)`,
    )})`;
  const direction = sql.raw(isAscending ? ">=" : "<=");
  return {
    with: sql`${place}, ${first}`,
    from: sql`(${table.createdAt}, ${table.id}) ${direction} ((select created_at from first), (select id from first))`,
    skip: sql`0`,
    mostSkipped: sql`0`,
  };
}

/** How many rows of the whole list come before the period, in the order of the list. */
function countBeforePeriod({ sort, from, to }: ListQuery, counted: Counted): SQL {
  const before = (day: SQL) => countedBefore(day, (source) => isCounterOf(source, counted));
  if (sort === "asc") return from ? before(sql`${sql.placeholder("firstDay")}::date`) : sql`0`;
  return to
    ? sql`(${before(sql`'infinity'::date`)} - ${before(sql`(${sql.placeholder("lastDay")}::date + 1)`)})`
    : sql`0`;
}
