import { bulkOrders as contract } from "@footprint/contract/bulk-orders.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { asc, count, eq, inArray, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { bulkOrders, customers, labelTypes, orders } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportList } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { searched } from "../lists/searched.ts";

/** So many orders are listed with their bulk orders on one page, or an answer could weigh dozens of megabytes. */
const mostOrders = 2_000;

export const bulkOrderRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return { orders: await withOrders(db, rows), ...counts };
  },

  export: (call) => exportList(call, list),

  async read({ db, params }) {
    const [order] = await withOrders(db, await select(db).where(eq(bulkOrders.id, params.id)));
    if (!order) throw refusal(404, "This bulk order does not exist");
    return { order };
  },
});

const select = (db: Database | Transaction) =>
  db
    .select({ bulkOrder: bulkOrders, user: { _id: customers.id, username: customers.username } })
    .from(bulkOrders)
    .innerJoin(customers, eq(customers.id, bulkOrders.customerId));

const list = listOf({
  name: "bulk-orders",
  table: bulkOrders,
  counted: { subject: "bulk orders" },
  searched: searched.bulkOrders,
  filters: ({ customer }: Filters<typeof contract.list>) => [customer && having(bulkOrders.customerId, customer)],
  select: (db) => select(db).$dynamic(),
  columns: {
    Id: bulkOrders.id,
    "Bulk order": bulkOrders.uuid,
    Created: bulkOrders.createdAt,
    Customer: customers.username,
    Orders: sql`(select count(*) from ${orders} where ${orders.bulkOrderId} = ${bulkOrders.id})`,
  },
});

/** Each with all of its orders, as long as they fit; or with none, and how many they are. */
async function withOrders(db: Database, rows: Awaited<ReturnType<typeof select>>) {
  const ids = rows.map(({ bulkOrder }) => bulkOrder.id);
  let ordersOf = await ordersByBulkOrder(db, ids);
  let counts = new Map([...ordersOf].map(([id, own]) => [id, own.length]));
  if (sumOf(counts) > mostOrders) {
    counts = await countOrders(db, ids);
    ordersOf = await ordersByBulkOrder(db, thoseThatFit(ids, counts));
  }
  return rows.map(({ bulkOrder, user }) => ({
    ...bulkOrder,
    _id: bulkOrder.id,
    user,
    orderCount: counts.get(bulkOrder.id) ?? 0,
    orders: ordersOf.get(bulkOrder.id) ?? [],
  }));
}

const sumOf = (counts: Map<string, number>) => [...counts.values()].reduce((sum, amount) => sum + amount, 0);

function thoseThatFit(ids: string[], counts: Map<string, number>): string[] {
  let room = mostOrders;
  return ids.filter((id) => {
    const amount = counts.get(id) ?? 0;
    if (amount > room) return false;
    room -= amount;
    return true;
  });
}

async function countOrders(db: Database, ids: string[]) {
  const rows = await db
    .select({ id: orders.bulkOrderId, amount: count() })
    .from(orders)
    .where(inArray(orders.bulkOrderId, ids))
    .groupBy(orders.bulkOrderId);
  return new Map(rows.map(({ id, amount }) => [id as string, amount]));
}

/** Where there are more than fit, the first ones and one more. */
async function ordersByBulkOrder(db: Database, ids: string[]) {
  const query = prepared(db, "orders of bulk orders", () =>
    db
      .select({
        _id: orders.id,
        bulkOrderId: orders.bulkOrderId,
        uuid: orders.uuid,
        labelType: { name: labelTypes.name },
        fromName: orders.fromName,
        fromCity: orders.fromCity,
        fromState: orders.fromState,
        toName: orders.toName,
        toCity: orders.toCity,
        toState: orders.toState,
        tracking: orders.tracking,
        price: orders.priceCents,
        refundedAt: orders.refundedAt,
        createdAt: orders.createdAt,
      })
      .from(orders)
      .innerJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
      .where(sql`${orders.bulkOrderId} = any(${sql.param(sql.placeholder("ids"))}::uuid[])`)
      .orderBy(asc(orders.createdAt), asc(orders.id))
      .limit(mostOrders + 1)
      .prepare(""),
  );
  const rows = await query.execute({ ids });
  const compact = rows.map(({ refundedAt, ...order }) => ({ ...order, isRefunded: refundedAt !== null }));
  return Map.groupBy(compact, (order) => order.bulkOrderId as string);
}
