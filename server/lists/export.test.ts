import { randomUUID } from "node:crypto";
import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { type Endpoint, pathOf } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { logs } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { staff } from "@footprint/contract/staff.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { eq, sql } from "drizzle-orm";
import { expect, inject, test as onBothEngines, vi } from "vitest";
import * as schema from "../db/schema.ts";
import { addBulkOrder, addCustomer, addFedexOrder, addInvoice, addLabelType, addOrder } from "../testing/builders.ts";
import { addAccount, call, db, logRows, moveBusinessTo, origin, send, setClock, tokenOf } from "../testing/server.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

/** The cells of a CSV file, by the rules of RFC 4180. */
function parse(text: string): string[][] {
  const cells = [...text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)];
  const lines: string[][] = [[]];
  for (const [, cell = "", end] of cells) {
    lines.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === "\r\n") lines.push([]);
  }
  expect(cells.map(([whole]) => whole).join("")).toBe(text);
  return lines.slice(0, -1);
}

/** The rows of an export by the headings of their cells. */
async function exported(endpoint: Endpoint, query: object = {}, chosen?: { ids: string[] }) {
  const answer = await send("admin", endpoint, { query, body: chosen } as never);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  const text = Buffer.from(await answer.arrayBuffer()).toString();
  expect(text.startsWith("\ufeff")).toBe(true);
  const [headings = [], ...lines] = parse(text.slice(1));
  const rows = lines.map((line) => Object.fromEntries(line.map((cell, place) => [headings[place], cell])));
  return { answer, text, rows, total: answer.headers.get("x-total-rows") };
}

async function listed(endpoint: Endpoint, query: object) {
  const { body } = await call("admin", endpoint, { query: { limit: 100, ...query } } as never);
  const rows = Object.values(body).find(Array.isArray) as unknown as { _id: string }[];
  return rows.map(({ _id }) => _id);
}

onBothEngines("an export has the rows of its list, with the same filters, search and order", async () => {
  const [alice, bob] = [await addCustomer({ username: "alice" }), await addCustomer({ username: "bob" })];
  await addCustomer({ username: "newcomer", verifiedAt: null });
  await addAccount("maren", "staff");
  const labelType = await addLabelType();
  for (const customer of [alice, bob, alice]) {
    await addOrder({ customer, labelType });
    await addBulkOrder({ customer });
    await addFedexOrder({ customer, status: "Completed" });
    await addInvoice({ customer, paymentMethod: "paypal" });
  }
  await addOrder({ customer: alice, refundedAt: new Date() });
  await db.insert(schema.trackingCodes).values([
    { code: "94001", type: "priority", template: "evs" },
    { code: "94002", type: "express", template: "evs", usedAt: new Date() },
  ]);
  const day = new Date().toISOString().slice(0, 10);
  const lists = [
    [
      orders.list,
      orders.export,
      [{}, { customer: alice.id, status: "Active" }, { search: "ali" }, { labelType: labelType.id }],
    ],
    [bulkOrders.list, bulkOrders.export, [{}, { customer: bob.id }, { search: "bob" }]],
    [fedex.list, fedex.export, [{}, { filter: "Completed", customer: alice.id }, { filter: "Pending" }]],
    [users.list, users.export, [{}, { verified: "true" }, { withBalance: "true" }, { search: "ali", from: day }]],
    [users.listNew, users.exportNew, [{}, { to: "2020-01-01" }]],
    [invoices.list, invoices.export, [{}, { method: "paypal", customer: bob.id }, { method: "cashapp" }]],
    [tracking.list, tracking.export, [{}, { type: "express" }, { used: "false" }, { search: "94002" }]],
    [staff.list, staff.export, [{}, { search: "mar" }]],
  ] as const;
  for (const [list, exportOfIt, queries] of lists)
    for (const query of queries)
      for (const sort of ["asc", "des"]) {
        const ids = await listed(list, { ...query, sort });
        const { rows } = await exported(exportOfIt, { ...query, sort });
        expect(
          rows.map(({ Id }) => Id),
          `${list.path} ${JSON.stringify(query)}`,
        ).toEqual(ids);
      }
  // Exporting the log adds to it, so only entries that the export does not add are compared.
  const ids = await listed(logs.list, { status: "session", search: "tracking" });
  expect((await exported(logs.export, { status: "session", search: "tracking" })).rows.map(({ Id }) => Id)).toEqual(
    ids,
  );
  expect(ids).toHaveLength(8);
});

test("label types are exported with a row for each of their prices", async () => {
  await addLabelType({
    name: "b",
    uid: "of_b",
    tiers: [
      [1, 2.5, 5.25],
      [0, 1, 3],
    ],
  });
  await addLabelType({ name: "A", uid: "of_a", active: false });
  const { rows } = await exported(labelTypes.export);
  expect(rows).toMatchObject([
    { Name: "A", Uid: "of_a", Active: "No", "From weight": "", "To weight": "", Price: "" },
    { Name: "b", Active: "Yes", "From weight": "0.000", "To weight": "1.000", Price: "3.00" },
    { Name: "b", Active: "Yes", "From weight": "1.000", "To weight": "2.500", Price: "5.25" },
  ]);
  expect((await logRows()).map(({ action }) => action)).toEqual(["Exported label types"]);
});

test("an export says beforehand how many rows it has where counters tell", async () => {
  const order = await addOrder();
  await addOrder({ refundedAt: new Date() });
  const total = async (query: object) => (await exported(orders.export, query)).total;
  expect(await total({})).toBe("2");
  expect(await total({ status: "Refunded" })).toBe("1");
  expect(await total({ to: "2020-01-01" })).toBe("0");
  expect(await total({ from: "2020-01-02", to: "2020-01-01" })).toBe("0");
  expect(await total({ customer: order.customerId })).toBe(null);
  expect(await total({ search: "len" })).toBe(null);
  expect((await exported(staff.export)).total).toBe("1");
});

test("money, times and yes or no are what a spreadsheet reads", async () => {
  setClock("2026-11-16T03:00:00Z");
  await moveBusinessTo("America/New_York");
  const customer = await addCustomer({ username: 'Zoë "Z" Okafor, Łódź' });
  const createdAt = new Date("2026-03-01T12:00:00.250Z");
  await addOrder({ customer, price: 1234.5, weight: 2.25, createdAt, refundedAt: createdAt, toStreet: "1 A St\nback" });
  await addFedexOrder({ customer, note: "" });
  const { answer, text, rows } = await exported(orders.export);
  expect(answer.headers.get("content-disposition")).toContain('attachment; filename="orders-2026-11-15.csv"');
  expect(rows).toMatchObject([
    {
      Created: "2026-03-01T12:00:00.250Z",
      Customer: 'Zoë "Z" Okafor, Łódź',
      Price: "1234.50",
      Weight: "2.250",
      Refunded: "Yes",
      "Refunded at": "2026-03-01T12:00:00.250Z",
      "From name": "Tobias Brandt",
      "To street": "1 A St\nback",
      "To street 2": "",
    },
  ]);
  expect(text).toContain(',"Zoë ""Z"" Okafor, Łódź",');
  expect((await exported(fedex.export)).rows).toMatchObject([{ Price: "", Note: "", Weight: "12.500" }]);
});

test("what a spreadsheet would run is shown by it instead, and numbers stay numbers", async () => {
  const cells = {
    "=1+1": "'=1+1",
    "+49 30 1": "'+49 30 1",
    "-x": "'-x",
    "@SUM(A1)": "'@SUM(A1)",
    "\tx": "'\tx",
    "\rx": "'\rx",
    "＝1": "'＝1",
    "-12.50": "-12.50",
    "+7": "+7",
    "a=b": "a=b",
    "semi;=1": "semi;'=1",
    'semi; "=1;2;-3': `semi; "'=1;2;'-3`,
    "line\r\n＠x": "line\r\n'＠x",
  };
  const customer = await addCustomer();
  const written = Object.keys(cells);
  for (const toName of written) await addOrder({ customer, toName });
  const { rows, text } = await exported(orders.export, { sort: "asc" });
  expect(rows.map((row) => row["To name"])).toEqual(Object.values(cells));
  expect(text).not.toMatch(/[;\t\r\n]["\s]*[=+@＝＋－＠-]/);
});

test("an export leaves one entry in the log: who, which list, and what was asked for", async () => {
  const order = await addOrder();
  await exported(orders.export, { customer: order.customerId, status: "Active", search: "len", from: "2026-01-01" });
  await exported(bulkOrders.export);
  const { id: customer } = { id: order.customerId };
  expect(await logRows()).toMatchObject([
    {
      admin: "admin",
      type: "session",
      action: `Exported orders (search len, status Active, customer ${customer}, from 2026-01-01)`,
      after: { list: "orders", customer, status: "Active", search: "len", from: "2026-01-01", sort: "des" },
    },
    { admin: "admin", type: "session", action: "Exported bulk orders", after: { list: "bulk-orders" } },
  ]);
});

test("of the rows that are chosen, an export has those that the list shows, and the log says how many were chosen", async () => {
  const customer = await addCustomer({ username: "alice" });
  const newcomer = await addCustomer({ username: "newcomer", verifiedAt: null });
  const [code] = await db
    .insert(schema.trackingCodes)
    .values([
      { code: "94001", type: "priority", template: "evs" },
      { code: "94002", type: "priority", template: "evs" },
    ])
    .returning();
  const ids = [(await addOrder({ customer })).id, (await addOrder({ customer, refundedAt: new Date() })).id];
  await addOrder({ customer });
  const [invoice] = [await addInvoice({ customer }), await addInvoice({ customer })];
  const idsOf = async (...asked: Parameters<typeof exported>) => (await exported(...asked)).rows.map(({ Id }) => Id);

  const whole = await exported(orders.export);
  const chosen = await exported(orders.exportChosen, {}, { ids });
  expect(chosen.rows).toEqual(whole.rows.filter(({ Id = "" }) => ids.includes(Id)));
  expect([chosen.total, chosen.answer.headers.get("content-disposition")]).toEqual([
    null,
    whole.answer.headers.get("content-disposition"),
  ]);
  expect(await idsOf(orders.exportChosen, { sort: "asc" }, { ids })).toEqual(ids);
  const narrowed = { status: "Active", search: "alice", customer: customer.id };
  expect(await idsOf(orders.exportChosen, narrowed, { ids })).toEqual([ids[0]]);
  const nobody = "00000000-0000-4000-8000-000000000000";
  expect(await idsOf(orders.exportChosen, {}, { ids: [nobody] })).toEqual([]);
  expect(await idsOf(users.exportChosen, {}, { ids: [customer.id] })).toEqual([customer.id]);
  expect(await idsOf(users.exportChosenNew, {}, { ids: [customer.id, newcomer.id] })).toEqual([newcomer.id]);
  expect(await idsOf(invoices.exportChosen, {}, { ids: [invoice.id] })).toEqual([invoice.id]);
  expect(await idsOf(tracking.exportChosen, {}, { ids: [code?.id ?? ""] })).toEqual([code?.id]);

  const entries = (await logRows()).filter(({ type }) => type === "session").slice(1);
  expect(entries.map(({ action }) => action)).toEqual([
    "Exported 2 chosen rows of orders",
    "Exported 2 chosen rows of orders",
    `Exported 2 chosen rows of orders (search alice, status Active, customer ${customer.id})`,
    "Exported 1 chosen row of orders",
    "Exported 1 chosen row of users",
    "Exported 2 chosen rows of new users (verified false)",
    "Exported 1 chosen row of invoices",
    "Exported 1 chosen row of tracking codes",
  ]);
  expect(entries[2]).toMatchObject({ admin: "admin", after: { list: "orders", chosen: 2, status: "Active" } });
});

test("as many rows are exported as can be chosen, and ids that are none, too many or named twice are refused", async () => {
  const order = await addOrder();
  const others = Array.from({ length: 999 }, () => randomUUID());
  expect((await exported(orders.exportChosen, {}, { ids: [...others, order.id] })).rows).toHaveLength(1);
  const status = async (ids: string[]) =>
    (await call("admin", orders.exportChosen as Endpoint, { body: { ids } } as never)).status;
  for (const ids of [[], ["nonsense"], [order.id, order.id.toUpperCase()], [...others, order.id, randomUUID()]])
    expect(await status(ids)).toBe(400);
  expect(await logRows()).toHaveLength(1);
});

test("only administrators export", async () => {
  const { id } = await addOrder();
  const calls: [Endpoint, object][] = [
    [orders.export, {}],
    [orders.exportChosen, { body: { ids: [id] } }],
  ];
  for (const [asked, input] of calls) {
    const { status, body } = await call("staff", asked, input as never);
    expect([status, body]).toEqual([403, { message: "Only administrators may do this" }]);
  }
  expect((await call("admin", orders.export as Endpoint, { query: { from: "nonsense" } } as never)).status).toBe(400);
  expect(await logRows()).toEqual([]);
});

/** More than the buffers between server and receiver hold: a receiver that does not read keeps the server waiting. */
const manyRows = 4_000;
const fillLog = () =>
  db.execute(sql`insert into logs (id, admin, type, action, after, created_at)
    select gen_random_uuid(), 'somebody', 'label', 'Row ' || n, to_jsonb(repeat('x', 5000)),
      timestamptz '2026-01-01' + n * interval '1 minute' from generate_series(1, ${manyRows}::int) n`);

const query = { status: "label", sort: "asc" } as const;
/** A small export, to see whether there is a place for one. */
const firstDay = { ...query, to: "2026-01-01", search: "row 7" };

/** Begins an export whose receiver does not read on. */
async function begin(as: "admin" | { token: string }) {
  const aborter = new AbortController();
  const answer = await fetch(`${origin}${pathOf(logs.export)}?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${tokenOf(as)}` },
    signal: aborter.signal,
  });
  return { answer, abort: () => aborter.abort() };
}

onBothEngines("an account exports one thing at a time, and a server few; who goes away makes room", async () => {
  await fillLog();
  const [maren, tobias] = [await addAccount("maren", "admin"), await addAccount("tobias", "admin")];
  const first = await begin("admin");
  expect(first.answer.status).toBe(200);
  const again = await begin("admin");
  expect([again.answer.status, await again.answer.json()]).toEqual([
    503,
    { message: "Another export of yours is still running" },
  ]);
  expect(Number(again.answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(again.answer.headers.get("x-total-rows")).toBe(null);
  const second = await begin(maren);
  const third = await begin(tobias);
  expect([second.answer.status, third.answer.status]).toEqual([200, 503]);
  await third.answer.body?.cancel();
  // Everybody else can go on.
  expect((await call("admin", logs.list, { query })).body.total).toBe(manyRows);

  for (const { abort } of [first, second]) abort();
  await vi.waitFor(async () => expect((await exported(logs.export, firstDay)).rows).not.toEqual([]), 60_000);
});

onBothEngines("an export shows the rows as they were when it began", async () => {
  await fillLog();
  const { answer } = await begin("admin");
  expect(answer.headers.get("x-total-rows")).toBe(String(manyRows));
  await db.execute(sql`update logs set action = 'Changed since'`);
  await db.execute(sql`delete from logs where action = 'Changed since' and type = 'label'`);
  const lines = parse((await answer.text()).slice(1));
  expect(lines).toHaveLength(1 + manyRows);
  expect(lines.at(-1)).toContain(`Row ${manyRows}`);
});

test("an export breaks off when its account is deleted, instead of seeming whole", async () => {
  await fillLog();
  const maren = await addAccount("maren", "admin");
  const { answer } = await begin(maren);
  expect(answer.status).toBe(200);
  await db.delete(schema.accounts).where(eq(schema.accounts.id, maren.id));
  await expect(answer.text()).rejects.toThrow();
  expect((await exported(logs.export, firstDay)).rows).not.toEqual([]);
});

// On the embedded engine, with its one connection, an export never waits to begin.
test("who goes away before an export begins makes room too", async () => {
  await fillLog();
  const aborter = new AbortController();
  const isWaiting = async () => {
    const { rows } = await db.execute(sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'declare%'`);
    expect(rows).toHaveLength(1);
  };
  await db.transaction(async (tx) => {
    await tx.execute(sql`lock table logs in access exclusive mode`);
    const answer = fetch(origin + pathOf(logs.export), {
      headers: { authorization: `Bearer ${tokenOf("admin")}` },
      signal: aborter.signal,
    });
    await vi.waitFor(isWaiting, 30_000);
    aborter.abort();
    await expect(answer).rejects.toThrow();
  });
  await vi.waitFor(async () => expect((await exported(logs.export, firstDay)).rows).not.toEqual([]), 60_000);
});
