import { and, getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database } from "../db/database.ts";
import { exactly } from "../db/prepared.ts";

/** So many pages of a table tell, and so many rows of each; with hits on fewer pages, how many there are is a guess. */
const looked = { pages: 60, rows: 24, pagesWithHits: 10 };

type Frequency = {
  /** In about how many rows of the table the keys are, and whether that is less than one in a hundred. */
  keyed: number;
  isRare: boolean;
  /** About how many rows of the list are hits; 0 where that would be a guess. */
  hits: number;
  /** One row of the list in so many is a hit; Infinity where none was seen. */
  rowsPerHit: number;
};

/** The keys that are looked for; what makes a row a hit and one of the list, where it is not these alone. */
type Sought = { keys: SQL; hit?: SQL | undefined; isListed?: SQL | undefined };

/**
 * How frequent keys and hits are, by the rows on some of a table's pages, the same each time. What PostgreSQL thinks of
 * the beginnings of keys is far off.
 */
export async function frequencyOf(db: Database, table: PgTable, { keys, hit, isListed }: Sought): Promise<Frequency> {
  const amount = (condition: SQL | undefined) => sql`count(*) filter (where ${condition ?? true})`;
  const isMore = hit !== undefined || isListed !== undefined;
  const hits = isMore ? sql`hits` : sql`keyed`;
  const { rows } = await db.execute<Record<"keyed" | "hits" | "rows" | "listed" | "pages" | "scale", number>>(sql`
    with size as materialized (
      select pages, least(pages, ${exactly(looked.pages)}) as looked, case when reltuples > 0 and relpages > 0 then reltuples / relpages end as dense
      from pg_class, lateral (select pg_relation_size(oid) / current_setting('block_size')::int as pages) as whole
      where oid = ${getTableName(table)}::regclass
    )
    select sum(keyed)::float8 as keyed, sum(${hits})::float8 as hits, sum(rows)::float8 as rows, sum(listed)::float8 as listed,
      count(nullif(${hits}, 0))::float8 as pages,
      max(pages) * coalesce(max(dense) / greatest(sum(rows), 1), 1.0 / max(looked))::float8 as scale
    from size, generate_series(0, looked - 1) as place, lateral (
      select count(*) as rows, ${amount(keys)} as keyed, ${amount(isListed)} as listed
        ${isMore ? sql`, ${amount(and(isListed, hit ?? keys))} as hits` : sql``}
      from ${table}
      where ctid >= format('(%s,0)', place * pages / looked)::tid
        and ctid < format(case when dense is null then '(%s,65535)' else ${`(%s,${looked.rows + 1})`} end, place * pages / looked)::tid) as page
    having count(*) > 0`);
  const [found] = rows;
  if (!found) return { keyed: 0, isRare: true, hits: 0, rowsPerHit: Number.POSITIVE_INFINITY };
  return {
    keyed: found.keyed * found.scale,
    isRare: found.keyed * 100 < found.rows,
    hits: found.pages < looked.pagesWithHits ? 0 : found.hits * found.scale,
    rowsPerHit: found.hits === 0 ? Number.POSITIVE_INFINITY : found.listed / found.hits,
  };
}
