import { VisuallyHidden } from "@mantine/core";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import { Link } from "react-router";
import classes from "./Tabs.module.css";

type Tab = {
  name: string;
  to: string;
  isChosen: boolean;
  count?: string | undefined;
  /** Reserves a place for its count. */
  isCounted?: boolean;
  /** The list no longer shows exactly this view. */
  isChanged?: boolean;
  /** Beside it. */
  menu?: ReactNode;
  /** For names that may be equal. */
  id?: string;
  onClick?: () => void;
};

/** Links above the content that they choose; without room for all, they scroll sideways. */
export function Tabs({ label, tabs, children }: { label: string; tabs: Tab[]; children?: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  const chosen = tabs.findIndex(({ isChosen }) => isChosen);
  useEffect(() => {
    // In the next frame, which computes the layout anyway.
    const frame = window.requestAnimationFrame(() => {
      const link = nav.current?.querySelectorAll("a")[chosen];
      if (link && nav.current)
        nav.current.scrollLeft = link.offsetLeft - (nav.current.clientWidth - link.clientWidth) / 2;
    });
    return () => window.cancelAnimationFrame(frame);
  }, [chosen]);

  return (
    <nav ref={nav} className={classes.tabs} aria-label={label}>
      {tabs.map(({ id, name, to, isChosen, count, isCounted, isChanged, menu, onClick }) => (
        <Fragment key={id ?? name}>
          <Link to={to} preventScrollReset aria-current={isChosen ? "page" : undefined} onClick={onClick}>
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
