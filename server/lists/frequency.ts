import { and, getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database } from "../db/database.ts";
import { literal } from "../db/prepared.ts";

/** How many pages of a table are sampled, and rows of each; with hits on fewer pages, their number is a guess. */
const sample = { pages: 60, rows: 24, pagesWithHits: 10 };

export type Frequency = {
  /** About how many rows of the table have the keys. */
  rowsWithKeys: number;
  /** Less than one row in a hundred has the keys. */
  isRare: boolean;
  /** About how many rows of the list are hits; 0 if that would be a guess. */
  hits: number;
  /** One row of the list in so many is a hit; Infinity if the sample has none. */
  rowsPerHit: number;
};

/** `hit` and `isListed` are left out if all rows with the keys are hits, and all rows of the table are in the list. */
type Conditions = { keys: SQL; hit?: SQL | undefined; isListed?: SQL | undefined };

/**
 * Estimates how frequent keys and hits are, from rows on some of the table's pages, the same pages each time.
 * PostgreSQL's own estimates for beginnings of keys are far off.
 */
export async function frequencyOf(
  db: Database,
  table: PgTable,
  { keys, hit, isListed }: Conditions,
): Promise<Frequency> {
  const amount = (condition: SQL | undefined) => sql`count(*) filter (where ${condition ?? true})`;
  const areHitsFewer = hit !== undefined || isListed !== undefined;
  const hits = areHitsFewer ? sql`hits` : sql`keyed`;
  const { rows } = await db.execute<Record<"keyed" | "hits" | "rows" | "listed" | "pages" | "scale", number>>(sql`
    with size as materialized (
      select pages, least(pages, ${literal(sample.pages)}) as looked, case when reltuples > 0 and relpages > 0 then reltuples / relpages end as dense
      from pg_class, lateral (select pg_relation_size(oid) / current_setting('block_size')::int as pages) as whole
      where oid = ${getTableName(table)}::regclass
    )
    select sum(keyed)::float8 as keyed, sum(${hits})::float8 as hits, sum(rows)::float8 as rows, sum(listed)::float8 as listed,
      count(nullif(${hits}, 0))::float8 as pages,
      max(pages) * coalesce(max(dense) / greatest(sum(rows), 1), 1.0 / max(looked))::float8 as scale
    from size, generate_series(0, looked - 1) as place, lateral (
      select count(*) as rows, ${amount(keys)} as keyed, ${amount(isListed)} as listed
        ${areHitsFewer ? sql`, ${amount(and(isListed, hit ?? keys))} as hits` : sql``}
      from ${table}
      where ctid >= format('(%s,0)', place * pages / looked)::tid
        and ctid < format(case when dense is null then '(%s,65535)' else ${`(%s,${sample.rows + 1})`} end, place * pages / looked)::tid) as page
    having count(*) > 0`);
  const [found] = rows;
  if (!found) return { rowsWithKeys: 0, isRare: true, hits: 0, rowsPerHit: Number.POSITIVE_INFINITY };
  return {
    rowsWithKeys: found.keyed * found.scale,
    isRare: found.keyed * 100 < found.rows,
    hits: found.pages < sample.pagesWithHits ? 0 : found.hits * found.scale,
    rowsPerHit: found.hits === 0 ? Number.POSITIVE_INFINITY : found.listed / found.hits,
  };
}
