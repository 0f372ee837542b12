import { fedex } from "@footprint/contract/fedex.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { logs } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { passkeys } from "@footprint/contract/passkeys.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { views } from "@footprint/contract/views.ts";
import { webhooks } from "@footprint/contract/webhooks.ts";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createAdmin } from "../accounts/accounts.ts";
import { createKey } from "../accounts/api-keys.ts";
import { uuidv7 } from "../db/ids.ts";
import { logs as table } from "../db/schema.ts";
import { addCustomer, addFedexOrder, addOrder } from "../testing/builders.ts";
import { formWith } from "../testing/multipart.ts";
import { addAccount, call, db, logRows, password, send } from "../testing/server.ts";

const list = async (query: object) => (await call("admin", logs.list, { query })).body;

test.for([
  "Ground\nadmin refunded everything",
  "Ground\u2028admin refunded everything",
  "\u202egnihtyreve dednufer",
  "Ground\u2066",
])("nothing that stands in sentences of the log breaks or turns them: %j", async (text) => {
  const { id } = await addCustomer({});
  const shop = { token: await db.transaction((tx) => createKey(tx, { name: "Corner shop" })) };
  const priority = { name: "Priority", uid: "priority", maxWeight: 70, type: "usps" } as const;
  const answers = [
    await call("admin", labelTypes.create, { body: { ...priority, name: text } }),
    await call("admin", labelTypes.create, { body: { ...priority, uid: text } }),
    await call("staff", passkeys.update, { params: { id: uuidv7() }, body: { name: text } }),
    await call("staff", views.create, { body: { screen: "orders", name: text, query: "" } }),
    await call("staff", users.addBalance, { params: { id }, body: { balance: 1, reason: text } }),
    await call("admin", staff.update, { params: { id: uuidv7() }, body: { chatId: text } }),
    await call("admin", webhooks.create, { body: { url: "https://shop.example.com/", note: text } }),
    await call(shop, storefront.putCustomer, { params: { discordId: "sam" }, body: { username: text } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
  expect(await logRows()).toEqual([]);
});

test.for(["\u2028", "\u202e", "\u2066"])("nothing turns an address around that is shown: %j", async (mark) => {
  const shop = { token: await db.transaction((tx) => createKey(tx, { name: "Corner shop" })) };
  await addCustomer({ discordId: "sam" });
  const url = `https://pay.example.com/${mark}moc.lapyap`;
  const body = { discordId: "sam", amount: 5, payment_method: "paypal", hosted_url: url } as const;
  const headers = { "idempotency-key": "one" };
  expect((await call(shop, storefront.createInvoice, { headers, body })).status).toBe(400);
  expect((await call("admin", webhooks.create, { body: { url } })).status).toBe(400);
});

test("the log says who changed what, newest first, with before and after", async () => {
  const order = await addOrder({ price: 2, customer: await addCustomer({ username: "alice" }) });
  await call("staff", orders.refund, { params: { id: order.id } });
  await call("admin", staff.create, { body: { username: "maren", password } });
  const { logs: rows, total, totalPages } = await list({});
  expect([total, totalPages]).toEqual([2, 1]);
  expect(rows.map((row) => [row.admin, row.type, row.action])).toEqual([
    [{ username: "admin", kind: "account", _id: expect.any(String) }, "staff", "Created staff account maren"],
    [
      { username: "staff", kind: "account", _id: expect.any(String) },
      "refund",
      `Refunded order ${order.uuid} ($2.00) to alice`,
    ],
  ]);
  expect(rows[1]).toMatchObject({
    _id: expect.any(String),
    admin: { username: "staff", kind: "account", _id: expect.any(String) },
    type: "refund",
    action: expect.any(String),
    before: { isRefunded: false, balance: 0 },
    after: { isRefunded: true, balance: 2 },
    createdAt: expect.any(String),
  });
  const { body } = await call("admin", logs.read, { params: { id: rows[1]?._id ?? "" } });
  expect(body).toEqual({ log: rows[1] });
  expect((await call("admin", logs.read, { params: { id: uuidv7() } })).status).toBe(404);
});

test("an entry names what it is about and whom it concerns, and is found by both", async () => {
  const [order, customer, nobody] = [uuidv7(), uuidv7(), uuidv7()];
  const entry = { admin: "maren", type: "refund" as const, action: "Refunded" };
  const at = (minute: number) => ({ createdAt: new Date(Date.UTC(2026, 10, 1, 12, minute)) });
  await db.insert(table).values([
    { ...entry, ...at(1), subjectKind: "order", subjectId: order, customerId: customer },
    { ...entry, ...at(2), type: "user", subjectKind: "customer", subjectId: customer, customerId: customer },
    { ...entry, ...at(3) },
  ]);
  const subjects = async (query: object) => (await list({ sort: "asc", ...query })).logs.map((row) => row.subject);
  const [ofOrder, ofCustomer] = [
    { kind: "order", _id: order },
    { kind: "customer", _id: customer },
  ];
  expect(await subjects({})).toEqual([ofOrder, ofCustomer, null]);
  expect(await subjects({ subject: order })).toEqual([ofOrder]);
  expect(await subjects({ customer })).toEqual([ofOrder, ofCustomer]);
  expect(await subjects({ customer, status: "user" })).toEqual([ofCustomer]);
  expect(await list({ subject: nobody })).toMatchObject({ logs: [], total: 0, totalPages: 1 });
  expect((await list({ customer })).logs.map((row) => row.customer)).toEqual([customer, customer]);
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
  expect((await list({ status: "refund" })).logs[0]?.admin).toEqual({
    username: "maren",
    kind: "account",
    _id: maren.id,
  });
});

test("the log says what kind of author made an entry, whatever they call themselves", async () => {
  const maren = await addAccount("maren", "staff");
  const key = await db.transaction((tx) => createKey(tx, { name: "maren" }));
  await call(maren, session.logout);
  await call({ token: key }, storefront.putCustomer, {
    params: { discordId: "4711" },
    body: { username: "alice" },
  });
  await createAdmin(db, "boss");
  await call("nobody", session.login, { body: { username: "maren", password: "not the password" } });
  await db.insert(table).values({ admin: "maren", type: "session", action: "From before kinds were noted" });
  const rows = (await list({ sort: "asc" })).logs.map(({ admin }) => [admin.username, admin.kind, admin._id]);
  expect(rows).toEqual([
    ["maren", "account", maren.id],
    ["maren", "shop", expect.any(String)],
    ["terminal", "terminal", null],
    ["system", "system", maren.id],
    ["maren", null, null],
  ]);
});

test("the log of one account: what it did under any name, and who tried to be it", async () => {
  const maren = await addAccount("maren", "staff");
  const order = await addOrder();
  await call(maren, orders.refund, { params: { id: order.id } });
  await call("nobody", session.login, { body: { username: "maren", password: "not the password" } });
  await call("admin", staff.update, { params: { id: maren.id }, body: { username: "maren-b" } });
  await call(maren, session.logout);
  const actions = async (query: object) =>
    (await list({ by: maren.id, sort: "asc", ...query })).logs.map((row) => row.action);
  const [failed, signedOut] = ["1 failed sign-in as maren from 1 address", "maren-b signed out"];
  expect(await actions({})).toEqual([expect.stringContaining("Refunded order"), failed, signedOut]);
  expect(await actions({ status: "session" })).toEqual([failed, signedOut]);
  expect(await actions({ search: "SIGNED" })).toEqual([signedOut]);
  expect(await actions({ limit: 1, page: 2 })).toEqual([failed]);
  expect(await list({ by: maren.id, limit: 2 })).toMatchObject({
    by: { _id: maren.id, username: "maren-b" },
    total: 3,
    totalPages: 2,
    totalCapped: false,
  });

  await call("admin", staff.delete, { params: { id: maren.id } });
  expect((await list({ by: maren.id })).by).toEqual({ _id: maren.id, username: "maren-b" });
  const nobody = "01890000-0000-7000-8000-000000000000";
  expect(await list({ by: nobody })).toMatchObject({ logs: [], by: null, total: 0 });
  expect((await call("admin", logs.list, { query: { by: "maren" } })).status).toBe(400);
});

test("an account with very many entries is counted up to a thousand", async () => {
  const maren = await addAccount("maren", "staff");
  await db.execute(sql`insert into logs (id, admin, actor_kind, actor_id, type, action)
    select gen_random_uuid(), 'maren', 'account', ${maren.id}, 'user', 'Changed ' || n from generate_series(1, 1050) as n`);
  const counts = { total: 1_000, totalPages: 100, totalCapped: true };
  expect(await list({ by: maren.id })).toMatchObject(counts);
  expect(await list({ by: maren.id, status: "user" })).toMatchObject(counts);
  expect(await list({ by: maren.id, search: "changed" })).toMatchObject(counts);
  expect((await list({ by: maren.id, page: 100 })).logs).toHaveLength(10);
  expect((await list({ by: maren.id, page: 101 })).logs).toHaveLength(0);
});

test("who downloads a file is in the log", async () => {
  const { id, uuid } = await addFedexOrder();
  const form = formWith({ file: new Blob(["%PDF-1.7\n"]) }, "label.pdf");
  await call("admin", fedex.update, { params: { id }, form });
  expect((await send("staff", fedex.file, { params: { id } })).status).toBe(200);
  expect((await logRows()).at(-1)).toMatchObject({
    admin: "staff",
    type: "fedex",
    action: `Downloaded label.pdf of Fedex order ${uuid}`,
  });
  const logged = (await logRows()).length;
  await send("staff", fedex.file, { params: { id: "01890000-0000-7000-8000-000000000000" } });
  await send("nobody", fedex.file, { params: { id } });
  expect(await logRows()).toHaveLength(logged);
});
