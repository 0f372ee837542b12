import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { search } from "@footprint/contract/search.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { eq } from "drizzle-orm";
import { beforeEach, expect, inject, test as onBothEngines } from "vitest";
import { apiKeys, customPrices, labelTypes, trackingCodes } from "../db/schema.ts";
import { checkBooks } from "../money/books.ts";
import { addCustomer, addLabelType, balanceOf, someAddresses, transfersOf } from "../testing/builders.ts";
import { call, db, logRows } from "../testing/server.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

let shop: { token: string };

beforeEach(async () => {
  const { body } = await call("admin", website.createApiKey, { body: { name: "Main shop" } });
  shop = { token: body.key };
});

let keys = 0;
const once = () => ({ headers: { "idempotency-key": `test-${++keys}` } });
const parcel = { ...someAddresses, fromCountry: "US", toCountry: "US" };

async function codes(type: "priority" | "express", ...list: string[]) {
  await db.insert(trackingCodes).values(list.map((code) => ({ code, type, template: "evs" as const })));
}

test("keys are shown once, listed by their first characters, worth nothing in the panel, and dead once deleted", async () => {
  expect(shop.token).toMatch(/^fp_[\w-]{43}$/);
  expect((await call(shop, storefront.paymentSettings)).status).toBe(200);
  const { body } = await call("admin", website.listApiKeys);
  expect(body.keys).toEqual([
    {
      _id: expect.any(String),
      name: "Main shop",
      start: shop.token.slice(0, 8),
      shop: { _id: expect.any(String), name: "Main shop" },
      isBounded: true,
      scopes: ["orders", "customers", "deposits", "mark-as-paid"],
      depositsPerDay: null,
      expiresAt: null,
      addresses: [],
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
    },
  ]);
  expect((await call(shop, staff.list)).status).toBe(401);
  expect((await call(shop, orders.list)).status).toBe(401);
  expect((await call("admin", storefront.paymentSettings)).status).toBe(401);

  const id = body.keys[0]?._id as string;
  expect((await call("admin", website.deleteApiKey, { params: { id } })).body.message).toBe(
    "API key Main shop deleted",
  );
  expect((await call(shop, storefront.paymentSettings)).status).toBe(401);
  expect((await call("admin", website.deleteApiKey, { params: { id } })).status).toBe(404);
  expect(await logRows()).toMatchObject([
    { action: "Created the API key Main shop", before: null, after: { name: "Main shop" } },
    { action: "Deleted the API key Main shop", before: { name: "Main shop" }, after: null },
  ]);
});

test("a customer is created unverified, then updated", async () => {
  const params = { discordId: "4711" };
  const created = await call(shop, storefront.putCustomer, {
    params,
    body: { username: "maren", email: "m@example.com" },
  });
  expect(created.body.customer).toEqual({
    _id: expect.any(String),
    discordId: "4711",
    username: "maren",
    email: "m@example.com",
    balance: 0,
    status: true,
    isVerified: false,
    customPricingEnabled: false,
    createdAt: expect.any(String),
  });
  await call(shop, storefront.putCustomer, { params, body: { username: "maren.k" } });
  const { body } = await call(shop, storefront.getCustomer, { params });
  expect(body.customer).toMatchObject({ username: "maren.k", email: "m@example.com" });
  expect((await call(shop, storefront.getCustomer, { params: { discordId: "1" } })).status).toBe(404);
  const actions = (await logRows()).map((row) => [row.admin, row.action]);
  expect(actions.slice(1)).toEqual([
    ["Main shop", "Added customer maren"],
    ["Main shop", "Updated customer maren.k"],
  ]);
});

test("a name is found however its accents were typed, here and in the shop", async () => {
  const composed = "José Núñez".normalize("NFC");
  const typed = [composed, composed.normalize("NFD")];
  expect(typed[0]).not.toBe(typed[1]);
  for (const [place, username] of typed.entries()) {
    const params = { discordId: `471${place}` };
    const { body } = await call(shop, storefront.putCustomer, { params, body: { username } });
    expect(body.customer.username).toBe(composed);
  }
  for (const asked of typed) {
    expect((await call("admin", users.list, { query: { search: asked } })).body.total).toBe(2);
    expect((await call("admin", search.find, { query: { q: asked } })).body.customers.total).toBe(2);
  }
});

onBothEngines("the same new customer sent twice at once becomes one", async () => {
  const put = () => call(shop, storefront.putCustomer, { params: { discordId: "4711" }, body: { username: "maren" } });
  const answers = await Promise.all([put(), put(), put()]);
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  expect(new Set(answers.map((answer) => answer.body.customer._id)).size).toBe(1);
});

test("prices are the customer's own where enabled and fitting, else the label type's", async () => {
  const customer = await addCustomer({ customPricingEnabled: true });
  const type = await addLabelType({
    uid: "saver",
    tiers: [
      [0, 5, 4],
      [5, 10, 8],
    ],
  });
  await addLabelType({ uid: "off", active: false });
  await db
    .insert(customPrices)
    .values({ customerId: customer.id, labelTypeId: type.id, fromWeight: 2, toWeight: 6, priceCents: 300 });
  const quote = (weight: number) =>
    call(shop, storefront.quote, { body: { discordId: customer.discordId, labelType: "SAVER", weight } });

  expect((await quote(2)).body).toEqual({ price: 4, tier: { fromWeight: 0, toWeight: 5, price: 4 }, custom: false });
  expect((await quote(2.001)).body).toEqual({ price: 3, tier: { fromWeight: 2, toWeight: 6, price: 3 }, custom: true });
  expect((await quote(6)).body.custom).toBe(true);
  expect((await quote(10)).body.price).toBe(8);
  const { body } = await call(shop, storefront.labelTypes, { query: { discordId: customer.discordId } });
  expect(body.labelTypes).toEqual([
    {
      uid: "saver",
      name: type.name,
      type: "usps",
      maxWeight: 70,
      prices: [
        { fromWeight: 0, toWeight: 2, price: 4, custom: false },
        { fromWeight: 2, toWeight: 6, price: 3, custom: true },
        { fromWeight: 6, toWeight: 10, price: 8, custom: false },
      ],
    },
  ]);
});

test("an order is priced, paid, given the oldest code of its type, and recorded in one step", async () => {
  const customer = await addCustomer({ username: "maren", balance: 20 });
  await addLabelType({ name: "USPS Priority", uid: "priority", tiers: [[0, 5, 7.45]] });
  await codes("priority", "9400000000000000000017", "9400000000000000000024");
  const body = { discordId: customer.discordId, labelType: "priority", weight: 3, ...parcel, tracking: "ignored" };
  const bought = await call(shop, storefront.createOrder, { body, ...once() });
  expect(bought.status).toBe(201);
  expect(bought.body).toMatchObject({
    balance: 12.55,
    order: {
      price: 7.45,
      tracking: "9400000000000000000017",
      user: { username: "maren" },
      isRefunded: false,
      weight: 3,
    },
  });
  expect(await transfersOf(customer)).toEqual([
    { kind: "purchase", amount: -7.45, balanceAfter: 12.55, reference: bought.body.order._id, actor: "Main shop" },
  ]);
  const list = await call("staff", orders.list);
  expect(list.body.orders[0]).toMatchObject(bought.body.order);
  expect((await logRows()).at(-1)).toMatchObject({
    admin: "Main shop",
    type: "balance",
    action: `Sold order ${bought.body.order.uuid} ($7.45) to maren`,
  });
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("label types without prepaid codes carry the tracking that the shop sends", async () => {
  const customer = await addCustomer({ balance: 50 });
  await addLabelType({ uid: "express", kind: "shipv2", tiers: [[0, 5, 7]] });
  const body = { discordId: customer.discordId, labelType: "express", weight: 1, ...parcel, tracking: "1Z999" };
  const bought = await call(shop, storefront.createOrder, { body, ...once() });
  expect(bought.body.order.tracking).toBe("1Z999");
  for (const [tracking, status] of [
    ["1Z 999.AA_1-0", 201],
    ["", 201],
    ["1Z\u00a0999", 400],
    ["1Zé", 400],
    ["1Z\u200b999", 400],
    ["1Z/999", 400],
    ["1Z\t999", 400],
    ["_1Z", 400],
  ] as const) {
    const answer = await call(shop, storefront.createOrder, { body: { ...body, tracking }, ...once() });
    const wrong = "A tracking code has letters, digits, spaces and . _ - only, and begins with a letter or a digit";
    expect([answer.status, answer.body.message], tracking).toEqual([status, status === 400 ? wrong : undefined]);
  }
});

test.for(["\u200b", "\u3164", "\u2800", "\u0301", "\ufe0f\u00ad", "\u{e0041}"])(
  "a text that must be filled is not %j, which nobody sees",
  async (nothing) => {
    const customer = await addCustomer({ balance: 20 });
    await addLabelType({ uid: "saver", tiers: [[0, 5, 7]] });
    const put = (username: string) =>
      call(shop, storefront.putCustomer, { params: { discordId: "4711" }, body: { username } });
    const body = { discordId: customer.discordId, labelType: "saver", weight: 1, ...parcel };
    const buy = (toName: string) => call(shop, storefront.createOrder, { body: { ...body, toName }, ...once() });
    for (const answer of [await put(nothing), await buy(nothing)])
      expect([answer.status, answer.body.message]).toEqual([400, "Text needs at least one visible character"]);
    for (const seen of ["é", "e\u0301", "李", "👩\u200d💻", "ﾠa", "#"]) expect((await put(seen)).status, seen).toBe(200);
    expect((await buy(`Zo${nothing}e`)).status).toBe(201);
  },
);

test("refused means nothing changed, and says what is missing", async () => {
  const customer = await addCustomer({ username: "maren", balance: 5 });
  const type = await addLabelType({ name: "Saver", uid: "saver", maxWeight: 10, tiers: [[0, 5, 7.45]] });
  await addLabelType({ name: "Off", uid: "off", active: false, tiers: [[0, 5, 1]] });
  await addLabelType({ name: "Priority", uid: "priority", tiers: [[0, 5, 1]] });
  const buy = async (change: object) => {
    const body = { discordId: customer.discordId, labelType: "saver", weight: 1, ...parcel, ...change };
    const answer = await call(shop, storefront.createOrder, { body, ...once() });
    return [answer.status, answer.body.message];
  };
  const logged = await logRows();
  expect(await buy({})).toEqual([402, "maren has $5.00, $2.45 short of $7.45"]);
  expect(await buy({ discordId: "1" })).toEqual([404, "No customer has the discordId 1"]);
  expect(await buy({ labelType: "nope" })).toEqual([404, "There is no label type nope"]);
  expect(await buy({ labelType: "off" })).toEqual([400, "Off is disabled"]);
  expect(await buy({ weight: 6 })).toEqual([400, "Saver has no price for 6 lb"]);
  expect(await buy({ weight: 10.001 })).toEqual([400, "Saver carries at most 10 lb"]);
  expect(await buy({ weight: 0 })).toEqual([400, "A parcel weighs more than 0"]);
  expect(await buy({ weight: 1e-9 })).toEqual([400, "A weight has at most three decimals"]);
  expect(await buy({ toName: "" })).toEqual([400, expect.stringContaining("toName")]);
  expect(await buy({ toName: "a\u202eevil" })).toEqual([400, "Text may not contain control characters"]);
  expect(await buy({ labelType: "priority" })).toEqual([409, "No tracking code of type priority is left"]);
  const inactive = await addCustomer({ username: "off", active: false, balance: 50 });
  expect(await buy({ discordId: inactive.discordId })).toEqual([403, "off is disabled and cannot order"]);
  const fresh = await addCustomer({ username: "new", verifiedAt: null, balance: 50 });
  expect(await buy({ discordId: fresh.discordId })).toEqual([403, "new is not verified yet and cannot order"]);
  expect(await balanceOf(customer)).toBe(5);
  expect(await logRows()).toEqual(logged);
  expect((await call("staff", orders.list)).body.total).toBe(0);
  expect((await db.select().from(labelTypes).where(eq(labelTypes.id, type.id))).length).toBe(1);
});

test("a label without a price is refused at the field that is wrong", async () => {
  const { discordId } = await addCustomer();
  await addLabelType({ name: "Saver", uid: "saver", maxWeight: 10, tiers: [[0, 5, 7.45]] });
  await addLabelType({ name: "Off", uid: "off", active: false, tiers: [[0, 5, 1]] });
  for (const [labelType, weight, path, message] of [
    ["saver", 6, "body.weight", "Saver has no price for 6 lb"],
    ["saver", 11, "body.weight", "Saver carries at most 10 lb"],
    ["off", 1, "body.labelType", "Off is disabled"],
  ] as const) {
    const { status, body } = await call(shop, storefront.quote, { body: { discordId, labelType, weight } });
    expect([status, body]).toEqual([400, { message, issues: [{ path, message }] }]);
  }
});

onBothEngines(
  "every POST but quotes needs an Idempotency-Key, and a repeat gets the first answer, also at the same moment",
  async () => {
    const customer = await addCustomer({ balance: 20 });
    await addLabelType({ uid: "saver", tiers: [[0, 5, 7.45]] });
    const body = { discordId: customer.discordId, labelType: "saver", weight: 1, ...parcel };
    const without = await call(shop, storefront.createOrder, { body });
    expect([without.status, without.body.message]).toEqual([
      400,
      "Send an Idempotency-Key, so that a repeat is recognised",
    ]);

    const key = once();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call(shop, storefront.createOrder, { body, ...key })),
    );
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(await balanceOf(customer)).toBe(12.55);
    const other = await call(shop, storefront.createOrder, { body: { ...body, weight: 2 }, ...key });
    expect(other.status).toBe(409);
  },
);

onBothEngines("a hundred orders at once take a hundred different codes and never overdraw", async () => {
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  await codes("priority", ...Array.from({ length: 100 }, (_, n) => `94${String(n).padStart(20, "0")}`));
  const customers = await Promise.all(Array.from({ length: 10 }, () => addCustomer({ balance: 9 })));
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => {
      const discordId = customers[n % 10]?.discordId as string;
      return call(shop, storefront.createOrder, {
        body: { discordId, labelType: "priority", weight: 1, ...parcel },
        ...once(),
      });
    }),
  );
  const bought = answers.filter((answer) => answer.status === 201);
  expect(bought).toHaveLength(90);
  expect(answers.filter((answer) => answer.status === 402)).toHaveLength(10);
  expect(new Set(bought.map((answer) => answer.body.order.tracking)).size).toBe(90);
  expect(await Promise.all(customers.map(balanceOf))).toEqual(Array(10).fill(0));
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a bulk order is bought whole or not at all", async () => {
  const customer = await addCustomer({ balance: 20 });
  await addLabelType({ name: "Saver", uid: "saver", tiers: [[0, 5, 7.45]] });
  const one = { labelType: "saver", weight: 1, ...parcel };
  const buy = (orders: object[]) =>
    call(shop, storefront.createBulkOrder, {
      body: { discordId: customer.discordId, orders: orders as never },
      ...once(),
    });
  const bought = await buy([one, { ...one, toName: "Second" }]);
  expect(bought.status).toBe(201);
  expect(bought.body.balance).toBe(5.1);
  expect(bought.body.bulkOrder).toMatchObject({
    total: 14.9,
    orders: [{ toName: "Lena Okafor" }, { toName: "Second" }],
  });
  expect(await transfersOf(customer)).toEqual([
    { kind: "purchase", amount: -14.9, balanceAfter: 5.1, reference: bought.body.bulkOrder._id, actor: "Main shop" },
  ]);

  expect((await buy([one])).status).toBe(402);
  const wrong = await buy([one, { ...one, weight: 6 }]);
  expect([wrong.status, wrong.body.message]).toEqual([400, "Order 2: Saver has no price for 6 lb"]);
  expect((await buy([])).status).toBe(400);
  expect((await buy(Array(501).fill(one))).status).toBe(400);
  expect(await balanceOf(customer)).toBe(5.1);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a Fedex order comes in pending and can be followed", async () => {
  const customer = await addCustomer();
  const address = { name: "Ada", street: "1 Main St", city: "Austin", state: "TX", zip: "78701" };
  const body = {
    discordId: customer.discordId,
    from: address,
    to: { ...address, name: "Bea" },
    weight: 4,
    length: 10,
    width: 8,
    height: 6,
    dimensionUnit: "in",
    weightUnit: "lb",
  };
  const made = await call(shop, storefront.createFedexOrder, { body, ...once() });
  expect(made.status).toBe(201);
  expect(made.body.order).toMatchObject({ status: "Pending", note: "", price: null, file: null });
  const params = { id: made.body.order._id };
  expect((await call(shop, storefront.readFedexOrder, { params })).body).toEqual({ order: made.body.order });
  expect((await call(shop, storefront.readFedexFile, { params })).status).toBe(404);
  expect((await logRows()).at(-1)).toMatchObject({
    action: `Added Fedex order ${made.body.order.uuid} of ${customer.username}`,
    before: null,
    after: { status: "Pending", weight: 4, length: 10, width: 8, height: 6, dimensionUnit: "in", weightUnit: "lb" },
  });

  const overweight = { ...body, weight: 4.0001 };
  const refused = await call(shop, storefront.createFedexOrder, { body: overweight, ...once() });
  expect([refused.status, refused.body.message]).toEqual([400, "A weight has at most three decimals"]);

  for (const [specialNotes, status] of [
    ["Fragile\r\n\tthis side up", 201],
    ["beep\u0007", 400],
    ["\u001b[2J", 400],
    ["a\u202eb", 400],
    ["a\u2066b", 400],
  ] as const) {
    const answer = await call(shop, storefront.createFedexOrder, { body: { ...body, specialNotes }, ...once() });
    const wrong = "Text may not contain control characters";
    expect([answer.status, answer.body.message]).toEqual([status, status === 400 ? wrong : undefined]);
  }
});

test("an invoice is credited once, whether panel or shop is first", async () => {
  const customer = await addCustomer({ username: "maren" });
  const body = { discordId: customer.discordId, amount: 25, payment_method: "paypal" as const };
  const made = await call(shop, storefront.createInvoice, { body, ...once() });
  expect([made.status, made.body.invoice.status]).toEqual([201, "pending"]);
  expect((await logRows()).at(-1)).toMatchObject({
    action: `Opened invoice ${made.body.invoice._id} ($25.00) for maren`,
    before: null,
    after: { amount: 25, payment_method: "paypal", status: "pending" },
  });
  const params = { id: made.body.invoice._id };
  const [one, other] = await Promise.all([
    call(shop, storefront.setInvoiceStatus, { params, body: { status: "paid" } }),
    call("staff", invoices.markPaid, { params }),
  ]);
  // A shop may report the state again, while the panel is told that it came late.
  expect(one.status).toBe(200);
  expect([200, 409]).toContain(other.status);
  expect(await balanceOf(customer)).toBe(25);
  const again = await call(shop, storefront.setInvoiceStatus, { params, body: { status: "paid" } });
  expect([again.status, again.body.balance]).toEqual([200, 25]);
  expect((await call(shop, storefront.setInvoiceStatus, { params, body: { status: "failed" } })).status).toBe(409);

  const { invoice } = (await call(shop, storefront.createInvoice, { body, ...once() })).body;
  await call(shop, storefront.setInvoiceStatus, { params: { id: invoice._id }, body: { status: "expired" } });
  expect((await call("staff", invoices.list, { query: { status: "expired" } })).body.total).toBe(1);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("an invoice whose payment was taken back stays so for the shop, and staff mark it as paid again", async () => {
  const customer = await addCustomer();
  const body = { discordId: customer.discordId, amount: 25, payment_method: "paypal" as const };
  const { invoice } = (await call(shop, storefront.createInvoice, { body, ...once() })).body;
  const params = { id: invoice._id };
  const say = (status: "paid" | "failed") => call(shop, storefront.setInvoiceStatus, { params, body: { status } });
  await say("paid");
  const [deposit] = (await call("staff", transfers.history, { params: { id: customer.id } })).body.transfers;
  await call("staff", transfers.reverse, { params: { id: deposit?._id ?? "" }, body: {} });
  for (const status of ["paid", "failed"] as const)
    expect([(await say(status)).status, (await say(status)).body.message]).toEqual([
      409,
      "The payment of this invoice was taken back: staff mark it as paid, should it come again",
    ]);
  expect(await balanceOf(customer)).toBe(0);
  expect((await call("staff", invoices.markPaid, { params })).status).toBe(200);
  expect((await say("paid")).body).toMatchObject({ invoice: { status: "paid" }, balance: 25 });
});

test("a shop follows a customer's balance, without who did what and what other shops sold", async () => {
  const customer = await addCustomer();
  await addLabelType({ uid: "own", name: "Own", kind: "shipv2", tiers: [[0, 5, 4]] });
  const { key } = (await call("admin", website.createApiKey, { body: { name: "Other shop" } })).body;
  const other = { token: key };
  const buy = async (as: { token: string }) => {
    const body = { discordId: customer.discordId, labelType: "own", weight: 1, ...parcel };
    return (await call(as, storefront.createOrder, { body, ...once() })).body.order;
  };
  await call("staff", users.addBalance, { params: { id: customer.id }, body: { balance: 10, reason: "a gift" } });
  const [mine, others] = [await buy(shop), await buy(other)];
  await call("staff", orders.refund, { params: { id: mine._id }, body: { reason: "never sent" } });

  const params = { discordId: customer.discordId };
  const { body } = await call(shop, storefront.transfers, { params, query: { sort: "asc" } });
  const thing = { kind: "order", _id: mine._id, uuid: mine.uuid, labelType: "Own", weight: 1, custom: false };
  const plain = { _id: expect.any(String), createdAt: expect.any(String), reverses: null, reversedBy: null };
  expect(body).toEqual({
    transfers: [
      { ...plain, kind: "adjustment", amount: 10, balanceAfter: 10, reason: "a gift", for: null },
      { ...plain, kind: "purchase", amount: -4, balanceAfter: 6, reason: "", for: thing },
      { ...plain, kind: "purchase", amount: -4, balanceAfter: 2, reason: "", for: null },
      { ...plain, kind: "refund", amount: 4, balanceAfter: 6, reason: "never sent", for: thing },
    ],
    total: 4,
    totalPages: 1,
  });
  const refunds = await call(other, storefront.transfers, { params, query: { kind: "refund" } });
  expect(refunds.body).toMatchObject({
    transfers: [{ amount: 4, for: null, reason: "" }],
    total: 1,
    totalCapped: false,
  });
  await call("staff", users.addBalance, { params: { id: customer.id }, body: { balance: 1, reason: "by mistake" } });
  const [mistake] = (await call(shop, storefront.transfers, { params })).body.transfers;
  await call("staff", transfers.reverse, { params: { id: mistake?._id ?? "" }, body: { reason: "for colleagues" } });
  const [reversal] = (await call(shop, storefront.transfers, { params })).body.transfers;
  expect(reversal).toMatchObject({ kind: "reversal", reason: "", for: { kind: "transfer", _id: mistake?._id } });
  await db.update(apiKeys).set({ bounded: false }).where(eq(apiKeys.name, "Other shop"));
  expect((await call(other, storefront.transfers, { params })).body.transfers).toMatchObject([
    { kind: "reversal" },
    { reason: "by mistake" },
    { for: thing, reason: "never sent" },
    { for: { _id: others._id } },
    { for: thing },
    { for: null },
  ]);
  expect((await call(shop, storefront.transfers, { params: { discordId: "nobody" } })).status).toBe(404);
});

test("a shop reads its own orders, with the refund if there was one", async () => {
  const customer = await addCustomer({ balance: 10 });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 4]] });
  const body = { discordId: customer.discordId, labelType: "own", weight: 1, ...parcel };
  const { order } = (await call(shop, storefront.createOrder, { body, ...once() })).body;
  const params = { id: order._id };
  const read = (as: { token: string }) => call(as, storefront.readOrder, { params });
  expect((await read(shop)).body).toEqual({ order, refund: null });
  await call("staff", orders.refund, { params, body: { reason: "never sent" } });
  expect((await read(shop)).body).toEqual({
    order: { ...order, isRefunded: true },
    refund: { amount: 4, reason: "never sent", createdAt: expect.any(String) },
  });
  const { key } = (await call("admin", website.createApiKey, { body: { name: "Other shop" } })).body;
  const hidden = await read({ token: key });
  expect([hidden.status, hidden.body.message]).toEqual([404, "This order does not exist"]);
  await db.update(apiKeys).set({ bounded: false }).where(eq(apiKeys.name, "Other shop"));
  expect((await read({ token: key })).status).toBe(200);
});

test("a shop lists what a customer bought, asked and paid there, and nothing of other shops", async () => {
  const customer = await addCustomer({ balance: 100, username: "maren" });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 4]] });
  const { discordId } = customer;
  const { key } = (await call("admin", website.createApiKey, { body: { name: "Other shop" } })).body;
  const other = { token: key };
  const body = { discordId, labelType: "own", weight: 1, ...parcel };
  const bought = [];
  for (const toName of ["Lena Okafor", "Milo Hart", "Ada Reyes"]) {
    const { order } = (await call(shop, storefront.createOrder, { body: { ...body, toName }, ...once() })).body;
    bought.unshift(order);
  }
  await call(other, storefront.createOrder, { body, ...once() });
  await call("staff", orders.refund, { params: { id: bought[1]?._id ?? "" } });
  const list = async (query: object, as = shop) =>
    (await call(as, storefront.orders, { query: { discordId, ...query } })).body;
  const refunded = { ...bought[1], isRefunded: true };
  expect(await list({})).toEqual({
    orders: [bought[0], refunded, bought[2]],
    total: 3,
    totalPages: 1,
    totalCapped: false,
  });
  expect((await list({ limit: 2, page: 2 })).orders).toEqual([bought[2]]);
  expect((await list({ status: "Refunded" })).orders).toEqual([refunded]);
  expect((await list({ search: "lena" })).orders).toEqual([bought[2]]);
  expect((await list({ to: "2020-01-01" })).total).toBe(0);
  expect((await list({}, other)).total).toBe(1);
  const unbounded = { bounded: false };
  await db.update(apiKeys).set(unbounded).where(eq(apiKeys.name, "Other shop"));
  expect((await list({}, other)).total).toBe(4);
  expect((await call(shop, storefront.orders, { query: { discordId: "nobody" } })).status).toBe(404);

  const fedexOrder = {
    ...{ discordId, weight: 12, length: 16, width: 12, height: 8, dimensionUnit: "in", weightUnit: "lb" },
    from: { name: "Tobias Brandt", street: "410 Cedar St", city: "Austin", state: "TX", zip: "78701" },
    to: { name: "Lena Okafor", street: "88 Wharf Rd", city: "Portland", state: "ME", zip: "04101" },
  };
  const asked = (await call(shop, storefront.createFedexOrder, { body: fedexOrder, ...once() })).body;
  expect((await call(shop, storefront.fedexOrders, { query: { discordId } })).body).toMatchObject({
    total: 1,
    orders: [{ ...asked.order, weight: 12, from: { name: "Tobias Brandt" }, to: { city: "Portland", zip: "04101" } }],
  });

  const invoice = { discordId, amount: 50, payment_method: "cashapp" as const };
  const opened = (await call(shop, storefront.createInvoice, { body: invoice, ...once() })).body.invoice;
  const params = { id: opened._id };
  await call("staff", invoices.markPaid, { params });
  const paid = { ...opened, status: "paid" };
  expect((await call(shop, storefront.readInvoice, { params })).body).toEqual({ invoice: paid });
  expect((await call(shop, storefront.invoices, { query: { discordId } })).body).toMatchObject({
    total: 1,
    invoices: [paid],
  });
  const third = (await call("admin", website.createApiKey, { body: { name: "Third shop" } })).body;
  const stranger = { token: third.key };
  expect((await call(stranger, storefront.readInvoice, { params })).status).toBe(404);
  expect((await call(stranger, storefront.fedexOrders, { query: { discordId } })).body.total).toBe(0);
  expect((await call(stranger, storefront.invoices, { query: { discordId } })).body.total).toBe(0);
});

test("a shop finds things by what it sold, and learns nothing about the customer by searching", async () => {
  const { discordId } = await addCustomer({ balance: 100, username: "maren", email: "maren.holt@example.com" });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 4]] });
  await call(shop, storefront.createOrder, { body: { discordId, labelType: "own", weight: 1, ...parcel }, ...once() });
  const place = { name: "Tobias Brandt", street: "410 Cedar St", city: "Austin", state: "TX", zip: "78701" };
  const size = { weight: 12, length: 16, width: 12, height: 8, dimensionUnit: "in", weightUnit: "lb" };
  await call(shop, storefront.createFedexOrder, { body: { discordId, from: place, to: place, ...size }, ...once() });
  // Another shop registered the customer, and only it sees the e-mail.
  expect((await call(shop, storefront.getCustomer, { params: { discordId } })).body.customer.email).toBe("");
  for (const list of [storefront.orders, storefront.fedexOrders]) {
    const total = async (search: string) => (await call(shop, list, { query: { discordId, search } })).body.total;
    expect(await total("")).toBe(1);
    for (const search of ["maren.holt@example.com", "holt", "ol", "example.com"]) expect(await total(search)).toBe(0);
  }
});

test("an address that cannot be right is taken with a warning", async () => {
  const customer = await addCustomer({ balance: 100 });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 4]] });
  const { discordId } = customer;
  const buy = async (address: object) => {
    const body = { discordId, labelType: "own", weight: 1, ...parcel, ...address };
    return (await call(shop, storefront.createOrder, { body, ...once() })).body.warnings;
  };
  expect(await buy({ toState: "texas", toZip: "78701-1234", fromState: "TX", fromZip: "78701" })).toEqual([]);
  expect(await buy({ toState: "ME", toZip: "78701", fromState: "TX", fromZip: "78701" })).toEqual([
    { path: "body.toZip", message: "ZIP code 78701 is in Texas, not in Maine" },
  ]);
  expect(await buy({ toState: "Texass", toZip: "7870", fromState: "", fromZip: "99999" })).toEqual([
    { path: "body.fromState", message: "The state is missing" },
    { path: "body.toState", message: "“Texass” is not a state of the US" },
    { path: "body.toZip", message: "“7870” is not a ZIP code: those have 5 digits, or 5 and 4" },
  ]);
  expect(await buy({ toState: "NY", toZip: "06390", fromState: "WY", fromZip: "83414" })).toEqual([]);
  expect(await buy({ toState: "CA", toZip: "00000", fromState: "TX", fromZip: "78701" })).toEqual([
    { path: "body.toZip", message: "There is no ZIP code 00000" },
  ]);
  const canada = { toState: "ON", toZip: "K1A 0B1", toCountry: "Canada", fromState: "TX", fromZip: "78701" };
  expect(await buy(canada)).toEqual([]);

  const good = {
    labelType: "own",
    weight: 1,
    ...parcel,
    toState: "ME",
    toZip: "04101",
    fromState: "TX",
    fromZip: "78701",
  };
  const body = { discordId, orders: [good, { ...good, fromZip: "04101" }] };
  expect((await call(shop, storefront.createBulkOrder, { body, ...once() })).body.warnings).toEqual([
    { path: "body.orders.1.fromZip", message: "ZIP code 04101 is in Maine, not in Texas" },
  ]);
  const size = { weight: 12, length: 16, width: 12, height: 8, dimensionUnit: "in", weightUnit: "lb" };
  const party = { name: "Tobias Brandt", street: "410 Cedar St", city: "Austin" };
  const [from, to] = [
    { ...party, state: "TX", zip: "10001" },
    { ...party, state: "Ontario", zip: "K1A 0B1" },
  ];
  const asked = await call(shop, storefront.createFedexOrder, { body: { discordId, ...size, from, to }, ...once() });
  expect(asked.body.warnings).toEqual([
    { path: "body.from.zip", message: "ZIP code 10001 is in New York, not in Texas" },
  ]);
});
