// Measures what every call costs, compared with its floor, and how that grows with the business: npm run bench
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { session } from "@footprint/contract/session.ts";
import { website } from "@footprint/contract/website.ts";
import { sql } from "drizzle-orm";
import { ensureAdmin } from "../server/accounts/accounts.ts";
import { buildApp } from "../server/app.ts";
import { readConfig } from "../server/config.ts";
import { openEngine, withoutTimeLimit } from "../server/db/engine.ts";
import { must } from "./calls.ts";
import type { Floor } from "./measuring/floor.ts";
import { environment, type Home, seededHome } from "./measuring/home.ts";
import { type Figures, load, type Request } from "./measuring/load.ts";
import { pageStatement } from "./measuring/page-statement.ts";
import { openPgbench, shareLine } from "./measuring/pgbench.ts";
import { microseconds, profileOf } from "./measuring/profile.ts";
import { record } from "./measuring/record.ts";
import { type Row, rowsOf } from "./measuring/rows.ts";
import { type Measured, summary, tableHead, tableLine } from "./measuring/table.ts";
import { databaseProcess, serverProcess, temporaryFolder } from "./processes.ts";

const { values: options } = parseArgs({
  options: {
    large: { type: "boolean", default: false },
    /** Use the embedded engine, with smaller businesses. */
    embedded: { type: "boolean", default: false },
    /** Businesses of other sizes: 30000,500000. */
    orders: { type: "string" },
    /** Measure only rows whose name contains this. */
    only: { type: "string", default: "" },
    /** Measure lists and the dashboard with these numbers of connections only. */
    connections: { type: "string" },
    /** Milliseconds per measurement. */
    slice: { type: "string", default: "600" },
    /** Use this empty PostgreSQL server instead of starting one; existing databases are used as they are. */
    server: { type: "string" },
    /** Also show where the server's processor time went. */
    profile: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const sizes = options.orders
  ? options.orders.split(",").map(Number)
  : options.embedded
    ? [2_000, 50_000]
    : [10_000, 1_000_000, ...(options.large ? [10_000_000] : [])];
const slice = Number(options.slice);
const rounds = 3;
const storefrontOrders = "storefront order";
const account = { ADMIN_USERNAME: "bench.admin", ADMIN_PASSWORD: "the bench's own password" };
/** Few changes are possible for lack of targets; ten per connection are enough to measure. */
const changesWith = (connections: number) => 100 + 10 * connections;
/** How long orders are bought in each round: a few hundred are over before a server is warm. */
const orderingMs = 4_000;

const folder = await temporaryFolder();
const profiles = join(folder.path, "profiles");
const profiling = options.profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` } : {};
const database = options.server || options.embedded ? undefined : await databaseProcess(folder.path);
const server = options.embedded ? undefined : (options.server ?? database?.server);

type Measurable = {
  origin: string;
  rows: Row[];
  floorOrigin: string;
  learn: (path: string, floor: Floor) => Promise<void>;
  recorded: (request: Request) => ReturnType<typeof record>;
  close: () => Promise<void>;
};

const pgbench = server && storefrontOrders.includes(options.only) ? await openPgbench(server) : undefined;
const pgbenchSeconds = (slice * rounds) / 1000;
const opened: [size: number, Measurable][] = [];
for (const size of sizes) opened.push([size, await open(size)]);
const table: Measured[] = [];
const begun = microseconds();
try {
  if (server && !pgbench)
    console.log("Orders are held against nothing: pgbench is not installed, or was not asked for");
  console.log(tableHead);
  for (const { name } of opened[0]?.[1].rows ?? []) {
    for (const connections of connectionsFor(name)) {
      const isOrder = name === storefrontOrders;
      const before = isOrder && (await pgbench?.(connections, pgbenchSeconds));
      const measured = await measure(name, connections);
      for (const row of measured) console.log(tableLine(row));
      table.push(...measured);
      const after = isOrder && (await pgbench?.(connections, pgbenchSeconds));
      if (before && after)
        for (const { product } of measured)
          console.log(shareLine(product.perSecond, (before + after) / 2, connections));
    }
  }
} finally {
  for (const [, { close }] of opened) await close();
  if (options.profile) console.log(`\n${await profileOf(profiles, begun)}`);
  await database?.stop();
  await folder.remove();
}
console.log(`\n${summary(table)}`);
const machine = { cpu: cpus()[0]?.model ?? "", cores: cpus().length, memory: Math.round(totalmem() / 2 ** 30) };
const file =
  options.json ?? fileURLToPath(new URL(`results/${new Date().toISOString().slice(0, 10)}.json`, import.meta.url));
await mkdir(join(file, ".."), { recursive: true });
await writeFile(file, `${JSON.stringify({ machine, node: process.version, sizes, rows: table }, undefined, 2)}\n`);
console.log(`Kept in ${file}`);

/** The server works on few searches of one account at once, and few passwords. For orders more numbers are of interest. */
function connectionsFor(name: string): number[] {
  if (name.includes("search")) return [1];
  if (name === "sign in") return [8];
  if (options.connections) return [Number(options.connections)];
  return name === storefrontOrders ? [1, 8, 32] : [1, 16, 32];
}

/** A home for one more process: PostgreSQL is shared, a folder is copied. */
async function anotherHome(home: Home, name: string): Promise<Home> {
  if (home.databaseUrl) return home;
  const copy = { ...home, dataDir: `${home.dataDir} ${name}` };
  await cp(home.dataDir, copy.dataDir, { recursive: true });
  return copy;
}

async function open(size: number): Promise<Measurable> {
  const home = await seededHome(size, server, folder.path);
  const rows = await preparedRows(home);
  const [floorHome, ownHome] = [await anotherHome(home, "floor"), await anotherHome(home, "own")];
  const product = serverProcess({ ...environment(home), NODE_ENV: "production", ...profiling }, (words) => {
    throw new Error(words);
  });
  await product.start();
  const origin = product.origin();
  if (!origin) throw new Error("the server did not start");
  const floor = fork(fileURLToPath(new URL("measuring/floor.ts", import.meta.url)), {
    env: { ...process.env, ...environment(floorHome) },
  });
  const [port] = await once(floor, "message");
  const own = await openApp(ownHome);
  return {
    origin,
    rows,
    floorOrigin: `http://127.0.0.1:${port}`,
    learn: (path, known) => tell(floor, { path, floor: known }),
    recorded: (request) => record(own.app, request),
    async close() {
      await own.close();
      floor.kill();
      // The profile is written only if the program ends by itself.
      await product.kill(options.profile ? "SIGTERM" : "SIGKILL");
    },
  };
}

async function openApp(home: Home) {
  const engine = await openEngine(home);
  const config = readConfig({ LOG_LEVEL: "silent", ...account });
  await ensureAdmin(engine.db, config);
  const app = await buildApp({ db: engine.db, config, now: () => new Date() });
  const close = async () => {
    await app.close();
    await engine.close();
  };
  return { app, db: engine.db, close };
}

/** The rows to measure, with everything they need: a session, a shop's key, accounts, codes and money. */
async function preparedRows(home: Home): Promise<Row[]> {
  const { app, db, close } = await openApp(home);
  try {
    const origin = await app.listen({ port: 0, host: "127.0.0.1" });
    const query = async <T>(text: string) => (await withoutTimeLimit(db).execute(sql.raw(text))).rows as T[];
    return await rowsOf({ origin, ...(await admission(origin)), query }, options.only);
  } finally {
    await close();
  }
}

async function tell(child: ChildProcess, message: object) {
  const heard = once(child, "message");
  child.send(message);
  await heard;
}

/** Gets a session and an API key, as everybody does. */
async function admission(origin: string) {
  const body = { username: account.ADMIN_USERNAME, password: account.ADMIN_PASSWORD };
  const { accessToken: token } = await must({ origin }, session.login, { body });
  const { key: shopKey } = await must({ origin, token }, website.createApiKey, {
    body: { name: `bench ${Date.now()}` },
  });
  return { token, shopKey };
}

/**
 * Measures one row at every size, server and floor in turns within seconds, so that other work on the machine affects
 * all alike.
 */
async function measure(name: string, connections: number): Promise<Measured[]> {
  const isOrder = name === storefrontOrders;
  const runs = [];
  for (const [size, measurable] of opened) {
    const row = measurable.rows.find((candidate) => candidate.name === name);
    if (!row) throw new Error(`${name} is missing at ${size}`);
    const first = row.next();
    const path = `/${encodeURIComponent(name)}`;
    const recording = await measurable.recorded(first);
    // The floor takes targets from the other end: refunding an order twice would be refused.
    const rest = (row.targets ?? []).filter((target) => target !== first.target).reverse();
    const recordedTarget = first.target ? [first.target] : [];
    const key = first.headers?.["idempotency-key"];
    await measurable.learn(path, {
      ...recording,
      ...(first.method === "GET" && { steps: [[pageStatement]] }),
      targets: [...recordedTarget, ...rest],
      fresh: key ? [key] : [],
      password: row.password,
    });
    const isChange = row.targets !== undefined;
    runs.push({ size, measurable, row, path, isChange, statements: recording.steps.flat().length });
  }
  const limits = (isChange: boolean) =>
    isChange
      ? { connections, milliseconds: 10_000, requests: changesWith(connections) }
      : { connections, milliseconds: slice, requests: 1e9 };
  const ordering = { connections, milliseconds: orderingMs, requests: 1e9 };
  const taken = runs.map(() => ({ product: [] as Figures[], floor: [] as Figures[] }));
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { measurable, row, path, isChange }] of runs.entries()) {
      const product = await load(measurable.origin, row.next, isOrder ? ordering : limits(isChange));
      const floor = await load(measurable.floorOrigin, () => ({ method: "GET", path }), limits(isChange));
      // The first round only warms up.
      if (round === 0) continue;
      taken[index]?.product.push(product);
      taken[index]?.floor.push(floor);
    }
  }
  // Targets used by the floor are removed from the server's.
  for (const { row, isChange } of runs)
    if (isChange && row.targets) row.targets.length -= usedBy(row.targets.length, connections);
  const figures = runs.map((run, index) => ({
    ...run,
    product: median(taken[index]?.product ?? []),
    floor: median(taken[index]?.floor ?? []),
  }));
  return figures.map(({ size, statements, product, floor }) => ({
    name,
    size,
    connections,
    statements,
    product,
    floor,
    ratio: floor.perSecond / product.perSecond,
    growth: (figures[0]?.product.perSecond ?? Number.NaN) / product.perSecond,
  }));
}

/** With few targets, each is used again and again, and none is removed. */
function usedBy(targets: number, connections: number): number {
  const used = (rounds + 1) * changesWith(connections);
  return used < targets / 2 ? used : 0;
}

/** The median of each figure over the rounds. */
function median(figures: Figures[]): Figures {
  const of = (pick: (figure: Figures) => number) => {
    const sorted = figures.map(pick).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  return { perSecond: of((f) => f.perSecond), p50: of((f) => f.p50), p99: of((f) => f.p99) };
}
