import { refusal } from "@footprint/contract/refusal.ts";
import { eq, sql } from "drizzle-orm";
import type { Shop } from "../accounts/api-keys.ts";
import { toBeLogged, wasRefused } from "../accounts/attempts.ts";
import { type Author, record } from "../accounts/audit.ts";
import type { Transaction } from "../db/database.ts";
import { invoices } from "../db/schema.ts";
import { because } from "./corrections.ts";
import { aboutInvoice, telling } from "./happenings.ts";
import { dollars, move } from "./ledger.ts";
import { paidInvoice } from "./trade-log.ts";

/** Credits an invoice that is locked and not yet paid. */
export async function settle(tx: Transaction, invoice: typeof invoices.$inferSelect, actor: Author, reason = "") {
  const customer = await move(tx, {
    customerId: invoice.customerId,
    cents: invoice.amountCents,
    kind: "deposit",
    reference: invoice.id,
    actor,
    reason,
  });
  await tx.update(invoices).set({ status: "paid", paidAt: sql`now()` }).where(eq(invoices.id, invoice.id));
  const told = aboutInvoice("invoice.paid", { ...invoice, status: "paid" }, customer);
  await record(tx, actor, ...telling(because(reason, paidInvoice(invoice, customer)), told));
  return customer;
}

/** Refuses a deposit above what the key may mark as paid per business day. Deposits with the same key take turns. */
export async function refuseDepositAboveLimit(tx: Transaction, shop: Shop, cents: number): Promise<void> {
  const { id, depositsPerDayCents: most } = shop;
  if (most === null) return;
  await tx.execute(sql`select from api_keys where id = ${id} for no key update`);
  const { rows } = await tx.execute<{ cents: number }>(sql`
    select coalesce(sum(amount_cents), 0)::float8 as cents from transfers
    where kind = 'deposit' and actor_kind = 'shop' and actor_id = ${id} and created_at >= day_start(business_day(now()))`);
  const used = rows[0]?.cents ?? 0;
  if (used + cents <= most) return;
  const limit = `This API key may mark ${dollars(most)} a day as paid: ${dollars(used)} were today`;
  const refused = refusal(403, `${limit}, so ${dollars(cents)} is too much`);
  throw toBeLogged(refused, shop, ["invoice", `${wasRefused}mark ${dollars(cents)} as paid: ${limit}`]);
}
