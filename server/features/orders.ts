import { orders as contract } from "@footprint/contract/orders.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { bulkOrders, customers, labelTypes, logs, orderNotes, orders, trackingCodes, transfers } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportList, inDollars, yesOrNo } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { addressColumns, presentAuthor, presentOrder } from "../lists/presenters.ts";
import { searched } from "../lists/searched.ts";
import { because } from "../money/corrections.ts";
import { dollars, move } from "../money/ledger.ts";
import { needRoom } from "../money/limits.ts";
import { refundedOrder } from "../money/trade-log.ts";

export const orderRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return { orders: rows.map(({ order, user, labelType }) => presentOrder(order, user, labelType)), ...counts };
  },

  export: (call) => exportList(call, list),

  exportChosen: (call) => exportList(call, list),

  async read({ db, params }) {
    const [found] = await db
      .select({ order: orders, customer: customers, labelType: { name: labelTypes.name } })
      .from(orders)
      .innerJoin(customers, eq(customers.id, orders.customerId))
      .innerJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
      .where(eq(orders.id, params.id));
    if (!found) throw refusal(404, "This order does not exist");
    const { order, customer, labelType } = found;
    const [purchase, refund, bulkOrder, batch, notes] = await Promise.all([
      transferFor(db, "purchase", order.bulkOrderId ?? order.id),
      transferFor(db, "refund", order.id),
      order.bulkOrderId ? placeInBulkOrder(db, order.bulkOrderId, order) : null,
      batchOf(db, order.tracking),
      db.select().from(orderNotes).where(eq(orderNotes.orderId, order.id)).orderBy(orderNotes.createdAt, orderNotes.id),
    ]);
    return {
      order: presentOrder(order, customer, labelType),
      customer: { ...customer, _id: customer.id, balance: customer.balanceCents },
      pricing: pricingOf(order),
      bulkOrder,
      purchase,
      refund,
      batch,
      notes: notes.map((note) => ({ ...note, _id: note.id, by: { username: note.author } })),
    };
  },

  async addNote({ params, body: { text }, actor, transaction }) {
    return transaction(async (tx) => {
      // The lock: of many that write at once, each counts those before it.
      const [order] = await tx.select().from(orders).where(eq(orders.id, params.id)).for("no key update");
      if (!order) throw refusal(404, "This order does not exist");
      const written = await tx.$count(orderNotes, eq(orderNotes.orderId, order.id));
      if (written >= mostNotes) throw refusal(409, `This order has ${mostNotes} notes already`);
      await tx.insert(orderNotes).values({ orderId: order.id, text, author: actor.username, authorId: actor.id });
      await record(tx, actor, "user", `Left a note about order ${order.uuid}`, {
        after: { note: text },
        about: { kind: "order", id: order.id, customerId: order.customerId },
      });
      return { message: "Note saved" };
    });
  },

  refund: ({ params, body: { reason }, actor, transaction }) =>
    transaction((tx) => refund(tx, actor, params.id, reason)),

  refundSeveral: ({ body: { ids, reason }, actor, several }) =>
    several(ids, "refunded", (tx, id) => refund(tx, actor, id, reason)),
});

async function refund(tx: Transaction, actor: Actor, id: string, reason: string) {
  // The lock: of two operators clicking at once, the second waits here and finds it refunded.
  const [order] = await tx.select().from(orders).where(eq(orders.id, id)).for("no key update");
  if (!order) throw refusal(404, "This order does not exist");
  if (order.refundedAt) throw refusal(409, "This order is already refunded");
  await needRoom(tx, actor, "refund", order.priceCents);
  const customer = await move(tx, {
    customerId: order.customerId,
    cents: order.priceCents,
    kind: "refund",
    reference: order.id,
    actor,
    reason,
  });
  await tx.update(orders).set({ refundedAt: sql`now()` }).where(eq(orders.id, order.id));
  await record(tx, actor, ...because(reason, refundedOrder(order, customer)));
  return { message: `${dollars(order.priceCents)} refunded to ${customer.username}` };
}

const isRefunded = isNotNull(orders.refundedAt);

const list = listOf({
  name: "orders",
  table: orders,
  counted: { subject: "orders" },
  searched: searched.orders,
  filters: ({ customer, labelType, status }: Filters<typeof contract.list>) => [
    customer && having(orders.customerId, customer),
    labelType && {
      ...having(orders.labelTypeId, labelType),
      counted: { subject: "orders by label type", kinds: [labelType.toLowerCase()] },
    },
    status !== "All" && {
      where: status === "Refunded" ? isRefunded : isNull(orders.refundedAt),
      counted: { subject: "orders", kinds: [status] },
    },
  ],
  select: (db) =>
    db
      .select({
        order: orders,
        user: { id: customers.id, username: customers.username },
        labelType: { name: labelTypes.name },
      })
      .from(orders)
      .innerJoin(customers, eq(customers.id, orders.customerId))
      .innerJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
      .$dynamic(),
  columns: {
    Id: orders.id,
    Order: orders.uuid,
    Created: orders.createdAt,
    Customer: customers.username,
    "Label type": labelTypes.name,
    Weight: orders.weight,
    Price: inDollars(orders.priceCents),
    Refunded: yesOrNo(isRefunded),
    "Refunded at": orders.refundedAt,
    Tracking: orders.tracking,
    "Bulk order": orders.bulkOrderId,
    ...addressColumns(orders),
  },
});

/** More would make reading the order slow. */
const mostNotes = 100;

/** What was paid for an order or given back for it, and by whom. */
async function transferFor(db: Database, kind: "purchase" | "refund", reference: string) {
  const [row] = await db
    .select()
    .from(transfers)
    .where(and(eq(transfers.reference, reference), eq(transfers.kind, kind), isNull(transfers.reversedBy)));
  return row
    ? { ...row, by: presentAuthor(row), amount: Math.abs(row.amountCents), balanceAfter: row.balanceAfterCents }
    : null;
}

function pricingOf({ tierFromWeight, tierToWeight, hasCustomPrice, standardPriceCents }: typeof orders.$inferSelect) {
  if (tierFromWeight === null || tierToWeight === null || hasCustomPrice === null) return null;
  return {
    fromWeight: tierFromWeight,
    toWeight: tierToWeight,
    custom: hasCustomPrice,
    standardPrice: standardPriceCents,
  };
}

/** Orders of one purchase were made in one moment: their ids say in which order. */
async function placeInBulkOrder(db: Database, id: string, order: { id: string }) {
  const [bulkOrder] = await db.select().from(bulkOrders).where(eq(bulkOrders.id, id));
  const { rows } = await db.execute<{ place: number; amount: number }>(sql`
    select count(*) filter (where id <= ${order.id})::int as place, count(*)::int as amount
    from orders where bulk_order_id = ${id}`);
  const { place = 1, amount = 1 } = rows[0] ?? {};
  return bulkOrder ? { _id: id, uuid: bulkOrder.uuid, place, orderCount: amount } : null;
}

/** Where a prepaid code came from: what the log says about those registered together. */
async function batchOf(db: Database, tracking: string) {
  const [registered] = await db
    .select({ entry: logs })
    .from(trackingCodes)
    .innerJoin(logs, and(eq(logs.subjectId, trackingCodes.batchId), isNotNull(logs.after)))
    .where(eq(trackingCodes.code, tracking))
    .orderBy(logs.createdAt)
    .limit(1);
  if (!registered) return null;
  const { entry } = registered;
  const { amount, first, last } = entry.after as { amount: number; first: string; last: string };
  return { by: presentAuthor({ ...entry, actor: entry.admin }), amount, first, last, createdAt: entry.createdAt };
}
