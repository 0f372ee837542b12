import { fedex } from "@footprint/contract/fedex.ts";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { fedexOrders } from "../db/schema.ts";
import { addCustomer, addFedexOrder, balanceOf, transfersOf } from "../testing/builders.ts";
import { formWith, pdf, png } from "../testing/multipart.ts";
import { call, db, logRows, send } from "../testing/server.ts";

const list = async (query: object, as: "admin" | "staff" = "staff") => (await call(as, fedex.list, { query })).body;
const update = (order: { id: string }, body: object) =>
  call("staff", fedex.update, { params: { id: order.id }, body: body as never });
const updateByForm = (order: { id: string }, fields: Record<string, string | Blob>, filename?: string) =>
  call("staff", fedex.update, { params: { id: order.id }, form: formWith(fields, filename) });

test("the list carries the specification's fields", async () => {
  const customer = await addCustomer({ discordId: "4411" });
  const order = await addFedexOrder({
    customer,
    price: 31.5,
    status: "In Process",
    note: "call first",
    fromStreet2: "Dock 4",
    specialNotes: "fragile",
  });
  const { status, body } = await call("admin", fedex.list);
  expect(status).toBe(200);
  expect(body).toEqual({
    docs: [
      {
        _id: order.id,
        uuid: order.uuid,
        user: { _id: customer.id, username: customer.username, discordId: "4411" },
        price: 31.5,
        status: "In Process",
        note: "call first",
        file: null,
        version: expect.any(String),
        claim: null,
        chargedAt: null,
        createdAt: order.createdAt.toISOString(),
        from: {
          name: "Tobias Brandt",
          street: "410 Cedar St",
          street2: "Dock 4",
          city: "Austin",
          state: "TX",
          zip: "78701",
        },
        to: { name: "Lena Okafor", street: "88 Wharf Rd", street2: "", city: "Portland", state: "ME", zip: "04101" },
        weight: 12.5,
        length: 10,
        width: 8,
        height: 6,
        dimensionUnit: "in",
        weightUnit: "lb",
        specialNotes: "fragile",
      },
    ],
    totalDocs: 1,
    total: 1,
    totalPages: 1,
  });
});

test("an order without a quote has no price, and one with a file shows its name and size", async () => {
  const order = await addFedexOrder();
  await updateByForm(order, { file: new Blob([pdf]) }, "label.pdf");
  const [row] = (await list({})).docs;
  expect([row?.price, row?.file]).toEqual([null, { _id: expect.any(String), name: "label.pdf", size: pdf.length }]);
});

test("the list pages in both directions", async () => {
  const customer = await addCustomer();
  const made: string[] = [];
  for (let n = 0; n < 12; n++) made.push((await addFedexOrder({ customer })).id);
  const ids = async (query: object) => (await list(query)).docs.map((order) => order._id);
  expect(await ids({})).toEqual(made.slice(2).reverse());
  expect(await ids({ page: 2, sort: "asc" })).toEqual(made.slice(10));
  expect(await list({ page: 3 })).toEqual({ docs: [], totalDocs: 12, total: 12, totalPages: 2 });
});

test("the filter shows one status, with its true total", async () => {
  await addFedexOrder({ status: "Pending" });
  const waiting = await addFedexOrder({ status: "Awaiting User Input" });
  const page = await list({ filter: "Awaiting User Input" });
  expect([page.docs.map((order) => order._id), page.totalDocs]).toEqual([[waiting.id], 1]);
  expect((await list({ filter: "All" })).totalDocs).toBe(2);
  expect((await list({ filter: "In Process" })).totalDocs).toBe(0);
  const unknown = await call("staff", fedex.list, { query: { filter: "Lost" as never } });
  expect(unknown.status).toBe(400);
});

test("a search finds the uuid, the sender, the receiver and the customer", async () => {
  const customer = await addCustomer({ username: "maren", email: "maren@example.com" });
  const order = await addFedexOrder({ customer, fromName: "Ada Lovelace", toName: "100% Cotton" });
  await addFedexOrder({ toStreet: "Lovelace Street" });
  const found = async (search: string) => (await list({ search })).docs.map((row) => row._id);
  for (const search of [order.uuid.slice(0, 20).toUpperCase(), order.uuid.slice(-6), "LOVELACE", "100% c", "maren"])
    expect(await found(search), search).toEqual([order.id]);
  for (const search of [order.uuid.slice(3, 20), "1%c", "lovelace100"]) expect(await found(search), search).toEqual([]);
  expect(await list({ search: "lovelace", filter: "Completed" })).toMatchObject({ docs: [], totalDocs: 0, total: 0 });
});

test("only administrators see a discord id, or find by it", async () => {
  const customer = await addCustomer({ discordId: "Disc77001" });
  const order = await addFedexOrder({ customer });
  const named = { _id: customer.id, username: customer.username };
  const asAdmin = await list({ search: "disc77" }, "admin");
  expect(asAdmin.docs.map((row) => [row._id, row.user])).toEqual([[order.id, { ...named, discordId: "Disc77001" }]]);
  expect(await list({ search: "disc77" })).toMatchObject({ docs: [], totalDocs: 0 });
  const everything = await list({});
  expect(everything.docs[0]?.user).toEqual({ ...named, discordId: "***" });
  expect(JSON.stringify(everything)).not.toContain("77001");
});

test("the statistics follow every change of status", async () => {
  const stats = async () => (await call("staff", fedex.stats)).body;
  const none = { pending: 0, completed: 0, cancelled: 0, inProcess: 0, awaitingInput: 0 };
  const closed = { completedToday: 0, cancelledThisWeek: 0 };
  expect(await stats()).toEqual({ ...none, ...closed });
  const order = await addFedexOrder();
  await addFedexOrder();
  await addFedexOrder({ status: "In Process" });
  const working = { ...none, ...closed, inProcess: 1 };
  expect(await stats()).toEqual({ ...working, pending: 2 });
  await update(order, { status: "Completed" });
  expect(await stats()).toEqual({ ...working, pending: 1, completed: 1, completedToday: 1 });
  await update(order, { note: "sent" });
  expect(await stats()).toEqual({ ...working, pending: 1, completed: 1, completedToday: 1 });
  await update(order, { status: "Cancelled" });
  expect(await stats()).toEqual({ ...working, pending: 1, cancelled: 1, cancelledThisWeek: 1 });
  await update(order, { status: "Pending" });
  expect(await stats()).toEqual({ ...working, pending: 2 });
});

test("the statistics tell what was closed today and this week from what was closed before", async () => {
  const day = 24 * 60 * 60 * 1000;
  for (const days of [0, 8])
    for (const status of ["Completed", "Cancelled"] as const)
      await addFedexOrder({ status, closedAt: new Date(Date.now() - days * day) });
  // From before times were stored.
  await addFedexOrder({ status: "Completed" });
  expect((await call("staff", fedex.stats)).body).toMatchObject({
    completed: 3,
    cancelled: 2,
    completedToday: 1,
    cancelledThisWeek: 1,
  });
});

test("an update by form changes everything at once and leaves one log row", async () => {
  const customer = await addCustomer({ balance: 50 });
  const order = await addFedexOrder({ customer, price: 10, note: "old" });
  const fields = { status: "Completed", note: " on its way ", price: "1234.50", file: new Blob([pdf]) };
  const { status, body } = await updateByForm(order, fields, "label.pdf");
  expect([status, body]).toEqual([200, { message: "Order updated", version: expect.any(String) }]);
  expect((await list({})).docs[0]).toMatchObject({
    status: "Completed",
    note: "on its way",
    price: 1234.5,
    file: { name: "label.pdf", size: pdf.length },
  });
  expect(await logRows()).toEqual([
    {
      admin: "staff",
      type: "fedex",
      action: `Updated Fedex order ${order.uuid}: status Pending to Completed, note changed, price $10.00 to $1,234.50, file label.pdf`,
      before: { status: "Pending", note: "old", price: 10, file: null },
      after: { status: "Completed", note: "on its way", price: 1234.5, file: "label.pdf" },
    },
  ]);
  // A price is only a quote.
  expect([await balanceOf(customer), await transfersOf(customer)]).toEqual([50, []]);
});

test("every field is optional, and what is not given stays", async () => {
  const order = await addFedexOrder({ note: "keep", status: "In Process" });
  expect((await update(order, { price: 19.99 })).status).toBe(200);
  expect((await update(order, { price: 0 })).status).toBe(200);
  expect((await update(order, { note: "" })).status).toBe(200);
  expect((await updateByForm(order, { price: "", note: "again" })).status).toBe(200);
  expect((await list({})).docs[0]).toMatchObject({ status: "In Process", price: 0, note: "again", file: null });
  expect((await logRows()).map(({ action, before, after }) => [action.replace(/^.*: /, ""), before, after])).toEqual([
    ["price none to $19.99", { price: null }, { price: 19.99 }],
    ["price $19.99 to $0.00", { price: 19.99 }, { price: 0 }],
    ["note changed", { note: "keep" }, { note: "" }],
    ["note changed", { note: "" }, { note: "again" }],
  ]);
});

test.for<object>([{}, { status: "Pending", note: "same" }, { price: 12.5 }])(
  "saving an order with %j, as it already is, is accepted and leaves nothing in the log",
  async (body) => {
    const order = await addFedexOrder({ note: "same", price: 12.5 });
    const answer = await update(order, body);
    expect([answer.status, answer.body]).toEqual([200, { message: "Order updated", version: expect.any(String) }]);
    const [row] = await db.select().from(fedexOrders);
    expect(row).toEqual(order);
    expect(await logRows()).toEqual([]);
  },
);

test.for<[object, string]>([
  [{ status: "In Process" }, "status must be one of Pending, Completed, Cancelled, Awaiting User Input"],
  [{ status: "" }, "status must be one of Pending, Completed, Cancelled, Awaiting User Input"],
  [{ price: -0.01 }, "A price is not negative"],
  [{ price: 1.005 }, "An amount has at most two decimals"],
  [{ price: "cheap" }, "price must be a number"],
  [{ price: "0x10" }, "price must be a number"],
  [{ price: null }, "price must be a number"],
  [{ note: "x".repeat(2001) }, "note must have at most 2000 characters"],
  [{ note: 7 }, "note must be text"],
])("an update with %j is 400", async ([body, message]) => {
  const order = await addFedexOrder();
  const answer = await update(order, body);
  expect([answer.status, answer.body.message]).toEqual([400, message]);
  const [row] = await db.select().from(fedexOrders);
  expect(row).toEqual(order);
  expect(await logRows()).toEqual([]);
});

test("an empty form changes nothing, and is no error", async () => {
  const answer = await updateByForm(await addFedexOrder(), { price: "" });
  expect([answer.status, answer.body]).toEqual([200, { message: "Order updated", version: expect.any(String) }]);
  expect(await logRows()).toEqual([]);
});

test("a malformed id is 400 and an unknown one 404", async () => {
  expect((await update({ id: "7" }, { note: "x" })).status).toBe(400);
  expect((await call("staff", fedex.file, { params: { id: "7" } })).status).toBe(400);
  for (const body of [{ note: "x" }, {}]) {
    const unknown = await update({ id: uuidv7() }, body);
    expect([unknown.status, unknown.body]).toEqual([404, { message: "This order does not exist" }]);
  }
});

test("ten updates at once are all kept, each log row begins where the one before ended", async () => {
  const order = await addFedexOrder({ note: "start" });
  await Promise.all(Array.from({ length: 10 }, (_, n) => update(order, { note: `n${n}` })));
  const chain = new Map((await logRows()).map(({ before, after }) => [Object(before).note, Object(after).note]));
  let note = "start";
  for (let step = 0; step < 10; step++) note = chain.get(note);
  expect((await list({})).docs[0]?.note).toBe(note);
});

test("the file is downloaded by the order's id, and a new one takes the old one's place", async () => {
  const order = await addFedexOrder();
  const download = () => send("staff", fedex.file, { params: { id: order.id } });
  await updateByForm(order, { file: new Blob([pdf]) }, "first.pdf");
  await updateByForm(order, { file: new Blob([png]) }, "second.png");
  const answer = await download();
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("content-disposition")]).toEqual([
    200,
    "image/png",
    `attachment; filename="second.png"; filename*=UTF-8''second.png`,
  ]);
  expect(Buffer.from(await answer.bytes())).toEqual(png);
  expect((await logRows()).map(({ before, after }) => [before, after])).toEqual([
    [{ file: null }, { file: "first.pdf" }],
    [{ file: "first.pdf" }, { file: "second.png" }],
    // The download.
    [null, null],
  ]);
});

test("where there is no file, there is nothing to download", async () => {
  const order = await addFedexOrder();
  const none = await call("staff", fedex.file, { params: { id: order.id } });
  expect([none.status, none.body]).toEqual([404, { message: "This order has no file" }]);
  const unknown = await call("staff", fedex.file, { params: { id: uuidv7() } });
  expect([unknown.status, unknown.body]).toEqual([404, { message: "This order does not exist" }]);
  expect((await call("nobody", fedex.file, { params: { id: order.id } })).status).toBe(401);
});
