import * as z from "zod";
import { BulkOrder } from "./bulk-orders.ts";
import { endpoint } from "./endpoint.ts";
import { FedexOrder } from "./fedex.ts";
import { Invoice } from "./invoices.ts";
import { Order } from "./orders.ts";
import { namedCustomer } from "./schemas.ts";
import { StaffMember } from "./staff.ts";
import { TrackingCode } from "./tracking.ts";
import { User } from "./users.ts";

/** The newest few hits of one list, and how many there are. */
const group = <Row extends z.ZodType>(row: Row) =>
  z.object({
    rows: z.array(row),
    total: z.int(),
    /** There are more than `total`. */
    totalCapped: z.boolean(),
  });

/** The hits; empty for lists that the caller may not see. */
export type Found = z.input<typeof Found>;
const Found = z.object({
  customers: group(
    User.pick({
      _id: true,
      username: true,
      email: true,
      status: true,
      isVerified: true,
      balance: true,
      createdAt: true,
    }),
  ),
  orders: group(
    Order.pick({
      _id: true,
      uuid: true,
      user: true,
      labelType: true,
      weight: true,
      price: true,
      isRefunded: true,
      createdAt: true,
    }),
  ),
  bulkOrders: group(BulkOrder.pick({ _id: true, uuid: true, user: true, orderCount: true, createdAt: true })),
  fedexOrders: group(
    FedexOrder.pick({ _id: true, uuid: true, status: true, price: true, createdAt: true }).extend({
      user: namedCustomer,
      to: z.object({ name: z.string(), city: z.string() }),
    }),
  ),
  invoices: group(
    Invoice.pick({ _id: true, amount: true, payment_method: true, status: true, createdAt: true }).extend({
      user: namedCustomer,
    }),
  ),
  trackings: group(TrackingCode),
  staff: group(StaffMember.pick({ _id: true, username: true, role: true, createdAt: true })),
});

export const search = {
  find: endpoint({
    method: "GET",
    path: "/api/v1/admin/search",
    access: "staff",
    summary:
      "Search everything the caller may see, from two letters on: the newest few of each kind, as their lists find them",
    query: z.object({ q: z.string().trim().normalize().max(200).default("") }),
    reply: Found,
  }),
};
