import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { logs, settingsId } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { orderNotes } from "../db/schema.ts";
import { withCheckDigit } from "../money/tracking-codes.ts";
import { addCustomer, addInvoice, addLabelType, addOrder, someAddresses } from "../testing/builders.ts";
import { call, db } from "../testing/server.ts";

const parcel = { ...someAddresses, fromCountry: "US", toCountry: "US" };
const story = async (id: string) => (await call("staff", orders.read, { params: { id } })).body;
const historyOf = async (subject: string) => (await call("admin", logs.list, { query: { subject } })).body.logs;

async function openShop() {
  const { body } = await call("admin", website.createApiKey, { body: { name: "Main shop" } });
  return { token: body.key };
}

let keys = 0;
const once = () => ({ headers: { "idempotency-key": `story-${++keys}` } });

test("an order tells why it cost what it did, who sold and refunded it, and where its code came from", async () => {
  const shop = await openShop();
  const customer = await addCustomer({ username: "maren", discordId: "77", balance: 50, customPricingEnabled: true });
  const labelType = await addLabelType({ name: "Priority", uid: "priority", tiers: [[1, 3, 8.9]] });
  const own = { labelType: labelType.id, fromWeight: 0, toWeight: 3, price: 8.4 };
  await call("admin", users.addCustomPrice, { params: { id: customer.id }, body: own });
  const first = withCheckDigit("940550000000000000001");
  await call("admin", tracking.create, { body: { amount: 2, type: "priority", trackRef: first, template: "evs" } });
  const body = { ...parcel, discordId: "77", labelType: "priority", weight: 2.4 };
  const bought = (await call(shop, storefront.createOrder, { body, ...once() })).body.order;
  await call("staff", orders.addNote, { params: { id: bought._id }, body: { text: " Asked for a photo. " } });
  await call("staff", orders.refund, { params: { id: bought._id }, body: { reason: "Printed twice" } });

  expect(await story(bought._id)).toMatchObject({
    order: { _id: bought._id, user: { _id: customer.id, username: "maren" }, isRefunded: true, tracking: first },
    customer: { _id: customer.id, username: "maren", balance: 50, orders: 1, customPricingEnabled: true },
    pricing: { fromWeight: 0, toWeight: 3, custom: true, standardPrice: 8.9 },
    bulkOrder: null,
    purchase: { by: { username: "Main shop", kind: "shop" }, amount: 8.4, balanceAfter: 41.6 },
    refund: { by: { username: "staff", kind: "account" }, amount: 8.4, reason: "Printed twice" },
    notes: [{ text: "Asked for a photo.", by: { username: "staff" } }],
    batch: { by: { username: "admin" }, amount: 2, first },
  });
  const entries = await historyOf(bought._id);
  expect(entries.map(({ action }) => action.replace(bought.uuid, "…"))).toEqual([
    "Refunded order … ($8.40) to maren: Printed twice",
    "Left a note about order …",
    "Sold order … ($8.40) to maren",
  ]);
  for (const { subject, customer: whose } of entries)
    expect([subject, whose]).toEqual([{ kind: "order", _id: bought._id }, customer.id]);
});

test("an order of a bulk order knows its place in it; one from before has no pricing", async () => {
  const shop = await openShop();
  await addCustomer({ discordId: "77", balance: 50 });
  await addLabelType({ uid: "saver", tiers: [[0, 5, 2]] });
  const body = { discordId: "77", orders: Array(3).fill({ ...parcel, labelType: "saver", weight: 1 }) };
  const { bulkOrder } = (await call(shop, storefront.createBulkOrder, { body, ...once() })).body;
  const read = (await call("staff", bulkOrders.read, { params: { id: bulkOrder._id } })).body.order;
  for (const [place, { _id }] of read.orders.entries())
    expect(await story(_id)).toMatchObject({
      bulkOrder: { _id: bulkOrder._id, uuid: bulkOrder.uuid, place: place + 1, orderCount: 3 },
      pricing: { fromWeight: 0, toWeight: 5, custom: false, standardPrice: 2 },
      purchase: { amount: 6, balanceAfter: 44 },
      refund: null,
    });
  const old = await addOrder();
  expect(await story(old.id)).toMatchObject({ pricing: null, batch: null, notes: [] });
  expect((await call("staff", orders.read, { params: { id: uuidv7() } })).status).toBe(404);
});

test("a note needs a text, and an order that exists", async () => {
  const order = await addOrder();
  const note = async (id: string, text: string) =>
    (await call("staff", orders.addNote, { params: { id }, body: { text } })).status;
  expect(await note(order.id, "  ")).toBe(400);
  expect(await note(order.id, "x".repeat(2_001))).toBe(400);
  expect(await note(order.id, "tolles\u202eLabel")).toBe(400);
  expect(await note(uuidv7(), "Hello")).toBe(404);
  expect((await story(order.id)).notes).toEqual([]);
});

test("an order keeps a hundred notes, also where more are written at once", async () => {
  const order = await addOrder();
  const note = () => call("staff", orders.addNote, { params: { id: order.id }, body: { text: "Asked the customer" } });
  const earlier = Array.from({ length: 95 }, () => ({
    orderId: order.id,
    text: "Earlier",
    author: "staff",
    authorId: uuidv7(),
  }));
  await db.insert(orderNotes).values(earlier);
  const last = await Promise.all(Array.from({ length: 10 }, note));
  expect(last.filter(({ status }) => status === 409)).toHaveLength(5);
  expect((await story(order.id)).notes).toHaveLength(100);
});

test("an invoice tells when and by whom it was paid, taken back, and paid again", async () => {
  const invoice = await addInvoice({ amount: 20 });
  const params = { id: invoice.id };
  const read = async () => (await call("staff", invoices.read, { params })).body;
  expect(await read()).toMatchObject({ invoice: { _id: invoice.id, status: "pending" }, payments: [] });
  await call("staff", invoices.markPaid, { params, body: { reason: "Seen in the app" } });
  const [paid] = (await read()).payments;
  await call("admin", transfers.reverse, { params: { id: paid?.transfer ?? "" }, body: { reason: "Wrong customer" } });
  expect(await read()).toMatchObject({ invoice: { status: "reversed" } });
  await call("staff", invoices.markPaid, { params });
  expect((await read()).payments).toMatchObject([
    {
      by: { username: "staff" },
      reason: "Seen in the app",
      reversal: { by: { username: "admin" }, reason: "Wrong customer" },
    },
    { by: { username: "staff" }, reason: "", reversal: null },
  ]);
  const history = await call("admin", logs.list, { query: { subject: invoice.id } });
  expect(history.body.logs.map(({ action }) => action.split(" ")[0])).toEqual(["Marked", "Reversed", "Marked"]);
  expect((await call("staff", invoices.read, { params: { id: uuidv7() } })).status).toBe(404);
});

test("the history of a label type, a price, a staff account and the settings is one lookup", async () => {
  const definition = { name: "Saver", uid: "saver", maxWeight: 10, type: "usps" as const };
  await call("admin", labelTypes.create, { body: definition });
  const [labelType] = (await call("admin", labelTypes.list)).body.labelTypes;
  const params = { id: labelType?._id ?? "" };
  await call("admin", labelTypes.update, { params, body: { ...definition, maxWeight: 20 } });
  await call("admin", labelTypes.setStatus, { params, body: {} });
  expect((await historyOf(params.id)).map(({ action }) => action)).toEqual([
    "Disabled label type Saver",
    "Changed label type Saver",
    "Created label type Saver",
  ]);

  const tier = { fromWeight: 0, toWeight: 5, price: 3 };
  await call("admin", labelTypes.addTier, { params, body: tier });
  const [price] = (await call("admin", labelTypes.read, { params })).body.labelType.prices;
  await call("admin", labelTypes.updateTier, { params, body: { ...tier, price_id: price?._id ?? "", price: 4 } });
  await call("admin", labelTypes.deleteTier, { params, body: tier });
  expect((await historyOf(price?._id ?? "")).map(({ before, after }) => [before, after])).toMatchObject([
    [{ price: 4 }, { warnings: ["0–5 lb would have no price"] }],
    [{ price: 3 }, { price: 4 }],
    [null, { price: 3 }],
  ]);

  await call("admin", staff.create, { body: { username: "support.day", password: "a rather long secret" } });
  const account = (await call("admin", staff.list, { query: { search: "support" } })).body.staff[0]?._id ?? "";
  await call("admin", staff.update, { params: { id: account }, body: { chatId: "12" } });
  expect((await historyOf(account)).map(({ action }) => action)).toEqual([
    "Changed staff account support.day",
    "Created staff account support.day",
  ]);

  await call("admin", website.updateCashapp, { body: { cashappId: "$shop" } });
  await call("admin", website.updateLimits, { body: { staffCredit: 100 } });
  expect((await historyOf(settingsId)).map(({ subject }) => subject?.kind)).toEqual(["settings", "payment handle"]);
});
