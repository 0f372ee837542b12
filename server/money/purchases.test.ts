import { fedex } from "@footprint/contract/fedex.ts";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { sql } from "drizzle-orm";
import { beforeEach, expect, inject, test as onBothEngines } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { tidy } from "../operations/housekeeping.ts";
import { addCustomer, addLabelType, balanceOf, someAddresses } from "../testing/builders.ts";
import { untilTheyWait } from "../testing/races.ts";
import { call, db, logRows } from "../testing/server.ts";
import { checkBooks } from "./books.ts";
import { buy, lookAtOffers } from "./purchases.ts";
import { withCheckDigit } from "./tracking-codes.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

let shop: { token: string };

beforeEach(async () => {
  const { body } = await call("admin", website.createApiKey, { body: { name: "Main shop" } });
  shop = { token: body.key };
});

const isEmbedded = Boolean(inject("embeddedDump"));

let keys = 0;
const once = () => ({ headers: { "idempotency-key": `purchase-${++keys}` } });
const parcel = { ...someAddresses, fromCountry: "US", toCountry: "US" };

const code = (number: number) => withCheckDigit(`9400${String(number).padStart(17, "0")}`);
const register = (first: number, amount: number, type: "priority" | "express" = "priority") =>
  call("admin", tracking.create, { body: { amount, type, template: "evs", trackRef: code(first) } });

/** The planner learns how large tables are: housekeeping does this on the embedded engine, PostgreSQL by itself. */
const analyse = () => tidy({ db, kind: "embedded" });

async function usedCodes() {
  const { used } = (await call("admin", tracking.stats)).body;
  return used.priority + used.express;
}

async function soldCodes() {
  const { body } = await call("staff", orders.list, { query: { limit: 100 } });
  return body.orders.map((order) => order.tracking);
}

test.for([
  ["that were never counted", [[1, 41]]],
  ["that were counted when there was none", ["analyse", [1, 41]]],
  ["that were counted when there was one", [[1, 1], "analyse", [2, 40]]],
  ["that were counted when there were five", [[1, 5], "analyse", [6, 36]]],
  ["that were counted when all were there", [[1, 41], "analyse"]],
  ["of which there are thousands", [[1, 1], "analyse", [2, 4000]]],
] as const)("a label takes one prepaid code, among codes %s", async ([, steps]) => {
  const { discordId } = await addCustomer({ balance: 20 });
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  for (const step of steps) await (step === "analyse" ? analyse() : register(step[0], step[1]));
  for (const bought of [1, 2, 3]) {
    const body = { discordId, labelType: "priority", weight: 1, ...parcel };
    expect((await call(shop, storefront.createOrder, { body, ...once() })).status).toBe(201);
    expect(await usedCodes()).toBe(bought);
  }
  expect(new Set(await soldCodes()).size).toBe(3);
  expect((await checkBooks(db)).problems).toEqual([]);
});

onBothEngines("a bulk order takes as many prepaid codes of each type as it has labels", async () => {
  const { discordId } = await addCustomer({ balance: 100 });
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  await addLabelType({ uid: "express", tiers: [[0, 5, 1]] });
  await register(1, 1);
  await analyse();
  await register(2, 40);
  await register(1000, 20, "express");
  const bulk = (labelTypes: string[]) =>
    call(shop, storefront.createBulkOrder, {
      body: { discordId, orders: labelTypes.map((labelType) => ({ labelType, weight: 1, ...parcel })) },
      ...once(),
    });
  expect((await bulk(["priority", "express", "priority", "priority", "express"])).status).toBe(201);
  const { used } = (await call("admin", tracking.stats)).body;
  expect(used).toMatchObject({ priority: 3, express: 2 });
  expect((await bulk(Array(38).fill("priority"))).status).toBe(201);
  expect((await bulk(["express", "priority"])).status).toBe(409);
  expect(await usedCodes()).toBe(43);
  expect(new Set(await soldCodes()).size).toBe(43);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a shop cannot send a prepaid code as its own tracking, used or not", async () => {
  const customer = await addCustomer({ balance: 20 });
  const { discordId } = customer;
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 1]] });
  await register(1, 2);
  const one = (labelType: string, tracking?: string) => ({ labelType, weight: 1, ...parcel, tracking });
  const [used, unused] = [code(1), code(2)];
  await call(shop, storefront.createOrder, { body: { discordId, ...one("priority") }, ...once() });

  for (const taken of [used, unused]) {
    const single = await call(shop, storefront.createOrder, { body: { discordId, ...one("own", taken) }, ...once() });
    const bulk = await call(shop, storefront.createBulkOrder, {
      body: { discordId, orders: [one("own", "1Z999"), one("own", taken)] },
      ...once(),
    });
    const message = `The tracking ${taken} is one of the prepaid codes`;
    expect([single.status, single.body.message]).toEqual([409, message]);
    expect([bulk.status, bulk.body.message]).toEqual([409, message]);
  }
  expect(await balanceOf(customer)).toBe(19);
  // A tracking that was sent is ignored if the label takes a prepaid code.
  const sold = await call(shop, storefront.createOrder, { body: { discordId, ...one("priority", used) }, ...once() });
  expect(sold.body.order.tracking).toBe(unused);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a prepaid code is known however a shop writes it, also when it was sold and deleted", async () => {
  const customer = await addCustomer({ balance: 20 });
  const { discordId } = customer;
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 1]] });
  await register(1, 1);
  const spelt = (digits: string) => [
    digits.replace(/(.{4})/g, "$1 "),
    digits.replace(/^(.{4})/, "$1-"),
    `${digits}.`,
    digits.replace(/^(.{9})/, "$1_"),
    `42078701${digits}`,
    `420 78701 ${digits.replace(/(.{4})/g, "$1 ")}`,
    `USPS ${digits}`,
    `0${digits}`,
    `1 ${digits.replace(/^(.{4})/, "$1x")}`,
  ];
  const send = (tracking: string) =>
    call(shop, storefront.createOrder, {
      body: { discordId, labelType: "own", weight: 1, ...parcel, tracking },
      ...once(),
    });
  for (const tracking of spelt(code(1))) expect((await send(tracking)).status, tracking).toBe(409);

  const body = { discordId, labelType: "priority", weight: 1, ...parcel };
  expect((await call(shop, storefront.createOrder, { body, ...once() })).status).toBe(201);
  const [sold] = (await call("admin", tracking.list)).body.trackings;
  await call("admin", tracking.delete, { params: { id: sold?._id ?? "" } });
  for (const tracking of [code(1), ...spelt(code(1)).slice(0, 4)])
    expect((await send(tracking)).status, tracking).toBe(409);
  const twice = { labelType: "own", weight: 1, ...parcel, tracking: code(7) };
  const bulk = { body: { discordId, orders: [twice, { ...twice, tracking: `${code(7)} ` }] }, ...once() };
  expect((await call(shop, storefront.createBulkOrder, bulk)).status).toBe(409);
  expect(await balanceOf(customer)).toBe(19);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a code that a shop sent as its own is on one label, however it is written, and is not registered", async () => {
  const { discordId } = await addCustomer({ balance: 100 });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 1]] });
  const spelt = (digits: string) => [
    digits,
    digits.replace(/(.{4})/g, "$1 "),
    `42078701${digits}`,
    `420 78701-1234 ${digits.replace(/(.{4})/g, "$1_")}`,
    `USPS ${digits}`,
    `usps.420.04101.${digits} x`,
  ];
  const label = (tracking: string) => ({ labelType: "own", weight: 1, ...parcel, tracking });
  const sell = async (tracking: string) => {
    const sent = { body: { discordId, ...label(tracking) }, ...once() };
    const { status, body } = await call(shop, storefront.createOrder, sent);
    return [status, body.message];
  };
  const sellBoth = async (trackings: string[]) => {
    const sent = { body: { discordId, orders: trackings.map(label) }, ...once() };
    return (await call(shop, storefront.createBulkOrder, sent)).status;
  };
  for (const [place] of spelt("").entries()) {
    const number = place + 1;
    const first = spelt(code(number))[place] as string;
    for (const other of spelt(code(number))) expect(await sellBoth([first, other]), `${first} and ${other}`).toBe(409);
    expect(await sell(first), first).toEqual([201, undefined]);
    for (const again of spelt(code(number)))
      expect(await sell(again), `${first}, then ${again}`).toEqual([
        409,
        `The tracking ${code(number)} is on an order already`,
      ]);
    expect((await register(number, 1)).status, first).toBe(409);
  }
  // Codes of one batch share their first digits, also behind a zip code or inside longer ones. By chance such digits
  // end in a valid check digit, and are a code only if one is registered.
  for (const pair of [
    ["420968139400111814089533001286", "420968139400111814089533001293"],
    ["92748904230219995134180017", "92748904230219995134180024"],
  ])
    expect(await sellBoth(pair), pair.join(" and ")).toBe(201);
  // Even if its last digit is not the check digit of a prepaid code.
  const mistyped = code(99).replace(/.$/, (digit) => String((Number(digit) + 1) % 10));
  expect(await sell(`42078701${mistyped}`)).toEqual([201, undefined]);
  for (const again of spelt(mistyped)) expect((await sell(again))[0], again).toBe(409);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a code that a shop is just selling as its own is not registered at the same moment", async () => {
  const { discordId } = await addCustomer({ balance: 20 });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 1]] });
  const body = { discordId, labelType: "own", weight: 1, ...parcel, tracking: code(1) };
  const { calls } = await db.transaction(async (tx) => {
    await tx.execute(sql`lock table orders in share row exclusive mode`);
    const selling = call(shop, storefront.createOrder, { body, ...once() });
    await untilTheyWait(tx, 1);
    const registering = register(1, 1);
    await untilTheyWait(tx, 2, [registering]);
    return { calls: [selling, registering] as const };
  });
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([201, 409]);
  expect((await checkBooks(db)).problems).toEqual([]);
});

onBothEngines("of two shops that send the same tracking code at once, only one sells it", async () => {
  const buyers = [await addCustomer({ balance: 20 }), await addCustomer({ balance: 20 })];
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 1]] });
  const sell = ({ discordId }: { discordId: string }) => {
    const body = { discordId, labelType: "own", weight: 1, ...parcel, tracking: code(1) };
    return call(shop, storefront.createOrder, { body, ...once() });
  };
  const { calls } = await db.transaction(async (tx) => {
    await tx.execute(sql`lock table orders in share row exclusive mode`);
    const calls = buyers.map(sell);
    if (!isEmbedded) await untilTheyWait(tx, 2);
    return { calls };
  });
  expect((await Promise.all(calls)).map(({ status }) => status).sort()).toEqual([201, 409]);
  expect((await checkBooks(db)).problems).toEqual([]);
});

/** A tracking with as many codes as fit: a nine in every second place, and check digits between from the 22nd on. */
function trackingFullOfCodes(number: number): string {
  let digits = `1234567${String(number).padStart(3, "0")}`.replace(/./g, "9$&");
  while (digits.length < 42) digits += digits.length % 2 === 0 ? "9" : withCheckDigit(digits.slice(-21)).at(-1);
  return digits;
}

test("a bulk order takes few locks, however many codes may be in what it sends", async () => {
  const { discordId } = await addCustomer({ balance: 20 });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 0]] });
  const label = (number: number) => ({ labelType: "own", weight: 1, ...parcel, tracking: trackingFullOfCodes(number) });
  const body = { discordId, orders: Array.from({ length: 500 }, (_, number) => label(number)) };
  const { bought } = await db.transaction(async (tx) => {
    await tx.execute(sql`lock table orders in share row exclusive mode`);
    const bought = call(shop, storefront.createBulkOrder, { body, ...once() });
    await untilTheyWait(tx, 1);
    const { rows } = await tx.execute<{ locks: number }>(
      sql`select count(*)::int as locks from pg_locks join pg_database on pg_database.oid = database
          where locktype = 'advisory' and datname = current_database()`,
    );
    // The locks of codes, of registering codes, of the counters' slot and of the call's key.
    expect(rows[0]?.locks).toBeLessThanOrEqual(128 + 1 + 1 + 1);
    return { bought };
  });
  expect((await bought).status).toBe(201);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("codes that others are just taking are not called gone", async () => {
  const { discordId } = await addCustomer({ balance: 20 });
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  await register(1, 2);
  const label = { labelType: "priority", weight: 1, ...parcel };
  const buy = () => call(shop, storefront.createOrder, { body: { discordId, ...label }, ...once() });
  const buyMany = (amount: number) =>
    call(shop, storefront.createBulkOrder, { body: { discordId, orders: Array(amount).fill(label) }, ...once() });
  const { single, both } = await db.transaction(async (tx) => {
    await tx.execute(sql`select from tracking_codes for update`);
    return { single: await buy(), both: await buyMany(2) };
  });
  expect([single.status, single.headers.get("retry-after"), both.status]).toEqual([503, "1", 503]);
  expect([(await buyMany(3)).status, (await buyMany(2)).status, (await buy()).status]).toEqual([409, 201, 409]);
});

test("a code that an order carries is not registered again, or it would be sold twice", async () => {
  const { discordId } = await addCustomer({ balance: 20 });
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  await register(1, 2);
  const body = { discordId, labelType: "priority", weight: 1, ...parcel };
  await call(shop, storefront.createOrder, { body, ...once() });
  const { trackings } = (await call("admin", tracking.list)).body;
  for (const { _id } of trackings) await call("admin", tracking.delete, { params: { id: _id } });
  expect((await checkBooks(db)).problems).toEqual([]);

  const again = await register(1, 2);
  expect([again.status, again.body.message]).toEqual([
    409,
    `The code ${code(1)} is on an order already. Nothing was created.`,
  ]);
  expect((await register(2, 1)).status).toBe(200);
  expect((await checkBooks(db)).problems).toEqual([]);
});

onBothEngines("a label takes one prepaid code, however the database goes about it", async () => {
  const { discordId } = await addCustomer({ balance: 100 });
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  await register(1, 60);
  await analyse();
  const ways = [
    "hashjoin",
    "mergejoin",
    "nestloop",
    "material",
    "hashagg",
    "sort",
    "indexscan",
    "bitmapscan",
    "seqscan",
  ];
  const actor = { kind: "system", id: null, username: "shop", shopId: uuidv7() } as const;
  const purchase = { labelType: "priority", weight: 1, ...parcel };
  const forbidden = [...ways.map((way) => [way]), ways.filter((way) => way !== "nestloop" && way !== "seqscan")];
  for (const [place, list] of forbidden.entries()) {
    await db.transaction(async (tx) => {
      await tx.execute(sql`set local plan_cache_mode = force_custom_plan`);
      for (const way of list) await tx.execute(sql.raw(`set local enable_${way} = off`));
      const wanted = { discordId, purchases: [purchase as never], asBulk: false };
      await buy(tx, await lookAtOffers(tx, [wanted]), actor);
    });
    expect(await usedCodes(), `without ${list}`).toBe(place + 1);
  }
});

test.for([
  [0.1 + 0.2, 0.3, 1],
  [0.1 + 0.2 + 0.001, 0.301, 9],
  [0.1 * 7, 0.7, 9],
] as const)("a parcel of %d lb costs what the %d lb cost that are stored", async ([weight, stored, price]) => {
  const { discordId } = await addCustomer({ balance: 20 });
  const tiers: [number, number, number][] = [
    [0, 0.3, 1],
    [0.3, 0.7, 9],
    [0.7, 1, 0],
  ];
  await addLabelType({ uid: "saver", tiers });
  const label = { discordId, labelType: "saver", weight };
  const quote = await call(shop, storefront.quote, { body: label });
  const bought = await call(shop, storefront.createOrder, { body: { ...label, ...parcel }, ...once() });
  expect(quote.body.price).toBe(price);
  expect(bought.body.order).toMatchObject({ price, weight: stored });
});

test("a customer's own price and the largest weight hold for what is stored", async () => {
  const { id, discordId } = await addCustomer({ balance: 20, customPricingEnabled: true });
  const labelType = await addLabelType({ uid: "own", kind: "shipv2", maxWeight: 0.3, tiers: [[0, 0.3, 5]] });
  const own = { labelType: labelType.id, fromWeight: 0.1, toWeight: 0.1 + 0.2, price: 2 };
  expect((await call("staff", users.addCustomPrice, { params: { id }, body: own })).status).toBe(200);
  const one = { labelType: "own", weight: 0.1 + 0.2, ...parcel };
  const bulk = await call(shop, storefront.createBulkOrder, { body: { discordId, orders: [one, one] }, ...once() });
  expect([bulk.status, bulk.body.bulkOrder?.total]).toEqual([201, 4]);
});

test("a Fedex order is answered, logged and stored with the same measures", async () => {
  const { discordId } = await addCustomer();
  const party = { name: "Ada", street: "1 Main St", city: "Austin", state: "TX", zip: "78701" };
  const sizes = { length: 10.12345, width: 0.1 + 0.2, height: 0.0014 };
  const body = {
    ...{ discordId, from: party, to: party, weight: 0.1 * 7, ...sizes },
    ...{ dimensionUnit: "in", weightUnit: "lb" },
  };
  expect((await call(shop, storefront.createFedexOrder, { body, ...once() })).status).toBe(201);
  const stored = { weight: 0.7, length: 10.123, width: 0.3, height: 0.001 };
  expect((await call("staff", fedex.list)).body.docs[0]).toMatchObject(stored);
  expect((await logRows()).at(-1)?.after).toMatchObject(stored);
});
