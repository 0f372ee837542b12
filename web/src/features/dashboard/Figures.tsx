import { Skeleton } from "@mantine/core";
import { Fragment } from "react";
import { labelOf } from "../../shared/labels.ts";
import classes from "./Figures.module.css";
import type { Figures } from "./figures.ts";

const periods = [
  ["Today", "today"],
  ["Week", "week"],
  ["Month", "month"],
] as const;

/** The four cards on top. */
export function Headlines({ figures }: { figures: Figures }) {
  return (
    <dl className={classes.headlines} aria-busy={figures.some(({ loading }) => loading)}>
      {figures.map(({ name, loading, total, split }) => (
        <div key={name} className={classes.headline}>
          <dt>Total {name}</dt>
          <dd>
            <Figure value={total} loading={loading} />
          </dd>
          {split && (
            <dd className={classes.split}>
              {Object.entries(split).map(([method, sum]) => (
                <span key={method}>
                  {labelOf(method)} <Figure value={sum} loading={loading} />
                </span>
              ))}
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

/** Four rows of three cards. */
export function Periods({ figures }: { figures: Figures }) {
  return (
    <div className={classes.rows}>
      {figures.map(({ name, loading, ...values }) => (
        <Fragment key={name}>
          <h2 id={`figures-${name}`} className={classes.rowName}>
            {name}
          </h2>
          <dl className={classes.row} aria-labelledby={`figures-${name}`}>
            {periods.map(([label, period]) => (
              <div key={period} className={classes.card}>
                <dt>{label}</dt>
                <dd>
                  <Figure value={values[period]} loading={loading} />
                </dd>
              </div>
            ))}
          </dl>
        </Fragment>
      ))}
    </div>
  );
}

/** The skeleton is as tall as the figure. */
function Figure({ value, loading }: { value: string; loading: boolean }) {
  if (!loading) return value;
  return <Skeleton component="span" display="inline-block" width="5em" height="0.8em" />;
}
