import type { Endpoint, Parsed } from "@footprint/contract/endpoint.ts";
import type { listQuery } from "@footprint/contract/schemas.ts";
import { and, asc, desc, gte, lt, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgSelect, PgTable } from "drizzle-orm/pg-core";
import type * as z from "zod";
import type { Database, Transaction } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import type { Counted, Period } from "./counters.ts";
import type { Searched } from "./search.ts";

export type Listed = PgTable & { id: PgColumn; createdAt: PgColumn };
export type ListQuery = z.output<typeof listQuery> & Period;

/** One condition that a query sets, such as a customer or a status. */
type Filter = {
  /** True for the rows to keep. As a list: conditions with an index each, of which no row meets two. */
  where: SQL | SQL[];
  /** The index's first column, before those of the list's order; none if the index has only these rows. */
  column?: PgColumn;
  /** That column's value, if it is the whole condition. */
  value?: string;
  /** The counters of exactly these rows. */
  counted?: Counted;
  /** No index has these rows in the list's order, so each row is compared. */
  hasNoIndex?: boolean;
  /** True for the batches that have these codes, if each batch has only such codes or none. */
  ofBatch?: SQL;
};

/**
 * Asks for one value of a column that an index begins with. It is written as an array: for a single value PostgreSQL
 * may choose another index in the list's order, and go through all rows for a value that has become rare.
 */
export const having = (column: PgColumn, value: string) => ({ column, value, where: isOneOf(column, [value]) });

const isOneOf = (column: PgColumn, values: string[]) =>
  sql`${column} = any(${sql.param(values)}::${sql.raw(column.getSQLType())}[])`;

/** A cell of an export. Plain text needs no quotes. */
export type Cell = PgColumn | SQL | { plain: SQL };

/** The cells of an export by the heading of their column, which needs no quotes either. */
export type Columns = Record<string, Cell>;

/** Defines a list: its pages and its export come from this. */
export type List<Q extends object, S extends PgSelect> = {
  /** Its export's file is named after it. */
  name: string;
  table: Listed;
  /** The counters of all its rows; none if a filter is always set. */
  counted?: Counted;
  searched: Searched;
  /** Its rows are long texts: read by a statement of their own, and shared by callers who ask at once (`prepared`). */
  isLong?: boolean;
  /** How many rows are gone through one by one, if it should be fewer than usual. */
  mostScanned?: number;
  /** The query's conditions besides search and period. Rows are found by the first that has an index. */
  filters?(query: Q): (Filter | "" | false | undefined)[];
  select(db: Database | Transaction): S;
  columns: Columns;
};

/** The parameters of a list's query that not every list has. */
export type Filters<E extends Endpoint> = Omit<Parsed<E, "query">, keyof ListQuery>;

/** Infers a list's types from its definition. */
export const listOf = <Q extends object, S extends PgSelect>(list: List<Q, S>) => list;

/** Which rows of a list a query asks for, apart from its search. */
export type Narrowed = {
  /** The filter by which rows are found: conditions with an index each. Empty if they are found in the whole list. */
  indexConditions: SQL[];
  /** The first column of these indexes. */
  indexColumn: PgColumn | undefined;
  /** The value asked of this column, if that is the only condition. */
  indexValue: string | undefined;
  /** All other filters; each row is compared with them. */
  otherFilters: SQL | undefined;
  /** The same, asked of the batches that codes are in; undefined if they cannot tell. */
  otherFiltersOfBatch?: SQL | undefined;
  moments: Moments;
  /** The counters of exactly these rows, if there are any. */
  counted: Counted | undefined;
};

type Filtered<Q extends object> = Pick<List<Q, PgSelect>, "filters" | "counted">;

export const narrow = async <Q extends object>(
  db: Database,
  list: Filtered<Q>,
  query: Q & Period,
): Promise<Narrowed> => ({ ...filtersOf(list, query), moments: await momentsOf(db, query) });

/** The same without the moments of the period, which the database has to compute. */
export function filtersOf<Q extends object>(list: Filtered<Q>, query: Q & Period): Omit<Narrowed, "moments"> {
  const filters = (list.filters?.(query) ?? []).filter((filter): filter is Filter => Boolean(filter));
  const indexed = filters.find(({ hasNoIndex }) => !hasNoIndex);
  const others = filters.filter((filter) => filter !== indexed);
  return {
    indexConditions: indexed ? [indexed.where].flat() : [],
    indexColumn: indexed?.column,
    indexValue: indexed?.value,
    otherFilters: and(...others.map(({ where }) => or(...[where].flat()))),
    otherFiltersOfBatch: others.every(({ ofBatch }) => ofBatch)
      ? and(...others.map(({ ofBatch }) => ofBatch))
      : undefined,
    counted: others.length > 0 ? undefined : indexed ? indexed.counted : list.counted,
  };
}

/** The first moment of a period, and the first moment after it. */
export type Moments = { from?: string | SQL | undefined; until?: string | SQL | undefined };

/** Computed before the rows are read: within a condition, the database might compute them for every row. */
export async function momentsOf(db: Database, { from, to }: Period): Promise<Moments> {
  if (!from && !to) return {};
  const query = prepared(db, "moments", () => {
    const start = (day: SQL) => sql<string | null>`day_start(${day})::text`;
    return db
      .select({
        from: start(sql`${sql.placeholder("from")}::date`),
        until: start(sql`${sql.placeholder("to")}::date + 1`),
      })
      .from(sql`(values (1)) as one`)
      .prepare("");
  });
  const [moments] = await query.execute({ from: from ?? null, to: to ?? null });
  return { from: moments?.from ?? undefined, until: moments?.until ?? undefined };
}

/** True for rows of a period. */
export const within = (table: Listed, { from, until }: Moments): SQL | undefined =>
  and(
    from ? gte(table.createdAt, sql`${from}::timestamptz`) : undefined,
    until ? lt(table.createdAt, sql`${until}::timestamptz`) : undefined,
  );

/** True for the rows that a query asks for, apart from its search. */
export const conditionOf = (table: Listed, { indexConditions, otherFilters, moments }: Narrowed) =>
  and(or(...indexConditions), otherFilters, within(table, moments));

/** Newest or oldest first. The id breaks ties, so that no row is on two pages or on none. */
export function inOrder(table: Listed, sort: ListQuery["sort"]) {
  const direction = sort === "asc" ? asc : desc;
  return [direction(table.createdAt), direction(table.id)];
}
