import { getTableColumns, getTableName, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "../db/database.ts";

/** One statement, whatever the number of rows and columns. All rows name the columns that the first one does. */
export async function insertRows(db: Database | Transaction, table: PgTable, rows: readonly object[]): Promise<void> {
  const columns = Object.entries(getTableColumns(table)).filter(([key]) => key in (rows[0] ?? {}));
  const names = columns.map(([key]) => `"${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`);
  const keys = columns.map(([key]) => `"${key}"`);
  const types = columns.map(([key, column]) => `"${key}" ${column.getSQLType()}`);
  await db.execute(sql`
    insert into ${sql.identifier(getTableName(table))} (${sql.raw(names.join(", "))})
    select ${sql.raw(keys.join(", "))} from json_to_recordset(${JSON.stringify(rows)}::json)
      as made (${sql.raw(types.join(", "))})`);
}
