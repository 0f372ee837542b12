import { and, asc, desc, type SQL, sql } from "drizzle-orm";
import type { PgSelect } from "drizzle-orm/pg-core";
import type { Database } from "../db/database.ts";
import { isOneOfHidden, literal, prepared } from "../db/prepared.ts";
import { inOrder, type List, type Listed, type ListQuery, type Narrowed, within } from "./list.ts";

// The rows of a list in its order: which come first, which stand on a page, and rows by their ids.

/** The rows of a list that one query asks for. */
export type Selection = Narrowed & { table: Listed; query: ListQuery };

/** Where a page begins: after `skip` of the rows that meet `from`. `skip` is never more than `mostSkipped`. */
export type PageStart = { with?: SQL; from?: SQL; skip: SQL; mostSkipped: SQL };

/** The ids of a page's rows. Skipped rows are read from the index alone. */
export function idsOf(selection: Omit<Selection, "counted" | "otherFilters">, start: PageStart): SQL {
  const { table, query, indexConditions, moments } = selection;
  const parts = eachOf(indexConditions).map(
    (where) => sql`from ${table} where ${and(where, within(table, moments), start.from) ?? true} ${orderOf(selection)}`,
  );
  const each = parts.map(
    (part) => sql`(select id, created_at ${part} limit ${start.mostSkipped} + ${literal(query.limit)})`,
  );
  const rows =
    parts.length > 1
      ? sql`from (${sql.join(each, sql` union all `)}) as ${table} ${orderOf({ ...selection, indexColumn: undefined })}`
      : parts[0];
  return sql`${start.with ?? sql``} select id ${rows} offset ${start.skip} limit ${literal(query.limit)}`;
}

/** The first rows of the list or, if filters lead to an index, the first rows there. */
export function firstRows(selection: Selection, amount: number) {
  const { table, indexConditions, moments } = selection;
  const first = (source: SQL, order: SQL) => sql`(select * from ${source} ${order} limit ${hiddenLimit(amount)})`;
  const parts = eachOf(indexConditions).map((where) =>
    first(sql`${table} where ${and(where, within(table, moments)) ?? true}`, orderOf(selection)),
  );
  const rows =
    parts.length > 1
      ? first(sql`(${sql.join(parts, sql` union all `)}) as ${table}`, orderOf(merged(selection)))
      : parts[0];
  return sql`${rows} as ${table}`;
}

/**
 * A limit that the planner does not see. If it saw a large one, it might expect to need all rows, and sort them; so it
 * reads from the beginning of the index.
 */
export const hiddenLimit = (amount: number) => sql`(select ${literal(amount)})`;

/** Each index condition, or once `undefined` if the list has none. */
export const eachOf = (indexConditions: SQL[]) => (indexConditions.length > 0 ? indexConditions : [undefined]);

/** For rows from several index conditions: put together, they are in order by time alone. */
export const merged = (selection: Selection): Selection =>
  selection.indexConditions.length > 1 ? { ...selection, indexColumn: undefined } : selection;

/**
 * The order of the index that leads to the rows: its first column, time and id; without time for rows `ofOneMoment`.
 */
export function orderOf(
  { table, query, indexColumn }: Pick<Selection, "table" | "query" | "indexColumn">,
  { ofOneMoment = false } = {},
): SQL {
  const first = indexColumn ? [query.sort === "asc" ? asc(indexColumn) : desc(indexColumn)] : [];
  const then = inOrder(table, query.sort).slice(ofOneMoment ? 1 : 0);
  return sql`order by ${sql.join([...first, ...then], sql`, `)}`;
}

/** Rows by their ids, in order. A statement of its own: joined to the search for ids, a query may run once per row. */
export async function rowsById<S extends PgSelect>(
  db: Database,
  { name, table, select }: Pick<List<object, S>, "name" | "table" | "select">,
  sort: ListQuery["sort"],
  ids: string[],
) {
  const query = prepared(db, `rows of ${name} ${sort}`, () =>
    select(db)
      .where(isOneOfHidden(table.id, sql.placeholder("ids")))
      .orderBy(...inOrder(table, sort))
      .prepare(""),
  );
  return (await query.execute({ ids })) as S["_"]["result"];
}
