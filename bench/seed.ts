// Fills an empty database with a business of any size: DATABASE_URL=… npm run seed -- --orders 1000000
import { setImmediate } from "node:timers/promises";
import { getTableName, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import pg from "pg";
import { type Config, readConfig, StartError } from "../server/config.ts";
import { beginBulkLoad } from "../server/db/bulk-load.ts";
import { openEngine, openFolder } from "../server/db/engine.ts";
import { insertRows } from "../server/db/insert-rows.ts";
import { logs } from "../server/db/schema.ts";
import { businessTables, makeBusiness } from "../server/demo/business.ts";
import { runCommand } from "../server/operations/command.ts";
import { copyRows, type RowsToCopy, rowsToCopy } from "./copy-rows.ts";

const names = businessTables.map((table) => getTableName(table));

type Target = Pick<Config, "databaseUrl" | "dataDir">;

/**
 * Fills an empty database: the embedded engine in one transaction, PostgreSQL in two parallel ones, of which the log's
 * ends first. A failure before that leaves nothing.
 */
export async function seed(
  target: Target,
  { orders, now = new Date(), report = () => {} }: { orders: number; now?: Date; report?: (line: string) => void },
) {
  const { lanes, close } = await connect(target);
  const times = new Map<string, number>();
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const since = performance.now();
    await work();
    times.set(name, (times.get(name) ?? 0) + performance.now() - since);
  };
  try {
    for (const lane of lanes) {
      for (const setting of settings) await lane.run(`set ${setting}`);
      await lane.run("begin");
      await refuseUnlessEmpty(lane);
    }
    const [main, log = main] = lanes as [Lane, Lane?];
    // The made-up past may be older than what a server has already chained.
    await log.run("delete from log_chain");
    const loads = await Promise.all(lanes.map((lane) => openLoad(lane, timed)));
    const customers = Math.max(100, Math.round(orders / 25));
    for (const [table, rows] of makeBusiness({ now, days: 730, orders, customers, logsShop: true }))
      await loads[lanes.findIndex(({ tables }) => tables.includes(getTableName(table)))]?.add(table, rows);
    await Promise.all(loads.map((load) => load.end()));
    if (log !== main) await log.run("commit");
    await timed("counters", () => main.run("call recount()"));
    await main.run("commit");
    // After both have committed, and before anything is analysed: of rows that a transaction under way may not see yet,
    // the indexes alone would not be believed afterwards.
    for (const work of ["vacuum", "analyze"])
      await Promise.all(
        lanes.map((lane) => timed(`${work} of ${nameOf(lane)}`, () => lane.run(`${work} ${lane.tables.join(", ")}`))),
      );
    for (const [name, time] of times) report(`${name.padEnd(26)}${(time / 1000).toFixed(1).padStart(8)} s`);
  } finally {
    await close();
  }
}

/** A connection, and the tables that it fills. */
type Lane = {
  tables: string[];
  run(statement: string): Promise<{ rows: Record<string, unknown>[] }>;
  collect(table: PgTable, rows: object[]): void;
  /** Stores all rows that were collected. */
  store(): Promise<unknown>;
};

/** Most batches collected while others are stored. */
const mostWaiting = 20;

/**
 * Accepts rows faster than they are stored, so that neither generating them nor the other lane waits, and stores
 * together what was collected meanwhile.
 */
async function openLoad(lane: Lane, timed: (name: string, work: () => Promise<unknown>) => Promise<unknown>) {
  // Rows may refer to rows that come later.
  const endStatements = await beginBulkLoad(lane.run, lane.tables);
  let waiting = 0;
  let storing: Promise<unknown> | undefined;
  function storeWaiting() {
    if (waiting === 0) {
      storing = undefined;
      return;
    }
    waiting = 0;
    storing = timed(`rows of ${nameOf(lane)}`, lane.store);
    // A failure is for whoever awaits it, instead of the process.
    storing.then(storeWaiting, () => {});
  }
  return {
    async add(table: PgTable, rows: object[]) {
      lane.collect(table, rows);
      waiting += 1;
      if (!storing) storeWaiting();
      // A moment for the connections to send their rows.
      await (waiting > mostWaiting ? storing : setImmediate());
    },
    async end() {
      while (storing) await storing;
      for (const [name, parts] of endStatements)
        await timed(name, async () => {
          for (const part of parts) await lane.run(part);
        });
    },
  };
}

const nameOf = ({ tables }: Lane) => (tables.length === 1 ? tables[0] : "the rest");

/** Separate connections, since the server's own end long statements; the tables are up to date. */
async function connect({ databaseUrl, dataDir }: Target): Promise<{ lanes: Lane[]; close(): Promise<unknown> }> {
  if (!databaseUrl) {
    const { db, close } = await openFolder(dataDir);
    const collected: Parameters<Lane["collect"]>[] = [];
    const lane: Lane = {
      tables: names,
      run: (statement) => db.execute(sql.raw(statement)),
      collect: (...rows) => collected.push(rows),
      async store() {
        for (const [table, rows] of collected.splice(0)) await insertRows(db, table, rows);
      },
    };
    return { lanes: [lane], close };
  }
  await (await openEngine({ databaseUrl, dataDir })).close();
  const clients: pg.Client[] = [];
  const open = async (tables: string[]): Promise<Lane> => {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: "footprint seed" });
    // A broken connection fails its statement; without a listener it would also end the process.
    client.on("error", () => {});
    await client.connect();
    clients.push(client);
    const collected: RowsToCopy[] = [];
    return {
      tables,
      run: (statement) => client.query(statement),
      collect: (...rows) => collected.push(rowsToCopy(...rows)),
      store: () => copyRows(client, collected.splice(0)),
    };
  };
  // The log is half of the work, and nothing refers to it.
  const log = getTableName(logs);
  const lanes = [await open(names.filter((name) => name !== log)), await open([log])];
  return { lanes, close: () => Promise.all(clients.map((client) => client.end())) };
}

/** Settings of these connections only. */
const settings = [
  ...["work_mem = '256MB'", "synchronous_commit = off", "timezone = 'UTC'", "jit = off"],
  // Counting is divided among processes; PostgreSQL expects hundreds of thousands of counters, and would not.
  "parallel_tuple_cost = 0",
];

async function refuseUnlessEmpty({ tables, run }: Lane) {
  await run(`lock table ${tables.join(", ")} in access exclusive mode`);
  // A server that ran before has already written to the log.
  for (const table of tables.filter((name) => name !== getTableName(logs))) {
    const { rows } = await run(`select from ${table} limit 1`);
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
