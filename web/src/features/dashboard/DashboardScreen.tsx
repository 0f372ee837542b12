import { dashboard } from "@footprint/contract/dashboard.ts";
import { Button, Skeleton } from "@mantine/core";
import { IconArrowLeft, IconArrowsLeftRight } from "@tabler/icons-react";
import { Link, useSearchParams } from "react-router";
import { todayIn } from "../../shared/days.ts";
import { RetryAlert } from "../../shared/LoadFailure.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { useSession } from "../../shared/session.ts";
import { Attention } from "./Attention.tsx";
import { BooksCheck, BooksProblems, useBooks } from "./Books.tsx";
import { addressOf, comparedIn, presetsAt } from "./compared.ts";
import classes from "./DashboardScreen.module.css";
import { FigureMenu } from "./FigureMenu.tsx";
import { Headlines, Periods } from "./Figures.tsx";
import { useFigures } from "./figures.ts";
import { Owed, useOwed } from "./Owed.tsx";
import { Trends } from "./Trends.tsx";
import { useReportedFailure } from "./useReportedFailure.ts";

const Comparison = lazyPart(
  () => import("./Comparison.tsx").then((file) => file.Comparison),
  () => <Skeleton height="100vh" aria-busy />,
);

export function DashboardScreen() {
  const { timezone } = useSession();
  const books = useBooks();
  const { figures, calls: figureCalls } = useFigures();
  const graph = useApiQuery(dashboard.graph, {});
  const calls = [...figureCalls, graph];
  useReportedFailure(calls, "Some figures could not be loaded");
  const ended = calls.every((call) => !call.isPending);
  const { data: trends } = useApiQuery(dashboard.trends, {}, { enabled: ended });
  const owed = useOwed(ended);
  const failed = calls.filter((call) => call.isError);
  const [address] = useSearchParams();
  const compared = comparedIn(address);

  return (
    <div className={classes.screen}>
      <ScreenHeader
        title="Dashboard"
        subtitle={`Days in ${timezone}, a week begins on Monday.${compared ? "" : " Changes compare finished days."}`}
        actions={
          <>
            {compared ? (
              <Button
                component={Link}
                to="/"
                variant="default"
                leftSection={<IconArrowLeft size={16} aria-hidden />}
                data-print="never"
              >
                Overview
              </Button>
            ) : (
              <Button
                component={Link}
                to={addressOf(presetsAt(todayIn(timezone))["This month"])}
                variant="default"
                leftSection={<IconArrowsLeftRight size={16} aria-hidden />}
                data-print="never"
              >
                This month against last
              </Button>
            )}
            <Button variant="default" component={Link} to="/summary" data-print="never">
              Daily summary
            </Button>
            <BooksCheck {...books} />
            <FigureMenu title="Figures" file="figures" sheet={() => sheetOf(figures)} />
          </>
        }
      />
      <BooksProblems result={books.result ?? owed.data} />
      {failed.length > 0 && (
        <RetryAlert py={8} mb={16} onRetry={() => failed.map((call) => call.refetch())}>
          What could not be loaded shows 0.
        </RetryAlert>
      )}
      {/* What was asked for comes first: on a phone the rest fills the window. */}
      {compared && <Comparison compared={compared} />}
      <Attention enabled={ended} books={books.result ?? owed.data} />
      <Headlines figures={figures} trends={trends} />
      {!compared && (
        <>
          <Periods figures={figures} trends={trends} />
          <Owed query={owed} />
          <Trends graph={graph} enabled={ended} />
        </>
      )}
    </div>
  );
}

const sheetOf = (figures: ReturnType<typeof useFigures>["figures"]) => [
  ["", "Total", "Today", "Week", "Month"],
  ...figures.map(({ name, total, today, week, month }) => [name, total, today, week, month]),
];
