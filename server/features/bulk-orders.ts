import { BulkOrder, bulkOrders as contract } from "@footprint/contract/bulk-orders.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { pageCounts } from "@footprint/contract/schemas.ts";
import { asc, count, eq, inArray, sql } from "drizzle-orm";
import * as z from "zod";
import type { Database, Transaction } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { bulkOrders, customers, labelTypes, orders } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { Written } from "../http/written.ts";
import { exportList } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { searched } from "../lists/searched.ts";
import { jsonOf } from "../lists/written.ts";

/** Most orders listed with a page of bulk orders; otherwise an answer could have dozens of megabytes. */
const mostOrders = 2_000;

export const bulkOrderRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return writtenOnce(rows, counts) ?? { orders: await withOrders(db, rows), ...counts };
  },

  export: (call) => exportList(call, list),

  async read({ db, params }) {
    const [order] = await withOrders(db, await select(db).where(eq(bulkOrders.id, params.id)));
    if (!order) throw refusal(404, "This bulk order does not exist");
    return { order };
  },
});

const user = { _id: customers.id, username: customers.username };

const select = (db: Database | Transaction) =>
  db
    .select({ bulkOrder: bulkOrders, user })
    .from(bulkOrders)
    .innerJoin(customers, eq(customers.id, bulkOrders.customerId));

/** Its orders as JSON, without the outer brackets; null if the page's orders are too many. */
const writtenOrders = sql<string | null>`case
  when sum((select count(*) from ${orders} where ${orders.bulkOrderId} = ${bulkOrders.id})) over () <= ${sql.raw(String(mostOrders))}
  then (
    select coalesce(string_agg(${jsonOf(BulkOrder.shape.orders.element, {
      ...{ _id: orders.id, uuid: orders.uuid, labelType: { name: labelTypes.name } },
      ...{ fromName: orders.fromName, fromCity: orders.fromCity, fromState: orders.fromState },
      ...{ toName: orders.toName, toCity: orders.toCity, toState: orders.toState },
      ...{ tracking: orders.tracking, price: orders.priceCents },
      isRefunded: sql`${orders.refundedAt} is not null`,
      createdAt: orders.createdAt,
    })}, ',' order by ${orders.createdAt}, ${orders.id}), '')
    from ${orders} join ${labelTypes} on ${labelTypes.id} = ${orders.labelTypeId}
    where ${orders.bulkOrderId} = ${bulkOrders.id}
  ) end`;

const list = listOf({
  name: "bulk-orders",
  table: bulkOrders,
  counted: { subject: "bulk orders" },
  searched: searched.bulkOrders,
  filters: ({ customer }: Filters<typeof contract.list>) => [customer && having(bulkOrders.customerId, customer)],
  isLong: true,
  select: (db) =>
    db
      .select({ bulkOrder: bulkOrders, user, written: writtenOrders })
      .from(bulkOrders)
      .innerJoin(customers, eq(customers.id, bulkOrders.customerId))
      .$dynamic(),
  columns: {
    Id: bulkOrders.id,
    "Bulk order": bulkOrders.uuid,
    Created: bulkOrders.createdAt,
    Customer: customers.username,
    Orders: sql`(select count(*) from ${orders} where ${orders.bulkOrderId} = ${bulkOrders.id})`,
  },
});

type Listed = Awaited<ReturnType<typeof select>>[number] & { written: string | null };

const withoutOrders = BulkOrder.omit({ orders: true });
const counts = z.object(pageCounts);
const jsonBy = <S extends z.ZodType>(schema: S, value: z.output<S>) => JSON.stringify(z.encode(schema, value));

const pages = new WeakMap<Listed[], Written | undefined>();

/** Builds the page once for all callers that share these rows. */
function writtenOnce(rows: Listed[], counted: z.output<typeof counts>): Written | undefined {
  if (!pages.has(rows)) pages.set(rows, writtenPage(rows, counted));
  return pages.get(rows);
}

/** A page with a hundred orders and more, as the database wrote them; undefined if it did not. */
function writtenPage(rows: Listed[], counted: z.output<typeof counts>): Written | undefined {
  const shown: Written["rows"] = [];
  const texts: (() => string)[] = [];
  for (const { bulkOrder, user, written } of rows) {
    if (written === null) return undefined;
    const { id: _id, createdAt } = bulkOrder;
    const orderIds = Array.from(written.matchAll(beginning), ([, id = ""]) => id);
    shown.push({ _id, createdAt }, ...orderIds.map((_id) => ({ _id, createdAt })));
    const own = { ...bulkOrder, _id, user, orderCount: orderIds.length };
    texts.push(() => `${jsonBy(withoutOrders, own).slice(0, -1)},"orders":[${written}]}`);
  }
  return new Written(() => `{"orders":[${texts.map((text) => text())}],${jsonBy(counts, counted).slice(1)}`, shown);
}

/** The beginning of an order. It cannot occur inside a text, where every quote has a backslash. */
const beginning = /\{"_id":"([\w-]{36})"/g;

/** Bulk orders with all of their orders if the page fits, otherwise only with their number. */
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

/** The first ones, and one more if there are more than fit. */
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
