import { invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { mostTold, summaries } from "@footprint/contract/summaries.ts";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import * as schema from "../db/schema.ts";
import { seededRandom } from "../demo/random.ts";
import { daysUntil, today } from "../lists/counters.ts";
import { keepSummaries } from "../money/summaries.ts";
import { addCustomer, addFedexOrder, addInvoice, addLabelType, addOrder } from "../testing/builders.ts";
import { addPast, type Past } from "../testing/ledger.ts";
import { addAccount, call, db, moveBusinessTo, setClock } from "../testing/server.ts";
import { addBalance, refund } from "../testing/transfers.ts";

const read = async (day: string) => (await call("admin", summaries.read, { params: { day } })).body;
const hour = 3_600_000;
const now = () => today({ timezone: "UTC" }, new Date());

test("a day tells what was sold, paid, refunded, credited and repriced, and by whom", async () => {
  const customer = await addCustomer({ balance: 100 });
  const kept = await addOrder({ customer, price: 12.5 });
  const returned = await addOrder({ customer, price: 7.25 });
  await refund(returned, "Label was void", "staff");
  const { id } = await addInvoice({ customer, amount: 40, paymentMethod: "paypal" });
  await call("staff", invoices.markPaid, { params: { id }, body: {} });
  await addBalance(customer, 30, "Sorry", "admin");
  const labelType = await addLabelType();
  await call("admin", labelTypes.addTier, {
    params: { id: labelType.id },
    body: { fromWeight: 0, toWeight: 1, price: 3 },
  });
  await addCustomer({ verifiedAt: null });
  expect(kept.priceCents).toBe(1250);

  const { summary, isOver, keptAt } = await read(now());
  expect([isOver, keptAt]).toEqual([false, null]);
  expect(summary).toMatchObject({
    orders: 2,
    revenue: 12.5,
    newCustomers: 2,
    deposits: { count: 1, total: 40, cashapp: 0, paypal: 40 },
    refunds: { count: 1, total: 7.25, reasons: [{ reason: "Label was void", count: 1, total: 7.25 }] },
    credits: [
      { account: { username: "staff" }, count: 1, total: 40 },
      { account: { username: "admin" }, count: 1, total: 30 },
    ],
    priceChanges: { count: 1, first: [{ by: "admin" }] },
    closing: { newUsers: 1, fedexOrders: 0, invoices: 0, codes: { priority: 0, express: 0 } },
  });
});

test("when a day is over, what it came to is kept once, and what happens later does not change it", async () => {
  const yesterday = daysUntil(now(), 2)[0] ?? "";
  const order = await addOrder({ price: 20, createdAt: new Date(`${yesterday}T12:00:00Z`) });
  await addCustomer({ verifiedAt: null, createdAt: new Date(`${yesterday}T23:59:59Z`) });
  // A customer who joins after the day's end did not wait at its end.
  await addCustomer({ verifiedAt: null });
  const midnight = Date.parse(now());
  await keepSummaries(db, new Date(midnight + 60_000));
  expect(await db.$count(schema.daySummaries, eq(schema.daySummaries.day, yesterday))).toBe(0);
  const late = new Date(midnight + 3 * 60_000);
  await Promise.all([keepSummaries(db, late), keepSummaries(db, late)]);
  await keepSummaries(db, new Date(midnight + hour));
  await refund(order);
  const { keptAt, isOver, summary } = await read(yesterday);
  expect([typeof keptAt, isOver]).toEqual(["string", true]);
  expect(summary).toMatchObject({ orders: 1, revenue: 20, refunds: { count: 0 }, closing: { newUsers: 1 } });
  const { body } = await call("admin", summaries.list);
  expect(body.summaries).toHaveLength(14);
  expect(body.summaries[0]).toEqual({ day: yesterday, isKept: true, orders: 1, revenue: 20, deposits: 0 });
});

test("days without any server are made up for, but nobody knows what waited when they ended", async () => {
  await keepSummaries(db, new Date("2026-05-02T00:05:00Z"));
  await keepSummaries(db, new Date("2026-05-05T09:00:00Z"));
  const kept = await db.select().from(schema.daySummaries).orderBy(schema.daySummaries.day);
  expect(kept.map(({ day, summary }) => [day, summary.closing !== null])).toEqual([
    ["2026-05-01", true],
    ["2026-05-02", false],
    ["2026-05-03", false],
    ["2026-05-04", false],
  ]);
});

test("a day that has not begun is unknown, and days are listed as far as there are any", async () => {
  setClock("2026-06-15T12:00:00Z");
  const { status, body } = await call("admin", summaries.read, { params: { day: "2026-06-16" } });
  expect([status, body.message]).toEqual([404, "This day has not begun"]);
  const listed = async (query: object) =>
    (await call("admin", summaries.list, { query })).body.summaries.map(({ day }) => day);
  expect(await listed({ from: "2026-06-14", to: "2026-06-20" })).toEqual(["2026-06-15", "2026-06-14"]);
  expect(await listed({ from: "2027-01-01" })).toEqual([]);
  expect(await listed({ from: "0001-01-01", to: "0001-01-02" })).toEqual(["0001-01-02", "0001-01-01"]);
});

const zones = ["America/New_York", "America/Havana", "Europe/London", "Pacific/Auckland", "Asia/Kolkata"];
const days = ["2025-03-08", "2025-03-09", "2025-03-10", "2025-03-30", "2025-04-06", "2025-11-01", "2025-11-02"];

test.for(zones)("%s: every figure of a day is what its rows come to, also when clocks change", async (timezone) => {
  await moveBusinessTo(timezone);
  const { pick, chance, between } = seededRandom(zones.indexOf(timezone) + 5);
  const moment = () => new Date(Date.parse(`${pick(days)}T00:00:00Z`) + between(-12, 36) * hour + pick([-1, 0, 1]));
  const colleagues = [await addAccount("maren", "staff"), await addAccount("tobias", "staff")];
  const labelType = await addLabelType();
  for (let number = 0; number < 5; number++) {
    const customer = await addCustomer({ createdAt: moment(), verifiedAt: chance(0.5) ? new Date() : null });
    for (let step = 0; step < 12; step++) {
      await addOrder({ customer, labelType, price: between(1, 90), createdAt: moment() });
      const paidAt = chance(0.6) ? moment() : null;
      const paymentMethod = pick(["cashapp", "paypal"] as const);
      const status = paidAt ? "paid" : "pending";
      await addInvoice({ customer, amount: between(1, 90), createdAt: moment(), paymentMethod, status, paidAt });
      await addFedexOrder({ customer, price: between(1, 90), chargedAt: chance(0.5) ? moment() : null });
    }
    const past = Array.from({ length: 40 }, (): Past => {
      const by = pick(colleagues);
      const reason = pick(["", ...Array.from({ length: 16 }, (_, place) => `Reason ${place}`)]);
      return { at: moment(), kind: pick(["refund", "adjustment", "deposit"]), amount: between(1, 90), by, reason };
    });
    await addPast(customer, past);
  }
  await db.update(schema.orders).set({ refundedAt: new Date() }).where(sql`price_cents % 3 = 0`);
  await db.insert(schema.logs).values(
    Array.from({ length: 60 }, () => ({
      admin: "maren",
      type: pick(["pricing", "label"] as const),
      action: pick(["Added a price", "Deleted a price"]),
      createdAt: moment(),
    })),
  );
  await db.execute(sql`call fold_counters()`);

  for (const day of days) expect((await read(day)).summary, day).toEqual(await bruteForce(timezone, day));
});

type Moment = { [name: string]: unknown };

async function bruteForce(timezone: string, day: string) {
  const ofDay = <Row extends Moment>(rows: Row[], at: keyof Row = "createdAt") =>
    rows.filter((row) => row[at] instanceof Date && today({ timezone }, row[at]) === day);
  const cents = (amounts: number[]) => amounts.reduce((a, b) => a + b, 0) / 100;
  const sum = <Row>(rows: Row[], of: (row: Row) => number) => ({ count: rows.length, total: cents(rows.map(of)) });
  const orders = ofDay(await db.select().from(schema.orders));
  const charges = ofDay(await db.select().from(schema.fedexOrders), "chargedAt");
  const paid = ofDay(await db.select().from(schema.invoices), "paidAt");
  const moved = ofDay(await db.select().from(schema.transfers));
  const repriced = ofDay(await db.select().from(schema.logs)).filter(({ type }) => type === "pricing");
  const fedexCharges = sum(charges, ({ priceCents }) => priceCents ?? 0);
  const sold = orders.filter(({ refundedAt }) => refundedAt === null);
  const amount = (row: { amountCents: number }) => row.amountCents;
  const refunds = moved.filter(({ kind }) => kind === "refund");
  const reasons = [...Map.groupBy(refunds, ({ reason }) => reason)]
    .map(([reason, rows]) => ({ reason, ...sum(rows, amount) }))
    .sort((a, b) => b.total - a.total || (a.reason < b.reason ? -1 : 1));
  const others = reasons.slice(mostTold);
  const given = moved.filter(
    ({ actorKind, kind }) => actorKind === "account" && (kind === "deposit" || kind === "adjustment"),
  );
  const credits = [...Map.groupBy(given, ({ actorId }) => actorId)].map(([_id, rows]) => ({
    account: { _id, username: rows[0]?.actor },
    ...sum(rows, amount),
  }));
  return {
    orders: orders.length,
    revenue: cents([...sold.map(({ priceCents }) => priceCents), fedexCharges.total * 100]),
    fedexCharges,
    newCustomers: ofDay(await db.select().from(schema.customers)).length,
    deposits: {
      ...sum(paid, amount),
      cashapp: sum(
        paid.filter(({ paymentMethod }) => paymentMethod === "cashapp"),
        amount,
      ).total,
      paypal: sum(
        paid.filter(({ paymentMethod }) => paymentMethod === "paypal"),
        amount,
      ).total,
    },
    refunds: {
      ...sum(refunds, amount),
      reasons: reasons.slice(0, mostTold),
      others: {
        count: others.reduce((all, { count }) => all + count, 0),
        total: others.reduce((all, { total }) => all + total, 0),
      },
    },
    credits: credits.sort(
      (a, b) => b.total - a.total || ((a.account.username ?? "") < (b.account.username ?? "") ? -1 : 1),
    ),
    priceChanges: {
      count: repriced.length,
      first: repriced
        .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1))
        .slice(0, mostTold)
        .map(({ id, admin, action, createdAt }) => ({
          _id: id,
          by: admin,
          action,
          createdAt: createdAt.toISOString(),
        })),
    },
    unusual: 0,
    closing: null,
  };
}
