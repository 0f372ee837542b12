import type { dashboard } from "@footprint/contract/dashboard.ts";
import type { Reply } from "@footprint/contract/endpoint.ts";
import { formatCount, formatMoney } from "../../shared/format.tsx";

export const subjects = ["orders", "users", "revenue", "deposits"] as const;
export type Subject = (typeof subjects)[number];

type Replies = { [S in Subject]: Partial<Reply<(typeof dashboard)[S]>> | undefined };
type Periods = { total: string; today: string; week: string; month: string };
export type Figures = Record<Subject, Periods> & { cashapp: string; paypal: string };

/** Every figure as text. What is missing in a reply, or could not be loaded, is 0. */
export function figuresOf({ orders, users, revenue, deposits }: Replies): Figures {
  const count = (value: number | undefined) => formatCount(value ?? 0);
  const money = (value: number | undefined) => formatMoney(value ?? 0);
  return {
    orders: {
      total: count(orders?.allTimeOrdersCount),
      today: count(orders?.todayOrdersCount),
      week: count(orders?.thisWeekOrdersCount),
      month: count(orders?.thisMonthOrdersCount),
    },
    users: {
      total: count(users?.allTimeUsersCount),
      // The specification's name for the customers who joined today.
      today: count(users?.todayOrdersCount),
      week: count(users?.thisWeekUsersCount),
      month: count(users?.thisMonthUsersCount),
    },
    revenue: {
      total: money(revenue?.allTimeRevenue),
      today: money(revenue?.todayRevenue),
      week: money(revenue?.thisWeekRevenue),
      month: money(revenue?.thisMonthRevenue),
    },
    deposits: {
      total: money(deposits?.allTimeInvoicesAmount?.allTimeInvoicesAmount),
      today: money(deposits?.todayInvoicesAmount?.todayInvoicesAmount),
      week: money(deposits?.thisWeekInvoicesAmount?.thisWeekInvoicesAmount),
      month: money(deposits?.thisMonthInvoicesAmount?.thisMonthInvoicesAmount),
    },
    cashapp: money(deposits?.allTimeInvoicesAmount?.cashApp),
    paypal: money(deposits?.allTimeInvoicesAmount?.paypal),
  };
}
