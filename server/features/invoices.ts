import { invoices as contract } from "@footprint/contract/invoices.ts";
import { and, eq, or } from "drizzle-orm";
import { record } from "../audit.ts";
import { customers, invoices } from "../db/schema.ts";
import { refusal } from "../errors.ts";
import { routes } from "../http.ts";
import { dollars, move } from "../ledger.ts";
import { contains, ofCustomersWith, onPage, pageCounts } from "../paging.ts";

export const invoiceRoutes = routes(contract, {
  async list({ db, query }) {
    const kind = query.status === "All" ? undefined : query.status;
    const where = and(
      kind && eq(invoices.status, kind),
      query.search
        ? or(
            contains(invoices.search, query.search),
            ofCustomersWith(db, invoices.customerId, customers.username, query.search),
            ofCustomersWith(db, invoices.customerId, customers.email, query.search),
          )
        : undefined,
    );
    const select = db
      .select({ invoice: invoices, user: { username: customers.username, email: customers.email } })
      .from(invoices)
      .innerJoin(customers, eq(customers.id, invoices.customerId));
    const rows = await onPage(select.$dynamic(), invoices, query, where);
    return {
      invoices: rows.map(({ invoice, user }) => ({
        _id: invoice.id,
        user,
        amount: invoice.amountCents,
        payment_method: invoice.paymentMethod,
        status: invoice.status,
        hosted_url: invoice.hostedUrl,
        createdAt: invoice.createdAt,
      })),
      ...(await pageCounts(db, query, { subject: "invoices", kind }, { table: invoices, where })),
    };
  },

  async markPaid({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const [invoice] = await tx.select().from(invoices).where(eq(invoices.id, params.id)).for("update");
      if (!invoice) throw refusal(404, "This invoice does not exist");
      if (invoice.status === "paid") throw refusal(409, "This invoice is already paid");
      await tx.update(invoices).set({ status: "paid", paidAt: new Date() }).where(eq(invoices.id, invoice.id));
      const customer = await move(tx, {
        customerId: invoice.customerId,
        cents: invoice.amountCents,
        kind: "deposit",
        reference: invoice.id,
        actor,
      });
      const amount = dollars(invoice.amountCents);
      await record(tx, actor, "invoice", `Marked invoice ${invoice.id} (${amount}) of ${customer.username} as paid`, {
        before: { status: invoice.status, balance: (customer.balanceCents - invoice.amountCents) / 100 },
        after: { status: "paid", balance: customer.balanceCents / 100 },
      });
      return { message: `${amount} credited to ${customer.username}` };
    });
  },
});
