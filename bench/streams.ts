// Measures what open panels cost a server, idle and with many changes: npm run bench:streams
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { events } from "@footprint/contract/events.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { users } from "@footprint/contract/users.ts";
import { must } from "./calls.ts";
import { databaseProcess, serverProcess, temporaryFolder } from "./processes.ts";

const { values: options } = parseArgs({
  options: {
    streams: { type: "string", default: "1000" },
    changes: { type: "string", default: "20" },
    seconds: { type: "string", default: "10" },
    /** Use the embedded engine. */
    embedded: { type: "boolean", default: false },
  },
});
const [streams, changes, seconds] = [options.streams, options.changes, options.seconds].map(Number) as [
  number,
  number,
  number,
];
/** With more streams of an account the server closes the oldest. */
const perAccount = 20;
const admin = { username: "bench.admin", password: "the bench's own password" };
const metricsKey = "bench-metrics-key-0123456789";

const folder = await temporaryFolder();
const database = options.embedded ? undefined : await databaseProcess(folder.path);
const product = serverProcess(
  {
    ...(database ? { DATABASE_URL: database.url } : { DATA_DIR: folder.path }),
    ADMIN_USERNAME: admin.username,
    ADMIN_PASSWORD: admin.password,
    METRICS_KEY: metricsKey,
    NODE_ENV: "production",
    DEMO: "on",
  },
  (words) => {
    throw new Error(words);
  },
);
try {
  await product.start();
  const origin = product.origin();
  if (!origin) throw new Error("the server did not start");
  const { accessToken: token } = await must({ origin }, session.login, { body: admin });
  const { users: found } = await must({ origin, token }, users.list, { query: { limit: 1 } });
  const change = () =>
    must({ origin, token }, users.addBalance, { params: { id: found[0]?._id ?? "" }, body: { balance: 1 } });

  await measure(origin, "nobody follows, nothing happens", () => setTimeout(seconds * 1000));
  await measure(origin, `nobody follows, ${changes} changes a second`, () => keepChanging(change));
  let received = 0;
  await openStreams(origin, token, () => received++);
  await measure(origin, `${streams} follow, nothing happens`, () => setTimeout(seconds * 1000));
  received = 0;
  await measure(origin, `${streams} follow, ${changes} changes a second`, () => keepChanging(change));
  console.log(`${(received / seconds / streams).toFixed(1)} pieces a second reached each of them`);
  await product.kill();
} finally {
  await database?.stop();
  await folder.remove();
}
process.exit();

async function openStreams(origin: string, token: string, onPiece: () => void) {
  for (let account = 0; account * perAccount < streams; account++) {
    const body = { username: `follower.${account}`, password: `the password of ${account}` };
    await must({ origin, token }, staff.create, { body });
    const { accessToken } = await must({ origin }, session.login, { body });
    const own = Array.from({ length: Math.min(perAccount, streams - account * perAccount) }, async () => {
      const stream = request(origin + events.stream.path, {
        agent: false,
        headers: { authorization: `Bearer ${accessToken}` },
      }).end();
      const [answer] = (await once(stream, "response")) as [IncomingMessage];
      if (answer.statusCode !== 200) throw new Error(`a stream was refused: ${answer.statusCode}`);
      answer.on("data", onPiece);
    });
    await Promise.all(own);
  }
}

/** By the clock, however long each change takes. */
async function keepChanging(change: () => Promise<unknown>) {
  const all: Promise<unknown>[] = [];
  for (let place = 0; place < changes * seconds; place++) {
    all.push(change());
    await setTimeout(1000 / changes);
  }
  await Promise.all(all);
}

async function measure(origin: string, name: string, work: () => Promise<unknown>) {
  const before = await usageOf(origin);
  const begun = performance.now();
  await work();
  const after = await usageOf(origin);
  const share = (after.cpu - before.cpu) / ((performance.now() - begun) / 1000);
  console.log(`${name.padEnd(40)}${(share * 100).toFixed(1)} % of a core, ${(after.memory / 1e6).toFixed(0)} MB`);
}

/** The server's own report: seconds of processor time, and bytes of memory. */
async function usageOf(origin: string) {
  const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${metricsKey}` } });
  const text = await answer.text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  return { cpu: read("process_cpu_seconds_total"), memory: read("process_resident_memory_bytes") };
}
