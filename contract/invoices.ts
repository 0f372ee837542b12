import * as z from "zod";
import { doneOrAsked } from "./approvals.ts";
import { endpoint } from "./endpoint.ts";
import { exportChosenOf, exportOf } from "./exports.ts";
import { author } from "./logs.ts";
import {
  id,
  idParam,
  ids,
  listQuery,
  money,
  namedCustomer,
  outcomes,
  pageCounts,
  period,
  reason,
  timestamp,
} from "./schemas.ts";

export const paymentMethods = ["cashapp", "paypal"] as const;
export const paymentMethod = z.enum(paymentMethods);
export const invoiceStatuses = ["pending", "paid", "expired", "failed", "reversed"] as const;
export const invoiceStatus = z.enum(invoiceStatuses);

export type Invoice = z.input<typeof Invoice>;
export const Invoice = z.object({
  _id: id,
  user: namedCustomer.extend({ email: z.string() }),
  amount: money,
  payment_method: paymentMethod,
  status: invoiceStatus,
  hosted_url: z.string(),
  createdAt: timestamp,
});

const list = endpoint({
  method: "GET",
  path: "/api/v1/admin/invoice/read",
  access: "staff",
  summary: "List invoices",
  query: listQuery.extend({
    status: z.enum(["All", ...invoiceStatuses]).default("All"),
    customer: id.optional(),
    method: paymentMethod.optional(),
    ...period,
  }),
  reply: z.object({ invoices: z.array(Invoice), ...pageCounts }),
});

export const invoices = {
  list,
  export: exportOf(list),
  exportChosen: exportChosenOf(list),
  read: endpoint({
    method: "GET",
    path: "/api/v1/admin/invoice/read/:id",
    access: "staff",
    summary: "Read one invoice, with when and by whom it was paid, and taken back",
    params: idParam,
    reply: z.object({
      invoice: Invoice,
      /** Oldest first; several if a payment was reversed and came again. */
      payments: z.array(
        z.object({
          transfer: id,
          by: author,
          reason: z.string(),
          createdAt: timestamp,
          reversal: z.object({ by: author, reason: z.string(), createdAt: timestamp }).nullable(),
        }),
      ),
    }),
  }),
  markPaid: endpoint({
    method: "PUT",
    path: "/api/v1/admin/invoice/markaspaid/:id",
    access: "staff",
    summary: "Mark an invoice as paid: its amount is credited to the customer, once",
    params: idParam,
    body: z.object({ reason }),
    idempotent: true,
    mayAsk: true,
    reply: doneOrAsked,
  }),
  markSeveralPaid: endpoint({
    method: "POST",
    path: "/api/v1/admin/invoice/markaspaid",
    access: "staff",
    summary:
      "Mark up to 100 invoices as paid, each by itself: the answer says for each whether it was done, and if not, why",
    body: z.object({ ids, reason }),
    idempotent: true,
    reply: outcomes,
  }),
};
