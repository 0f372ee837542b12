import { chartDays, dashboard } from "@footprint/contract/dashboard.ts";
import { Button, Group, SegmentedControl, Title } from "@mantine/core";
import { useSearchParams } from "react-router";
import { labelOf } from "../../shared/labels.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { ChartCard } from "./ChartCard.tsx";
import { DoughnutChart, LineChart } from "./lazyCharts.ts";
import classes from "./Trends.module.css";
import { useReportedFailure } from "./useReportedFailure.ts";

const defaultDays = "30";

/** Charts over a number of days, which is kept in the address. They load after the screen's other calls. */
export function Trends({ enabled }: { enabled: boolean }) {
  const [address, setAddress] = useSearchParams();
  const days = chartDays.find((choice) => choice === address.get("days")) ?? defaultDays;
  const query = useApiQuery(dashboard.charts, { query: { days } }, { enabled });
  useReportedFailure([query], "The charts could not be loaded");

  const choose = (choice: string) =>
    setAddress(choice === defaultDays ? {} : { days: choice }, { replace: true, preventScrollReset: true });

  const { revenue, labelTypes, paymentGateways } = query.data ?? {};
  const state = { loading: query.isPending, stale: query.isPlaceholderData };
  return (
    <>
      <Group justify="space-between" gap="8px 16px" mt={24} mb={12}>
        <Title order={2} size="md" lh="inherit">
          Last {days} days
        </Title>
        {query.isError && (
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => query.refetch()}>
            Not loaded. Retry
          </Button>
        )}
        <SegmentedControl
          aria-label="Days"
          value={days}
          onChange={choose}
          data={chartDays.map((choice) => ({ value: choice, label: `${choice} days` }))}
        />
      </Group>
      <div className={classes.charts}>
        <ChartCard title="Revenue" wide {...state}>
          <LineChart name="Revenue" series="Revenue" days={revenue?.labels ?? []} values={revenue?.data ?? []} />
        </ChartCard>
        <ChartCard title="Orders by label type" {...state}>
          <DoughnutChart
            name="Orders by label type"
            counted="Orders"
            groupedBy="Label type"
            parts={(labelTypes ?? []).map(({ labelType, count }) => ({ label: labelType, count }))}
          />
        </ChartCard>
        <ChartCard title="Deposits by payment gateway" {...state}>
          <DoughnutChart
            name="Deposits by payment gateway"
            counted="Deposits"
            groupedBy="Payment gateway"
            parts={(paymentGateways ?? []).map(({ paymentGateway, count }) => ({
              label: labelOf(paymentGateway),
              count,
            }))}
          />
        </ChartCard>
      </div>
    </>
  );
}
