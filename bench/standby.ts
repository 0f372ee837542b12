// Measures what a standby takes off the primary, in processor time: npm run bench:standby
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Endpoint, Input } from "@footprint/contract/endpoint.ts";
import { logs } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { search } from "@footprint/contract/search.ts";
import { session } from "@footprint/contract/session.ts";
import { users } from "@footprint/contract/users.ts";
import { startPair } from "../server/testing/pair.ts";
import { must } from "./calls.ts";
import { processesOf, serverProcess, worked } from "./processes.ts";
import { seed } from "./seed.ts";

const { values: options } = parseArgs({
  options: {
    /** Orders of the business, calls of each kind per round, and rounds. */
    orders: { type: "string", default: "20000" },
    calls: { type: "string", default: "200" },
    rounds: { type: "string", default: "5" },
    /** After how many calls something is changed, which the standby has to follow before the next answer. */
    changeEvery: { type: "string", default: "10" },
  },
});
const [size, calls, rounds, changeEvery] = [options.orders, options.calls, options.rounds, options.changeEvery].map(
  Number,
) as [number, number, number, number];
const connections = 8;
const admin = { username: "bench.admin", password: "the bench's own password" };
const metricsKey = "bench-metrics-key-0123456789";

type Measured = { name: string; call: Endpoint; input: Input<Endpoint> };
const measured = <E extends Endpoint>(name: string, call: E, input: Input<E>): Measured => ({ name, call, input });
const kinds = [
  measured("orders, first page", orders.list, {}),
  measured("orders, a search", orders.list, { query: { search: "maren" } }),
  measured("the log, first page", logs.list, {}),
  measured("customers with a balance", users.list, { query: { withBalance: "true" } }),
  measured("what needs attention", dashboard.attention, {}),
  measured("two months compared", dashboard.compare, {}),
  measured("search over everything", search.find, { query: { q: "an" } }),
];

const pair = await startPair({ isSynchronous: false });
const urlOf = ({ port }: { port: number }) => `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
try {
  await seed({ databaseUrl: urlOf(pair.primary), dataDir: "" }, { orders: size });
  const alone = await open({});
  const relieved = await open({ READ_DATABASE_URL: urlOf(pair.standby) });
  while (!(await metric(relieved.origin, 'footprint_standbys{state="used"}'))) await setTimeout(100);
  console.log("milliseconds of processor time per call: of the primary alone; with a standby, of both");
  for (const kind of kinds) {
    for (const server of [alone, relieved]) await measure(server, kind);
    const rows: Cost[][] = [];
    for (let round = 0; round < rounds; round++) {
      const [first, second] = round % 2 === 0 ? [alone, relieved] : [relieved, alone];
      const costs = [await measure(first, kind), await measure(second, kind)];
      rows.push(round % 2 === 0 ? costs : costs.toReversed());
    }
    const of = (place: number, which: keyof Cost) => median(rows.map((row) => row[place]?.[which] ?? 0)).toFixed(2);
    console.log(
      `${kind.name.padEnd(28)}${of(0, "primary")}    ${of(1, "primary")} + ${of(1, "standby")} on the standby`,
    );
  }
  const [fromStandby, fromPrimary] = [
    await metric(relieved.origin, 'footprint_reads_total{from="standby"}'),
    await metric(relieved.origin, 'footprint_reads_total{from="primary"}'),
  ];
  console.log(`${fromStandby} answered from the standby, ${fromPrimary} from the primary in its place`);
  for (const { product } of [alone, relieved]) await product.kill();
} finally {
  await pair.end();
}
process.exit();

async function open(env: Record<string, string>) {
  const product = serverProcess(
    {
      DATABASE_URL: urlOf(pair.primary),
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
      METRICS_KEY: metricsKey,
      NODE_ENV: "production",
      ...env,
    },
    (words) => {
      throw new Error(words);
    },
  );
  await product.start();
  const origin = product.origin() ?? "";
  const { accessToken: token } = await must({ origin }, session.login, { body: admin });
  const { users: found } = await must({ origin, token }, users.list, { query: { limit: 1 } });
  return { product, origin, token, customer: found[0]?._id ?? "" };
}

type Cost = { primary: number; standby: number };

/** Processor time in milliseconds of each database's processes per call, changes included. */
async function measure({ origin, token, customer }: Awaited<ReturnType<typeof open>>, { call, input }: Measured) {
  const now = async (): Promise<Cost> => ({
    primary: await worked(await processesOf(await pair.primary.postmaster())),
    standby: await worked(await processesOf(await pair.standby.postmaster())),
  });
  const before = await now();
  let left = calls;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left-- > 0) {
        if (left % changeEvery === 0)
          await must({ origin, token }, users.addBalance, { params: { id: customer }, body: { balance: 0.01 } });
        await must({ origin, token }, call, input);
      }
    }),
  );
  const after = await now();
  return { primary: (after.primary - before.primary) / calls, standby: (after.standby - before.standby) / calls };
}

async function metric(origin: string, name: string): Promise<number> {
  const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${metricsKey}` } });
  const line = (await answer.text()).split("\n").find((text) => text.startsWith(`${name} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

function median(all: number[]): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0;
}
