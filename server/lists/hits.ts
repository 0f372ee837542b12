import { and, or, type SQL } from "drizzle-orm";
import type { PgSelect } from "drizzle-orm/pg-core";
import type { Database } from "../db/database.ts";
import { type Frequency, frequencyOf } from "./frequency.ts";
import { countHits, type Found, hasMoreRows, readAll, readBatches, scan } from "./hit-queries.ts";
import type { List, ListQuery } from "./list.ts";
import { rowsById, type Selection } from "./rows.ts";
import { type CustomerLookUps, type Hits, hitsOf } from "./search.ts";

/** Up to here rows are counted if no counter has the total. Beyond it a total means "at least". */
export const mostCounted = 1_000;

/** How many rows of a list are gone through one by one. */
const scanLimits = {
  /** At most, unless the list sets its own limit. */
  most: 50_000,
  /** In a last attempt, if very many rows have the keys and no row of the sample is a hit. */
  notSampled: 20_000,
  /** At least, if going through rows is the only way to count hits. */
  toCount: 4_000,
  /** At least, if only the page's hits are wanted. */
  toFillPage: 2_000,
  /** If too little was typed for any key. */
  withoutKeys: 1_000,
};

/** At how many moments that batches tell codes are looked for, a dozen microseconds each. */
const mostMoments = 20_000;

/** How many rows may have the keys of a search, as estimated from the sample. */
const keyLimits = {
  /** To read them all without scanning first. */
  readAtOnce: 5_000,
  /** The same if they are less than a hundredth of the table. */
  readAtOnceIfRare: 20_000,
  /** To count them by their index once a scan has filled the page. */
  countByIndex: 50_000,
  /** To read them all after a scan found too few hits, if no row of the sample was one. */
  readIfNotSampled: 100_000,
  /** To read them all after a scan found too few hits. */
  readAfterScan: 2_000_000,
};

/** Estimates may be this far off: hits may be this many times further down the list, or this many times fewer. */
const margin = 4;

/** A search that shows only the newest hits, and does less than a list would to find and count them. */
type Brief = { mostCounted: number; readAtOnce: number };

/** One search in one list. */
type Search = {
  db: Database;
  selection: Selection;
  hits: Hits | undefined;
  /** What each scanned row must meet; undefined if all rows of the list do. */
  condition: SQL | undefined;
  /** How many hits come before the page. */
  offset: number;
  mostCounted: number;
  mostScanned: number;
  brief: Brief | undefined;
};

/**
 * Finds the hits of a page and counts all hits, in one of three ways:
 *
 * - **Scan**: go through the first rows of the list one by one. Finds frequent hits soon.
 * - **Read all**: let the indexes of keys and customers find every hit, then sort. Good for rare hits.
 * - **Batches**: for the beginning of many prepaid codes, go through the batches that have it.
 *
 * PostgreSQL would choose badly: it may go through a whole table for what is nowhere. So a sample of rows tells how
 * frequent keys and hits are. If few rows have the keys, all are read. Otherwise a scan goes as far as the page's hits
 * are likely to be; if it does not fill the page, all are read or, if they are too many, the scan goes further.
 *
 * There is only a scan if nothing was typed, or too little for any key. If many customers match, a scan is tried before
 * the sample is taken. For a whole code none is taken: up to a thousand hits are read at once.
 */
export async function findHits(
  db: Database,
  selection: Selection,
  hits: Hits | undefined,
  offset: number,
  { mostScanned = scanLimits.most, brief }: { mostScanned?: number | undefined; brief?: Brief } = {},
): Promise<Found> {
  const condition = and(selection.otherFilters, hits?.where);
  const counted = brief?.mostCounted ?? mostCounted;
  const search = { db, selection, hits, condition, offset, mostCounted: counted, mostScanned, brief };
  const found = (await scanBriefly(search)) ?? (await scanForManyCustomers(search));
  if (found) return found;
  if (!condition) return scanAndCount(search, counted + 1);
  if (!hits) return scanAndCount(search, mostScanned);
  if (hits.hasNoKeys) return scanAndCount(search, scanLimits.withoutKeys);
  const ofCode = await readCode(search, hits);
  if (ofCode) return ofCode;
  const frequency = await frequencyOf(db, selection.table, {
    keys: hits.keys ?? hits.where,
    hit: hits.keys && hits.where,
    isListed: and(or(...selection.indexConditions), selection.otherFilters),
  });
  return (await findInBatches(search, hits, frequency)) ?? findByFrequency(search, hits, frequency);
}

/** The sample takes longer than reading the few rows of a code; undefined if these are not few. */
async function readCode({ db, selection, offset, mostCounted }: Search, { isWholeCode, indexed }: Hits) {
  if (!isWholeCode || !indexed) return undefined;
  const found = await readAll(db, selection, indexed, offset, mostCounted);
  return found.total > mostCounted ? undefined : found;
}

/** A brief search first tries the newest rows if many customers match: some of these are likely to be hits. */
async function scanBriefly(search: Search): Promise<Found | undefined> {
  if (!search.brief || !search.hits?.hasManyCustomers) return undefined;
  const found = await scanFor(search, scanLimits.toFillPage, search.mostCounted + 1);
  return isFull(search, found) ? withIsMore(search, found, scanLimits.toFillPage) : undefined;
}

/** If only some of the many customers that match have more hits than are counted, a scan soon fills the page. */
async function scanForManyCustomers(search: Search): Promise<Found | undefined> {
  const { db, selection, hits, mostCounted, mostScanned } = search;
  if (!hits?.ofSomeCustomers || isNarrowed(selection)) return undefined;
  if ((await countHits(db, selection, [hits.ofSomeCustomers], mostCounted)) <= mostCounted) return undefined;
  const found = await scanFor(search, mostScanned, toPageEnd(search));
  return isFull(search, found) ? { ...found, total: mostCounted + 1, isMore: true } : undefined;
}

/**
 * Not with a filter of which batches know nothing, not for few codes, and not if too many codes without a batch or of
 * further batches may be hits.
 */
async function findInBatches(search: Search, hits: Hits, { rowsWithKeys }: Frequency): Promise<Found | undefined> {
  const { db, selection, offset, mostCounted, brief } = search;
  if (!hits.batched || (selection.otherFilters && !selection.otherFiltersOfBatch)) return undefined;
  if (rowsWithKeys <= (brief?.readAtOnce ?? keyLimits.readAtOnce)) return undefined;
  const limits = { offset, mostCounted, mostMoments, mostUnbatched: scanLimits.most };
  const found = await readBatches(db, selection, hits.batched, limits);
  return found.total > mostCounted || !found.isMore ? found : undefined;
}

async function findByFrequency(search: Search, hits: Hits, frequency: Frequency): Promise<Found> {
  const { db, selection, offset, mostCounted, mostScanned } = search;
  const { indexed } = hits;
  const { rowsWithKeys, rowsPerHit } = frequency;
  const page = pageEstimate(search, hits, frequency);
  const total = totalEstimate(search, hits, frequency);
  const isCountedByScan = !total.isOverLimit && !total.isCountable;

  if (indexed && isReadAtOnce(search, frequency) && !(total.isLarge && page.isNear))
    return readAll(db, selection, indexed, offset);

  const rows = Math.max(
    isCountedByScan ? scanLimits.toCount : scanLimits.toFillPage,
    page.isNear ? page.rows : 0,
    // The many hits may all be old: before an index reads them all, a longer scan is worth it.
    total.isOverLimit && !isNarrowed(selection) ? Math.min(mostScanned, Math.ceil(rowsWithKeys / 8)) : 0,
  );
  const found = await scanFor(search, rows, isCountedByScan ? mostCounted + 1 : toPageEnd(search));
  if (isFull(search, found)) {
    if (total.isOverLimit) return { ...found, total: mostCounted + 1 };
    if (total.isCountable) return { ...found, total: await countHits(db, selection, indexed ?? [], mostCounted) };
    return withIsMore(search, found, rows);
  }
  const known = await withIsMore(search, found, rows);
  if (!known.isMore) return known;

  const isNotSampled = hits.keys !== undefined && rowsPerHit === Number.POSITIVE_INFINITY;
  if (isNotSampled && rowsWithKeys > keyLimits.readIfNotSampled) return scanAndCount(search, scanLimits.notSampled);
  if (indexed && rowsWithKeys <= keyLimits.readAfterScan) return readAll(db, selection, indexed, offset);
  return scanAndCount(search, mostScanned);
}

/** In how many rows a scan is likely to fill the page; `isNear` if these are fewer than the indexes would read. */
function pageEstimate(search: Search, { indexed }: Hits, { rowsWithKeys, rowsPerHit }: Frequency) {
  const rows = Math.ceil(margin * rowsPerHit * toPageEnd(search));
  return { rows, isNear: rows <= search.mostScanned && (!indexed || rows < rowsWithKeys) };
}

/** What is known of the total before anything is counted. */
function totalEstimate({ selection, mostCounted }: Search, { indexed, keys }: Hits, frequency: Frequency) {
  /** There are surely more hits than are counted, so nobody has to count them. */
  const isOverLimit = frequency.hits > margin * mostCounted && !isOfPeriod(selection);
  /** The indexes can count the hits: each row with the keys is one, and there are not too many. */
  const isCountable =
    indexed !== undefined && !keys && frequency.rowsWithKeys <= keyLimits.countByIndex && !isNarrowed(selection);
  return {
    isOverLimit,
    isCountable,
    isLarge: isOverLimit || (isCountable && frequency.rowsWithKeys > 2 * mostCounted),
  };
}

function isReadAtOnce({ brief }: Search, { rowsWithKeys, isRare }: Frequency) {
  if (brief) return rowsWithKeys <= brief.readAtOnce;
  return rowsWithKeys <= (isRare ? keyLimits.readAtOnceIfRare : keyLimits.readAtOnce);
}

const toPageEnd = ({ offset, selection }: Search) => offset + selection.query.limit;

const isFull = ({ selection }: Search, { ids }: Found) => ids.length === selection.query.limit;

const isOfPeriod = ({ moments }: Selection) => moments.from !== undefined || moments.until !== undefined;

/** Beside a filter or a period, PostgreSQL may read everything that its index has. */
const isNarrowed = (selection: Selection) =>
  selection.indexConditions.length > 0 || selection.otherFilters !== undefined || isOfPeriod(selection);

const scanFor = ({ db, selection, condition, offset }: Search, rows: number, enough: number) =>
  scan(db, selection, condition, { rows, enough, offset });

async function scanAndCount(search: Search, rows: number): Promise<Found> {
  return withIsMore(search, await scanFor(search, rows, search.mostCounted + 1), rows);
}

/** Adds to what was found among the first `rows` whether there may be more hits, counted or further down. */
async function withIsMore(search: Search, found: Found, rows: number): Promise<Found> {
  const { db, selection, condition, mostCounted } = search;
  const isMore = found.total > mostCounted || (condition !== undefined && (await hasMoreRows(db, selection, rows)));
  return { ...found, isMore };
}

/** The newest hits of a search, and how many there are, counted up to `mostCounted`. */
export async function newestHits<S extends PgSelect>(
  db: Database,
  list: Pick<List<object, S>, "name" | "table" | "searched" | "select">,
  search: string,
  { limit, lookUps, mostScanned, ...brief }: { limit: number; lookUps: CustomerLookUps; mostScanned: number } & Brief,
): Promise<{ rows: S["_"]["result"]; total: number; totalCapped: boolean }> {
  const { table } = list;
  const query: ListQuery = { page: 1, limit, sort: "des", search };
  const all = { indexConditions: [], otherFilters: undefined, counted: undefined, moments: {} };
  const selection = { ...all, indexColumn: undefined, indexValue: undefined, table, query };
  const hits = await hitsOf(db, table, list.searched, search, lookUps);
  const { ids, total, isMore = false } = await findHits(db, selection, hits, 0, { mostScanned, brief });
  return {
    rows: ids.length > 0 ? await rowsById(db, list, query.sort, ids) : [],
    total: Math.min(total, brief.mostCounted),
    totalCapped: isMore || total > brief.mostCounted,
  };
}
