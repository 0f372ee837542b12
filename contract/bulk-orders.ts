import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { exportOf } from "./exports.ts";
import { Order } from "./orders.ts";
import { id, idParam, listQuery, namedCustomer, pageCounts, period, timestamp } from "./schemas.ts";

export type BulkOrder = z.input<typeof BulkOrder>;
export const BulkOrder = z.object({
  _id: id,
  uuid: z.string(),
  user: namedCustomer,
  orderCount: z.int(),
  /**
   * Empty in a list if the page would get too large: `orderCount` tells how many there are, and `read` returns all of
   * them.
   */
  orders: z.array(
    Order.pick({
      _id: true,
      uuid: true,
      labelType: true,
      fromName: true,
      fromCity: true,
      fromState: true,
      toName: true,
      toCity: true,
      toState: true,
      tracking: true,
      price: true,
      isRefunded: true,
      createdAt: true,
    }),
  ),
  createdAt: timestamp,
});

const list = endpoint({
  method: "GET",
  path: "/api/v1/order/admin/read-bulk",
  access: "staff",
  summary: "List bulk orders with the orders in them, of up to 2,000 in all; the rest is read by id",
  query: listQuery.extend({ customer: id.optional(), ...period }),
  reply: z.object({ orders: z.array(BulkOrder), ...pageCounts }),
});

export const bulkOrders = {
  list,
  export: exportOf(list),
  read: endpoint({
    method: "GET",
    path: "/api/v1/order/admin/read-bulk/:id",
    access: "staff",
    summary: "Read one bulk order with all the orders in it",
    params: idParam,
    reply: z.object({ order: BulkOrder }),
  }),
};
