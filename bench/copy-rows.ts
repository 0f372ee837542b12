import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type pg from "pg";

/** Rows of a table, as the statement and the text that copy them. */
export type RowsToCopy = { statement: string; text: Buffer };

/** All rows name the same columns. */
export function rowsToCopy(table: PgTable, rows: readonly object[]): RowsToCopy {
  const keys = Object.keys(getTableColumns(table)).filter((key) => key in (rows[0] ?? {}));
  const names = keys.map((key) => `"${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`);
  let text = "";
  for (const row of rows as Record<string, unknown>[]) {
    let separator = "";
    for (const key of keys) {
      text += separator + cell(row[key]);
      separator = "\t";
    }
    text += "\n";
  }
  return { statement: `copy ${getTableName(table)} (${names.join(", ")}) from stdin`, text: Buffer.from(text) };
}

/** PostgreSQL's own way to insert many rows, several times as fast as a statement; everything is sent in one go. */
export const copyRows = (client: pg.Client, all: readonly RowsToCopy[]) =>
  new Promise<void>((done, fail) => client.query(new Copy(all, done, fail)));

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
  private readonly all: readonly RowsToCopy[];
  private readonly done: () => void;
  private readonly fail: (error: Error) => void;

  constructor(all: readonly RowsToCopy[], done: () => void, fail: (error: Error) => void) {
    this.all = all;
    this.done = done;
    this.fail = fail;
  }

  submit(connection: pg.Connection) {
    const database = connection as unknown as Connection;
    database.query(this.all.map(({ statement }) => statement).join(";"));
    // Without waiting to be asked: PostgreSQL reads each text when it is at its statement.
    for (const { text } of this.all) {
      database.sendCopyFromChunk(text);
      database.endCopyFrom();
    }
  }

  handleCopyInResponse() {}

  handleCommandComplete() {}

  handleReadyForQuery() {
    this.done();
  }

  handleError(error: Error) {
    this.fail(error);
  }
}
