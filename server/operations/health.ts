import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { refusal } from "@footprint/contract/refusal.ts";
import { sql } from "drizzle-orm";
import type { FastifyInstance } from "fastify";
import { type Config, StartError } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Progress } from "../db/engine.ts";
import { isExpanded, nextVersion, versionOf } from "../db/migrations.ts";
import { databaseAway } from "../http/errors.ts";
import type { Services } from "../http/routes.ts";

let leaving = false;

/**
 * Reports that the process is about to stop, so that proxies send it no more calls. It still answers those that come.
 */
export function leave() {
  leaving = true;
}

/** For whoever supervises the process: is it alive, and should it get calls? */
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

/** Throws if this server should get no calls. */
export async function expectReady(db: Database) {
  // Reads no row, but asks for a row lock: a database that takes no changes refuses that too.
  await db.execute(sql`select from settings where false for update`);
  // A newer server may have upgraded the tables, or an older copy may have been restored.
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

/**
 * Answers during a start, since an upgrade may take an hour: `/healthz`, or the process would be killed in the middle,
 * and the progress. Returns functions to report progress and to stop.
 */
export async function answerWhileStarting({ host, port, timeouts }: Config) {
  let progress: Progress = { at: "Connecting to the database" };
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response
        .writeHead(status, { ...startingHeaders, ...(status === 503 && { "retry-after": "5" }) })
        .end(JSON.stringify(body));
    if (request.url === "/healthz") return answer(200, { status: "alive" });
    const message = `This server is starting. ${progress.at}`;
    if (request.url !== "/readyz") return answer(503, { message });
    const limit = setTimeout(timeouts.ready, [], { ref: false });
    const indexes = await Promise.race([progress.indexes?.().catch(() => []) ?? [], limit]);
    answer(503, { message, indexes });
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    tell(now: Progress) {
      progress = now;
    },
    async stop() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const startingHeaders = { "content-type": "application/json", "cache-control": "no-store", connection: "close" };
