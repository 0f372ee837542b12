import { Loader } from "@mantine/core";
import { type ReactNode, useState } from "react";
import classes from "./ChartCard.module.css";
import { FigureMenu } from "./FigureMenu.tsx";
import { type Numbers, NumbersTable, sheetOf } from "./Numbers.tsx";

/** The frame of a chart, with the same height before the chart is there, and the table behind it. */
export function ChartCard({
  title,
  legend,
  numbers,
  loading,
  stale = false,
  dark = false,
  children,
}: {
  title: string;
  /** What is drawn, at the end of the title's line. */
  legend?: ReactNode;
  numbers: Numbers;
  loading: boolean;
  /** The chart of another period is loading. */
  stale?: boolean;
  /** A part of the dark rail, whatever the theme. */
  dark?: boolean;
  children: ReactNode;
}) {
  const [isTable, setTable] = useState(false);
  return (
    <section className={classes.card} aria-label={title} data-dark={dark || undefined}>
      <div className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        {legend}
        <FigureMenu
          title={title}
          file={title.toLowerCase().replaceAll(" ", "-")}
          sheet={() => sheetOf(numbers)}
          table={{ isShown: isTable, toggle: () => setTable(!isTable) }}
        />
      </div>
      <div className={classes.plot} data-stale={stale || undefined}>
        {loading ? (
          <ChartLoading name={title} dark={dark} />
        ) : (
          <>
            {!isTable && children}
            <NumbersTable caption={title} numbers={numbers} isShown={isTable} />
          </>
        )}
      </div>
    </section>
  );
}

export function ChartLoading({ name, dark = false }: { name: string; dark?: boolean }) {
  return (
    <div className={classes.middle} aria-busy>
      <Loader color={dark ? "#a9b4d0" : "gray"} size="sm" role="status" aria-label={`Loading ${name}`} />
    </div>
  );
}

/** A colour and what it stands for. */
export function Key({ shape, children }: { shape: "bar" | "line" | "unfinished"; children: ReactNode }) {
  return (
    <span className={classes.key} data-shape={shape}>
      {children}
    </span>
  );
}
