import type { ReactNode } from "react";
import classes from "./TwoLines.module.css";

/** Two related texts, one above the other: a customer and their address, a place and its city. */
export function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <div className={classes.lines}>
      <div>{first}</div>
      {second && <SecondLine>{second}</SecondLine>}
    </div>
  );
}

/** Small and grey, beside or below something more important. */
export function SecondLine({ children }: { children: ReactNode }) {
  return <span className={classes.second}>{children}</span>;
}
