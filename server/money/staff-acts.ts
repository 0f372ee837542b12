import { refusal } from "@footprint/contract/refusal.ts";
import { eq, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Transaction } from "../db/database.ts";
import { invoices, labelTypes, orders } from "../db/schema.ts";
import { adjustedBalance, because } from "./corrections.ts";
import { settle } from "./deposits.ts";
import { orderRefunded, telling } from "./happenings.ts";
import { dollars, move } from "./ledger.ts";
import { checkStaffLimit } from "./limits.ts";
import { refundedOrder } from "./trade-log.ts";

// Money that staff move by hand. Above an account's limit it becomes a request, if requests are switched on.

export async function addBalance(tx: Transaction, actor: Actor, customerId: string, cents: number, reason: string) {
  const asked = await checkStaffLimit(tx, actor, "credit", cents, { act: "credit", customerId, reason });
  if (asked) return asked;
  const moved = await move(tx, { customerId, cents, kind: "adjustment", reason, actor });
  const entry = adjustedBalance({ ...moved, id: customerId }, cents);
  await record(tx, actor, ...because(reason, entry));
  return { message: `${entry[1]}, which is now ${dollars(moved.balanceCents)}` };
}

export async function refund(tx: Transaction, actor: Actor, id: string, reason: string) {
  // The lock: of two operators clicking at once, the second waits here and finds the order refunded.
  const [found] = await tx
    .select({ order: orders, labelType: labelTypes.name })
    .from(orders)
    .innerJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
    .where(eq(orders.id, id))
    .for("no key update", { of: orders });
  if (!found) throw refusal(404, "This order does not exist");
  const { order, labelType } = found;
  if (order.refundedAt) throw refusal(409, "This order is already refunded");
  const { customerId, priceCents } = order;
  const reference = { id, name: order.uuid };
  const asked = await checkStaffLimit(tx, actor, "refund", priceCents, {
    act: "refund",
    customerId,
    reference,
    reason,
  });
  if (asked) return asked;
  const customer = await move(tx, {
    ...{ customerId, cents: priceCents, kind: "refund", reference: order.id, actor, reason },
  });
  const [refunded = order] = await tx
    .update(orders)
    .set({ refundedAt: sql`now()` })
    .where(eq(orders.id, order.id))
    .returning();
  const told = orderRefunded(refunded, customer, { name: labelType }, reason);
  await record(tx, actor, ...telling(because(reason, refundedOrder(order, customer)), told));
  return { message: `${dollars(priceCents)} refunded to ${customer.username}` };
}

export async function markPaid(tx: Transaction, actor: Actor, id: string, reason: string) {
  const [invoice] = await tx.select().from(invoices).where(eq(invoices.id, id)).for("update");
  if (!invoice) throw refusal(404, "This invoice does not exist");
  if (invoice.status === "paid") throw refusal(409, "This invoice is already paid");
  const { customerId, amountCents } = invoice;
  const reference = { id, name: id };
  const asked = await checkStaffLimit(tx, actor, "credit", amountCents, {
    act: "deposit",
    customerId,
    reference,
    reason,
  });
  if (asked) return asked;
  const customer = await settle(tx, invoice, actor, reason);
  return { message: `${dollars(amountCents)} credited to ${customer.username}` };
}
