import { labelTypes } from "@footprint/contract/label-types.ts";
import { quotes } from "@footprint/contract/quotes.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { beforeEach, expect, test } from "vitest";
import { createKey } from "../accounts/api-keys.ts";
import { uuidv7 } from "../db/ids.ts";
import { customPrices, trackingCodes } from "../db/schema.ts";
import { seededRandom } from "../demo/random.ts";
import { addCustomer, addLabelType, balanceOf, someAddresses } from "../testing/builders.ts";
import { call, db, logRows } from "../testing/server.ts";

type Customer = Awaited<ReturnType<typeof addCustomer>>;
type LabelType = Awaited<ReturnType<typeof addLabelType>>;

let shop: { token: string };
beforeEach(async () => {
  shop = { token: await db.transaction((tx) => createKey(tx, { name: "Main shop", bounded: false })) };
});

const ask = (customer: { id: string }, labelType: { id: string }, weight: number | string) =>
  call("staff", quotes.read, { query: { customer: customer.id, labelType: labelType.id, weight } });

const quote = async (customer: Customer, labelType: LabelType, weight: number) =>
  (await ask(customer, labelType, weight)).body;

let bought = 0;
const buy = ({ discordId }: Customer, { uid }: LabelType, weight: number) =>
  call(shop, storefront.createOrder, {
    body: { discordId, labelType: uid, weight, ...someAddresses, fromCountry: "US", toCountry: "US" },
    headers: { "idempotency-key": `quoted-${++bought}` },
  });

const addCustomPrice = (
  customer: Customer,
  labelType: LabelType,
  fromWeight: number,
  toWeight: number,
  price: number,
) =>
  call("staff", users.addCustomPrice, {
    params: { id: customer.id },
    body: { labelType: labelType.id, fromWeight, toWeight, price },
  });

test("a quote says the price, the tier and why it is that one", async () => {
  const rosa = await addCustomer({ username: "rosa.d", balance: 100, customPricingEnabled: true });
  const plain = await addCustomer({ username: "plain", balance: 100 });
  const priority = await addLabelType({
    ...{ name: "USPS Priority", maxWeight: 70, kind: "shipv2" },
    tiers: [
      [0, 1, 7.45],
      [1, 3, 8.9],
    ],
  });
  await addCustomPrice(rosa, priority, 1, 3, 8.5);
  await addCustomPrice(plain, priority, 1, 3, 8.4);

  expect(await quote(rosa, priority, 2)).toEqual({
    customer: { _id: rosa.id, username: "rosa.d" },
    labelType: { _id: priority.id, name: "USPS Priority" },
    weight: 2,
    unit: "lb",
    price: 8.5,
    tier: { fromWeight: 1, toWeight: 3, price: 8.5 },
    custom: true,
    standardPrice: 8.9,
    reason: "Custom price of rosa.d for 1–3 lb",
    balance: 100,
    refusals: [],
  });
  expect(await quote(rosa, priority, 1)).toMatchObject({
    price: 7.45,
    custom: false,
    reason: "Standard price for 0–1 lb; rosa.d has no custom price for 1 lb",
  });
  expect(await quote(plain, priority, 2)).toMatchObject({
    price: 8.9,
    custom: false,
    reason: "Standard price for 1–3 lb; custom pricing is switched off for plain",
  });
  expect(await quote(plain, priority, 71)).toMatchObject({
    price: null,
    tier: null,
    reason: "No price: no tier covers 71 lb",
    refusals: ["USPS Priority carries at most 70 lb"],
  });
  expect(await quote(plain, priority, 5)).toMatchObject({
    price: null,
    refusals: ["USPS Priority has no price for 5 lb"],
  });
});

test("a quote says all that a purchase would be refused for, first what a shop would be told", async () => {
  const nobody = await addCustomer({ username: "nobody", active: false, balance: 1 });
  const newcomer = await addCustomer({ username: "newcomer", verifiedAt: null });
  const first = await addLabelType({ name: "USPS First Class", uid: "ground_oz", maxWeight: 16, tiers: [[0, 16, 3]] });
  await call("admin", labelTypes.setStatus, { params: { id: first.id }, body: { status: false } });
  expect(await quote(nobody, first, 6)).toMatchObject({
    unit: "oz",
    price: 3,
    reason: "Standard price for 0–16 oz; custom pricing is switched off for nobody",
    refusals: [
      "USPS First Class is disabled",
      "nobody is disabled and cannot order",
      "nobody has $1.00, $2.00 short of $3.00",
      "No tracking code of type ground_oz is left",
    ],
  });
  expect((await quote(newcomer, first, 6)).refusals[1]).toBe("newcomer is not verified yet and cannot order");
});

test("a weight that makes no sense is 400, an unknown customer or label type 404", async () => {
  const customer = await addCustomer();
  const labelType = await addLabelType({ tiers: [[0, 5, 1]] });
  for (const weight of [0, -1, 1.0001, "", "much"]) expect((await ask(customer, labelType, weight)).status).toBe(400);
  expect((await ask({ id: uuidv7() }, labelType, 1)).status).toBe(404);
  expect((await ask(customer, { id: uuidv7() }, 1)).status).toBe(404);
});

test("a purchase does exactly what its quote said, for all kinds of customers, label types and weights", async () => {
  const random = seededRandom(41);
  const tiersUpTo = (most: number) => {
    const tiers: [number, number, number][] = [];
    for (let from = random.between(0, 500) / 1000; from < most; ) {
      const to = Math.min(most, Math.round((from + random.between(1, 6000) / 1000) * 1000) / 1000);
      tiers.push([from, to, random.pick([0, 0.01, 0.1, 2.35, 4.99, random.between(1, 900) / 100])]);
      // Some tiers touch, some leave a gap.
      from = random.chance(0.6) ? to : Math.round((to + 0.3) * 1000) / 1000;
    }
    return tiers;
  };
  const types: LabelType[] = [];
  for (const given of [
    { name: "USPS First Class", uid: "first", maxWeight: 16, kind: "shipv2" },
    { name: "Priority", uid: "priority", maxWeight: 20, kind: "usps" },
    { name: "Off", uid: "off", maxWeight: 10, kind: "wwbiz", active: false },
    { name: "Biz", uid: "biz", maxWeight: 12.345, kind: "wwbiz" },
  ] as const)
    types.push(await addLabelType({ ...given, tiers: tiersUpTo(given.maxWeight) }));
  const codes = Array.from({ length: 6 }, (_, n) => `94000000000000000000${10 + n}`);
  await db
    .insert(trackingCodes)
    .values(codes.map((code) => ({ code, type: "priority" as const, template: "evs" as const })));
  const buyers: Customer[] = [];
  for (const given of [
    { balance: 200, customPricingEnabled: true },
    { balance: 200 },
    { balance: 9, customPricingEnabled: true },
    { balance: 50, active: false, customPricingEnabled: true },
    { balance: 50, verifiedAt: null },
  ])
    buyers.push(await addCustomer(given));
  for (const { id: customerId } of buyers)
    for (const { id: labelTypeId, maxWeight } of types) {
      const own = tiersUpTo(maxWeight).filter(() => random.chance(0.8));
      const rows = own.map(([fromWeight, toWeight, price]) => ({
        ...{ customerId, labelTypeId, fromWeight, toWeight },
        priceCents: Math.round(price * 100),
      }));
      if (rows.length > 0) await db.insert(customPrices).values(rows);
    }
  const bounds = (await db.select().from(customPrices)).flatMap(({ fromWeight, toWeight }) => [fromWeight, toWeight]);

  const seen = { sold: 0, custom: 0, refused: new Set<number>() };
  for (let n = 0; n < 140; n++) {
    const [customer, labelType] = [random.pick([...buyers, ...buyers.slice(0, 3)]), random.pick(types)];
    const near = random.pick(bounds.filter((weight) => weight <= labelType.maxWeight));
    const weight = random.pick([
      Math.max(0.001, near),
      // Rounding errors of floats.
      ...[near + 0.1 + 0.2, 0.1 + 0.2, near + 0.001],
      ...[random.between(1, 20_000) / 1000, labelType.maxWeight + 0.001],
    ]);
    const quoted = await quote(customer, labelType, weight);
    const was = await balanceOf(customer);
    const { status, body } = await buy(customer, labelType, weight);
    const told = `${labelType.name} of ${weight} for ${customer.username}: ${JSON.stringify(quoted)}`;
    if (status === 201) {
      expect(quoted.refusals, told).toEqual([]);
      expect(quoted.price, told).toBe(body.order.price);
      expect(Math.round((was - body.balance) * 100), told).toBe(Math.round((quoted.price ?? Number.NaN) * 100));
      seen.sold++;
      if (quoted.custom) seen.custom++;
    } else {
      expect(quoted.refusals[0], told).toBe(body.message);
      expect(await balanceOf(customer)).toBe(was);
      seen.refused.add(status);
    }
  }
  expect(seen.sold).toBeGreaterThan(20);
  expect(seen.custom).toBeGreaterThan(10);
  expect([...seen.refused].sort()).toEqual([400, 402, 403, 409]);
  // A quote leaves no trace, while each purchase is in the log.
  expect((await logRows()).filter(({ type }) => type === "balance")).toHaveLength(seen.sold);
});
