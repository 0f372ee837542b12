// Fills an empty database with a business of any size: DATABASE_URL=… npm run seed -- --orders 1000000
import { getTableName, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type { PgTable } from "drizzle-orm/pg-core";
import pg from "pg";
import { type Config, readConfig, StartError } from "../server/config.ts";
import { beginBulkLoad } from "../server/db/bulk-load.ts";
import type { Database } from "../server/db/database.ts";
import { openEngine, openFolder } from "../server/db/engine.ts";
import { insertRows } from "../server/db/insert-rows.ts";
import { businessTables, makeBusiness } from "../server/demo/business.ts";
import { runCommand } from "../server/operations/command.ts";
import { copyRows } from "./copy-rows.ts";

const tables = businessTables.map(getTableName);

type Target = Pick<Config, "databaseUrl" | "dataDir">;

/** Fills an empty database in one transaction: all of it is there in the end, or nothing has changed. */
export async function seed(
  target: Target,
  { orders, now = new Date(), report = () => {} }: { orders: number; now?: Date; report?: (line: string) => void },
) {
  const { db, store, close } = await connect(target);
  const run = (statement: string) => db.execute(sql.raw(statement));
  const times = new Map<string, number>();
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const since = performance.now();
    await work();
    times.set(name, (times.get(name) ?? 0) + performance.now() - since);
  };
  const tell = () => {
    for (const [name, time] of times) report(`${name.padEnd(26)}${(time / 1000).toFixed(1).padStart(8)} s`);
    times.clear();
  };
  try {
    for (const setting of settings) await run(`set ${setting}`);
    await run("begin");
    await refuseUnlessEmpty(db);
    // The made-up past is older than what a server may have chained already.
    await run("delete from log_chain");
    // Rows may refer to rows that come later.
    const endStatements = await beginBulkLoad(run, tables);
    const customers = Math.max(100, Math.round(orders / 25));
    let stored = Promise.resolve();
    for (const [table, rows] of makeBusiness({ now, days: 730, orders, customers, logsShop: true })) {
      // The next rows are made up while the database stores these.
      await stored;
      stored = timed(getTableName(table).replace("_", " "), () => store(table, rows));
      // Whoever awaits it hears of a failure, and not the process.
      stored.catch(() => {});
    }
    await stored;
    tell();
    for (const [name, parts] of endStatements)
      await timed(name, async () => {
        for (const part of parts) await run(part);
      });
    await timed("counters", () => run("call recount()"));
    await timed("commit", () => run("commit"));
    for (const table of tables) await timed("vacuum and analyze", () => run(`vacuum (analyze) ${table}`));
    tell();
  } finally {
    await close();
  }
}

type Connection = { db: Database; store(table: PgTable, rows: object[]): Promise<void>; close(): Promise<void> };

/** A connection of its own, since the server's end statements that take as long as these; the tables are up to date. */
async function connect({ databaseUrl, dataDir }: Target): Promise<Connection> {
  if (!databaseUrl) {
    const { db, close } = await openFolder(dataDir);
    return { db, store: (table, rows) => insertRows(db, table, rows), close };
  }
  await (await openEngine({ databaseUrl, dataDir })).close();
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "footprint seed" });
  // A connection that breaks fails the running statement; without a listener it would end the process as well.
  client.on("error", () => {});
  await client.connect();
  return {
    db: drizzle({ client }),
    store: (table, rows) => copyRows(client, table, rows),
    close: () => client.end(),
  };
}

/**
 * For this connection alone. Indexes are built by two processes at once, with as little memory as they may have for
 * that: what search keys are gathered in is quickest where it fits the processor's cache.
 */
const settings = [
  "work_mem = '256MB'",
  "maintenance_work_mem = '64MB'",
  "max_parallel_maintenance_workers = 1",
  "synchronous_commit = off",
  "timezone = 'UTC'",
  "jit = off",
];

async function refuseUnlessEmpty(db: Database) {
  await db.execute(sql.raw(`lock table ${tables.join(", ")} in access exclusive mode`));
  // A server that was started before has written to the log already.
  for (const table of tables.filter((name) => name !== "logs")) {
    const { rows } = await db.execute(sql.raw(`select from ${table} limit 1`));
    if (rows.length > 0)
      throw new StartError(`The database already holds ${table.replace("_", " ")}; seed an empty one.`);
  }
}

if (import.meta.main)
  await runCommand(async () => {
    const [option, orders = "", ...rest] = process.argv.slice(2);
    if (option !== "--orders" || !/^[1-9]\d{0,8}$/.test(orders) || rest.length > 0)
      throw new StartError("Usage: npm run seed -- --orders N");
    await seed(readConfig(process.env), { orders: Number(orders), report: console.log });
    return 0;
  });
