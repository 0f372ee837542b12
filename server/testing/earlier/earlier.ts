import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { connectEmbedded } from "../../db/engine.ts";
import { emptyPostgres, putDatabase } from "../program.ts";

// A small business kept by the version with ten migrations, made through its own API: three customers (one of them
// new), two label types, four orders (one refunded, two of a bulk order), a Fedex order with its file, two invoices and
// one shop's key. Stored as a dump of its database and as its backup.

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export const earlierBackup = fileOf("backup.gz");

const dump = () => gunzipSync(readFileSync(fileOf("database.sql.gz"))).toString();

export async function earlierPostgres(further = "") {
  const env = await emptyPostgres();
  const client = new pg.Client(env.DATABASE_URL);
  await client.connect();
  await client.query(`${dump()}; reset search_path; ${further}`);
  await client.end();
  return env;
}

export async function earlierFolder(path: string, further = "") {
  await putDatabase(path);
  const { client, close } = await connectEmbedded({ dataDir: join(path, "postgres") });
  await client.exec("drop schema public, drizzle cascade; create schema public");
  await client.exec(`${dump()}; reset search_path; ${further}`);
  await close();
}
