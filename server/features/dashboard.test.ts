import { dashboard } from "@footprint/contract/dashboard.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { transfers as reversals } from "@footprint/contract/transfers.ts";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { customers, invoices as invoiceTable, settings, trackingCodes, transfers } from "../db/schema.ts";
import { checkBooksHourly } from "../money/books.ts";
import { addCustomer, addInvoice, addLabelType, addOrder } from "../testing/builders.ts";
import { call, db, moveBusinessTo, setClock } from "../testing/server.ts";

const read = async <K extends keyof typeof dashboard>(name: K) => (await call("admin", dashboard[name])).body;

test("an empty business answers zero everywhere", async () => {
  expect(await read("orders")).toEqual({
    allTimeOrdersCount: 0,
    todayOrdersCount: 0,
    thisWeekOrdersCount: 0,
    thisMonthOrdersCount: 0,
  });
  expect(await read("users")).toEqual({
    allTimeUsersCount: 0,
    todayOrdersCount: 0,
    todayUsersCount: 0,
    thisWeekUsersCount: 0,
    thisMonthUsersCount: 0,
  });
  expect(await read("revenue")).toEqual({
    allTimeRevenue: 0,
    todayRevenue: 0,
    thisWeekRevenue: 0,
    thisMonthRevenue: 0,
  });
  expect(await read("deposits")).toEqual({
    allTimeInvoicesAmount: { allTimeInvoicesAmount: 0, cashApp: 0, paypal: 0 },
    todayInvoicesAmount: { todayInvoicesAmount: 0, cashApp: 0, paypal: 0 },
    thisWeekInvoicesAmount: { thisWeekInvoicesAmount: 0, cashApp: 0, paypal: 0 },
    thisMonthInvoicesAmount: { thisMonthInvoicesAmount: 0, cashApp: 0, paypal: 0 },
  });
  expect((await read("graph")).data).toEqual(Array(30).fill(0));
});

/** One order at each of these moments. */
async function ordersAt(...moments: string[]) {
  const customer = await addCustomer({ createdAt: new Date("2020-01-01") });
  const labelType = await addLabelType();
  for (const moment of moments) await addOrder({ customer, labelType, price: 1, createdAt: new Date(moment) });
}

const counts = async () => {
  const stats = await read("orders");
  return [stats.todayOrdersCount, stats.thisWeekOrdersCount, stats.thisMonthOrdersCount, stats.allTimeOrdersCount];
};

test("today, this week from Monday and this month are calendar periods", async () => {
  // 2026-04-01 is a Wednesday: its week began in March.
  setClock("2026-04-01T15:00:00Z");
  await ordersAt("2026-04-01T00:00:00Z", "2026-03-31T23:59:59Z", "2026-03-30T00:00:00Z", "2026-03-29T23:59:59Z");
  expect(await counts()).toEqual([1, 3, 1, 4]);
});

test("the days are those of the business timezone, across daylight saving", async () => {
  await moveBusinessTo("America/New_York");
  // Clocks go forward on 2026-03-08: that Sunday has 23 hours, from 05:00Z to 04:00Z.
  setClock("2026-03-09T03:30:00Z");
  await ordersAt("2026-03-08T04:59:59Z", "2026-03-08T05:00:00Z", "2026-03-09T03:59:59Z", "2026-03-09T04:00:00Z");
  expect((await read("orders")).todayOrdersCount).toBe(2);
  setClock("2026-03-09T04:30:00Z");
  expect((await read("orders")).todayOrdersCount).toBe(1);
});

test("the days are those of the business timezone, across the year's end", async () => {
  await moveBusinessTo("Pacific/Auckland");
  // 2027 begins in Auckland at 11:00Z on December 31; it is a Friday.
  setClock("2026-12-31T11:30:00Z");
  await ordersAt("2026-12-31T10:59:59Z", "2026-12-31T11:00:00Z");
  expect(await counts()).toEqual([1, 2, 1, 2]);
  const { labels, data } = await read("graph");
  expect([labels.at(-1), labels.at(-2), labels[0]]).toEqual(["2027-01-01", "2026-12-31", "2026-12-03"]);
  expect(data.slice(-2)).toEqual([1, 1]);
});

test("a business that moves to another timezone has its days counted anew", async () => {
  setClock("2026-06-15T12:00:00Z");
  await ordersAt("2026-06-14T20:00:00Z", "2026-06-15T02:00:00Z");
  expect((await read("orders")).todayOrdersCount).toBe(1);
  await moveBusinessTo("Asia/Tokyo");
  expect((await read("orders")).todayOrdersCount).toBe(2);
  expect((await read("books")).problems).toEqual([]);
});

test("revenue leaves refunded orders out, and the count keeps them", async () => {
  await addOrder({ price: 10.1 });
  const refunded = await addOrder({ price: 20.2 });
  expect(await read("revenue")).toMatchObject({ allTimeRevenue: 30.3, todayRevenue: 30.3 });
  await call("staff", orders.refund, { params: { id: refunded.id } });
  expect(await read("revenue")).toEqual({
    allTimeRevenue: 10.1,
    todayRevenue: 10.1,
    thisWeekRevenue: 10.1,
    thisMonthRevenue: 10.1,
  });
  expect((await read("orders")).allTimeOrdersCount).toBe(2);
});

test("deposits are paid invoices by the time they were paid, and by payment method", async () => {
  const old = new Date("2025-01-01");
  const cashapp = await addInvoice({ amount: 10.5, createdAt: old });
  const paypal = await addInvoice({ amount: 5.25, paymentMethod: "paypal", createdAt: old });
  await addInvoice({ amount: 99 });
  for (const { id } of [cashapp, paypal]) await call("staff", invoices.markPaid, { params: { id } });
  expect(await read("deposits")).toMatchObject({
    allTimeInvoicesAmount: { allTimeInvoicesAmount: 15.75, cashApp: 10.5, paypal: 5.25 },
    todayInvoicesAmount: { todayInvoicesAmount: 15.75, cashApp: 10.5, paypal: 5.25 },
  });
});

test("sums may be larger than any amount", async () => {
  const labelType = await addLabelType();
  for (let orders = 0; orders < 3; orders++) await addOrder({ labelType, price: 9_000_000_000.01 });
  for (let paid = 0; paid < 3; paid++) {
    const { id } = await addInvoice({ amount: 9_000_000_000.01 });
    await call("staff", invoices.markPaid, { params: { id } });
  }
  expect((await read("revenue")).allTimeRevenue).toBe(27_000_000_000.03);
  expect((await read("charts")).revenue.data.at(-1)).toBe(27_000_000_000.03);
  expect((await read("deposits")).todayInvoicesAmount).toEqual({
    todayInvoicesAmount: 27_000_000_000.03,
    cashApp: 27_000_000_000.03,
    paypal: 0,
  });
});

test("users are counted by the day they joined", async () => {
  await addCustomer();
  await addCustomer({ createdAt: new Date("2020-01-01"), verifiedAt: null });
  expect(await read("users")).toMatchObject({ allTimeUsersCount: 2, todayOrdersCount: 1, todayUsersCount: 1 });
});

test("the charts cover the chosen days", async () => {
  setClock("2026-06-15T12:00:00Z");
  const usps = await addLabelType({ name: "USPS Priority" });
  const ship = await addLabelType({ name: "ShipV2 Express" });
  const on = (day: string) => new Date(`${day}T12:00:00Z`);
  await addOrder({ labelType: usps, price: 3, createdAt: on("2026-06-15") });
  await addOrder({ labelType: usps, price: 4, createdAt: on("2026-06-09") });
  await addOrder({ labelType: ship, price: 5, createdAt: on("2026-06-08") });
  const { body: week } = await call("admin", dashboard.charts, { query: { days: "7" } });
  expect(week).toEqual({
    revenue: {
      labels: ["2026-06-09", "2026-06-10", "2026-06-11", "2026-06-12", "2026-06-13", "2026-06-14", "2026-06-15"],
      data: [4, 0, 0, 0, 0, 0, 3],
    },
    orders: { labels: week.revenue.labels, data: [1, 0, 0, 0, 0, 0, 1] },
    labelTypes: [{ _id: usps.id, labelType: "USPS Priority", count: 2 }],
    paymentGateways: [],
  });
  const { body: month } = await call("admin", dashboard.charts);
  expect(month.revenue.data).toHaveLength(30);
  expect(month.labelTypes).toContainEqual({ _id: ship.id, labelType: "ShipV2 Express", count: 1 });
  expect((await call("admin", dashboard.charts, { query: { days: "8" as never } })).status).toBe(400);
});

test("the books balance after trade, and name what was tampered with", async () => {
  const customer = await addCustomer({ username: "maren", balance: 50 });
  const order = await addOrder({ customer, price: 8 });
  const invoice = await addInvoice({ customer, amount: 20 });
  await call("staff", orders.refund, { params: { id: order.id } });
  await call("staff", invoices.markPaid, { params: { id: invoice.id } });
  expect(await read("books")).toEqual({ balanced: true, checkedAt: expect.any(String), problems: [] });

  await db.update(customers).set({ balanceCents: 1 }).where(eq(customers.id, customer.id));
  expect(await read("books")).toMatchObject({
    balanced: false,
    problems: ["maren has a balance of $0.01, but their transfers add up to $78.00"],
  });
});

test.for([
  [
    "a balance that no list shows",
    sql`do $$ begin set local session_replication_role = replica; update customers set has_balance = false; end $$`,
    /^.* is among those without a balance, which is not so$/,
  ],
  [
    "a code of a batch that nobody registered",
    sql`insert into tracking_codes (id, code, type, template, batch_id)
      values (gen_random_uuid(), '9400111206200000000008', 'priority', 'evs', gen_random_uuid())`,
    /^The prepaid code 9400111206200000000008 is not of the codes, the moment or the template of its batch$/,
  ],
  [
    "a code with another template than its batch",
    sql`with batch as (
        insert into code_batches (id, type, template, first, last, amount)
        values (gen_random_uuid(), 'priority', 'evs', '9400111206200000000008', '9400111206200000000008', 1) returning id)
      insert into tracking_codes (id, code, type, template, batch_id)
      select gen_random_uuid(), '9400111206200000000008', 'priority', 'indica', id from batch`,
    /^The prepaid code 9400111206200000000008 is not of the codes, the moment or the template of its batch$/,
  ],
  [
    "a lost refund",
    sql`delete from transfers where kind = 'refund'`,
    /^Order .* was refunded with nothing, but \$8.00 is right$/,
  ],
  [
    "a lost deposit",
    sql`update transfers set amount_cents = 1 where kind = 'deposit'`,
    /^Invoice .* with \$0.01, but \$20.00 is right$/,
  ],
  [
    "a lost purchase",
    sql`delete from transfers where kind = 'purchase'`,
    /^Order .* was paid for with nothing, but \$8.00 is right$/,
  ],
  ["a wrong price", sql`update orders set price_cents = 900`, /was refunded with \$8.00, but \$9.00 is right$/],
  [
    "a deposit that was taken back, and the invoice still paid",
    sql`update transfers set reversed_by = id where kind = 'deposit' and reversed_by is null`,
    /^Invoice .* was credited with nothing, but \$20.00 is right$/,
  ],
  [
    "a deposit that stands, and the invoice reversed",
    sql`update invoices set status = 'reversed', paid_at = null where status = 'paid'`,
    /^Invoice .* was credited with \$20.00, but nothing is right$/,
  ],
  [
    "a reversed invoice without a deposit",
    sql`update transfers set reference = gen_random_uuid() where reversed_by is not null`,
    /^Invoice .* is reversed, but no deposit of it was$/,
  ],
  [
    "a reversal of another amount",
    sql`update transfers set amount_cents = -1 where kind = 'reversal'`,
    /^Transfer .* was reversed with -\$0.01, but -\$7.00 is right$/,
  ],
  [
    "a reversal at the cost of another customer",
    sql`update transfers set customer_id = (select customer_id from transfers where kind = 'refund'), number = 99
        where kind = 'reversal'`,
    /^Transfer .* was reversed with -\$7.00, but -\$7.00 is right$/,
  ],
  [
    "a reversal that the transfer knows nothing of",
    sql`update transfers set reversed_by = null where reversed_by is not null and kind = 'deposit'`,
    /^Transfer .* was reversed with -\$7.00, but nothing is right$/,
  ],
  [
    "a hole in the numbers of a customer's transfers",
    sql`update transfers set number = number + 1 where kind = 'refund'`,
    /^Transfer number 4 of .* should have the number 3$/,
  ],
  [
    "totals that do not follow from one transfer to the next",
    sql`update transfers set received_cents = received_cents + 1 where kind = 'refund'`,
    /^Transfer number 3 of .* does not say what .* had received and spent by then$/,
  ],
  ...["transfers", "orders", "deposits", "refunds", "received", "spent", "deposited", "refunded"].map(
    (total) =>
      [
        `a customer's total of ${total}`,
        sql.raw(`update customers set ${total}${/ed$|spent/.test(total) ? "_cents" : ""} = 77`),
        new RegExp(`^.* has (77|\\$0.77) ${total} in all, but their rows add up to \\$?[0-9.]+$`),
      ] as const,
  ),
  [
    "a wrong counter",
    sql`update counters set count = count + 1 where subject = 'orders'`,
    /^The counter of orders \(Refunded\) on .* says 2 worth \$8.00, but there are 1 worth \$8.00$/,
  ],
  [
    "a lost counter",
    sql`delete from counters where subject = 'deposits'`,
    /^The counter of deposits \(cashapp\) on .* says 0 worth \$0.00, but there are 1 worth \$20.00$/,
  ],
  [
    "a month that is not the sum of its days",
    sql`insert into settled_months values ('orders', 'Active', '2024-03-01', 5, 0)`,
    /^The counter of orders \(Active\) in the month of 2024-03-01 says 5, but its days add up to 0$/,
  ],
  [
    "a used code that no order carries",
    sql`update tracking_codes set used_at = now() where used_at is null`,
    /^The prepaid code 9400000000000000000024 is marked as used, but no order carries it$/,
  ],
  [
    "an unused code that an order carries",
    sql`update tracking_codes set used_at = null`,
    /^The prepaid code 9400000000000000000017 is marked as unused, but 1 order carries it$/,
  ],
  [
    "a code on two orders",
    sql`update orders set tracking = '9400000000000000000017'`,
    /^The prepaid code 9400000000000000000017 is good for 1 order, but 2 orders carry it$/,
  ],
  [
    "an unused code that an order carries behind a zip code",
    sql`update orders set tracking = '420 78701 9400000000000000000024' where tracking = ''`,
    /^The prepaid code 9400000000000000000024 is marked as unused, but 1 order carries it$/,
  ],
] as const)("the books notice %s", async ([, tampering, problem]) => {
  const order = await addOrder({ price: 8, tracking: "9400000000000000000017" });
  await addOrder({ price: 3 });
  const prepaid = { type: "priority", template: "evs" } as const;
  await db.insert(trackingCodes).values([
    { ...prepaid, code: "9400000000000000000017", usedAt: new Date() },
    { ...prepaid, code: "9400000000000000000024" },
  ]);
  const invoice = await addInvoice({ amount: 20 });
  await call("staff", orders.refund, { params: { id: order.id } });
  await call("staff", invoices.markPaid, { params: { id: invoice.id } });
  const undone = await addInvoice({ amount: 7, customer: { id: invoice.customerId } });
  await call("staff", invoices.markPaid, { params: { id: undone.id } });
  const [deposit] = await db.select().from(transfers).where(eq(transfers.reference, undone.id));
  await call("staff", reversals.reverse, { params: { id: deposit?.id ?? "" }, body: {} });
  expect((await read("books")).problems).toEqual([]);
  await db.execute(tampering);
  const { balanced, problems } = await read("books");
  expect(balanced).toBe(false);
  expect(problems).toContainEqual(expect.stringMatching(problem));
});

test("the sum of all balances is that of the last check, shown with its findings", async () => {
  const customer = await addCustomer({ username: "maren", balance: 12.5 });
  await addCustomer({ balance: 30 });
  // The first request makes the check, if there was none.
  const first = await read("owed");
  expect(first).toEqual({ owed: 42.5, balanced: true, checkedAt: expect.any(String), problems: [] });
  await db.update(customers).set({ balanceCents: 1 }).where(eq(customers.id, customer.id));
  expect(await read("owed")).toEqual(first);
  const { checkedAt, problems } = await read("books");
  expect(await read("owed")).toEqual({ owed: 30.01, balanced: false, checkedAt, problems });
});

test("servers that check the books by themselves do it once in an hour of the clock", async () => {
  await addCustomer({ balance: 5 });
  const owed = async () => (await db.select().from(settings)).map(({ owedCents }) => owedCents)[0];
  await Promise.all([checkBooksHourly(db), checkBooksHourly(db)]);
  expect(await owed()).toBe(500);
  await addCustomer({ balance: 5 });
  await checkBooksHourly(db);
  expect(await owed()).toBe(500);
  await db.update(settings).set({ booksBegunAt: sql`date_trunc('hour', now()) - interval '1 second'` });
  await checkBooksHourly(db);
  expect(await owed()).toBe(1000);
});

test("the books name a prepaid code on several orders, also when it was deleted", async () => {
  const plain = "9400000000000000000017";
  for (const tracking of [plain, "9400 0000 0000 0000 0000 17", `42078701${plain}`, `420 78701-1234 ${plain}`])
    await addOrder({ tracking });
  expect((await read("books")).problems).toEqual([`The code ${plain} is on 4 orders`]);
});

test("the books do not mind a used code that was deleted, or tracking that a shop sent twice", async () => {
  await addOrder({ tracking: "9400000000000000000017" });
  for (const tracking of ["1Z999", "1Z999", "", ""]) await addOrder({ tracking });
  expect((await read("books")).problems).toEqual([]);
});

test("the database itself refuses what must never be", async () => {
  const customer = await addCustomer({ balance: 1 });
  const invoice = await addInvoice({ customer });
  const order = await addOrder({ customer });
  await call("staff", orders.refund, { params: { id: order.id } });
  const refused = async (change: Promise<unknown>, constraint: string) =>
    expect(await change.catch((error) => error.cause?.constraint)).toBe(constraint);
  await refused(db.update(customers).set({ balanceCents: -1 }).execute(), "customers_balance_in_range");
  await refused(
    db.update(invoiceTable).set({ status: "paid" }).where(eq(invoiceTable.id, invoice.id)).execute(),
    "invoices_paid_at",
  );
  const [refund] = await db.select().from(transfers).where(eq(transfers.kind, "refund"));
  if (!refund) throw new Error("no refund");
  const { id: _, ...again } = { ...refund, number: 99 };
  await refused(db.insert(transfers).values(again).execute(), "transfers_standing");
});
