import { join } from "node:path";
import pg from "pg";
import { seed } from "../seed.ts";

/** Where a business is stored: a PostgreSQL database or a folder. */
export type Home = { databaseUrl: string | undefined; dataDir: string };

export function environment({ databaseUrl, dataDir }: Home): Record<string, string> {
  return databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: dataDir };
}

/** A seeded business of this size; without a PostgreSQL server, in a folder within the given one. */
export async function seededHome(size: number, server: string | undefined, folder: string): Promise<Home> {
  const home = { databaseUrl: server && `${server}/bench_${size}`, dataDir: join(folder, String(size)) };
  if (server && !(await createDatabase(server, `bench_${size}`))) return home;
  console.error(`Seeding ${size} orders …`);
  await seed(home, { orders: size });
  return home;
}

/** Returns true if there was none with that name. */
export async function createDatabase(server: string, name: string): Promise<boolean> {
  const client = new pg.Client(`${server}/postgres`);
  await client.connect();
  const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
  if (rowCount === 0) await client.query(`create database ${name}`);
  await client.end();
  return rowCount === 0;
}
