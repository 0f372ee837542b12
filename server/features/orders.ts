import { orders as contract } from "@footprint/contract/orders.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, eq, isNotNull, isNull, not, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import type { Database } from "../db/database.ts";
import { presentOrder } from "../db/presenters.ts";
import {
  bulkOrders,
  codeBatches,
  customers,
  labelTypes,
  orderNotes,
  orders,
  shops,
  trackingCodes,
  transfers,
} from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportList, inDollars, yesOrNo } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { addressColumns, presentAuthor } from "../lists/presenters.ts";
import { searched } from "../lists/searched.ts";
import { refund } from "../money/staff-acts.ts";

export const orderRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return {
      orders: rows.map(presentListed),
      ...(query.shop && { shop: await shopOf(db, query.shop) }),
      ...counts,
    };
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
      order: presentListed({ order, user: customer, labelType }),
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
      // The lock: of notes added at once, each counts the earlier ones.
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

type Listed = {
  order: typeof orders.$inferSelect;
  user: { id: string; username: string; balanceCents: number };
  labelType: { name: string };
};

const presentListed = ({ order, user, labelType }: Listed) => ({
  ...presentOrder(order, user, labelType),
  user: { _id: user.id, username: user.username, balance: user.balanceCents },
  customPrice: order.hasCustomPrice,
});

const isRefunded = isNotNull(orders.refundedAt);

/** The same condition as in the counter of orders by shop. */
const isOfNewcomer = sql`${orders.createdAt} < (
  select newcomers.created_at from customers as newcomers where newcomers.id = ${orders.customerId}) + interval '30 days'`;

async function shopOf(db: Database, id: string) {
  if (id === "unknown") return null;
  const [shop] = await db.select({ _id: shops.id, name: shops.name }).from(shops).where(eq(shops.id, id));
  return shop ?? null;
}

const list = listOf({
  name: "orders",
  table: orders,
  counted: { subject: "orders" },
  searched: searched.orders,
  filters: ({ customer, labelType, status, shop, customers: since }: Filters<typeof contract.list>) => [
    customer && having(orders.customerId, customer),
    labelType && {
      ...having(orders.labelTypeId, labelType),
      counted: { subject: "orders by label type", kinds: [labelType.toLowerCase()] },
    },
    status !== "All" && {
      where: status === "Refunded" ? isRefunded : isNull(orders.refundedAt),
      counted: { subject: "orders", kinds: [status] },
    },
    // Shops are few and most customers return, so matches are met soon; an index would cost every purchase.
    shop && { where: shop === "unknown" ? isNull(orders.shopId) : eq(orders.shopId, shop), hasNoIndex: true },
    since && { where: since === "new" ? isOfNewcomer : not(isOfNewcomer), hasNoIndex: true },
  ],
  select: (db) =>
    db
      .select({
        order: orders,
        user: { id: customers.id, username: customers.username, balanceCents: customers.balanceCents },
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

/** The transfer that paid for an order or refunded it, and who made it. */
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

/** Orders of one purchase have the same time, so their ids give the order. */
async function placeInBulkOrder(db: Database, id: string, order: { id: string }) {
  const [bulkOrder] = await db.select().from(bulkOrders).where(eq(bulkOrders.id, id));
  const { rows } = await db.execute<{ place: number; amount: number }>(sql`
    select count(*) filter (where id <= ${order.id})::int as place, count(*)::int as amount
    from orders where bulk_order_id = ${id}`);
  const { place = 1, amount = 1 } = rows[0] ?? {};
  return bulkOrder ? { _id: id, uuid: bulkOrder.uuid, place, orderCount: amount } : null;
}

/** Where a prepaid code came from. */
async function batchOf(db: Database, tracking: string) {
  const [found] = await db
    .select({ batch: codeBatches })
    .from(trackingCodes)
    .innerJoin(codeBatches, eq(codeBatches.id, trackingCodes.batchId))
    .where(eq(trackingCodes.code, tracking));
  if (!found?.batch.actor) return null;
  const { actor, actorKind, actorId, ...batch } = found.batch;
  return { ...batch, _id: batch.id, by: presentAuthor({ actor, actorKind, actorId }) };
}
