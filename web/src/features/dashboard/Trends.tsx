import { chartDays, dashboard } from "@footprint/contract/dashboard.ts";
import type { Reply } from "@footprint/contract/endpoint.ts";
import { Button, Group, SegmentedControl, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import type { ApiError } from "../../shared/api.ts";
import { fullDay } from "../../shared/days.ts";
import { formatCount, formatMoney } from "../../shared/format.tsx";
import { labelOf } from "../../shared/labels.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { ChartCard, Key } from "./ChartCard.tsx";
import { depositList, listOfDays } from "./figures.ts";
import { BarChart, DoughnutChart, LineChart } from "./lazyCharts.tsx";
import type { Numbers } from "./Numbers.tsx";
import classes from "./Trends.module.css";
import { useReportedFailure } from "./useReportedFailure.ts";

const defaultDays = "30";

type Graph = UseQueryResult<Reply<typeof dashboard.graph>, ApiError>;

/** Charts over a number of days, which is kept in the address. All but the graph load after the screen's other calls. */
export function Trends({ graph, enabled }: { graph: Graph; enabled: boolean }) {
  const [address, setAddress] = useSearchParams();
  const days = chartDays.find((choice) => choice === address.get("days")) ?? defaultDays;
  const query = useApiQuery(dashboard.charts, { query: { days } }, { enabled });
  useReportedFailure([query], "The charts could not be loaded");

  const choose = (choice: string) =>
    setAddress(choice === defaultDays ? {} : { days: choice }, { replace: true, preventScrollReset: true });

  const { revenue, labelTypes = [], paymentGateways = [] } = query.data ?? {};
  const state = { loading: query.isPending, stale: query.isPlaceholderData };
  // The specification's own call has the last 30 days.
  const isUsual = days === defaultDays;
  const orders = isUsual ? graph.data : query.data?.orders;
  const drawn = revenue?.labels ?? [];
  const span = { from: drawn[0] ?? "", to: drawn.at(-1) ?? "" };
  const byLabelType = labelTypes.map(({ _id, labelType, count }) => ({
    label: labelType,
    count,
    to: listOfDays(`/orders?labelType=${_id}`, span),
  }));
  const byMethod = paymentGateways.map(({ paymentGateway, count }) => ({
    label: labelOf(paymentGateway),
    count,
    to: listOfDays(`${depositList}&method=${paymentGateway}`, span),
  }));
  return (
    <>
      <Group justify="space-between" gap="8px 16px" mt={16} mb={8}>
        <Title order={2} size="sm" lh="32px">
          Last {days} days
        </Title>
        {query.isError && (
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => query.refetch()}>
            Not loaded. Retry
          </Button>
        )}
        <SegmentedControl
          aria-label="Days"
          data-print="never"
          value={days}
          onChange={choose}
          data={chartDays.map((choice) => ({ value: choice, label: `${choice} days` }))}
        />
      </Group>
      <div className={classes.charts}>
        <ChartCard
          title="Orders Graph"
          legend={
            <>
              <Key shape="bar">Orders</Key>
              <Key shape="unfinished">today so far</Key>
            </>
          }
          numbers={byDay("Orders", orders, formatCount, ordersOn)}
          loading={isUsual ? graph.isPending : query.isPending}
          stale={!isUsual && query.isPlaceholderData}
        >
          <BarChart
            name="Orders Graph"
            series="Orders"
            days={orders?.labels ?? []}
            values={orders?.data ?? []}
            list={ordersOn}
          />
        </ChartCard>
        <div className={classes.rail}>
          <ChartCard title="Orders by label type" numbers={byKind("Label type", "Orders", byLabelType)} dark {...state}>
            <DoughnutChart name="Orders by label type" counted="orders" parts={byLabelType} />
          </ChartCard>
          <ChartCard
            title="Deposits by payment gateway"
            numbers={byKind("Payment gateway", "Deposits", byMethod)}
            dark
            {...state}
          >
            <DoughnutChart name="Deposits by payment gateway" counted="invoices" parts={byMethod} />
          </ChartCard>
        </div>
        <ChartCard
          title="Revenue"
          legend={<Key shape="line">Revenue</Key>}
          numbers={byDay("Revenue", revenue, formatMoney, soldOn)}
          {...state}
        >
          <LineChart name="Revenue" series="Revenue" days={drawn} values={revenue?.data ?? []} list={soldOn} />
        </ChartCard>
      </div>
    </>
  );
}

const ordersOn = (day: string) => listOfDays("/orders", { from: day, to: day });
const soldOn = (day: string) => listOfDays("/orders?status=Active", { from: day, to: day });

function byDay(
  series: string,
  graph: { labels?: string[]; data?: number[] } | undefined,
  format: (value: number) => string,
  list: (day: string) => string,
): Numbers {
  const rows = (graph?.labels ?? []).map((day, at) => {
    const value = graph?.data?.[at] ?? 0;
    return { label: fullDay(day), value, text: format(value), to: list(day) };
  });
  return { columns: ["Day", series], rows };
}

const byKind = (kind: string, counted: string, parts: { label: string; count: number; to: string }[]): Numbers => ({
  columns: [kind, counted],
  rows: parts.map(({ label, count, to }) => ({ label, value: count, text: formatCount(count), to })),
});
