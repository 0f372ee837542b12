import type { ReactNode } from "react";
import { Link } from "react-router";
import classes from "./Tabs.module.css";

/** Links above what they choose. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav className={classes.tabs} aria-label={label}>
      {tabs.map(({ name, to, isChosen, count }) => (
        <Link key={name} to={to} preventScrollReset aria-current={isChosen ? "page" : undefined}>
          {name} {count}
        </Link>
      ))}
    </nav>
  );
}

type Tab = { name: string; to: string; isChosen: boolean; count?: ReactNode };
