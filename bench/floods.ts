// Measures how fast people at work are answered during floods: npm run bench:floods
import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { flatAddress } from "@footprint/contract/address.ts";
import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import type { Endpoint, Input } from "@footprint/contract/endpoint.ts";
import { orders } from "@footprint/contract/orders.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { statements } from "@footprint/contract/statements.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { isAnswer, must, send } from "./calls.ts";
import { databaseProcess, serverProcess, temporaryFolder } from "./processes.ts";
import { seed } from "./seed.ts";

const { values: options } = parseArgs({
  options: {
    embedded: { type: "boolean", default: false },
    orders: { type: "string", default: "30000" },
    /** How long each flood lasts. */
    seconds: { type: "string", default: "8" },
    /** Run only floods whose name contains this. */
    only: { type: "string", default: "" },
  },
});
const lasting = Number(options.seconds) * 1_000;
const admin = { username: "bench.admin", password: "the bench's own password" };
const flooder = { username: "bench.flooder", password: "the flooder's own password" };

const folder = await temporaryFolder();
const database = options.embedded ? undefined : await databaseProcess(folder.path);
const home = { databaseUrl: database?.url, dataDir: join(folder.path, "data") };
await seed(home, { orders: Number(options.orders) });
const place: Record<string, string> = home.databaseUrl
  ? { DATABASE_URL: home.databaseUrl }
  : { DATA_DIR: home.dataDir };
const product = serverProcess(
  { ...place, ADMIN_USERNAME: admin.username, ADMIN_PASSWORD: admin.password, NODE_ENV: "production" },
  (words) => {
    throw new Error(words);
  },
);
await product.start();
const origin = product.origin() ?? "";
const port = Number(new URL(origin).port);

const { accessToken: token } = await must({ origin }, session.login, { body: admin });
await must({ origin, token }, staff.create, { body: { ...flooder, role: "admin" } });
const { accessToken: flooding } = await must({ origin }, session.login, { body: flooder });
const { key } = await must({ origin, token }, website.createApiKey, { body: { name: `bench ${Date.now()}` } });
const customers = (await must({ origin, token }, users.list, { query: { limit: 50 } })).users;
const [buyer, other] = customers.filter(({ status, isVerified }) => status && isVerified);
if (!buyer || !other) throw new Error("the business has no customers");
for (let times = 0; times < 5; times++)
  await must({ origin, token }, users.addBalance, { params: { id: buyer._id }, body: { balance: 100_000 } });
const party = { name: "Bench Mark", street: "1 Floor St", street2: "", city: "Austin", state: "TX", zip: "73301" };
const address = { ...party, country: "United States" };
const addresses = { ...flatAddress("from", address), ...flatAddress("to", address) };
const label = () => ({ labelType: "shipv2_saver", weight: 1, ...addresses, tracking: `T${randomUUID()}` });

/** Incomplete requests: for a sign-in, a search and an order. */
const halves = [
  'POST /api/v1/auth/admin-login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"',
  "GET /api/v1/admin/orders/read?search=a HTTP/1.1\r\nHost: x\r\nX-",
  'POST /api/v1/storefront/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"',
];
const pipelined = (path: string, times: number) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(times);

let isOn = false;
const answered = new Map<string, number>();

/** Repeats the work on so many connections at once. */
async function again(connections: number, work: () => Promise<string>) {
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (isOn) {
        const outcome = await work();
        answered.set(outcome, (answered.get(outcome) ?? 0) + 1);
        if (!outcome.startsWith("2")) await setTimeout(20);
      }
    }),
  );
}

const calling = async <E extends Endpoint>(as: string, call: E, input: Input<E>, once?: string) => {
  const answer = await send({ origin, token: as }, call, input, once);
  return isAnswer(answer) ? String(answer.status) : answer.why.slice(0, 3);
};

const buyMany = () => {
  const body = { discordId: buyer.discordId, orders: Array.from({ length: 500 }, label) };
  return calling(key, storefront.createBulkOrder, { body }, randomUUID());
};

/** Keeps connections open, and opens them again when the server has ended them. */
async function keepOpen(amount: number, first: (place: number) => string) {
  const open = new Set<Socket>();
  for (let opened = 0; isOn; ) {
    for (let batch = 0; batch < 250 && open.size < amount; batch++) {
      const socket = connect(port, "127.0.0.1");
      const words = first(opened++);
      open.add(socket.pause().on("connect", () => socket.write(words)));
      socket.on("error", () => {}).on("close", () => open.delete(socket));
    }
    await setTimeout(10);
  }
  for (const socket of open) socket.destroy();
}

const file = statementOf(9_500_000);
const floods: Record<string, () => Promise<void>> = {
  nothing: async () => {},
  "one connection, 460 requests in it, answers never read": () =>
    keepOpen(1, () => pipelined("/api/openapi.json", 200) + pipelined("/api/v1/nothing", 260)),
  "5,000 requests that never end": () => keepOpen(5_000, (place) => halves[place % halves.length] as string),
  "64 calls of an account for a hundred bulk orders": () =>
    again(64, () => calling(flooding, bulkOrders.list, { query: { limit: 100 } })),
  "16 statements of 10 MB of an account": () => again(16, dropStatement),
  "32 orders of a shop for 500 labels": () => again(32, buyMany),
  "64 orders of a shop for a label": () =>
    again(64, () =>
      calling(key, storefront.createOrder, { body: { discordId: buyer.discordId, ...label() } }, randomUUID()),
    ),
};

const [first, ...others] = Object.entries(floods).filter(([name]) => name === "nothing" || name.includes(options.only));
try {
  // Listing a hundred bulk orders is expensive only if there are some.
  for (let times = 0; times < 4; times++) {
    const outcome = await buyMany();
    if (outcome !== "201") throw new Error(`a bulk order was answered ${outcome}`);
  }
  console.log("two people at work: their calls' milliseconds, and how many times what they are without a flood");
  let usual: Times | undefined;
  for (const [name, flood] of [first, ...others].filter((one) => one !== undefined)) {
    isOn = true;
    answered.clear();
    const flooded = flood();
    await setTimeout(1_000);
    const times = await workAtDesk();
    isOn = false;
    usual ??= times;
    const { calls, p50, p95, most, refused } = times;
    const compared = `${(p50 / usual.p50).toFixed(1)}x, ${(p95 / usual.p95).toFixed(1)}x`;
    console.log(
      `${name.padEnd(56)} p50 ${p50.toFixed(0)}, p95 ${p95.toFixed(0)} (${compared}), most ${most.toFixed(0)}; ` +
        `${refused} of ${calls} refused; the flood: ${[...answered].map((each) => each.join(" ")).join(", ") || "-"}`,
    );
    await Promise.race([flooded, setTimeout(30_000)]);
    await setTimeout(1_000);
  }
} finally {
  await product.kill();
  await database?.stop();
  await folder.remove();
}
process.exit();

type Times = Awaited<ReturnType<typeof workAtDesk>>;

/** Two people who list, search and credit, one call after the other. */
async function workAtDesk() {
  const steps = [
    () => calling(token, orders.list, {}),
    () => calling(token, users.list, {}),
    () => calling(token, orders.list, { query: { search: "mar" } }),
    () => calling(token, users.read, { params: { id: other?._id ?? "" } }),
    () => calling(token, users.addBalance, { params: { id: other?._id ?? "" }, body: { balance: 0.01 } }),
  ];
  const times: number[] = [];
  let refused = 0;
  const end = performance.now() + lasting;
  const person = async () => {
    for (let step = 0; performance.now() < end; step++) {
      const since = performance.now();
      const answer = await steps[step % steps.length]?.();
      times.push(performance.now() - since);
      if (answer !== "200") refused++;
      await setTimeout(30);
    }
  };
  await Promise.all([person(), person()]);
  times.sort((one, another) => one - another);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { calls: times.length, p50: at(0.5), p95: at(0.95), most: at(1), refused };
}

async function dropStatement() {
  const body = new FormData();
  body.set("file", file, "statement.csv");
  const headers = { authorization: `Bearer ${flooding}` };
  try {
    const answer = await fetch(origin + statements.drop.path, { method: "POST", headers, body });
    await answer.arrayBuffer();
    return String(answer.status);
  } catch {
    return "ended";
  }
}

function statementOf(bytes: number): Blob {
  const lines = ["Transaction ID,Date,Transaction Type,Currency,Amount,Status,Notes,Name of sender/receiver\r\n"];
  for (let size = 0; size < bytes; size += lines.at(-1)?.length ?? bytes)
    lines.push(`${randomUUID()},2026-11-10 10:00:00 EST,Received P2P,USD,$12.00,COMPLETE,label,P ${lines.length}\r\n`);
  return new Blob(lines, { type: "text/csv" });
}
