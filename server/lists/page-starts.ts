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
  /** For each month or day: how many rows it has, and how many come before it in the list. */
  const steps = (step: SQL, source: SQL) => sql`(
    select ${step}, sum(sum(count)) over (order by ${step} ${forward}) - sum(count) as before, sum(count) as count
    from ${source} group by ${step}) as steps`;
  const place = sql`with start as materialized (
    select ${sql.placeholder("offset")}::bigint + ${countBeforePeriod(query, counted)} as offset
  ), near as materialized (
    select month, before
    from start, ${steps(sql`month`, sql`${monthlyCounters} where ${isCounterOf(monthlyCounters, counted)}`)}
    where before <= start.offset order by before desc, month ${backward} limit 1
  ), place as materialized (
    select day_start(day) as begins, day_start(day + 1) as ends, start.offset - near.before - steps.before as skip,
      steps.count - start.offset + near.before + steps.before as rest
    from start, near, lateral ${steps(
      sql`day`,
      sql`${counters} where ${isCounterOf(counters, counted)} and day >= near.month and day < near.month + interval '1 month'`,
    )}
    where near.before + steps.before <= start.offset order by steps.before desc, day ${backward} limit 1
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
