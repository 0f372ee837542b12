import { orders } from "@footprint/contract/orders.ts";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { addCustomer, addLabelType, addOrder, balanceOf, transfersOf } from "../testing/builders.ts";
import { call, logRows } from "../testing/server.ts";

const list = async (query: object) => (await call("staff", orders.list, { query })).body;

test("the list carries the specification's fields, and what the customer has", async () => {
  const customer = await addCustomer({ username: "maren", balance: 20.5 });
  const labelType = await addLabelType({ name: "USPS First Class" });
  const order = await addOrder({ customer, labelType, price: 12.4, weight: 8.5, tracking: "9400111" });
  const { status, body } = await call("staff", orders.list);
  expect(status).toBe(200);
  expect(body).toEqual({
    orders: [
      {
        _id: order.id,
        uuid: order.uuid,
        user: { _id: customer.id, username: "maren", balance: await balanceOf(customer) },
        labelType: { name: "USPS First Class" },
        price: 12.4,
        weight: 8.5,
        tracking: "9400111",
        isRefunded: false,
        customPrice: order.hasCustomPrice,
        createdAt: order.createdAt.toISOString(),
        fromName: "Tobias Brandt",
        fromCompany: "",
        fromStreet: "410 Cedar St",
        fromStreet2: "",
        fromCity: "Austin",
        fromState: "TX",
        fromZip: "78701",
        fromCountry: "United States",
        toName: "Lena Okafor",
        toCompany: "",
        toStreet: "88 Wharf Rd",
        toStreet2: "",
        toCity: "Portland",
        toState: "ME",
        toZip: "04101",
        toCountry: "United States",
      },
    ],
    total: 1,
    totalPages: 1,
  });
});

test("the list pages in both directions, and orders of the same moment are neither repeated nor lost", async () => {
  const customer = await addCustomer();
  const labelType = await addLabelType();
  const createdAt = new Date("2026-03-01T12:00:00Z");
  const made = new Set<string>();
  for (let n = 0; n < 25; n++) made.add((await addOrder({ customer, labelType, createdAt })).id);
  for (const sort of ["asc", "des"]) {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list({ page, sort })));
    expect(pages.map((page) => page.orders.length)).toEqual([10, 10, 5, 0]);
    expect(new Set(pages.flatMap((page) => page.orders.map((order) => order._id)))).toEqual(made);
    expect(pages.every((page) => page.total === 25 && page.totalPages === 3)).toBe(true);
  }
});

test("the status filter separates active from refunded orders, with true totals", async () => {
  const active = await addOrder();
  const refunded = await addOrder();
  await call("staff", orders.refund, { params: { id: refunded.id } });
  const ids = async (status: string) => {
    const page = await list({ status });
    return [page.orders.map((order) => order._id), page.total];
  };
  expect(await ids("Active")).toEqual([[active.id], 1]);
  expect(await ids("Refunded")).toEqual([[refunded.id], 1]);
  expect((await list({ status: "All" })).total).toBe(2);
  expect((await call("staff", orders.list, { query: { status: "Paid" as never } })).status).toBe(400);
});

test("a search finds ids, tracking, customer and names, in any case, and nothing else", async () => {
  const customer = await addCustomer({ username: "Maren_K", email: "hidden@example.com" });
  const order = await addOrder({
    customer,
    tracking: "9400111206200000000001",
    fromName: "Ada Lovelace",
    toName: "100% Cotton",
  });
  await addOrder({ toStreet: "Maren Street" });
  const found = async (search: string) => (await list({ search })).orders.map((row) => row._id);
  for (const search of [
    order.id.slice(-9),
    order.id,
    order.uuid.toUpperCase(),
    "hidden@",
    "maren_k",
    "LOVELACE",
    "100% c",
  ])
    expect(await found(search), search).toEqual([order.id]);
  for (const search of [order.id.slice(9, 30), "mare%k", "marenxk", "lovelace100", "\\"])
    expect(await found(search), search).toEqual([]);
  expect(await list({ search: "nothing like it" })).toEqual({
    orders: [],
    total: 0,
    totalPages: 1,
    totalCapped: false,
  });
});

test("an order is refunded once, and its price returns to the customer's balance", async () => {
  const customer = await addCustomer({ username: "alice", balance: 5 });
  const order = await addOrder({ customer, price: 12.4 });
  const { status, body } = await call("staff", orders.refund, { params: { id: order.id } });
  expect([status, body]).toEqual([200, { message: "$12.40 refunded to alice" }]);
  expect(await balanceOf(customer)).toBe(17.4);
  expect(await transfersOf(customer)).toEqual([
    { kind: "refund", amount: 12.4, balanceAfter: 17.4, reference: order.id, actor: "staff" },
  ]);
  expect(await logRows()).toEqual([
    {
      admin: "staff",
      type: "refund",
      action: `Refunded order ${order.uuid} ($12.40) to alice`,
      before: { isRefunded: false, balance: 5 },
      after: { isRefunded: true, balance: 17.4 },
    },
  ]);

  const again = await call("staff", orders.refund, { params: { id: order.id } });
  expect([again.status, again.body.message]).toEqual([409, "This order is already refunded"]);
  expect(await balanceOf(customer)).toBe(17.4);
});

test("twenty refunds of one order at once: one credit", async () => {
  const customer = await addCustomer();
  const order = await addOrder({ customer, price: 9.99 });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call("staff", orders.refund, { params: { id: order.id } })),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
  expect(await balanceOf(customer)).toBe(9.99);
  expect(await logRows()).toHaveLength(1);
});

test("a repeated refund with the same key gets the first answer", async () => {
  const order = await addOrder({ price: 3 });
  const input = { params: { id: order.id }, headers: { "idempotency-key": "form-1" } };
  const answers = await Promise.all([1, 2, 3].map(() => call("staff", orders.refund, input)));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  expect(await transfersOf({ id: order.customerId })).toHaveLength(1);

  const other = await addOrder();
  const misused = await call("staff", orders.refund, { ...input, params: { id: other.id } });
  expect([misused.status, misused.body.message]).toEqual([409, "This Idempotency-Key was used for another request"]);
});

test("a malformed id is 400 and an unknown one 404", async () => {
  expect((await call("staff", orders.refund, { params: { id: "7" } })).status).toBe(400);
  const unknown = await call("staff", orders.refund, { params: { id: uuidv7() } });
  expect([unknown.status, unknown.body.message]).toEqual([404, "This order does not exist"]);
});

test("orders are found by a weight and its unit, of one customer too", async () => {
  const [maren, other] = [await addCustomer({ username: "maren" }), await addCustomer()];
  const [priority, firstClass] = [await addLabelType(), await addLabelType({ name: "USPS First Class" })];
  const wanted = await addOrder({ customer: maren, labelType: priority, weight: 2.4 });
  const alike = await addOrder({ customer: other, labelType: priority, weight: 2.4 });
  const ounces = await addOrder({ customer: maren, labelType: firstClass, weight: 2.4 });
  await addOrder({ customer: maren, labelType: priority, weight: 24 });
  const found = async (query: object) => (await list(query)).orders.map(({ _id }) => _id).sort();
  expect(await found({ search: "2.4 lb" })).toEqual([wanted.id, alike.id].sort());
  expect(await found({ search: "2.4LBS", customer: maren.id })).toEqual([wanted.id]);
  expect(await found({ search: "2.40 oz" })).toEqual([ounces.id]);
  expect(await found({ search: "2.4 kg" })).toEqual([]);
});

test("a weight is found however it is written, and beside other words", async () => {
  const [maren, other] = [await addCustomer({ username: "maren" }), await addCustomer({ username: "tobias" })];
  const [priority, firstClass] = [await addLabelType(), await addLabelType({ name: "USPS First Class" })];
  const wanted = await addOrder({ customer: maren, labelType: priority, weight: 2.4 });
  const alike = await addOrder({ customer: other, labelType: priority, weight: 2.4 });
  const ounces = await addOrder({ customer: maren, labelType: firstClass, weight: 8 });
  await addOrder({ customer: maren, labelType: priority, weight: 24 });
  await addOrder({ customer: maren, labelType: firstClass, weight: 2.4 });
  const found = async (query: object) => (await list(query)).orders.map(({ _id }) => _id).sort();
  const both = [wanted.id, alike.id].sort();
  for (const search of ["2.40 lb", "2.4  lb", "2.4\u00a0lb", "2,4 lb", "2.4 Lbs.", "2.4 pounds", "38.4 oz"])
    expect([search, await found({ search })]).toEqual([search, both]);
  for (const search of ["8oz", ".5 lb", "8 ounces"])
    expect([search, await found({ search })]).toEqual([search, [ounces.id]]);
  for (const search of ["maren 2.4 lb", "2.4lb maren", "MAREN  38.4 oz", `${maren.discordId} 2.4 lb`])
    expect([search, await found({ search })]).toEqual([search, [wanted.id]]);
  expect(await found({ search: "maren 2.4 lb", customer: other.id })).toEqual([]);
  expect(await found({ search: "maren 2.5 lb" })).toEqual([]);
  expect(await found({ search: "nobody 2.4 lb" })).toEqual([]);
});
