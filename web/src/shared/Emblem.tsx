import type { ReactNode } from "react";
import classes from "./Emblem.module.css";

/** An icon or a letter on a round ground. */
export function Emblem({ size = 40, children }: { size?: number; children: ReactNode }) {
  return (
    <span className={classes.emblem} style={{ width: size, height: size, fontSize: size < 40 ? 12 : 14 }} aria-hidden>
      {children}
    </span>
  );
}
