import { Skeleton, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./DataTable.module.css";
import { useWidthUpTo } from "./windowWidth.ts";

export type Column<T> = {
  /** Empty for the row's actions. */
  title: string;
  cell: (row: T) => ReactNode;
  /** Numbers go to the right. */
  align?: "right";
  /** Grey, for what matters less. */
  dimmed?: boolean;
  width?: number | string;
  /** Takes as many lines as it needs; other text is cut where it does not fit. */
  wraps?: boolean;
  /** Its place on a phone's card: the headline, top right, or none. Otherwise it has a line with its title. */
  onCard?: "headline" | "aside" | "hidden";
  /** In a narrow window it moves below the value of the column with this title. */
  below?: string;
  /** Where the page itself says it, such as whose orders these are. */
  hidden?: boolean;
};

/** Colours a row that needs attention; a cell says in words why. */
export type RowTone = "warning" | undefined;

type TableProps<T> = {
  title: string;
  columns: readonly Column<T>[];
  /** Undefined while they load: then their skeleton is drawn. */
  rows: readonly T[] | undefined;
  tone?: ((row: T) => RowTone) | undefined;
  skeletonRows?: number;
  /** In pixels; more rows scroll under their head. */
  maxHeight?: number;
};

/** Rows as a table, or as cards on a phone. */
export function DataTable<T extends { _id: string }>({ columns, ...rest }: TableProps<T>) {
  const isPhone = useWidthUpTo("phone");
  const props = { ...rest, columns: columns.filter(({ hidden }) => !hidden) };
  return (
    <>
      {!props.rows && <VisuallyHidden role="status">{`Loading ${props.title}`}</VisuallyHidden>}
      {isPhone ? <Cards {...props} /> : <Table {...props} />}
    </>
  );
}

const heightLimit = (maxHeight: number | undefined, className: string | undefined) =>
  maxHeight ? { className: `${className} ${classes.capped}`, style: { maxHeight } } : { className };

const placesFor = (count: number) => Array.from({ length: count }, (_, place) => place);

function Table<T extends { _id: string }>({ title, columns, rows, tone, skeletonRows = 10, maxHeight }: TableProps<T>) {
  const isNarrow = useWidthUpTo("narrow");
  const isTight = useWidthUpTo("tight");
  const below = (title: string) => (isNarrow ? columns.filter((column) => column.below === title) : []);
  const moved = columns.flatMap(({ title }) => below(title));
  const shown = columns.filter((column) => !moved.includes(column));
  const place = ({ title, align }: Column<T>) => ({ "data-align": align, "data-actions": !title || undefined });
  return (
    <div {...heightLimit(maxHeight, classes.scroll)}>
      <table className={classes.table} data-narrow={isNarrow} data-tight={isTight} aria-busy={!rows}>
        <VisuallyHidden component="caption">{title}</VisuallyHidden>
        <thead>
          <tr>
            {shown.map((column) => (
              <th key={column.title} {...place(column)} scope="col" style={{ width: column.width }}>
                {column.title || <VisuallyHidden>Actions</VisuallyHidden>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows?.map((row) => (
            <tr key={row._id} data-tone={tone?.(row)}>
              {shown.map((column) => (
                <td key={column.title} {...place(column)} data-dimmed={column.dimmed} data-wraps={column.wraps}>
                  {column.title ? column.cell(row) : <div className={classes.actions}>{column.cell(row)}</div>}
                  {below(column.title).map((second) => (
                    <div key={second.title} className={classes.below}>
                      {/* Below a name, a time needs its title. */}
                      {second.dimmed && column.onCard === "headline" ? (
                        second.title
                      ) : (
                        <VisuallyHidden>{second.title}</VisuallyHidden>
                      )}{" "}
                      {second.cell(row)}
                    </div>
                  ))}
                </td>
              ))}
            </tr>
          )) ??
            placesFor(skeletonRows).map((row) => (
              <tr key={row}>
                {shown.map((column, index) => (
                  <td key={column.title} {...place(column)}>
                    <Skeleton height={12} width={index === 0 ? "70%" : "50%"} display="inline-block" />
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

function Cards<T extends { _id: string }>({ title, columns, rows, tone, skeletonRows = 10, maxHeight }: TableProps<T>) {
  const at = (place: Column<T>["onCard"]) => columns.filter((column) => column.title && column.onCard === place);
  const actions = columns.filter((column) => !column.title);
  return (
    <ul {...heightLimit(maxHeight, classes.cards)} aria-label={title} aria-busy={!rows}>
      {rows?.map((row) => (
        <li key={row._id} className={classes.card} data-tone={tone?.(row)}>
          <div className={classes.cardTop}>
            <div className={classes.headline}>{at("headline").map((column) => cellOf(column, row))}</div>
            <div className={classes.aside}>{at("aside").map((column) => cellOf(column, row))}</div>
          </div>
          <dl className={classes.lines}>
            {at(undefined).map((column) => (
              <div key={column.title}>
                <dt>{column.title}</dt>
                <dd>{column.cell(row)}</dd>
              </div>
            ))}
          </dl>
          {actions.map((column) => (
            <div key="actions" className={classes.cardActions}>
              {column.cell(row)}
            </div>
          ))}
        </li>
      )) ??
        placesFor(skeletonRows).map((place) => (
          <li key={place} className={classes.card}>
            <div className={classes.cardTop}>
              <Skeleton height={14} width="45%" />
            </div>
            <div className={classes.lines}>
              {at(undefined).map((column) => (
                <div key={column.title}>
                  <Skeleton height={12} width="70%" />
                </div>
              ))}
            </div>
            {actions.map(() => (
              <div key="actions" className={classes.cardActions} />
            ))}
          </li>
        ))}
    </ul>
  );
}

function cellOf<T>(column: Column<T>, row: T) {
  return <div key={column.title}>{column.cell(row)}</div>;
}
