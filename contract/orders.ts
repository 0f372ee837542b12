import * as z from "zod";
import { flatAddress } from "./address.ts";
import { endpoint } from "./endpoint.ts";
import { address, id, idParam, listQuery, message, money, pageCounts, timestamp } from "./schemas.ts";

export type Order = z.input<typeof Order>;
export const Order = z.object({
  _id: id,
  uuid: z.string(),
  user: z.object({ username: z.string() }),
  labelType: z.object({ name: z.string() }),
  price: money,
  weight: z.number(),
  tracking: z.string(),
  isRefunded: z.boolean(),
  createdAt: timestamp,
  ...flatAddress("from", address),
  ...flatAddress("to", address),
});

export const orderStatuses = ["All", "Active", "Refunded"] as const;

export const orders = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/admin/orders/read",
    access: "staff",
    summary: "List orders",
    query: listQuery.extend({ status: z.enum(orderStatuses).default("All") }),
    reply: z.object({ orders: z.array(Order), ...pageCounts }),
  }),
  refund: endpoint({
    method: "PUT",
    path: "/api/v1/admin/orders/refund/:id",
    access: "staff",
    summary: "Refund an order: its price returns to the customer's balance, once",
    params: idParam,
    idempotent: true,
    reply: message,
  }),
};
