import type { listQuery } from "@footprint/contract/schemas.ts";
import { and, asc, desc, getTableName, inArray, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgSelect, PgTable } from "drizzle-orm/pg-core";
import type * as z from "zod";
import type { Database } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { counters, monthlyCounters } from "../db/schema.ts";
import { type Counted, countOf, isCounterOf } from "./counters.ts";
import { type Hits, hitsOf, type Searched } from "./search.ts";

type Listed = PgTable & { id: PgColumn; createdAt: PgColumn };
type ListQuery = z.output<typeof listQuery>;

type List = {
  table: Listed;
  query: ListQuery;
  /** The rows that are listed, where it is not all of them; the counter counts the same ones. */
  filter?: SQL | undefined;
  counted: Counted;
  searched: Searched;
};

/** Rows up to here are skipped one by one; beyond, the counters say on which day a page begins. */
const skippable = 1_000;
/** Beyond this many hits of a search nobody counts on. */
const mostHits = 1_000;
/** How many rows a search looks through one by one: at most; before it asks the indexes; where they cannot help. */
const rowByRow = { most: 50_000, first: 2_000, short: 1_000 };

/** One page of a list and what the whole list counts, at the same cost for any page of any number of rows. */
export async function listPage<Q extends PgSelect>(db: Database, select: () => Q, list: List) {
  return list.query.search === "" ? pageOfAll(db, select, list) : pageOfHits(db, select, list);
}

async function pageOfAll<Q extends PgSelect>(db: Database, select: () => Q, list: List) {
  const { table, query, filter, counted } = list;
  const offset = offsetOf(query);
  const isFar = offset > skippable;
  const page = prepared(db, keyOf(list, isFar), () => {
    const place = isFar ? placeOf(table, query, counted) : { skip: sql.placeholder("offset") };
    return rowsOf(select(), list, filter, place).prepare("");
  });
  const [rows, total] = await Promise.all([page.execute({ offset }), countOf(db, counted)]);
  return { rows: rows as Q["_"]["result"], ...pages(total, query.limit) };
}

async function pageOfHits<Q extends PgSelect>(db: Database, select: () => Q, list: List) {
  const { table, query } = list;
  const hits = await hitsOf(db, table, list.searched, query.search);
  const offset = offsetOf(query);
  const isBeyond = offset >= mostHits;
  const { ids, total, isMore } = await findHits(db, list, hits, isBeyond ? 0 : offset);
  return {
    rows: await rowsById(select(), list, isBeyond ? [] : ids),
    ...pages(Math.min(total, mostHits), query.limit),
    totalCapped: isMore || total > mostHits,
  };
}

type Found = { ids: string[]; total: number; isMore?: boolean };

/**
 * What is frequent is met soon among the first rows of the list; what is not met there is rare, and found by the
 * indexes. Left the choice, PostgreSQL may go through all rows for what is nowhere.
 */
async function findHits(db: Database, list: List, hits: Hits, offset: number): Promise<Found> {
  const { limit } = list.query;
  const most = hits.isShort ? rowByRow.short : rowByRow.most;
  const enough = Math.max(rowByRow.first, 100 * (offset + limit));
  const first = firstRows(list, hits.indexed ? Math.min(most, enough) : most);
  const { rows: met } = await db.execute<{ id: string }>(sql`
    select id from ${first} where ${hits.where} ${orderOf(list)} offset ${offset} limit ${limit}`);
  if (hits.indexed && met.length < limit) return lookUp(db, list, hits.indexed, offset);
  const { rows } = await db.execute<{ total: string }>(sql`
    select count(*) as total
    from (select from ${firstRows(list, most)} where ${hits.where} limit ${mostHits + 1}) as hits`);
  const total = Number(rows[0]?.total);
  return { ids: met.map(({ id }) => id), total, isMore: (await countOf(db, list.counted)) > most };
}

async function lookUp(db: Database, list: List, where: SQL, offset: number): Promise<Found> {
  const { table, query, filter } = list;
  const { rows } = await db.execute<{ id: string | null; total: string }>(sql`
    with ${table} as materialized (select id, created_at from ${table} where ${and(filter, where)})
    select page.id, counted.total from (select count(*) as total from ${table}) as counted
    left join (select id from ${table} ${orderOf(list)} offset ${offset} limit ${query.limit}) as page on true`);
  return { ids: rows.flatMap(({ id }) => id ?? []), total: Number(rows[0]?.total) };
}

/** So many rows of the list, from its beginning. */
const firstRows = (list: List, amount: number) =>
  sql`(select * from ${list.table} where ${list.filter ?? true} ${orderOf(list)} limit ${amount}) as ${list.table}`;

const orderOf = ({ table, query }: { table: Listed; query: Pick<ListQuery, "sort"> }) =>
  sql`order by ${sql.join(inOrder(table, query.sort), sql`, `)}`;

/**
 * One page of a list narrowed by what no counter knows but an index does: counted up to a cap. Whatever narrows it
 * further is looked for among the newest such rows, so that a rare hit does not cost a look at all of them.
 */
export async function pageOfNarrowed<Q extends PgSelect>(db: Database, select: () => Q, list: List, narrowed: SQL) {
  const { table, query, filter, searched } = list;
  const found = query.search === "" ? undefined : (await hitsOf(db, table, searched, query.search)).where;
  const newest = sql`(select * from ${table} where ${narrowed}
    ${orderOf({ table, query: { sort: "des" } })} limit ${rowByRow.most}) as ${table}`;
  const hits = sql`from ${filter || found ? newest : table} where ${and(narrowed, filter, found)}`;
  const offset = offsetOf(query);
  const page = sql`${orderOf(list)} offset ${offset} limit ${offset < mostHits ? query.limit : 0}`;
  const { rows: ids } = await db.execute<{ id: string }>(sql`select id ${hits} ${page}`);
  const { rows: counts } = await db.execute<{ total: number }>(
    sql`select count(*)::int as total from (select ${hits} limit ${mostHits + 1}) as hits`,
  );
  const total = counts[0]?.total ?? 0;
  const rows = await rowsById(
    select(),
    list,
    ids.map(({ id }) => id),
  );
  return { rows, ...pages(Math.min(total, mostHits), query.limit), totalCapped: total > mostHits };
}

/** In a second step: joined to the rows, a limited query may be planned to run again for each of them. */
async function rowsById<Q extends PgSelect>(select: Q, { table, query }: List, ids: string[]) {
  const rows = select.where(inArray(table.id, ids)).orderBy(...inOrder(table, query.sort));
  return (ids.length > 0 ? await rows : []) as Q["_"]["result"];
}

const offsetOf = ({ page, limit }: ListQuery) => (page - 1) * limit;

/** What one statement of a list differs by from another. */
function keyOf({ table, query, counted }: List, isFar: boolean): string {
  return `page ${getTableName(table)} ${counted.kind} ${query.sort} ${query.limit} ${isFar}`;
}

/** Where a page begins: after so many rows, of all or of those from a day on. */
type Place = { with?: SQL; from?: SQL; skip: SQL | Placeholder };

/** By id: what is skipped is read from the index alone. */
function rowsOf<Q extends PgSelect>(select: Q, { table, query }: List, where: SQL | undefined, place: Place) {
  const order = inOrder(table, query.sort);
  // The limit is a part of the text: a prepared statement's plan is made for ten rows, not for any number.
  const ids = sql`(${place.with ?? sql``} select id from ${table} where ${and(where, place.from) ?? true}
    order by ${sql.join(order, sql`, `)} offset ${place.skip} limit ${sql.raw(String(query.limit))})`;
  // Read once, before the rows are: `in (…)` may be planned to be read again for each of them.
  return select.where(sql`${table.id} = any(array${ids})`).orderBy(...order);
}

/** Newest or oldest first; the id breaks ties, so that no row is shown twice or never. */
export function inOrder(table: Listed, sort: ListQuery["sort"]) {
  const direction = sort === "asc" ? asc : desc;
  return [direction(table.createdAt), direction(table.id)];
}

/**
 * The day on which the row at an offset stands, and how many rows of that day come before it; of one moment. First
 * the month, then the day within it: that is some dozens of counters, however old the business.
 */
function placeOf(table: Listed, { sort }: ListQuery, counted: Counted): Place {
  const isAscending = sort === "asc";
  const [forward, backward] = isAscending ? [sql`asc`, sql`desc`] : [sql`desc`, sql`asc`];
  const offset = sql`${sql.placeholder("offset")}::bigint`;
  /** How many rows stand before each step in time. */
  const steps = (step: SQL, source: SQL) => sql`(
    select ${step}, sum(sum(count)) over (order by ${step} ${forward}) - sum(count) as before
    from ${source} group by ${step}) as steps`;
  const place = sql`with near as materialized (
    select month, before
    from ${steps(sql`month`, sql`${monthlyCounters} where ${isCounterOf(monthlyCounters, counted)}`)}
    where before <= ${offset} order by before desc, month ${backward} limit 1
  ), place as materialized (
    select ${isAscending ? sql`day_start(day)` : sql`day_start(day + 1)`} as moment,
      ${offset} - near.before - steps.before as skip
    from near, lateral ${steps(
      sql`day`,
      sql`${counters} where ${isCounterOf(counters, counted)} and day >= near.month and day < near.month + interval '1 month'`,
    )}
    where near.before + steps.before <= ${offset} order by steps.before desc, day ${backward} limit 1
  )`;
  return {
    with: place,
    from: sql`${table.createdAt} ${sql.raw(isAscending ? ">=" : "<")} (select moment from place)`,
    skip: sql`(select skip from place)`,
  };
}

export function pages(total: number, limit: number) {
  return { total, totalPages: Math.max(1, Math.ceil(total / limit)) };
}
