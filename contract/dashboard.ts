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

/** Far enough from the ends of the calendar for arithmetic. */
const comparedDay = z.iso
  .date()
  .refine((day) => day >= "2000" && day < "3000", "Choose a day between the years 2000 and 2999");

const span = z.object({ from: z.iso.date(), to: z.iso.date() });

/** A figure by day, week and month, oldest first; the last of each is not over yet. */
const trend = <V extends z.ZodType>(value: V) => {
  const change = z.object({ value, before: value });
  return z.object({
    days: z.array(value),
    weeks: z.array(value),
    months: z.array(value),
    changes: z.object({ today: change, week: change, month: change }),
  });
};
/** The days of a change and those it is compared with. Unfinished days are compared with whole ones. */
const compared = z.object({ span, against: span, isFinished: z.boolean() });

const amount = { count: z.int(), amount: moneySum };
/** The number of all orders, and the sum of those not refunded. */
const sold = { orders: z.int(), revenue: moneySum };

export type SpanFigures = z.input<typeof SpanFigures>;
const SpanFigures = span.extend({
  ...sold,
  users: z.int(),
  /** The revenue of Fedex orders, which do not count as orders. */
  fedexRevenue: moneySum,
  /** Of orders not refunded; null if there are none. */
  averagePrice: moneySum.nullable(),
  deposits: z.object(amount),
  /** By the day of the refund, whenever the order was made. */
  refunds: z.object(amount),
  /** Of the newest thousand refunds at most. */
  reasons: z.object({
    of: z.int(),
    most: z.array(z.object({ reason: z.string(), ...amount })),
    others: z.object(amount),
  }),
  /** Includes refunded orders. */
  labelTypes: z.array(z.object({ _id: id, labelType: z.string(), ...amount })),
  paymentMethods: z.array(z.object({ method: z.string(), ...amount })),
  /** Null for orders from before there were shops. */
  shops: z.array(z.object({ _id: id.nullable(), shop: z.string().nullable(), ...sold })),
  /** Orders of customers who had joined at most 30 days before. */
  newCustomers: z.object(sold),
  returningCustomers: z.object(sold),
  /** For a single month, whole or up to today; null for other spans. */
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
      /** Types with few codes left, in the order in which they run out. */
      codes: z.array(z.object({ type: trackingType, left: z.int(), days: z.int().nullable() })),
      /** Enabled label types that have weights without a price. */
      priceGaps: z.array(z.object({ _id: id, name: z.string() })),
      /** Scheduled price changes that failed. */
      failedPrices: z.array(z.object({ _id: id, name: z.string() })),
      /** Events that were not dismissed. */
      unusual: z.int(),
      /** Requests for approval. */
      approvals: queue,
      /**
       * Credited payments that statements of the last seven days report as reversed, with the newest such statement.
       */
      reversedPayments: z.object({ count: z.int(), amount: moneySum, statement: id }).nullable(),
      /** Webhooks that were paused automatically, and those that have been failing for some minutes. */
      webhooks: z.array(z.object({ _id: id, name: z.string(), isPaused: z.boolean() })),
      /** All changes of the payment handle in the last seven days together. Nobody can dismiss them. */
      paymentHandle: z
        .object({
          /** The handle before the first change, and the one now. */
          from: z.string(),
          to: z.string(),
          changes: z.int(),
          /** Who made the changes, latest first. */
          by: z.array(z.string()),
          /** How many warnings the changes were saved with. */
          warnings: z.int(),
          /** The time of the latest change. */
          createdAt: timestamp,
        })
        .nullable(),
      /** The last scheduled backup that passed its test; null if none are scheduled. */
      backup: z
        .object({
          takenAt: timestamp.nullable(),
          isLate: z.boolean(),
          /** Why the newest backup failed. */
          problem: z.string(),
        })
        .nullable(),
      /** Null before the first check. */
      books: z.object({ balanced: z.boolean(), checkedAt: timestamp, problems: z.int() }).nullable(),
    }),
  }),
  owed: endpoint({
    method: "GET",
    path: "/api/v1/dashboard/owed",
    access: "admin",
    summary: "What is owed to all customers together, and whether the ledger agreed when it was last checked",
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
