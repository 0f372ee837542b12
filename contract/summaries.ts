import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { day, id, moneySum, period, timestamp } from "./schemas.ts";
import { trackingTypes } from "./tracking.ts";

const sum = z.object({ count: z.int(), total: moneySum });

/** So many reasons and price changes are told one by one. */
export const mostTold = 12;
/** So many days are listed at most. */
export const mostDays = 92;

/** What a business day came to. */
export type DaySummary = z.input<typeof DaySummary>;
export const DaySummary = z.object({
  orders: z.int(),
  /** Of orders that were not refunded, and of Fedex orders that were charged. */
  revenue: moneySum,
  fedexCharges: sum,
  newCustomers: z.int(),
  deposits: sum.extend({ cashapp: moneySum, paypal: moneySum }),
  /** Most money first; those beyond `mostTold` together. */
  refunds: sum.extend({ reasons: z.array(sum.extend({ reason: z.string() })), others: sum }),
  /** What gave money to customers beside refunds, by the account that did it. */
  credits: z.array(sum.extend({ account: z.object({ _id: id, username: z.string() }) })),
  /** The first of them. */
  priceChanges: z.object({
    count: z.int(),
    first: z.array(z.object({ _id: id, by: z.string(), action: z.string(), createdAt: timestamp })),
  }),
  unusual: z.int(),
  /** How many waited, and how many codes were left, when the day ended; null where nobody looked then. */
  closing: z
    .object({
      newUsers: z.int(),
      fedexOrders: z.int(),
      invoices: z.int(),
      codes: z.record(z.enum(trackingTypes), z.int()),
    })
    .nullable(),
});

export const summaries = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/summaries",
    access: "admin",
    summary: "What each of some days came to, newest first; by default the last 14 that are over, at most 92",
    query: z.object(period),
    reply: z.object({
      summaries: z.array(
        z.object({ day: z.iso.date(), isKept: z.boolean(), orders: z.int(), revenue: moneySum, deposits: moneySum }),
      ),
    }),
  }),
  read: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/summary/:day",
    access: "admin",
    summary:
      "What a business day came to, as it was kept when the day ended; where it was not, as the rows tell it now",
    params: z.object({ day }),
    reply: z.object({
      day: z.iso.date(),
      /** False for today. */
      isOver: z.boolean(),
      keptAt: timestamp.nullable(),
      /** The first day of which anything is known. */
      firstDay: z.iso.date(),
      summary: DaySummary,
    }),
  }),
};
