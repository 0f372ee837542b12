import { invoices } from "@footprint/contract/invoices.ts";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import * as schema from "../db/schema.ts";
import { addCustomer, addInvoice, balanceOf, transfersOf } from "../testing/builders.ts";
import { call, db, logRows } from "../testing/server.ts";

afterEach(() => void vi.useRealTimers());

const list = async (query: object) => (await call("staff", invoices.list, { query })).body;

test("the list carries the specification's fields", async () => {
  const customer = await addCustomer({ username: "maren", email: "maren@example.com" });
  const invoice = await addInvoice({
    customer,
    amount: 25.5,
    paymentMethod: "paypal",
    hostedUrl: "https://pay.example/1",
  });
  expect(await list({})).toEqual({
    invoices: [
      {
        _id: invoice.id,
        user: { _id: customer.id, username: "maren", email: "maren@example.com" },
        amount: 25.5,
        payment_method: "paypal",
        status: "pending",
        hosted_url: "https://pay.example/1",
        createdAt: invoice.createdAt.toISOString(),
      },
    ],
    total: 1,
    totalPages: 1,
  });
});

test("the status filter and the search find invoices by id, customer and email", async () => {
  const customer = await addCustomer({ username: "maren", email: "post@harbor.example" });
  const pending = await addInvoice({ customer });
  const expired = await addInvoice({ status: "expired" });
  const failed = await addInvoice({ status: "failed" });
  const ids = async (query: object) => (await list(query)).invoices.map((invoice) => invoice._id);
  expect(await ids({ status: "expired" })).toEqual([expired.id]);
  expect(await ids({ status: "failed" })).toEqual([failed.id]);
  expect(await ids({ status: "pending" })).toEqual([pending.id]);
  expect(await ids({ status: "paid" })).toEqual([]);
  expect(await ids({ search: "HARBOR" })).toEqual([pending.id]);
  expect(await ids({ search: "mare" })).toEqual([pending.id]);
  expect(await ids({ search: expired.id })).toEqual([expired.id]);
  expect(await list({ status: "expired", search: "maren" })).toMatchObject({ invoices: [], total: 0 });
  expect((await list({ status: "All" })).total).toBe(3);
});

test.for(["pending", "expired", "failed"] as const)(
  "an invoice that is %s is marked as paid once, and its amount is credited",
  async (status) => {
    const customer = await addCustomer({ username: "maren", balance: 1.5 });
    const invoice = await addInvoice({ customer, amount: 20, status });
    const params = { id: invoice.id };
    const { status: code, body } = await call("staff", invoices.markPaid, { params });
    expect([code, body]).toEqual([200, { message: "$20.00 credited to maren" }]);
    expect(await balanceOf(customer)).toBe(21.5);
    expect(await transfersOf(customer)).toEqual([
      { kind: "deposit", amount: 20, balanceAfter: 21.5, reference: invoice.id, actor: "staff" },
    ]);
    expect((await list({ status: "paid" })).total).toBe(1);
    expect(await logRows()).toEqual([
      {
        admin: "staff",
        type: "invoice",
        action: `Marked invoice ${invoice.id} ($20.00) of maren as paid`,
        before: { status, balance: 1.5 },
        after: { status: "paid", balance: 21.5 },
      },
    ]);
    const again = await call("staff", invoices.markPaid, { params });
    expect([again.status, again.body.message]).toEqual([409, "This invoice is already paid"]);
  },
);

test("twenty who mark one invoice at once: one credit", async () => {
  const customer = await addCustomer();
  const invoice = await addInvoice({ customer, amount: 0.01 });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call("staff", invoices.markPaid, { params: { id: invoice.id } })),
  );
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(19).fill(409)]);
  expect(await balanceOf(customer)).toBe(0.01);
});

test("an invoice was paid when its amount moved, on a server whose clock differs from the database's", async () => {
  const invoice = await addInvoice();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 20 * 60_000 });
  expect((await call("staff", invoices.markPaid, { params: { id: invoice.id } })).status).toBe(200);
  const [paid] = await db.select().from(schema.invoices);
  const [moved] = await db.select().from(schema.transfers).where(eq(schema.transfers.reference, invoice.id));
  expect(Math.abs(Number(moved?.createdAt) - Number(paid?.paidAt))).toBeLessThan(60_000);
});

test("a malformed id is 400 and an unknown one 404", async () => {
  expect((await call("staff", invoices.markPaid, { params: { id: "x" } })).status).toBe(400);
  expect((await call("staff", invoices.markPaid, { params: { id: uuidv7() } })).status).toBe(404);
});
