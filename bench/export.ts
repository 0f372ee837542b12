// Measures how much a server's memory grows while it exports all orders: npm run bench:export
import { parseArgs } from "node:util";
import { pathOf } from "@footprint/contract/endpoint.ts";
import { orders } from "@footprint/contract/orders.ts";
import { session } from "@footprint/contract/session.ts";
import { must } from "./calls.ts";
import { environment, seededHome } from "./measuring/home.ts";
import { databaseProcess, serverProcess, temporaryFolder } from "./processes.ts";

const { values: options } = parseArgs({
  options: {
    orders: { type: "string" },
    /** Use the embedded engine. */
    embedded: { type: "boolean", default: false },
    /** Use this PostgreSQL server instead of starting one; an existing database is used as it is. */
    server: { type: "string" },
  },
});
const size = Number(options.orders ?? (options.embedded ? 50_000 : 1_000_000));
const account = { ADMIN_USERNAME: "bench.admin", ADMIN_PASSWORD: "the bench's own password" };
const metricsKey = "bench-metrics-key-0123456789";

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

const kinds = ["resident", "heap", "external"] as const;
const metrics = {
  resident: "process_resident_memory_bytes",
  heap: "nodejs_heap_size_total_bytes",
  external: "nodejs_external_memory_bytes",
};

const folder = await temporaryFolder();
const database = options.server || options.embedded ? undefined : await databaseProcess(folder.path);
try {
  const home = await seededHome(size, options.embedded ? undefined : (options.server ?? database?.server), folder.path);
  const env = { ...environment(home), ...account, METRICS_KEY: metricsKey, NODE_ENV: "production" };
  const product = serverProcess(env, (words) => {
    throw new Error(words);
  });
  await product.start();
  const origin = product.origin();
  if (!origin) throw new Error("the server did not start");
  const body = { username: account.ADMIN_USERNAME, password: account.ADMIN_PASSWORD };
  const { accessToken: token } = await must({ origin }, session.login, { body });
  // The first export meets a fresh server; growth in the second would happen with each.
  for (const name of ["first", "second"]) console.log(`${name.padEnd(8)}${await exportOnce(origin, token)}`);
  await product.kill();
} finally {
  await database?.stop();
  await folder.remove();
}

async function exportOnce(origin: string, token: string): Promise<string> {
  const before = await memoryOf(origin);
  const most = { ...before };
  const watching = setInterval(async () => {
    const now = await memoryOf(origin);
    for (const kind of kinds) most[kind] = Math.max(most[kind], now[kind]);
  }, 250);
  const begun = performance.now();
  const answer = await fetch(origin + pathOf(orders.export), { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok || !answer.body) throw new Error(`the export was refused: ${await answer.text()}`);
  let bytes = 0;
  for await (const piece of answer.body) bytes += piece.length;
  const seconds = (performance.now() - begun) / 1000;
  clearInterval(watching);
  const after = await memoryOf(origin);
  const grown = kinds.map((kind) => `${kind} ${megabytes(Math.max(most[kind], after[kind]) - before[kind])}`);
  return `${megabytes(bytes)} in ${seconds.toFixed(1)} s; at most this much more: ${grown.join(", ")}`;
}

/** The server's own report of its memory, in bytes. */
async function memoryOf(origin: string): Promise<Record<(typeof kinds)[number], number>> {
  const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${metricsKey}` } });
  const text = await answer.text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  return { resident: read(metrics.resident), heap: read(metrics.heap), external: read(metrics.external) };
}
