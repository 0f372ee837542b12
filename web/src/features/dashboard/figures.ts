import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Reply } from "@footprint/contract/endpoint.ts";
import { formatCount, formatMoney } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";

type Sums = (number | undefined)[];

/** In all, today, this week and this month. */
const values = ([total = 0, today = 0, week = 0, month = 0]: Sums) => ({ total, today, week, month });

/** What is missing in a reply, or could not be loaded, is 0. */
export function useFigures() {
  const orders = useApiQuery(dashboard.orders, {});
  const users = useApiQuery(dashboard.users, {});
  const revenue = useApiQuery(dashboard.revenue, {});
  const deposits = useApiQuery(dashboard.deposits, {});
  const { data: placed } = orders;
  const { data: joined } = users;
  const { data: sold } = revenue;
  const paid: Partial<Reply<typeof dashboard.deposits>> = deposits.data ?? {};
  const { allTimeInvoicesAmount: inAll } = paid;
  const figures: Figure[] = [
    {
      name: "Orders",
      trend: "orders",
      list: "/orders",
      loading: orders.isPending,
      format: formatCount,
      ...values([
        placed?.allTimeOrdersCount,
        placed?.todayOrdersCount,
        placed?.thisWeekOrdersCount,
        placed?.thisMonthOrdersCount,
      ]),
    },
    {
      name: "Users",
      trend: "users",
      list: "/users",
      loading: users.isPending,
      format: formatCount,
      ...values([
        joined?.allTimeUsersCount,
        // The specification's name for the customers who joined today.
        joined?.todayOrdersCount,
        joined?.thisWeekUsersCount,
        joined?.thisMonthUsersCount,
      ]),
    },
    {
      name: "Revenue",
      trend: "revenue",
      // What is refunded is no revenue.
      list: "/orders?status=Active",
      loading: revenue.isPending,
      format: formatMoney,
      ...values([sold?.allTimeRevenue, sold?.todayRevenue, sold?.thisWeekRevenue, sold?.thisMonthRevenue]),
    },
    {
      name: "Deposits",
      trend: "deposits",
      // By the day on which they were paid, which invoices are not listed by.
      list: depositList,
      loading: deposits.isPending,
      format: formatMoney,
      ...values([
        inAll?.allTimeInvoicesAmount,
        paid.todayInvoicesAmount?.todayInvoicesAmount,
        paid.thisWeekInvoicesAmount?.thisWeekInvoicesAmount,
        paid.thisMonthInvoicesAmount?.thisMonthInvoicesAmount,
      ]),
      split: [
        { method: "cashapp", sum: inAll?.cashApp ?? 0 },
        { method: "paypal", sum: inAll?.paypal ?? 0 },
      ],
    },
  ];
  return { figures, calls: [orders, users, revenue, deposits] };
}

export type Trends = Reply<typeof dashboard.trends>;

export type Figure = ReturnType<typeof values> & {
  name: string;
  trend: "orders" | "users" | "revenue" | "deposits";
  list: string;
  loading: boolean;
  format: (value: number) => string;
  split?: { method: string; sum: number }[];
};

/** What was paid and not taken back. */
export const depositList = "/transfers?kind=deposit&reversed=false";

/** A list's address for some days. */
export const listOfDays = (list: string, days: { from: string; to: string }) =>
  `${list}${list.includes("?") ? "&" : "?"}${new URLSearchParams(days)}`;
