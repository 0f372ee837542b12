import type { listQuery } from "@footprint/contract/endpoint.ts";
import { type AnyColumn, and, asc, desc, eq, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgSelect, PgTable } from "drizzle-orm/pg-core";
import type * as z from "zod";
import type { Database } from "./db/engine.ts";
import { counters } from "./db/schema.ts";
import { type Counted, countOf, of } from "./stats.ts";

type Listed = PgTable & { id: PgColumn; createdAt: PgColumn };
type ListQuery = z.output<typeof listQuery>;

type List = {
  table: Listed;
  query: ListQuery;
  /** The rows that are listed, where it is not all of them; the counter counts the same ones. */
  filter?: SQL | undefined;
  counted: Counted;
  /** The lower-case text that a search looks through. */
  searched: AnyColumn | SQL;
  /** Where a search for a whole number finds its row at once, and what whole numbers look like. */
  numbers?: { columns: PgColumn[]; look: RegExp };
};

export const wholeUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Rows up to here are skipped one by one; beyond, the counters say on which day a page begins. */
const skippable = 1_000;
/** Beyond this many hits of a search nobody counts on. */
const mostHits = 10_000;
/** How far back a search goes that the index cannot answer, such as one for two letters. */
const searchableRows = 50_000;

/** One page of a list and what the whole list counts, at the same cost for any page of any number of rows. */
export async function listPage<Q extends PgSelect>(db: Database, select: Q, list: List) {
  return list.query.search === "" ? pageOfAll(db, select, list) : pageOfHits(db, select, list);
}

async function pageOfAll<Q extends PgSelect>(db: Database, select: Q, { table, query, filter, counted }: List) {
  const offset = (query.page - 1) * query.limit;
  const { where, skip } =
    offset > skippable ? placeOf(table, query, counted, offset) : { where: undefined, skip: offset };
  const [rows, total] = await Promise.all([
    rowsOf(select, table, query, idsOf(table, query, and(filter, where), skip)),
    countOf(db, counted),
  ]);
  return { rows, ...pages(total, query.limit) };
}

async function pageOfHits<Q extends PgSelect>(db: Database, select: Q, list: List) {
  const { table, query, filter } = list;
  const where = and(filter, await hitOf(db, list));
  const offset = (query.page - 1) * query.limit;
  const rows = offset < mostHits ? await rowsOf(select, table, query, idsOf(table, query, where, offset)) : [];
  // A page that is not full ends the list.
  const isLast = rows.length < query.limit && (rows.length > 0 || offset === 0);
  const hits = isLast ? offset + rows.length : await countHits(db, table, where);
  return { rows: rows as Awaited<Q>, ...pages(Math.min(hits, mostHits), query.limit), totalCapped: hits > mostHits };
}

/** What makes a row a hit. */
async function hitOf(db: Database, { table, query, filter, searched, numbers }: List): Promise<SQL | undefined> {
  const named = numbers?.look.test(query.search)
    ? or(...numbers.columns.map((column) => eq(column, query.search.toLowerCase())))
    : undefined;
  if (named && (await db.$count(table, named)) > 0) return named;
  const hit = contains(searched, query.search);
  if (hasTrigram(query.search)) return hit;
  const newest = sql`(select id from ${table} where ${filter ?? true}
    order by ${sql.join(inOrder(table, "des"), sql`, `)} limit ${sql.raw(String(searchableRows))})`;
  return and(sql`${table.id} in ${newest}`, hit);
}

/** By id: what is skipped is read from the index alone. */
function rowsOf<Q extends PgSelect>(select: Q, table: Listed, { sort }: ListQuery, ids: SQL) {
  return select.where(sql`${table.id} in ${ids}`).orderBy(...inOrder(table, sort));
}

/** Newest or oldest first; the id breaks ties, so that no row is shown twice or never. */
export function inOrder(table: Listed, sort: ListQuery["sort"]) {
  const direction = sort === "asc" ? asc : desc;
  return [direction(table.createdAt), direction(table.id)];
}

function idsOf(table: Listed, { sort, limit }: ListQuery, where: SQL | undefined, skip: SQL | number) {
  // The limit is a part of the text: a prepared statement's plan is made for ten rows, not for any number.
  return sql`(select id from ${table} where ${where ?? true}
    order by ${sql.join(inOrder(table, sort), sql`, `)} offset ${skip} limit ${sql.raw(String(limit))})`;
}

/** The day on which the row at an offset stands, and how many rows of that day come before it; of one moment. */
function placeOf(table: Listed, { sort }: ListQuery, counted: Counted, offset: number) {
  const direction = sql.raw(sort === "asc" ? "asc" : "desc");
  const place = sql`from (
      select day, sum(sum(count)) over (order by day ${direction}) - sum(count) as before
      from ${counters} where ${of(counted)} group by day
    ) as days where before <= ${offset} order by before desc, day limit 1`;
  const from =
    sort === "asc"
      ? sql`${table.createdAt} >= (select day_start(day) ${place})`
      : sql`${table.createdAt} < (select day_start(day + 1) ${place})`;
  return { where: from, skip: sql`(select ${offset} - before ${place})` };
}

async function countHits(db: Database, table: Listed, where: SQL | undefined): Promise<number> {
  const found = db
    .select({ hit: sql`1` })
    .from(table)
    .where(where)
    .limit(mostHits + 1)
    .as("found");
  return db.$count(found);
}

export function pages(total: number, limit: number) {
  return { total, totalPages: Math.max(1, Math.ceil(total / limit)) };
}

/** True for rows whose text contains what was typed, in any case; `%` and `_` are ordinary characters. */
export function contains(lowerCase: AnyColumn | SQL, typed: string): SQL {
  const pattern = `%${typed.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  return sql`${lowerCase} like ${pattern}`;
}

/** The index knows texts by three letters in a row, or by two at the edge of a word. */
const hasTrigram = (typed: string) =>
  /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u.test(typed);
