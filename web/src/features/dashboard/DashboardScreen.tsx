import { dashboard } from "@footprint/contract/dashboard.ts";
import { Alert, Button } from "@mantine/core";
import { useApiQuery } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { useSession } from "../../shared/session.ts";
import { BooksCheck, BooksProblems, useBooks } from "./Books.tsx";
import { ChartCard } from "./ChartCard.tsx";
import { Headlines, Periods } from "./Figures.tsx";
import { figuresOf } from "./figuresOf.ts";
import { BarChart } from "./lazyCharts.ts";
import { Trends } from "./Trends.tsx";
import { useReportedFailure } from "./useReportedFailure.ts";

export function DashboardScreen() {
  const { timezone } = useSession();
  const books = useBooks();
  const orders = useApiQuery(dashboard.orders, {});
  const users = useApiQuery(dashboard.users, {});
  const revenue = useApiQuery(dashboard.revenue, {});
  const deposits = useApiQuery(dashboard.deposits, {});
  const graph = useApiQuery(dashboard.graph, {});
  const calls = [orders, users, revenue, deposits, graph];
  useReportedFailure(calls, "Some figures could not be loaded");

  const figures = figuresOf({ orders: orders.data, users: users.data, revenue: revenue.data, deposits: deposits.data });
  const loading = {
    orders: orders.isPending,
    users: users.isPending,
    revenue: revenue.isPending,
    deposits: deposits.isPending,
  };
  const failed = calls.filter((call) => call.isError);

  return (
    <>
      <ScreenHeader
        title="Dashboard"
        subtitle={`Days in ${timezone}; a week begins on Monday`}
        actions={<BooksCheck {...books} />}
      />
      <BooksProblems {...books} />
      {failed.length > 0 && (
        <Alert color="red" py={8} mb={16}>
          What could not be loaded shows 0.{" "}
          <Button size="compact-xs" variant="subtle" color="red" onClick={() => failed.map((call) => call.refetch())}>
            Retry
          </Button>
        </Alert>
      )}
      <Headlines figures={figures} loading={loading} />
      <Periods figures={figures} loading={loading} />
      <ChartCard title="Orders Graph" loading={graph.isPending}>
        <BarChart
          name="Orders Graph"
          series="Orders"
          days={graph.data?.labels ?? []}
          values={graph.data?.data ?? []}
          colour="#7c93ff"
        />
      </ChartCard>
      <Trends enabled={calls.every((call) => !call.isPending)} />
    </>
  );
}
