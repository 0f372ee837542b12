import { orders as contract } from "@footprint/contract/orders.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { eq, isNotNull, isNull, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import { customers, labelTypes, orders } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportList, inDollars, yesOrNo } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { addressColumns, presentOrder } from "../lists/presenters.ts";
import { dollars, move } from "../money/ledger.ts";
import { refundedOrder } from "../money/trade-log.ts";

export const orderRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return { orders: rows.map(({ order, user, labelType }) => presentOrder(order, user, labelType)), ...counts };
  },

  export: (call) => exportList(call, list),

  async refund({ params, actor, transaction }) {
    return transaction(async (tx) => {
      // The lock: of two operators clicking at once, the second waits here and finds it refunded.
      const [order] = await tx.select().from(orders).where(eq(orders.id, params.id)).for("no key update");
      if (!order) throw refusal(404, "This order does not exist");
      if (order.refundedAt) throw refusal(409, "This order is already refunded");
      const customer = await move(tx, {
        customerId: order.customerId,
        cents: order.priceCents,
        kind: "refund",
        reference: order.id,
        actor,
      });
      await tx.update(orders).set({ refundedAt: sql`now()` }).where(eq(orders.id, order.id));
      await record(tx, actor, ...refundedOrder(order, customer));
      return { message: `${dollars(order.priceCents)} refunded to ${customer.username}` };
    });
  },
});

const isRefunded = isNotNull(orders.refundedAt);

const list = listOf({
  name: "orders",
  table: orders,
  counted: { subject: "orders" },
  searched: {
    names: [orders.fromName, orders.toName],
    codes: [orders.id, orders.uuid, orders.tracking],
    customer: { id: orders.customerId, byCodes: true },
  },
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
