import { Loader } from "@mantine/core";
import { type ReactNode, Suspense } from "react";
import classes from "./ChartCard.module.css";

/** The frame of a chart: dark in both themes, with the same height before the chart is there. */
export function ChartCard({
  title,
  loading,
  stale = false,
  wide = false,
  children,
}: {
  title: string;
  loading: boolean;
  /** The chart of another period is loading. */
  stale?: boolean;
  /** As wide as two. */
  wide?: boolean;
  children: ReactNode;
}) {
  const waiting = (
    <div className={classes.middle} aria-busy>
      <Loader color="#a9b4d0" size="sm" role="status" aria-label={`Loading ${title}`} />
    </div>
  );
  return (
    <section className={classes.card} aria-label={title} data-wide={wide || undefined}>
      <h2 className={classes.title}>{title}</h2>
      <div className={classes.plot} data-stale={stale || undefined}>
        {loading ? waiting : <Suspense fallback={waiting}>{children}</Suspense>}
      </div>
    </section>
  );
}
