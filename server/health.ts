import type { FastifyInstance } from "fastify";
import { StartError } from "./config.ts";
import type { Database } from "./db/engine.ts";
import { levelOf, nextLevel } from "./db/levels.ts";
import { refusal } from "./errors.ts";

/** For whoever watches the process: does it live, and should it be given calls? */
export function reportHealth(app: FastifyInstance, db: Database) {
  app.get("/healthz", (_, reply) => reply.header("cache-control", "no-store").send({ status: "alive" }));
  app.get("/readyz", async (_, reply) => {
    // A newer server may have moved the tables on, or a copy of an older day was put in their place.
    if (!(await isCurrent(db)))
      throw refusal(503, "The database's tables are not those of this version: restart this server", { retryAfter: 5 });
    return reply.header("cache-control", "no-store").send({ status: "ready" });
  });
}

async function isCurrent(db: Database): Promise<boolean> {
  try {
    const level = await levelOf(db);
    return level !== undefined && nextLevel(level) === undefined;
  } catch (error) {
    if (error instanceof StartError) return false;
    throw error;
  }
}
