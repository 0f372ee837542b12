import { Button, NativeSelect, VisuallyHidden } from "@mantine/core";
import { IconArrowsSort, IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ApiError } from "./api.ts";
import { type Column, DataTable } from "./DataTable.tsx";
import { formatCount } from "./format.tsx";
import classes from "./ListScreen.module.css";
import { LoadFailure, OutOfDate } from "./LoadFailure.tsx";
import type { ListState } from "./listState.ts";
import { Notice } from "./Notice.tsx";
import { ScreenHeader } from "./ScreenHeader.tsx";
import { SearchField } from "./SearchField.tsx";

/** What every list call answers beside its rows. A capped total means "at least". */
type Page = { total: number; totalPages: number; totalCapped?: boolean | undefined };

type ListScreenProps<T, R> = {
  title: string;
  subtitle?: ReactNode;
  /** Adds a note which timezone the times are in. */
  showsTimes?: boolean;
  /** The main action, top right. */
  actions?: ReactNode;
  /** Between heading and list, such as statistics. */
  children?: ReactNode;
  list: ListState;
  query: UseQueryResult<R, ApiError>;
  rows: (reply: R) => readonly T[];
  columns: readonly Column<T>[];
  /** What can be searched for, as the field's placeholder. */
  searchFor: string;
  /** False where the order of rows has no meaning. */
  sortable?: boolean;
  /** Shown while the list is empty, without search and filter. */
  empty: { title: string; hint: ReactNode; action?: ReactNode };
  /** Beside search, filter and sort. */
  tools?: ReactNode;
  /** Another way to draw the rows; undefined rows mean "loading". */
  renderRows?: ((rows: readonly T[] | undefined) => ReactNode) | undefined;
};

/** A whole list screen: heading, search, filter, sort, rows, paging, and what to say when there is nothing to show. */
export function ListScreen<T extends { _id: string }, R extends Page>(props: ListScreenProps<T, R>) {
  const { title, subtitle, showsTimes = false, actions, children, query, rows, columns, renderRows } = props;
  const shown = query.data && rows(query.data);
  const draw = renderRows ?? ((some) => <DataTable title={title} columns={columns} rows={some} />);

  return (
    <>
      <ScreenHeader title={title} subtitle={subtitle} actions={actions} showsTimes={showsTimes} />
      {children}
      <section className={classes.panel} aria-label={title}>
        <Tools {...props} />
        <OutOfDate query={query} />
        <div className={classes.body} data-stale={query.isPlaceholderData || undefined}>
          {shown?.length === 0 ? (
            <Nothing {...props} />
          ) : query.isError && !shown ? (
            <LoadFailure query={query} />
          ) : (
            draw(shown)
          )}
        </div>
        <Pages {...props} count={shown?.length ?? 0} />
      </section>
    </>
  );
}

function Tools<T, R>({ list, searchFor, sortable = true, tools }: ListScreenProps<T, R>) {
  const { filter, values } = list;
  return (
    <search className={classes.tools}>
      <div className={classes.search}>
        <SearchField value={values.search} onChange={list.setSearch} placeholder={searchFor} />
      </div>
      {filter && (
        <NativeSelect
          className={classes.filter}
          aria-label={filter.label}
          leftSection={filter.label}
          value={filter.value}
          onChange={(event) => list.setFilter(event.currentTarget.value)}
          data={filter.options.map((option) => ({ value: option, label: filter.optionLabel?.(option) ?? option }))}
        />
      )}
      {sortable && (
        <Button
          variant="default"
          leftSection={<IconArrowsSort size={16} aria-hidden />}
          onClick={() => list.setSort(values.sort === "des" ? "asc" : "des")}
        >
          {values.sort === "des" ? "Newest first" : "Oldest first"}
        </Button>
      )}
      {tools}
    </search>
  );
}

function Nothing<T, R extends Page>({ list, query, empty }: ListScreenProps<T, R>) {
  if (query.data && query.data.total > 0) {
    const last = query.data.totalPages;
    return (
      <Notice title="This page is past the end" hint={`The list has ${formatCount(last)} pages.`}>
        <Button variant="default" onClick={() => list.setPage(last)}>
          Go to the last page
        </Button>
      </Notice>
    );
  }
  if (list.isNarrowed) {
    const { search } = list.values;
    return (
      <Notice
        title="Nothing found"
        hint={
          search
            ? `Nothing matches “${search}”${list.filter ? " with this filter" : ""}.`
            : "Nothing matches this filter."
        }
      >
        <Button variant="default" onClick={list.clear}>
          {list.filter ? "Clear search and filter" : "Clear search"}
        </Button>
      </Notice>
    );
  }
  return (
    <Notice title={empty.title} hint={empty.hint}>
      {empty.action}
    </Notice>
  );
}

function Pages<T, R extends Page>({ list, query, count }: ListScreenProps<T, R> & { count: number }) {
  const { page, limit } = list.values;
  const { total = 0, totalPages = 1, totalCapped = false } = query.data ?? {};
  const first = (page - 1) * limit + 1;
  const all = formatCount(total) + (totalCapped ? "+" : "");
  const busy = query.isPlaceholderData;

  return (
    <nav className={classes.pages} aria-label="Pages">
      <span className={classes.range} role="status">
        {count > 0 && !busy && `${formatCount(first)}–${formatCount(first + count - 1)} of ${all}`}
        {busy && <VisuallyHidden>Loading</VisuallyHidden>}
      </span>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconChevronLeft size={14} aria-hidden />}
        disabled={page <= 1}
        onClick={() => list.setPage(Math.min(page - 1, totalPages))}
      >
        Prev
      </Button>
      <span className={classes.page}>
        {query.data ? `Page ${formatCount(page)} of ${formatCount(totalPages)}` : `Page ${formatCount(page)}`}
      </span>
      <Button
        variant="default"
        size="xs"
        rightSection={<IconChevronRight size={14} aria-hidden />}
        disabled={!query.data || page >= totalPages}
        onClick={() => list.setPage(page + 1)}
      >
        Next
      </Button>
    </nav>
  );
}
