import { bulkOrders as contract } from "@footprint/contract/bulk-orders.ts";
import { asc, eq, inArray } from "drizzle-orm";
import type { Database } from "../db/engine.ts";
import { bulkOrders, customers, labelTypes, orders } from "../db/schema.ts";
import { routes } from "../http.ts";
import { listPage } from "../paging.ts";

export const bulkOrderRoutes = routes(contract, {
  async list({ db, query }) {
    const select = () =>
      db
        .select({ bulkOrder: bulkOrders, user: { username: customers.username } })
        .from(bulkOrders)
        .innerJoin(customers, eq(customers.id, bulkOrders.customerId))
        .$dynamic();
    const { rows, ...counts } = await listPage(db, select, {
      table: bulkOrders,
      query,
      counted: { subject: "bulk orders" },
      searched: {
        names: [],
        codes: [bulkOrders.id, bulkOrders.uuid],
        customer: { id: bulkOrders.customerId, byCodes: true },
      },
    });
    const ordersOf = await ordersByBulkOrder(
      db,
      rows.map(({ bulkOrder }) => bulkOrder.id),
    );
    return {
      orders: rows.map(({ bulkOrder, user }) => ({
        ...bulkOrder,
        _id: bulkOrder.id,
        user,
        orders: ordersOf.get(bulkOrder.id) ?? [],
      })),
      ...counts,
    };
  },
});

async function ordersByBulkOrder(db: Database, ids: string[]) {
  const rows = await db
    .select({ order: orders, labelType: { name: labelTypes.name } })
    .from(orders)
    .innerJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
    .where(inArray(orders.bulkOrderId, ids))
    .orderBy(asc(orders.createdAt), asc(orders.id));
  const compact = rows.map(({ order, labelType }) => ({
    ...order,
    _id: order.id,
    labelType,
    price: order.priceCents,
    isRefunded: order.refundedAt !== null,
  }));
  return Map.groupBy(compact, (order) => order.bulkOrderId);
}
