import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { StartError } from "../config.ts";
import type { Database, Transaction } from "./database.ts";

const migrationsFolder = fileURLToPath(new URL("./migrations", import.meta.url));
const journal: { entries: { tag: string; when: number }[] } = JSON.parse(
  readFileSync(`${migrationsFolder}/meta/_journal.json`, "utf8"),
);

/** A database's level is the last migration it has. All of them, oldest first. */
const levels = journal.entries.map(({ tag }) => tag);

export const isLevel = (tag: string) => levels.includes(tag);

/** The migration that comes after a level; undefined at the newest. */
export const nextLevel = (level: string) => levels[levels.indexOf(level) + 1];

/** The level of a database; undefined where it has no tables yet. */
export async function levelOf(db: Database | Transaction): Promise<string | undefined> {
  const { rows: found } = await db.execute(sql`select to_regclass('drizzle.__drizzle_migrations') as name`);
  if (found[0]?.name == null) return undefined;
  const { rows } = await db.execute(sql`select max(created_at)::text as last from drizzle.__drizzle_migrations`);
  const last = rows[0]?.last;
  if (last == null) return undefined;
  const level = journal.entries.find(({ when }) => String(when) === last);
  if (!level)
    throw new StartError("The database belongs to a newer Footprint: use that version of it, or a newer one.");
  return level.tag;
}

/**
 * Brings the tables up to date, or up to a level. In a transaction of the caller's, so that all that belongs
 * together happens or nothing; otherwise as Drizzle's own does it, whose table says what was done.
 */
export async function migrate(tx: Transaction, through = levels.at(-1) as string): Promise<void> {
  await tx.execute(sql`create schema if not exists drizzle`);
  await tx.execute(sql`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint)`);
  const level = await levelOf(tx);
  const done = level === undefined ? 0 : levels.indexOf(level) + 1;
  const migrations = readMigrationFiles({ migrationsFolder }).slice(done, levels.indexOf(through) + 1);
  for (const migration of migrations) {
    for (const statement of migration.sql) await tx.execute(sql.raw(statement));
    await tx.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      values (${migration.hash}, ${migration.folderMillis})`);
  }
}
