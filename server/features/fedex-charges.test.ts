import { dashboard } from "@footprint/contract/dashboard.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers, fedexOrders } from "../db/schema.ts";
import { checkBooks } from "../money/books.ts";
import {
  addCustomer,
  addFedexOrder,
  addLabelType,
  balanceOf,
  someAddresses,
  transfersOf,
} from "../testing/builders.ts";
import { meetAt } from "../testing/races.ts";
import { call, db, logRows } from "../testing/server.ts";

type Known = { id: string };

const charge = ({ id }: Known, body: object = {}, headers: Record<string, string> = {}) =>
  call("staff", fedex.charge, { params: { id }, body, headers } as never);
const chargeOf = async ({ id }: Known) => (await call("staff", fedex.read, { params: { id } })).body.charge;
const reverse = async (order: Known, reason = "") =>
  call("staff", transfers.reverse, { params: { id: (await chargeOf(order))?.transfer ?? uuidv7() }, body: { reason } });
const answerOf = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message];
const revenue = async () => (await call("admin", dashboard.revenue)).body;
const figures = async ({ id }: Known) => (await call("staff", users.read, { params: { id } })).body;
const problems = async () => (await checkBooks(db)).problems;

test("a charge takes the price from the balance once, counts as revenue, and stands in the history", async () => {
  const customer = await addCustomer({ username: "maren", balance: 50 });
  const order = await addFedexOrder({ customer, price: 42.6 });
  expect(answerOf(await charge(order, { reason: "label sent" }))).toEqual([
    200,
    "$42.60 charged to maren, whose balance is now $7.40",
  ]);
  expect(answerOf(await charge(order))).toEqual([409, "This order is already charged"]);
  expect(await balanceOf(customer)).toBe(7.4);
  const { transfers: history } = (
    await call("staff", transfers.history, { params: { id: customer.id }, query: { kind: "purchase" } })
  ).body;
  expect(history).toMatchObject([
    {
      kind: "purchase",
      amount: -42.6,
      balanceAfter: 7.4,
      reason: "label sent",
      for: { kind: "fedex order", _id: order.id, uuid: order.uuid },
      by: { username: "staff" },
    },
  ]);
  expect(await revenue()).toMatchObject({ allTimeRevenue: 42.6, todayRevenue: 42.6 });
  expect((await call("admin", dashboard.charts)).body.revenue.data.at(-1)).toBe(42.6);
  expect((await call("staff", fedex.list)).body.docs[0]?.chargedAt).not.toBe(null);
  expect((await logRows()).map(({ type, action, before, after }) => [type, action, before, after])).toEqual([
    [
      "balance",
      `Charged Fedex order ${order.uuid} ($42.60) to maren: label sent`,
      { charged: null, balance: 50 },
      { charged: 42.6, balance: 7.4, reason: "label sent" },
    ],
  ]);
  expect(await problems()).toEqual([]);
});

test("a charge is reversed once: the money and the revenue go back, and it may be charged again", async () => {
  const customer = await addCustomer({ username: "maren", balance: 50 });
  const order = await addFedexOrder({ customer, price: 20 });
  await charge(order);
  const first = await chargeOf(order);
  expect(first).toMatchObject({ amount: 20, by: { username: "staff" } });
  expect(answerOf(await reverse(order, "wrong parcel"))).toEqual([
    200,
    "$20.00 returned to maren, whose balance is now $50.00",
  ]);
  expect(answerOf(await call("staff", transfers.reverse, { params: { id: first?.transfer ?? "" }, body: {} }))).toEqual(
    [409, "This charge is already reversed"],
  );
  expect(await chargeOf(order)).toBe(null);
  expect(await revenue()).toMatchObject({ allTimeRevenue: 0, todayRevenue: 0 });
  expect((await figures(customer)).totals.spent).toBe(0);

  const price = { status: 200, body: { message: "Order updated" } };
  expect(await call("staff", fedex.update, { params: { id: order.id }, body: { price: 30 } })).toMatchObject(price);
  expect((await charge(order)).status).toBe(200);
  expect(await balanceOf(customer)).toBe(20);
  expect(await revenue()).toMatchObject({ allTimeRevenue: 30 });
  const { timeline } = (await call("staff", fedex.read, { params: { id: order.id } })).body;
  expect(timeline.map(({ what, amount }) => [what, amount])).toEqual([
    ["created", undefined],
    ["charged", 20],
    ["reversed", 20],
    ["changed", undefined],
    ["charged", 30],
  ]);
  expect(await problems()).toEqual([]);
});

test("a charged order keeps its price until the charge is reversed; the rest of it may change", async () => {
  const customer = await addCustomer({ balance: 50 });
  const order = await addFedexOrder({ customer, price: 20 });
  await charge(order);
  const update = (body: object) => call("staff", fedex.update, { params: { id: order.id }, body: body as never });
  const refused = [409, "This order is charged: reverse the charge before you change its price"];
  expect(answerOf(await update({ price: 21 }))).toEqual(refused);
  expect(answerOf(await update({ remove: ["price"] }))).toEqual(refused);
  expect((await update({ price: 20, status: "Completed", note: "sent" })).status).toBe(200);
  expect(await problems()).toEqual([]);
});

test("a charged order may be cancelled; that it stays charged is said, and stands in the log", async () => {
  const customer = await addCustomer({ balance: 50 });
  const order = await addFedexOrder({ customer, price: 20 });
  await charge(order);
  const update = (status: string) =>
    call("staff", fedex.update, { params: { id: order.id }, body: { status } as never });
  const cancelled = await update("Cancelled");
  expect([cancelled.status, cancelled.body.warning]).toEqual([
    200,
    "This order is cancelled and still charged: reverse the charge to give $20.00 back",
  ]);
  expect((await logRows()).at(-1)?.action).toMatch(/: status \w+ to Cancelled, still charged$/);
  expect([await balanceOf(customer), (await update("Cancelled")).body.warning]).toEqual([30, undefined]);
  expect((await update("Completed")).body.warning).toBe(undefined);
  expect((await reverse(order)).status).toBe(200);
  expect((await update("Cancelled")).body.warning).toBe(undefined);
  expect(await problems()).toEqual([]);
});

test("nothing is charged without a price, above the balance, of a cancelled order, or at another price than was seen", async () => {
  const customer = await addCustomer({ username: "maren", balance: 5 });
  const refusal = async (values: object, body: object = {}) =>
    answerOf(await charge(await addFedexOrder({ customer, ...values }), body));
  expect(await refusal({})).toEqual([409, "This order has no price to charge"]);
  expect(await refusal({ price: 0 })).toEqual([409, "This order has no price to charge"]);
  expect(await refusal({ price: 4, status: "Cancelled" })).toEqual([409, "This order is cancelled"]);
  expect(await refusal({ price: 12 })).toEqual([402, "maren has $5.00, $7.00 short of $12.00"]);
  expect(await refusal({ price: 4 }, { price: 3.5 })).toEqual([409, "The price is $4.00 by now: look at it again"]);
  expect((await charge({ id: uuidv7() })).status).toBe(404);
  expect(await transfersOf(customer)).toEqual([]);
  expect(await logRows()).toEqual([]);
});

test("a charge that is sent again with its key is answered again, and made once", async () => {
  const customer = await addCustomer({ balance: 50 });
  const order = await addFedexOrder({ customer, price: 20 });
  const key = { "idempotency-key": "charge-1" };
  const [first, again] = [await charge(order, {}, key), await charge(order, {}, key)];
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(await balanceOf(customer)).toBe(30);
});

test("of charges at once, one is made", async () => {
  const customer = await addCustomer({ balance: 50 });
  const order = await addFedexOrder({ customer, price: 20 });
  const answers = await meetAt(customers, customer, () => [charge(order), charge(order), charge(order)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(await balanceOf(customer)).toBe(30);
  expect(await problems()).toEqual([]);
});

test("a charge and a purchase that need the same money: one of them gets it", async () => {
  const { body } = await call("admin", website.createApiKey, { body: { name: "Main shop" } });
  const customer = await addCustomer({ balance: 20, verifiedAt: new Date() });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 15]] });
  const order = await addFedexOrder({ customer, price: 20 });
  const parcel = { ...someAddresses, fromCountry: "US", toCountry: "US", labelType: "own", weight: 2 };
  const buy = () =>
    call({ token: body.key }, storefront.createOrder, {
      body: { discordId: customer.discordId, ...parcel },
      headers: { "idempotency-key": "buy" },
    } as never);
  const [charged, bought] = await meetAt<{ status: number }>(customers, customer, () => [charge(order), buy()]);
  expect([
    [200, 402],
    [402, 201],
  ]).toContainEqual([charged?.status, bought?.status]);
  expect(await problems()).toEqual([]);
});

test("a charge against reversals of the one before: whichever comes first, the books balance", async () => {
  const customer = await addCustomer({ balance: 50 });
  const order = await addFedexOrder({ customer, price: 20 });
  await charge(order);
  const params = { id: (await chargeOf(order))?.transfer ?? "" };
  const takeBack = () => call("staff", transfers.reverse, { params, body: {} });
  const answers = await Promise.all([takeBack(), charge(order), takeBack(), charge(order)]);
  const [one, again, other, last] = answers.map(({ status }) => status);
  expect([one, other].sort()).toEqual([200, 409]);
  const charged = [again, last].filter((status) => status === 200).length;
  expect(charged).toBeLessThanOrEqual(1);
  expect(await balanceOf(customer)).toBe(50 - 20 * charged);
  expect(await problems()).toEqual([]);
});

test("the books say which Fedex order was charged without its money moving", async () => {
  const order = await addFedexOrder({ price: 20 });
  await db.update(fedexOrders).set({ chargedAt: new Date() }).where(eq(fedexOrders.id, order.id));
  expect(await problems()).toEqual([`Order ${order.id} was paid for with nothing, but $20.00 is right`]);
});

test("a shop sees a charge in the customer's history", async () => {
  const { body } = await call("admin", website.createApiKey, { body: { name: "Main shop" } });
  const customer = await addCustomer({ balance: 50 });
  const order = await addFedexOrder({ customer, price: 20 });
  await charge(order);
  await db.execute("update api_keys set bounded = false");
  const answer = await call({ token: body.key }, storefront.transfers, { params: { discordId: customer.discordId } });
  expect(answer.body.transfers[0]).toMatchObject({ amount: -20, for: { kind: "fedex order", uuid: order.uuid } });
});
