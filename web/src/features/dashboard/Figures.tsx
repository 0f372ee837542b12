import { Skeleton } from "@mantine/core";
import { Fragment } from "react";
import { CardLink } from "../../shared/CardLink.tsx";
import { spansAt, todayIn } from "../../shared/days.ts";
import { labelOf } from "../../shared/labels.ts";
import { useSession } from "../../shared/session.ts";
import classes from "./Figures.module.css";
import type { Figures } from "./figures.ts";

const periods = [
  ["Today", "today", "Today"],
  ["Week", "week", "This week"],
  ["Month", "month", "This month"],
] as const;

/** The four cards on top. */
export function Headlines({ figures }: { figures: Figures }) {
  return (
    <dl className={classes.headlines} aria-busy={figures.some(({ loading }) => loading)}>
      {figures.map(({ name, list, loading, total, split }) => (
        <div key={name} className={classes.headline}>
          <dt>Total {name}</dt>
          <dd>
            <Figure value={total} loading={loading} name={`Total ${name}`} to={list} />
          </dd>
          {split && (
            <dd className={classes.split}>
              {split.map(({ method, sum }) => (
                <span key={method}>
                  {labelOf(method)}{" "}
                  <Figure
                    value={sum}
                    loading={loading}
                    name={labelOf(method)}
                    to={`/invoices?status=paid&method=${method}`}
                  />
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
  const { timezone } = useSession();
  const spans = spansAt(todayIn(timezone));
  return (
    <div className={classes.rows}>
      {figures.map(({ name, list, loading, ...values }) => (
        <Fragment key={name}>
          <h2 id={`figures-${name}`} className={classes.rowName}>
            {name}
          </h2>
          <dl className={classes.row} aria-labelledby={`figures-${name}`}>
            {periods.map(([label, period, span]) => (
              <div key={period} className={classes.card}>
                <dt>{label}</dt>
                <dd>
                  <Figure
                    value={values[period]}
                    loading={loading}
                    name={`${name}, ${label}`}
                    to={`${list}${list.includes("?") ? "&" : "?"}${new URLSearchParams(spans[span])}`}
                  />
                </dd>
              </div>
            ))}
          </dl>
        </Fragment>
      ))}
    </div>
  );
}

/** Leads to the rows that it counts. The skeleton is as tall as the figure. */
function Figure({ value, loading, name, to }: { value: string; loading: boolean; name: string; to: string }) {
  if (loading) return <Skeleton component="span" display="inline-block" width="5em" height="0.8em" />;
  return (
    <CardLink to={to} aria-label={`${name}: ${value}`}>
      {value}
    </CardLink>
  );
}
