import { and, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgSelect } from "drizzle-orm/pg-core";
import type { Database } from "../db/database.ts";
import { hiddenPlaceholder, isOneOfHidden, literal, prepared } from "../db/prepared.ts";
import { type Counted, countedValues, countIn, countOf, daysOf, lengthOf } from "./counters.ts";
import { findHits, mostCounted } from "./hits.ts";
import { filtersOf, inOrder, type List, type ListQuery, type Moments, momentsOf, within } from "./list.ts";
import { startByCounters } from "./page-starts.ts";
import { idsOf, type PageStart, rowsById, type Selection } from "./rows.ts";
import { hitsOf } from "./search.ts";

/** Up to this offset rows are skipped one by one; beyond it the counters tell where the page begins. */
const mostSkipped = 1_000;

/** One page of a list, and how many rows the list has. Costs the same for any page of any number of rows. */
export async function pageOf<Q extends object, S extends PgSelect>(
  db: Database,
  list: Omit<List<Q, S>, "columns">,
  query: Q & ListQuery,
): Promise<{ rows: S["_"]["result"]; total: number; totalPages: number; totalCapped?: boolean }> {
  if (query.ids) {
    const rows = await rowsById(db, list, query.sort, query.ids);
    return { rows, ...pages(rows.length, query.ids.length) };
  }
  if (query.from && query.to && query.from > query.to) return { rows: [], ...pages(0, query.limit) };
  const selected = { ...filtersOf(list, query), table: list.table, query };
  const offset = offsetOf(query);
  if (query.search === "") {
    const selection = { ...selected, moments: momentsToFillIn(query) };
    if (selected.counted) return countedPage(db, list, selection, selected.counted);
    if (!selected.otherFilters && selected.indexValue && offset < mostCounted) return pageOfValue(db, list, selection);
  }
  const selection = { ...selected, moments: await momentsOf(db, query) };
  const hits = query.search === "" ? undefined : await hitsOf(db, list.table, list.searched, query.search);
  const isBeyond = offset >= mostCounted;
  const { ids, total, isMore } = await findHits(db, selection, hits, isBeyond ? 0 : offset, {
    mostScanned: list.mostScanned,
  });
  return {
    rows: isBeyond || ids.length === 0 ? [] : await rowsById(db, list, query.sort, ids),
    ...pages(Math.min(total, mostCounted), query.limit),
    totalCapped: isMore || total > mostCounted,
  };
}

/** A page of rows that the counters count. */
async function countedPage<S extends PgSelect>(
  db: Database,
  list: Pick<List<object, S>, "select" | "isLong">,
  selection: Selection,
  counted: Counted,
) {
  const { query, indexValue } = selection;
  const isFar = offsetOf(query) > mostSkipped;
  const filledIn = withValueToFillIn(selection);
  const { rows, total = await countOf(db, counted, query) } = await pageWithTotal(db, list, filledIn, {
    key: [counted.subject, counted.kinds, isFar, lengthOf(query)].join(),
    start: () => (isFar ? startByCounters(filledIn, counted) : startByOffset),
    total: () => countIn(query),
    values: { value: [indexValue], ...countedValues(counted, query) },
  });
  return { rows, ...pages(total, query.limit) };
}

/** A page of the rows that have one value in a column, such as those of a customer. Nothing counts these. */
async function pageOfValue<S extends PgSelect>(
  db: Database,
  list: Pick<List<object, S>, "name" | "select" | "isLong">,
  selection: Selection,
) {
  const { query, table, indexColumn } = selection as Selection & { indexColumn: PgColumn };
  const filledIn = withValueToFillIn(selection);
  const count = async () =>
    (await findHits(db, { ...selection, moments: await momentsOf(db, query) }, undefined, 0)).total;
  const { rows, total = await count() } = await pageWithTotal(db, list, filledIn, {
    key: `${list.name} by ${indexColumn.name}`,
    start: () => startByOffset,
    total: () => sql<number>`(
      select count(*)::int from (select from ${table} where ${and(...filledIn.indexConditions, within(table, filledIn.moments))} limit ${literal(mostCounted + 1)}) as rows)`,
    values: { value: [selection.indexValue], ...daysOf(query) },
  });
  return { rows, ...pages(Math.min(total, mostCounted), query.limit), totalCapped: total > mostCounted };
}

/** The same for any value, so that one prepared statement serves them all. */
const withValueToFillIn = (selection: Selection): Selection =>
  selection.indexColumn && selection.indexValue !== undefined
    ? { ...selection, indexConditions: [isOneOfHidden(selection.indexColumn, sql.placeholder("value"))] }
    : selection;

/** Computed by the statement itself, once, before it reads rows. `daysOf` has the values. */
const momentsToFillIn = ({ from, to }: ListQuery): Moments => ({
  from: from && sql`(select day_start(${sql.placeholder("firstDay")}::date))`,
  until: to && sql`(select day_start(${sql.placeholder("lastDay")}::date + 1))`,
});

const startByOffset: PageStart = {
  skip: hiddenPlaceholder("offset", "bigint"),
  mostSkipped: hiddenPlaceholder("offset", "bigint"),
};

/**
 * Reads a page and the total with one statement, which is built once for all calls with the same key. A page without
 * rows has no total.
 */
async function pageWithTotal<S extends PgSelect>(
  db: Database,
  { select, isLong }: Pick<List<object, S>, "select" | "isLong">,
  selection: Selection,
  parts: { key: string; start: () => PageStart; total: () => SQL<number>; values: object },
): Promise<{ rows: S["_"]["result"]; total?: number }> {
  const { table, query } = selection;
  const build = () => {
    // As an array, the ids are found once. With `in (…)` the planner may choose to find them again for each row.
    const ids = sql`${table.id} = any(array(${idsOf(selection, parts.start())}))`;
    return withTotal(select(db), parts.total())
      .where(ids)
      .orderBy(...inOrder(table, query.sort))
      .prepare("");
  };
  const key = ["page", parts.key, query.sort, query.limit, !query.from, !query.to].join();
  const page = prepared(db, key, build, isLong && "long");
  const rows = (await page.execute({ offset: offsetOf(query), ...parts.values })) as WithTotal[];
  const [first] = rows;
  return { rows: rows as S["_"]["result"], ...(first && { total: first[totalOfList] }) };
}

const totalOfList = "total of the list";
type WithTotal = { [totalOfList]: number };

/** Adds the list's total to each row: a statement of its own would cost as much as the page. */
function withTotal<S extends PgSelect>(rows: S, total: SQL<number>): S {
  const { config } = rows as unknown as { config: { fields: object } };
  config.fields = { ...config.fields, [totalOfList]: total };
  return rows;
}

const offsetOf = ({ page, limit }: ListQuery) => (page - 1) * limit;

export function pages(total: number, limit: number) {
  return { total, totalPages: Math.max(1, Math.ceil(total / limit)) };
}
