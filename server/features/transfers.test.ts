import { logs } from "@footprint/contract/logs.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { eq, sql } from "drizzle-orm";
import { expect, inject, test as onBothEngines } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers } from "../db/schema.ts";
import { addCustomer, addInvoice, addLabelType, addOrder, balanceOf } from "../testing/builders.ts";
import { meetAt } from "../testing/races.ts";
import { addAccount, call, db, moveBusinessTo } from "../testing/server.ts";
import {
  addBalance,
  answerOf,
  buy,
  history,
  markPaid,
  newest,
  once,
  openShop,
  parcel,
  problems,
  refund,
  reverse,
} from "../testing/transfers.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

const list = async (query: object = {}) => (await call("staff", transfers.list, { query })).body;

test("a balance's history tells what each change was for, by whom and why, and what it left", async () => {
  const customer = await addCustomer({ username: "maren" });
  await addLabelType({ uid: "own", name: "Own", kind: "shipv2", tiers: [[0, 5, 4]] });
  const shop = await openShop();
  const [shopId] = (await call("admin", website.listApiKeys)).body.keys.map(({ _id }) => _id);
  const invoice = await addInvoice({ customer, amount: 50 });
  await markPaid(invoice, "seen in the app");
  const { order } = (await buy(shop, customer.discordId)).body;
  const two = { discordId: customer.discordId, orders: [parcel, parcel] };
  const { bulkOrder } = (await call(shop, storefront.createBulkOrder, { body: two, ...once() })).body;
  await refund({ id: order._id }, "never sent");
  await addBalance(customer, 5);
  const added = await newest(customer);
  await reverse(added._id, "wrong customer");

  const accounts = await db.execute<{ id: string }>(sql`select id from accounts where username = 'staff'`);
  const staff = { username: "staff", kind: "account", _id: accounts.rows[0]?.id };
  const ofShop = { username: "Main shop", kind: "shop", _id: shopId };
  const plain = { _id: expect.any(String), createdAt: expect.any(String), reverses: null, reversedBy: null };
  const thing = { kind: "order", _id: order._id, uuid: order.uuid, labelType: "Own", weight: 2, custom: false };
  const told = await history(customer, { sort: "asc" });
  const [, , , , credit, reversal] = told.transfers;
  expect(told).toEqual({
    transfers: [
      {
        ...{ ...plain, kind: "deposit", amount: 50, balanceAfter: 50, reason: "seen in the app", by: staff },
        for: { kind: "invoice", _id: invoice.id, payment_method: "cashapp" },
      },
      { ...plain, kind: "purchase", amount: -4, balanceAfter: 46, reason: "", by: ofShop, for: thing },
      {
        ...{ ...plain, kind: "purchase", amount: -8, balanceAfter: 38, reason: "", by: ofShop },
        for: { kind: "bulk order", _id: bulkOrder._id, uuid: bulkOrder.uuid, orderCount: 2 },
      },
      { ...plain, kind: "refund", amount: 4, balanceAfter: 42, reason: "never sent", by: staff, for: thing },
      {
        ...{ ...plain, kind: "adjustment", amount: 5, balanceAfter: 47, reason: "", by: staff, for: null },
        reversedBy: reversal?._id,
      },
      {
        ...{ ...plain, kind: "reversal", amount: -5, balanceAfter: 42, reason: "wrong customer", by: staff },
        ...{ reverses: added._id, for: { kind: "transfer", _id: added._id, of: "adjustment" } },
        ...{ for: { kind: "transfer", _id: added._id, of: "adjustment", createdAt: credit?.createdAt } },
      },
    ],
    total: 6,
    totalPages: 1,
    by: null,
    sums: { in: 59, out: 17 },
  });
  expect(await problems()).toEqual([]);
});

/** Transfers of every kind over a hundred days, at the middle of each day, from before running totals were kept. */
async function makeHistory(customer: { id: string }, amount: number, by = uuidv7()) {
  const kinds = ["adjustment", "purchase", "purchase", "refund", "purchase"];
  await db.execute(sql`
    insert into transfers (id, customer_id, kind, amount_cents, balance_after_cents, number, received_cents, spent_cents,
      reference, actor, actor_kind, actor_id, created_at)
    select gen_random_uuid(), ${customer.id}::uuid, kind, cents, sum(cents) over (order by n), n,
      sum(greatest(cents, 0)) over (order by n), sum(case when kind = 'purchase' then -cents else 0 end) over (order by n),
      case when kind <> 'adjustment' then gen_random_uuid() end, 'past', 'account',
      case when n % 7 = 0 then ${by}::uuid end,
      timestamptz '2026-01-01 12:00Z' + (n - 1) * 100 / ${amount}::int * interval '1 day' + n * interval '1 millisecond'
    from (
      select n, (array[${sql.join(
        kinds.map((kind) => sql`${kind}`),
        sql`, `,
      )}])[1 + n % 5] as kind, (array[9, -2, -3, 2, -1])[1 + n % 5] + case when n = 1 then 10 else 0 end as cents
      from generate_series(1, ${amount}::int) as n
    ) as made`);
  // The database does this within a minute by itself; until then it may take the table for empty.
  await db.execute(sql`analyze transfers`);
  const { rows } = await db.execute<{
    id: string;
    n: number;
    kind: string;
    cents: number;
    day: string;
    mine: boolean;
  }>(sql`
    select id, number as n, kind, amount_cents::int as cents, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day,
      actor_id is not distinct from ${by}::uuid as mine
    from transfers where customer_id = ${customer.id} order by number`);
  const last = rows.at(-1);
  const { rows: ends } = await db.execute<{ balance: string; received: string; spent: string }>(sql`
    select balance_after_cents as balance, received_cents as received, spent_cents as spent
    from transfers where id = ${last?.id}`);
  const [end] = ends;
  await db
    .update(customers)
    .set({
      transfers: amount,
      balanceCents: Number(end?.balance),
      receivedCents: Number(end?.received),
      spentCents: Number(end?.spent),
    })
    .where(eq(customers.id, customer.id));
  return rows;
}

test.for(["asc", "des"] as const)("any page of thousands of transfers, %s, with and without a period", async (sort) => {
  const customer = await addCustomer();
  const [amount, by] = [6_000, uuidv7()];
  const all = await makeHistory(customer, amount, by);
  const inOrder = <T>(rows: T[]) => (sort === "asc" ? rows : [...rows].reverse());
  const idsOf = (body: { transfers: { _id: string }[] }) => body.transfers.map(({ _id }) => _id);
  const check = async (query: object, expected: typeof all, pages: number[]) => {
    for (const page of pages) {
      const body = await history(customer, { sort, limit: 100, page, ...query });
      const some = inOrder(expected).slice((page - 1) * 100, page * 100);
      expect(idsOf(body), `page ${page}`).toEqual(some.map(({ id }) => id));
      expect(body.total).toBe(expected.length);
      const sumOf = (sign: number) =>
        expected.filter(({ cents }) => cents * sign > 0).reduce((sum, { cents }) => sum + cents * sign, 0) / 100;
      expect(body.sums).toEqual({ in: sumOf(1), out: sumOf(-1) });
    }
  };
  await check({}, all, [1, 2, 37, 60, 61, 1_000_000]);
  const [from, to] = ["2026-02-10", "2026-03-05"];
  await check(
    { from },
    all.filter(({ day }) => day >= from),
    [1, 36],
  );
  await check(
    { to },
    all.filter(({ day }) => day <= to),
    [1, 38],
  );
  const within = all.filter(({ day }) => day >= from && day <= to);
  await check({ from, to }, within, [1, 7, 15, 16]);
  await check({ from: to, to: from }, [], [1]);
  await check({ from: "2025-01-01", to: "2025-12-31" }, [], [1]);
  await check({ from: "2027-01-01" }, [], [1, 2]);

  const narrowed = async (query: object, expected: typeof all, page = 1) => {
    const body = await history(customer, { sort, limit: 100, page, ...query });
    const first = inOrder(expected).slice(0, 1_000);
    expect(idsOf(body)).toEqual(first.slice((page - 1) * 100, page * 100).map(({ id }) => id));
    expect([body.total, body.totalCapped, body.sums]).toEqual([first.length, expected.length > 1_000, null]);
  };
  const refunds = all.filter(({ kind }) => kind === "refund");
  await narrowed({ kind: "refund" }, refunds);
  await narrowed({ kind: "refund" }, refunds, 10);
  await narrowed({ kind: "refund" }, refunds, 11);
  await narrowed(
    { kind: "refund", from, to },
    within.filter(({ kind }) => kind === "refund"),
    2,
  );
  await narrowed(
    { kind: "purchase" },
    all.filter(({ kind }) => kind === "purchase"),
    3,
  );
  await narrowed(
    { kind: "purchase", from, to },
    within.filter(({ kind }) => kind === "purchase"),
    3,
  );
  await narrowed(
    { by },
    all.filter(({ mine }) => mine),
    2,
  );
  await narrowed(
    { by, kind: "adjustment", from },
    all.filter((row) => row.mine && row.kind === "adjustment" && row.day >= from),
  );
  await narrowed({ kind: "deposit" }, []);
});

onBothEngines("the days of a history are those of the business timezone", async () => {
  await moveBusinessTo("America/New_York");
  const customer = await addCustomer();
  await addBalance(customer, 1);
  await addBalance(customer, 2);
  // The clocks go forward on 2026-03-08: that day has 23 hours, from 05:00Z to 04:00Z.
  for (const [number, at] of [
    [1, "2026-03-08T04:59:59.999Z"],
    [2, "2026-03-09T03:59:59.999Z"],
  ] as const)
    await db.execute(sql`update transfers set created_at = ${at}::timestamptz where number = ${number}`);
  const on = async (day: string) =>
    (await history(customer, { from: day, to: day })).transfers.map(({ amount }) => amount);
  expect([await on("2026-03-07"), await on("2026-03-08"), await on("2026-03-09")]).toEqual([[1], [2], []]);
});

test("a history that does not exist is 404, and a day that does not is 400", async () => {
  const unknown = { params: { id: uuidv7() } };
  for (const query of [{}, { from: "2026-01-01" }, { to: "2026-01-01" }, { kind: "refund" as const }])
    expect(answerOf(await call("staff", transfers.history, { ...unknown, query }))).toEqual([
      404,
      "This customer does not exist",
    ]);
  for (const from of ["2026-02-30", "0000-01-01", "yesterday"])
    expect((await call("staff", transfers.history, { ...unknown, query: { from } })).status).toBe(400);
});

test("a customer's page tells what their transfers come to", async () => {
  const customer = await addCustomer({ balance: 20 });
  const labelType = await addLabelType();
  const order = await addOrder({ customer, labelType, price: 3 });
  await addOrder({ customer, labelType, price: 4 });
  await refund(order);
  const [kept, undone] = [await addInvoice({ customer, amount: 30 }), await addInvoice({ customer, amount: 7 })];
  await markPaid(kept);
  await markPaid(undone);
  await reverse((await newest(customer))._id);
  // The first of them is older than the rules look back.
  await db.execute(sql`update transfers set created_at = now() - interval '40 days' where number = 1`);
  await db.execute(sql`update transfers set created_at = now() - interval '35 days' where number <= 3 and number > 1`);
  await db.execute(sql`update transfers set created_at = now() - interval '2 days' where number = 4`);
  const read = async () => (await call("staff", users.read, { params: { id: customer.id } })).body.totals;
  const [latest] = await db
    .execute<{ at: Date | string }>(sql`select max(created_at) as at from orders`)
    .then(({ rows }) => rows);
  expect(await read()).toEqual({
    transfers: 9,
    orders: 2,
    deposits: 1,
    refunds: 1,
    spent: 7,
    spentLately: 4,
    deposited: 30,
    refunded: 3,
    lastOrderAt: new Date(latest?.at ?? 0).toISOString(),
    bulkOrders: 0,
    fedexOrders: 0,
    invoices: 2,
    agrees: true,
    balances: [...Array(27).fill(20), 24, 24, 53],
  });
  await db.update(customers).set({ balanceCents: 1 });
  expect((await read()).agrees).toBe(false);
  const { body } = await call("staff", users.read, { params: { id: (await addCustomer()).id } });
  expect(body.totals).toMatchObject({ transfers: 0, lastOrderAt: null, agrees: true, balances: Array(30).fill(0) });
});

test("of very many transfers the newest one tells whether they add up to the balance", async () => {
  const customer = await addCustomer();
  await makeHistory(customer, 5_001);
  const agrees = async () => (await call("staff", users.read, { params: { id: customer.id } })).body.totals.agrees;
  expect(await agrees()).toBe(true);
  await db.update(customers).set({ balanceCents: sql`balance_cents + 1` });
  expect(await agrees()).toBe(false);
});

onBothEngines("all customers' transfers but purchases, by kind, day, doer, customer and amount", async () => {
  const [maren, tobias] = [await addCustomer({ username: "maren" }), await addCustomer({ username: "tobias" })];
  const { token, id: colleague } = await addAccount("colleague", "staff");
  const shop = await openShop();
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 4]] });
  await addBalance(maren, 250, "a gift");
  await addBalance(tobias, 99.99, "", { token });
  await addBalance(tobias, -50, "", { token });
  const opened = { discordId: maren.discordId, amount: 100, payment_method: "paypal" as const };
  const { invoice } = (await call(shop, storefront.createInvoice, { body: opened, ...once() })).body;
  await call(shop, storefront.setInvoiceStatus, { params: { id: invoice._id }, body: { status: "paid" } });
  const { order } = (await buy(shop, maren.discordId)).body;
  await refund({ id: order._id }, "", { token });
  await db.execute(sql`update transfers set created_at = '2026-01-31 12:00Z' where amount_cents = 25000`);
  const [shopKey] = (await call("admin", website.listApiKeys)).body.keys.map(({ _id }) => _id);

  const amounts = async (query: object) => (await list(query)).transfers.map(({ amount }) => amount);
  expect(await amounts({})).toEqual([4, 100, -50, 99.99, 250]);
  expect(await amounts({ sort: "asc" })).toEqual([250, 99.99, -50, 100, 4]);
  expect(await amounts({ limit: 2, page: 2 })).toEqual([-50, 99.99]);
  expect(await amounts({ kind: "refund" })).toEqual([4]);
  expect(await amounts({ kind: "adjustment", sort: "asc" })).toEqual([250, 99.99, -50]);
  expect(await amounts({ over: 100 })).toEqual([100, 250]);
  expect(await amounts({ over: 50, kind: "adjustment" })).toEqual([-50, 99.99, 250]);
  expect(await amounts({ to: "2026-01-31" })).toEqual([250]);
  expect(await amounts({ from: "2026-02-01", over: 99 })).toEqual([100, 99.99]);
  expect(await amounts({ by: colleague })).toEqual([4, -50, 99.99]);
  expect((await list({ by: colleague, to: "2020-01-01" })).by).toEqual({ _id: colleague, username: "colleague" });
  expect([(await list({ by: uuidv7() })).by, (await list()).by]).toEqual([null, null]);
  expect(await amounts({ by: colleague, kind: "adjustment", over: 60 })).toEqual([99.99]);
  expect(await amounts({ by: shopKey })).toEqual([100]);
  expect(await amounts({ by: colleague, customer: maren.id })).toEqual([4]);
  const hers = await history(maren, { by: colleague });
  expect([hers.transfers.map(({ amount }) => amount), hers.by]).toEqual([
    [4],
    { _id: colleague, username: "colleague" },
  ]);
  expect((await history(maren)).by).toBeNull();
  expect(await amounts({ customer: maren.id })).toEqual([4, 100, 250]);
  expect(await amounts({ customer: maren.id, sort: "asc", limit: 1, page: 2 })).toEqual([100]);
  expect(await amounts({ customer: maren.id, over: 5, from: "2026-02-01" })).toEqual([100]);
  expect(await amounts({ customer: tobias.id, kind: "deposit" })).toEqual([]);
  expect(await amounts({ method: "paypal" })).toEqual([100]);
  expect(await amounts({ method: "cashapp", kind: "deposit" })).toEqual([]);
  expect(await amounts({ reason: "a gift" })).toEqual([250]);
  expect(await amounts({ reason: "a gift", customer: tobias.id })).toEqual([]);
  const [gift] = (await list({ reason: "a gift" })).transfers;
  await reverse(gift?._id ?? "");
  expect(await amounts({ reversed: "false", kind: "adjustment" })).toEqual([-50, 99.99]);
  expect(await amounts({ kind: "adjustment" })).toEqual([-50, 99.99, 250]);
  expect(await list({ over: 200, kind: "adjustment" })).toMatchObject({
    transfers: [{ kind: "adjustment", reason: "a gift", user: { _id: maren.id, username: "maren" }, for: null }],
    total: 1,
    totalPages: 1,
    totalCapped: false,
  });
  expect((await call("staff", transfers.list, { query: { customer: uuidv7() } })).body).toMatchObject({
    transfers: [],
    total: 0,
  });
});

test("of very many transfers a list counts a thousand, and says that there are more", async () => {
  const customer = await addCustomer();
  const by = uuidv7();
  const all = (await makeHistory(customer, 6_000, by)).filter(({ kind }) => kind !== "purchase").reverse();
  const ids = (rows: typeof all, page: number) => rows.slice((page - 1) * 100, page * 100).map(({ id }) => id);
  const check = async (query: object, rows: typeof all) => {
    const pages = Math.ceil(Math.min(1_000, rows.length) / 100);
    for (const page of [1, pages]) {
      const body = await list({ ...query, limit: 100, page });
      expect(body.transfers.map(({ _id }) => _id)).toEqual(ids(rows, page));
      expect(body).toMatchObject({ total: Math.min(1_000, rows.length), totalPages: pages });
      expect(body.totalCapped).toBe(rows.length > 1_000);
    }
    expect((await list({ ...query, limit: 100, page: pages + 1 })).transfers).toEqual([]);
  };
  await check({}, all);
  await check({ customer: customer.id }, all);
  await check(
    { kind: "refund" },
    all.filter(({ kind }) => kind === "refund"),
  );
  await check(
    { kind: "refund", customer: customer.id },
    all.filter(({ kind }) => kind === "refund"),
  );
  await check(
    { by },
    all.filter(({ mine }) => mine),
  );
  await check(
    { over: 0.09 },
    all.filter(({ cents }) => cents >= 9),
  );
});

test.each(["1e3", "0x10", " ", "1,000"])("an amount that is written as %j is refused", async (over) => {
  const { status, body } = await call("staff", transfers.list, { query: { over } });
  expect([status, (body as { message?: string }).message]).toEqual([400, "over must be a number"]);
});

onBothEngines("simultaneous changes of one balance have consecutive numbers and balances that add up", async () => {
  const customer = await addCustomer({ balance: 100 });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 4]] });
  const shop = await openShop();
  const order = await addOrder({ customer, price: 6 });
  const atOnce = () => [
    ...Array.from({ length: 6 }, () => buy(shop, customer.discordId) as Promise<{ status: number }>),
    addBalance(customer, 2.5),
    refund(order),
  ];
  const answers = await meetAt(customers, customer, atOnce, undefined, 6);
  expect(answers.every(({ status }) => status < 300)).toBe(true);
  const { transfers: rows, total } = await history(customer, { sort: "asc" });
  expect([total, rows.length]).toEqual([11, 10]);
  const { transfers: rest } = await history(customer, { sort: "asc", page: 2 });
  let balance = 0;
  let last = "";
  for (const { amount, balanceAfter, createdAt } of [...rows, ...rest]) {
    balance = Math.round((balance + amount) * 100) / 100;
    expect(balanceAfter).toBe(balance);
    expect(createdAt >= last).toBe(true);
    last = createdAt;
  }
  expect(await balanceOf(customer)).toBe(balance);
  expect(await problems()).toEqual([]);
});

test("a reason is kept with the money and in the log, where a search finds it", async () => {
  const customer = await addCustomer({ username: "maren", balance: 1 });
  const order = await addOrder({ customer, price: 3 });
  const invoice = await addInvoice({ customer, amount: 20 });
  await addBalance(customer, 2, "  goodwill Zebra ");
  await refund(order, "lost Zebra");
  await markPaid(invoice, "cash Zebra");
  const { transfers: rows } = await history(customer, { limit: 3, sort: "des" });
  expect(rows.map(({ reason }) => reason)).toEqual(["cash Zebra", "lost Zebra", "goodwill Zebra"]);
  const found = (await call("admin", logs.list, { query: { search: "zebra" } })).body.logs;
  expect(found.map(({ action, after }) => [action, (after as { reason: string }).reason])).toEqual([
    [`Marked invoice ${invoice.id} ($20.00) of maren as paid: cash Zebra`, "cash Zebra"],
    [`Refunded order ${order.uuid} ($3.00) to maren: lost Zebra`, "lost Zebra"],
    ["Added $2.00 to maren's balance: goodwill Zebra", "goodwill Zebra"],
  ]);
  for (const reason of ["x".repeat(501), "two\nlines", "\u202eback"])
    expect((await addBalance(customer, 1, reason)).status, reason).toBe(400);
});
