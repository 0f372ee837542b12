import { dashboard } from "@footprint/contract/dashboard.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers, invoices as invoiceTable, logs as logTable } from "../db/schema.ts";
import { addCustomer, addInvoice, addLabelType, addOrder, balanceOf } from "../testing/builders.ts";
import { meetAt } from "../testing/races.ts";
import { call, db, logRows } from "../testing/server.ts";
import {
  addBalance,
  answerOf,
  buy,
  markPaid,
  newest,
  openShop,
  problems,
  refund,
  reverse,
} from "../testing/transfers.ts";

const statusOf = async ({ id }: { id: string }) =>
  (await db.select().from(invoiceTable).where(eq(invoiceTable.id, id))).map(({ status }) => status)[0];

test.for([
  [12.5, "$12.50 taken back from maren, whose balance is now $20.00", "Reversed the $12.50 added to maren's balance"],
  [-5, "$5.00 returned to maren, whose balance is now $20.00", "Reversed the $5.00 taken from maren's balance"],
] as const)("an adjustment of %d is reversed once, with a reason", async ([amount, message, sentence]) => {
  const customer = await addCustomer({ username: "maren", balance: 20 });
  await addBalance(customer, amount);
  const original = await newest(customer);
  expect(answerOf(await reverse(original._id, "typed wrong"))).toEqual([200, message]);
  expect(await balanceOf(customer)).toBe(20);
  const reversal = await newest(customer);
  expect(reversal).toMatchObject({ kind: "reversal", amount: -amount, balanceAfter: 20, reverses: original._id });
  const [, logged] = await db.select().from(logTable).orderBy(logTable.createdAt, logTable.id);
  expect(logged).toMatchObject({
    type: "balance",
    action: `${sentence}: typed wrong`,
    before: { balance: 20 + amount },
    after: { balance: 20, reason: "typed wrong" },
    subjectKind: "transfer",
    subjectId: original._id,
    customerId: customer.id,
  });
  expect(answerOf(await reverse(original._id))).toEqual([409, "This adjustment is already reversed"]);
  expect(answerOf(await reverse(reversal._id))).toEqual([409, "A reversal is not reversed: make the change anew"]);
  expect(await logRows()).toHaveLength(2);
  expect(await problems()).toEqual([]);
});

test("a reversed deposit makes its invoice reversed, which can be paid and reversed again", async () => {
  const customer = await addCustomer({ username: "maren" });
  const invoice = await addInvoice({ customer, amount: 20 });
  const deposited = async () => (await call("admin", dashboard.deposits)).body.allTimeInvoicesAmount.cashApp;
  for (const round of [1, 2]) {
    expect((await markPaid(invoice, `round ${round}`)).status).toBe(200);
    expect([await statusOf(invoice), await deposited(), await balanceOf(customer)]).toEqual(["paid", 20, 20]);
    const deposit = await newest(customer);
    // A body is optional.
    expect((await reverse(deposit._id)).status).toBe(200);
    expect([await statusOf(invoice), await deposited(), await balanceOf(customer)]).toEqual(["reversed", 0, 0]);
    expect(answerOf(await reverse(deposit._id))).toEqual([409, "This deposit is already reversed"]);
    expect(await problems()).toEqual([]);
  }
  const last = (await logRows()).at(-1);
  expect(last).toMatchObject({
    type: "invoice",
    action: `Reversed the deposit of invoice ${invoice.id} ($20.00) of maren`,
    before: { status: "paid", balance: 20 },
    after: { status: "reversed", balance: 0 },
  });
  expect((await call("staff", invoices.list, { query: { status: "reversed" } })).body.total).toBe(1);
  expect((await markPaid(invoice)).status).toBe(200);
  expect(await problems()).toEqual([]);
});

test("purchases and refunds are not reversed, nor what does not exist", async () => {
  const customer = await addCustomer({ balance: 5 });
  const order = await addOrder({ customer });
  expect(answerOf(await reverse((await newest(customer))._id))).toEqual([
    409,
    "A purchase is not reversed: refund the order",
  ]);
  await refund(order);
  expect(answerOf(await reverse((await newest(customer))._id))).toEqual([409, "A refund is not reversed"]);
  expect(answerOf(await reverse(uuidv7()))).toEqual([404, "This transfer does not exist"]);
  expect((await reverse("7")).status).toBe(400);
  expect((await reverse(uuidv7(), "x".repeat(501))).status).toBe(400);
});

test("a reversal never takes more than there is, and says what is missing", async () => {
  const customer = await addCustomer({ username: "maren" });
  const invoice = await addInvoice({ customer, amount: 20 });
  await markPaid(invoice);
  const deposit = await newest(customer);
  await addBalance(customer, -15);
  expect(answerOf(await reverse(deposit._id))).toEqual([402, "maren has $5.00, $15.00 short of $20.00"]);
  expect([await statusOf(invoice), await balanceOf(customer)]).toEqual(["paid", 5]);
  await addBalance(customer, 15);
  expect((await reverse(deposit._id)).status).toBe(200);
});

test("a reversal that is sent twice with one key is made once", async () => {
  const customer = await addCustomer({ balance: 1 });
  await addBalance(customer, 5);
  const { _id: id } = await newest(customer);
  const send = () =>
    call("staff", transfers.reverse, { params: { id }, body: { reason: "x" }, headers: { "idempotency-key": "undo" } });
  const answers = await meetAt(customers, customer, () => [send(), send(), send()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await balanceOf(customer)).toBe(1);
});

test("two who reverse the same at once: one does", async () => {
  const customer = await addCustomer({ balance: 100 });
  await addBalance(customer, 10);
  const { _id: adjustment } = await newest(customer);
  const invoice = await addInvoice({ customer, amount: 20 });
  await markPaid(invoice);
  const { _id: deposit } = await newest(customer);
  for (const [id, left] of [
    [adjustment, 120],
    [deposit, 100],
  ] as const) {
    const answers = await meetAt(customers, customer, () => [reverse(id), reverse(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await balanceOf(customer)).toBe(left);
  }
  expect(await problems()).toEqual([]);
});

test("a reversal and a purchase that want the same money: one gets it", async () => {
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 4]] });
  const shop = await openShop();
  for (let round = 0; round < 3; round++) {
    const customer = await addCustomer();
    await addBalance(customer, 4);
    const { _id: id } = await newest(customer);
    const [reversal, purchase] = await meetAt(customers, customer, () => [
      reverse(id) as Promise<{ status: number }>,
      buy(shop, customer.discordId) as Promise<{ status: number }>,
    ]);
    expect([
      [200, 402],
      [402, 201],
    ]).toContainEqual([reversal?.status, purchase?.status]);
    expect(await balanceOf(customer)).toBe(0);
  }
  expect(await problems()).toEqual([]);
});

test("reversing a deposit while others mark its invoice as paid: it is paid or reversed, never both", async () => {
  const customer = await addCustomer();
  const invoice = await addInvoice({ customer, amount: 20 });
  await markPaid(invoice);
  for (let round = 0; round < 3; round++) {
    const { _id: id } = await newest(customer);
    const answers = await Promise.all([reverse(id), markPaid(invoice), reverse(id), markPaid(invoice)]);
    const paidAgain = [answers[1], answers[3]].filter((answer) => answer?.status === 200).length;
    const undone = [answers[0], answers[2]].filter((answer) => answer?.status === 200).length;
    expect([undone, answers.every(({ status }) => status === 200 || status === 409)]).toEqual([1, true]);
    expect(await statusOf(invoice)).toBe(paidAgain ? "paid" : "reversed");
    expect(await balanceOf(customer)).toBe(paidAgain ? 20 : 0);
    if (!paidAgain) await markPaid(invoice);
  }
  expect(await problems()).toEqual([]);
});
