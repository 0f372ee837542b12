import { sql } from "drizzle-orm";
import { type BackupKeys, StartError } from "../../config.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { withoutTimeLimit } from "../../db/engine.ts";
import { versionOf } from "../../db/migrations.ts";
import { formatVersion, type Header, lineOf, writeProven } from "./file.ts";
import { neverBackedUp, prepareSession, quoted, type Table, tablesOf } from "./tables.ts";

/** Writes one snapshot of the database to a file. Returns the number of rows. */
export async function takeBackup(db: Database, path: string, now: Date, keys?: BackupKeys): Promise<number> {
  return withoutTimeLimit(db).transaction(
    async (tx) => {
      await prepareSession(tx);
      const level = await versionOf(tx);
      if (!level) throw new StartError("The database is empty: there is nothing to back up.");
      const counts: Record<string, number> = {};
      await writeProven(
        path,
        linesOf(tx, { footprintBackup: formatVersion, level, takenAt: now.toISOString() }, counts),
        keys,
      );
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/** The whole file except its proof; fills `counts` on the way. */
async function* linesOf(tx: Transaction, header: Header, counts: Record<string, number>) {
  yield lineOf(header);
  for (const table of await tablesOf(tx)) {
    counts[table.name] = 0;
    yield lineOf({ table: table.name, columns: table.columns.map(({ name }) => name) });
    if (neverBackedUp.includes(table.name)) continue;
    for await (const lines of rowsOf(tx, table)) {
      counts[table.name] = (counts[table.name] ?? 0) + lines.length;
      yield `${lines.join("\n")}\n`;
    }
  }
  yield lineOf({ rows: counts });
}

const megabyte = 1024 * 1024;
const mostRows = 2000;

/** About a megabyte at a time, however large a row is, so that any table passes through little memory. */
async function* rowsOf(tx: Transaction, { name, columns }: Table): AsyncGenerator<string[]> {
  const texts = columns.map((column) => `${quoted(column.name)}::text`).join(", ");
  await tx.execute(
    sql.raw(
      `declare backup no scroll cursor for select array_to_json(array[${texts}])::text as line from ${quoted(name)}`,
    ),
  );
  let amount = 10;
  for (;;) {
    const { rows } = await tx.execute<{ line: string }>(sql.raw(`fetch ${amount} from backup`));
    if (rows.length > 0) yield rows.map(({ line }) => line);
    if (rows.length < amount) break;
    const average = rows.reduce((sum, { line }) => sum + line.length, 0) / rows.length;
    amount = Math.max(1, Math.min(mostRows, Math.floor(megabyte / average)));
  }
  await tx.execute(sql`close backup`);
}
