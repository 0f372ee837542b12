import { logs } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { staff } from "@footprint/contract/staff.ts";
import { expect, test } from "vitest";
import { addCustomer, addOrder } from "../testing/builders.ts";
import { addAccount, call, password } from "../testing/house.ts";

const list = async (query: object) => (await call("admin", logs.list, { query })).body;

test("the log says who changed what, newest first, with before and after", async () => {
  const order = await addOrder({ price: 2, customer: await addCustomer({ username: "alice" }) });
  await call("staff", orders.refund, { params: { id: order.id } });
  await call("admin", staff.create, { body: { username: "maren", password } });
  const { logs: rows, total, totalPages } = await list({});
  expect([total, totalPages]).toEqual([2, 1]);
  expect(rows.map((row) => [row.admin, row.type, row.action])).toEqual([
    [{ username: "admin" }, "staff", "Created staff account maren"],
    [{ username: "staff" }, "refund", `Refunded order ${order.uuid} ($2.00) to alice`],
  ]);
  expect(rows[1]).toEqual({
    _id: expect.any(String),
    admin: { username: "staff" },
    type: "refund",
    action: expect.any(String),
    before: { isRefunded: false, balance: 0 },
    after: { isRefunded: true, balance: 2 },
    createdAt: expect.any(String),
  });
});

test("the log filters by type and searches who and what", async () => {
  await call("admin", staff.create, { body: { username: "maren", password } });
  const order = await addOrder();
  await call("staff", orders.refund, { params: { id: order.id } });
  const types = async (query: object) => (await list(query)).logs.map((row) => row.type);
  expect(await types({ status: "refund" })).toEqual(["refund"]);
  expect(await types({ status: "balance" })).toEqual([]);
  expect(await types({ search: "MAREN" })).toEqual(["staff"]);
  expect(await types({ search: order.uuid })).toEqual(["refund"]);
  expect(await types({ sort: "asc" })).toEqual(["staff", "refund"]);
  expect((await call("admin", logs.list, { query: { status: "nonsense" as never } })).status).toBe(400);
});

test("the log stays true after an account is renamed or deleted", async () => {
  const maren = await addAccount("maren", "staff");
  const order = await addOrder();
  await call(maren, orders.refund, { params: { id: order.id } });
  await call("admin", staff.delete, { params: { id: maren.id } });
  expect((await list({ status: "refund" })).logs[0]?.admin).toEqual({ username: "maren" });
});
