import { Footprint, type FootprintEvent, webhookEvents } from "@footprint/client";
import { fedex } from "@footprint/contract/fedex.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { users } from "@footprint/contract/users.ts";
import { webhooks } from "@footprint/contract/webhooks.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { orders as orderTable } from "../db/schema.ts";
import { balanceOf } from "../testing/builders.ts";
import { formWith, pdf } from "../testing/multipart.ts";
import { receiver } from "../testing/receiver.ts";
import { openShop, someLabel } from "../testing/selling.ts";
import { allowPrivateWebhooks, call, db, origin } from "../testing/server.ts";
import { startDelivering } from "../webhooks/delivering.ts";

const patience = { timeout: 30_000, interval: 20 };

const clientOf = (key: string, url = origin) => new Footprint({ url, key, pause: async () => {} });

/** A proxy that loses the answers to the first calls. */
async function losing(answers: number) {
  const { url, received } = await receiver(async (response, { headers, body }, { method = "", url = "" }) => {
    const { host: _, connection: __, ...passed } = headers;
    const isGet = method === "GET";
    const answer = await fetch(origin + url, { method, headers: passed, ...(!isGet && { body }) });
    const text = await answer.text();
    if (received.length <= answers) response.socket?.destroy();
    else response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  });
  return { url: new URL(url).origin, received };
}

test("a purchase whose answer is lost twice is made once, and told", async () => {
  const { key, customer } = await openShop();
  const { url, received } = await losing(2);
  const { order, balance, warnings } = await clientOf(key, url).createOrder(someLabel);
  expect(received.length).toBe(3);
  expect([order.price, balance, warnings]).toEqual([7.45, 92.55, []]);
  expect(await balanceOf(customer)).toBe(92.55);
  expect(await db.$count(orderTable)).toBe(1);
});

test("a shop that was killed buys the same again under its own key, and pays once", async () => {
  const { key, customer } = await openShop();
  const first = await clientOf(key).createOrder(someLabel, { idempotencyKey: "cart-17" });
  const again = await clientOf(key).createOrder(someLabel, { idempotencyKey: "cart-17" });
  expect(again).toEqual(first);
  expect(await balanceOf(customer)).toBe(92.55);
  const other = clientOf(key).createOrder({ ...someLabel, weight: 1 }, { idempotencyKey: "cart-17" });
  await expect(other).rejects.toMatchObject({ status: 409, kind: "refused", mayBeDone: false });
});

test("what Footprint refuses is told in its words", async () => {
  const { key } = await openShop();
  const footprint = clientOf(key);
  await expect(footprint.createOrder({ ...someLabel, weight: 0 })).rejects.toMatchObject({
    ...{ status: 400, kind: "refused", mayBeDone: false },
    issues: [{ path: "body.weight", message: "A parcel weighs more than 0" }],
  });
  await expect(footprint.getCustomer({ discordId: "nobody" })).rejects.toMatchObject({
    ...{ status: 404, message: expect.stringContaining("nobody") },
  });
  await expect(footprint.getCustomer({ discordId: "no/body" })).rejects.toMatchObject({ status: 400 });
  await expect(clientOf("wrong").paymentSettings()).rejects.toMatchObject({ status: 401 });
  const many = Array.from({ length: 14 }, () => someLabel);
  await expect(footprint.createBulkOrder({ discordId: "4711", orders: many })).rejects.toMatchObject({ status: 402 });
});

test("a shop does all its business with the client", async () => {
  const { key } = await openShop();
  const footprint = clientOf(key);
  const { customer } = await footprint.putCustomer({ discordId: "new", username: "newcomer" });
  await call("staff", users.verify, { params: { id: customer._id } });
  expect((await footprint.getCustomer({ discordId: "new" })).customer).toMatchObject({ isVerified: true, balance: 0 });

  const { invoice } = await footprint.createInvoice({ discordId: "new", amount: 20, payment_method: "cashapp" });
  const paid = await footprint.setInvoiceStatus({ id: invoice._id, status: "paid" });
  expect(paid).toMatchObject({ balance: 20, invoice: { status: "paid" } });
  expect(await footprint.readInvoice({ id: invoice._id })).toMatchObject({ invoice: { status: "paid" } });
  expect(await footprint.invoices({ discordId: "new" })).toMatchObject({ total: 1, invoices: [{ _id: invoice._id }] });
  expect((await footprint.paymentSettings()).cashapp).toBeDefined();

  expect((await footprint.labelTypes({ discordId: "new" })).labelTypes).toMatchObject([{ uid: "priority" }]);
  expect(await footprint.quote({ discordId: "new", labelType: "priority", weight: 1 })).toMatchObject({ price: 7.45 });
  const wrong = await footprint.createOrder({ ...someLabel, discordId: "new", toState: "TX" });
  expect(wrong).toMatchObject({ balance: 12.55, warnings: [{ path: "body.toZip" }] });
  const { discordId: _, ...label } = someLabel;
  const { bulkOrder } = await footprint.createBulkOrder({ discordId: "new", orders: [label] });
  await call("staff", orders.refund, { params: { id: wrong.order._id } });
  expect(await footprint.readOrder({ id: wrong.order._id })).toMatchObject({ refund: { amount: 7.45 } });
  const active = await footprint.orders({ discordId: "new", status: "Active", limit: 5 });
  expect(active).toMatchObject({ total: 1, orders: [{ _id: bulkOrder.orders[0]?._id }] });
  const { transfers } = await footprint.transfers({ discordId: "new", sort: "asc" });
  expect(transfers.map(({ kind }) => kind)).toEqual(["deposit", "purchase", "purchase", "refund"]);

  const party = { name: "Lena", street: "88 Wharf Rd", city: "Portland", state: "ME", zip: "04101" };
  const { order } = await footprint.createFedexOrder({
    ...{ discordId: "new", from: party, to: party, weight: 3, length: 1, width: 2, height: 3 },
    ...{ dimensionUnit: "in", weightUnit: "lb" },
  });
  const form = formWith({ status: "Completed", file: new Blob([pdf]) }, "label.pdf");
  await call("staff", fedex.update, {
    params: { id: order._id },
    form,
  });
  expect(await footprint.readFedexOrder({ id: order._id })).toMatchObject({ order: { status: "Completed" } });
  expect(await footprint.fedexOrders({ discordId: "new" })).toMatchObject({ total: 1, orders: [{ _id: order._id }] });
  const file = await footprint.readFedexFile({ id: order._id });
  expect([file.name, file.type]).toEqual(["label.pdf", "application/pdf"]);
  expect(Buffer.from(await file.arrayBuffer())).toEqual(Buffer.from(pdf));
});

/** Follows events until one of this type, and remembers the position. */
async function followUntil(type: string, events: AsyncIterable<FootprintEvent & { next?: string }>) {
  const seen: string[] = [];
  let next = "";
  for await (const event of events) {
    seen.push(event.type);
    next = event.next ?? "";
    if (event.type === type) break;
  }
  return { seen, next };
}

test("events are pulled in order, and pulling continues where it stopped", async () => {
  const { key } = await openShop();
  const footprint = clientOf(key);
  const { invoice } = await footprint.createInvoice({ discordId: "4711", amount: 20, payment_method: "cashapp" });
  const first = await followUntil("invoice.created", footprint.events());
  const following = followUntil("invoice.paid", footprint.events({ after: first.next }));
  await footprint.createOrder(someLabel);
  await call("staff", invoices.markPaid, { params: { id: invoice._id } });
  const { seen } = await following;
  expect(seen[0]).toBe("order.created");
  expect(seen).not.toContain("invoice.created");
  await expect(followUntil("never", footprint.events({ after: "999999999" }))).rejects.toMatchObject({ status: 404 });
});

test("a loop over events goes on through answers that are lost, misses nothing, and ends with its signal", async () => {
  const { key } = await openShop();
  const { url } = await losing(3);
  for (const amount of [1, 2, 3])
    await clientOf(key).createInvoice({ discordId: "4711", amount, payment_method: "paypal" });
  const ending = new AbortController();
  const amounts: number[] = [];
  for await (const event of clientOf(key, url).events({ signal: ending.signal })) {
    if (event.type === "invoice.created") amounts.push(event.data.invoice.amount);
    if (amounts.length === 3) ending.abort();
  }
  expect(amounts).toEqual([1, 2, 3]);
});

test("pushed events are processed in a loop, and sent again if the processing failed", async () => {
  const { key } = await openShop();
  allowPrivateWebhooks();
  const ending = new AbortController();
  let events: ReturnType<typeof webhookEvents> | undefined;
  const shop = await receiver(async (response, received) => {
    const { status } = (await events?.receive(received)) ?? { status: 503 };
    response.writeHead(status).end();
  });
  const types = ["invoice.created" as const];
  const { body } = await call("admin", webhooks.create, { body: { url: shop.url, events: types } });
  events = webhookEvents({ secret: body.secret, signal: ending.signal });
  const delivering = startDelivering(db, { mayBePrivate: true }, () => {});
  onTestFinished(delivering.stop);
  for (const amount of [1, 2])
    await clientOf(key).createInvoice({ discordId: "4711", amount, payment_method: "paypal" });

  const amounts: number[] = [];
  const work = async (failAt?: number) => {
    for await (const event of events ?? []) {
      if (event.type !== "invoice.created") continue;
      amounts.push(event.data.invoice.amount);
      if (event.data.invoice.amount === failAt) throw new Error("no room");
    }
  };
  await expect(work(1)).rejects.toThrow("no room");
  const ended = work();
  await vi.waitFor(() => expect(amounts).toEqual([1, 1, 2]), patience);
  const read = () => call("admin", webhooks.deliveries, { params: { id: body.webhook._id } });
  const states = async () => (await read()).body.deliveries.map(({ state }) => state);
  await vi.waitFor(async () => expect(await states()).toEqual(["delivered", "delivered"]), patience);
  ending.abort();
  await ended;
});
