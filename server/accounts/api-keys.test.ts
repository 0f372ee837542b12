import type { Endpoint, Input } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { invoices as panelInvoices } from "@footprint/contract/invoices.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { website } from "@footprint/contract/website.ts";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { apiKeys, bulkOrders, customers, fedexOrders, invoices, orders } from "../db/schema.ts";
import { addCustomer, addFedexOrder, addInvoice, addLabelType, balanceOf, someAddresses } from "../testing/builders.ts";
import { formWith, pdf } from "../testing/multipart.ts";
import { addAccount, call, db, fingerprint, logRows, moveBusinessTo, send } from "../testing/server.ts";

type Wanted = Input<typeof website.createApiKey>["body"];

async function addKey(wanted: Wanted) {
  const { status, body } = await call("admin", website.createApiKey, { body: wanted });
  expect([status, body.message]).toEqual([200, `API key ${wanted.name} created`]);
  return { ...(await keyCalled(wanted.name)), token: body.key };
}

async function keyCalled(name: string) {
  const { keys } = (await call("admin", website.listApiKeys)).body;
  const key = keys.find((one) => one.name === name);
  if (!key) throw new Error(`no key is called ${name}`);
  return key;
}

const change = (key: { _id: string }, body: Input<typeof website.updateApiKey>["body"]) =>
  call("admin", website.updateApiKey, { params: { id: key._id }, body: body ?? {} });

/** Makes keys look as they did before there were shops. */
const fromBefore = () => db.update(apiKeys).set({ bounded: false });

let made = 0;
const once = () => ({ headers: { "idempotency-key": `once-${++made}` } });

const party = { name: "Ada", street: "1 Main St", city: "Austin", state: "TX", zip: "78701" };
const parcel = { weight: 4, length: 10, width: 8, height: 6, dimensionUnit: "in", weightUnit: "lb" };
const fedexOrderOf = (discordId: string) => ({ discordId, from: party, to: party, ...parcel });
const invoiceOf = (discordId: string, amount = 25) => ({ discordId, amount, payment_method: "paypal" as const });
const orderOf = (discordId: string) => ({
  ...{ discordId, labelType: "saver", weight: 1, fromCountry: "US", toCountry: "US" },
  ...someAddresses,
});

/** The status of an answer and its message. */
async function told<E extends Endpoint>(as: { token: string }, endpoint: E, input: Input<E> & object) {
  const { status, body } = await call(as, endpoint, { ...input, ...(endpoint.idempotent && once()) } as never);
  return [status, body.message];
}

const setStatus = (shop: { token: string }, id: string, status: "paid" | "expired" | "failed") =>
  told(shop, storefront.setInvoiceStatus, { params: { id }, body: { status } });

test("a shop neither sees nor changes what another one created, while another key of the same shop does both", async () => {
  const { discordId } = await addCustomer();
  const north = await addKey({ name: "North" });
  const south = await addKey({ name: "South" });
  const order = (await call(north, storefront.createFedexOrder, { body: fedexOrderOf(discordId), ...once() })).body
    .order;
  const invoice = (await call(north, storefront.createInvoice, { body: invoiceOf(discordId), ...once() })).body.invoice;
  await call("staff", fedex.update, { params: { id: order._id }, form: formWith({ file: new Blob([pdf]) }) });
  const params = { id: order._id };

  const before = await fingerprint();
  const unknown = await told(south, storefront.readFedexOrder, { params: { id: uuidv7() } });
  expect(await told(south, storefront.readFedexOrder, { params })).toEqual(unknown);
  expect(await told(south, storefront.readFedexFile, { params })).toEqual(unknown);
  for (const status of ["paid", "expired", "failed"] as const)
    expect(await setStatus(south, invoice._id, status)).toEqual(await setStatus(south, uuidv7(), status));
  expect(unknown[0]).toBe(404);
  expect(await fingerprint()).toEqual(before);

  const replacement = await addKey({ name: "North, new", shop: north.shop._id });
  await call("admin", website.deleteApiKey, { params: { id: north._id } });
  expect((await call(replacement, storefront.readFedexOrder, { params })).status).toBe(200);
  expect(Buffer.from(await (await send(replacement, storefront.readFedexFile, { params })).bytes())).toEqual(pdf);
  expect((await setStatus(replacement, invoice._id, "paid"))[0]).toBe(200);
});

test("everything a shop brings in is kept as its own", async () => {
  await addLabelType({ uid: "saver", tiers: [[0, 5, 1]] });
  const shop = await addKey({ name: "North" });
  const { discordId } = await addCustomer({ balance: 20 });
  await call(shop, storefront.putCustomer, { params: { discordId: "4711" }, body: { username: "maren" } });
  const { discordId: _, ...one } = orderOf(discordId);
  await call(shop, storefront.createOrder, { body: orderOf(discordId), ...once() });
  await call(shop, storefront.createBulkOrder, { body: { discordId, orders: [one, one] }, ...once() });
  await call(shop, storefront.createFedexOrder, { body: fedexOrderOf(discordId), ...once() });
  await call(shop, storefront.createInvoice, { body: invoiceOf(discordId), ...once() });
  const counts = [customers, orders, bulkOrders, fedexOrders, invoices].map((table) =>
    db.$count(table, sql`shop_id = ${shop.shop._id}`),
  );
  expect(await Promise.all(counts)).toEqual([1, 3, 1, 1, 1]);
});

test("shops sell to each other's customers, but do not rename them or read their e-mail", async () => {
  const [north, south] = [await addKey({ name: "North" }), await addKey({ name: "South" })];
  const params = { discordId: "4711" };
  const put = (shop: { token: string }, body: { username: string; email?: string }) =>
    call(shop, storefront.putCustomer, { params, body });
  await put(north, { username: "maren", email: "maren@example.com" });
  expect((await call(south, storefront.getCustomer, { params })).body.customer).toMatchObject({
    username: "maren",
    email: "",
  });
  expect((await put(south, { username: "maren" })).status).toBe(200);
  for (const body of [
    { username: "mallory" },
    { username: "maren", email: "mallory@example.com" },
    // A right guess gets the same answer as a wrong one.
    { username: "maren", email: "maren@example.com" },
    { username: "maren", email: "" },
  ]) {
    const refused = await put(south, body);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      "Another shop brought this customer: only that one changes their name and e-mail",
    ]);
  }
  expect((await call(south, storefront.createInvoice, { body: invoiceOf("4711"), ...once() })).status).toBe(201);
  expect((await put(north, { username: "maren.k" })).body.customer).toMatchObject({
    username: "maren.k",
    email: "maren@example.com",
  });
});

test("a key from before there were shops still sees and changes everything, and the list says so", async () => {
  const old = await addKey({ name: "Old shop" });
  expect(old.isBounded).toBe(true);
  await fromBefore();
  expect((await keyCalled("Old shop")).isBounded).toBe(false);
  const other = await addKey({ name: "North" });
  const { discordId, id } = await addCustomer();
  const order = await addFedexOrder({ customer: { id } });
  const invoice = await addInvoice({ customer: { id } });
  const foreign = (await call(other, storefront.createInvoice, { body: invoiceOf(discordId), ...once() })).body.invoice;
  expect((await call(old, storefront.readFedexOrder, { params: { id: order.id } })).status).toBe(200);
  expect((await setStatus(old, invoice.id, "expired"))[0]).toBe(200);
  expect((await setStatus(old, foreign._id, "paid"))[0]).toBe(200);
  const renamed = await call(old, storefront.putCustomer, { params: { discordId }, body: { username: "renamed" } });
  expect(renamed.body.customer.username).toBe("renamed");
  expect((await call(other, storefront.readFedexOrder, { params: { id: order.id } })).status).toBe(404);
});

test("a repeated call is not done again with another key of the same shop", async () => {
  const { discordId } = await addCustomer();
  const key = await addKey({ name: "North" });
  const replacement = await addKey({ name: "North, new", shop: key.shop._id });
  const stranger = await addKey({ name: "South" });
  const request = { body: invoiceOf(discordId), headers: { "idempotency-key": "deposit-1" } };
  const [first, again, other] = [
    await call(key, storefront.createInvoice, request),
    await call(replacement, storefront.createInvoice, request),
    await call(stranger, storefront.createInvoice, request),
  ];
  expect(again.body).toEqual(first.body);
  expect(other.body.invoice._id).not.toBe(first.body.invoice._id);
});

test("an answer is repeated only to a key that would have got it", async () => {
  const { discordId } = await addCustomer();
  const old = await addKey({ name: "North" });
  await fromBefore();
  const shop = old.shop._id;
  const [deposits, bounded] = [
    await addKey({ name: "Without paying", shop, scopes: ["deposits"] }),
    await addKey({ name: "North, new", shop }),
  ];
  const stranger = await addKey({ name: "South" });
  const pay = async (key: { token: string }, id: string) => {
    const headers = { "idempotency-key": `pay-${id}` };
    return (await call(key, storefront.setInvoiceStatus, { params: { id }, body: { status: "paid" }, headers })).status;
  };
  const [own, foreign] = [
    (await call(old, storefront.createInvoice, { body: invoiceOf(discordId), ...once() })).body.invoice._id,
    (await call(stranger, storefront.createInvoice, { body: invoiceOf(discordId), ...once() })).body.invoice._id,
  ];
  expect([await pay(old, own), await pay(bounded, own), await pay(deposits, own)]).toEqual([200, 200, 403]);
  expect([await pay(old, foreign), await pay(old, foreign), await pay(bounded, foreign)]).toEqual([200, 200, 404]);
});

test("a key does what its scopes are for and reads customers, and nothing else", async () => {
  const { discordId, id } = await addCustomer({ balance: 20 });
  await addLabelType({ uid: "saver", tiers: [[0, 5, 1]] });
  const all = await addKey({ name: "All" });
  const invoice = async () =>
    (await call(all, storefront.createInvoice, { body: invoiceOf(discordId), ...once() })).body.invoice._id;
  const order = (await call(all, storefront.createFedexOrder, { body: fedexOrderOf(discordId), ...once() })).body.order;
  const [one, two] = [await invoice(), await invoice()];
  const { discordId: _, ...purchase } = orderOf(discordId);
  const calls: Record<string, (key: { token: string }) => Promise<unknown[]>> = {
    putCustomer: (key) => told(key, storefront.putCustomer, { params: { discordId: "4711" }, body: { username: "x" } }),
    getCustomer: (key) => told(key, storefront.getCustomer, { params: { discordId } }),
    labelTypes: (key) => told(key, storefront.labelTypes, { query: { discordId } }),
    quote: (key) => told(key, storefront.quote, { body: { discordId, labelType: "saver", weight: 1 } }),
    createOrder: (key) => told(key, storefront.createOrder, { body: orderOf(discordId) }),
    createBulkOrder: (key) => told(key, storefront.createBulkOrder, { body: { discordId, orders: [purchase] } }),
    createFedexOrder: (key) => told(key, storefront.createFedexOrder, { body: fedexOrderOf(discordId) }),
    readFedexOrder: (key) => told(key, storefront.readFedexOrder, { params: { id: order._id } }),
    readFedexFile: (key) => told(key, storefront.readFedexFile, { params: { id: order._id } }),
    createInvoice: (key) => told(key, storefront.createInvoice, { body: invoiceOf(discordId) }),
    expire: (key) => setStatus(key, one, "expired"),
    pay: (key) => setStatus(key, two, "paid"),
    paymentSettings: (key) => told(key, storefront.paymentSettings, {}),
  };
  const everyKey = ["getCustomer", "paymentSettings"];
  const allowed = {
    orders: [
      "labelTypes",
      "quote",
      "createOrder",
      "createBulkOrder",
      "createFedexOrder",
      "readFedexOrder",
      "readFedexFile",
    ],
    customers: ["putCustomer"],
    deposits: ["createInvoice", "expire"],
    "mark-as-paid": ["pay"],
  } as const;
  for (const [scope, names] of Object.entries(allowed)) {
    const key = await addKey({ name: `For ${scope}`, shop: all.shop._id, scopes: [scope as keyof typeof allowed] });
    for (const [name, make] of Object.entries(calls)) {
      const [status, message] = await make(key);
      const may = [...everyKey, ...names].includes(name);
      expect([name, status === 403 ? message : "allowed"], scope).toEqual([
        name,
        may ? "allowed" : expect.stringMatching(/^This API key does not have the scope /),
      ]);
    }
  }
  expect(await balanceOf({ id })).toBe(20 + 25 - 2);
});

test("a key marks no more as paid than it may in a day, however many ask at once", async () => {
  await moveBusinessTo("America/Chicago");
  const customer = await addCustomer();
  const key = await addKey({ name: "North", depositsPerDay: 60 });
  const open = async (amount: number) =>
    (await call(key, storefront.createInvoice, { body: invoiceOf(customer.discordId, amount), ...once() })).body.invoice
      ._id;
  const ids = await Promise.all([25, 25, 25, 25, 25].map(open));
  const answers = await Promise.all(ids.map((id) => setStatus(key, id, "paid")));
  expect(answers.filter(([status]) => status === 200)).toHaveLength(2);
  expect(answers.filter(([status]) => status !== 200)).toEqual(
    Array(3).fill([403, "This API key may mark $60.00 a day as paid: $50.00 were today, so $25.00 is too much"]),
  );
  expect(await balanceOf(customer)).toBe(50);
  // The ceiling counts to the cent, and an invoice that is already paid may be reported again.
  expect((await setStatus(key, await open(10), "paid"))[0]).toBe(200);
  const paid = ids[answers.findIndex(([status]) => status === 200)] as string;
  expect((await setStatus(key, paid, "paid"))[0]).toBe(200);
  expect((await setStatus(key, await open(0.01), "paid"))[0]).toBe(403);
  // The panel does not count against the key's ceiling.
  const panel = await call("staff", panelInvoices.markPaid, { params: { id: await open(500) } });
  expect(panel.status).toBe(200);

  // Moves the deposits to just before today.
  await db.execute(sql`update transfers set created_at = day_start(business_day(now())) - interval '1 second'`);
  expect((await setStatus(key, await open(60), "paid"))[0]).toBe(200);
});

test("a key ends when it expires", async () => {
  const key = await addKey({ name: "North", expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
  expect((await told(key, storefront.paymentSettings, {}))[0]).toBe(200);
  await change(key, { expiresAt: new Date(Date.now() - 1_000).toISOString() });
  expect(await told(key, storefront.paymentSettings, {})).toEqual([401, "This API key has expired"]);
  await change(key, { expiresAt: null });
  expect((await told(key, storefront.paymentSettings, {}))[0]).toBe(200);
});

test("a key is not created that has expired already", async () => {
  const expiresAt = new Date(Date.now() - 60_000).toISOString();
  const { status, body } = await call("admin", website.createApiKey, { body: { name: "North", expiresAt } });
  expect([status, body.issues[0]?.path]).toEqual([400, "body.expiresAt"]);
});

test.for(["0000-01-01T00:00:00Z", "1999-12-31T23:59:59Z"])("a key cannot expire at %s", async (expiresAt) => {
  const key = await addKey({ name: "North", expiresAt: "9999-12-31T23:59:59.999Z" });
  expect((await change(key, { expiresAt: "2000-01-01T00:00:00Z" })).status).toBe(200);
  const created = await call("admin", website.createApiKey, { body: { name: "South", expiresAt } });
  const message = "A key expires between the years 2000 and 9999";
  expect([created.status, created.body.message]).toEqual([400, message]);
  const changed = await change(key, { expiresAt });
  expect([changed.status, changed.body.message]).toEqual([400, message]);
});

test("a key is used from its addresses only", async () => {
  const key = await addKey({ name: "North", addresses: ["203.0.113.0/24", "2001:db8::/32", "::1"] });
  expect(await told(key, storefront.paymentSettings, {})).toEqual([403, "This API key may not be used from 127.0.0.1"]);
  for (const address of ["127.0.0.1", "127.0.0.0/8", "0.0.0.0/0"]) {
    await change(key, { addresses: [address] });
    expect((await told(key, storefront.paymentSettings, {}))[0], address).toBe(200);
  }
  const mapped = await change(key, { addresses: ["::ffff:127.0.0.1"] });
  expect([mapped.status, mapped.body.message]).toEqual([400, "Write an IPv4 address without ::ffff: before it"]);
  for (const wrong of ["127.0.0.1/33", "example.com", "", "127.0.0", "::1/129", "127.0.0.1 "]) {
    const { status, body } = await change(key, { addresses: [wrong] });
    expect([status, body.message], wrong).toEqual([
      400,
      "Give addresses such as 203.0.113.7 or ranges such as 203.0.113.0/24",
    ]);
  }
});

test("a key made with a name alone may do everything a shop needs, in a shop of its own", async () => {
  const { _id, start, createdAt, token, shop, ...key } = await addKey({ name: "North" });
  expect(key).toEqual({
    name: "North",
    isBounded: true,
    scopes: ["orders", "customers", "deposits", "mark-as-paid"],
    depositsPerDay: null,
    expiresAt: null,
    addresses: [],
    lastUsedAt: null,
  });
  expect(shop).toEqual({ _id: expect.any(String), name: "North" });
  const { status, body } = await call("admin", website.createApiKey, { body: { name: "South", shop: uuidv7() } });
  expect([status, body.message]).toEqual([400, "This shop does not exist"]);
});

test("a change of a key is logged with before and after, and no change is not", async () => {
  const key = await addKey({ name: "North", addresses: ["10.0.0.0/8"] });
  const limits = { scopes: ["orders" as const], depositsPerDay: 99.5, expiresAt: "2030-01-31T12:00:00.000Z" };
  expect((await change(key, { name: "Northern", ...limits })).body.message).toBe("API key Northern saved");
  expect((await change(key, limits)).body.message).toBe("API key Northern is unchanged");
  expect((await change(key, {})).status).toBe(200);
  expect(await keyCalled("Northern")).toMatchObject({ ...limits, addresses: ["10.0.0.0/8"] });
  expect((await call("admin", website.deleteApiKey, { params: { id: key._id } })).status).toBe(200);
  const after = { name: "Northern", ...limits, addresses: ["10.0.0.0/8"] };
  expect((await logRows()).slice(1)).toMatchObject([
    {
      action: "Changed the API key Northern",
      before: { name: "North", depositsPerDay: null, expiresAt: null, addresses: ["10.0.0.0/8"] },
      after,
    },
    { action: "Deleted the API key Northern", before: after, after: null },
  ]);
  expect((await change(key, { name: "Gone" })).status).toBe(404);
});

/** Characters that show as nothing: variation selector, Hangul fillers, Braille blank, Ogham space, joiner, tag. */
const invisible = ["\ufe0f", "\u3164", "\uffa0", "\u115f", "\u2800", "\u1680", "\u034f", "\u{e0041}"].map(
  (character) => `ad${character}min`,
);

test("a key's name is visible, and nobody else's", async () => {
  await addAccount("Maren.K", "staff");
  const north = await addKey({ name: "North" });
  const refused: [name: string, status: number, message: string][] = [
    ["north", 409, "There is an API key called north already"],
    ["ＮＯＲＴＨ", 409, "There is an API key called NORTH already"],
    ["maren.k", 400, "maren.k is the name of an account"],
    ["System", 400, "A key may not be called System"],
    ["terminal", 400, "A key may not be called terminal"],
    ["ADMIN", 400, "A key may not be called ADMIN"],
    [" \u2028 ", 400, "A key needs a name"],
    ["\u0301\u0308", 400, "A key needs a name"],
    ...["a\nb", "a\u2028b", "\u202egnp", "a\u200eb", "ad\u200bmin", "a\u0007b", "a\u2066b", ...invisible].map(
      (name) =>
        [name, 400, "A name may not contain line breaks, control or invisible characters"] as [string, number, string],
    ),
  ];
  const south = await addKey({ name: "South" });
  for (const [name, status, message] of refused) {
    const created = await call("admin", website.createApiKey, { body: { name } });
    expect([created.status, created.body.message], name).toEqual([status, message]);
    const renamed = await change(south, { name });
    expect([renamed.status, renamed.body.message], name).toEqual([status, message]);
  }
  expect((await change(north, { name: "NORTH" })).status).toBe(200);
  const both = await Promise.all(
    ["West", "west"].map((name) => call("admin", website.createApiKey, { body: { name } })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});
