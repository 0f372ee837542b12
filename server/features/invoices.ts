import { invoices as contract } from "@footprint/contract/invoices.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { eq } from "drizzle-orm";
import { customers, invoices } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportList, inDollars } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { presentInvoice } from "../lists/presenters.ts";
import { settle } from "../money/deposits.ts";
import { dollars } from "../money/ledger.ts";

export const invoiceRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return { invoices: rows.map(({ invoice, user }) => ({ ...presentInvoice(invoice), user })), ...counts };
  },

  export: (call) => exportList(call, list),

  async markPaid({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const [invoice] = await tx.select().from(invoices).where(eq(invoices.id, params.id)).for("update");
      if (!invoice) throw refusal(404, "This invoice does not exist");
      if (invoice.status === "paid") throw refusal(409, "This invoice is already paid");
      const customer = await settle(tx, invoice, actor);
      return { message: `${dollars(invoice.amountCents)} credited to ${customer.username}` };
    });
  },
});

const list = listOf({
  name: "invoices",
  table: invoices,
  counted: { subject: "invoices" },
  searched: { names: [], codes: [invoices.id], customer: { id: invoices.customerId, byCodes: true } },
  filters: ({ customer, status, method }: Filters<typeof contract.list>) => [
    customer && having(invoices.customerId, customer),
    status !== "All" && { ...having(invoices.status, status), counted: { subject: "invoices", kinds: [status] } },
    method && having(invoices.paymentMethod, method),
  ],
  select: (db) =>
    db
      .select({
        invoice: invoices,
        user: { _id: customers.id, username: customers.username, email: customers.email },
      })
      .from(invoices)
      .innerJoin(customers, eq(customers.id, invoices.customerId))
      .$dynamic(),
  columns: {
    Id: invoices.id,
    Created: invoices.createdAt,
    Customer: customers.username,
    "E-mail": customers.email,
    Amount: inDollars(invoices.amountCents),
    "Payment method": invoices.paymentMethod,
    Status: invoices.status,
    "Paid at": invoices.paidAt,
    Address: invoices.hostedUrl,
  },
});
