// Fills an empty database with a business of any size: DATABASE_URL=… npm run seed -- --orders 1000000
import pg from "pg";
import { type Config, readConfig, StartError } from "../server/config.ts";
import { openEngine, openFolder } from "../server/db/engine.ts";
import { strip } from "../server/db/strip.ts";
import { runCommand } from "../server/operations/command.ts";
import { addLogs } from "./seeding/logs.ts";
import { drawInvoices, drawMovements } from "./seeding/money.ts";
import {
  addCustomers,
  addFedexOrders,
  addInvoices,
  addLabelTypes,
  addOrders,
  addTrackingCodes,
  addTransfers,
} from "./seeding/rows.ts";
import { drawBuyers, drawCatalogue, drawSales, type Plan, planOf } from "./seeding/trade.ts";

/** In the order in which each finds what it is made of; rows refer to nothing until the references are back. */
const steps: [name: string, sql: (plan: Plan) => string][] = [
  ["label types", (plan) => drawCatalogue(plan) + addLabelTypes()],
  ["sales", (plan) => drawBuyers(plan) + drawSales(plan)],
  ["money", () => drawInvoices() + drawMovements()],
  ["customers", addCustomers],
  ["tracking codes", addTrackingCodes],
  ["orders", addOrders],
  ["Fedex orders", addFedexOrders],
  ["invoices", addInvoices],
  ["transfers", addTransfers],
  ["logs", addLogs],
];

/** What is filled. */
const tables = [
  "orders",
  "customers",
  "label_types",
  "price_tiers",
  "custom_prices",
  "tracking_codes",
  "bulk_orders",
  "fedex_orders",
  "invoices",
  "transfers",
  "logs",
];

type Target = Pick<Config, "databaseUrl" | "dataDir">;
type Connection = {
  query<Row>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
  end(): Promise<void>;
};

/** Fills an empty database in one transaction: all of it is there in the end, or nothing has changed. */
export async function seed(
  target: Target,
  { orders, now = new Date(), report = () => {} }: { orders: number; now?: Date; report?: (line: string) => void },
) {
  const connection = await connect(target);
  const run = async (name: string, ...statements: string[]) => {
    const since = performance.now();
    for (const statement of statements) await connection.query(statement);
    report(`${name.padEnd(26)}${((performance.now() - since) / 1000).toFixed(1).padStart(8)} s`);
  };
  try {
    await connection.query(memory);
    await connection.query("begin");
    await refuseUnlessEmpty(connection);
    const stripped = await strip((statement) => connection.query(statement), tables);
    const plan = planOf(orders, now);
    for (const [name, sql] of steps) await run(name, sql(plan));
    for (const [name, parts] of stripped) await run(name, ...parts);
    await run("counters", "call recount()");
    await run("commit", "commit");
    await run("vacuum and analyze", ...tables.map((table) => `vacuum (analyze) ${table}`));
  } finally {
    await connection.end();
  }
}

/** A connection of its own, since the server's end statements that take as long as these; the tables are up to date. */
async function connect({ databaseUrl, dataDir }: Target): Promise<Connection> {
  if (!databaseUrl) {
    const { client, close } = await openFolder(dataDir);
    return {
      query: async <Row>(text: string, values?: unknown[]) =>
        values ? client.query<Row>(text, values) : { rows: (await client.exec(text)).at(-1)?.rows as Row[] },
      end: close,
    };
  }
  await (await openEngine({ databaseUrl, dataDir })).close();
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "footprint seed" });
  // A connection that breaks fails the running statement; without a listener it would end the process as well.
  client.on("error", () => {});
  await client.connect();
  return client as Connection;
}

/** Enough to sort and to build indexes with, for this connection alone. */
const memory = `
  set work_mem = '256MB'; set temp_buffers = '256MB'; set maintenance_work_mem = '512MB';
  set timezone = 'UTC'; set jit = off`;

async function refuseUnlessEmpty(client: Connection) {
  await client.query(`lock table ${tables.join(", ")} in access exclusive mode`);
  // A server that was started before has written to the log already.
  for (const table of tables.filter((name) => name !== "logs")) {
    const { rows } = await client.query(`select from ${table} limit 1`);
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
