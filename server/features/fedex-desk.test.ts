import { dashboard } from "@footprint/contract/dashboard.ts";
import { fedex, offeredStatuses } from "@footprint/contract/fedex.ts";
import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { fedexOrders } from "../db/schema.ts";
import { endClaims } from "../money/fedex-claims.ts";
import { addCustomer, addFedexOrder } from "../testing/builders.ts";
import { formWith, pdf, png } from "../testing/multipart.ts";
import { addAccount, call, db, logRows, send } from "../testing/server.ts";

type Known = { id: string };
type Caller = Parameters<typeof call>[0];

const claim = ({ id }: Known, as: Caller = "staff") => call(as, fedex.claim, { params: { id } });
const release = ({ id }: Known, as: Caller = "staff") => call(as, fedex.release, { params: { id } });
const read = async ({ id }: Known, as: Caller = "staff") => (await call(as, fedex.read, { params: { id } })).body;
const update = ({ id }: Known, body: object) => call("staff", fedex.update, { params: { id }, body: body as never });
const attach = ({ id }: Known, content: Buffer, name: string) =>
  call("staff", fedex.update, { params: { id }, form: formWith({ file: new Blob([content]) }, name) });
const listed = async ({ id }: Known) => (await call("staff", fedex.list)).body.docs.find((order) => order._id === id);
const answerOf = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message];
const over = ({ id }: Known) =>
  db.update(fedexOrders).set({ claimedUntil: sql`now() - interval '1 second'` }).where(eq(fedexOrders.id, id));
afterEach(() => void vi.useRealTimers());

const problems = async () => (await call("admin", dashboard.books)).body.problems;
const stats = async () => (await call("staff", fedex.stats)).body;

test("a pending order that somebody claims is in process and shows who; released, it is pending again", async () => {
  const order = await addFedexOrder();
  const before = Date.now();
  const { status, body } = await claim(order);
  expect([status, body.message]).toEqual([200, "The order is yours for 15 minutes"]);
  const minutes = (Date.parse(body.claim.until) - before) / 60_000;
  expect(minutes).toBeGreaterThan(14);
  expect(minutes).toBeLessThan(16);
  expect(await listed(order)).toMatchObject({ status: "In Process", claim: { by: { username: "staff" } } });
  expect((await read(order)).order.claim).toEqual(body.claim);
  expect(await stats()).toMatchObject({ pending: 0 });

  expect(answerOf(await release(order))).toEqual([200, "Order released"]);
  expect(await listed(order)).toMatchObject({ status: "Pending", claim: null });
  expect(await stats()).toMatchObject({ pending: 1 });
  expect(answerOf(await release(order))).toEqual([409, "Nobody works on this order"]);
  expect((await logRows()).map(({ action }) => action)).toEqual([
    `Claimed Fedex order ${order.uuid}`,
    `Released Fedex order ${order.uuid}`,
  ]);
  expect(await problems()).toEqual([]);
});

test("nobody else can claim or release a claimed order, except that an administrator may release it", async () => {
  const order = await addFedexOrder();
  const colleague = await addAccount("sam", "staff");
  await claim(order, colleague);
  expect(answerOf(await claim(order))).toEqual([409, "sam works on this order"]);
  expect(answerOf(await release(order))).toEqual([409, "sam works on this order"]);
  expect((await release(order, "admin")).status).toBe(200);
  expect((await claim(order)).status).toBe(200);
});

test("claiming again prolongs a claim", async () => {
  const order = await addFedexOrder();
  await claim(order);
  await db.update(fedexOrders).set({ claimedUntil: sql`now() + interval '1 minute'` });
  const { body } = await claim(order);
  expect(Date.parse(body.claim.until) - Date.now()).toBeGreaterThan(10 * 60_000);
  expect((await read(order)).timeline.map(({ what }) => what)).toEqual(["created", "claimed", "prolonged"]);
});

test("a claim holds on a server whose clock differs from the database's", async () => {
  const [fresh, held, colleague] = [await addFedexOrder(), await addFedexOrder(), await addAccount("sam", "staff")];
  await claim(held, colleague);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 20 * 60_000 });
  expect((await claim(fresh)).status).toBe(200);
  expect(answerOf(await claim(held))).toEqual([409, "sam works on this order"]);
  expect(await listed(fresh)).toMatchObject({ status: "In Process", claim: { by: { username: "staff" } } });
  expect((await read(held)).order.claim).toMatchObject({ by: { username: "sam" } });
});

test("of many who claim an order at once, one gets it", async () => {
  const order = await addFedexOrder();
  const colleagues = await Promise.all(["ann", "ben", "cleo"].map((name) => addAccount(name, "staff")));
  const answers = await Promise.all(colleagues.map((one) => claim(order, one)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(await logRows()).toHaveLength(1);
  expect(await problems()).toEqual([]);
});

test("an order that waits for the customer keeps its status while claimed; one that is done cannot be claimed", async () => {
  const waiting = await addFedexOrder({ status: "Awaiting User Input" });
  await claim(waiting);
  expect(await listed(waiting)).toMatchObject({ status: "Awaiting User Input", claim: { by: { username: "staff" } } });
  await release(waiting);
  expect(await listed(waiting)).toMatchObject({ status: "Awaiting User Input", claim: null });
  for (const status of ["Completed", "Cancelled"] as const) {
    const done = await addFedexOrder({ status });
    expect(answerOf(await claim(done))).toEqual([
      409,
      `This order is ${status.toLowerCase()}: there is nothing to work on`,
    ]);
  }
  expect((await claim({ id: uuidv7() })).status).toBe(404);
});

test("a claim that is over shows nobody, may be taken over, and ends once however many servers end it", async () => {
  const [left, taken, held] = [await addFedexOrder(), await addFedexOrder(), await addFedexOrder()];
  for (const order of [left, taken, held]) await claim(order);
  await over(left);
  await over(taken);
  expect(await listed(left)).toMatchObject({ claim: null });
  const colleague = await addAccount("sam", "staff");
  expect((await claim(taken, colleague)).status).toBe(200);

  await Promise.all([endClaims(db), endClaims(db), endClaims(db)]);
  await endClaims(db);
  expect(await listed(left)).toMatchObject({ status: "Pending", claim: null });
  expect(await listed(taken)).toMatchObject({ status: "In Process", claim: { by: { username: "sam" } } });
  expect(await listed(held)).toMatchObject({ status: "In Process", claim: { by: { username: "staff" } } });
  const ended = (await logRows()).filter(({ action }) => action.endsWith("ended"));
  expect(ended).toMatchObject([
    { admin: "system", action: `The claim of staff on Fedex order ${left.uuid} ended`, type: "fedex" },
  ]);
  expect(await stats()).toMatchObject({ pending: 1 });
  expect(await problems()).toEqual([]);
});

test.for(offeredStatuses)("another status, %s, ends the claim; other changes do not", async (status) => {
  const order = await addFedexOrder();
  await claim(order);
  await update(order, { note: "on it", price: 12 });
  expect(await listed(order)).toMatchObject({ status: "In Process", claim: { by: { username: "staff" } } });
  await update(order, { status });
  expect(await listed(order)).toMatchObject({ status, claim: null });
  expect(await problems()).toEqual([]);
});

test("price, note and file are removed again, with one row in the log", async () => {
  const order = await addFedexOrder({ price: 10, note: "old" });
  await attach(order, pdf, "label.pdf");
  const form = formWith({ remove: "price,note,file" });
  expect((await call("staff", fedex.update, { params: { id: order.id }, form })).status).toBe(200);
  expect(await listed(order)).toMatchObject({ price: null, note: "", file: null, status: "Pending" });
  expect((await send("staff", fedex.file, { params: { id: order.id } })).status).toBe(404);
  const rows = await logRows();
  expect(rows).toHaveLength(2);
  expect(rows[1]).toMatchObject({
    action: `Updated Fedex order ${order.uuid}: note changed, price $10.00 to none, file removed`,
    before: { price: 10, note: "old", file: "label.pdf" },
    after: { price: null, note: "", file: null },
  });
  // Removing what is not there changes nothing.
  expect((await update(order, { remove: ["price", "file"] })).status).toBe(200);
  expect(await logRows()).toHaveLength(2);
});

test("what is given is not removed with the same call", async () => {
  const order = await addFedexOrder({ price: 10 });
  expect(answerOf(await update(order, { price: 12, remove: ["price"] }))).toEqual([
    400,
    "The price cannot be both given and removed",
  ]);
  expect((await update(order, { remove: ["status"] })).status).toBe(400);
  const form = formWith({ file: new Blob([pdf]), remove: "file" });
  expect((await call("staff", fedex.update, { params: { id: order.id }, form })).status).toBe(400);
  expect(await listed(order)).toMatchObject({ price: 10, file: null });
});

test("an order's story tells who did what, in words that any staff may read", async () => {
  const customer = await addCustomer({ balance: 31.5, discordId: "Disc77001" });
  const order = await addFedexOrder({ customer });
  await claim(order);
  await attach(order, pdf, "label.pdf");
  await send("staff", fedex.file, { params: { id: order.id } });
  await update(order, { status: "Completed", price: 42.6, note: "sent" });
  const story = await read(order);
  expect(story.customer).toEqual({ _id: customer.id, username: customer.username, balance: 31.5 });
  expect(story.order).toMatchObject({ _id: order.id, status: "Completed", user: { discordId: "***" } });
  expect((await read(order, "admin")).order.user.discordId).toBe("Disc77001");
  const by = { username: "staff", kind: "account" };
  expect(story.timeline).toMatchObject([
    { what: "created", by: null, createdAt: order.createdAt.toISOString() },
    { what: "claimed", by },
    { what: "changed", by, file: { from: null, to: "label.pdf" } },
    {
      what: "changed",
      by,
      status: { from: "In Process", to: "Completed" },
      price: { from: null, to: 42.6 },
      note: true,
    },
  ]);
  expect(JSON.stringify(story)).not.toContain("Disc77001");
  expect(JSON.stringify(story.timeline)).not.toContain("sent");
  expect((await call("staff", fedex.read, { params: { id: uuidv7() } })).status).toBe(404);
});

test("similar parcels are those of nearly the same weight in any unit, newest first; the cheapest and dearest are left out of what is usual", async () => {
  const customer = await addCustomer();
  const order = await addFedexOrder({ customer, weight: 45 });
  const priced = (price: number, weight: number, weightUnit = "lb") =>
    addFedexOrder({ customer, price, weight, weightUnit, toCity: "Tampa", toState: "FL" });
  await priced(500, 9);
  await priced(500, 100);
  await addFedexOrder({ customer, weight: 45 });
  const similar = [];
  for (const [price, weight, unit] of [
    [36.4, 41],
    [41.8, 44],
    [43.1, 47],
    [40, 20, "kg"],
  ] as const)
    similar.push(await priced(price, weight, unit));
  const story = await read(order);
  expect(story.similar.map(({ uuid, price }) => [uuid, price])).toEqual(
    similar.reverse().map(({ uuid, priceCents }) => [uuid, (priceCents ?? 0) / 100]),
  );
  expect(story.similar[0]).toMatchObject({ weight: 20, weightUnit: "kg", city: "Tampa", state: "FL" });
  expect(story.usualPrice).toEqual({ low: 36.4, high: 43.1 });

  for (const price of [1, 900, 39, 39, 39, 39]) await priced(price, 45);
  const later = await read(order);
  expect(later.similar).toHaveLength(5);
  expect(later.usualPrice).toEqual({ low: 36.4, high: 43.1 });
  expect((await read(await addFedexOrder({ weight: 0.2 }))).usualPrice).toBe(null);
});

test("the same file on another order is named, whatever it is called", async () => {
  const [one, other, third] = [await addFedexOrder(), await addFedexOrder({ toName: "Ada" }), await addFedexOrder()];
  await attach(one, pdf, "one.pdf");
  await attach(third, png, "third.png");
  expect((await read(one)).sameFile).toEqual([]);
  const { body } = await attach(other, pdf, "other.pdf");
  expect(body.sameFile).toEqual([{ _id: one.id, uuid: one.uuid, receiver: one.toName }]);
  expect((await read(one)).sameFile).toEqual([{ _id: other.id, uuid: other.uuid, receiver: "Ada" }]);
  expect((await read(third)).sameFile).toEqual([]);
  await update(other, { remove: ["file"] });
  expect((await read(one)).sameFile).toEqual([]);
});

test("open orders are those that somebody still has to work on, with their true total", async () => {
  const customer = await addCustomer();
  const open = [];
  for (const status of ["Pending", "Completed", "In Process", "Cancelled", "Awaiting User Input"] as const) {
    const order = await addFedexOrder({ customer, status });
    if (status !== "Completed" && status !== "Cancelled") open.push(order.id);
  }
  const { body } = await call("staff", fedex.list, { query: { filter: "Open", sort: "asc" } });
  expect([body.docs.map(({ _id }) => _id), body.total]).toEqual([open, 3]);
});
