import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { users } from "@footprint/contract/users.ts";
import { expect, test } from "vitest";
import { addBulkOrder, addCustomer, addLabelType, addOrder } from "../testing/builders.ts";
import { addAccount, call, logRows, setClock } from "../testing/server.ts";

test("who reads thousands of rows within an hour is in the log, once for every tenfold", async () => {
  setClock("2026-11-14T12:10:00Z");
  for (let number = 0; number < 100; number++) await addCustomer();
  const maren = await addAccount("maren", "staff");
  const read = async (pages: number) => {
    for (let page = 0; page < pages; page++) await call(maren, users.list, { query: { limit: 100 } });
  };
  const told = async () => (await logRows()).map(({ admin, type, action }) => [admin, type, action]);
  await read(99);
  expect(await told()).toEqual([]);
  await read(10);
  expect(await told()).toEqual([["maren", "session", "maren read more than 10,000 rows within an hour"]]);
  setClock("2026-11-14T13:10:00Z");
  await read(99);
  expect(await told()).toHaveLength(1);
  await read(1);
  expect(await told()).toHaveLength(2);
  // Also where a new hour begins in between.
  setClock("2026-11-14T14:50:00Z");
  await read(60);
  setClock("2026-11-14T15:05:00Z");
  await read(40);
  expect(await told()).toHaveLength(3);
});

test("orders inside of bulk orders, and rows that are read one by one, count as rows", async () => {
  setClock("2026-11-14T12:10:00Z");
  const customer = await addCustomer();
  const { id } = await addBulkOrder({ customer });
  const labelType = await addLabelType();
  for (let order = 0; order < 99; order++) await addOrder({ customer, labelType, bulkOrderId: id });
  const maren = await addAccount("maren", "staff");
  const times = async (amount: number, read: () => Promise<{ status: number }>) => {
    for (let time = 0; time < amount; time++) expect((await read()).status).toBe(200);
  };
  const readCustomer = () => call(maren, users.read, { params: { id: customer.id } });
  await times(50, () => call(maren, bulkOrders.list));
  await times(49, () => call(maren, bulkOrders.read, { params: { id } }));
  await times(99, readCustomer);
  expect(await logRows()).toEqual([]);
  await times(1, readCustomer);
  expect((await logRows()).map(({ action }) => action)).toEqual(["maren read more than 10,000 rows within an hour"]);
});
