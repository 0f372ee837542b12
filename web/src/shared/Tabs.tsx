import { VisuallyHidden } from "@mantine/core";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";
import classes from "./Tabs.module.css";

type Tab = {
  name: string;
  to: string;
  isChosen: boolean;
  count?: string | undefined;
  /** Its count has a place before it is there. */
  isCounted?: boolean;
  /** What is shown is no longer quite what it leads to. */
  isChanged?: boolean;
  /** Beside it. */
  menu?: ReactNode;
  /** Where names may be the same. */
  id?: string;
};

/** Links above what they choose; where they do not fit, they scroll sideways. */
export function Tabs({ label, tabs, children }: { label: string; tabs: Tab[]; children?: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  const chosen = tabs.findIndex(({ isChosen }) => isChosen);
  useEffect(() => {
    // With the next frame, which lays the page out anyway.
    const frame = window.requestAnimationFrame(() => {
      const link = nav.current?.querySelectorAll("a")[chosen];
      if (link && nav.current)
        nav.current.scrollLeft = link.offsetLeft - (nav.current.clientWidth - link.clientWidth) / 2;
    });
    return () => window.cancelAnimationFrame(frame);
  }, [chosen]);

  return (
    <nav ref={nav} className={classes.tabs} aria-label={label}>
      {tabs.map(({ id, name, to, isChosen, count, isCounted, isChanged, menu }) => (
        <Fragment key={id ?? name}>
          <Link to={to} preventScrollReset aria-current={isChosen ? "page" : undefined}>
            {name}
            {(count || isCounted) && (
              <span className={classes.count} data-kept={isCounted || undefined}>
                {" "}
                {count}
              </span>
            )}
            {isChanged && (
              <span className={classes.dot}>
                <VisuallyHidden>, changed</VisuallyHidden>
              </span>
            )}
          </Link>
          {menu}
        </Fragment>
      ))}
      {children}
    </nav>
  );
}
