import { dashboard } from "@footprint/contract/dashboard.ts";
import { RetryAlert } from "../../shared/LoadFailure.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { useSession } from "../../shared/session.ts";
import { BooksCheck, BooksProblems, useBooks } from "./Books.tsx";
import { ChartCard } from "./ChartCard.tsx";
import { Headlines, Periods } from "./Figures.tsx";
import { useFigures } from "./figures.ts";
import { BarChart } from "./lazyCharts.ts";
import { Owed, useOwed } from "./Owed.tsx";
import { Trends } from "./Trends.tsx";
import { useReportedFailure } from "./useReportedFailure.ts";

export function DashboardScreen() {
  const { timezone } = useSession();
  const books = useBooks();
  const { figures, calls: figureCalls } = useFigures();
  const graph = useApiQuery(dashboard.graph, {});
  const calls = [...figureCalls, graph];
  useReportedFailure(calls, "Some figures could not be loaded");
  const ended = calls.every((call) => !call.isPending);
  const owed = useOwed(ended);
  const failed = calls.filter((call) => call.isError);

  return (
    <>
      <ScreenHeader
        title="Dashboard"
        subtitle={`Days in ${timezone}; a week begins on Monday`}
        actions={<BooksCheck {...books} />}
      />
      <BooksProblems result={books.result ?? owed.data} />
      {failed.length > 0 && (
        <RetryAlert py={8} mb={16} onRetry={() => failed.map((call) => call.refetch())}>
          What could not be loaded shows 0.
        </RetryAlert>
      )}
      <Headlines figures={figures} />
      <Owed query={owed} />
      <Periods figures={figures} />
      <ChartCard title="Orders Graph" loading={graph.isPending}>
        <BarChart
          name="Orders Graph"
          series="Orders"
          days={graph.data?.labels ?? []}
          values={graph.data?.data ?? []}
          colour="#7c93ff"
        />
      </ChartCard>
      <Trends enabled={ended} />
    </>
  );
}
