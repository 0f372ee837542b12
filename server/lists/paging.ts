import { and, asc, desc, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgSelect } from "drizzle-orm/pg-core";
import type { Database } from "../db/database.ts";
import { exactly, isOneUnforeseen, prepared, unforeseen } from "../db/prepared.ts";
import { counters, monthlyCounters } from "../db/schema.ts";
import { type Counted, countedBefore, countedValues, countIn, countOf, daysOf, isCounterOf } from "./counters.ts";
import { frequencyOf } from "./frequency.ts";
import {
  allOf,
  filtersOf,
  inOrder,
  type List,
  type Listed,
  type ListQuery,
  type Moments,
  momentsOf,
  type Narrowed,
  within,
} from "./list.ts";
import { type Hits, hitsOf, type LookedUp } from "./search.ts";

/** Rows up to here are skipped one by one; beyond, the counters say on which day a page begins. */
const skippable = 1_000;
/** Beyond this many rows nobody counts on where no counter tells. */
const mostHits = 1_000;
/**
 * How many rows are looked through one by one: at most; where very many have the keys of what was seen nowhere; to count
 * hits where no index can; for a page; where there is no key.
 */
const rowByRow = { most: 50_000, unseen: 20_000, counted: 4_000, first: 2_000, short: 1_000 };
/** Hits may come later in the list than they would if they were spread evenly. */
const margin = 4;
/**
 * In how many rows an index may find the keys of a search: so few that all are read, or if these are less than a
 * hundredth; so many that they are no longer counted; or no longer read even if too few hits are among the first rows,
 * where no hit was seen and where some were.
 */
const indexed = { few: 5_000, read: 20_000, counted: 50_000, unseen: 100_000, most: 2_000_000 };

/**
 * So many that few lists have them. Of a number PostgreSQL may think that it comes to all rows, and sort them; what it
 * cannot foresee, it takes from the beginning of the index.
 */
const upTo = (amount: number) => sql`(select ${exactly(amount)})`;

/** Where less is to do than usual: how many hits are counted, and how many are read where they are all there are. */
type Less = { mostHits?: number; few?: number };

/** A list as one query has it. */
type View = Narrowed & Less & { table: Listed; query: ListQuery; rowByRow?: number | undefined };

/** One page of a list and what the whole list counts, at the same cost for any page of any number of rows. */
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
  const known = { ...filtersOf(list, query), table: list.table, query, rowByRow: list.rowByRow };
  const toFillIn = { ...known, moments: momentsToFillIn(query) };
  if (query.search === "" && known.counted) return pageOfCounted(db, list, toFillIn, known.counted);
  if (query.search === "" && !known.rest && known.value && offsetOf(query) < mostHits)
    return pageOfOne(db, list, toFillIn);
  const view = { ...known, moments: await momentsOf(db, query) };
  const hits = query.search === "" ? undefined : await hitsOf(db, list.table, list.searched, query.search);
  const offset = offsetOf(query);
  const isBeyond = offset >= mostHits;
  const { ids, total, isMore } = await findHits(db, view, hits, isBeyond ? 0 : offset);
  return {
    rows: isBeyond || ids.length === 0 ? [] : await rowsById(db, list, query.sort, ids),
    ...pages(Math.min(total, mostHits), query.limit),
    totalCapped: isMore || total > mostHits,
  };
}

async function pageOfCounted<S extends PgSelect>(
  db: Database,
  list: Pick<List<object, S>, "select" | "isLong">,
  view: View,
  counted: Counted,
) {
  const { query, value } = view;
  const isFar = offsetOf(query) > skippable;
  const ofValue = withValueToFillIn(view);
  const { rows, total = await countOf(db, counted, query) } = await pageWithTotal(db, list, ofValue, {
    key: [counted.subject, counted.kinds, isFar].join(),
    place: () => (isFar ? placeOf(ofValue, counted) : skipping),
    total: () => countIn(query),
    values: { value: [value], ...countedValues(counted, query) },
  });
  return { rows, ...pages(total, query.limit) };
}

/** The rows in which a column has one value, such as those of a customer. */
async function pageOfOne<S extends PgSelect>(
  db: Database,
  list: Pick<List<object, S>, "name" | "select" | "isLong">,
  view: View,
) {
  const { query, table, column } = view as View & { column: PgColumn };
  const ofOne = withValueToFillIn(view);
  const count = async () => (await findHits(db, { ...view, moments: await momentsOf(db, query) }, undefined, 0)).total;
  const { rows, total = await count() } = await pageWithTotal(db, list, ofOne, {
    key: `${list.name} by ${column.name}`,
    place: () => skipping,
    total: () => sql<number>`(
      select count(*)::int from (select from ${table} where ${and(...ofOne.lead, within(table, ofOne.moments))} limit ${exactly(mostHits + 1)}) as rows)`,
    values: { value: [view.value], ...daysOf(query) },
  });
  return { rows, ...pages(Math.min(total, mostHits), query.limit), totalCapped: total > mostHits };
}

const withValueToFillIn = (view: View): View =>
  view.column && view.value !== undefined
    ? { ...view, lead: [isOneUnforeseen(view.column, sql.placeholder("value"))] }
    : view;

/** Found by the statement itself, each once, before its rows are; `daysOf` fills them in. */
const momentsToFillIn = ({ from, to }: ListQuery): Moments => ({
  from: from && sql`(select day_start(${sql.placeholder("firstDay")}::date))`,
  until: to && sql`(select day_start(${sql.placeholder("lastDay")}::date + 1))`,
});

const skipping: Place = { skip: unforeseen("offset", "bigint"), reach: unforeseen("offset", "bigint") };

/** Both with one statement, which is built once for all that share a key; no total where there are no rows. */
async function pageWithTotal<S extends PgSelect>(
  db: Database,
  { select, isLong }: Pick<List<object, S>, "select" | "isLong">,
  view: View,
  parts: { key: string; place: () => Place; total: () => SQL<number>; values: object },
): Promise<{ rows: S["_"]["result"]; total?: number }> {
  const { table, query } = view;
  const build = () => {
    // Read once, before the rows are: `in (…)` may be planned to be read again for each of them.
    const ids = sql`${table.id} = any(array(${idsOf(view, parts.place())}))`;
    return withTotal(select(db), parts.total())
      .where(ids)
      .orderBy(...inOrder(table, query.sort))
      .prepare("");
  };
  const key = ["page", parts.key, query.sort, query.limit, !query.from, !query.to].join();
  const page = prepared(db, key, build, isLong && "long");
  const rows = (await page.execute({ offset: offsetOf(query), ...parts.values })) as Totalled[];
  const [first] = rows;
  return { rows: rows as S["_"]["result"], ...(first && { total: first[totalOfList] }) };
}

const totalOfList = "total of the list";
type Totalled = { [totalOfList]: number };

/** The same with what the list comes to beside each row: a statement of its own would cost as much as the page. */
function withTotal<S extends PgSelect>(rows: S, total: SQL<number>): S {
  const { config } = rows as unknown as { config: { fields: object } };
  config.fields = { ...config.fields, [totalOfList]: total };
  return rows;
}

/** The newest hits of a search and how many there are, counted up to a number. */
export async function newestHits<S extends PgSelect>(
  db: Database,
  list: Pick<List<object, S>, "name" | "table" | "searched" | "select">,
  search: string,
  { limit, lookedUp, ...most }: { limit: number; lookedUp: LookedUp; rowByRow: number } & Required<Less>,
): Promise<{ rows: S["_"]["result"]; total: number; totalCapped: boolean }> {
  const { table } = list;
  const query: ListQuery = { page: 1, limit, sort: "des", search };
  const nothing = { lead: [], column: undefined, value: undefined, rest: undefined, moments: {}, counted: undefined };
  const hits = await hitsOf(db, table, list.searched, search, lookedUp);
  const { ids, total, isMore = false } = await findHits(db, { ...nothing, table, query, ...most }, hits, 0);
  return {
    rows: ids.length > 0 ? await rowsById(db, list, query.sort, ids) : [],
    total: Math.min(total, most.mostHits),
    totalCapped: isMore || total > most.mostHits,
  };
}

type Found = { ids: string[]; total: number; isMore?: boolean };

/**
 * What is rare is found by the indexes of a search, what is frequent is met soon among the first rows of the list. Left
 * the choice, PostgreSQL may go through all rows for what is nowhere.
 */
async function findHits(db: Database, view: View, hits: Hits | undefined, offset: number): Promise<Found> {
  const { limit } = view.query;
  const counted = view.mostHits ?? mostHits;
  const where = and(view.rest, hits?.where);
  const most = !where ? counted + 1 : hits?.isShort ? rowByRow.short : (view.rowByRow ?? rowByRow.most);
  const among = async (rows: number) => {
    const found = await walk(db, view, where, offset, rows, counted + 1);
    return { ...found, rows, isMore: found.total > counted };
  };
  const withMore = async ({ rows, ...found }: Awaited<ReturnType<typeof among>>): Promise<Found> =>
    found.isMore || !where ? found : { ...found, isMore: await isLonger(db, view, rows) };
  if (view.few && hits?.isFrequent) {
    const soon = await among(rowByRow.first);
    if (soon.ids.length === limit) return withMore(soon);
  }
  if (hits?.some && !isNarrowed(view) && (await countUp(db, view, [hits.some])) > counted) {
    // How many there are is known, and where so many are, those of a page are met soon.
    const found = await walk(db, view, where, offset, most, offset + limit);
    if (found.ids.length === limit) return { ...found, total: counted + 1, isMore: true };
  }
  if (!hits || hits.isShort) return withMore(await among(most));

  const { keyed, isRare, rowsPerHit, ...about } = await frequencyOf(db, view.table, {
    keys: hits.keys ?? hits.where,
    hit: hits.keys && hits.where,
    isListed: and(or(...view.lead), view.rest),
  });
  /** Among so many rows the hits of the page are likely to be. */
  const likely = Math.ceil(margin * rowsPerHit * (offset + limit));
  const isNear = likely <= most && (!hits.indexed || likely < keyed);
  const isMany = about.hits > margin * counted && !isOfPeriod(view);
  const isCountable = hits.indexed && !hits.keys && keyed <= indexed.counted && !isNarrowed(view);
  const isFew = keyed <= (view.few ?? indexed.few) || (!view.few && isRare && keyed <= indexed.read);
  const isEnough = isMany || (isCountable && keyed > 2 * counted);
  if (hits.indexed && isFew && !(isEnough && isNear)) return lookUp(db, view, hits.indexed, offset);
  const rows = Math.max(
    isMany || isCountable ? rowByRow.first : rowByRow.counted,
    isNear ? likely : 0,
    // Where hits are many but not among the newest: before the index reads all of them.
    isMany && !isNarrowed(view) ? Math.min(most, Math.ceil(keyed / 8)) : 0,
  );
  const found = await walk(db, view, where, offset, rows, isMany || isCountable ? offset + limit : counted + 1);
  const isFull = found.ids.length === limit;
  if (isFull && isMany) return { ...found, total: counted + 1 };
  if (isFull && isCountable) return { ...found, total: await countUp(db, view, hits.indexed ?? []) };
  const known = await withMore({ ...found, rows, isMore: found.total > counted });
  if (isFull || !known.isMore) return known;
  // Its keys are in many rows, and what was typed is in none that was looked at.
  const isNowhere = hits.keys !== undefined && rowsPerHit === Number.POSITIVE_INFINITY;
  if (isNowhere && keyed > indexed.unseen) return withMore(await among(rowByRow.unseen));
  return hits.indexed && keyed <= indexed.most ? lookUp(db, view, hits.indexed, offset) : withMore(await among(most));
}

const isOfPeriod = ({ moments }: View) => moments.from !== undefined || moments.until !== undefined;

/** Beside a filter or a period PostgreSQL reads what the index of these has, however much. */
const isNarrowed = (view: View) => view.lead.length > 0 || view.rest !== undefined || isOfPeriod(view);

/** The hits of a page and how many there are, until these are enough, among so many rows from the beginning of the list. */
async function walk(
  db: Database,
  view: View,
  where: SQL | undefined,
  offset: number,
  amount: number,
  enough: number,
): Promise<Found> {
  const { table, query } = view;
  const { rows } = await db.execute<{ ids: string[]; total: number }>(sql`
    with ${table} as materialized (
      select id, created_at from ${firstRows(view, amount)} where ${where ?? true}
      ${orderOf(merged(view))} limit ${exactly(enough)})
    select array(select id from ${table} ${orderOf({ table, query, column: undefined })} offset ${offset} limit ${exactly(query.limit)}) as ids,
      (select count(*)::int from ${table}) as total`);
  return rows[0] ?? { ids: [], total: 0 };
}

async function lookUp(db: Database, view: View, parts: SQL[], offset: number): Promise<Found> {
  const { table, query } = view;
  const { rows } = await db.execute<{ id: string | null; total: number }>(sql`
    with ${table} as materialized (${foundBy(view, parts)})
    select page.id, counted.total from (select count(*)::int as total from ${table}) as counted
    left join (select id from ${table} ${orderOf({ table, query, column: undefined })} offset ${offset} limit ${exactly(query.limit)}) as page on true`);
  return { ids: rows.flatMap(({ id }) => id ?? []), total: rows[0]?.total ?? 0 };
}

/** How many there are, one more than are counted at most. The customers' are tried first: their index alone tells. */
async function countUp(db: Database, view: View, [own, ...theirs]: SQL[]): Promise<number> {
  const most = view.mostHits ?? mostHits;
  const counted = (parts: (SQL | undefined)[]) =>
    sql`(select count(*)::int from (${foundBy(view, parts, sql`limit ${exactly(most + 1)}`)}) as hits)`;
  const first = theirs.length > 0 ? counted(theirs) : sql`0`;
  const { rows } = await db.execute<{ total: number }>(sql`
    select case when ${first} > ${exactly(most)} then ${exactly(most + 1)} else ${counted([own, ...theirs])} end as total`);
  return Math.min(rows[0]?.total ?? 0, most + 1);
}

/** Each by its own index: of several conditions at once PostgreSQL thinks that going through all rows is quicker. */
function foundBy(view: View, parts: (SQL | undefined)[], limit = sql``): SQL {
  const { table } = view;
  const each = parts.map(
    (part) => sql`(select id, created_at from ${table} where ${and(allOf(table, view), part)} ${limit})`,
  );
  return sql.join(each, sql` union `);
}

/** So many rows of those that the lead leads to, from the beginning of the list. */
function firstRows(view: View, amount: number) {
  const { table, lead, moments } = view;
  const first = (source: SQL, order: SQL) => sql`(select * from ${source} ${order} limit ${upTo(amount)})`;
  const parts = leadsOf(lead).map((where) =>
    first(sql`${table} where ${and(where, within(table, moments)) ?? true}`, orderOf(view)),
  );
  const rows =
    parts.length > 1 ? first(sql`(${sql.join(parts, sql` union all `)}) as ${table}`, orderOf(merged(view))) : parts[0];
  return sql`${rows} as ${table}`;
}

const leadsOf = (lead: SQL[]) => (lead.length > 0 ? lead : [undefined]);

/** Rows of several indexes are put in order by time alone. */
const merged = (view: View): View => (view.lead.length > 1 ? { ...view, column: undefined } : view);

async function isLonger(db: Database, { counted, query, ...view }: View, than: number): Promise<boolean> {
  if (counted) return (await countOf(db, counted, query)) > than;
  const further = idsOf({ ...view, query: { ...query, limit: 1 } }, { skip: upTo(than), reach: upTo(than) });
  const { rows } = await db.execute<{ found: boolean }>(sql`select exists (${further}) as found`);
  return rows[0]?.found ?? false;
}

/** By the columns of the index that leads to the rows. */
function orderOf({ table, query, column }: Pick<View, "table" | "query" | "column">): SQL {
  const first = column ? [query.sort === "asc" ? asc(column) : desc(column)] : [];
  return sql`order by ${sql.join([...first, ...inOrder(table, query.sort)], sql`, `)}`;
}

/** Rows that were found, in their order. In a second step: joined to them, a limited query may run again for each. */
async function rowsById<S extends PgSelect>(
  db: Database,
  { name, table, select }: Pick<List<object, S>, "name" | "table" | "select">,
  sort: ListQuery["sort"],
  ids: string[],
) {
  const query = prepared(db, `rows of ${name} ${sort}`, () =>
    select(db)
      .where(isOneUnforeseen(table.id, sql.placeholder("ids")))
      .orderBy(...inOrder(table, sort))
      .prepare(""),
  );
  return (await query.execute({ ids })) as S["_"]["result"];
}

const offsetOf = ({ page, limit }: ListQuery) => (page - 1) * limit;

/** Where a page begins: after so many rows, of all or of those from a day on. `reach`: no more are ever skipped. */
type Place = { with?: SQL; from?: SQL; skip: SQL; reach: SQL };

/** The ids of a page's rows; what is skipped is read from the index alone. */
function idsOf(view: Omit<View, "counted" | "rest">, place: Place): SQL {
  const { table, query, lead, moments } = view;
  const parts = leadsOf(lead).map(
    (where) => sql`from ${table} where ${and(where, within(table, moments), place.from) ?? true} ${orderOf(view)}`,
  );
  const each = parts.map((part) => sql`(select id, created_at ${part} limit ${place.reach} + ${exactly(query.limit)})`);
  const rows =
    parts.length > 1
      ? sql`from (${sql.join(each, sql` union all `)}) as ${table} ${orderOf({ ...view, column: undefined })}`
      : parts[0];
  return sql`${place.with ?? sql``} select id ${rows} offset ${place.skip} limit ${exactly(query.limit)}`;
}

/**
 * The day on which the row at an offset stands, and how many rows of that day come before it; of one moment. First
 * the month, then the day within it: that is some dozens of counters, however old the business. Within the day the row
 * is looked for from the nearer end.
 */
function placeOf(view: View, counted: Counted): Place {
  const { table, query } = view;
  const isAscending = query.sort === "asc";
  const [forward, backward] = isAscending ? [sql`asc`, sql`desc`] : [sql`desc`, sql`asc`];
  /** How many rows stand before each step in time. */
  const steps = (step: SQL, source: SQL) => sql`(
    select ${step}, sum(sum(count)) over (order by ${step} ${forward}) - sum(count) as before, sum(count) as count
    from ${source} group by ${step}) as steps`;
  const place = sql`with start as materialized (
    select ${sql.placeholder("offset")}::bigint + ${outside(query, counted)} as offset
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
  const [lead, ...furtherLeads] = leadsOf(view.lead);
  if (furtherLeads.length > 0) return { with: place, from: isAscending ? since : until, skip, reach: skip };
  const row = (sort: ListQuery["sort"], where: SQL, skip: SQL) => sql`(
    select created_at, id from ${table}
    where ${and(lead, within(table, view.moments), sort === "asc" ? since : until, where)}
    ${orderOf({ ...view, query: { ...query, sort } })} offset ${skip} limit 1)`;
  const first = sql`first as materialized (
    ${row(query.sort, sql`(select skip <= rest from place)`, skip)} union all
    ${row(isAscending ? "des" : "asc", sql`(select skip > rest and rest > 0 from place)`, sql`(select greatest(rest - 1, 0) from place)`)})`;
  const direction = sql.raw(isAscending ? ">=" : "<=");
  return {
    with: sql`${place}, ${first}`,
    from: sql`(${table.createdAt}, ${table.id}) ${direction} ((select created_at from first), (select id from first))`,
    skip: sql`0`,
    reach: sql`0`,
  };
}

/** How many rows the whole list has before the period begins, in the order of the list. */
function outside({ sort, from, to }: ListQuery, counted: Counted): SQL {
  const before = (day: SQL) => countedBefore(day, (source) => isCounterOf(source, counted));
  if (sort === "asc") return from ? before(sql`${sql.placeholder("firstDay")}::date`) : sql`0`;
  return to
    ? sql`(${before(sql`'infinity'::date`)} - ${before(sql`(${sql.placeholder("lastDay")}::date + 1)`)})`
    : sql`0`;
}

export function pages(total: number, limit: number) {
  return { total, totalPages: Math.max(1, Math.ceil(total / limit)) };
}
