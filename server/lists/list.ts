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

/** One thing that a query asks of the rows. */
type Filter = {
  /** True for the rows that are left; several conditions where each has an index of its own and no row meets two. */
  where: SQL | SQL[];
  /** What the index begins with, before the order of the list; none where the index has only these rows. */
  column?: PgColumn;
  /** What that column has, where this is all that is asked. */
  value?: string;
  /** The counters that count the same rows. */
  counted?: Counted;
  /** No index has these rows in the list's order: they are looked for one by one. */
  isSought?: boolean;
};

/**
 * Asks for one value of a column that an index begins with. As one of an array: where PostgreSQL sees that a column has
 * one value, it may take any index in the list's order, and go through all rows for a value that is rare of late.
 */
export const having = (column: PgColumn, value: string) => ({ column, value, where: isOneOf(column, [value]) });

const isOneOf = (column: PgColumn, values: string[]) =>
  sql`${column} = any(${sql.param(values)}::${sql.raw(column.getSQLType())}[])`;

/** A cell of an export; what is plain needs no quotes. */
export type Cell = PgColumn | SQL | { plain: SQL };

/** The cells of an export, by the heading of their column, which needs no quotes either. */
export type Columns = Record<string, Cell>;

/** All there is to say about a list: its pages and its export come from this. */
export type List<Q extends object, S extends PgSelect> = {
  /** As in the name of its export. */
  name: string;
  table: Listed;
  /** What counts its rows where no filter is set; none where one always is. */
  counted?: Counted;
  searched: Searched;
  /** Its rows are long texts: asked for by themselves, not as JSON with what else is asked, and shared (`prepared`). */
  isLong?: boolean;
  /** How many rows are looked through one by one at most, where fewer than usual are to do. */
  rowByRow?: number;
  /** What the query asks for beside search and period. The first that has an index leads to the rows. */
  filters?(query: Q): (Filter | "" | false | undefined)[];
  select(db: Database | Transaction): S;
  columns: Columns;
};

/** What a call's query may ask of its rows, beside what every list's may. */
export type Filters<E extends Endpoint> = Omit<Parsed<E, "query">, keyof ListQuery>;

/** Names the types of a list after what it is made of. */
export const listOf = <Q extends object, S extends PgSelect>(list: List<Q, S>) => list;

/** What a query leaves of a list. */
export type Narrowed = {
  /** Conditions with an index each; none where the list as a whole leads to the rows. */
  lead: SQL[];
  /** What these indexes begin with. */
  column: PgColumn | undefined;
  /** What this column has, where that is the only condition. */
  value: string | undefined;
  /** What else a row must meet, beside the period. */
  rest: SQL | undefined;
  moments: Moments;
  /** What counts exactly these rows, if anything does. */
  counted: Counted | undefined;
};

type Filtered<Q extends object> = Pick<List<Q, PgSelect>, "filters" | "counted">;

export const narrow = async <Q extends object>(
  db: Database,
  list: Filtered<Q>,
  query: Q & Period,
): Promise<Narrowed> => ({ ...filtersOf(list, query), moments: await momentsOf(db, query) });

/** What a query leaves of a list, whichever moments its days begin and end with. */
export function filtersOf<Q extends object>(list: Filtered<Q>, query: Q & Period): Omit<Narrowed, "moments"> {
  const filters = (list.filters?.(query) ?? []).filter((filter): filter is Filter => Boolean(filter));
  const lead = filters.find(({ isSought }) => !isSought);
  const rest = filters.filter((filter) => filter !== lead);
  return {
    lead: lead ? [lead.where].flat() : [],
    column: lead?.column,
    value: lead?.value,
    rest: and(...rest.map(({ where }) => or(...[where].flat()))),
    counted: rest.length > 0 ? undefined : lead ? lead.counted : list.counted,
  };
}

/** The first moment of a period, and the first one after it. */
export type Moments = { from?: string | SQL | undefined; until?: string | SQL | undefined };

/** Asked for beforehand: in a condition the database might compute them for every row. */
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

/** True for all that a query leaves of a list, as one condition. */
export const allOf = (table: Listed, { lead, rest, moments }: Narrowed) =>
  and(or(...lead), rest, within(table, moments));

/** Newest or oldest first; the id breaks ties, so that no row is shown twice or never. */
export function inOrder(table: Listed, sort: ListQuery["sort"]) {
  const direction = sort === "asc" ? asc : desc;
  return [direction(table.createdAt), direction(table.id)];
}
