import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "./database.ts";

/** An INSERT for some columns of a table: the text before and after its rows. */
type Insert = { before: SQL; after: SQL };
const known = new WeakMap<PgTable, Map<string, Insert>>();

/**
 * An INSERT with one parameter, the rows as JSON, so that it is built and prepared once for any number of rows. All
 * rows must have the keys of the first. `workedOut` has SQL for columns that the database computes for each row.
 */
export function insertion(table: PgTable, rows: readonly object[], workedOut: Record<string, string> = {}): SQL {
  const named = Object.keys(rows[0] ?? {});
  const key = [...named, ...Object.values(workedOut)].join(" ");
  const ofTable = known.get(table) ?? new Map<string, Insert>();
  known.set(table, ofTable);
  const insert = ofTable.get(key) ?? insertInto(table, named, workedOut);
  ofTable.set(key, insert);
  return sql`${insert.before}${asJson(rows)}${insert.after}`;
}

export async function insertRows(db: Database | Transaction, table: PgTable, rows: readonly object[]): Promise<void> {
  await db.execute(insertion(table, rows));
}

function insertInto(table: PgTable, named: string[], workedOut: Record<string, string>): Insert {
  const columns = Object.entries(getTableColumns(table)).filter(([key]) => named.includes(key));
  const nameOf = (key: string) => `"${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`;
  const keys = columns.map(([key]) => key);
  const names = [...keys, ...Object.keys(workedOut)].map(nameOf);
  const values = [...keys.map((key) => `"${key}"`), ...Object.values(workedOut)];
  const types = columns.map(([key, column]) => `"${key}" ${column.getSQLType()}`);
  return {
    before: sql.raw(
      `insert into "${getTableName(table)}" (${names.join(", ")}) select ${values.join(", ")} from json_to_recordset(`,
    ),
    after: sql.raw(`::json) as made (${types.join(", ")})`),
  };
}

/** Half a character, as cutting a text may leave it, is replaced, as the driver would do. */
function asJson(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  if (!/\\ud[89a-f]/.test(text)) return text;
  return JSON.stringify(rows, (_, value) => (typeof value === "string" ? value.toWellFormed() : value));
}
