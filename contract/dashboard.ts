import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { invoiceQueue, queue } from "./queues.ts";
import { id, moneySum, namedCustomer, timestamp } from "./schemas.ts";
import { trackingType } from "./tracking.ts";

const graph = <D extends z.ZodType>(value: D) => z.object({ labels: z.array(z.iso.date()), data: z.array(value) });
const deposits = <N extends string>(name: N) =>
  z.object({ [name]: moneySum, cashApp: moneySum, paypal: moneySum } as Record<
    N | "cashApp" | "paypal",
    typeof moneySum
  >);

/** Far enough from where calendars end to reckon with. */
const comparedDay = z.iso
  .date()
  .refine((day) => day >= "2000" && day < "3000", "Choose a day between the years 2000 and 2999");

const span = z.object({ from: z.iso.date(), to: z.iso.date() });

/** A figure by day, week and month, oldest first; the last of each is still running. */
const trend = <V extends z.ZodType>(value: V) => {
  const change = z.object({ value, before: value });
  return z.object({
    days: z.array(value),
    weeks: z.array(value),
    months: z.array(value),
    changes: z.object({ today: change, week: change, month: change }),
  });
};
/** The days that a change is of, and those it is against. Days that are not over stand against whole ones. */
const compared = z.object({ span, against: span, isFinished: z.boolean() });

const amount = { count: z.int(), amount: moneySum };
/** All orders, and what those came to that were not refunded. */
const sold = { orders: z.int(), revenue: moneySum };

export type SpanFigures = z.input<typeof SpanFigures>;
const SpanFigures = span.extend({
  ...sold,
  users: z.int(),
  /** What of the revenue is Fedex orders, which are not among the orders. */
  fedexRevenue: moneySum,
  /** Of orders that were not refunded; null where there are none. */
  averagePrice: moneySum.nullable(),
  deposits: z.object(amount),
  /** By the day on which they were made, whenever the order was. */
  refunds: z.object(amount),
  /** Of the newest refunds, up to a thousand. */
  reasons: z.object({
    of: z.int(),
    most: z.array(z.object({ reason: z.string(), ...amount })),
    others: z.object(amount),
  }),
  /** Refunded orders too. */
  labelTypes: z.array(z.object({ _id: id, labelType: z.string(), ...amount })),
  paymentMethods: z.array(z.object({ method: z.string(), ...amount })),
  /** Null for what came from before shops were told apart. */
  shops: z.array(z.object({ _id: id.nullable(), shop: z.string().nullable(), ...sold })),
  /** Of customers who had joined within the 30 days before the order. */
  newCustomers: z.object(sold),
  returningCustomers: z.object(sold),
  /** Of one month, whole or up to today; null for other spans. */
  topCustomers: z.array(namedCustomer.extend({ orders: z.int(), amount: moneySum })).nullable(),
});

export const chartDays = ["7", "30", "90"] as const;

export const dashboard = {
  orders: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/orders-stats",
    access: "admin",
    summary: "How many orders, by calendar period",
    reply: z.object({
      allTimeOrdersCount: z.int(),
      todayOrdersCount: z.int(),
      thisWeekOrdersCount: z.int(),
      thisMonthOrdersCount: z.int(),
    }),
  }),
  users: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/users",
    access: "admin",
    summary: "How many customers joined, by calendar period; todayOrdersCount means customers, too",
    reply: z.object({
      allTimeUsersCount: z.int(),
      todayOrdersCount: z.int(),
      todayUsersCount: z.int(),
      thisWeekUsersCount: z.int(),
      thisMonthUsersCount: z.int(),
    }),
  }),
  revenue: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/revenue-stats",
    access: "admin",
    summary: "The price of orders that were not refunded, by calendar period",
    reply: z.object({
      allTimeRevenue: moneySum,
      todayRevenue: moneySum,
      thisWeekRevenue: moneySum,
      thisMonthRevenue: moneySum,
    }),
  }),
  deposits: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/deposit-stats",
    access: "admin",
    summary: "Paid invoices by the time they were paid, and by payment method",
    reply: z.object({
      allTimeInvoicesAmount: deposits("allTimeInvoicesAmount"),
      todayInvoicesAmount: deposits("todayInvoicesAmount"),
      thisWeekInvoicesAmount: deposits("thisWeekInvoicesAmount"),
      thisMonthInvoicesAmount: deposits("thisMonthInvoicesAmount"),
    }),
  }),
  graph: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/revenue-graph",
    access: "admin",
    summary: "The number of orders on each of the last 30 days",
    reply: graph(z.int()),
  }),
  charts: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/charts",
    access: "admin",
    summary: "Revenue, label types and payment gateways over the last 7, 30 or 90 days",
    query: z.object({ days: z.enum(chartDays).default("30") }),
    reply: z.object({
      orders: graph(z.int()),
      revenue: graph(moneySum),
      labelTypes: z.array(z.object({ _id: id, labelType: z.string(), count: z.int() })),
      paymentGateways: z.array(z.object({ paymentGateway: z.string(), count: z.int() })),
    }),
  }),
  trends: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/trends",
    access: "admin",
    summary: "Each figure by day, week and month, and against the same span before",
    reply: z.object({
      spans: z.object({ today: compared, week: compared, month: compared }),
      orders: trend(z.int()),
      users: trend(z.int()),
      revenue: trend(moneySum),
      deposits: trend(moneySum),
    }),
  }),
  compare: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/compare",
    access: "admin",
    summary:
      "What one span of days came to against another: this month so far without dates, and the days before without others",
    query: z.object({
      from: comparedDay.optional(),
      to: comparedDay.optional(),
      againstFrom: comparedDay.optional(),
      againstTo: comparedDay.optional(),
    }),
    reply: z.object({ span: SpanFigures, against: SpanFigures }),
  }),
  attention: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/attention",
    access: "admin",
    summary:
      "What waits for somebody: newcomers, Fedex orders, invoices, codes that run out, weights without a price, unusual events, requests for approval, credited payments that were reversed, webhooks that fail, a changed payment handle, backups, the books",
    reply: z.object({
      newUsers: queue,
      fedexOrders: queue,
      invoices: invoiceQueue,
      /** Types of codes that are low, those that run out first before others. */
      codes: z.array(z.object({ type: trackingType, left: z.int(), days: z.int().nullable() })),
      /** Label types that are sold and have weights without a price. */
      priceGaps: z.array(z.object({ _id: id, name: z.string() })),
      /** Scheduled changes of prices that were not made. */
      failedPrices: z.array(z.object({ _id: id, name: z.string() })),
      /** Events that nobody has dismissed. */
      unusual: z.int(),
      /** Requests for approval. */
      approvals: queue,
      /** Payments that statements of the last seven days tell to be reversed, and that are credited; with the newest one's statement. */
      reversedPayments: z.object({ count: z.int(), amount: moneySum, statement: id }).nullable(),
      /** Webhooks that paused themselves, and those that have been failing for some minutes. */
      webhooks: z.array(z.object({ _id: id, name: z.string(), isPaused: z.boolean() })),
      /** The changes of the last seven days of where customers pay to, together. Nobody can dismiss them. */
      paymentHandle: z
        .object({
          /** The handle before the first of them, and the one now. */
          from: z.string(),
          to: z.string(),
          changes: z.int(),
          /** Who made them, the latest first. */
          by: z.array(z.string()),
          /** How many warnings they were saved with. */
          warnings: z.int(),
          /** When the latest was made. */
          createdAt: timestamp,
        })
        .nullable(),
      /** The last that servers made by themselves and restored for a check; null where they are not asked to. */
      backup: z
        .object({
          takenAt: timestamp.nullable(),
          isLate: z.boolean(),
          /** What the newest one failed with. */
          problem: z.string(),
        })
        .nullable(),
      /** Null where they were never checked. */
      books: z.object({ balanced: z.boolean(), checkedAt: timestamp, problems: z.int() }).nullable(),
    }),
  }),
  owed: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/owed",
    access: "admin",
    summary: "What all customers own together, and whether the ledger agreed when it was last checked",
    takesLong: true,
    reply: z.object({
      owed: moneySum,
      balanced: z.boolean(),
      checkedAt: timestamp,
      problems: z.array(z.string()),
    }),
  }),
  books: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/books",
    access: "admin",
    summary: "Recomputes every balance, refund, deposit and counter from the rows",
    takesLong: true,
    reply: z.object({ balanced: z.boolean(), checkedAt: timestamp, problems: z.array(z.string()) }),
  }),
};
