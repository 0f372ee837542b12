import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { outbox as contract, Event, type EventType, eventData } from "@footprint/contract/outbox.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { eq, sql } from "drizzle-orm";
import { expect, inject, test, vi } from "vitest";
import { buildApp } from "../app.ts";
import { readConfig } from "../config.ts";
import { apiKeys, codeAlerts, customers, events, outbox, settings, trackingCodes } from "../db/schema.ts";
import { tellOfLowCodes } from "../lists/low-codes.ts";
import { checkAndKeepBooks } from "../money/books.ts";
import { forgetEvents, numberOutbox } from "../outbox/numbering.ts";
import { tell } from "../outbox/outbox.ts";
import { addCustomer, addInvoice, addLabelType, addOrder, someAddresses } from "../testing/builders.ts";
import { allEvents, eventFaultsSince, rowsWithEvents } from "../testing/event-faults.ts";
import { call, db } from "../testing/server.ts";

const parcel = { ...someAddresses, fromCountry: "US", toCountry: "US", labelType: "plain", weight: 1 };
const patience = { timeout: 30_000, interval: 20 };

async function addShop(name: string, values: Partial<typeof apiKeys.$inferInsert> = {}) {
  const { body } = await call("admin", website.createApiKey, { body: { name } });
  const [row] = await db
    .update(apiKeys)
    .set({ name, ...values })
    .where(eq(apiKeys.name, name))
    .returning();
  if (!row) throw new Error("not made");
  return { token: body.key, shopId: row.shopId };
}

/** However many there are, even if a server is already numbering. */
async function number() {
  await vi.waitFor(async () => {
    await numberOutbox(db);
    expect(await db.$count(outbox)).toBe(0);
  }, patience);
}

let orderNumber = 0;
async function buy(shop: { token: string }, discordId: string) {
  const { status, body } = await call(shop, storefront.createOrder, {
    body: { discordId, ...parcel },
    headers: { "idempotency-key": `order-${orderNumber++}` },
  });
  expect([status, body.message]).toEqual([201, undefined]);
  return body;
}

type Pulled = { after?: string; limit?: number; wait?: number };
async function pull(shop: { token: string }, query: Pulled = {}) {
  const { status, body } = await call(shop, contract.pull, { query: query as never });
  expect([status, body.message]).toEqual([200, undefined]);
  return body;
}

/** The position of the newest event. */
async function end() {
  await number();
  return String((await numberOutbox(db)).newest);
}

const typesOf = ({ events }: { events: { type: EventType }[] }) => events.map(({ type }) => type);

test("every change of a customer is an event, in order, with the data that the contract promises", async () => {
  const shop = await addShop("Main shop");
  await addLabelType({ uid: "plain", kind: "shipv2", tiers: [[0, 5, 2.5]] });
  const before = await rowsWithEvents();
  const told = { customer: { _id: expect.any(String), discordId: "maren", username: "Maren" } };
  await call(shop, storefront.putCustomer, { params: { discordId: "maren" }, body: { username: "Maren" } });
  const [customer] = await db.select().from(customers);
  const id = customer?.id ?? "";
  await call("admin", users.verify, { params: { id } });
  await call("admin", users.addBalance, { params: { id }, body: { balance: 10 } });
  const bought = await buy(shop, "maren");
  await call("staff", orders.refund, { params: { id: bought.order._id }, body: { reason: "Never printed" } });
  await call("admin", users.setStatus, { params: { id }, body: { status: false } });
  await number();

  const { events: all, next } = await pull(shop);
  expect(all.map(({ type, data }) => [type, data])).toMatchObject([
    ["customer.created", { customer: { discordId: "maren", isVerified: false } }],
    ["customer.verified", { customer: { discordId: "maren", isVerified: true } }],
    ["balance.changed", { ...told, balance: 10, transfer: { kind: "adjustment", amount: 10, for: null } }],
    ["balance.changed", { ...told, balance: 7.5, transfer: { amount: -2.5, for: bought.order._id } }],
    ["order.created", { ...told, order: { ...bought.order } }],
    ["balance.changed", { ...told, balance: 10, transfer: { kind: "refund", for: bought.order._id } }],
    ["order.refunded", { ...told, order: { _id: bought.order._id, isRefunded: true }, reason: "Never printed" }],
    ["customer.changed", { customer: { discordId: "maren", status: false, balance: 10 } }],
  ]);
  for (const event of all) {
    expect(Event.safeParse(event).error).toBeUndefined();
    expect(eventData[event.type].safeParse(event.data).error, event.type).toBeUndefined();
  }
  expect(await eventFaultsSince(before)).toEqual([]);
  expect(await pull(shop, { after: next })).toEqual({ events: [], next });
  // Reading in pieces gives the same, by positions and by ids.
  const pieces: typeof all = [];
  let after: string | undefined;
  for (let place = 0; place < all.length; place++) {
    const piece = await pull(shop, { limit: 1, ...(after && { after }) });
    pieces.push(...piece.events);
    after = place % 2 ? piece.next : piece.events[0]?.id;
  }
  expect(pieces).toEqual(all);
});

test("a shop hears of what is its own and of what concerns everybody; an earlier kind of key hears of all", async () => {
  const [one, other, all] = [await addShop("One"), await addShop("Other"), await addShop("All", { bounded: false })];
  await addLabelType({ uid: "plain", kind: "shipv2", tiers: [[0, 5, 2]] });
  const mine = await addCustomer({ balance: 10, discordId: "mine", shopId: one.shopId, verifiedAt: new Date() });
  const theirs = await addCustomer({ balance: 10, discordId: "theirs", shopId: other.shopId, verifiedAt: new Date() });
  const after = await end();
  const sold = await buy(other, "mine");
  await call("admin", users.setCustomPricing, { params: { id: mine.id }, body: { customPricingEnabled: true } });
  await call("admin", users.setCustomPricing, { params: { id: theirs.id }, body: { customPricingEnabled: true } });
  await call("admin", website.updateLimits, { body: { staffCredit: 5 } });
  await db.transaction((tx) =>
    tell(
      tx,
      { type: "codes.low", data: { type: "priority", left: 1, alert: 5 } },
      { type: "books.unbalanced", data: { problems: ["one"], checkedAt: new Date() } },
      { type: "settings.changed", data: { setting: "payment-handle", cashapp: { cashappId: "$us", image: null } } },
      { type: "price.changed", data: { labelType: someType, customer: null, prices: [] } },
    ),
  );
  await number();

  const [ofOne, ofOther, ofAll] = [
    await pull(one, { after }),
    await pull(other, { after }),
    await pull(all, { after }),
  ];
  const ofEverybody = ["settings.changed", "price.changed"];
  expect(typesOf(ofOne)).toEqual(["balance.changed", "customer.changed", ...ofEverybody]);
  expect(typesOf(ofOther)).toEqual(["order.created", "customer.changed", ...ofEverybody]);
  expect(typesOf(ofAll)).toEqual([
    ...["balance.changed", "order.created", "customer.changed", "customer.changed", "settings.changed"],
    ...["codes.low", "books.unbalanced", ...ofEverybody],
  ]);
  // Another shop's sale is not named, as in the transfers.
  expect(ofOne.events[0]?.data).toMatchObject({ transfer: { for: null } });
  expect(ofAll.events[0]?.data).toMatchObject({ transfer: { for: sold.order._id } });
  const theirEvent = ofOther.events[0]?.id ?? "";
  const unknown = await call(one, contract.pull, { query: { after: theirEvent } });
  expect([unknown.status, unknown.body.message]).toEqual([404, expect.stringContaining("is not kept")]);
});

const someType = { _id: "01980000-0000-7000-8000-000000000000", uid: "plain", name: "Plain", status: true };

test.for([
  [["orders"], ["balance.changed", "order.created"]],
  [["deposits"], ["invoice.created", "balance.changed"]],
  [["mark-as-paid"], ["invoice.created", "balance.changed"]],
  [["customers"], ["balance.changed"]],
] as const)("a key with the scope %s hears of what that is for", async ([scopes, types]) => {
  const shop = await addShop("Main shop");
  await addLabelType({ uid: "plain", kind: "shipv2", tiers: [[0, 5, 2]] });
  await addCustomer({ balance: 10, discordId: "maren", shopId: shop.shopId, verifiedAt: new Date() });
  const after = await end();
  const body = { discordId: "maren", amount: 5, payment_method: "cashapp" } as const;
  await call(shop, storefront.createInvoice, { body, headers: { "idempotency-key": "one" } });
  await buy(shop, "maren");
  await number();
  await db.update(apiKeys).set({ scopes: [...scopes] });
  expect(typesOf(await pull(shop, { after }))).toEqual(types);
});

test("a reader without news still gets the position, and a position that is no longer kept is refused", async () => {
  const [small, large] = [await addShop("Small"), await addShop("Large")];
  const customer = await addCustomer({ shopId: large.shopId });
  for (let round = 0; round < 3; round++)
    await call("admin", users.addBalance, { params: { id: customer.id }, body: { balance: 1 } });
  await number();
  const { next } = await pull(small);
  expect(Number(next)).toBe(Number((await pull(large)).next));
  for (const after of [String(Number(next) + 1_000_000), "01980000-0000-7000-8000-000000000000"])
    expect((await call(small, contract.pull, { query: { after } })).status).toBe(404);
  // After 30 days.
  await db.update(events).set({ createdAt: sql`now() - interval '30 days 1 second'` });
  await forgetEvents(db);
  expect(await db.$count(events)).toBe(0);
  expect(await pull(large, { after: next })).toEqual({ events: [], next });
});

test("a shop among large ones looks at its own rows, and goes on where one look ends", async () => {
  const shop = await addShop("Main shop");
  const customer = await addCustomer({ shopId: shop.shopId });
  const keys = { ...shop };
  await db.execute(sql`
    insert into outbox (id, type, customer_id, shop_id, data, created_at)
    select gen_random_uuid(), case when n = 1100 then 'customer.changed' else 'order.created' end, ${customer.id}, ${shop.shopId},
      '{}', now() from generate_series(1, 1200) n`);
  await number();
  await db.update(apiKeys).set({ scopes: ["customers"] });
  const first = await pull(keys);
  expect(first.events).toEqual([]);
  const second = await pull(keys, { after: first.next });
  expect(typesOf(second)).toEqual(["customer.changed"]);
  expect(await pull(keys, { after: second.next })).toEqual({ events: [], next: second.next });
});

test("a waiting reader is answered when one of its events happens, or when the time is over", async () => {
  const [shop, other] = [await addShop("Main shop"), await addShop("Other")];
  const mine = await addCustomer({ shopId: shop.shopId });
  const theirs = await addCustomer({ shopId: other.shopId });
  const next = await end();
  const credit = ({ id }: { id: string }) => call("admin", users.addBalance, { params: { id }, body: { balance: 1 } });
  // On PostgreSQL on both servers, whichever makes the change.
  const waiting = [1, 2, 3, 4].map(() => pull(shop, { after: next, wait: 30 }));
  const otherWaits = pull(other, { after: next, wait: 30 });
  await credit(theirs);
  expect(typesOf(await otherWaits)).toEqual(["balance.changed"]);
  await credit(mine);
  for (const answer of await Promise.all(waiting)) {
    expect(typesOf(answer)).toEqual(["balance.changed"]);
    expect(answer.events[0]?.data).toMatchObject({ customer: { _id: mine.id } });
  }
  const after = await end();
  expect(await pull(shop, { after, wait: 1 })).toEqual({ events: [], next: after });
});

test("waiting readers delay neither other calls nor the server's end, and their number is limited", async () => {
  const shop = await addShop("Main shop");
  await addCustomer({ balance: 5, discordId: "maren", shopId: shop.shopId });
  const next = await end();
  const app = await buildApp({ db, config: readConfig({ LOG_LEVEL: "silent" }), now: () => new Date() });
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  const headers = { authorization: `Bearer ${shop.token}` };
  const ask = (path: string, signal?: AbortSignal) =>
    fetch(`${origin}/api/v1/storefront/${path}`, { headers, ...(signal && { signal }) });
  const callers = Array.from({ length: 20 }, () => {
    const gone = new AbortController();
    const caller = { gone, status: 0, body: {} as unknown };
    const ended = ask(`events?after=${next}&wait=30`, gone.signal).then(async (answer) => {
      caller.status = answer.status;
      caller.body = await answer.json();
    });
    return Object.assign(caller, { ended: ended.catch(() => {}) });
  });
  const refused = () => callers.filter(({ status }) => status === 503);
  // More calls wait than there are places, and others are still answered.
  await vi.waitFor(() => expect(refused()).toHaveLength(4), patience);
  expect((await ask("customers/maren")).status).toBe(200);
  const asked = async () => (await ask(`events?after=${next}&wait=1`)).status;
  expect(await asked()).toBe(503);
  callers.find(({ status }) => status === 0)?.gone.abort();
  await vi.waitFor(async () => expect(await asked()).toBe(200), patience);
  await app.close();
  await Promise.all(callers.map(({ ended }) => ended));
  const answered = callers.filter(({ status }) => status === 200);
  expect(answered.map(({ body }) => body)).toEqual(Array(15).fill({ events: [], next }));
});

test("a key that is deleted while it waits is refused at once, on every server", async () => {
  const [shop, other] = [await addShop("Main shop"), await addShop("Other")];
  const next = await end();
  const waiting = [1, 2, 3].map(() => call(shop, contract.pull, { query: { after: next, wait: 30 } }));
  // Ends first unless the deletion ends the others.
  const witness = call(other, contract.pull, { query: { after: next, wait: 20 } });
  const { body } = await call("admin", website.listApiKeys);
  const id = body.keys.find(({ name }) => name === "Main shop")?._id ?? "";
  await call("admin", website.deleteApiKey, { params: { id } });
  for (const refused of waiting) expect(await Promise.race([refused, witness])).toMatchObject({ status: 401 });
  const customer = await addCustomer({ shopId: other.shopId });
  await call("admin", users.addBalance, { params: { id: customer.id }, body: { balance: 1 } });
  expect((await witness).status).toBe(200);
});

test("each customer's events are in order, whatever happens at once and however many servers number them", async () => {
  const shop = await addShop("Main shop", { bounded: false });
  await addLabelType({ uid: "plain", kind: "shipv2", tiers: [[0, 5, 1]] });
  const some = await Promise.all(
    ["one", "two", "three"].map((discordId) => addCustomer({ balance: 100, discordId, verifiedAt: new Date() })),
  );
  const refundable = await Promise.all(some.map((customer) => addOrder({ customer, price: 2 })));
  const payable = await Promise.all(some.map((customer) => addInvoice({ customer, amount: 3 })));
  const before = await rowsWithEvents();
  let isOver = false;
  const numberers = [1, 2, 3].map(async () => {
    while (!isOver) await numberOutbox(db);
  });
  // One of them is killed again and again just before its commit.
  const dying = (async () => {
    while (!isOver)
      await db
        .transaction(async (tx) => {
          await numberOutbox(tx as never);
          throw new Error("killed");
        })
        .catch(() => {});
  })();
  const rounds = inject("embeddedDump") ? 3 : 8;
  await Promise.all([
    ...some.flatMap(({ id, discordId }) =>
      Array.from({ length: rounds }, (_, round) =>
        round % 2
          ? buy(shop, discordId)
          : call("admin", users.addBalance, { params: { id }, body: { balance: round + 1 } }),
      ),
    ),
    ...refundable.map(({ id }) => call("admin", orders.refund, { params: { id } })),
    ...payable.map(({ id }) => call("admin", invoices.markPaid, { params: { id } })),
  ]);
  isOver = true;
  await Promise.all([...numberers, dying]);
  await number();
  expect(await eventFaultsSince(before)).toEqual([]);
  const told = await allEvents();
  expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  const pages: unknown[] = [];
  for (let after = "0", left = true; left; ) {
    const page = await pull(shop, { after, limit: 7 });
    pages.push(...page.events.map(({ id }) => id));
    left = page.events.length > 0;
    after = page.next;
  }
  expect(pages).toEqual(told.map(({ id }) => id));
});

test("codes that become low are told of once, and again after there were enough", async () => {
  await addLabelType({ uid: "priority", codes: "priority" });
  await db.insert(codeAlerts).values({ type: "priority", days: 7, leadDays: 3, codes: 3 });
  const register = (numbers: number[]) =>
    db.insert(trackingCodes).values(
      numbers.map((code) => ({
        ...{ code: `940000000000000000000${code}`, type: "priority" as const, template: "evs" as const },
      })),
    );
  const look = async () => {
    await Promise.all([1, 2, 3].map(() => tellOfLowCodes(db, new Date())));
    const told = (await allEvents()).filter(({ type }) => type === "codes.low");
    return told.map(({ data }) => data);
  };
  await register([1, 2, 3]);
  expect(await look()).toEqual([]);
  await db.delete(trackingCodes).where(eq(trackingCodes.code, "9400000000000000000001"));
  const first = { type: "priority", left: 2, alert: 3 };
  expect(await look()).toEqual([first]);
  await db.delete(trackingCodes).where(eq(trackingCodes.code, "9400000000000000000002"));
  expect(await look()).toEqual([first]);
  await register([4, 5]);
  expect(await look()).toEqual([first]);
  await db.delete(trackingCodes);
  expect(await look()).toEqual([first, { type: "priority", left: 0, alert: 3 }]);
});

test("books that do not balance are told of once, and again when something else is wrong", async () => {
  const [one, two] = [await addCustomer({ balance: 5 }), await addCustomer({ balance: 5 })];
  const check = async () => {
    await checkAndKeepBooks(db);
    const told = (await allEvents()).filter(({ type }) => type === "books.unbalanced");
    return told.map(({ data }) => (data as { problems: string[] }).problems.length);
  };
  expect(await check()).toEqual([]);
  const spoil = ({ id }: { id: string }) => db.update(customers).set({ balanceCents: 900 }).where(eq(customers.id, id));
  await spoil(one);
  const [found] = await check();
  expect(found).toBeGreaterThan(0);
  expect(await check()).toHaveLength(1);
  await spoil(two);
  expect(await check()).toHaveLength(2);
  await db.update(settings).set({ booksProblems: null });
  expect(await check()).toHaveLength(3);
});
