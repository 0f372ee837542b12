import { refusal } from "@footprint/contract/refusal.ts";
import { transfers as contract } from "@footprint/contract/transfers.ts";
import { and, asc, between, desc, eq, sql } from "drizzle-orm";
import { askedAuthor, record } from "../accounts/audit.ts";
import type { Transaction } from "../db/database.ts";
import { bulkOrders, customers, fedexOrders, invoices, labelTypes, orders, transfers } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportRows, inDollars } from "../lists/export.ts";
import { inOrder } from "../lists/list.ts";
import { pages } from "../lists/paging.ts";
import { because, reversedTransfer } from "../money/corrections.ts";
import { aboutFedexOrder, aboutInvoice, telling } from "../money/happenings.ts";
import { dollars, move } from "../money/ledger.ts";
import { checkStaffLimit } from "../money/limits.ts";
import { reversedFedexCharge } from "../money/trade-log.ts";
import {
  historyOf,
  isListed,
  listTransfers,
  presentTransfer,
  selectTransfers,
  transfersWithin,
} from "../money/transfers.ts";

export const transferRoutes = routes(contract, {
  async history({ db, params, query }) {
    const { rows, total, ...rest } = await historyOf(db, params.id, query);
    const by = await askedAuthor(db, query.by);
    return { transfers: rows.map(presentTransfer), by, ...rest, ...pages(total, query.ids?.length ?? query.limit) };
  },

  async list({ db, query }) {
    const { rows, total, ...rest } = await listTransfers(db, query);
    const by = await askedAuthor(db, query.by);
    return { transfers: rows.map(presentTransfer), by, ...rest, ...pages(total, query.ids?.length ?? query.limit) };
  },

  async exportHistory({ params: { id }, ...call }) {
    const { kind, by, sort } = call.query;
    const { first, last, total } = await transfersWithin(call.db, id, call.query);
    const isTheirs = and(
      eq(transfers.customerId, id),
      between(transfers.number, first, last),
      kind === "All" ? undefined : eq(transfers.kind, kind),
      by ? eq(transfers.actorId, by) : undefined,
    );
    return exportRows(call, {
      name: "balance-history",
      columns,
      select: (tx) =>
        selectTransfers(tx)
          .where(isTheirs)
          .orderBy(sort === "asc" ? asc(transfers.number) : desc(transfers.number)),
      ...(kind === "All" && !by && { total: async () => total }),
      about: { kind: "customer", id },
    });
  },

  export: (call) =>
    exportRows(call, {
      name: "transfers",
      columns,
      select: (tx) =>
        selectTransfers(tx)
          .where(sql`${transfers.id} in (select id from transfers where ${isListed(call.query)})`)
          .orderBy(...inOrder(transfers, call.query.sort)),
    }),

  async reverse({ params, body: { reason }, actor, transaction }) {
    return transaction(async (tx) => {
      const { transfer: original, charged } = await lockReversible(tx, params.id);
      const { kind, customerId } = original;
      const cents = -original.amountCents;
      await checkStaffLimit(tx, actor, "credit", cents);
      const reverses = { id: original.id, kind };
      const moved = await move(tx, { customerId, cents, kind: "reversal", reverses, reason, actor });
      await tx.update(transfers).set({ reversedBy: moved.transferId }).where(eq(transfers.id, original.id));
      const reversed =
        kind === "deposit" && original.reference
          ? await tx
              .update(invoices)
              .set({ status: "reversed", paidAt: null })
              .where(eq(invoices.id, original.reference))
              .returning()
          : [];
      if (charged) await tx.update(fedexOrders).set({ chargedAt: null }).where(eq(fedexOrders.id, charged.id));
      const entry = charged
        ? reversedFedexCharge({ ...charged, priceCents: cents }, moved)
        : reversedTransfer(original, moved);
      const told = [
        ...reversed.map((invoice) => aboutInvoice("invoice.reversed", invoice, moved)),
        ...(charged ? [aboutFedexOrder("fedex-order.changed", charged, moved)] : []),
      ];
      await record(tx, actor, ...telling(because(reason, entry), ...told));
      const done = cents > 0 ? `${dollars(cents)} returned to` : `${dollars(-cents)} taken back from`;
      return { message: `${done} ${moved.username}, whose balance is now ${dollars(moved.balanceCents)}` };
    });
  },
});

const columns = {
  Id: transfers.id,
  Created: transfers.createdAt,
  Customer: customers.username,
  Kind: transfers.kind,
  Amount: inDollars(transfers.amountCents),
  "Balance after": inDollars(transfers.balanceAfterCents),
  Order: orders.uuid,
  "Label type": labelTypes.name,
  "Bulk order": bulkOrders.uuid,
  "Fedex order": fedexOrders.uuid,
  Invoice: invoices.id,
  Reason: transfers.reason,
  By: transfers.actor,
  Reverses: transfers.reverses,
  "Reversed by": transfers.reversedBy,
};

/** As everywhere, what the money was for is locked before the transfer. */
async function lockReversible(tx: Transaction, id: string) {
  const [found] = await tx.select().from(transfers).where(eq(transfers.id, id));
  if (!found) throw refusal(404, "This transfer does not exist");
  const charged = found.kind === "purchase" ? await lockCharged(tx, found.reference ?? "") : undefined;
  if (found.kind === "refund") throw refusal(409, "A refund is not reversed");
  if (found.kind === "reversal") throw refusal(409, "A reversal is not reversed: make the change anew");
  if (found.kind === "deposit") await tx.execute(sql`select from invoices where id = ${found.reference} for update`);
  const [transfer] = await tx.select().from(transfers).where(eq(transfers.id, id)).for("no key update");
  if (!transfer) throw refusal(404, "This transfer does not exist");
  if (transfer.reversedBy) throw refusal(409, `This ${charged ? "charge" : transfer.kind} is already reversed`);
  return { transfer, charged };
}

/** The Fedex order that a purchase was for. */
async function lockCharged(tx: Transaction, id: string) {
  const [order] = await tx.select().from(fedexOrders).where(eq(fedexOrders.id, id)).for("update");
  if (!order) throw refusal(409, "A purchase is not reversed: refund the order");
  return order;
}
