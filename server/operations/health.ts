import { setTimeout } from "node:timers/promises";
import { refusal } from "@footprint/contract/refusal.ts";
import { sql } from "drizzle-orm";
import type { FastifyInstance } from "fastify";
import { StartError } from "../config.ts";
import type { Database } from "../db/database.ts";
import { isExpanded, nextVersion, versionOf } from "../db/migrations.ts";
import { databaseAway } from "../http/errors.ts";
import type { Services } from "../http/routes.ts";

let leaving = false;

/** Says that the process is about to stop, so that no more calls are sent to it. Those that come are answered. */
export function leave() {
  leaving = true;
}

/** For whoever watches the process: does it live, and should it be given calls? */
export function reportHealth(app: FastifyInstance, { db, config }: Services) {
  app.get("/healthz", (_, reply) => reply.header("cache-control", "no-store").send({ status: "alive" }));

  let running: Promise<void> | undefined;
  app.get("/readyz", async (_, reply) => {
    if (leaving) throw refusal(503, "This server is about to stop", { retryAfter: 5 });
    // One check at a time, however many ask and however long the database is silent.
    running ??= expectReady(db).finally(() => {
      running = undefined;
    });
    await Promise.race([running, silence(config.timeouts.ready)]);
    return reply.header("cache-control", "no-store").send({ status: "ready" });
  });
}

async function silence(limit: number) {
  await setTimeout(limit, undefined, { ref: false });
  throw databaseAway();
}

/** Fails where this server should get no calls. */
export async function expectReady(db: Database) {
  // Asks for no row, and for leave to change it: a database that takes no changes refuses that as it would a change.
  await db.execute(sql`select from settings where false for update`);
  // A newer server may have moved the tables on, or a copy of an older day was put in their place.
  if (!(await isCurrent(db)))
    throw refusal(503, "The database's tables are not those of this version: restart this server", { retryAfter: 5 });
}

async function isCurrent(db: Database): Promise<boolean> {
  try {
    const version = await versionOf(db);
    return version !== undefined && nextVersion(version) === undefined;
  } catch (error) {
    if (error instanceof StartError) return isExpanded(db);
    throw error;
  }
}
