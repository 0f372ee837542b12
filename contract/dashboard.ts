import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { moneySum, timestamp } from "./schemas.ts";

const graph = <D extends z.ZodType>(value: D) => z.object({ labels: z.array(z.iso.date()), data: z.array(value) });
const deposits = <N extends string>(name: N) =>
  z.object({ [name]: moneySum, cashApp: moneySum, paypal: moneySum } as Record<
    N | "cashApp" | "paypal",
    typeof moneySum
  >);

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
      revenue: graph(moneySum),
      labelTypes: z.array(z.object({ labelType: z.string(), count: z.int() })),
      paymentGateways: z.array(z.object({ paymentGateway: z.string(), count: z.int() })),
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
