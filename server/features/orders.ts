import { orders as contract } from "@footprint/contract/orders.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { eq, isNotNull, isNull, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import { customers, labelTypes, orders } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { listPage } from "../lists/paging.ts";
import { presentOrder } from "../lists/presenters.ts";
import { because } from "../money/corrections.ts";
import { dollars, move } from "../money/ledger.ts";
import { needRoom } from "../money/limits.ts";
import { refundedOrder } from "../money/trade-log.ts";

export const orderRoutes = routes(contract, {
  async list({ db, query }) {
    const kind = query.status === "All" ? undefined : query.status;
    const select = () =>
      db
        .select({
          order: orders,
          user: { id: customers.id, username: customers.username },
          labelType: { name: labelTypes.name },
        })
        .from(orders)
        .innerJoin(customers, eq(customers.id, orders.customerId))
        .innerJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
        .$dynamic();
    const { rows, ...counts } = await listPage(db, select, {
      table: orders,
      query,
      filter: kind && (kind === "Active" ? isNull : isNotNull)(orders.refundedAt),
      counted: { subject: "orders", kind },
      searched: {
        names: [orders.fromName, orders.toName],
        codes: [orders.id, orders.uuid, orders.tracking],
        customer: { id: orders.customerId, byCodes: true },
      },
    });
    return {
      orders: rows.map(({ order, user, labelType }) => presentOrder(order, user, labelType)),
      ...counts,
    };
  },

  async refund({ params, body: { reason }, actor, transaction }) {
    return transaction(async (tx) => {
      // The lock: of two operators clicking at once, the second waits here and finds it refunded.
      const [order] = await tx.select().from(orders).where(eq(orders.id, params.id)).for("no key update");
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
    });
  },
});
