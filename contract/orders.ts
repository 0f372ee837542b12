import * as z from "zod";
import { flatAddress } from "./address.ts";
import { doneOrAsked } from "./approvals.ts";
import { endpoint } from "./endpoint.ts";
import { exportChosenOf, exportOf } from "./exports.ts";
import { author } from "./logs.ts";
import {
  address,
  id,
  idParam,
  ids,
  listQuery,
  message,
  money,
  namedCustomer,
  outcomes,
  pageCounts,
  period,
  reason,
  timestamp,
} from "./schemas.ts";

export type Order = z.input<typeof Order>;
export const Order = z.object({
  _id: id,
  uuid: z.string(),
  user: namedCustomer,
  labelType: z.object({ name: z.string() }),
  price: money,
  weight: z.number(),
  tracking: z.string(),
  isRefunded: z.boolean(),
  createdAt: timestamp,
  ...flatAddress("from", address),
  ...flatAddress("to", address),
});

/** An order in a list: with the customer's current balance, and whether a custom price was charged. */
export type ListedOrder = z.input<typeof ListedOrder>;
const ListedOrder = Order.extend({
  user: namedCustomer.extend({ balance: money }),
  /** Null for old orders, for which it was not stored. */
  customPrice: z.boolean().nullable(),
});

/** Everything about one order. */
export type OrderStory = z.input<typeof OrderStory>;
const OrderStory = z.object({
  order: ListedOrder,
  customer: z.object({
    _id: id,
    username: z.string(),
    balance: money,
    orders: z.int(),
    customPricingEnabled: z.boolean(),
    createdAt: timestamp,
  }),
  /**
   * The tier that was charged, and the label type's standard price; null for old orders, for which it was not stored.
   */
  pricing: z
    .object({ fromWeight: z.number(), toWeight: z.number(), custom: z.boolean(), standardPrice: money.nullable() })
    .nullable(),
  bulkOrder: z.object({ _id: id, uuid: z.string(), place: z.int(), orderCount: z.int() }).nullable(),
  purchase: z.object({ by: author, balanceAfter: money, amount: money, createdAt: timestamp }).nullable(),
  refund: z.object({ by: author, reason: z.string(), amount: money, createdAt: timestamp }).nullable(),
  notes: z.array(z.object({ _id: id, text: z.string(), by: z.object({ username: z.string() }), createdAt: timestamp })),
  /** Where its prepaid code came from. */
  batch: z
    .object({
      _id: id,
      by: author,
      amount: z.int(),
      first: z.string(),
      last: z.string(),
      note: z.string(),
      createdAt: timestamp,
    })
    .nullable(),
});

export const orderStatuses = ["All", "Active", "Refunded"] as const;

const list = endpoint({
  method: "GET",
  path: "/api/v1/admin/orders/read",
  access: "staff",
  summary: "List orders",
  query: listQuery.extend({
    status: z.enum(orderStatuses).default("All"),
    customer: id.optional(),
    labelType: id.optional(),
    /** The shop that sold them; `unknown` for orders from before there were shops. */
    shop: z.union([id, z.literal("unknown")]).optional(),
    /** Orders of customers who joined at most 30 days before, or of earlier customers. */
    customers: z.enum(["new", "returning"]).optional(),
    ...period,
  }),
  reply: z.object({
    orders: z.array(ListedOrder),
    /** The shop in the query. */
    shop: z.object({ _id: id, name: z.string() }).nullable().optional(),
    ...pageCounts,
  }),
});

export const orders = {
  list,
  export: exportOf(list),
  exportChosen: exportChosenOf(list),
  read: endpoint({
    method: "GET",
    path: "/api/v1/admin/orders/read/:id",
    access: "staff",
    summary: "Read one order and its story: price, purchase, refund, notes",
    params: idParam,
    reply: OrderStory,
  }),
  addNote: endpoint({
    method: "POST",
    path: "/api/v1/admin/orders/notes/:id",
    access: "staff",
    summary: "Leave a note about an order for colleagues; notes stay as they are",
    params: idParam,
    body: z.object({
      text: z
        .string()
        .trim()
        .min(1, "Write a note first")
        .max(2_000, "A note has at most 2,000 characters")
        .regex(/^[^\u202a-\u202e\u2066-\u2069]*$/u, "A note has no characters that turn text around"),
    }),
    idempotent: true,
    reply: message,
  }),
  refund: endpoint({
    method: "PUT",
    path: "/api/v1/admin/orders/refund/:id",
    access: "staff",
    summary: "Refund an order: its price returns to the customer's balance, once",
    params: idParam,
    body: z.object({ reason }),
    idempotent: true,
    mayAsk: true,
    reply: doneOrAsked,
  }),
  refundSeveral: endpoint({
    method: "POST",
    path: "/api/v1/admin/orders/refund",
    access: "staff",
    summary: "Refund up to 100 orders, each by itself: the answer says for each whether it was done, and if not, why",
    body: z.object({ ids, reason }),
    idempotent: true,
    reply: outcomes,
  }),
};
