// Measures what the outbox costs a purchase, in processor time: npm run bench:outbox
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { session } from "@footprint/contract/session.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { must, send } from "./calls.ts";
import { databaseProcess, serverProcess, temporaryFolder, worked } from "./processes.ts";

const { values: options } = parseArgs({
  options: {
    /** How many rounds, orders per round, and orders under way at once. */
    rounds: { type: "string", default: "8" },
    orders: { type: "string", default: "400" },
    connections: { type: "string", default: "8" },
  },
});
const [rounds, orders, connections] = [options.rounds, options.orders, options.connections].map(Number) as [
  number,
  number,
  number,
];
const admin = { username: "bench.admin", password: "the bench's own password" };
const silent = fileURLToPath(new URL("./measuring/without-outbox.ts", import.meta.url));
const party = { Name: "A", Street: "1 Main St", City: "Austin", State: "TX", Zip: "78701", Country: "US" };
const parties = ["from", "to"].flatMap((side) => Object.entries(party).map(([name, text]) => [side + name, text]));

const folder = await temporaryFolder();
const database = await databaseProcess(folder.path);
try {
  const shops = [await open("with", {}), await open("without", { NODE_OPTIONS: `--import=${silent}` })] as const;
  for (const shop of shops) await measure(shop);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // The two take turns to be first.
    const inTurn = round % 2 === 0 ? shops : shops.toReversed();
    const costs = new Map<string, number>();
    for (const shop of inTurn) costs.set(shop.name, await measure(shop));
    const [told = 0, untold = 0] = [costs.get("with"), costs.get("without")];
    ratios.push(told / untold);
    console.log(
      `${told.toFixed(2)} ms an order with the outbox, ${untold.toFixed(2)} without: ${ratios.at(-1)?.toFixed(3)}`,
    );
  }
  const sorted = ratios.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]?.toFixed(3);
  console.log(`median ${at(0.5)}, quarters ${at(0.25)} and ${at(0.75)}`);
  for (const { product } of shops) await product.kill();
} finally {
  await database.stop();
  await folder.remove();
}
process.exit();

type Shop = Awaited<ReturnType<typeof open>>;

/** A server with a customer for each connection. */
async function open(name: string, env: Record<string, string>) {
  const url = await database.create(`footprint_${name}`);
  const product = serverProcess(
    {
      DATABASE_URL: url,
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
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
  const { key } = await must({ origin, token }, website.createApiKey, { body: { name } });
  await must({ origin, token }, labelTypes.create, { body: { name, uid: "plain", maxWeight: 20, type: "shipv2" } });
  const [labelType] = (await must({ origin, token }, labelTypes.list, {})).labelTypes;
  const tier = { fromWeight: 0, toWeight: 20, price: 0.01 };
  await must({ origin, token }, labelTypes.addTier, { params: { id: labelType?._id ?? "" }, body: tier });
  for (let place = 0; place < connections; place++) {
    const params = { discordId: `buyer-${place}` };
    const { customer } = await must({ origin, token: key }, storefront.putCustomer, {
      params,
      body: { username: "buyer" },
    });
    await must({ origin, token }, users.verify, { params: { id: customer._id } });
    await must({ origin, token }, users.addBalance, { params: { id: customer._id }, body: { balance: 100_000 } });
  }
  return { name, product, origin, key };
}

/** Processor time of server and database per order, in milliseconds. */
async function measure({ name, product, origin, key }: Shop): Promise<number> {
  const workedUntilNow = async () => worked([product.pid(), ...(await database.pids())]);
  const before = await workedUntilNow();
  let left = orders;
  await Promise.all(
    Array.from({ length: connections }, async (_, place) => {
      while (left-- > 0) {
        const body = { discordId: `buyer-${place}`, labelType: "plain", weight: 1, ...Object.fromEntries(parties) };
        const answer = await send({ origin, token: key }, storefront.createOrder, { body }, crypto.randomUUID());
        if (!("status" in answer) || answer.status !== 201) throw new Error(`${name}: ${JSON.stringify(answer)}`);
      }
    }),
  );
  // Includes the numbering that is still to be done.
  await new Promise((done) => setTimeout(done, 1_500));
  return ((await workedUntilNow()) - before) / orders;
}
