import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Reply } from "@footprint/contract/endpoint.ts";
import { formatCount, formatMoney } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";

type Sums = (number | undefined)[];

/** In all, today, this week and this month. */
const shown = (format: (value: number) => string, [total = 0, today = 0, week = 0, month = 0]: Sums) => ({
  total: format(total),
  today: format(today),
  week: format(week),
  month: format(month),
});

/** Every figure as text. What is missing in a reply, or could not be loaded, is 0. */
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
  const figures: Figures = [
    {
      name: "Orders",
      list: "/orders",
      loading: orders.isPending,
      ...shown(formatCount, [
        placed?.allTimeOrdersCount,
        placed?.todayOrdersCount,
        placed?.thisWeekOrdersCount,
        placed?.thisMonthOrdersCount,
      ]),
    },
    {
      name: "Users",
      list: "/users",
      loading: users.isPending,
      ...shown(formatCount, [
        joined?.allTimeUsersCount,
        // The specification's name for the customers who joined today.
        joined?.todayOrdersCount,
        joined?.thisWeekUsersCount,
        joined?.thisMonthUsersCount,
      ]),
    },
    {
      name: "Revenue",
      // What is refunded is no revenue.
      list: "/orders?status=Active",
      loading: revenue.isPending,
      ...shown(formatMoney, [sold?.allTimeRevenue, sold?.todayRevenue, sold?.thisWeekRevenue, sold?.thisMonthRevenue]),
    },
    {
      name: "Deposits",
      // By the day on which they were paid, which invoices are not listed by.
      list: "/transfers?kind=deposit",
      loading: deposits.isPending,
      ...shown(formatMoney, [
        inAll?.allTimeInvoicesAmount,
        paid.todayInvoicesAmount?.todayInvoicesAmount,
        paid.thisWeekInvoicesAmount?.thisWeekInvoicesAmount,
        paid.thisMonthInvoicesAmount?.thisMonthInvoicesAmount,
      ]),
      split: [
        { method: "cashapp", sum: formatMoney(inAll?.cashApp ?? 0) },
        { method: "paypal", sum: formatMoney(inAll?.paypal ?? 0) },
      ],
    },
  ];
  return { figures, calls: [orders, users, revenue, deposits] };
}

type Figure = ReturnType<typeof shown> & { name: string; list: string; loading: boolean; split?: Part[] };
type Part = { method: string; sum: string };
export type Figures = Figure[];
