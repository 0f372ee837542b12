import type { TestProject } from "vitest/node";
import { openEngine } from "../db/engine.ts";
import { startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A real PostgreSQL with a migrated database `template`. */
    postgresUrl?: string;
  }
}

export default async function setup(project: TestProject) {
  const { url, stop } = await startPostgres("template");
  await (await openEngine({ databaseUrl: `${url}/template`, dataDir: "" })).close();
  project.provide("postgresUrl", url);
  return stop;
}
