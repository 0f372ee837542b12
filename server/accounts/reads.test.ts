import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { users } from "@footprint/contract/users.ts";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { addBulkOrder, addLabelType, addOrder } from "../testing/builders.ts";
import { addAccount, call, db, logRows, setClock } from "../testing/server.ts";

const addCustomers = (amount: number, createdAt: string) =>
  db.execute<{ id: string }>(sql`insert into customers (id, username, discord_id, created_at)
    select gen_random_uuid(), ${createdAt} || n, ${createdAt} || n, ${createdAt}::timestamptz
    from generate_series(1, ${amount}::int) n returning id`);

test("reading thousands of rows within an hour is logged, but following is not: rows count once, and new ones never", async () => {
  const old = "2026-11-14T11:00:00Z";
  const { rows: customers } = await addCustomers(10_000, old);
  await addCustomers(100, "2026-11-14T12:30:00Z");
  const maren = await addAccount("maren", "staff");
  const readPages = async (from: number, to: number) => {
    for (let page = from; page <= to; page++) await call(maren, users.list, { query: { page, limit: 100 } });
  };
  const readOne = (place: number) => call(maren, users.read, { params: { id: customers[place]?.id ?? "" } });
  const told = async () => (await logRows()).map(({ admin, type, action }) => [admin, type, action]);
  const entry = ["maren", "session", "maren read more than 10,000 rows within an hour"];

  setClock("2026-11-14T13:10:00Z");
  // The first page holds new rows.
  await readPages(1, 100);
  for (let times = 0; times < 3; times++) await readPages(1, 3);
  expect(await told()).toEqual([]);
  await readPages(101, 101);
  await readPages(1, 3);
  expect(await told()).toEqual([entry]);

  // Another hour counts again, even if a new one begins in between. Orders inside bulk orders, and single rows, count
  // too.
  const [customer] = customers;
  if (!customer) throw new Error("no customer");
  const { id } = await addBulkOrder({ customer, createdAt: new Date(old) });
  const labelType = await addLabelType();
  for (let order = 0; order < 99; order++)
    await addOrder({ customer, labelType, bulkOrderId: id, createdAt: new Date(old) });
  setClock("2026-11-14T14:50:00Z");
  await readPages(2, 60);
  setClock("2026-11-14T15:05:00Z");
  await readPages(61, 98);
  await call(maren, bulkOrders.list);
  for (let place = 0; place < 99; place++) await readOne(place);
  expect(await told()).toHaveLength(1);
  for (let place = 99; place < 200; place++) await readOne(place);
  expect(await told()).toEqual([entry, entry]);
});
