import { sql } from "drizzle-orm";
import { type BackupKeys, StartError } from "../../config.ts";
import { beginBulkLoad } from "../../db/bulk-load.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { waitForMigrations, withoutTimeLimit } from "../../db/engine.ts";
import { databaseCode } from "../../db/failures.ts";
import { isTooOld, isVersion, migrate, versionOf } from "../../db/migrations.ts";
import { type End, formatVersion, Header, isRow, noBackup, readBackup, type TableStart } from "./file.ts";
import { neverRestored, prepareSession, quoted, type Table, tablesOf } from "./tables.ts";

/** Reads a whole backup before any of it is used. Returns its header. */
export async function checkBackup(path: string, keys?: BackupKeys): Promise<Header> {
  const sections: { start: string; rows: number }[] = [];
  for await (const line of readBackup(path, keys)) {
    const current = sections.at(-1);
    if (!isRow(line)) sections.push({ start: line, rows: 0 });
    else if (current) current.rows++;
    if (sections.length > mostSections) throw noBackup(path);
  }
  // Only now is it known to be unchanged.
  const words = sections.map(({ start, rows }) => ({ ...(JSON.parse(start) as Partial<Words>), counted: rows }));
  const { success: isHeader, data: header } = Header.safeParse(words[0]);
  const counted = Object.fromEntries(words.flatMap(({ table, counted }) => (table ? [[table, counted]] : [])));
  if (!isHeader || JSON.stringify(words.at(-1)?.rows) !== JSON.stringify(counted)) throw noBackup(path);
  const { footprintBackup, level } = header;
  if (isTooOld(level))
    throw new StartError(`${path} was made by a Footprint that is too old (${level}): restore it with that version.`);
  if (footprintBackup > formatVersion || !isVersion(level))
    throw new StartError(
      `${path} was made by a newer Footprint (${level}): restore it with that version, or a newer one.`,
    );
  return header;
}

type Words = TableStart & End;

/** A header, the tables and an end; there are some thirty tables. */
const mostSections = 1_000;

/** Fills an empty database from a backup and upgrades it: completely, or nothing has changed. */
export async function fillFrom(db: Database, path: string, { level }: Header, keys?: BackupKeys): Promise<void> {
  await withoutTimeLimit(db).transaction(async (tx) => {
    await prepareSession(tx);
    // A server that starts on the same database waits until it is filled.
    await waitForMigrations(tx);
    if ((await versionOf(tx)) || (await tablesOf(tx)).length > 0)
      throw new StartError(
        "The database is not empty: create another one and set DATABASE_URL to it. Nothing was restored.",
      );
    // Creates the tables of that version; later migrations then change the rows as they would have.
    await migrate(tx, level);
    const tables = new Map((await tablesOf(tx)).map((table) => [table.name, table]));
    const run = (statement: string) => tx.execute(sql.raw(statement));
    const endStatements = await beginBulkLoad(run, [...tables.keys()]);
    try {
      await insertAll(tx, path, tables, keys);
      // References and unique indexes are restored after the rows, so rows that break one end the restore.
      for (const parts of endStatements.values()) for (const statement of parts) await run(statement);
    } catch (error) {
      throw explained(error, path);
    }
    await passAllNumbers(tx);
    await migrate(tx);
  });
  await withoutTimeLimit(db).execute(sql`analyze`);
}

/**
 * Moves sequences beyond all numbers that may have been given since the backup, so that shops which follow events by
 * position miss nothing. No sequence gives a thousand numbers a second for years.
 */
async function passAllNumbers(tx: Transaction) {
  await tx.execute(sql`
    select setval(pg_get_serial_sequence(format('%I.%I', 'public', relname), attname), (extract(epoch from clock_timestamp()) * 1000)::bigint)
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attidentity <> ''`);
}

/** SQLSTATEs of classes 22 and 23 are about values and rules, so the file is at fault. */
function explained(error: unknown, path: string): unknown {
  const code = databaseCode(error) ?? "";
  if (!/^2[23]...$/.test(code)) return error;
  return new StartError(`${path} holds a row that the database does not accept (${code}): nothing was restored.`);
}

/** How much is inserted at once. */
const batchLength = 1024 * 1024;
const batchRows = 1000;

async function insertAll(tx: Transaction, path: string, tables: Map<string, Table>, keys?: BackupKeys) {
  const skip = async (_: string[]) => {};
  let insert = skip;
  let held: string[] = [];
  let length = 0;
  const flush = async () => {
    if (held.length > 0) await insert(held);
    held = [];
    length = 0;
  };
  for await (const line of readBackup(path, keys)) {
    if (isRow(line)) {
      held.push(line);
      length += line.length;
      if (length > batchLength || held.length === batchRows) await flush();
      continue;
    }
    await flush();
    const { table, columns }: Partial<TableStart> = JSON.parse(line);
    if (table && columns)
      insert = neverRestored.includes(table) ? skip : await inserting(tx, tables.get(table), columns);
  }
}

/** Search columns are computed; earlier versions backed some of them up like other columns. */
const formerlyKept = ["search", "admin_search"];

/** Inserts rows of a table, each value from its own text. Replaces rows that the migrations inserted. */
async function inserting(tx: Transaction, table: Table | undefined, written: string[]) {
  const types = new Map(table?.columns.map(({ name, type }) => [name, type]));
  const columns = [written].flat().filter((name) => !formerlyKept.includes(name));
  if (!table || columns.length !== types.size || [...types.keys()].some((name) => !columns.includes(name)))
    throw new StartError("The backup does not fit the tables of its version: nothing was restored.");
  const name = sql.raw(quoted(table.name));
  const names = sql.raw(columns.map(quoted).join(", "));
  const values = sql.raw(
    columns.map((column) => `(line->>${written.indexOf(column)})::${types.get(column)}`).join(", "),
  );
  await tx.execute(sql`delete from ${name}`);
  return async (lines: string[]) => {
    const rows = sql`jsonb_array_elements(${`[${lines.join(",")}]`}::jsonb) as line`;
    await tx.execute(sql`insert into ${name} (${names}) overriding system value select ${values} from ${rows}`);
  };
}
