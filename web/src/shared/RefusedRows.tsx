import type { ReactNode } from "react";
import classes from "./RefusedRows.module.css";

type Refused = { id: string; name: ReactNode; customer?: string | undefined; message: string };

/** Which of several rows were refused, and why. */
export function RefusedRows({ rows }: { rows: Refused[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
    <ul className={classes.refused} aria-label="Refused" tabIndex={0}>
      {rows.map(({ id, name, customer, message }) => (
        <li key={id}>
          <div>
            <b>{name}</b> <span>{customer}</span>
          </div>
          {message}
        </li>
      ))}
    </ul>
  );
}
