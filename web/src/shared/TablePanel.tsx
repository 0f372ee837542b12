import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ApiError } from "./api.ts";
import { type Column, DataTable, type RowTone } from "./DataTable.tsx";
import { LoadFailure, OutOfDate } from "./LoadFailure.tsx";
import { Notice } from "./Notice.tsx";
import classes from "./TablePanel.module.css";

/** A table without search and paging. */
export function TablePanel<T extends { _id: string }, R>({
  title,
  query,
  rows,
  columns,
  tone,
  expanded,
  empty,
}: {
  title: string;
  query: UseQueryResult<R, ApiError>;
  rows: (reply: R) => readonly T[];
  columns: readonly Column<T>[];
  tone?: (row: T) => RowTone;
  /** Content below a row. */
  expanded?: { id: string; content: ReactNode } | undefined;
  /** Shown instead of an empty table. */
  empty: { title: string; hint: ReactNode; action?: ReactNode };
}) {
  const shown = query.data && rows(query.data);
  return (
    <section className={classes.panel} aria-label={title}>
      <OutOfDate query={query} />
      {shown?.length === 0 ? (
        <div className={classes.notice}>
          <Notice title={empty.title} hint={empty.hint}>
            {empty.action}
          </Notice>
        </div>
      ) : query.isError && !shown ? (
        <div className={classes.notice}>
          <LoadFailure query={query} />
        </div>
      ) : (
        <DataTable title={title} columns={columns} rows={shown} tone={tone} expanded={expanded} skeletonRows={6} />
      )}
    </section>
  );
}
