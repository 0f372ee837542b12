import { Skeleton, VisuallyHidden } from "@mantine/core";
import { Fragment, type MouseEvent, type ReactNode, useContext, useDeferredValue } from "react";
import { TakenWidth } from "./beside.ts";
import classes from "./DataTable.module.css";
import { WholeIds } from "./ShortId.tsx";
import { TwoLines } from "./TwoLines.tsx";
import { useWidthUpTo } from "./windowWidth.ts";

export type Column<T> = {
  /** Empty for the column of actions. */
  title: string;
  cell: (row: T) => ReactNode;
  /** Belongs to the value: small and grey on a second line. */
  second?: (row: T) => ReactNode;
  /** For numbers. */
  align?: "right";
  /** Grey, for less important values. */
  dimmed?: boolean;
  width?: number | string;
  /** Takes as many lines as it needs; other text is cut off. */
  wraps?: boolean;
  /** The place on a phone's card: the headline, top right, or hidden. By default in the line below. */
  onCard?: "headline" | "aside" | "hidden";
  /** In a card's line the title is shown too, as it always is for numbers. */
  titled?: boolean;
  /** In a narrow window it moves below the value of the column with this title. */
  below?: string;
  /** Shown only if there is room, in a wide window (from 1600 px), or on a phone's card. */
  only?: "room" | "wide" | "card";
  /** For values that the page itself shows, such as whose orders these are. */
  hidden?: boolean;
};

/** Highlights a row that needs attention; a cell says why. */
export type RowTone = "warning" | "total" | undefined;

export type Choice<T> = {
  /** The name of a row, for screen readers. */
  nameOf: (row: T) => string;
  has: (id: string) => boolean;
  /** `through` includes all rows between this and the last one. */
  toggle: (row: T, through: boolean) => void;
  /** Chooses all of these rows, or none of them. */
  toggleAll: (rows: readonly T[], on: boolean) => void;
};

type TableProps<T> = {
  title: string;
  columns: readonly Column<T>[];
  /** Undefined while loading: then a skeleton is drawn. */
  rows: readonly T[] | undefined;
  tone?: ((row: T) => RowTone) | undefined;
  /** The row reached by keys, or whose details are shown. */
  marked?: string | undefined;
  /** Content below a row, such as a form that edits it. */
  expanded?: { id: string; content: ReactNode } | undefined;
  /** Rows that are gone, and stay visible only so that nothing moves. */
  isGone?: ((row: T) => boolean) | undefined;
  /** Lets rows be chosen. */
  choice?: Choice<T> | undefined;
  /** A click on a row outside its links and buttons. */
  onOpen?: ((row: T) => void) | undefined;
  /** A tap anywhere on a card, including its links. */
  onTap?: ((row: T) => void) | undefined;
  skeletonRows?: number;
  /** In pixels; beyond it rows scroll under their heading. */
  maxHeight?: number;
};

/** Rows as a table, or as cards on a phone. */
export function DataTable<T extends { _id: string }>({ columns, rows, ...rest }: TableProps<T>) {
  const isPhone = useWidthUpTo("phone");
  const taken = useContext(TakenWidth);
  const isNarrow = useWidthUpTo("narrow", taken);
  const isWide = !useWidthUpTo("usual", taken);
  const has = { room: !isPhone && !isNarrow, wide: !isPhone && isWide, card: isPhone };
  const shown = columns.filter(({ hidden, only }) => !hidden && (!only || has[only]));
  // The first rows are drawn in small pieces, so that the browser stays responsive; later ones at once, to react to
  // what was pressed.
  const areDrawn = useDeferredValue(rows !== undefined);
  const props = { ...rest, columns: shown, rows: areDrawn ? rows : undefined };
  return (
    <WholeIds value={isWide}>
      {!props.rows && <VisuallyHidden role="status">{`Loading ${props.title}`}</VisuallyHidden>}
      {isPhone ? <Cards {...props} /> : <Table {...props} isNarrow={isNarrow} />}
    </WholeIds>
  );
}

/** Attributes to mark, find and open a row. */
function rowProps<T extends { _id: string }>(row: T, props: TableProps<T>) {
  const { tone, marked, expanded, isGone, choice, onOpen, onTap } = props;
  return {
    "data-tone": tone?.(row),
    "data-chosen": choice?.has(row._id) || undefined,
    "data-row": row._id,
    inert: isGone?.(row),
    "aria-current": row._id === (marked ?? expanded?.id) || undefined,
    tabIndex: -1,
    ...(onOpen && {
      "data-opens": true,
      onClick: (event: MouseEvent<HTMLElement>) => isOnRowItself(event) && onOpen(row),
    }),
    ...(onTap && {
      onClickCapture: (event: MouseEvent<HTMLElement>) => {
        if (!(event.target instanceof Element) || event.target.closest("button, input, label")) return;
        event.preventDefault();
        event.stopPropagation();
        onTap(row);
      },
    }),
  };
}

/** Not on its links, buttons or open menus, nor at the end of selecting text. */
function isOnRowItself({ target, currentTarget }: MouseEvent<HTMLElement>): boolean {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  return !target.closest("a, button, input, label") && window.getSelection()?.isCollapsed !== false;
}

const heightLimit = (maxHeight: number | undefined, className: string | undefined) =>
  maxHeight ? { className: `${className} ${classes.capped}`, style: { maxHeight } } : { className };

// Mantine's look without its components, of which a table would have a hundred.
const unseen = VisuallyHidden.classes.root;

function Waiting({ height, width }: { height: number; width: string }) {
  return (
    <div
      className={`${Skeleton.classes.root} ${classes.waiting}`}
      data-visible
      data-animate
      style={{ height, width }}
    />
  );
}

const placesFor = (count: number) => Array.from({ length: count }, (_, place) => place);

function Table<T extends { _id: string }>(props: TableProps<T> & { isNarrow: boolean }) {
  const { title, columns, rows, expanded, choice, skeletonRows = 10, maxHeight, isNarrow } = props;
  const isTight = useWidthUpTo("tight", useContext(TakenWidth));
  const below = (title: string) => (isNarrow ? columns.filter((column) => column.below === title) : []);
  const moved = columns.flatMap(({ title }) => below(title));
  const shown = columns.filter((column) => !moved.includes(column));
  const place = ({ title, align }: Column<T>) => ({ "data-align": align, "data-actions": !title || undefined });
  const hasTwoLines = moved.length > 0 || shown.some(({ second }) => second);
  return (
    <div {...heightLimit(maxHeight, classes.scroll)}>
      <table
        className={classes.table}
        data-narrow={isNarrow}
        data-tight={isTight}
        data-lines={hasTwoLines ? 2 : 1}
        aria-busy={!rows}
      >
        <VisuallyHidden component="caption">{title}</VisuallyHidden>
        <thead>
          <tr>
            {choice && (
              <td className={classes.choice}>
                <ChoosePage choice={choice} rows={rows ?? []} />
              </td>
            )}
            {shown.map((column) => (
              <th key={column.title} {...place(column)} scope="col" style={{ width: column.width }}>
                {column.title || <VisuallyHidden>Actions</VisuallyHidden>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows?.map((row) => (
            <Fragment key={row._id}>
              <tr {...rowProps(row, props)}>
                {choice && (
                  <td className={classes.choice}>
                    <ChooseRow choice={choice} row={row} />
                  </td>
                )}
                {shown.map((column) => (
                  <td key={column.title} {...place(column)} data-dimmed={column.dimmed} data-wraps={column.wraps}>
                    <Cell column={column} row={row} isOver={below(column.title).length > 0} />
                    {below(column.title).map((second) => (
                      <div key={second.title} className={classes.below}>
                        {/* Below a name, a time needs its title. */}
                        {second.dimmed && column.onCard === "headline" ? (
                          second.title
                        ) : (
                          <span className={unseen}>{second.title}</span>
                        )}{" "}
                        {second.cell(row)}
                      </div>
                    ))}
                  </td>
                ))}
              </tr>
              {expanded?.id === row._id && (
                <tr className={classes.expanded}>
                  <td colSpan={shown.length}>{expanded.content}</td>
                </tr>
              )}
            </Fragment>
          )) ??
            placesFor(skeletonRows).map((row) => (
              <tr key={row}>
                {choice && <td className={classes.choice} />}
                {shown.map((column, index) => (
                  <td key={column.title} {...place(column)}>
                    <Waiting height={12} width={index === 0 ? "70%" : "50%"} />
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

/** The label fills its cell, so that it is easy to hit. */
function ChooseRow<T extends { _id: string }>({ choice, row }: { choice: Choice<T>; row: T }) {
  return (
    <label>
      <input
        type="checkbox"
        aria-label={`Choose ${choice.nameOf(row)}`}
        checked={choice.has(row._id)}
        onChange={({ nativeEvent }) =>
          choice.toggle(row, nativeEvent instanceof window.MouseEvent && nativeEvent.shiftKey)
        }
      />
    </label>
  );
}

function ChoosePage<T extends { _id: string }>({ choice, rows }: { choice: Choice<T>; rows: readonly T[] }) {
  const count = rows.filter(({ _id }) => choice.has(_id)).length;
  const isAll = count > 0 && count === rows.length;
  return (
    <label>
      <input
        type="checkbox"
        aria-label="Choose this page"
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && !isAll;
        }}
        checked={isAll}
        disabled={rows.length === 0}
        onChange={() => choice.toggleAll(rows, !isAll)}
      />
    </label>
  );
}

/** With another column below it, a cell has no room for its own second line. */
function Cell<T>({ column, row, isOver }: { column: Column<T>; row: T; isOver: boolean }) {
  if (!column.title) return <div className={classes.actions}>{column.cell(row)}</div>;
  if (!column.second || isOver) return column.cell(row);
  return <TwoLines first={column.cell(row)} second={column.second(row)} />;
}

/** A headline, something beside it, and everything else in one line. */
function Cards<T extends { _id: string }>(props: TableProps<T>) {
  const { title, columns, rows, expanded, choice, skeletonRows = 10, maxHeight } = props;
  const at = (place: Column<T>["onCard"]) => columns.filter((column) => column.title && column.onCard === place);
  const actions = columns.find((column) => !column.title);
  return (
    <ul {...heightLimit(maxHeight, classes.cards)} aria-label={title} aria-busy={!rows}>
      {rows?.map((row) => (
        <li key={row._id} className={classes.card} {...rowProps(row, props)}>
          <div className={classes.cardTop}>
            {choice && (
              <div className={classes.choice}>
                <ChooseRow choice={choice} row={row} />
              </div>
            )}
            <div className={classes.headline}>{at("headline").map((column) => cellOf(column, row))}</div>
            <div className={classes.aside}>{at("aside").map((column) => cellOf(column, row))}</div>
          </div>
          <div className={classes.cardMore}>
            <dl className={classes.line}>
              {at(undefined).map((column) => (
                <div key={column.title}>
                  {column.align || column.titled ? <dt>{column.title}</dt> : <dt className={unseen}>{column.title}</dt>}
                  <dd>{column.cell(row)}</dd>
                </div>
              ))}
            </dl>
            {actions && <div className={classes.cardActions}>{actions.cell(row)}</div>}
          </div>
          {expanded?.id === row._id && expanded.content}
        </li>
      )) ??
        placesFor(skeletonRows).map((place) => (
          <li key={place} className={classes.card}>
            <div className={classes.cardTop}>
              <Waiting height={14} width="45%" />
            </div>
            <div className={classes.cardMore}>
              <Waiting height={12} width="60%" />
            </div>
          </li>
        ))}
    </ul>
  );
}

function cellOf<T>(column: Column<T>, row: T) {
  return <div key={column.title}>{column.cell(row)}</div>;
}
