import { invoices as contract } from "@footprint/contract/invoices.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, eq, inArray, isNotNull, isNull, or } from "drizzle-orm";
import { presentInvoice } from "../db/presenters.ts";
import { customers, invoices, transfers } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportList, inDollars } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { presentAuthor } from "../lists/presenters.ts";
import { searched } from "../lists/searched.ts";
import { markPaid } from "../money/staff-acts.ts";

export const invoiceRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return { invoices: rows.map(({ invoice, user }) => ({ ...presentInvoice(invoice), user })), ...counts };
  },

  export: (call) => exportList(call, list),

  exportChosen: (call) => exportList(call, list),

  async read({ db, params }) {
    const [found] = await db
      .select({ invoice: invoices, user: { _id: customers.id, username: customers.username, email: customers.email } })
      .from(invoices)
      .innerJoin(customers, eq(customers.id, invoices.customerId))
      .where(eq(invoices.id, params.id));
    if (!found) throw refusal(404, "This invoice does not exist");
    const deposits = await db
      .select()
      .from(transfers)
      // One index has the standing transfers, another the reversed ones.
      .where(
        or(
          and(eq(transfers.reference, params.id), eq(transfers.kind, "deposit"), isNull(transfers.reversedBy)),
          and(eq(transfers.reference, params.id), isNotNull(transfers.reversedBy)),
        ),
      )
      .orderBy(transfers.number);
    const ids = deposits.flatMap(({ reversedBy }) => reversedBy ?? []);
    const reversals = ids.length > 0 ? await db.select().from(transfers).where(inArray(transfers.id, ids)) : [];
    const told = (row: typeof transfers.$inferSelect) => ({ ...row, by: presentAuthor(row) });
    return {
      invoice: { ...presentInvoice(found.invoice), user: found.user },
      payments: deposits.map((deposit) => {
        const reversal = reversals.find(({ id }) => id === deposit.reversedBy);
        return { ...told(deposit), transfer: deposit.id, reversal: reversal ? told(reversal) : null };
      }),
    };
  },

  markPaid: ({ params, body: { reason }, actor, transaction }) =>
    transaction((tx) => markPaid(tx, actor, params.id, reason)),

  markSeveralPaid: ({ body: { ids, reason }, actor, several }) =>
    several(ids, "marked as paid", (tx, id) => markPaid(tx, actor, id, reason)),
});

const list = listOf({
  name: "invoices",
  table: invoices,
  counted: { subject: "invoices" },
  searched: searched.invoices,
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
