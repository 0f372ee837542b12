import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { timestamp } from "./schemas.ts";
import { trackingType } from "./tracking.ts";

/** How many wait for somebody at the desk, and since when the one that came first does. */
const waiting = z.object({ count: z.int(), oldest: timestamp.nullable() });

export type Queues = z.input<typeof Queues>;
const Queues = z.object({
  /** Neither verified nor declined. */
  newUsers: waiting,
  /** Pending ones. */
  fedexOrders: waiting,
  /** Pending ones. */
  invoices: waiting,
  /** The type of which fewest codes are left; null for those who do not see codes. */
  codes: z.object({ type: trackingType, left: z.int(), low: z.boolean() }).nullable(),
});

export const queues = {
  read: endpoint({
    method: "GET",
    path: "/api/v1/admin/queues",
    access: "staff",
    summary: "What waits at the desk: newcomers, Fedex orders, invoices; for administrators the lowest stock of codes",
    reply: Queues,
  }),
};
