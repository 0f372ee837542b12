import { labelTypes } from "@footprint/contract/label-types.ts";
import { users } from "@footprint/contract/users.ts";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers, customPrices, orders, priceTiers } from "../db/schema.ts";
import { addCustomer, addLabelType, addOrder } from "../testing/builders.ts";
import { call, db, logRows, moveBusinessTo } from "../testing/server.ts";

type Tier = [from: number, to: number, price: number];
type Known = { id: string };

const tiersOf = (prices: Tier[]) => prices.map(([fromWeight, toWeight, price]) => ({ fromWeight, toWeight, price }));
const ask = ({ id }: Known, prices: Tier[]) =>
  call("admin", labelTypes.preview, { params: { id }, body: { prices: tiersOf(prices) } });
const preview = async (labelType: Known, prices: Tier[]) => (await ask(labelType, prices)).body.preview;
const warnings = async (labelType: Known, prices: Tier[]) =>
  (await ask(labelType, prices)).body.warnings.map(({ kind, message }) => `${kind}: ${message}`);

async function addCustomPrice(customer: Known, labelType: Known, [fromWeight, toWeight, price]: Tier) {
  const body = { labelType: labelType.id, fromWeight, toWeight, price };
  expect((await call("staff", users.addCustomPrice, { params: { id: customer.id }, body })).status).toBe(200);
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

/** Repriced from the rows, one order at a time. */
async function repricedOneByOne(labelType: Known, after: Tier[]) {
  const then = tiersOf(after).map((tier) => ({ ...tier, priceCents: Math.round(tier.price * 100) }));
  const now = (await db.select().from(priceTiers)).filter(({ labelTypeId }) => labelTypeId === labelType.id);
  const custom = (await db.select().from(customPrices)).filter(({ labelTypeId }) => labelTypeId === labelType.id);
  const enabled = new Set(
    (await db.select().from(customers)).filter((one) => one.customPricingEnabled).map((one) => one.id),
  );
  const first = new Date(new Date().toISOString().slice(0, 10)).getTime() - 29 * 86_400_000;
  const sum = {
    orders: 0,
    charged: 0,
    before: 0,
    after: 0,
    atCustomPrices: 0,
    unpriced: 0,
    unpricedCharged: 0,
    newlyPriced: 0,
  };
  const totals = { all: { ...sum }, changed: { ...sum } };
  for (const order of await db.select().from(orders)) {
    if (order.labelTypeId !== labelType.id || order.refundedAt || order.createdAt.getTime() < first) continue;
    const fits = (tier: { fromWeight: number; toWeight: number }) =>
      tier.fromWeight < order.weight && order.weight <= tier.toWeight;
    const own = custom.find(
      (tier) => enabled.has(order.customerId) && tier.customerId === order.customerId && fits(tier),
    );
    const [was, is] = [now.find(fits), then.find(fits)];
    const isChanged =
      was?.fromWeight !== is?.fromWeight || was?.toWeight !== is?.toWeight || was?.priceCents !== is?.priceCents;
    for (const total of isChanged ? [totals.all, totals.changed] : [totals.all]) {
      total.orders += 1;
      total.charged += order.priceCents;
      if (own) total.atCustomPrices += 1;
      const [before, after] = [own ?? was, own ?? is];
      if (before && after) {
        total.before += before.priceCents;
        total.after += after.priceCents;
      } else if (after) total.newlyPriced += 1;
      else {
        total.unpriced += 1;
        total.unpricedCharged += order.priceCents;
      }
    }
  }
  const inDollars = ({ charged, before, after, unpricedCharged, ...counts }: typeof sum) => ({
    ...counts,
    charged: charged / 100,
    before: before / 100,
    after: after / 100,
    unpricedCharged: unpricedCharged / 100,
  });
  return { all: inDollars(totals.all), changed: inDollars(totals.changed) };
}

test("a preview reprices each order of the last 30 days by its weight and customer, as one would by hand", async () => {
  const labelType = await addLabelType({
    tiers: [
      [0, 0.3, 0.1],
      [0.3, 1, 0.2],
      [1, 3, 8.9],
      [5, 70, 19.99],
    ],
  });
  const elsewhere = await addLabelType({ tiers: [[0, 70, 5]] });
  const plain = await addCustomer();
  const special = await addCustomer({ customPricingEnabled: true });
  const disabled = await addCustomer();
  for (const customer of [special, disabled]) {
    await addCustomPrice(customer, labelType, [0.5, 2, 0.3]);
    await addCustomPrice(customer, labelType, [4, 6, 7.77]);
  }
  const weights = [0.001, 0.3, 0.301, 0.1 + 0.2, 0.5, 0.501, 1, 1.001, 2, 2.5, 3, 3.001, 4, 4.5, 5, 5.001, 70];
  for (const [n, weight] of weights.entries())
    for (const customer of [plain, special, disabled]) {
      await addOrder({ labelType, customer, weight, price: n + 0.1 });
      await addOrder({ labelType, customer, weight, price: 0.2, refundedAt: n % 3 ? null : new Date() });
      await addOrder({ labelType, customer, weight, price: 5, createdAt: daysAgo(n * 3) });
      await addOrder({ labelType: elsewhere, customer, weight, price: 5 });
    }

  const tables: Tier[][] = [
    [
      [0, 0.3, 0.1],
      [0.3, 1, 0.2],
      [1, 3, 8.61],
      [5, 70, 19.99],
    ],
    [
      [0, 1, 0.15],
      [1, 4.5, 9],
      [5, 10, 12],
    ],
    [[0, 70, 0.3]],
    [],
  ];
  for (const table of tables) expect(await preview(labelType, table)).toEqual(await repricedOneByOne(labelType, table));
  expect((await preview(labelType, tables[0] as Tier[])).changed.orders).toBeGreaterThan(0);
  expect(await logRows()).toHaveLength(4);
});

test("the last 30 days begin with a business day", async () => {
  await moveBusinessTo("America/New_York");
  const labelType = await addLabelType({ tiers: [[0, 70, 5]] });
  const { rows } = await db.execute<{ at: string }>(sql`select day_start(business_day(now()) - 29)::text as at`);
  const first = new Date(rows[0]?.at as string);
  await addOrder({ labelType, createdAt: first });
  await addOrder({ labelType, createdAt: new Date(first.getTime() - 1) });
  expect((await preview(labelType, [[0, 70, 5]])).all.orders).toBe(1);
});

test("a preview warns of large changes, of heavier parcels that become cheaper, of gaps, and of what would be free", async () => {
  const labelType = await addLabelType({
    name: "Parcel",
    maxWeight: 20,
    tiers: [
      [0, 1, 10],
      [1, 3, 12],
      [3, 5, 11],
      [6, 20, 40],
    ],
  });
  const table = (...changes: [number, Tier | null][]) => {
    const all: (Tier | null)[] = [
      [0, 1, 10],
      [1, 3, 12],
      [3, 5, 11],
      [6, 20, 40],
    ];
    for (const [place, tier] of changes) all[place] = tier;
    return all.filter((tier) => tier !== null);
  };
  // Existing faults are not reported: 3–5 lb is cheaper than 1–3 lb, and 5–6 lb has no price.
  expect(await warnings(labelType, table())).toEqual([]);
  expect(await warnings(labelType, table([0, [0, 1, 7]]))).toEqual([]);
  expect(await warnings(labelType, table([0, [0, 1, 6.99]]))).toEqual([
    "change: 0–1 lb: $10.00 to $6.99 is 30.1 % less",
  ]);
  expect(await warnings(labelType, table([3, [6, 20, 52]]))).toEqual([]);
  expect(await warnings(labelType, table([3, [6, 20, 52.01]]))).toEqual([
    "change: 6–20 lb: $40.00 to $52.01 is 30 % more",
  ]);
  expect(await warnings(labelType, table([0, [0, 1, 12.5]]))).toEqual([
    "order: 1–3 lb at $12.00 would cost less than 0–1 lb at $12.50",
  ]);
  expect(await warnings(labelType, table([1, null]))).toEqual(["gap: 1–3 lb would have no price"]);
  expect(await warnings(labelType, table([0, [0.5, 1, 10]], [3, [6, 19, 40]]))).toEqual([
    "gap: 0–0.5 lb would have no price",
    "gap: 19–20 lb would have no price",
  ]);
  expect(await warnings(labelType, table([0, [0, 1, 0]]))).toEqual([
    "change: 0–1 lb: $10.00 to $0.00 is 100 % less",
    "free: 0–1 lb would be free",
  ]);
});

test("a preview names the customers whose custom prices would be above the standard, and are used", async () => {
  const labelType = await addLabelType({ name: "Parcel", tiers: [[0, 70, 8.9]] });
  const rosa = await addCustomer({ username: "rosa", customPricingEnabled: true });
  const dear = await addCustomer({ username: "dear", customPricingEnabled: true });
  const off = await addCustomer({ username: "off" });
  await addCustomPrice(rosa, labelType, [0, 3, 8.7]);
  await addCustomPrice(rosa, labelType, [3, 5, 8]);
  await addCustomPrice(dear, labelType, [0, 3, 9.5]);
  await addCustomPrice(off, labelType, [0, 3, 8.7]);
  const answer = await ask(labelType, [[0, 70, 8.61]]);
  expect(answer.body.warnings).toEqual([
    {
      kind: "custom",
      message: "One custom price would be above the standard",
      weights: [{ fromWeight: 0, toWeight: 3 }],
      customers: [{ _id: rosa.id, username: "rosa", fromWeight: 0, toWeight: 3, price: 8.7 }],
    },
  ]);
  expect(await warnings(labelType, [[0, 70, 8.7]])).toEqual([]);
});

test("a table that overlaps or goes too far is refused, and so is one of an unknown label type", async () => {
  const labelType = await addLabelType({ name: "Parcel", maxWeight: 20 });
  const refused = async (prices: Tier[]) => {
    const { status, body } = await ask(labelType, prices);
    return [status, body.message];
  };
  expect(
    await refused([
      [0, 2, 1],
      [1, 3, 2],
    ]),
  ).toEqual([409, "1–3 lb at $2.00 overlaps with 0–2 lb at $1.00"]);
  expect(await refused([[0, 21, 1]])).toEqual([400, "Parcel goes up to 20 lb: 21 lb is too heavy"]);
  expect((await ask({ id: uuidv7() }, [])).status).toBe(404);
});
