import { dashboard } from "@footprint/contract/dashboard.ts";
import { orders as ordersContract } from "@footprint/contract/orders.ts";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { record, system } from "../accounts/audit.ts";
import { chainLog } from "../accounts/log-chain.ts";
import { counters, customers, fedexOrders, invoices, orderNotes, orders, settings } from "../db/schema.ts";
import { call, db, logRows } from "../testing/server.ts";
import { loadDemo, removeDemo } from "./load.ts";

test("the demo business is loaded once, its books balance, and it is removed for good", async () => {
  const now = new Date();
  await db.transaction((tx) => record(tx, system, "website", "Written before the demo came"));
  await chainLog(db, { distance: "0 seconds" });
  expect(await loadDemo(db, now)).toBe(true);
  expect((await logRows()).at(-1)?.action).toBe("Loaded the demo business: the log's chain begins anew");
  await chainLog(db, { distance: "0 seconds" });
  expect(await db.$count(orders)).toBe(6000);
  expect(await db.$count(customers)).toBe(400);
  expect(await db.$count(fedexOrders)).toBe(150);
  expect(await db.$count(invoices, eq(invoices.status, "pending"))).toBeGreaterThan(0);
  expect(await db.$count(invoices, eq(invoices.status, "expired"))).toBeGreaterThan(0);
  const { body } = await call("admin", dashboard.books);
  expect(body.problems).toEqual([]);
  expect(await loadDemo(db, now)).toBe(false);

  const [order] = (await call("staff", ordersContract.list)).body.orders;
  const story = await call("staff", ordersContract.read, { params: { id: order?._id ?? "" } });
  expect(story.body.pricing).toMatchObject({ custom: expect.any(Boolean), standardPrice: expect.any(Number) });
  await call("staff", ordersContract.addNote, { params: { id: order?._id ?? "" }, body: { text: "Entered by hand" } });
  expect(await db.$count(orderNotes)).toBe(1);
  expect(await removeDemo(db)).toBe(true);
  expect(await db.$count(orders)).toBe(0);
  expect((await logRows()).map(({ admin, action }) => [admin, action])).toEqual([
    ["terminal", "Removed the demo business: the log's chain begins anew"],
  ]);
  expect(await db.$count(counters)).toBe(1);
  await chainLog(db, { distance: "0 seconds" });
  expect((await call("admin", dashboard.books)).body.balanced).toBe(true);
  expect(await loadDemo(db, now)).toBe(false);
  expect(await removeDemo(db)).toBe(false);

  // The planner now knows that large tables are empty, and still must not compare each order with each code.
  await db.execute(sql`analyze`);
  await db.update(settings).set({ demo: null });
  expect(await loadDemo(db, now)).toBe(true);
  expect((await call("admin", dashboard.books)).body.problems).toEqual([]);
});
