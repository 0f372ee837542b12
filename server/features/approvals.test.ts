import { approvals as contract } from "@footprint/contract/approvals.ts";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { queues } from "@footprint/contract/queues.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { type StaffLimits, website } from "@footprint/contract/website.ts";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { accounts, approvals, customers, logs } from "../db/schema.ts";
import { endRequests } from "../money/approvals.ts";
import { addCustomer, addInvoice, addOrder, balanceOf } from "../testing/builders.ts";
import { follow, tells } from "../testing/follower.ts";
import { meetAt } from "../testing/races.ts";
import { addAccount, call, db } from "../testing/server.ts";
import { openShop } from "../testing/transfers.ts";

type Known = { id: string };
type Caller = Parameters<typeof call>[0];

const limit = (limits: Partial<StaffLimits>) =>
  call("admin", website.updateLimits, { body: { approvals: true, ...limits } });
const addBalance = ({ id }: Known, balance: number, reason = "A goodwill gesture", as: Caller = "staff") =>
  call(as, users.addBalance, { params: { id }, body: { balance, reason } });
const refund = ({ id }: Known, reason = "Label never printed", as: Caller = "staff") =>
  call(as, orders.refund, { params: { id }, body: { reason } });
const markPaid = ({ id }: Known, reason = "Seen in the app", as: Caller = "staff") =>
  call(as, invoices.markPaid, { params: { id }, body: { reason } });
const approve = (id = "", as: Caller = "admin", reason = "") =>
  call(as, contract.approve, { params: { id }, body: { reason } });
const decline = (id = "", reason = "Not enough", as: Caller = "admin") =>
  call(as, contract.decline, { params: { id }, body: { reason } });
const read = async (id = "") => (await call("admin", contract.read, { params: { id } })).body.approval;
const list = async (as: Caller = "admin") => (await call(as, contract.list)).body.approvals;
const answerOf = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message];
const askedOf = (answer: { body: { request?: { _id: string } | undefined } }) => answer.body.request?._id ?? "";
const books = async () => (await call("admin", dashboard.books)).body.problems;

test("without the switch an act above a limit is refused, and saving limits leaves the switch as it is", async () => {
  const customer = await addCustomer();
  await call("admin", website.updateLimits, { body: { staffCredit: 10 } });
  expect((await addBalance(customer, 11)).status).toBe(403);
  await limit({});
  await call("admin", website.updateLimits, { body: { staffCredit: 20 } });
  expect((await call("admin", website.limits)).body.limits).toMatchObject({ staffCredit: 20, approvals: true });
  expect((await addBalance(customer, 21)).status).toBe(202);
  const { body } = await call("admin", website.updateLimits, { body: { approvals: false } });
  expect(body.message).toBe("Limits saved");
  const [row] = await db.select().from(logs).where(eq(logs.type, "website")).orderBy(sql`created_at desc`).limit(1);
  expect(row).toMatchObject({
    action: "Changed the limits of staff accounts: what is above them is refused",
    before: { approvals: true },
    after: { approvals: false },
  });
});

test("refusals are logged, equal ones once in ten minutes, and at most twenty of an account", async () => {
  const customer = await addCustomer({ username: "maren", balance: 1 });
  const order = await addOrder({ customer, price: 12 });
  const invoice = await addInvoice({ customer, amount: 50 });
  await limit({ staffCredit: 10, staffRefund: 5, approvals: false });
  for (const _ of [1, 2]) expect((await addBalance(customer, 999)).status).toBe(403);
  expect((await refund(order)).status).toBe(403);
  await call("staff", invoices.markSeveralPaid, { body: { ids: [invoice.id] } });
  const refused = () =>
    db
      .select({ admin: logs.admin, type: logs.type, action: logs.action, after: logs.after, about: logs.subjectId })
      .from(logs)
      .where(sql`action like 'Was refused%'`)
      .orderBy(logs.createdAt, logs.id);
  const mostAtOnce = (act: string, most: string) => `You may ${act} at most ${most} at once`;
  expect(await refused()).toEqual([
    {
      admin: "staff",
      type: "balance",
      action: `Was refused to add $999.00 to maren's balance: ${mostAtOnce("credit", "$10.00")}`,
      after: { reason: "A goodwill gesture" },
      about: customer.id,
    },
    {
      admin: "staff",
      type: "refund",
      action: `Was refused to refund order ${order.uuid} ($12.00) for maren: ${mostAtOnce("refund", "$5.00")}`,
      after: { reason: "Label never printed" },
      about: order.id,
    },
    {
      admin: "staff",
      type: "invoice",
      action: `Was refused to mark invoice ${invoice.id} as paid ($50.00) for maren: ${mostAtOnce("credit", "$10.00")}`,
      after: { reason: "" },
      about: invoice.id,
    },
  ]);
  for (let more = 0; more < 25; more++) await addBalance(customer, 100 + more);
  expect(await refused()).toHaveLength(20);
  expect(await balanceOf(customer)).toBe(1);
});

test("an act above a limit becomes a request, visible to administrators and to its own requester", async () => {
  await limit({ staffRefund: 5, staffCredit: 5 });
  const customer = await addCustomer({ username: "maren", balance: 1 });
  const { token } = await addAccount("colleague", "staff");
  const order = await addOrder({ customer, price: 8 });
  const asked = await refund(order);
  expect([asked.status, asked.body]).toEqual([
    202,
    {
      message: "Sent to the administrators for approval",
      request: {
        _id: expect.any(String),
        act: "refund",
        user: { _id: customer.id, username: "maren" },
        amount: 8,
        for: { kind: "order", _id: order.id, name: order.uuid },
        reason: "Label never printed",
        by: { _id: expect.any(String), username: "staff" },
        status: "waiting",
        decision: null,
        expiresAt: expect.any(String),
        createdAt: expect.any(String),
      },
    },
  ]);
  expect(await balanceOf(customer)).toBe(1);
  const again = await refund({ ...order, id: order.id.toUpperCase() });
  expect(again.body.message).toBe("This waits for approval already: staff asked for it");
  const invoice = await addInvoice({ customer, amount: 9 });
  const other = await markPaid(invoice, "In the app", { token });
  expect(other.body.request).toMatchObject({ act: "deposit", for: { kind: "invoice", _id: invoice.id } });

  expect((await list()).map(({ act }) => act)).toEqual(["deposit", "refund"]);
  expect((await list("staff")).map(({ act }) => act)).toEqual(["refund"]);
  expect((await list({ token })).map(({ act }) => act)).toEqual(["deposit"]);
  const params = { id: askedOf(other) };
  expect((await call("staff", contract.read, { params })).status).toBe(404);
  const byIds = await call("staff", contract.list, { query: { ids: params.id } });
  expect(byIds.body).toMatchObject({ approvals: [], total: 0 });
  for (const act of [contract.approve, contract.decline])
    expect((await call("staff", act, { params, body: { reason: "Mine" } })).status).toBe(403);
  expect((await call("admin", dashboard.attention)).body.approvals.count).toBe(2);
  expect((await call("admin", queues.read)).body.approvals?.count).toBe(2);
  expect((await call("staff", queues.read)).body.approvals?.count).toBe(1);
  const rows = await db.select().from(logs).where(eq(logs.subjectKind, "approval")).orderBy(logs.createdAt);
  expect(rows.map(({ admin, type, action }) => [admin, type, action])).toEqual([
    ["staff", "refund", `Asked for approval to refund order ${order.uuid} ($8.00) for maren: Label never printed`],
    ["colleague", "invoice", `Asked for approval to mark invoice ${invoice.id} as paid ($9.00) for maren: In the app`],
  ]);
});

test("a request needs a reason", async () => {
  await limit({ staffCreditPerDay: 5 });
  const { status, body } = await addBalance(await addCustomer(), 6, "");
  expect([status, body]).toMatchObject([
    400,
    {
      message:
        "You may credit at most $5.00 a day, and $0.00 were today: give a reason, and it is sent to the administrators for approval",
      issues: [{ path: "body.reason" }],
    },
  ]);
  expect(await list()).toEqual([]);
});

test("an approved request is carried out once, and ledger and log name requester and approver", async () => {
  await limit({ staffRefund: 5, staffCredit: 5 });
  const customer = await addCustomer({ username: "maren" });
  const order = await addOrder({ customer, price: 8 });
  const asked = [
    await refund(order),
    await markPaid(await addInvoice({ customer, amount: 20 })),
    await addBalance(customer, 300),
  ];
  for (const answer of asked) expect((await approve(askedOf(answer), "admin", "Fine")).status).toBe(200);
  expect(await balanceOf(customer)).toBe(328);
  for (const answer of asked) {
    expect(answerOf(await approve(askedOf(answer)))).toEqual([409, "admin has approved this already"]);
    expect(answerOf(await decline(askedOf(answer)))).toEqual([409, "admin has approved this already"]);
    expect(await read(askedOf(answer))).toMatchObject({
      status: "approved",
      decision: { by: "admin", reason: "Fine" },
    });
  }
  expect(await balanceOf(customer)).toBe(328);
  const { body } = await call("admin", transfers.history, { params: { id: customer.id }, query: { limit: 3 } });
  expect(body.transfers.map(({ kind, amount, by, reason }) => [kind, amount, by.username, reason])).toEqual([
    ["adjustment", 300, "admin", "A goodwill gesture (asked for by staff; Fine)"],
    ["deposit", 20, "admin", "Seen in the app (asked for by staff; Fine)"],
    ["refund", 8, "admin", "Label never printed (asked for by staff; Fine)"],
  ]);
  const told = await call(await openShop(), storefront.transfers, { params: { discordId: customer.discordId } });
  expect(told.body.transfers[0]).toMatchObject({ amount: 300, reason: "A goodwill gesture" });
  const [row] = await db.select().from(logs).where(eq(logs.subjectId, order.id));
  expect(row).toMatchObject({
    admin: "admin",
    action: `Refunded order ${order.uuid} ($8.00) to maren: Label never printed (asked for by staff; Fine)`,
  });
  expect(await books()).toEqual([]);
});

test("approved acts count towards nobody's daily limit", async () => {
  await limit({ staffCredit: 5, staffCreditPerDay: 10 });
  const customer = await addCustomer();
  await approve(askedOf(await addBalance(customer, 50)));
  expect((await addBalance(customer, 5)).status).toBe(200);
  expect((await addBalance(customer, 5)).status).toBe(200);
  expect((await addBalance(customer, 0.01)).status).toBe(202);
});

test("a declined request moves nothing, and its requester reads why", async () => {
  await limit({ staffCredit: 5 });
  const customer = await addCustomer({ username: "maren" });
  const id = askedOf(await addBalance(customer, 50));
  expect((await call("admin", contract.decline, { params: { id }, body: { reason: "" } })).status).toBe(400);
  expect(answerOf(await decline(id))).toEqual([200, "Declined: add $50.00 to maren's balance"]);
  expect((await list("staff"))[0]).toMatchObject({
    status: "declined",
    decision: { by: "admin", reason: "Not enough" },
  });
  expect(answerOf(await approve(id))).toEqual([409, "admin has declined this already"]);
  expect(await balanceOf(customer)).toBe(0);
  // The same may be requested again.
  expect(askedOf(await addBalance(customer, 50))).not.toBe(id);
});

test("nobody decides their own request, not even an administrator", async () => {
  await limit({ staffCredit: 5 });
  const customer = await addCustomer();
  const { id, token } = await addAccount("climber", "staff");
  const request = askedOf(await addBalance(customer, 50, "Why not", { token }));
  await db.update(accounts).set({ role: "admin" }).where(eq(accounts.id, id));
  const own = [403, "Somebody else has to decide about your own request"];
  expect(answerOf(await approve(request, { token }))).toEqual(own);
  expect(answerOf(await decline(request, "No", { token }))).toEqual(own);
  const tried = await db.select().from(logs).where(eq(logs.actorId, id)).orderBy(logs.createdAt, logs.id);
  expect(tried.map(({ action }) => action)).toEqual([
    expect.stringMatching(/^Asked for approval to add \$50\.00 to /),
    expect.stringMatching(/^Was refused to decide about their own request to add \$50\.00 to /),
  ]);
  expect((await approve(request)).status).toBe(200);
});

test("two clicks make one request, and so do two who ask for one refund", async () => {
  await limit({ staffRefund: 5, staffCredit: 5 });
  const customer = await addCustomer();
  const order = await addOrder({ customer, price: 8 });
  const { token } = await addAccount("colleague", "staff");
  const answers = await meetAt(customers, customer, () => [
    refund(order),
    refund(order),
    refund(order, "Me too", { token }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(new Set(answers.map(askedOf)).size).toBe(1);
  const credits = await Promise.all([addBalance(customer, 50), addBalance(customer, 50)]);
  expect(new Set(credits.map(askedOf)).size).toBe(1);
  // Another amount, and another account's request, are different ones.
  await addBalance(customer, 51);
  await addBalance(customer, 50, "Mine", { token });
  expect((await list()).length).toBe(4);
  expect(await db.$count(logs, eq(logs.subjectKind, "approval"))).toBe(4);
});

test("a repeat with the same key is the same request, and the same approval", async () => {
  await limit({ staffCredit: 5 });
  const customer = await addCustomer();
  const headers = { "idempotency-key": "click-1" };
  const input = { params: { id: customer.id }, body: { balance: 50, reason: "Twice" }, headers };
  const [first, second] = [await call("staff", users.addBalance, input), await call("staff", users.addBalance, input)];
  expect([second.status, second.body]).toEqual([202, first.body]);
  const decision = { params: { id: askedOf(first) }, body: { reason: "" }, headers: { "idempotency-key": "yes-1" } };
  const approved = await call("admin", contract.approve, decision);
  const again = await call("admin", contract.approve, decision);
  expect([approved.status, again.status, again.body]).toEqual([200, 200, approved.body]);
  // The first answer, although the request has been approved since.
  expect((await call("staff", users.addBalance, input)).body).toEqual(first.body);
  expect(await balanceOf(customer)).toBe(50);
});

test("of several rows, those above the limit become requests, and the answer says so for each", async () => {
  await limit({ staffRefund: 5 });
  const customer = await addCustomer();
  const [small, large] = [await addOrder({ customer, price: 4 }), await addOrder({ customer, price: 8 })];
  const headers = { "idempotency-key": "several-1" };
  const input = { body: { ids: [small.id, large.id], reason: "Lost batch" }, headers };
  const { status, body } = await call("staff", orders.refundSeveral, input);
  expect([status, body]).toEqual([
    200,
    {
      message: "1 of 2 refunded, 1 sent for approval",
      outcomes: [
        { _id: small.id, done: true, message: expect.stringContaining("$4.00 refunded") },
        {
          _id: large.id,
          done: false,
          message: "Sent to the administrators for approval",
          request: (await list())[0]?._id,
        },
      ],
    },
  ]);
  expect((await call("staff", orders.refundSeveral, input)).body).toEqual(body);
  expect((await list()).length).toBe(1);
  const without = await call("staff", orders.refundSeveral, {
    body: { ids: [(await addOrder({ price: 8 })).id], reason: "" },
  });
  expect(without.body.outcomes[0]).toMatchObject({ done: false, message: expect.stringContaining("give a reason") });
});

test("a request is over after a day, by the database's clock, and can be asked for again", async () => {
  await limit({ staffCredit: 5 });
  const customer = await addCustomer();
  const id = askedOf(await addBalance(customer, 50));
  await db.execute(sql`update approvals set expires_at = clock_timestamp()`);
  expect(await read(id)).toMatchObject({ status: "expired", decision: null });
  const over = [409, "This request has expired: it has to be asked for again"];
  expect([answerOf(await approve(id)), answerOf(await decline(id))]).toEqual([over, over]);
  expect((await call("admin", dashboard.attention)).body.approvals.count).toBe(0);
  const anew = askedOf(await addBalance(customer, 50));
  expect([anew === id, (await list()).map(({ status }) => status)]).toEqual([false, ["waiting", "expired"]]);
  await db.execute(sql`update approvals set expires_at = clock_timestamp() where id = ${anew}`);
  await Promise.all([endRequests(db), endRequests(db)]);
  const rows = await db.select().from(approvals);
  expect(rows.map(({ status }) => status)).toEqual(["expired", "expired"]);
  const ended = await db.select().from(logs).where(eq(logs.actorKind, "system"));
  expect(ended.map(({ subjectId }) => subjectId).sort()).toEqual([id, anew].sort());
  expect(await balanceOf(customer)).toBe(0);
});

test("a request that can no longer be carried out when approved is closed as failed, and says why", async () => {
  await limit({ staffRefund: 5, staffCredit: 5 });
  const customer = await addCustomer({ username: "maren" });
  const order = await addOrder({ customer, price: 8 });
  const invoice = await addInvoice({ customer, amount: 9 });
  const refunding = askedOf(await refund(order));
  const paying = askedOf(await markPaid(invoice));
  await refund(order, "", "admin");
  await markPaid(invoice, "", "admin");
  for (const [id, why] of [
    [refunding, "This order is already refunded"],
    [paying, "This invoice is already paid"],
  ] as const) {
    const failed = [409, `This cannot be done any more: ${why}`];
    expect([answerOf(await approve(id)), answerOf(await approve(id))]).toEqual([failed, failed]);
    expect(await read(id)).toMatchObject({ status: "failed", decision: { by: "admin", reason: why } });
  }
  const rows = await db.select().from(logs).where(eq(logs.subjectId, refunding)).orderBy(logs.createdAt);
  expect(rows.map(({ action }) => action).at(-1)).toBe(
    `Could not do staff's request to refund order ${order.uuid} ($8.00) for maren: This order is already refunded`,
  );
  expect(await balanceOf(customer)).toBe(17);

  const full = askedOf(await addBalance(customer, 6));
  await db.execute(sql`update customers set active = false where id = ${customer.id}`);
  expect(answerOf(await approve(full))[1]).toBe("This cannot be done any more: maren was disabled meanwhile");
  // The customer was already disabled when it was requested, so this is no surprise.
  expect((await approve(askedOf(await addBalance(customer, 6)))).status).toBe(200);
});

test("a request whose asker is suspended or deleted by then is not done", async () => {
  await limit({ staffCredit: 5 });
  const customer = await addCustomer();
  const [first, second] = [await addAccount("leaver", "staff"), await addAccount("sleeper", "staff")];
  const ids = [
    askedOf(await addBalance(customer, 50, "Bye", { token: first.token })),
    askedOf(await addBalance(customer, 60, "Bye", { token: second.token })),
  ];
  await call("admin", staff.delete, { params: { id: first.id } });
  await db.execute(sql`update accounts set suspended_at = now() where id = ${second.id}`);
  expect((await Promise.all(ids.map((id) => approve(id)))).map(answerOf)).toEqual([
    [409, "This cannot be done any more: leaver's account was deleted"],
    [409, "This cannot be done any more: sleeper's account is suspended"],
  ]);
  expect(await balanceOf(customer)).toBe(0);
});

test("of two simultaneous approvals and a refusal, only one counts", async () => {
  await limit({ staffRefund: 5, staffCredit: 5 });
  const { token } = await addAccount("second.admin", "admin");
  const customer = await addCustomer();
  const order = await addOrder({ customer, price: 8 });
  for (const id of [askedOf(await refund(order)), askedOf(await addBalance(customer, 30))]) {
    const before = await balanceOf(customer);
    const answers = await meetAt(customers, customer, () => [
      approve(id),
      approve(id, { token }),
      decline(id, "No", { token }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { status, amount } = await read(id);
    expect(["approved", "declined"]).toContain(status);
    expect(await balanceOf(customer)).toBe(before + (status === "approved" ? amount : 0));
  }
  expect(await books()).toEqual([]);
});

test("a requester who acts alone after the limit was raised meets the approval: it is done once", async () => {
  await limit({ staffRefund: 5 });
  const customer = await addCustomer();
  const order = await addOrder({ customer, price: 8 });
  const id = askedOf(await refund(order));
  await limit({ staffRefund: 10 });
  const answers = await meetAt(customers, customer, () => [approve(id), refund(order)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await balanceOf(customer)).toBe(8);
  expect(["approved", "failed"]).toContain((await read(id)).status);
  expect(await books()).toEqual([]);
});

test("an account has at most a hundred requests waiting", async () => {
  await limit({ staffCredit: 5 });
  const customer = await addCustomer();
  const asked = askedOf(await addBalance(customer, 50));
  await db.execute(sql`
    insert into approvals (id, act, thing, customer_id, customer_active, amount_cents, reason, asked_by, asked_name)
    select gen_random_uuid(), act, thing || number, customer_id, true, amount_cents, reason, asked_by, asked_name
    from approvals, generate_series(1, 99) as number`);
  const refused = await addBalance(customer, 51);
  expect(answerOf(refused)).toEqual([
    409,
    "100 of your requests wait already: ask an administrator to decide about them",
  ]);
  await decline(asked);
  expect((await addBalance(customer, 51)).status).toBe(202);
});

test("requests and decisions are told at once to those who may see them", async () => {
  await limit({ staffCredit: 5 });
  const [admin, asker] = [await follow("admin"), await follow("staff")];
  const asked = await addBalance(await addCustomer(), 50);
  expect(asked.status).toBe(202);
  const id = askedOf(asked);
  await admin.until(tells("approvals", id));
  await decline(id);
  await asker.until(tells("approvals", id));
  await Promise.all([admin.leave(), asker.leave()]);
});
