import { dashboard } from "@footprint/contract/dashboard.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { eq, sql } from "drizzle-orm";
import { expect, inject, test as onBothEngines } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers, sessions, trackingCodes } from "../db/schema.ts";
import { addCustomer, addInvoice, addOrder, balanceOf, transfersOf } from "../testing/builders.ts";
import { meetAt, untilTheyWait } from "../testing/races.ts";
import { addAccount, call, db, logRows } from "../testing/server.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

type Caller = Parameters<typeof call>[0];
type Known = { id: string };

const idsOf = (rows: Known[]) => rows.map(({ id }) => id);
const refund = (as: Caller, rows: Known[], { key, reason = "" }: { key?: string; reason?: string } = {}) =>
  call(as, orders.refundSeveral, {
    body: { ids: idsOf(rows), reason },
    ...(key && { headers: { "idempotency-key": key } }),
  });
const actions = async () => (await logRows()).map(({ action }) => action);
const areBalanced = async () => expect((await call("admin", dashboard.books)).body.problems).toEqual([]);

/** Three orders of one customer, for $5, $6 and $7. */
async function addThree() {
  const customer = await addCustomer({ username: "maren" });
  const bought: Known[] = [];
  for (const price of [5, 6, 7]) bought.push(await addOrder({ customer, price }));
  return { customer, bought };
}

test("several orders are refunded, each with its transfer and its log row, and each that is refused says why", async () => {
  const { customer, bought } = await addThree();
  const [first, second, third] = bought as [Known, Known, Known];
  await call("staff", orders.refund, { params: { id: second.id } });
  const unknown = uuidv7();
  const { status, body } = await refund("staff", [...bought, { id: unknown }], { reason: "Lost in the mail" });
  expect([status, body]).toEqual([
    200,
    {
      message: "2 of 4 refunded",
      outcomes: [
        { _id: first.id, done: true, message: "$5.00 refunded to maren" },
        { _id: second.id, done: false, message: "This order is already refunded" },
        { _id: third.id, done: true, message: "$7.00 refunded to maren" },
        { _id: unknown, done: false, message: "This order does not exist" },
      ],
    },
  ]);
  expect(await balanceOf(customer)).toBe(18);
  expect((await transfersOf(customer)).map(({ reference }) => reference)).toEqual(idsOf([second, first, third]));
  expect((await actions()).filter((action) => action.includes("Lost in the mail"))).toHaveLength(2);
  await areBalanced();
});

onBothEngines("two who refund the same orders at once refund each of them once", async () => {
  const { customer, bought } = await addThree();
  const other = await addAccount("other", "staff");
  const answers = await meetAt(customers, customer, () => [
    refund("staff", bought),
    refund(other, bought.toReversed()),
  ]);
  const done = answers.flatMap(({ body }) => body.outcomes.filter((outcome) => outcome.done).map(({ _id }) => _id));
  expect(done.sort()).toEqual(idsOf(bought).sort());
  expect(await balanceOf(customer)).toBe(18);
  await areBalanced();
});

test("a staff account's limits hold for each row and for all of them together", async () => {
  const { customer, bought } = await addThree();
  await call("admin", website.updateLimits, { body: { staffRefund: 6, staffRefundPerDay: 10 } });
  expect((await refund("staff", bought)).body.outcomes).toMatchObject([
    { done: true },
    { done: false, message: expect.stringContaining("at most $10.00 a day, and $5.00 were today") },
    { done: false, message: expect.stringContaining("at most $6.00 at once") },
  ]);
  expect(await balanceOf(customer)).toBe(5);
});

/** Does something at the moment when this order is refunded. */
async function whenRefunded<T>(order: Known | undefined, happening: string, work: () => Promise<T>) {
  const run = (statement: string) => db.execute(sql.raw(statement));
  await run(`create function test_happening() returns trigger language plpgsql as
    $$ begin ${happening}; return null; end $$`);
  await run(`create trigger test_happening after update on orders for each row when (new.id = '${order?.id}')
    execute function test_happening()`);
  return work().finally(() => run("drop function test_happening cascade"));
}

test("an account that is signed out half way does nothing after that, and is told what was done", async () => {
  const { customer, bought } = await addThree();
  const account = await addAccount("leaving", "staff");
  const signOut = `delete from sessions where account_id = '${account.id}'`;
  const answer = await whenRefunded(bought[1], signOut, () => refund(account, bought));
  expect([answer.status, answer.body.message]).toEqual([200, "2 of 3 refunded"]);
  expect(answer.body.outcomes).toMatchObject([
    { done: true },
    { done: true },
    { _id: bought[2]?.id, done: false, message: "Sign in to continue" },
  ]);
  expect((await refund(account, bought)).status).toBe(401);
  expect(await balanceOf(customer)).toBe(11);
  expect(await db.select().from(sessions).where(eq(sessions.accountId, account.id))).toEqual([]);
});

onBothEngines(
  "a call cut off half way can be repeated with its key: finished rows say so, and are not done twice",
  async () => {
    const { customer, bought } = await addThree();
    const broken = await whenRefunded(bought[1], "raise 'broken'", () => refund("staff", bought, { key: "once" }));
    expect([broken.status, await balanceOf(customer)]).toEqual([500, 5]);
    const again = await refund("staff", bought, { key: "once" });
    expect([again.body.message, again.body.outcomes.map(({ done }) => done)]).toEqual([
      "3 of 3 refunded",
      [true, true, true],
    ]);
    expect((await refund("staff", bought, { key: "once" })).body).toEqual(again.body);
    // Without the key it is a new request, for which they are already refunded.
    expect((await refund("staff", bought)).body.message).toBe("0 of 3 refunded");
    expect(await balanceOf(customer)).toBe(18);
    expect(await actions()).toHaveLength(3);
    await areBalanced();
  },
);

test("a row that was refused is tried again with the same key; another body under it is refused as a whole", async () => {
  const { customer, bought } = await addThree();
  await call("admin", website.updateLimits, { body: { staffRefund: 6 } });
  expect((await refund("staff", bought, { key: "once" })).body.message).toBe("2 of 3 refunded");
  await call("admin", website.updateLimits, { body: { staffRefund: null } });
  expect((await refund("staff", bought, { key: "once" })).body.message).toBe("3 of 3 refunded");
  const another = await addOrder({ customer });
  expect((await refund("staff", [another], { key: "once" })).status).toBe(409);
  expect((await refund("admin", [another], { key: "once" })).body.message).toBe("1 of 1 refunded");
});

onBothEngines("two calls with one key at once answer the same", async () => {
  const { customer, bought } = await addThree();
  const ask = () => refund("staff", bought, { key: "once" });
  const [one, other] = await Promise.all([ask(), ask()]);
  expect(one.body).toEqual(other.body);
  expect(one.body.message).toBe("3 of 3 refunded");
  expect(await balanceOf(customer)).toBe(18);
});

test("several invoices are marked as paid, each once, with a reason", async () => {
  const customer = await addCustomer({ username: "maren" });
  const open = [await addInvoice({ customer, amount: 20 }), await addInvoice({ customer, amount: 30 })];
  const pay = async () =>
    (await call("staff", invoices.markSeveralPaid, { body: { ids: idsOf(open), reason: "Seen" } })).body;
  expect((await pay()).outcomes.map(({ message }) => message)).toEqual([
    "$20.00 credited to maren",
    "$30.00 credited to maren",
  ]);
  expect((await pay()).outcomes).toEqual(
    open.map(({ id }) => ({ _id: id, done: false, message: "This invoice is already paid" })),
  );
  expect(await balanceOf(customer)).toBe(50);
  expect((await transfersOf(customer)).map(({ kind }) => kind)).toEqual(["deposit", "deposit"]);
  await areBalanced();
});

test("several newcomers are verified, and several customers disabled with a reason that the log keeps", async () => {
  const some = [];
  for (const username of ["anna", "boris"]) some.push(await addCustomer({ username, verifiedAt: null }));
  const ids = idsOf(some);
  const verify = async () => (await call("staff", users.verifySeveral, { body: { ids } })).body;
  expect((await verify()).outcomes.map(({ done, message }) => [done, message])).toEqual([
    [true, "anna is verified"],
    [true, "boris is verified"],
  ]);
  expect((await verify()).outcomes[0]).toMatchObject({ done: false, message: "anna is already verified" });
  const body = { ids, status: false, reason: "Shared account" };
  expect((await call("staff", users.setStatusOfSeveral, { body })).body.message).toBe("2 of 2 disabled");
  expect((await logRows()).slice(2)).toEqual(
    ["anna", "boris"].map((name) => ({
      admin: "staff",
      type: "user",
      action: `Disabled customer ${name}: Shared account`,
      before: { status: true },
      after: { status: false, reason: "Shared account" },
    })),
  );
});

test("one to a hundred rows are named, each once", async () => {
  const ask = async (ids: string[]) => (await call("staff", users.verifySeveral, { body: { ids } })).status;
  const id = uuidv7();
  expect(await ask([])).toBe(400);
  expect(await ask([id, id.toUpperCase()])).toBe(400);
  expect(await ask(Array.from({ length: 101 }, uuidv7))).toBe(400);
  expect(await ask(Array.from({ length: 100 }, uuidv7))).toBe(200);
});

const codes = ["9400111206200000000008", "9400111206200000000015", "9400111206200000000022", "9400111206200000000039"];
const create = (type: string, amount: number, trackRef?: string) =>
  call("admin", tracking.create, { body: { amount, type, trackRef: trackRef ?? codes[0], template: "evs" } as never });
const use = (code = "") => db.update(trackingCodes).set({ usedAt: new Date() }).where(eq(trackingCodes.code, code));
const left = async () => (await db.select().from(trackingCodes).orderBy(trackingCodes.code)).map(({ code }) => code);
const deleteRange = async (first = "", last = "") => {
  const { status, body } = await call("admin", tracking.deleteRange, { body: { first, last } });
  return [status, body.message];
};

test("several unused codes are deleted; a used one is refused by its name", async () => {
  await create("priority", 3);
  await use(codes[1]);
  const rows = await db.select().from(trackingCodes).orderBy(trackingCodes.code);
  const { body } = await call("admin", tracking.deleteSeveral, { body: { ids: idsOf(rows) } });
  expect(body).toEqual({
    message: "2 of 3 deleted",
    outcomes: [
      { _id: rows[0]?.id, done: true, message: `Tracking code ${codes[0]} deleted` },
      { _id: rows[1]?.id, done: false, message: `The code ${codes[1]} is used` },
      { _id: rows[2]?.id, done: true, message: `Tracking code ${codes[2]} deleted` },
    ],
  });
  expect(await left()).toEqual([codes[1]]);
});

test("a mistyped range is deleted as a whole, with one log row; codes between that are not registered do not matter", async () => {
  await create("priority", 2);
  await create("express", 1, codes[3]);
  const deleted = `Deleted 3 unused codes from ${codes[0]} to ${codes[3]}`;
  expect(await deleteRange(codes[0], codes[3])).toEqual([200, deleted]);
  expect(await left()).toEqual([]);
  expect((await logRows()).at(-1)).toEqual({
    admin: "admin",
    type: "tracking",
    action: deleted,
    before: { amount: 3, first: codes[0], last: codes[3], types: ["priority", "express"] },
    after: null,
  });
  expect(await deleteRange(codes[0], codes[3])).toEqual([404, `No code from ${codes[0]} to ${codes[3]} is registered`]);
  expect((await call("admin", tracking.stats)).body.left).toMatchObject({ priority: 0, express: 0 });
});

test("what is registered while a range is being deleted stays", async () => {
  await create("priority", 2);
  const { deleting } = await db.transaction(async (tx) => {
    await tx.execute(sql`select from tracking_codes where code = ${codes[0]} for update`);
    const deleting = deleteRange(codes[0], codes[3]);
    await untilTheyWait(tx, 1, [deleting]);
    await create("priority", 2, codes[2]);
    return { deleting };
  });
  expect(await deleting).toEqual([200, `Deleted 2 unused codes from ${codes[0]} to ${codes[1]}`]);
  expect(await left()).toEqual([codes[2], codes[3]]);
});

test("nothing of a range is deleted where one of its codes is used, or its ends are mistyped", async () => {
  await create("priority", 4);
  await use(codes[2]);
  const before = await left();
  expect(await deleteRange(codes[0], codes[3])).toEqual([409, `The code ${codes[2]} is used. Nothing was deleted.`]);
  expect(await deleteRange(codes[3], codes[0])).toEqual([400, "The last code comes before the first"]);
  expect(await deleteRange(codes[0], "9400111206200000000030")).toEqual([
    400,
    "9400111206200000000030 is mistyped: after 940011120620000000003 the last digit is 9",
  ]);
  expect(await deleteRange(codes[0], "9400111206200009000009")).toEqual([400, "A range has at most 10,000 codes"]);
  expect(await left()).toEqual(before);
  expect(await deleteRange(codes[0], codes[1])).toEqual([
    200,
    `Deleted 2 unused codes from ${codes[0]} to ${codes[1]}`,
  ]);
});
