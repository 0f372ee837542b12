import type { listQuery } from "@footprint/contract/endpoint.ts";
import {
  and,
  asc,
  Column,
  count,
  desc,
  eq,
  getTableName,
  inArray,
  is,
  or,
  type Placeholder,
  type SQL,
  sql,
} from "drizzle-orm";
import type { PgColumn, PgSelect, PgTable } from "drizzle-orm/pg-core";
import type * as z from "zod";
import type { Database } from "./db/engine.ts";
import { prepared } from "./db/prepared.ts";
import { counters, mayMentionUuids, monthlyCounters } from "./db/schema.ts";
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
  searched: PgColumn | SQL;
  /** The columns in which a search for a whole UUID finds its row at once; an index knows where else one stands. */
  uuids?: PgColumn[];
  /** Lower-case and indexed: where a search for a whole tracking code or discordId finds its rows at once. */
  code?: PgColumn | SQL;
};

const wholeUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const wholeCode = /^(?=.*\d)[0-9a-z]{10,}$/i;

/** Rows up to here are skipped one by one; beyond, the counters say on which day a page begins. */
const skippable = 1_000;
/** Beyond this many hits of a search nobody counts on. */
const mostHits = 10_000;
/** How far back a search goes that the index cannot answer, such as one for two letters. */
const searchableRows = 50_000;

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
  const { table, query, filter } = list;
  const offset = offsetOf(query);
  const hit = await hitOf(db, list);
  const where = and(filter, hit.where);
  const page = prepared(db, keyOf(list, hit.kind), () =>
    rowsOf(select(), list, where, { isRare: hit.isRare, skip: sql.placeholder("offset") }).prepare(""),
  );
  const rows = offset < mostHits ? await page.execute({ offset, ...hit.values }) : [];
  const hitsKey = `${keyOf(list, hit.kind)} ${hit.values.pattern}`;
  // A page that is not full ends the list.
  const isLast = rows.length < query.limit && (rows.length > 0 || offset === 0);
  const hits = isLast
    ? offset + rows.length
    : await countUnlessCommon(hitsKey, () => countHits(db, table, where, hit.values));
  return {
    rows: rows as Q["_"]["result"],
    ...pages(Math.min(hits, mostHits), query.limit),
    totalCapped: hits > mostHits,
  };
}

/**
 * One page of a list narrowed by what no counter knows but an index does: counted up to a cap. Whatever narrows it
 * further is looked for among the newest such rows, so that a rare hit does not cost a look at all of them. Read by
 * id in a second step: joined to the rows, a limited query may be planned to run again for each of them.
 */
export async function pageOfNarrowed<Q extends PgSelect>(db: Database, select: () => Q, list: List, narrowed: SQL) {
  const { table, query, filter, searched } = list;
  const found = query.search === "" ? undefined : sql`${searched} like ${patternOf(query.search)}`;
  const newest = sql`(select * from ${table} where ${narrowed}
    order by ${sql.join(inOrder(table, "des"), sql`, `)} limit ${sql.raw(String(searchableRows))}) as ${table}`;
  const hits = sql`from ${filter || found ? newest : table} where ${and(narrowed, filter, found)}`;
  const order = inOrder(table, query.sort);
  const offset = offsetOf(query);
  const { rows: ids } = await db.execute<{ id: string }>(sql`select id ${hits}
    order by ${sql.join(order, sql`, `)} offset ${offset} limit ${offset < mostHits ? query.limit : 0}`);
  const rows = select()
    .where(
      inArray(
        table.id,
        ids.map(({ id }) => id),
      ),
    )
    .orderBy(...order);
  const { rows: counts } = await db.execute<{ hits: number }>(
    sql`select count(*)::int as hits from (select 1 ${hits} limit ${mostHits + 1}) as hits`,
  );
  const total = counts[0]?.hits ?? 0;
  return {
    rows: (await rows) as Q["_"]["result"],
    ...pages(Math.min(total, mostHits), query.limit),
    totalCapped: total > mostHits,
  };
}

const offsetOf = ({ page, limit }: ListQuery) => (page - 1) * limit;

/** What one statement of a list differs by from another. */
function keyOf({ table, query, counted, searched }: List, kind: string | boolean): string {
  const searchedName = is(searched, Column) ? searched.name : "";
  return `page ${getTableName(table)} ${counted.kind} ${query.sort} ${query.limit} ${searchedName} ${kind}`;
}

type Hit = { kind: string; where: SQL | undefined; isRare?: boolean; values: { pattern: string; number: string } };

/** What makes a row a hit. */
async function hitOf(db: Database, { table, query, filter, searched, uuids, code }: List): Promise<Hit> {
  const number = sql.placeholder("number");
  const values = { pattern: patternOf(query.search), number: query.search.toLowerCase() };
  if (uuids && wholeUuid.test(query.search)) {
    const where = or(...uuids.map((column) => eq(column, number)), mentions(searched, uuids, number));
    return { kind: "uuid", where, isRare: true, values };
  }
  if (code && wholeCode.test(query.search)) {
    const where = sql`${code} = ${number}`;
    if ((await countHits(db, table, where, values)) > 0) return { kind: "code", where, isRare: true, values };
  }
  const where = sql`${searched} like ${sql.placeholder("pattern")}`;
  if (hasTrigram(query.search)) return { kind: "search", where, values };
  const newest = sql`(select id from ${table} where ${filter ?? true}
    order by ${sql.join(inOrder(table, "des"), sql`, `)} limit ${sql.raw(String(searchableRows))})`;
  return { kind: "short search", where: and(sql`${table.id} in ${newest}`, where), values };
}

/** True for rows that have a UUID in their text beside those of their own, by the index of these. */
const mentions = (searched: List["searched"], own: PgColumn[], number: Placeholder) =>
  sql`uuids_in(${searched}) @> array[${number}]::uuid[] and ${mayMentionUuids(searched, own)}`;

/** Where a page begins: after so many rows, of all or of those from a day on; and whether these are few at most. */
type Place = { with?: SQL; from?: SQL; isRare?: boolean | undefined; skip: SQL | Placeholder };

/** By id: what is skipped is read from the index alone. */
function rowsOf<Q extends PgSelect>(select: Q, { table, query }: List, where: SQL | undefined, place: Place) {
  const order = inOrder(table, query.sort);
  const rows = sql`${table} where ${and(where, place.from) ?? true}`;
  // What is rare is found first and ordered then: PostgreSQL might go through all in order instead, hoping to meet it.
  const found = place.isRare ? sql`(select * from ${rows} offset 0) as ${table}` : rows;
  // The limit is a part of the text: a prepared statement's plan is made for ten rows, not for any number.
  const ids = sql`(${place.with ?? sql``} select id from ${found}
    order by ${sql.join(order, sql`, `)} offset ${place.skip} limit ${sql.raw(String(query.limit))})`;
  return select.where(sql`${table.id} in ${ids}`).orderBy(...order);
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
    from ${steps(sql`month`, sql`${monthlyCounters} where ${of(monthlyCounters, counted)}`)}
    where before <= ${offset} order by before desc, month ${backward} limit 1
  ), place as materialized (
    select ${isAscending ? sql`day_start(day)` : sql`day_start(day + 1)`} as moment,
      ${offset} - near.before - steps.before as skip
    from near, lateral ${steps(
      sql`day`,
      sql`${counters} where ${of(counters, counted)} and day >= near.month and day < near.month + interval '1 month'`,
    )}
    where near.before + steps.before <= ${offset} order by steps.before desc, day ${backward} limit 1
  )`;
  return {
    with: place,
    from: sql`${table.createdAt} ${sql.raw(isAscending ? ">=" : "<")} (select moment from place)`,
    skip: sql`(select skip from place)`,
  };
}

async function countHits(db: Database, table: Listed, where: SQL | undefined, values: Record<string, unknown>) {
  const found = db
    .select({ hit: sql`1` })
    .from(table)
    .where(where)
    .limit(mostHits + 1)
    .as("found");
  const [row] = await db.select({ hits: count() }).from(found).prepare("").execute(values);
  return row?.hits ?? 0;
}

/** Searches that had more hits than are counted, and until when that is taken for granted. */
const common = new Map<string, number>();
const mostRemembered = 1_000;
const remembered = 60_000;

/** Counts, unless there were too many to count a minute ago: whoever leafs through the hits does not wait again. */
async function countUnlessCommon(search: string, countThem: () => Promise<number>): Promise<number> {
  if ((common.get(search) ?? 0) > Date.now()) return mostHits + 1;
  common.delete(search);
  const hits = await countThem();
  if (hits <= mostHits) return hits;
  // The oldest makes room.
  for (const oldest of common.keys()) if (common.size >= mostRemembered) common.delete(oldest);
  common.set(search, Date.now() + remembered);
  return hits;
}

export function pages(total: number, limit: number) {
  return { total, totalPages: Math.max(1, Math.ceil(total / limit)) };
}

/** What rows contain in any case whose text is like this; `%` and `_` are ordinary characters. */
const patternOf = (typed: string) => `%${typed.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;

/** True for rows whose text contains what was typed. */
export const contains = (lowerCase: SQL, typed: string): SQL => sql`${lowerCase} like ${patternOf(typed)}`;

/** The index knows texts by three letters in a row, or by two at the edge of a word. */
const hasTrigram = (typed: string) =>
  /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u.test(typed);
