import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type pg from "pg";

/** PostgreSQL's own way to insert many rows, several times as fast as a statement. All rows name the same columns. */
export function copyRows(client: pg.Client, table: PgTable, rows: readonly object[]): Promise<void> {
  const keys = Object.keys(getTableColumns(table)).filter((key) => key in (rows[0] ?? {}));
  const names = keys.map((key) => `"${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`);
  const statement = `copy ${getTableName(table)} (${names.join(", ")}) from stdin`;
  let text = "";
  for (const row of rows as Record<string, unknown>[]) {
    let separator = "";
    for (const key of keys) {
      text += separator + cell(row[key]);
      separator = "\t";
    }
    text += "\n";
  }
  return new Promise((done, fail) => client.query(new Copy(statement, Buffer.from(text), done, fail)));
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "\\N";
  if (typeof value === "string") return escaped(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return value instanceof Date ? value.toISOString() : escaped(JSON.stringify(value));
}

const special = /[\\\t\n\r]/;
const escapes: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const escaped = (text: string) =>
  special.test(text) ? text.replace(/[\\\t\n\r]/g, (letter) => escapes[letter] as string) : text;

type Connection = { query(text: string): void; sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void };

/** The methods that `pg` calls while it runs one. */
class Copy implements pg.Submittable {
  private readonly statement: string;
  private readonly data: Buffer;
  private readonly done: () => void;
  private readonly fail: (error: Error) => void;

  constructor(statement: string, data: Buffer, done: () => void, fail: (error: Error) => void) {
    this.statement = statement;
    this.data = data;
    this.done = done;
    this.fail = fail;
  }

  submit(connection: pg.Connection) {
    (connection as unknown as Connection).query(this.statement);
  }

  handleCopyInResponse(connection: Connection) {
    connection.sendCopyFromChunk(this.data);
    connection.endCopyFrom();
  }

  handleCommandComplete() {}

  handleReadyForQuery() {
    this.done();
  }

  handleError(error: Error) {
    this.fail(error);
  }
}
