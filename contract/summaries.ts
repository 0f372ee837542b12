import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { day, id, moneySum, period, timestamp } from "./schemas.ts";
import { trackingTypes } from "./tracking.ts";

const sum = z.object({ count: z.int(), total: moneySum });

/** Most reasons and price changes that are listed. */
export const mostTold = 12;
/** Most days in a list. */
export const mostDays = 92;

/** The summary of a business day. */
export type DaySummary = z.input<typeof DaySummary>;
export const DaySummary = z.object({
  orders: z.int(),
  /** Unrefunded orders and charged Fedex orders. */
  revenue: moneySum,
  fedexCharges: sum,
  newCustomers: z.int(),
  deposits: sum.extend({ cashapp: moneySum, paypal: moneySum }),
  /** Largest amounts first; beyond `mostTold` they are added up. */
  refunds: sum.extend({ reasons: z.array(sum.extend({ reason: z.string() })), others: sum }),
  /** Credits other than refunds, by the account that made them. */
  credits: z.array(sum.extend({ account: z.object({ _id: id, username: z.string() }) })),
  /** The first of the price changes. */
  priceChanges: z.object({
    count: z.int(),
    first: z.array(z.object({ _id: id, by: z.string(), action: z.string(), createdAt: timestamp })),
  }),
  unusual: z.int(),
  /** How many things waited, and how many codes were left, at the day's end; null if nobody looked then. */
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
      /** The first day with any data. */
      firstDay: z.iso.date(),
      summary: DaySummary,
    }),
  }),
};
