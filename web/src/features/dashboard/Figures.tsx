import { Skeleton } from "@mantine/core";
import { Fragment } from "react";
import { labelOf } from "../../shared/labels.ts";
import classes from "./Figures.module.css";
import { type Figures, type Subject, subjects } from "./figuresOf.ts";

type FiguresProps = { figures: Figures; loading: Record<Subject, boolean> };

const names: Record<Subject, string> = { orders: "Orders", users: "Users", revenue: "Revenue", deposits: "Deposits" };
const periods = [
  ["Today", "today"],
  ["Week", "week"],
  ["Month", "month"],
] as const;

/** The four cards on top. */
export function Headlines({ figures, loading }: FiguresProps) {
  return (
    <dl className={classes.headlines} aria-busy={Object.values(loading).some(Boolean)}>
      {subjects.map((subject) => (
        <div key={subject} className={classes.headline}>
          <dt>Total {names[subject]}</dt>
          <dd>
            <Figure value={figures[subject].total} loading={loading[subject]} />
          </dd>
          {subject === "deposits" && (
            <dd className={classes.split}>
              <span>
                {labelOf("cashapp")} <Figure value={figures.cashapp} loading={loading.deposits} />
              </span>
              <span>
                {labelOf("paypal")} <Figure value={figures.paypal} loading={loading.deposits} />
              </span>
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

/** Four rows of three cards. */
export function Periods({ figures, loading }: FiguresProps) {
  return (
    <div className={classes.rows}>
      {subjects.map((subject) => (
        <Fragment key={subject}>
          <h2 id={`figures-${subject}`} className={classes.rowName}>
            {names[subject]}
          </h2>
          <dl className={classes.row} aria-labelledby={`figures-${subject}`}>
            {periods.map(([label, period]) => (
              <div key={period} className={classes.card}>
                <dt>{label}</dt>
                <dd>
                  <Figure value={figures[subject][period]} loading={loading[subject]} />
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
