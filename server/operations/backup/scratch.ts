import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { connectEmbedded, connectPostgres, type Engine } from "../../db/engine.ts";
import { withDatabase } from "../../db/hosts.ts";

/** After so many milliseconds, what a killed check left behind may be removed. */
const day = 86_400_000;

/**
 * Works in an empty database that is dropped afterwards: beside the business's own if the account may create one, else
 * an embedded one in this folder.
 */
export async function inScratchDatabase<T>(
  {
    databaseUrl,
    directDatabaseUrl = databaseUrl,
    folder,
  }: { databaseUrl: string | undefined; directDatabaseUrl?: string | undefined; folder: string },
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const beside = directDatabaseUrl && (await makeBeside(directDatabaseUrl).catch(() => undefined));
  const { db, remove } = beside || (await makeEmbedded(folder));
  try {
    return await work(db);
  } finally {
    await remove();
  }
}

type Scratch = { db: Database; remove: () => Promise<void> };

const prefix = "footprint_check_";

async function makeBeside(databaseUrl: string): Promise<Scratch> {
  const name = `${prefix}${Date.now()}_${randomBytes(4).toString("hex")}`;
  const owner = await connectPostgres(databaseUrl);
  let engine: Engine | undefined;
  const remove = async () => {
    await engine?.close();
    await owner.slow.query(`drop database if exists "${name}"`);
    await owner.close();
  };
  try {
    await dropForgotten(owner.db);
    await owner.slow.query(`create database "${name}" template template0`);
    engine = await connectPostgres(withDatabase(databaseUrl, name));
    return { db: engine.db, remove };
  } catch (error) {
    await remove().catch(() => owner.close());
    throw error;
  }
}

async function dropForgotten(db: Database) {
  const { rows } = await db.execute<{ datname: string }>(
    sql`select datname from pg_database where datname like ${`${prefix}%`} order by datname`,
  );
  for (const { datname } of rows)
    if (Number(/^\d+/.exec(datname.slice(prefix.length))?.[0]) < Date.now() - day)
      // It may belong to another business, whose account alone can drop it.
      await db.execute(sql`drop database if exists ${sql.identifier(datname)}`).catch(() => {});
}

async function makeEmbedded(folder: string): Promise<Scratch> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith("checking-") && (await stat(path)).mtimeMs < Date.now() - day)
      await rm(path, { recursive: true });
  }
  const dataDir = await mkdtemp(join(folder, "checking-"));
  const engine = await connectEmbedded({ dataDir });
  return {
    db: engine.db,
    async remove() {
      await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
