import { getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database } from "../db/database.ts";

/** So many pages of a table tell. */
const pagesLookedAt = 60;

/**
 * In about how many rows of a table a condition holds, and whether that is less than one in a hundred, by the rows on
 * some of its pages, the same each time. What PostgreSQL thinks of the beginnings of keys is far off.
 */
export async function frequencyOf(
  db: Database,
  table: PgTable,
  condition: SQL,
): Promise<{ keyed: number; isRare: boolean }> {
  const { rows } = await db.execute<{ keyed: number; isRare: boolean }>(sql`
    with size as materialized (
      select pages, least(pages, ${sql.raw(String(pagesLookedAt))}) as looked from (
        select pg_relation_size(${getTableName(table)}::regclass) / current_setting('block_size')::int as pages) as whole
    )
    select coalesce(sum(keyed) * max(pages) / max(looked), 0)::float8 as keyed, sum(keyed) * 100 < sum(rows) as "isRare"
    from size, generate_series(0, looked - 1) as place, lateral (
      select count(*) as rows, count(*) filter (where ${condition}) as keyed from ${table}
      where ctid >= format('(%s,0)', place * pages / looked)::tid
        and ctid < format('(%s,0)', place * pages / looked + 1)::tid) as page`);
  return rows[0] ?? { keyed: 0, isRare: true };
}
