import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import type { Reply } from "@footprint/contract/endpoint.ts";
import { orders } from "@footprint/contract/orders.ts";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { orders as ordersTable } from "../db/schema.ts";
import { addBulkOrder, addCustomer, addLabelType, addOrder, someAddresses } from "../testing/builders.ts";
import { call, db, send } from "../testing/server.ts";

const list = async (query: object) => (await call("staff", bulkOrders.list, { query })).body;

test("the list carries each bulk order with its orders, oldest first", async () => {
  const customer = await addCustomer({ username: "maren" });
  const labelType = await addLabelType({ name: "USPS Priority" });
  const bulkOrder = await addBulkOrder({ customer });
  const bought = { customer, labelType, bulkOrderId: bulkOrder.id };
  const second = await addOrder({ ...bought, price: 7, createdAt: new Date("2026-03-02T12:00:00Z") });
  const first = await addOrder({ ...bought, tracking: "9400111", createdAt: new Date("2026-03-01T12:00:00Z") });
  await addOrder({ customer, labelType });
  await call("staff", orders.refund, { params: { id: first.id } });
  const compact = {
    labelType: { name: "USPS Priority" },
    fromName: "Tobias Brandt",
    fromCity: "Austin",
    fromState: "TX",
    toName: "Lena Okafor",
    toCity: "Portland",
    toState: "ME",
  };
  const { status, body } = await call("staff", bulkOrders.list);
  expect(status).toBe(200);
  expect(body).toEqual({
    orders: [
      {
        _id: bulkOrder.id,
        uuid: bulkOrder.uuid,
        user: { _id: customer.id, username: "maren" },
        createdAt: bulkOrder.createdAt.toISOString(),
        orderCount: 2,
        orders: [
          {
            ...compact,
            _id: first.id,
            uuid: first.uuid,
            tracking: "9400111",
            price: 5,
            isRefunded: true,
            createdAt: "2026-03-01T12:00:00.000Z",
          },
          {
            ...compact,
            _id: second.id,
            uuid: second.uuid,
            tracking: "",
            price: 7,
            isRefunded: false,
            createdAt: "2026-03-02T12:00:00.000Z",
          },
        ],
      },
    ],
    total: 1,
    totalPages: 1,
  });
});

test("a bulk order is read with all of its orders", async () => {
  const bulkOrder = await addBulkOrder();
  const bought = { bulkOrderId: bulkOrder.id };
  await addOrder(bought);
  await addOrder(bought);
  await addOrder();
  const { status, body } = await call("staff", bulkOrders.read, { params: { id: bulkOrder.id } });
  expect([status, body.order]).toEqual([200, (await list({ search: bulkOrder.uuid })).orders[0]]);
  const unknown = await call("staff", bulkOrders.read, { params: { id: uuidv7() } });
  expect([unknown.status, unknown.body]).toEqual([404, { message: "This bulk order does not exist" }]);
});

test("a list has the same of its orders as one that is read, whatever their texts, prices and moments are", async () => {
  const bulkOrder = await addBulkOrder();
  const bought = { bulkOrderId: bulkOrder.id };
  const texts = ['{"_id":"', `{"_id":"${uuidv7()}"`, "\\\"'\\u0041", "a\tb\u0001\u007f\u2028", "Zoë 🙂 <b>", ""];
  for (const [place, fromName] of texts.entries())
    await addOrder({ ...bought, fromName, price: place / 100, createdAt: new Date(1_700_000_000_000 + 7 * place) });
  await addOrder({ ...bought, price: 12_345_678.9, createdAt: new Date("1999-12-31T23:59:59.999Z") });
  const [listed] = (await list({})).orders;
  expect(listed?.orders.map(({ fromName }) => fromName)).toEqual(expect.arrayContaining(texts));
  const { body } = await call("staff", bulkOrders.read, { params: { id: bulkOrder.id } });
  expect(listed).toEqual(body.order);
});

test("a page of large bulk orders stays light: what does not fit is counted, and read one by one", async () => {
  const customer = await addCustomer();
  const labelType = await addLabelType({ name: "L".repeat(100) });
  for (let count = 0; count < 5; count++) await addLargeBulkOrder(customer, labelType);

  const page = () => send("staff", bulkOrders.list, { query: { limit: 100, sort: "asc" } });
  const answers = await Promise.all(Array.from({ length: 4 }, page));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  for (const text of texts) expect(text.length).toBeLessThan(3_000_000);
  const { orders: rows }: Reply<typeof bulkOrders.list> = JSON.parse(texts[0] ?? "");
  expect(rows.map(({ orderCount }) => orderCount)).toEqual([500, 500, 500, 500, 500]);
  expect(rows.map(({ orders }) => orders.length)).toEqual([500, 500, 500, 500, 0]);

  const { body } = await call("staff", bulkOrders.read, { params: { id: rows[4]?._id ?? "" } });
  expect([body.order.orderCount, body.order.orders.length]).toEqual([500, 500]);
});

/** As many orders as a shop may buy at once, with texts as long as allowed. */
async function addLargeBulkOrder(customer: { id: string }, labelType: { id: string }) {
  const { id } = await addBulkOrder({ customer });
  const long = "W".repeat(100);
  const address = (side: "from" | "to") =>
    ({ [`${side}Name`]: long, [`${side}City`]: long, [`${side}State`]: long }) as Partial<typeof someAddresses>;
  const order = {
    ...someAddresses,
    ...address("from"),
    ...address("to"),
    fromCountry: "US",
    toCountry: "US",
    customerId: customer.id,
    labelTypeId: labelType.id,
    bulkOrderId: id,
    priceCents: 500,
    weight: 1,
    tracking: "9".repeat(100),
  };
  await db.insert(ordersTable).values(Array(500).fill(order));
}

test("whoever asks after a change sees it, however many ask for the same page at that moment", async () => {
  const customer = await addCustomer();
  for (let made = 1; made <= 10; made++) {
    const others = Array.from({ length: 6 }, () => list({}));
    await addBulkOrder({ customer });
    expect((await list({})).orders).toHaveLength(made);
    for (const other of await Promise.all(others)) expect([made - 1, made]).toContain(other.orders.length);
  }
});

test("each bulk order has its own orders, and one may have none", async () => {
  const one = await addBulkOrder();
  const two = await addBulkOrder();
  const empty = await addBulkOrder();
  const ofOne = await addOrder({ bulkOrderId: one.id });
  const ofTwo = [await addOrder({ bulkOrderId: two.id }), await addOrder({ bulkOrderId: two.id })];
  const rows = (await list({ sort: "asc" })).orders.map((row) => [row._id, row.orders.map((order) => order._id)]);
  expect(rows).toEqual([
    [one.id, [ofOne.id]],
    [two.id, ofTwo.map((order) => order.id)],
    [empty.id, []],
  ]);
});

test("the list pages in both directions, and bulk orders of the same moment are neither repeated nor lost", async () => {
  const customer = await addCustomer();
  const createdAt = new Date("2026-03-01T12:00:00Z");
  const made = new Set<string>();
  for (let n = 0; n < 25; n++) made.add((await addBulkOrder({ customer, createdAt })).id);
  for (const sort of ["asc", "des"]) {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list({ page, sort })));
    expect(pages.map((page) => page.orders.length)).toEqual([10, 10, 5, 0]);
    expect(new Set(pages.flatMap((page) => page.orders.map((row) => row._id)))).toEqual(made);
    expect(pages.every((page) => page.total === 25 && page.totalPages === 3)).toBe(true);
  }
  expect((await call("staff", bulkOrders.list, { query: { limit: 101 } })).status).toBe(400);
});

test("a search finds the uuid and the customer's name, in any case", async () => {
  const customer = await addCustomer({ username: "Maren_K", email: "hidden@example.com", discordId: "disc99" });
  const bulkOrder = await addBulkOrder({ customer });
  const order = await addOrder({ bulkOrderId: bulkOrder.id, tracking: "9400111", toName: "Ada" });
  await addBulkOrder();
  const found = async (search: string) => (await list({ search })).orders.map((row) => row._id);
  for (const search of [
    bulkOrder.uuid.slice(0, 9).toUpperCase(),
    bulkOrder.uuid.slice(-6),
    "maren_k",
    "REN_",
    "hidden@",
    "disc99",
  ])
    expect(await found(search), search).toEqual([bulkOrder.id]);
  for (const search of [bulkOrder.uuid.slice(4, 23), "mare%k", "marenxk", "9400111", order.uuid])
    expect(await found(search), search).toEqual([]);
  expect(await list({ search: "nothing like it" })).toEqual({
    orders: [],
    total: 0,
    totalPages: 1,
    totalCapped: false,
  });
});
