import { dashboard } from "@footprint/contract/dashboard.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { settingsId } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { type StaffLimits, website } from "@footprint/contract/website.ts";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { customers, logs, shops } from "../db/schema.ts";
import { addCustomer, addInvoice, addOrder, balanceOf } from "../testing/builders.ts";
import { meetAt } from "../testing/races.ts";
import { addAccount, call, db } from "../testing/server.ts";

type Known = { id: string };
type Caller = Parameters<typeof call>[0];

const none: StaffLimits = {
  ...{ staffCredit: null, staffCreditPerDay: null, staffRefund: null, staffRefundPerDay: null },
  approvals: false,
};
const limit = (limits: Partial<StaffLimits>) => call("admin", website.updateLimits, { body: limits });
const answerOf = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message];
const addBalance = ({ id }: Known, balance: number, as: Caller = "staff") =>
  call(as, users.addBalance, { params: { id }, body: { balance } });
const markPaid = ({ id }: Known, as: Caller = "staff") => call(as, invoices.markPaid, { params: { id } });
const refund = ({ id }: Known, as: Caller = "staff") => call(as, orders.refund, { params: { id } });
async function reverseNewest({ id }: Known, as: Caller = "staff") {
  const { body } = await call("admin", transfers.history, { params: { id } });
  return call(as, transfers.reverse, { params: { id: body.transfers[0]?._id ?? "" } });
}

test("there are no limits at first; an administrator sets them, and the log tells what changed", async () => {
  const read = async () => (await call("admin", website.limits)).body.limits;
  expect(await read()).toEqual(none);
  expect(answerOf(await limit({ staffCredit: 100, staffRefundPerDay: 0 }))).toEqual([200, "Limits saved"]);
  expect(await read()).toEqual({ ...none, staffCredit: 100, staffRefundPerDay: 0 });
  expect(answerOf(await limit({ staffCredit: 100 }))).toEqual([200, "The limits are unchanged"]);
  await limit({ staffCredit: null });
  const rows = await db.select().from(logs).orderBy(logs.createdAt, logs.id);
  expect(rows).toMatchObject([
    {
      type: "website",
      action:
        "Changed the limits of staff accounts: credit at once any amount to $100.00, refund a day any amount to $0.00",
      before: none,
      after: { ...none, staffCredit: 100, staffRefundPerDay: 0 },
      subjectKind: "settings",
      subjectId: settingsId,
    },
    { action: "Changed the limits of staff accounts: credit at once $100.00 to any amount" },
  ]);
  for (const staffCredit of [-1, 1.005, 2_000_000_000, "5"])
    expect((await limit({ staffCredit: staffCredit as number })).status).toBe(400);
});

test("a staff account credits no more at once than it may, whichever way", async () => {
  await limit({ staffCredit: 10 });
  const customer = await addCustomer({ username: "maren", balance: 50 });
  const refused = [403, "You may credit at most $10.00 at once: ask an administrator to credit $10.01"];
  expect(answerOf(await addBalance(customer, 10.01))).toEqual(refused);
  expect(answerOf(await markPaid(await addInvoice({ customer, amount: 10.01 })))).toEqual(refused);
  await addBalance(customer, -10.01);
  expect(answerOf(await reverseNewest(customer))).toEqual(refused);
  expect(await balanceOf(customer)).toBe(39.99);

  expect((await addBalance(customer, 10)).status).toBe(200);
  expect((await markPaid(await addInvoice({ customer, amount: 10 }))).status).toBe(200);
  // The limit applies neither to negative amounts, nor to refunds, nor to administrators.
  expect((await addBalance(customer, -20)).status).toBe(200);
  expect((await refund(await addOrder({ customer, price: 11 }))).status).toBe(200);
  expect((await addBalance(customer, 500, "admin")).status).toBe(200);
  expect((await reverseNewest(customer)).status).toBe(200);
});

test("credits of a business day are limited together; what was taken back does not count", async () => {
  await limit({ staffCreditPerDay: 30 });
  const customer = await addCustomer({ username: "maren" });
  const { token } = await addAccount("colleague", "staff");
  await addBalance(customer, 12);
  expect((await markPaid(await addInvoice({ customer, amount: 10 }))).status).toBe(200);
  expect(answerOf(await addBalance(customer, 8.01))).toEqual([
    403,
    "You may credit at most $30.00 a day, and $22.00 were today: ask an administrator to credit $8.01",
  ]);
  expect((await addBalance(customer, 30, { token })).status).toBe(200);
  expect((await addBalance(customer, 8)).status).toBe(200);
  expect((await reverseNewest(customer)).status).toBe(200);
  expect((await addBalance(customer, 8)).status).toBe(200);
  expect((await addBalance(customer, 0.01)).status).toBe(403);
  await db.execute(sql`update transfers set created_at = day_start(business_day(now())) - interval '1 second'`);
  expect((await addBalance(customer, 30)).status).toBe(200);
});

test("refunds are limited at once and in a business day", async () => {
  await limit({ staffRefund: 6, staffRefundPerDay: 10 });
  const customer = await addCustomer();
  const order = (price: number) => addOrder({ customer, price });
  const large = await order(6.01);
  expect(answerOf(await refund(large))).toEqual([
    403,
    "You may refund at most $6.00 at once: ask an administrator to refund $6.01",
  ]);
  expect((await refund(await order(6))).status).toBe(200);
  expect(answerOf(await refund(await order(4.01)))).toEqual([
    403,
    "You may refund at most $10.00 a day, and $6.00 were today: ask an administrator to refund $4.01",
  ]);
  expect((await refund(await order(4))).status).toBe(200);
  expect((await refund(large, "admin")).status).toBe(200);
  expect((await addBalance(customer, 100)).status).toBe(200);
});

test("a shop is not limited by what staff may do", async () => {
  await limit({ staffCredit: 0, staffCreditPerDay: 0 });
  const { body } = await call("admin", website.createApiKey, { body: { name: "Main shop" } });
  const [shop] = await db.select().from(shops);
  const { id } = await addInvoice({ amount: 5, shopId: shop?.id ?? null });
  const status = { params: { id }, body: { status: "paid" as const } };
  expect((await call({ token: body.key }, storefront.setInvoiceStatus, status)).status).toBe(200);
});

test("two credits at once by one account do not pass the day's limit together", async () => {
  await limit({ staffCreditPerDay: 10 });
  const customer = await addCustomer();
  const [first, second] = [await addInvoice({ customer, amount: 10 }), await addInvoice({ amount: 10 })];
  const answers = await meetAt(customers, customer, () => [
    addBalance(customer, 10),
    markPaid(first),
    markPaid(second),
    addBalance(customer, 10),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
  expect((await call("admin", dashboard.books)).body.problems).toEqual([]);
});

test("two refunds at once by one account do not pass the day's limit together", async () => {
  await limit({ staffRefundPerDay: 10 });
  const customer = await addCustomer();
  const bought = [await addOrder({ customer, price: 6 }), await addOrder({ customer, price: 6 })];
  const answers = await meetAt(customers, customer, () => bought.map((order) => refund(order)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  const [row] = await db.select().from(customers).where(eq(customers.id, customer.id));
  expect(row?.refundedCents).toBe(600);
});
