import { staff } from "@footprint/contract/staff.ts";
import { mostViews, views } from "@footprint/contract/views.ts";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { savedViews } from "../db/schema.ts";
import { untilTheyWait } from "../testing/races.ts";
import { addAccount, call, db, logRows } from "../testing/server.ts";

type Caller = Parameters<typeof call>[0];
type Answer = { status: number; body: { message: string } };

const answerOf = ({ status, body }: Answer) => [status, body.message];
const view = { screen: "orders" as const, name: "Refunded today", query: "status=Refunded&from=2026-03-01" };
const create = (as: Caller, values: object = {}) => call(as, views.create, { body: { ...view, ...values } });
const list = async (as: Caller, screen: "orders" | "logs" | "invoices" = "orders") =>
  (await call(as, views.list, { query: { screen } })).body.views;
const names = async (as: Caller) => (await list(as)).map(({ name }) => name);
const update = (as: Caller, id: string, body: object) => call(as, views.update, { params: { id }, body });
const remove = (as: Caller, id: string) => call(as, views.delete, { params: { id } });

test("an account keeps views of a screen, changes and deletes them; each change is in the log", async () => {
  const { status, body } = await create("staff");
  const saved = { ...view, _id: body.view._id, shared: false, own: true, by: { username: "staff" } };
  expect([status, body]).toEqual([
    200,
    { message: "View Refunded today saved", view: { ...saved, createdAt: expect.any(String) } },
  ]);
  expect(await list("staff")).toEqual([body.view]);
  expect(await list("staff", "invoices")).toEqual([]);

  const renamed = await update("staff", saved._id, { name: "Refunds", query: "" });
  expect(renamed.body.view).toEqual({ ...body.view, name: "Refunds", query: "" });
  await update("staff", saved._id, { name: "Refunds" });
  expect(answerOf(await remove("staff", saved._id))).toEqual([200, "View Refunds deleted"]);
  expect(answerOf(await remove("staff", saved._id))).toEqual([404, "This view does not exist any more"]);
  const { screen: _, ...content } = view;
  const [before, after] = [
    { ...content, shared: false },
    { name: "Refunds", query: "", shared: false },
  ];
  const entry = (action: string, change: object) => ({ admin: "staff", type: "session", action, ...change });
  expect(await logRows()).toEqual([
    entry("Saved the view Refunded today of orders", { before: null, after: before }),
    entry("Changed the view Refunds of orders", { before, after }),
    entry("Deleted the view Refunds of orders", { before: after, after: null }),
  ]);
});

test("an administrator shares a view with everybody, and any administrator may change it", async () => {
  const { token } = await addAccount("maren", "admin");
  const { _id } = (await create("admin", { shared: true })).body.view;
  expect(await list("staff")).toMatchObject([{ _id, shared: true, own: false, by: { username: "admin" } }]);
  const refused = [403, "Only administrators share views and change shared ones"];
  expect(answerOf(await update("staff", _id, { name: "Mine" }))).toEqual(refused);
  expect(answerOf(await update("staff", _id, { shared: false }))).toEqual(refused);
  expect(answerOf(await remove("staff", _id))).toEqual(refused);
  expect(answerOf(await create("staff", { shared: true }))).toEqual(refused);
  const own = (await create("staff")).body.view;
  expect(answerOf(await update("staff", own._id, { shared: true }))).toEqual(refused);

  expect((await update({ token }, _id, { name: "For all" })).status).toBe(200);
  expect(await names("staff")).toEqual(["For all", "Refunded today"]);
  expect((await update({ token }, _id, { shared: false })).status).toBe(200);
  expect(await names("staff")).toEqual(["Refunded today"]);
  expect(await names("admin")).toEqual(["For all"]);
});

test("what others keep for themselves nobody sees or changes", async () => {
  const { _id } = (await create("staff")).body.view;
  expect(await list("admin")).toEqual([]);
  expect((await update("admin", _id, { name: "Taken" })).status).toBe(404);
  expect((await remove("admin", _id)).status).toBe(404);
  expect(await names("staff")).toEqual([view.name]);
});

test("staff keep no views of screens that are for administrators", async () => {
  const refused = [403, "Only administrators see this screen"];
  expect(answerOf(await call("staff", views.list, { query: { screen: "logs" } }))).toEqual(refused);
  expect(answerOf(await create("staff", { screen: "usps" }))).toEqual(refused);
  expect((await create("admin", { screen: "logs" })).status).toBe(200);
  expect(await list("admin", "logs")).toHaveLength(1);
});

test("a name is one account's once on a screen, in any case", async () => {
  const taken = [409, "There is a view REFUNDED TODAY of this screen already"];
  await create("staff");
  expect(answerOf(await create("staff", { name: "REFUNDED TODAY" }))).toEqual(taken);
  const other = (await create("staff", { name: "Other" })).body.view;
  expect(answerOf(await update("staff", other._id, { name: "REFUNDED TODAY" }))).toEqual(taken);
  expect((await create("staff", { screen: "invoices" })).status).toBe(200);
  expect((await create("admin")).status).toBe(200);
});

test.for([
  [{ screen: "website" }, 400],
  [{ name: " " }, 400],
  [{ name: "x".repeat(41) }, 400],
  [{ name: "two\nlines" }, 400],
  [{ query: `search=${"x".repeat(1000)}` }, 400],
  [{ query: "?status=Active" }, 400],
  [{ query: "search=a b" }, 400],
  [{ query: "#top" }, 400],
  [{ query: new URLSearchParams({ search: "ö & 1/2, o'k* (a-b) ~_.", from: "2026-03-01" }).toString() }, 200],
] as const)("a view with %j is answered %i", async ([values, status]) => {
  expect((await create("staff", values)).status).toBe(status);
});

test("an account keeps twenty views of a screen, however many it saves at once", async () => {
  const account = await addAccount("maren", "staff");
  for (let number = 1; number < mostViews; number++) await create(account, { name: `View ${number}` });
  // Both have counted, and neither can add a view yet.
  const { calls } = await db.transaction(async (tx) => {
    await tx.execute(sql`lock table saved_views in share mode`);
    const calls = ["A", "B"].map((name) => create(account, { name }));
    await untilTheyWait(tx, calls.length, calls);
    return { calls };
  });
  const answers = (await Promise.all(calls)).map(answerOf).sort();
  expect(answers).toEqual([
    [200, expect.any(String)],
    [409, "You have 20 views of this screen already: delete one first"],
  ]);
  expect((await create(account, { screen: "invoices" })).status).toBe(200);
});

test("the views of a deleted account go with it", async () => {
  const account = await addAccount("maren", "staff");
  await create(account);
  await create("staff");
  await call("admin", staff.delete, { params: { id: account.id } });
  expect(await db.select({ name: savedViews.name }).from(savedViews)).toEqual([{ name: view.name }]);
});
