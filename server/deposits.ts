import { eq } from "drizzle-orm";
import { type Author, record } from "./audit.ts";
import type { Transaction } from "./db/engine.ts";
import { invoices } from "./db/schema.ts";
import { dollars, move } from "./ledger.ts";

/** Credits an invoice that is locked and not yet paid, whoever was first to say so. */
export async function settle(tx: Transaction, invoice: typeof invoices.$inferSelect, actor: Author) {
  const customer = await move(tx, {
    customerId: invoice.customerId,
    cents: invoice.amountCents,
    kind: "deposit",
    reference: invoice.id,
    actor,
  });
  await tx.update(invoices).set({ status: "paid", paidAt: new Date() }).where(eq(invoices.id, invoice.id));
  const amount = dollars(invoice.amountCents);
  await record(tx, actor, "invoice", `Marked invoice ${invoice.id} (${amount}) of ${customer.username} as paid`, {
    before: { status: invoice.status, balance: (customer.balanceCents - invoice.amountCents) / 100 },
    after: { status: "paid", balance: customer.balanceCents / 100 },
  });
  return customer;
}
