// Fills an empty database with a business of any size: DATABASE_URL=… npm run seed -- --orders 1000000
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
import { copyRows } from "./copy-rows.ts";

const names = businessTables.map((table) => getTableName(table));

type Target = Pick<Config, "databaseUrl" | "dataDir">;

/**
 * Fills an empty database: on the embedded engine in one transaction, on PostgreSQL in two beside each other, of which
 * the log's ends first. What fails before that leaves nothing.
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
    // The made-up past is older than what a server may have chained already.
    await log.run("delete from log_chain");
    const loads = new Map(await Promise.all(lanes.map(async (lane) => [lane, await openLoad(lane, timed)] as const)));
    const customers = Math.max(100, Math.round(orders / 25));
    for (const [table, rows] of makeBusiness({ now, days: 730, orders, customers, logsShop: true })) {
      const lane = lanes.find(({ tables }) => tables.includes(getTableName(table))) as Lane;
      await loads.get(lane)?.add(table, rows);
    }
    await Promise.all([...loads.values()].map((load) => load.end()));
    const analyze = ({ run, tables }: Lane) =>
      timed(`analysis of ${tables.length === 1 ? tables[0] : "the rest"}`, async () => {
        for (const table of tables) await run(`vacuum (analyze) ${table}`);
      });
    if (log !== main) await log.run("commit");
    const finish = async () => {
      await timed("counters", () => main.run("call recount()"));
      await main.run("commit");
      await analyze(main);
    };
    await Promise.all([finish(), ...(log === main ? [] : [analyze(log)])]);
    for (const [name, time] of times) report(`${name.padEnd(26)}${(time / 1000).toFixed(1).padStart(8)} s`);
  } finally {
    await close();
  }
}

/** A connection, and the tables that it fills. */
type Lane = {
  tables: string[];
  run(statement: string): Promise<{ rows: Record<string, unknown>[] }>;
  store(table: PgTable, rows: object[]): Promise<void>;
};

/** So many batches may wait for their connection. */
const mostWaiting = 20;

/** Takes rows faster than they are stored, so that neither making them up nor the other lane waits. */
async function openLoad({ tables, run, store }: Lane, timed: (name: string, work: () => Promise<unknown>) => unknown) {
  // Rows may refer to rows that come later.
  const endStatements = await beginBulkLoad(run, tables);
  const waiting: Promise<unknown>[] = [];
  let stored: Promise<unknown> = Promise.resolve();
  return {
    async add(table: PgTable, rows: object[]) {
      stored = stored.then(() => timed(getTableName(table).replace("_", " "), () => store(table, rows)));
      // Whoever awaits it hears of a failure, and not the process.
      stored.catch(() => {});
      waiting.push(stored);
      if (waiting.length > mostWaiting) await waiting.shift();
    },
    async end() {
      await stored;
      for (const [name, parts] of endStatements)
        await timed(name, async () => {
          for (const part of parts) await run(part);
        });
    },
  };
}

/** Connections of its own, since the server's end statements that take as long as these; the tables are up to date. */
async function connect({ databaseUrl, dataDir }: Target): Promise<{ lanes: Lane[]; close(): Promise<unknown> }> {
  if (!databaseUrl) {
    const { db, close } = await openFolder(dataDir);
    const lane: Lane = {
      tables: names,
      run: (statement) => db.execute(sql.raw(statement)),
      store: (table, rows) => insertRows(db, table, rows),
    };
    return { lanes: [lane], close };
  }
  await (await openEngine({ databaseUrl, dataDir })).close();
  const clients: pg.Client[] = [];
  const open = async (tables: string[]): Promise<Lane> => {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: "footprint seed" });
    // A connection that breaks fails the running statement; without a listener it would end the process as well.
    client.on("error", () => {});
    await client.connect();
    clients.push(client);
    return { tables, run: (statement) => client.query(statement), store: (...rows) => copyRows(client, ...rows) };
  };
  // To the log goes half of the work, and nothing refers to it.
  const log = getTableName(logs);
  const lanes = [await open(names.filter((name) => name !== log)), await open([log])];
  return { lanes, close: () => Promise.all(clients.map((client) => client.end())) };
}

/** For these connections alone. */
const settings = [
  ...["work_mem = '256MB'", "synchronous_commit = off", "timezone = 'UTC'", "jit = off"],
  // What is counted is divided among processes: PostgreSQL thinks that it comes to hundreds of thousands of counters.
  "parallel_tuple_cost = 0",
];

async function refuseUnlessEmpty({ tables, run }: Lane) {
  await run(`lock table ${tables.join(", ")} in access exclusive mode`);
  // A server that was started before has written to the log already.
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
