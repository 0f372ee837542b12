import { Skeleton } from "@mantine/core";
import { type CSSProperties, Fragment } from "react";
import { Link } from "react-router";
import { CardLink } from "../../shared/CardLink.tsx";
import { fullDay, spansAt, todayIn } from "../../shared/days.ts";
import { labelOf } from "../../shared/labels.ts";
import { useSession } from "../../shared/session.ts";
import { Change } from "./Change.tsx";
import classes from "./Figures.module.css";
import { type Figure, listOfDays, type Trends } from "./figures.ts";
import { Bars, Line, Split } from "./Miniatures.tsx";

const periods = [
  ["Today", "today", "Today", "days"],
  ["Week", "week", "This week", "weeks"],
  ["Month", "month", "This month", "months"],
] as const;

const methodColours = ["var(--figures-strong)", "var(--figures-faint)"];

/** The four cards on top. */
export function Headlines({ figures, trends }: { figures: Figure[]; trends: Trends | undefined }) {
  return (
    <div className={classes.headlines} aria-busy={figures.some(({ loading }) => loading)}>
      {figures.map((figure) => (
        <Headline key={figure.name} figure={figure} trends={trends} />
      ))}
    </div>
  );
}

function Headline({ figure, trends }: { figure: Figure; trends: Trends | undefined }) {
  const { name, list, loading, total, format, split } = figure;
  const trend = trends?.[figure.trend];
  return (
    <div className={classes.headline}>
      <dl>
        <div>
          <dt>Total {name}</dt>
          <dd className={classes.total}>
            <Value value={format(total)} loading={loading} name={`Total ${name}`} to={list} />
            <span className={classes.miniature}>
              {split ? (
                <Split parts={split.map(({ sum }, at) => ({ value: sum, colour: methodColours[at] ?? "" }))} />
              ) : (
                // The running week is not over.
                trend && <Line values={trend.weeks.slice(0, -1)} />
              )}
            </span>
          </dd>
          {split?.map(({ method, sum }, at) => (
            <dd key={method} className={classes.part} style={{ "--part": methodColours[at] } as CSSProperties}>
              {labelOf(method)}{" "}
              <Value
                value={format(sum)}
                loading={loading}
                name={labelOf(method)}
                to={`/invoices?status=paid&method=${method}`}
              />
            </dd>
          ))}
        </div>
      </dl>
      {!split && <Lately figure={figure} days={trend?.days} />}
    </div>
  );
}

/** What of it came in the last 30 days. */
function Lately({ figure, days }: { figure: Figure; days: number[] | undefined }) {
  const { timezone } = useSession();
  if (!days) return <p className={classes.lately}>&nbsp;</p>;
  const to = todayIn(timezone);
  const from = new Date(Date.parse(to) - (days.length - 1) * 86_400_000).toISOString().slice(0, 10);
  const sum = figure.format(days.reduce((all, one) => all + one, 0));
  return (
    <p className={classes.lately}>
      <Link to={listOfDays(figure.list, { from, to })}>
        {sum} in the last {days.length} days
      </Link>
    </p>
  );
}

/** Four rows of three cards. */
export function Periods({ figures, trends }: { figures: Figure[]; trends: Trends | undefined }) {
  const { timezone } = useSession();
  const spans = spansAt(todayIn(timezone));
  return (
    <div className={classes.rows}>
      {figures.map((figure) => (
        <Fragment key={figure.name}>
          <h2 id={`figures-${figure.name}`} className={classes.rowName}>
            {figure.name}
          </h2>
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
          <div role="group" className={classes.row} aria-labelledby={`figures-${figure.name}`}>
            {periods.map(([label, period, span, unit]) => (
              <div key={period} className={classes.card}>
                <dl>
                  <div>
                    <dt>{label}</dt>
                    <dd>
                      <Value
                        value={figure.format(figure[period])}
                        loading={figure.loading}
                        name={`${figure.name}, ${label}`}
                        to={listOfDays(figure.list, spans[span])}
                      />
                    </dd>
                  </div>
                </dl>
                <div className={classes.bars}>{trends && <Bars values={trends[figure.trend][unit].slice(-13)} />}</div>
                <div className={classes.change}>
                  {trends && !figure.loading && <PeriodChange figure={figure} period={period} trends={trends} />}
                </div>
              </div>
            ))}
          </div>
        </Fragment>
      ))}
    </div>
  );
}

function PeriodChange(props: { figure: Figure; period: "today" | "week" | "month"; trends: Trends }) {
  const { figure, period, trends } = props;
  const { span, against, isFinished } = trends.spans[period];
  const { value, before } = trends[figure.trend].changes[period];
  const words = isFinished
    ? `${days(span)} against ${days(against)}`
    : `today so far against all of ${fullDay(against.from)}`;
  return <Change value={value} before={before} format={figure.format} isFinished={isFinished} against={words} />;
}

const days = ({ from, to }: { from: string; to: string }) =>
  from === to ? fullDay(from) : `${fullDay(from)} to ${fullDay(to)}`;

/** Leads to the rows that it counts. The skeleton is as tall as the figure. */
function Value({ value, loading, name, to }: { value: string; loading: boolean; name: string; to: string }) {
  if (loading) return <Skeleton component="span" display="inline-block" width="3.5em" height="0.8em" />;
  return (
    <CardLink to={to} aria-label={`${name}: ${value}`}>
      {value}
    </CardLink>
  );
}
