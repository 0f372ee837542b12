import { customPrices as contract } from "@footprint/contract/custom-prices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { users } from "@footprint/contract/users.ts";
import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers, customPrices, orders, priceTiers } from "../db/schema.ts";
import { seededRandom } from "../demo/random.ts";
import { addCustomer, addLabelType, addOrder } from "../testing/builders.ts";
import { meetAt } from "../testing/races.ts";
import { addAccount, call, db, logRows } from "../testing/server.ts";

type Tier = [from: number, to: number, price: number];
type Known = { id: string };

let maren: Awaited<ReturnType<typeof addCustomer>>;
let priority: Awaited<ReturnType<typeof addLabelType>>;

beforeEach(async () => {
  maren = await addCustomer({ username: "maren", customPricingEnabled: true });
  priority = await addLabelType({
    ...{ name: "Priority", maxWeight: 20 },
    tiers: [
      [0, 1, 7.45],
      [1, 3, 8.9],
      [3, 10, 12],
    ],
  });
});

const add = ([fromWeight, toWeight, price]: Tier, customer: Known = maren, labelType: Known = priority) =>
  call("staff", users.addCustomPrice, {
    params: { id: customer.id },
    body: { labelType: labelType.id, fromWeight, toWeight, price },
  });

const read = async (customer: Known = maren) =>
  (await call("staff", users.read, { params: { id: customer.id } })).body.user.customPricing;
const prices = async (customer?: Known) =>
  (await read(customer)).map(({ fromWeight, toWeight, price }) => [fromWeight, toWeight, price]);

const seen = (version = "") => ({ "if-match": `"${version}"` });
const warningsIn = ({ body }: { body: { warnings: { kind: string; message: string }[] } }) =>
  body.warnings.map(({ kind, message }) => `${kind}: ${message}`);

async function update(place: number, change: object, headers = {}, as: Parameters<typeof call>[0] = "staff") {
  const listed = (await read())[place];
  const { _id = uuidv7(), fromWeight = 0, toWeight = 1, price = 1 } = listed ?? {};
  const body = { _id, fromWeight, toWeight, price, ...change };
  return call(as, contract.update, { params: { id: maren.id }, body, headers });
}

test("a custom price is shown with the standard prices of its weights", async () => {
  await add([0, 1, 7]);
  await add([1, 5, 9]);
  await add([8, 20, 11]);
  await add([0, 3, 4], maren, await addLabelType());
  expect((await read()).map(({ standard }) => standard)).toEqual([
    { lowest: 7.45, highest: 7.45, whole: true },
    { lowest: 8.9, highest: 12, whole: true },
    { lowest: 12, highest: 12, whole: false },
    null,
  ]);
});

test("a custom price is edited, and the log says what it was, what it is and why", async () => {
  await add([0, 1, 7]);
  const { status, body } = await update(0, { toWeight: 2, price: 7.2, percent: 19.1, reason: "Agreed by phone" });
  expect([status, body.message]).toEqual([200, "Custom price of maren saved: Priority, 0–2 lb at $7.20"]);
  expect(await prices()).toEqual([[0, 2, 7.2]]);
  expect(body.version).toBe((await read())[0]?.version);
  expect((await logRows()).at(-1)).toEqual({
    admin: "staff",
    type: "pricing",
    action: "Changed a custom price of maren from 0–1 lb at $7.00 to Priority, 0–2 lb at $7.20: Agreed by phone",
    before: { labelType: "Priority", fromWeight: 0, toWeight: 1, price: 7 },
    after: { labelType: "Priority", fromWeight: 0, toWeight: 2, price: 7.2, percent: 19.1, reason: "Agreed by phone" },
  });
});

test("a custom price is found by its id however that is written, and only as one of its own label type", async () => {
  await add([0, 1, 7]);
  const _id = ((await read())[0]?._id ?? "").toUpperCase();
  expect((await update(0, { _id, price: 7.1 })).status).toBe(200);
  const query = { fromWeight: 0, toWeight: 1, price: 7.2, _id };
  const preview = async (labelType: Known) =>
    (await call("staff", contract.preview, { params: { id: maren.id }, query: { ...query, labelType: labelType.id } }))
      .status;
  expect(await preview(priority)).toBe(200);
  expect(await preview(await addLabelType())).toBe(404);
  const body = { index: 0, _id };
  expect((await call("staff", users.deleteCustomPrice, { params: { id: maren.id }, body })).status).toBe(200);
});

test("an edit that overlaps or goes too far is refused, and so is one of a price that is gone", async () => {
  await add([0, 1, 7]);
  await add([1, 3, 8]);
  const refused = async (change: object) => {
    const { status, body } = await update(0, change);
    return [status, body.message];
  };
  expect(await refused({ toWeight: 1.5 })).toEqual([409, "Overlaps with 1–3 lb at $8.00"]);
  expect(await refused({ toWeight: 21 })).toEqual([400, "Priority goes up to 20 lb: 21 lb is too heavy"]);
  expect(await refused({ _id: uuidv7() })).toEqual([404, "This custom price of maren does not exist any more"]);
  expect(
    (await call("staff", contract.update, { params: { id: uuidv7() }, body: (await read())[0] as never })).status,
  ).toBe(404);
  expect(await logRows()).toHaveLength(2);
});

test("no edit overwrites one that was not seen, and of two at once one is done", async () => {
  await add([0, 1, 7]);
  const otto = await addAccount("otto", "staff");
  const { version } = (await read())[0] ?? {};
  expect((await update(0, { price: 7.1 }, seen(version), otto)).status).toBe(200);
  const late = await update(0, { price: 7.2 }, seen(version));
  expect(late).toMatchObject({
    status: 409,
    body: {
      message: "otto changed this meanwhile: look at it again",
      conflict: { current: { fromWeight: 0, toWeight: 1, price: 7.1 }, changedBy: "otto" },
    },
  });
  const now = (await read())[0]?.version;
  const listed = (await read())[0];
  const send = (price: number) =>
    call("staff", contract.update, {
      params: { id: maren.id },
      body: { _id: listed?._id ?? "", fromWeight: 0, toWeight: 1, price },
      headers: seen(now),
    });
  const both = await meetAt(customers, maren, () => [send(7.3), send(7.4)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await logRows()).toHaveLength(3);
});

test("a price far from the last one, above the standard, of zero or leaving a gap is saved with a warning", async () => {
  expect(warningsIn(await add([0, 1, 0.05]))).toEqual(["change: Priority 0–1 lb: $7.45 → $0.05, −99.3 %"]);
  expect((await logRows()).at(-1)?.after).toEqual({
    ...{ labelType: "Priority", fromWeight: 0, toWeight: 1, price: 0.05, percent: 99.33 },
    warnings: ["Priority 0–1 lb: $7.45 → $0.05, −99.3 %"],
  });
  expect(warningsIn(await update(0, { price: 0 }))).toEqual([
    "change: Priority 0–1 lb: $0.05 → $0.00, −100.0 %",
    "free: Priority 0–1 lb: costs nothing",
  ]);
  // Exactly 30 % is not yet a warning.
  expect(warningsIn(await add([3, 10, 8.4]))).toEqual([]);
  expect(warningsIn(await update(1, { price: 8.39 }))).toEqual([
    "change: Priority 3–10 lb: $12.00 a day ago → $8.39, −30.1 %",
  ]);
  expect(warningsIn(await update(1, { price: 12.01 }))).toEqual([
    "change: Priority 3–10 lb: $8.39 → $12.01, +43.1 %",
    "custom: Priority 3–10 lb: $12.01 is above the standard price of $12.00",
  ]);
  // Beyond the standard prices there are only custom ones.
  expect(warningsIn(await add([10, 20, 15]))).toEqual([]);
  expect(warningsIn(await update(2, { fromWeight: 15 }))).toEqual([
    "gap: Priority 10–15 lb: no price any more, was $15.00",
  ]);
  const gone = await call("staff", users.deleteCustomPrice, {
    params: { id: maren.id },
    body: { index: 2, reason: "Over" },
  });
  expect(warningsIn(gone)).toEqual(["gap: Priority 15–20 lb: no price any more, was $15.00"]);
  expect((await logRows()).at(-1)).toMatchObject({
    action: "Deleted a custom price of maren: Priority, 15–20 lb at $15.00: Over",
    after: { reason: "Over", warnings: ["Priority 15–20 lb: no price any more, was $15.00"] },
  });
  // Weights that fall back to the standard price keep a price.
  expect(
    warningsIn(await call("staff", users.deleteCustomPrice, { params: { id: maren.id }, body: { index: 1 } })),
  ).toEqual([]);
});

test("prices are raised together to the cent, exactly as the preview shows", async () => {
  await add([0, 1, 7]);
  await add([1, 3, 8.33]);
  const first = await addLabelType({ name: "First Class", maxWeight: 16 });
  await add([0, 16, 2.5], maren, first);
  const params = { id: maren.id };
  const preview = (query: { percent: number; labelType?: string }) =>
    call("staff", contract.previewChange, { params, query });
  const { body } = await preview({ percent: 5 });
  expect(body.prices.map(({ before, price, fate }) => [before, price, fate])).toEqual([
    [7, 7.35, "changed"],
    [8.33, 8.75, "changed"],
    [2.5, 2.63, "changed"],
  ]);
  expect((await preview({ percent: 5, labelType: first.id.toUpperCase() })).body.prices).toHaveLength(1);
  const done = await call("staff", contract.change, {
    params,
    body: { percent: 5, reason: "New year" },
    headers: seen(body.version),
  });
  expect([done.status, done.body.message, done.body.warnings]).toEqual([
    200,
    "Raised 3 custom prices of maren by 5 %",
    [],
  ]);
  expect(await prices()).toEqual([
    [0, 1, 7.35],
    [1, 3, 8.75],
    [0, 16, 2.63],
  ]);
  expect((await logRows()).slice(3)).toEqual([
    {
      ...{ admin: "staff", type: "pricing" },
      action: "Raised 3 custom prices of maren by 5 %: New year",
      before: { prices: { "Priority 0–1 lb": 7, "Priority 1–3 lb": 8.33, "First Class 0–16 oz": 2.5 } },
      after: {
        prices: { "Priority 0–1 lb": 7.35, "Priority 1–3 lb": 8.75, "First Class 0–16 oz": 2.63 },
        percent: 5.2,
        reason: "New year",
      },
    },
  ]);
  const lowered = await call("staff", contract.change, { params, body: { percent: -100, labelType: first.id } });
  expect(warningsIn(lowered)).toEqual([
    "change: First Class 0–16 oz: $2.63 → $0.00, −100.0 %",
    "free: First Class 0–16 oz: costs nothing",
  ]);
  expect(await prices()).toContainEqual([0, 16, 0]);
  // Any percentage of nothing is nothing, and leaves no entry.
  const logged = (await logRows()).length;
  expect(
    (await call("staff", contract.change, { params, body: { percent: 7, labelType: first.id } })).body.message,
  ).toBe("No custom price of maren changes by 7 %: they are too small");
  expect(await logRows()).toHaveLength(logged);
});

test("custom prices that go down step by step are compared with those of a day ago", async () => {
  const labelType = await addLabelType({ name: "Priority", maxWeight: 20, tiers: [[0, 20, 10]] });
  const maren = await addCustomer({ customPricingEnabled: true });
  const params = { id: maren.id };
  const body = { labelType: labelType.id, fromWeight: 0, toWeight: 20, price: 8 };
  expect(warningsIn(await call("staff", users.addCustomPrice, { params, body }))).toEqual([]);
  const lower = () => call("staff", contract.change, { params, body: { percent: -20 } });
  const preview = () => call("staff", contract.previewChange, { params, query: { percent: -20 } });
  const first = ["change: Priority 0–20 lb: $10.00 a day ago → $6.40, −36.0 %"];
  expect(warningsIn(await preview())).toEqual(first);
  expect(warningsIn(await lower())).toEqual(first);
  // Renaming the label type hides nothing.
  const { uid, kind: type } = labelType;
  await call("admin", labelTypes.update, {
    params: { id: labelType.id },
    body: { name: "Priority Mail", uid, type, maxWeight: 20 },
  });
  const second = ["change: Priority Mail 0–20 lb: $10.00 a day ago → $5.12, −48.8 %"];
  expect(warningsIn(await preview())).toEqual(second);
  expect(warningsIn(await lower())).toEqual(second);
  expect((await logRows()).at(-1)?.after).toMatchObject({
    percent: 48.8,
    warnings: ["Priority Mail 0–20 lb: $10.00 a day ago → $5.12, −48.8 %"],
  });
  expect(warningsIn(await call("staff", contract.change, { params, body: { percent: 20 } }))).toEqual([]);
});

test("rounding by per cent is exact", async () => {
  const random = seededRandom(5);
  const cents = Array.from({ length: 150 }, () => random.pick([random.between(0, 99), random.between(0, 70_000_000)]));
  await db.insert(customPrices).values(
    cents.map((priceCents, n) => ({
      ...{ customerId: maren.id, labelTypeId: priority.id, priceCents },
      ...{ fromWeight: n / 10, toWeight: (n + 1) / 10 },
    })),
  );
  const tooMuch = await call("staff", contract.previewChange, { params: { id: maren.id }, query: { percent: 1000 } });
  expect([tooMuch.status, tooMuch.body.message]).toEqual([400, "A price is at most 1,000,000.00"]);
  for (const percent of [5, -5, 0.01, -0.01, 33.33, -99.99, 10.1, 2.675]) {
    const { status, body } = await call("staff", contract.previewChange, {
      params: { id: maren.id },
      query: { percent },
    });
    if (percent === 2.675) {
      expect(status).toBe(400);
      continue;
    }
    const parts = 10_000n + BigInt(Math.round(percent * 100));
    // Doubled, so that half cents are whole numbers; half a cent is rounded up.
    const exact = (value: number) => Number((BigInt(value) * parts * 2n + 10_000n) / 20_000n);
    const byBefore = new Map(
      body.prices.map(({ before, price }) => [Math.round((before ?? 0) * 100), Math.round(price * 100)]),
    );
    for (const value of cents) expect(byBefore.get(value), `${value} by ${percent} %`).toBe(exact(value));
  }
});

test("two raises by 5 % at once raise once; a repeat with the key gets the first answer", async () => {
  await add([0, 1, 7]);
  const params = { id: maren.id };
  const { body } = await call("staff", contract.previewChange, { params, query: { percent: 5 } });
  const raise = (headers: Record<string, string>) =>
    call("staff", contract.change, { params, body: { percent: 5 }, headers });
  const both = await meetAt(customers, maren, () => [raise(seen(body.version)), raise(seen(body.version))]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(both.find(({ status }) => status === 409)?.body.message).toBe(
    "staff changed this meanwhile: look at it again",
  );
  expect(await prices()).toEqual([[0, 1, 7.35]]);

  const again = (await call("staff", contract.previewChange, { params, query: { percent: 5 } })).body.version;
  const keyed = { ...seen(again), "idempotency-key": "raise-once" };
  const answers = [await raise(keyed), await raise(keyed)];
  expect(answers[1]?.body).toEqual(answers[0]?.body);
  expect(await prices()).toEqual([[0, 1, 7.72]]);
  expect(await logRows()).toHaveLength(3);
  // The version of a preview with 5 % does not allow 6 %.
  const other = await call("staff", contract.previewChange, { params, query: { percent: 5 } });
  expect(
    (await call("staff", contract.change, { params, body: { percent: 6 }, headers: seen(other.body.version) })).status,
  ).toBe(409);
});

test("prices are copied from another customer: added, changed, or all refused for one that overlaps", async () => {
  const rosa = await addCustomer({ username: "rosa" });
  for (const tier of [
    [0, 1, 7],
    [1, 3, 8],
    [3, 10, 11],
  ] as Tier[])
    await add(tier, rosa);
  await add([0, 1, 7]);
  await add([1, 3, 8.2]);
  await add([5, 12, 10]);
  const params = { id: maren.id };
  const preview = () => call("staff", contract.previewCopy, { params, query: { from: rosa.id } });
  const copy = (body: { from: string; reason?: string }, headers = {}) =>
    call("staff", contract.copy, { params, body, headers });
  const { body } = await preview();
  expect(body.from).toEqual({ _id: rosa.id, username: "rosa" });
  expect(body.prices.map(({ fate, before, price, message }) => [fate, before, price, message])).toEqual([
    ["same", 7, 7, null],
    ["changed", 8.2, 8, null],
    ["refused", null, 11, "Overlaps with 5–12 lb at $10.00"],
  ]);
  const logged = (await logRows()).length;
  const refused = await copy({ from: rosa.id });
  expect([refused.status, refused.body.message]).toEqual([
    409,
    "Priority, 3–10 lb at $11.00: Overlaps with 5–12 lb at $10.00. Nothing was copied.",
  ]);
  expect(await prices()).toEqual([
    [0, 1, 7],
    [1, 3, 8.2],
    [5, 12, 10],
  ]);
  expect(await logRows()).toHaveLength(logged);

  await call("staff", users.deleteCustomPrice, { params, body: { index: 2 } });
  // The state has changed since the preview.
  expect((await copy({ from: rosa.id }, seen(body.version))).status).toBe(409);
  const { version } = (await preview()).body;
  const done = await copy({ from: rosa.id, reason: "Same contract" }, seen(version));
  expect([done.status, done.body.message]).toEqual([200, "Copied 2 custom prices of rosa to maren"]);
  expect(await prices()).toEqual([
    [0, 1, 7],
    [1, 3, 8],
    [3, 10, 11],
  ]);
  expect((await logRows()).at(-1)).toMatchObject({
    action: "Copied 2 custom prices of rosa to maren: Same contract",
    before: { prices: { "Priority 1–3 lb": 8.2, "Priority 3–10 lb": null } },
    after: { prices: { "Priority 1–3 lb": 8, "Priority 3–10 lb": 11 } },
  });
  expect((await copy({ from: rosa.id })).body.message).toBe("maren has all prices of rosa already");
  expect((await copy({ from: maren.id })).status).toBe(400);
  expect((await copy({ from: (await addCustomer()).id })).status).toBe(404);
  expect((await copy({ from: uuidv7() })).status).toBe(404);
});

test("of two copies at once only one is made, and nobody gets more than 200 prices", async () => {
  const rosa = await addCustomer({ username: "rosa" });
  await add([0, 1, 7], rosa);
  const params = { id: maren.id };
  const { version } = (await call("staff", contract.previewCopy, { params, query: { from: rosa.id } })).body;
  const copy = () => call("staff", contract.copy, { params, body: { from: rosa.id }, headers: seen(version) });
  const both = await meetAt(customers, maren, () => [copy(), copy()]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const many = Array.from({ length: 199 }, (_, n) => ({ fromWeight: 1 + n / 100, toWeight: 1 + (n + 1) / 100 }));
  const rows = many.map((bounds) => ({ customerId: maren.id, labelTypeId: priority.id, priceCents: 1, ...bounds }));
  await db.insert(customPrices).values(rows);
  await add([10, 20, 7], rosa);
  const full = await call("staff", contract.copy, { params, body: { from: rosa.id } });
  expect([full.status, full.body.message]).toEqual([409, "maren would have more than 200 prices"]);
});

test("the previews say what the customer's orders of the last 30 days would have cost, as one would reckon by hand", async () => {
  const other = await addCustomer({ customPricingEnabled: true });
  const express = await addLabelType({ name: "Express", maxWeight: 20, tiers: [[0, 20, 20]] });
  const own: Tier[] = [
    [0.5, 1, 6.5],
    [2, 4.123, 9.99],
    [9, 12, 10],
  ];
  for (const tier of own) for (const customer of [maren, other]) await add(tier, customer);
  await add([0, 5, 18], maren, express);
  const weights = [0.001, 0.5, 0.501, 0.1 + 0.2, 1, 1.001, 2, 2.001, 3, 4.123, 4.124, 9, 9.001, 10.5, 12, 15];
  const day = 86_400_000;
  for (const [n, weight] of weights.entries())
    for (const customer of [maren, other])
      for (const labelType of [priority, express]) {
        await addOrder({ labelType, customer, weight, price: n + 0.1, refundedAt: n % 5 ? null : new Date() });
        await addOrder({ labelType, customer, weight, price: 5, createdAt: new Date(Date.now() - n * 3 * day) });
      }

  /** In cents, from the rows, one order after the other. */
  async function byHand(after: (tier: { priceCents: number; labelTypeId: string; id: string }) => number) {
    const listed = (await db.select().from(customPrices)).filter(({ customerId }) => customerId === maren.id);
    const tiers = await db.select().from(priceTiers);
    const first = new Date(new Date().toISOString().slice(0, 10)).getTime() - 29 * day;
    const sum = { orders: 0, before: 0, after: 0 };
    for (const order of await db.select().from(orders).where(eq(orders.customerId, maren.id))) {
      if (order.refundedAt || order.createdAt.getTime() < first) continue;
      const fits = (tier: { labelTypeId: string; fromWeight: number; toWeight: number }) =>
        tier.labelTypeId === order.labelTypeId && tier.fromWeight < order.weight && order.weight <= tier.toWeight;
      const mine = listed.find(fits);
      const was = mine?.priceCents ?? tiers.find(fits)?.priceCents;
      const is = mine ? after(mine) : was;
      if (was === undefined || is === undefined || was === is) continue;
      sum.orders++;
      sum.before += was;
      sum.after += is;
    }
    return { orders: sum.orders, before: sum.before / 100, after: sum.after / 100 };
  }

  const params = { id: maren.id };
  for (const percent of [5, -12.5, 100])
    for (const labelType of [undefined, priority.id, express.id]) {
      const query = labelType ? { percent, labelType } : { percent };
      const { preview } = (await call("staff", contract.previewChange, { params, query })).body;
      const expected = await byHand((tier) =>
        labelType && tier.labelTypeId !== labelType
          ? tier.priceCents
          : Math.floor((tier.priceCents * (10_000 + percent * 100) + 5000) / 10_000),
      );
      expect(preview.changed).toMatchObject(expected);
      expect(expected.orders).toBeGreaterThan(3);
    }
  const [edited] = (await read()).filter(({ fromWeight }) => fromWeight === 2);
  const query = { labelType: priority.id, _id: edited?._id ?? "", fromWeight: 2, toWeight: 4.123, price: 0.99 };
  const one = await call("staff", contract.preview, { params, query });
  expect(one.body.preview.changed).toMatchObject(
    await byHand((tier) => (tier.id === edited?._id ? 99 : tier.priceCents)),
  );
  expect(warningsIn(one)).toEqual(["change: Priority 2–4.123 lb: $9.99 → $0.99, −90.1 %"]);
  // If custom pricing is switched off, no order would have cost anything else.
  await call("staff", users.setCustomPricing, { params, body: { customPricingEnabled: false } });
  const off = (await call("staff", contract.previewChange, { params, query: { percent: 5 } })).body;
  expect([off.counts, off.preview.changed.orders]).toEqual([false, 0]);
});

test("the preview of one price shows a new price, and why it would be refused", async () => {
  await add([0, 1, 7]);
  const params = { id: maren.id };
  const ask = (query: object) =>
    call("staff", contract.preview, { params, query: { labelType: priority.id, ...query } as never });
  const { body } = await ask({ fromWeight: 1, toWeight: 3, price: 9 });
  expect(body.prices).toMatchObject([
    { fate: "added", before: null, price: 9, standard: { lowest: 8.9, highest: 8.9 } },
  ]);
  expect(warningsIn({ body })).toEqual(["custom: Priority 1–3 lb: $9.00 is above the standard price of $8.90"]);
  const overlapping = await ask({ fromWeight: 0.5, toWeight: 3, price: 9 });
  expect(overlapping.body.prices).toMatchObject([{ fate: "refused", message: "Overlaps with 0–1 lb at $7.00" }]);
  expect(overlapping.body.warnings).toEqual([]);
  expect((await ask({ fromWeight: 10, toWeight: 30, price: 9 })).body.prices).toMatchObject([
    { fate: "refused", message: "Priority goes up to 20 lb: 30 lb is too heavy" },
  ]);
  expect((await ask({ fromWeight: 0, toWeight: 1, price: 9, _id: uuidv7() })).status).toBe(404);
  expect((await ask({ fromWeight: 0, toWeight: 1, price: -1 })).status).toBe(400);
  expect((await ask({ fromWeight: 0, toWeight: 1, price: 9, labelType: uuidv7() })).status).toBe(404);
});

test("a label type that is renamed into or out of First Class says that its weights change unit, and what that concerns", async () => {
  await add([0, 1, 7]);
  await addOrder({ labelType: priority });
  await addOrder({ labelType: priority, createdAt: new Date(Date.now() - 40 * 86_400_000) });
  const params = { id: priority.id };
  expect((await call("admin", labelTypes.inUse, { params })).body).toEqual({
    tiers: 3,
    customPrices: 1,
    orders: 1,
    scheduled: 0,
  });
  const rename = async (name: string) => {
    const { uid, maxWeight, kind: type } = priority;
    return warningsIn(await call("admin", labelTypes.update, { params, body: { name, uid, maxWeight, type } }));
  };
  expect(await rename("Priority Mail")).toEqual([]);
  const concerned = "this concerns 3 tiers, 1 custom price and 1 order of the last 30 days";
  const told = `The weights of USPS First Class are in oz from now on, and were in lb: ${concerned}`;
  expect(await rename("USPS First Class")).toEqual([`unit: ${told}`]);
  expect((await logRows()).at(-1)).toMatchObject({
    action: "Changed label type USPS First Class",
    before: { name: "Priority Mail" },
    after: { name: "USPS First Class", warnings: [told] },
  });
  expect(await rename("First Class Parcel")).toEqual([]);
  expect(await rename("Priority")).toEqual([
    `unit: The weights of Priority are in lb from now on, and were in oz: ${concerned}`,
  ]);
  expect((await call("admin", labelTypes.inUse, { params: { id: uuidv7() } })).status).toBe(404);
});
