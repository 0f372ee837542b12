import { dashboard, type SpanFigures } from "@footprint/contract/dashboard.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { orders as orderCalls } from "@footprint/contract/orders.ts";
import { inArray, sql } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { createKey } from "../accounts/api-keys.ts";
import * as schema from "../db/schema.ts";
import { seededRandom } from "../demo/random.ts";
import { addCustomer, addFedexOrder, addInvoice, addLabelType, addOrder, someAddresses } from "../testing/builders.ts";
import { call, db, moveBusinessTo, setClock } from "../testing/server.ts";

const day = 86_400_000;
const reasons = ["", "Lost on the way", "Wrong weight"];

type Query = { from?: string; to?: string; againstFrom?: string; againstTo?: string };
const compare = async (query: Query = {}) => (await call("admin", dashboard.compare, { query })).body;
const trends = async () => (await call("admin", dashboard.trends)).body;
const attention = async () => (await call("admin", dashboard.attention)).body;

/**
 * Four months of trade, most of it around one moment: many rows within the hours in which a day begins or clocks
 * change.
 */
async function trade(around: string, seed: number) {
  const random = seededRandom(seed);
  const centre = Date.parse(around);
  const moment = () =>
    new Date(
      random.chance(0.5)
        ? centre + random.between(-72, 72) * 1_800_000 - random.between(0, 1)
        : centre - random.between(0, 120 * 24 * 60) * 60_000,
    );
  await db.transaction((tx) => createKey(tx, { name: "Corner shop" }));
  await db.transaction((tx) => createKey(tx, { name: "Web shop" }));
  const shopIds = [...(await db.select().from(schema.shops)).map(({ id }) => id), null];
  const labelTypes = [await addLabelType(), await addLabelType(), await addLabelType()];
  const customers: { id: string }[] = [];
  for (let made = 0; made < 15; made++) customers.push(await addCustomer({ createdAt: moment() }));
  const made = Array.from({ length: 400 }, () => {
    const createdAt = moment();
    const isRefunded = random.chance(0.15);
    return {
      customerId: random.pick(customers).id,
      labelTypeId: random.pick(labelTypes).id,
      shopId: random.pick(shopIds),
      priceCents: random.between(0, 3_000),
      weight: 1,
      fromCountry: "United States",
      toCountry: "United States",
      ...someAddresses,
      createdAt,
      refundedAt: isRefunded ? new Date(createdAt.getTime() + random.between(0, 20 * 24) * 3_600_000) : null,
    };
  });
  // Some orders are refunded later and some deleted, so that the triggers see every kind of change.
  const inserted = await db.insert(schema.orders).values(made.slice(0, 200)).returning();
  await db.insert(schema.orders).values(made.slice(200));
  const ids = inserted.map(({ id }) => id);
  const refundedAt = new Date(centre);
  await db
    .update(schema.orders)
    .set({ refundedAt })
    .where(inArray(schema.orders.id, ids.slice(0, 20)));
  await db
    .update(schema.orders)
    .set({ refundedAt: null })
    .where(inArray(schema.orders.id, ids.slice(20, 30)));
  await db.delete(schema.orders).where(inArray(schema.orders.id, ids.slice(30, 40)));
  for (let made = 0; made < 30; made++) {
    const customer = random.pick(customers);
    await addFedexOrder({ customer, price: random.between(1, 50), chargedAt: moment(), createdAt: moment() });
    const paymentMethod = random.pick(["cashapp", "paypal"] as const);
    await addInvoice({ customer, amount: random.between(1, 90), paymentMethod, status: "paid", paidAt: moment() });
  }
  const refunds = (await db.select().from(schema.orders)).filter((order) => order.refundedAt);
  await db.insert(schema.transfers).values(
    refunds.map((order, place) => ({
      customerId: order.customerId,
      kind: "refund" as const,
      reference: order.id,
      amountCents: order.priceCents,
      balanceAfterCents: 0,
      actor: "admin",
      number: 1_000 + place,
      receivedCents: 0,
      spentCents: 0,
      reason: random.pick(reasons),
      createdAt: order.refundedAt as Date,
    })),
  );
}

/** Recomputes everything from the rows by other means: JavaScript's calendar instead of the database's. */
async function byHand(timezone: string) {
  const calendar = new Intl.DateTimeFormat("en-CA", { timeZone: timezone, dateStyle: "short" });
  const [orders, customers, fedex, paid, refunds] = await Promise.all([
    db.select().from(schema.orders),
    db.select().from(schema.customers),
    db.select().from(schema.fedexOrders),
    db.select().from(schema.invoices),
    db.select().from(schema.transfers),
  ]);
  const joined = new Map(customers.map((customer) => [customer.id, customer.createdAt.getTime()]));
  const sum = (cents: number[]) => cents.reduce((all, each) => all + each, 0) / 100;
  return ({ from, to }: { from: string; to: string }) => {
    const isIn = (moment: Date | null) => {
      const at = moment ? calendar.format(moment) : "";
      return from <= at && at <= to;
    };
    const placed = orders.filter((order) => isIn(order.createdAt));
    const charged = fedex.filter((order) => isIn(order.chargedAt));
    const deposits = paid.filter((invoice) => isIn(invoice.paidAt));
    const sold = (some: typeof orders) => ({
      orders: some.length,
      revenue: sum(some.filter((order) => !order.refundedAt).map((order) => order.priceCents)),
    });
    const isNew = (order: (typeof orders)[number]) =>
      order.createdAt.getTime() < (joined.get(order.customerId) ?? 0) + 30 * day;
    const refunded = orders.filter((order) => isIn(order.refundedAt));
    const given = refunds.filter((transfer) => transfer.kind === "refund" && isIn(transfer.createdAt));
    const revenue = sold(placed).revenue + sum(charged.map((order) => order.priceCents ?? 0));
    return {
      orders: placed.length,
      users: customers.filter((customer) => isIn(customer.createdAt)).length,
      revenue: Math.round(revenue * 100) / 100,
      deposits: { count: deposits.length, amount: sum(deposits.map((invoice) => invoice.amountCents)) },
      refunds: { count: refunded.length, amount: sum(refunded.map((order) => order.priceCents)) },
      reasons: Object.fromEntries(
        reasons.map((reason) => [reason, given.filter((transfer) => transfer.reason === reason).length]),
      ),
      labelTypes: countBy(placed.map((order) => order.labelTypeId)),
      paymentMethods: countBy(deposits.map((invoice) => invoice.paymentMethod)),
      shops: Object.fromEntries(
        [...Map.groupBy(placed, (order) => order.shopId)].map(([shop, some]) => [shop, sold(some)]),
      ),
      newCustomers: sold(placed.filter(isNew)),
      returningCustomers: sold(placed.filter((order) => !isNew(order))),
      bought: Object.fromEntries(
        [...Map.groupBy(placed, (order) => order.customerId)].map(([customer, some]) => [customer, sold(some).revenue]),
      ),
    };
  };
}

const countBy = (kinds: string[]) =>
  Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, some]) => [kind, some.length]));

/** A reply in the form that the recomputation uses. */
function told(figures: SpanFigures) {
  const { orders, users, revenue, deposits, refunds, newCustomers, returningCustomers } = figures;
  return {
    ...{ orders, users, revenue, deposits, refunds, newCustomers, returningCustomers },
    reasons: {
      ...Object.fromEntries(reasons.map((reason) => [reason, 0])),
      ...Object.fromEntries(figures.reasons.most.map(({ reason, count }) => [reason, count])),
    },
    labelTypes: Object.fromEntries(figures.labelTypes.map(({ _id, count }) => [_id, count])),
    paymentMethods: Object.fromEntries(figures.paymentMethods.map(({ method, count }) => [method, count])),
    shops: Object.fromEntries(figures.shops.map(({ _id, orders, revenue }) => [_id, { orders, revenue }])),
  };
}

/** Each engine has its own timezone data; a few zones show whether it is used. */
const timezones = [
  ["America/New_York", "2026-03-08T07:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
  ["UTC", "2026-06-10T00:00:00Z"],
  ["America/New_York", "2026-11-01T06:00:00Z"],
  ["America/Sao_Paulo", "2018-11-04T03:00:00Z"],
  ["Pacific/Auckland", "2026-12-31T11:00:00Z"],
] as const;
test.for(timezones.slice(0, inject("embeddedDump") ? 2 : undefined))(
  "every figure is what the rows say in %s around %s",
  async ([timezone, around]) => {
    await moveBusinessTo(timezone);
    setClock(new Date(Date.parse(around) + day).toISOString());
    await trade(around, around.length + timezone.length);
    const hand = await byHand(timezone);
    const at = (days: number) => new Date(Date.parse(around) + days * day).toISOString().slice(0, 10);
    const month = at(0).slice(0, 7);
    const lastOf = (day: string) =>
      new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).toISOString().slice(0, 10);
    const spans: [string, string][] = [
      [at(0), at(0)],
      [at(-1), at(1)],
      [at(-6), at(0)],
      [at(-75), at(-3)],
      [`${month}-01`, lastOf(at(0))],
      [`${at(-70).slice(0, 7)}-01`, lastOf(at(-35))],
      [at(-200), at(200)],
    ];
    for (const settle of [sql`select`, sql`call fold_counters()`]) {
      await db.execute(settle);
      for (const [from, to] of spans) {
        const reply = await compare({ from, to, againstFrom: at(-40), againstTo: at(-10) });
        const { bought, ...expected } = hand({ from, to });
        expect(told(reply.span), `${from} to ${to}`).toEqual(expected);
        const { bought: _, ...before } = hand({ from: at(-40), to: at(-10) });
        expect(told(reply.against)).toEqual(before);
        if (reply.span.topCustomers === null) continue;
        const amounts = Object.values(bought).filter((amount) => amount > 0);
        expect(reply.span.topCustomers.map(({ amount }) => amount)).toEqual(amounts.sort((a, b) => b - a).slice(0, 10));
        for (const { _id, amount } of reply.span.topCustomers) expect(bought[_id]).toBe(amount);
      }
    }
    const month0 = await compare({ from: `${month}-01`, to: lastOf(at(0)) });
    expect(month0.span.topCustomers?.length).toBeGreaterThan(3);

    const { spans: compared, ...all } = await trends();
    const today = compared.today.span.to;
    for (const name of ["orders", "users", "revenue", "deposits"] as const) {
      const value = (from: string, to: string) => {
        const figure = hand({ from, to })[name];
        return typeof figure === "number" ? figure : figure.amount;
      };
      const { days, weeks, months, changes } = all[name];
      const daysAgo = (from: string, days: number) =>
        new Date(Date.parse(from) - days * day).toISOString().slice(0, 10);
      expect(days).toEqual(
        Array.from({ length: 30 }, (_, at) => daysAgo(today, 29 - at)).map((one) => value(one, one)),
      );
      const monday = daysAgo(today, (new Date(today).getUTCDay() + 6) % 7);
      expect(weeks).toEqual(
        Array.from({ length: 13 }, (_, at) => daysAgo(monday, 7 * (12 - at))).map((one) =>
          value(one, daysAgo(one, -6)),
        ),
      );
      const firsts = Array.from({ length: 13 }, (_, at) =>
        new Date(Date.UTC(Number(today.slice(0, 4)), Number(today.slice(5, 7)) - 13 + at, 1))
          .toISOString()
          .slice(0, 10),
      );
      expect(months).toEqual(firsts.map((first) => value(first, lastOf(first))));
      for (const period of ["today", "week", "month"] as const) {
        const { span, against } = compared[period];
        expect(changes[period]).toEqual({ value: value(span.from, span.to), before: value(against.from, against.to) });
      }
    }
    const { problems } = (await call("admin", dashboard.books)).body;
    expect(problems.filter((problem) => /counter|in the month of/.test(problem))).toEqual([]);
  },
);

test("periods are compared by their finished days, and a day that is not over with a whole one", async () => {
  const spansAt = async (clock: string) => {
    setClock(clock);
    const { spans } = await trends();
    return Object.values(spans).map(
      ({ span, against, isFinished }) =>
        `${span.from} ${span.to} against ${against.from} ${against.to}${isFinished ? "" : ", unfinished"}`,
    );
  };
  // A Thursday, at the end of a month longer than the previous one.
  expect(await spansAt("2026-12-31T15:00:00Z")).toEqual([
    "2026-12-31 2026-12-31 against 2026-12-30 2026-12-30, unfinished",
    "2026-12-28 2026-12-30 against 2026-12-21 2026-12-23",
    "2026-12-01 2026-12-30 against 2026-11-01 2026-11-30",
  ]);
  expect((await spansAt("2026-03-31T15:00:00Z"))[2]).toBe("2026-03-01 2026-03-30 against 2026-02-01 2026-02-28");
  // A Monday, and the first of a month.
  expect(await spansAt("2026-06-01T15:00:00Z")).toEqual([
    "2026-06-01 2026-06-01 against 2026-05-31 2026-05-31, unfinished",
    "2026-06-01 2026-06-01 against 2026-05-25 2026-05-25, unfinished",
    "2026-06-01 2026-06-01 against 2026-05-01 2026-05-01, unfinished",
  ]);
});

test("without dates this month is compared with as many days before it, and one end is enough for the other", async () => {
  setClock("2026-06-15T12:00:00Z");
  const days = async (query: Query) => {
    const { span, against } = await compare(query);
    return [span.from, span.to, against.from, against.to].map((day) => day.slice(5)).join(" ");
  };
  expect(await days({})).toBe("06-01 06-15 05-17 05-31");
  expect(await days({ to: "2026-05-10" })).toBe("05-01 05-10 04-21 04-30");
  expect(await days({ from: "2026-06-14", againstFrom: "2026-01-01" })).toBe("06-14 06-15 01-01 01-02");
  expect(await days({ from: "2026-06-14", againstTo: "2026-01-02" })).toBe("06-14 06-15 01-01 01-02");
  for (const query of [
    { from: "2026-06-15", to: "2026-06-14" },
    { againstFrom: "2026-06-15", againstTo: "2026-06-14" },
    { from: "1999-12-31" },
    { to: "3000-01-01" },
  ])
    expect((await call("admin", dashboard.compare, { query })).status, JSON.stringify(query)).toBe(400);
});

test("the average price is that of orders that were not refunded, and unknown where there are none", async () => {
  expect((await compare()).span.averagePrice).toBe(null);
  await addOrder({ price: 10 });
  await addOrder({ price: 5.01 });
  const { id } = await addOrder({ price: 99 });
  await call("staff", orderCalls.refund, { params: { id }, body: { reason: "Lost" } });
  const { span } = await compare();
  expect(span).toMatchObject({ orders: 3, revenue: 15.01, averagePrice: 7.51, refunds: { count: 1, amount: 99 } });
  expect(span.reasons).toEqual({
    of: 1,
    most: [{ reason: "Lost", count: 1, amount: 99 }],
    others: { count: 0, amount: 0 },
  });
});

test("the best customers are listed for a month, whole or up to today, and for no other span", async () => {
  setClock("2026-06-15T12:00:00Z");
  const [maren, tobias] = [await addCustomer({ username: "maren" }), await addCustomer({ username: "tobias" })];
  const at = (day: string) => new Date(`2026-${day}T12:00:00Z`);
  await addOrder({ customer: maren, price: 5, createdAt: at("06-01") });
  await addOrder({ customer: tobias, price: 7, createdAt: at("06-02") });
  const { id } = await addOrder({ customer: maren, price: 3, createdAt: at("06-15") });
  await addOrder({ customer: maren, price: 100, createdAt: at("05-31") });
  const top = async (from: string, to: string) =>
    (await compare({ from: `2026-${from}`, to: `2026-${to}` })).span.topCustomers?.map(
      ({ username, orders, amount }) => `${username} ${orders} ${amount}`,
    ) ?? null;
  expect(await top("06-01", "06-30")).toEqual(["maren 2 8", "tobias 1 7"]);
  expect(await top("05-01", "05-31")).toEqual(["maren 1 100"]);
  await call("staff", orderCalls.refund, { params: { id }, body: {} });
  expect(await top("06-01", "06-15")).toEqual(["tobias 1 7", "maren 1 5"]);
  for (const [from, to] of [
    ["06-01", "06-14"],
    ["06-02", "06-30"],
    ["05-01", "06-30"],
  ] as const)
    expect(await top(from, to), `${from} to ${to}`).toBe(null);
});

test("the books notice a month of a customer's that is not what their orders come to", async () => {
  setClock("2026-06-15T12:00:00Z");
  const customer = await addCustomer({ username: "maren" });
  await addOrder({ customer, price: 5, createdAt: new Date("2026-06-01T12:00:00Z") });
  await db.execute(sql`update customer_months set orders = 2`);
  const { problems } = (await call("admin", dashboard.books)).body;
  expect(problems).toEqual([
    "The orders of maren in the month of 2026-06-01 are kept as 2 worth $5.00, but there are 1 worth $5.00",
  ]);
});

test("whoever asks after a change sees it, however many ask the same at that moment", async () => {
  for (let waiting = 1; waiting <= 15; waiting++) {
    const others = Array.from({ length: 6 }, attention);
    await addInvoice();
    expect((await attention()).invoices.count).toBe(waiting);
    expect(new Set((await Promise.all(others)).map(({ invoices }) => waiting - invoices.count))).not.toContain(2);
  }
});

test('"Needs attention" says since when things wait', async () => {
  expect(await attention()).toEqual({
    newUsers: { count: 0, oldest: null },
    fedexOrders: { count: 0, oldest: null },
    invoices: { count: 0, oldest: null, amount: 0 },
    codes: [],
    priceGaps: [],
    failedPrices: [],
    unusual: 0,
    approvals: { count: 0, oldest: null },
    webhooks: [],
    reversedPayments: null,
    paymentHandle: null,
    backup: null,
    books: null,
  });
  const old = new Date("2026-06-01T12:00:00Z");
  const customer = await addCustomer({ verifiedAt: null, createdAt: old });
  await addCustomer({ verifiedAt: null });
  await addCustomer({ verifiedAt: null, active: false });
  await addFedexOrder({ customer, createdAt: old });
  await addFedexOrder({ customer, status: "Completed" });
  await addInvoice({ customer, amount: 12.5, createdAt: old });
  const { id } = await addInvoice({ customer, amount: 30 });
  await call("staff", invoices.markPaid, { params: { id } });
  await addInvoice({ customer, amount: 7 });
  await call("admin", dashboard.books);
  expect(await attention()).toEqual({
    newUsers: { count: 2, oldest: old.toISOString() },
    fedexOrders: { count: 1, oldest: old.toISOString() },
    invoices: { count: 2, oldest: old.toISOString(), amount: 19.5 },
    codes: [],
    priceGaps: [],
    failedPrices: [],
    unusual: 0,
    approvals: { count: 0, oldest: null },
    webhooks: [],
    reversedPayments: null,
    paymentHandle: null,
    backup: null,
    books: { balanced: true, checkedAt: expect.any(String), problems: 0 },
  });
  await db.update(schema.customers).set({ balanceCents: 1 });
  await call("admin", dashboard.books);
  expect((await attention()).books).toMatchObject({ balanced: false, problems: 3 });
});

test("label types that are sold and leave a weight without a price are named", async () => {
  const sold = { maxWeight: 10 };
  await addLabelType({
    name: "Whole",
    ...sold,
    tiers: [
      [0, 4, 1],
      [4, 10, 2],
    ],
  });
  await addLabelType({ name: "Not begun", ...sold });
  await addLabelType({
    name: "Hole",
    ...sold,
    tiers: [
      [0, 4, 1],
      [5, 10, 2],
    ],
  });
  await addLabelType({ name: "Too short", ...sold, tiers: [[0, 9.999, 1]] });
  await addLabelType({
    name: "Longer than before",
    ...sold,
    tiers: [
      [0, 10, 1],
      [10, 20, 2],
    ],
  });
  await addLabelType({
    name: "Hole, but longer",
    ...sold,
    tiers: [
      [1, 10, 1],
      [10, 20, 2],
    ],
  });
  await addLabelType({ name: "Not sold", ...sold, active: false });
  expect((await attention()).priceGaps.map(({ name }) => name)).toEqual([
    "Hole",
    "Hole, but longer",
    "Not begun",
    "Too short",
  ]);
});

test("codes that are low are named, those that run out first before others", async () => {
  await addLabelType({ name: "Priority", codes: "priority", tiers: [[0, 70, 1]] });
  await addLabelType({ name: "Express", codes: "express", tiers: [[0, 70, 1]] });
  const prepaid = (type: "priority" | "express", amount: number) =>
    Array.from({ length: amount }, (_, place) => ({ type, template: "evs" as const, code: `${type}${place}` }));
  await db.insert(schema.trackingCodes).values([...prepaid("priority", 150), ...prepaid("express", 3)]);
  expect((await attention()).codes).toEqual([{ type: "express", left: 3, days: null }]);
  const used = prepaid("priority", 40).map((code) => ({ ...code, code: `used ${code.code}`, usedAt: new Date() }));
  await db.insert(schema.trackingCodes).values(used);
  expect((await attention()).codes).toEqual([
    { type: "express", left: 3, days: null },
    { type: "priority", left: 150, days: expect.any(Number) },
  ]);
});
