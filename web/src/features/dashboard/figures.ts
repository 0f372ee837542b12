import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Reply } from "@footprint/contract/endpoint.ts";
import { formatCount, formatMoney } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";

const count = (value = 0) => formatCount(value);
const money = (value = 0) => formatMoney(value);

/** Every figure as text. What is missing in a reply, or could not be loaded, is 0. */
export function useFigures() {
  const orders = useApiQuery(dashboard.orders, {});
  const users = useApiQuery(dashboard.users, {});
  const revenue = useApiQuery(dashboard.revenue, {});
  const deposits = useApiQuery(dashboard.deposits, {});
  const paid: Partial<Reply<typeof dashboard.deposits>> = deposits.data ?? {};
  const figures = [
    {
      name: "Orders",
      list: "/orders",
      loading: orders.isPending,
      total: count(orders.data?.allTimeOrdersCount),
      today: count(orders.data?.todayOrdersCount),
      week: count(orders.data?.thisWeekOrdersCount),
      month: count(orders.data?.thisMonthOrdersCount),
    },
    {
      name: "Users",
      list: "/users",
      loading: users.isPending,
      total: count(users.data?.allTimeUsersCount),
      // The specification's name for the customers who joined today.
      today: count(users.data?.todayOrdersCount),
      week: count(users.data?.thisWeekUsersCount),
      month: count(users.data?.thisMonthUsersCount),
    },
    {
      name: "Revenue",
      // What is refunded is no revenue.
      list: "/orders?status=Active",
      loading: revenue.isPending,
      total: money(revenue.data?.allTimeRevenue),
      today: money(revenue.data?.todayRevenue),
      week: money(revenue.data?.thisWeekRevenue),
      month: money(revenue.data?.thisMonthRevenue),
    },
    {
      name: "Deposits",
      // By the day on which they were paid, which invoices are not listed by.
      list: "/transfers?kind=deposit",
      loading: deposits.isPending,
      total: money(paid.allTimeInvoicesAmount?.allTimeInvoicesAmount),
      today: money(paid.todayInvoicesAmount?.todayInvoicesAmount),
      week: money(paid.thisWeekInvoicesAmount?.thisWeekInvoicesAmount),
      month: money(paid.thisMonthInvoicesAmount?.thisMonthInvoicesAmount),
      split: [
        { method: "cashapp", sum: money(paid.allTimeInvoicesAmount?.cashApp) },
        { method: "paypal", sum: money(paid.allTimeInvoicesAmount?.paypal) },
      ],
    },
  ];
  return { figures, calls: [orders, users, revenue, deposits] };
}

export type Figures = ReturnType<typeof useFigures>["figures"];
