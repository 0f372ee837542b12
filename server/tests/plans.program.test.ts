import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { logs } from "@footprint/contract/logs.ts";
import { staff } from "@footprint/contract/staff.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { openSession } from "../accounts/sessions.ts";
import { buildApp } from "../app.ts";
import { readConfig } from "../config.ts";
import { openEngine } from "../db/engine.ts";
import { accounts } from "../db/schema.ts";
import { migratedPostgres } from "../testing/program.ts";

// On separate connections: only so many statements stay prepared, and others would displace them.
test("a call of the dashboard and a page of a list are one statement each, which PostgreSQL plans once for all values", async () => {
  const own = await openEngine({ databaseUrl: (await migratedPostgres()).DATABASE_URL, dataDir: "" });
  const { db } = own;
  const app = await buildApp({ db, config: readConfig({ LOG_LEVEL: "silent" }), now: () => new Date() });
  await db.execute(sql`
    insert into logs (id, admin, type, action, created_at)
    select gen_random_uuid(), 'admin', (array['user', 'label'])[1 + n % 2], 'Row ' || n, now() - n * interval '1 hour'
    from generate_series(1, 5000) n`);
  await db.execute(sql`analyze logs, counters, settled_months`);
  const [from = "", to = ""] = [40, 10].map((daysAgo) =>
    new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10),
  );
  const { owed, books, ...figures } = dashboard;
  const calls: [Endpoint, Record<string, string>][] = [
    ...Object.values(figures).map((figure): [Endpoint, Record<string, string>] => [figure, {}]),
    [logs.list, {}],
    [logs.list, { sort: "asc" }],
    [logs.list, { from, to }],
    [logs.list, { status: "label" }],
    [fedex.list, { filter: "Open" }],
    [tracking.list, { used: "true" }],
    [tracking.list, { from, to }],
    [staff.list, {}],
    [staff.list, { role: "admin", sort: "asc" }],
  ];
  const [account] = await db
    .insert(accounts)
    .values({ username: "maren", role: "admin", passwordHash: "" })
    .returning();
  const headers = { authorization: `Bearer ${await openSession(db, account?.id ?? "")}` };
  try {
    for (const [{ method, path }, query] of calls)
      for (let times = 0; times < 30; times++)
        expect((await app.inject({ method, url: `${path}?${new URLSearchParams(query)}`, headers })).statusCode).toBe(
          200,
        );
    /** As many calls as there can be connections, so that each connection is used. */
    const looks = Array.from({ length: 20 }, () =>
      db.execute<{ statement: string; custom: number; generic: number }>(sql`
        select statement, custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements
        where strpos(statement, 'json_agg') > 0 and strpos(statement, 'token_hash') > 0`),
    );
    const rows = (await Promise.all(looks)).flatMap((found) => found.rows);
    const made = [...Map.groupBy(rows, ({ statement }) => statement)].map(([statement, uses]) => ({
      statement,
      custom: uses.reduce((sum, { custom }) => sum + custom, 0),
      generic: uses.reduce((sum, { generic }) => sum + generic, 0),
    }));
    // Not to the last statement: a call that finds nothing built yet, or a connection not ready, may ask piece by
    // piece.
    const used = made.filter(({ custom, generic }) => custom + generic >= 20);
    expect(used).toHaveLength(calls.length);
    // Each connection plans five times with the given values, and then decides by their cost.
    expect(used.filter(({ generic }) => generic === 0)).toEqual([]);
  } finally {
    await app.close();
    await own.close();
  }
});
