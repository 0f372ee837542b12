import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { id, idParam, listQuery, message, money, pageCounts, timestamp } from "./schemas.ts";

const address = {
  name: z.string(),
  company: z.string(),
  street: z.string(),
  street2: z.string(),
  city: z.string(),
  state: z.string(),
  zip: z.string(),
  country: z.string(),
};

/** As it travels. */
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
  fromName: address.name,
  fromCompany: address.company,
  fromStreet: address.street,
  fromStreet2: address.street2,
  fromCity: address.city,
  fromState: address.state,
  fromZip: address.zip,
  fromCountry: address.country,
  toName: address.name,
  toCompany: address.company,
  toStreet: address.street,
  toStreet2: address.street2,
  toCity: address.city,
  toState: address.state,
  toZip: address.zip,
  toCountry: address.country,
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
