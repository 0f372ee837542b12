import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "./database.ts";

/** What was written for some columns of a table: up to the rows, and behind them. */
type Words = { before: SQL; after: SQL };
const known = new WeakMap<PgTable, Map<string, Words>>();

/**
 * One statement with one value, whatever the number of rows and columns: built once, and prepared once. All rows name the
 * columns that the first one does. What the database works out for each row is given apart, as SQL.
 */
export function insertion(table: PgTable, rows: readonly object[], workedOut: Record<string, string> = {}): SQL {
  const named = Object.keys(rows[0] ?? {});
  const key = [...named, ...Object.values(workedOut)].join(" ");
  const ofTable = known.get(table) ?? new Map<string, Words>();
  known.set(table, ofTable);
  const words = ofTable.get(key) ?? wordsFor(table, named, workedOut);
  ofTable.set(key, words);
  return sql`${words.before}${written(rows)}${words.after}`;
}

export async function insertRows(db: Database | Transaction, table: PgTable, rows: readonly object[]): Promise<void> {
  await db.execute(insertion(table, rows));
}

function wordsFor(table: PgTable, named: string[], workedOut: Record<string, string>): Words {
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

/** As JSON. Half a character, as a cut leaves it, is none: the driver would replace it too. */
function written(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  if (!/\\ud[89a-f]/.test(text)) return text;
  return JSON.stringify(rows, (_, value) => (typeof value === "string" ? value.toWellFormed() : value));
}
