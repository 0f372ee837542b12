import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { moneySum, timestamp } from "./schemas.ts";
import { trackingType } from "./tracking.ts";

/** How many things wait for staff, and since when the oldest does. */
export const queue = z.object({ count: z.int(), oldest: timestamp.nullable() });
export const invoiceQueue = queue.extend({ amount: moneySum });

export type Queues = z.input<typeof Queues>;
const Queues = z.object({
  /** Neither verified nor declined. */
  newUsers: queue,
  /** Pending ones. */
  fedexOrders: queue,
  /** Pending ones. */
  invoices: queue,
  /** Requests that the caller may decide or has made; null if there can be none. */
  approvals: queue.nullable(),
  /** The type whose codes run out first, with the days left if known; null for callers who do not see codes. */
  codes: z.object({ type: trackingType, left: z.int(), days: z.int().nullable(), low: z.boolean() }).nullable(),
});

export const queues = {
  read: endpoint({
    method: "GET",
    path: "/api/v1/admin/queues",
    access: "staff",
    summary:
      "What waits at the desk: newcomers, Fedex orders, invoices, requests for approval; for administrators the codes that run out first",
    reply: Queues,
  }),
};
