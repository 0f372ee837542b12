import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import type { FastifyInstance } from "fastify";
import type { Database } from "./db/engine.ts";
import { refusal } from "./errors.ts";

const journal: { entries: { when: number }[] } = JSON.parse(
  readFileSync(new URL("./db/migrations/meta/_journal.json", import.meta.url), "utf8"),
);
const newestMigration = Math.max(...journal.entries.map(({ when }) => when));

/** For whoever watches the process: does it live, and should it be given calls? */
export function reportHealth(app: FastifyInstance, db: Database) {
  app.get("/healthz", (_, reply) => reply.header("cache-control", "no-store").send({ status: "alive" }));
  app.get("/readyz", async (_, reply) => {
    const { rows } = await db.execute<{ newest: string | null }>(
      sql`select max(created_at) as newest from drizzle.__drizzle_migrations`,
    );
    // Another server has moved the tables on, or a copy of an older day was put in their place.
    if (Number(rows[0]?.newest) !== newestMigration)
      throw refusal(503, "The database's tables are not those of this version: restart this server", { retryAfter: 5 });
    return reply.header("cache-control", "no-store").send({ status: "ready" });
  });
}
