import { VisuallyHidden } from "@mantine/core";
import { Link } from "react-router";
import classes from "./ChartCard.module.css";

/** What a chart draws, in numbers. */
export type Numbers = { columns: [string, string]; rows: NumberRow[] };
type NumberRow = { label: string; value: number; text: string; to?: string };

export const sheetOf = ({ columns, rows }: Numbers) => [columns, ...rows.map(({ label, value }) => [label, value])];

/** The table behind a chart: for who cannot see the chart, or wants to read the numbers. */
export function NumbersTable({ caption, numbers, isShown }: { caption: string; numbers: Numbers; isShown: boolean }) {
  const table = (
    <table className={isShown ? classes.numbers : undefined}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {numbers.columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {numbers.rows.map(({ label, text, to }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {/* Nobody sees where the focus is in a table that is not shown. */}
            <td>{isShown && to ? <Link to={to}>{text}</Link> : text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
  return isShown ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className={classes.scroll} tabIndex={0} aria-label={`${caption} as a table`}>
      {table}
    </section>
  ) : (
    <VisuallyHidden component="div">{table}</VisuallyHidden>
  );
}
