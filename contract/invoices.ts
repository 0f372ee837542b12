import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { id, idParam, listQuery, message, money, pageCounts, timestamp } from "./schemas.ts";

export const paymentMethod = z.enum(["cashapp", "paypal"]);
export const invoiceStatuses = ["pending", "paid", "expired", "failed"] as const;
export const invoiceStatus = z.enum(invoiceStatuses);

export type Invoice = z.input<typeof Invoice>;
export const Invoice = z.object({
  _id: id,
  user: z.object({ username: z.string(), email: z.string() }),
  amount: money,
  payment_method: paymentMethod,
  status: invoiceStatus,
  hosted_url: z.string(),
  createdAt: timestamp,
});

export const invoices = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/admin/invoice/read",
    access: "staff",
    summary: "List invoices",
    query: listQuery.extend({ status: z.enum(["All", ...invoiceStatuses]).default("All") }),
    reply: z.object({ invoices: z.array(Invoice), ...pageCounts }),
  }),
  markPaid: endpoint({
    method: "PUT",
    path: "/api/v1/admin/invoice/markaspaid/:id",
    access: "staff",
    summary: "Mark an invoice as paid: its amount is credited to the customer, once",
    params: idParam,
    idempotent: true,
    reply: message,
  }),
};
