import { and, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { literal } from "../db/prepared.ts";
import { countOf } from "./counters.ts";
import { conditionOf, within } from "./list.ts";
import { eachOf, firstRows, hiddenLimit, idsOf, merged, orderOf, type Selection } from "./rows.ts";
import type { Batched } from "./search.ts";

// The statements that a search for hits is made of; hits.ts decides which of them are asked.

/** The ids of a page and how many hits there are; `isMore`: there may be more than that. */
export type Found = { ids: string[]; total: number; isMore?: boolean };

/** Goes through the first `rows` of the list one by one, until there are `enough` hits. */
export async function scan(
  db: Database,
  selection: Selection,
  condition: SQL | undefined,
  { rows: amount, enough, offset }: { rows: number; enough: number; offset: number },
): Promise<Found> {
  const { table, query } = selection;
  const { rows } = await db.execute<{ ids: string[]; total: number }>(sql`
    with ${table} as materialized (
      select id, created_at from ${firstRows(selection, amount)} where ${condition ?? true}
      ${orderOf(merged(selection))} limit ${literal(enough)})
    select array(select id from ${table} ${orderOf({ table, query, indexColumn: undefined })} offset ${offset} limit ${literal(query.limit)}) as ids,
      (select count(*)::int from ${table}) as total`);
  return rows[0] ?? { ids: [], total: 0 };
}

/**
 * Reads all hits from the indexes of their conditions, and puts them in order. If there are more than `most`, only some
 * are read.
 */
export const readAll = (
  db: Database,
  selection: Selection,
  indexed: SQL[],
  offset: number,
  most?: number,
): Promise<Found> => pageAndTotal(db, selection, unionOf(selection, indexed, most), offset);

async function pageAndTotal(db: Database, selection: Selection, found: SQL, offset: number): Promise<Found> {
  const { table, query } = selection;
  const { rows } = await db.execute<{ id: string | null; total: number }>(sql`
    with ${table} as materialized (${found})
    select page.id, counted.total from (select count(*)::int as total from ${table}) as counted
    left join (select id from ${table} ${orderOf({ table, query, indexColumn: undefined })} offset ${offset} limit ${literal(query.limit)}) as page on true`);
  return { ids: rows.flatMap(({ id }) => id ?? []), total: rows[0]?.total ?? 0 };
}

type BatchLimits = Record<"offset" | "mostCounted" | "mostMoments" | "mostUnbatched", number>;

/**
 * Finds prepaid codes through their batches (decision 74). All codes of a batch have its `created_at`, so the batches
 * with matching codes are gone through in the order of the list, until there are enough hits, or `mostMoments` have been
 * looked at. Added to these are codes without a batch, gone through one by one up to `mostUnbatched`, and codes that end
 * as was typed, which are few.
 */
export async function readBatches(
  db: Database,
  selection: Selection,
  batched: Batched,
  { offset, mostCounted, mostMoments, mostUnbatched }: BatchLimits,
): Promise<Found> {
  const { table, moments, query, otherFilters, otherFiltersOfBatch } = selection;
  const { batches, isMatching, beginsAsTyped, hasNoBatch, endsAsTyped } = batched;
  const direction = sql.raw(query.sort === "asc" ? "asc" : "desc");
  const limit = sql`limit ${literal(mostCounted + 1)}`;
  const narrowedBy = (some: SQL) => eachOf(selection.indexConditions).map((each) => and(each, some) as SQL);
  // Each code is compared: by the index of beginnings, PostgreSQL would read all codes that begin so.
  const beginningAsTyped = (among: SQL[], order: SQL) => {
    const each = among.map(
      (condition) =>
        sql`(select id, created_at from ${firstRows({ ...selection, indexConditions: [condition] }, mostUnbatched)} where ${and(beginsAsTyped, otherFilters)} ${order} ${limit})`,
    );
    return sql.join(each, sql` union all `);
  };
  const ofBatch = beginningAsTyped(
    narrowedBy(sql`${table.createdAt} = batch.created_at`),
    orderOf(selection, { ofOneMoment: true }),
  );
  const unbatched = narrowedBy(hasNoBatch);
  const registered = sql`
    select distinct created_at from ${batches} where ${and(isMatching, otherFiltersOfBatch, within(batches, moments))} order by created_at ${direction}`;
  const found = sql`
    (select found.id, found.created_at
      from (${registered} limit ${hiddenLimit(mostMoments)}) as batch, lateral (${ofBatch}) as found
      order by batch.created_at ${direction}, found.id ${direction} ${limit})
    union (${beginningAsTyped(unbatched, orderOf(selection))})
    union (select id, created_at from (select * from ${table} where ${endsAsTyped} offset 0) as ${table} where ${conditionOf(table, selection) ?? true})`;
  const { ids, total } = await pageAndTotal(db, selection, found, offset);
  const isMore =
    total > mostCounted ||
    (await hasMoreRows(db, { ...selection, counted: undefined, indexConditions: unbatched }, mostUnbatched)) ||
    (await exists(db, sql`${registered} offset ${hiddenLimit(mostMoments)}`));
  return { ids, total: Math.min(total, mostCounted + 1), isMore };
}

/** Counts hits by the indexes of their conditions, and stops one beyond `mostCounted`. */
export async function countHits(
  db: Database,
  selection: Selection,
  [own, ...ofCustomers]: SQL[],
  mostCounted: number,
): Promise<number> {
  const counted = (conditions: (SQL | undefined)[]) =>
    sql`(select count(*)::int from (${unionOf(selection, conditions, mostCounted)}) as hits)`;
  // The customers' rows come first: if they are enough, counting them takes only their index.
  const first = ofCustomers.length > 0 ? counted(ofCustomers) : sql`0`;
  const { rows } = await db.execute<{ total: number }>(sql`
    select case when ${first} > ${literal(mostCounted)} then ${literal(mostCounted + 1)} else ${counted([own, ...ofCustomers])} end as total`);
  return Math.min(rows[0]?.total ?? 0, mostCounted + 1);
}

/**
 * One select per condition: for several conditions joined by OR, PostgreSQL prefers to go through all rows. Each ends
 * one beyond `most`.
 */
function unionOf(selection: Selection, conditions: (SQL | undefined)[], most?: number): SQL {
  const { table } = selection;
  const limit = most === undefined ? sql`` : sql`limit ${literal(most + 1)}`;
  const each = conditions.map(
    (condition) =>
      sql`(select id, created_at from ${table} where ${and(conditionOf(table, selection), condition)} ${limit})`,
  );
  return sql.join(each, sql` union `);
}

/** Whether the list has more than so many rows, hits or not. */
export async function hasMoreRows(
  db: Database,
  { counted, query, ...selection }: Selection,
  than: number,
): Promise<boolean> {
  if (counted) return (await countOf(db, counted, query)) > than;
  const start = { skip: hiddenLimit(than), mostSkipped: hiddenLimit(than) };
  return exists(db, idsOf({ ...selection, query: { ...query, limit: 1 } }, start));
}

async function exists(db: Database, rowsOf: SQL): Promise<boolean> {
  const { rows } = await db.execute<{ found: boolean }>(sql`select exists (${rowsOf}) as found`);
  return rows[0]?.found ?? false;
}
