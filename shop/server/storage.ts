import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The shop's own data: who signed up, who is signed in, and the position in the events. */
export function openStorage(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const db = new DatabaseSync(join(folder, "shop.sqlite"));
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA busy_timeout = 5000;
    CREATE TABLE IF NOT EXISTS accounts (
      discord_id TEXT PRIMARY KEY,
      email TEXT NOT NULL UNIQUE COLLATE NOCASE,
      username TEXT NOT NULL,
      password TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS sessions (
      token TEXT PRIMARY KEY,
      discord_id TEXT NOT NULL,
      used_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS heard (
      key TEXT PRIMARY KEY,
      next TEXT NOT NULL
    ) STRICT;
  `);
  return db;
}

export type Storage = ReturnType<typeof openStorage>;
