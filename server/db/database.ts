import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type * as schema from "./schema.ts";

/** What both drivers return from `execute`. */
type Rows<Row> = { rows: Row[] };
interface RowsHKT extends PgQueryResultHKT {
  type: Rows<this["row"]>;
}

/** The one database type there is; which engine stands behind it is nobody's concern. */
export type Database = PgDatabase<RowsHKT, typeof schema>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
