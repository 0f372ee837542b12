import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { logs } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { desc, sql } from "drizzle-orm";
import { expect, inject, test as onBothEngines } from "vitest";
import * as schema from "../db/schema.ts";
import { addBulkOrder, addCustomer, addFedexOrder, addInvoice, addOrder } from "../testing/builders.ts";
import { addAccount, call, db, moveBusinessTo } from "../testing/server.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

type Query = { sort?: "asc" | "des"; status?: "All" | "user" | "label"; limit?: number; search?: string };

const page = async (number: number, query: Query, as: "admin" | { token: string } = "admin") =>
  (await call(as, logs.list, { query: { limit: 100, ...query, page: number } })).body;

async function everyPage(query: Query, as: { token: string }) {
  const { totalPages } = await page(1, query, as);
  const ids: string[] = [];
  for (let number = 1; number <= totalPages; number++)
    ids.push(...(await page(number, query, as)).logs.map(({ _id }) => _id));
  return ids;
}

/**
 * Four rows at every moment: around the hour that Havana's clocks show twice, around a month's end and within a month.
 */
async function fillLog(amount: number) {
  await db.execute(sql`
    insert into logs (id, admin, type, action, created_at)
    select gen_random_uuid(), 'admin', (array['user', 'label'])[1 + n % 2], 'Row ' || n,
      timestamptz '2025-11-01 20:00Z' + n / 4 * interval '1 minute' - n / 4 % 3 * interval '32 days'
    from generate_series(1, ${amount}::int) n`);
}

const ways = (["des", "asc"] as const).flatMap((sort) =>
  (["All", "user"] as const).map((status) => ({ sort, status })),
);

onBothEngines("page by page, in either order: every row once and in order, however far", async () => {
  await moveBusinessTo("America/Havana");
  await fillLog(3_500);
  const inOrder = await db.select().from(schema.logs).orderBy(schema.logs.createdAt, schema.logs.id);
  for (const settle of ["select", "call fold_counters()"]) {
    await db.execute(sql.raw(settle));
    // Both engines have the same planner: one order on the embedded one is enough.
    for (const { sort, status } of inject("embeddedDump") ? ways.slice(1, 2) : ways) {
      const rows = inOrder.filter(({ type }) => status === "All" || type === status).map(({ id }) => id);
      const ids = sort === "asc" ? rows : rows.reverse();
      // A new reader each time: whoever reads very much gets an entry in the log.
      const reader = await addAccount(`${settle} ${sort} ${status}`, "admin");
      expect(await everyPage({ sort, status }, reader), reader.username).toEqual(ids);
      const past = await page(1_000, { sort, status }, reader);
      expect([past.logs, past.total]).toEqual([[], ids.length]);
    }
  }
});

test("a search counts up to a thousand hits, and ends there", async () => {
  await fillLog(2_002);
  expect(await page(10, { search: "row" })).toMatchObject({ total: 1_000, totalPages: 10, totalCapped: true });
  expect((await page(10, { search: "row" })).logs).toHaveLength(100);
  expect(await page(11, { search: "row" })).toMatchObject({ logs: [], total: 1_000, totalCapped: true });
  expect(await page(1, { search: "row", status: "label" })).toMatchObject({ total: 1_000, totalCapped: true });
  expect(await page(3, { search: "row 19" })).toMatchObject({ total: 111, totalPages: 2, totalCapped: false });
});

onBothEngines("two letters that are rare are found among any number of rows, page by page and once each", async () => {
  await fillLog(5_000);
  await db.execute(sql`update logs set action = action || ' Exquisite' where action ~ '^Row (7|1007|4999)$'`);
  for (const sort of ["asc", "des"] as const) {
    const first = await page(1, { search: "xq", sort, limit: 2 });
    const second = await page(2, { search: "xq", sort, limit: 2 });
    expect([first, second]).toMatchObject([
      { total: 3, totalPages: 2, totalCapped: false },
      { total: 3, totalPages: 2, totalCapped: false },
    ]);
    expect(new Set([...first.logs, ...second.logs].map(({ action }) => action)).size).toBe(3);
  }
  expect(await page(9, { search: "xq" })).toMatchObject({ logs: [], total: 3 });
  // Frequent hits are counted among the newest rows only.
  expect(await page(1, { search: "ro" })).toMatchObject({ total: 1_000, totalCapped: true });
});

test("what many rows have is counted to its end behind a filter that leaves few", async () => {
  await fillLog(6_000);
  await db.execute(sql`update logs set type = case when action ~ '^Row [0-9]{1,3}$' then 'user' else 'label' end`);
  const found = await page(2, { search: "row", status: "user" });
  expect(found).toMatchObject({ total: 999, totalPages: 10, totalCapped: false });
  expect(found.logs).toHaveLength(100);
  expect(await page(2, { search: "row", status: "label" })).toMatchObject({ total: 1_000, totalCapped: true });
});

test("what very many rows have is found behind any number of newer ones that do not have it", async () => {
  const register = (prefix: string, amount: number, from: string) =>
    db.execute(sql`insert into tracking_codes (id, code, type, template, created_at)
      select gen_random_uuid(), ${prefix}::text || lpad(n::text, 12, '0'), 'priority', 'evs',
        ${from}::timestamptz + n * interval '1 second'
      from generate_series(1, ${amount}::int) n`);
  const batches: [string, number, string][] = [
    ["9400111206", 55_000, "2025-01-01"],
    ["9261290254", 22_000, "2025-02-01"],
    ["9470111899", 30_000, "2025-03-01"],
  ];
  for (const batch of batches) {
    await register(...batch);
    const { body } = await call("admin", tracking.list, { query: { search: "9400111", limit: 2, page: 3 } });
    expect(body, batch.join()).toMatchObject({
      trackings: [{ code: "9400111206000000054996" }, { code: "9400111206000000054995" }],
      total: 1_000,
      totalCapped: true,
    });
  }
});

test("what its keys do not tell is looked for among the newest rows where very many have the keys", async () => {
  // The rows on the sampled pages must not depend on earlier tests.
  await db.execute(sql`vacuum full logs`);
  await db.execute(sql`
    insert into logs (id, admin, type, action, created_at)
    select gen_random_uuid(), 'admin', 'user', case n when 100 then 'A rower' when 115000 then 'Two rows' else 'Row' end,
      timestamptz '2025-01-01' + n * interval '1 minute'
    from generate_series(1, 120000) n`);
  // The estimate of rows with the keys uses PostgreSQL's statistics of the table.
  await db.execute(sql`analyze logs`);
  expect(await page(1, { search: "o ro" })).toMatchObject({
    logs: [{ action: "Two rows" }],
    total: 1,
    totalCapped: true,
  });
  expect(await page(1, { search: "a ro" })).toMatchObject({ logs: [], total: 0, totalCapped: true });
  expect(await page(1, { search: "a rower" })).toMatchObject({ logs: [{ action: "A rower" }], totalCapped: false });
});

onBothEngines("a row that is found by itself and by its customer is one", async () => {
  const customer = await addCustomer({ username: "Umar" });
  const { id } = await addOrder({ customer, fromName: "Umar", toName: "Bea" });
  const { body } = await call("staff", orders.list, { query: { search: "umar" } });
  expect(body).toMatchObject({ orders: [{ _id: id }], total: 1, totalCapped: false });
});

onBothEngines("a single letter is looked for in names among the newest rows", async () => {
  await fillLog(30);
  expect((await page(1, { search: "w 7" })).total).toBe(1);
  expect((await page(1, { search: "29" })).total).toBe(1);
  expect((await page(1, { search: "2" })).total).toBe(12);
  expect((await page(1, { search: "xq" })).total).toBe(0);
  expect((await page(1, { search: "--" })).total).toBe(0);
  const customer = await addCustomer({ username: "zed" });
  await addOrder({ customer, fromName: "Ana", toName: "Bea" });
  expect((await call("staff", orders.list, { query: { search: "z" } })).body.total).toBe(1);
});

test("a single letter costs a look at a thousand rows, however many there are", async () => {
  await fillLog(1_500);
  const markFirst = (sort: "asc" | "desc") =>
    db.execute(sql`update logs set action = 'ж' where id =
      (select id from logs order by created_at ${sql.raw(sort)}, id ${sql.raw(sort)} limit 1)`);
  await markFirst("asc");
  expect(await page(1, { search: "ж" })).toMatchObject({ total: 0, totalCapped: true });
  await markFirst("desc");
  expect(await page(1, { search: "ж" })).toMatchObject({ total: 1, totalCapped: true });
});

test("who was renamed is found by the new name, and no longer by the old", async () => {
  const customer = await addCustomer({ username: "Oldname" });
  await addOrder({ customer });
  await addInvoice({ customer });
  await db.execute(sql`update customers set username = 'Newname', email = 'new@post.example'`);
  const found = async (search: string) => [
    (await call("admin", orders.list, { query: { search } })).body.total,
    (await call("admin", invoices.list, { query: { search } })).body.total,
  ];
  expect(await found("newNAME")).toEqual([1, 1]);
  expect(await found("new@post")).toEqual([1, 1]);
  expect(await found("oldname")).toEqual([0, 0]);
});

test("renaming a customer touches none of their orders, however many", async () => {
  const customer = await addCustomer({ username: "before", discordId: "renamed1" });
  await addOrder({ customer });
  await addInvoice({ customer });
  await addBulkOrder({ customer });
  const versions = async () =>
    (
      await db.execute(sql`select xmin::text from orders union all select xmin::text from invoices
        union all select xmin::text from bulk_orders`)
    ).rows;
  const before = await versions();
  await call("staff", users.addBalance, { params: { id: customer.id }, body: { balance: 1 } });
  await db.update(schema.customers).set({ username: "after", email: "after@example.com" });
  expect(await versions()).toEqual(before);
  expect((await call("staff", orders.list, { query: { search: "fte" } })).body.total).toBe(1);
});

test("more customers than can be looked up one by one are found all the same", async () => {
  await db.execute(sql`insert into customers (id, username, discord_id)
    select gen_random_uuid(), 'crowd' || n, 'crowd' || n from generate_series(1, 1100) n`);
  const [one] = await db.select().from(schema.customers).where(sql`username = 'crowd777'`);
  const order = await addOrder({ customer: one as { id: string } });
  await addOrder();
  expect((await call("staff", orders.list, { query: { search: "crowd" } })).body).toMatchObject({
    orders: [{ _id: order.id }],
    total: 1,
    totalCapped: false,
  });
});

onBothEngines(
  "a whole UUID finds its row and those that mention it, also behind a filter that hides them",
  async () => {
    const order = await addOrder();
    const other = await addOrder({ tracking: `see ${order.uuid}` });
    const found = async (search: string, status: "All" | "Refunded" = "All") =>
      (await call("admin", orders.list, { query: { search, status } })).body.orders.map(({ _id }) => _id);
    expect(await found(order.uuid.toUpperCase())).toEqual([other.id, order.id]);
    expect(await found(order.id)).toEqual([order.id]);
    expect(await found(order.uuid, "Refunded")).toEqual([]);
    expect(await found(order.uuid.slice(0, 35))).toEqual([order.id]);
    expect(await found("00000000-0000-4000-8000-000000000000")).toEqual([]);
  },
);

test("a whole UUID that very many rows mention finds the newest of them, and counts them to a thousand", async () => {
  const id = "0198c0de-0000-7000-8000-00000000abcd";
  await fillLog(1_200);
  await db.execute(sql`update logs set action = action || ${` about ${id}`}`);
  const inOrder = await db.select().from(schema.logs).orderBy(desc(schema.logs.createdAt), desc(schema.logs.id));
  for (const number of [1, 10]) {
    const found = await page(number, { search: id });
    expect(found).toMatchObject({ total: 1_000, totalPages: 10, totalCapped: true });
    const expected = inOrder.slice((number - 1) * 100, number * 100);
    expect(found.logs.map(({ action }) => action)).toEqual(expected.map(({ action }) => action));
  }
});

test("a customer who is called like a UUID is found by it everywhere", async () => {
  const username = "0198c0de-0000-7000-8000-00000000abcd";
  const customer = await addCustomer({ username });
  const order = await addOrder({ customer });
  const bulkOrder = await addBulkOrder({ customer });
  const invoice = await addInvoice({ customer });
  const fedexOrder = await addFedexOrder({ toName: `c/o ${username}` });
  await call("admin", users.addBalance, { params: { id: customer.id }, body: { balance: 5 } });
  const query = { search: username };
  expect((await call("admin", orders.list, { query })).body.orders).toMatchObject([{ _id: order.id }]);
  expect((await call("admin", bulkOrders.list, { query })).body.orders).toMatchObject([{ _id: bulkOrder.id }]);
  expect((await call("admin", invoices.list, { query })).body.invoices).toMatchObject([{ _id: invoice.id }]);
  for (const role of ["admin", "staff"] as const)
    expect((await call(role, fedex.list, { query })).body.docs).toMatchObject([{ _id: fedexOrder.id }]);
  expect((await call("admin", users.list, { query })).body.users).toMatchObject([{ _id: customer.id }]);
  expect((await call("admin", logs.list, { query })).body.logs).toMatchObject([
    { action: `Added $5.00 to ${username}'s balance` },
  ]);
});

onBothEngines("a code is found whole, by its beginning and by its end, and never by its middle", async () => {
  const [whole, longer] = ["9400111899223344556677", "94001118992233445566778"];
  for (const tracking of [whole, whole, longer]) await addOrder({ tracking });
  const codesFor = async (search: string) =>
    (await call("admin", orders.list, { query: { search } })).body.orders.map(({ tracking }) => tracking);
  expect(await codesFor(whole)).toEqual([longer, whole, whole]);
  expect(await codesFor(longer)).toEqual([longer]);
  for (const search of ["9400", whole.slice(0, 12), whole.slice(0, 20), "9400 1118 9922 3344"])
    expect(await codesFor(search), search).toHaveLength(3);
  for (const search of ["6677", whole.slice(-12), whole.slice(-20)])
    expect(await codesFor(search), search).toEqual([whole, whole]);
  for (const search of ["400", "940", "4001118992", "1118992233445", "0111", "9400%", "94_0", whole.slice(1, 20)])
    expect(await codesFor(search), search).toEqual([]);

  for (const tracking of ["1Z999AA10123456784", "1Z999AA101234567840"]) await addOrder({ tracking });
  expect(await codesFor("aa101234567840")).toEqual(["1Z999AA101234567840"]);
});

onBothEngines("a sentence of the log is found by its words and the ids in it, together", async () => {
  const customer = await addCustomer({ username: "1234567890-alice", verifiedAt: null });
  const order = await addOrder({ customer });
  await call("staff", orders.refund, { params: { id: order.id } });
  await call("staff", users.verify, { params: { id: customer.id } });
  const refund = `Refunded order ${order.uuid} ($5.00) to 1234567890-alice`;
  const found = async (search: string) =>
    (await call("admin", logs.list, { query: { search } })).body.logs.map(({ action }) => action);
  for (const search of [refund, `order ${order.uuid.slice(0, 8)}`, `${order.uuid} ($5.00) to`, order.uuid.slice(-6)])
    expect(await found(search), search).toEqual([refund]);
  for (const search of ["alice", "1234567890-alice", "1234567890", "0-ali"])
    expect(await found(search), search).toEqual(["Verified customer 1234567890-alice", refund]);
  expect(await found("customer 1234567890")).toEqual(["Verified customer 1234567890-alice"]);
  expect(await found(`order ${order.uuid.slice(4, 12)}`)).toEqual([]);
});

onBothEngines("names are found by any part, over spaces and marks, and in any script", async () => {
  const customer = await addCustomer({ username: "maren", email: "maren@harbor.example" });
  await addOrder({ customer, fromName: "Zoë O'Brien-Nuñez", toName: "Łukasz 山田太郎" });
  const found = async (search: string) => (await call("staff", orders.list, { query: { search } })).body.total;
  for (const search of [
    "zo",
    "OË",
    "o'br",
    "brien-nu",
    "ñe",
    "ÑEZ",
    "łu",
    "田太",
    "sz 山",
    "aren@harb",
    "harbor.ex",
    "r.e",
  ])
    expect(await found(search), search).toBe(1);
  await addCustomer({ username: "İbrahim Kaya" });
  await addCustomer({ username: "ΝΙΚΟΣ" });
  await addCustomer({ username: "O Brien 📦" });
  const customersFor = async (search: string) =>
    (await call("staff", users.list, { query: { search } })).body.users.map(({ username }) => username);
  for (const search of ["İbrahim", "İBRAHİM", "ibrahim kaya"])
    expect(await customersFor(search), search).toEqual(["İbrahim Kaya"]);
  for (const search of ["ΝΙΚΟΣ", "νικος", "κος"]) expect(await customersFor(search), search).toEqual(["ΝΙΚΟΣ"]);
  expect(await customersFor("o brien 📦")).toEqual(["O Brien 📦"]);
  for (const search of ["\x1f", "maren\x1f", "\x1fmaren@"])
    expect(await customersFor(search), JSON.stringify(search)).toEqual([]);
  for (const search of ["zö", "obrien", "brien nu", "maren@example", "太山", "arbor_ex"])
    expect(await found(search), search).toBe(0);

  // Non-breaking spaces, and words longer than a key.
  await addOrder({ customer, fromName: "Ann\u00a0Lee Donaudampfschifffahrt Kontor" });
  for (const search of ["nn\u00a0lee don", "ann\u00a0le", "lee donaudampfschifffahrt kon", "mpfschifffahrt k"])
    expect(await found(search), search).toBe(1);
  for (const search of ["lee donaudampfschiff kon", "lee dona kon"]) expect(await found(search), search).toBe(0);
});
