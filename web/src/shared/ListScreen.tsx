import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { Button, NativeSelect, VisuallyHidden } from "@mantine/core";
import { IconArrowsSort, IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { type Column, DataTable } from "./DataTable.tsx";
import { ExportButton } from "./ExportButton.tsx";
import { formatCount, formatTotal } from "./format.tsx";
import classes from "./ListScreen.module.css";
import { LoadFailure, OutOfDate } from "./LoadFailure.tsx";
import type { List } from "./list.ts";
import { Notice } from "./Notice.tsx";
import { ScreenHeader } from "./ScreenHeader.tsx";
import { SearchField } from "./SearchField.tsx";

type ListScreenProps<T extends { _id: string }> = {
  title: string;
  /** What the rows are: one, and many. */
  counted: [one: string, many: string];
  /** The main action, top right. */
  actions?: ReactNode;
  /** Between heading and list, such as statistics. */
  children?: ReactNode;
  list: List<T>;
  columns: readonly Column<T>[];
  /** What can be searched for, as the field's placeholder; without it there is no search. */
  searchFor?: string;
  /** Shown while the list is empty, without search and filter. */
  empty: { title: string; hint: ReactNode; action?: ReactNode };
  /** The call that answers the whole list as a file. */
  exported?: Endpoint;
  /** Beside search, filters and sort. */
  tools?: ReactNode;
  /** Another way to draw the rows; undefined rows mean "loading". */
  renderRows?: ((rows: readonly T[] | undefined) => ReactNode) | undefined;
  /** Shows the row that `list.open` has opened. */
  details?: (row: T, close: () => void) => ReactNode;
};

/** A whole list screen: heading, search, filters, sort, rows, paging, and what to say when there is nothing to show. */
export function ListScreen<T extends { _id: string }>(props: ListScreenProps<T>) {
  const { title, counted, actions, children, list, columns, exported, renderRows, details } = props;
  const { query, rows } = list;
  const draw = renderRows ?? ((some) => <DataTable title={title} columns={columns} rows={some} />);

  return (
    <>
      {!list.isPart && (
        <ScreenHeader
          title={title}
          subtitle={formatTotal(query.data, ...counted, list.isNarrowed)}
          actions={
            <>
              {exported && <ExportButton call={exported} input={list.asked} />}
              {actions}
            </>
          }
          showsTimes
        />
      )}
      {children}
      <section className={classes.panel} aria-label={title}>
        <Tools {...props} />
        <OutOfDate query={query} />
        <div className={classes.body} data-stale={query.isPlaceholderData || undefined}>
          {rows?.length === 0 ? (
            <Nothing {...props} />
          ) : query.isError && !rows ? (
            <LoadFailure query={query} />
          ) : (
            draw(rows)
          )}
        </div>
        <Pages {...props} />
      </section>
      {list.opened && details?.(list.opened, () => list.open(undefined))}
    </>
  );
}

function Tools<T extends { _id: string }>({ list, searchFor, tools, exported }: ListScreenProps<T>) {
  const { filter, values } = list;
  return (
    <search className={classes.tools}>
      {searchFor && (
        <div className={classes.search}>
          <SearchField value={values.search} onChange={list.setSearch} placeholder={searchFor} />
        </div>
      )}
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
      {list.chips.length > 0 && <div className={classes.chips}>{list.chips}</div>}
      <Button
        className={classes.sort}
        variant="default"
        leftSection={<IconArrowsSort size={16} aria-hidden />}
        onClick={() => list.setSort(values.sort === "des" ? "asc" : "des")}
      >
        {values.sort === "des" ? "Newest first" : "Oldest first"}
      </Button>
      {tools}
      {list.isPart && exported && <ExportButton call={exported} input={list.asked} />}
    </search>
  );
}

function Nothing<T extends { _id: string }>({ list, empty }: ListScreenProps<T>) {
  const { total = 0, totalPages: last = 1 } = list.query.data ?? {};
  if (total > 0) {
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
    const hasFilters = list.filter || list.chips.length > 0;
    return (
      <Notice
        title="Nothing found"
        hint={
          search
            ? `Nothing matches “${search}”${hasFilters ? " with these filters" : ""}.`
            : "Nothing matches these filters."
        }
      >
        <Button variant="default" onClick={list.clear}>
          {hasFilters ? "Clear search and filter" : "Clear search"}
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

function Pages<T extends { _id: string }>({ list: { query, rows = [], values, setPage } }: ListScreenProps<T>) {
  const { page, limit } = values;
  const { total = 0, totalPages = 1, totalCapped = false } = query.data ?? {};
  const first = (page - 1) * limit + 1;
  const all = formatCount(total) + (totalCapped ? "+" : "");
  const busy = query.isPlaceholderData;

  return (
    <nav className={classes.pages} aria-label="Pages">
      <span className={classes.range} role="status">
        {rows.length > 0 && !busy && `${formatCount(first)}–${formatCount(first + rows.length - 1)} of ${all}`}
        {busy && <VisuallyHidden>Loading</VisuallyHidden>}
      </span>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconChevronLeft size={14} aria-hidden />}
        disabled={page <= 1}
        onClick={() => setPage(Math.min(page - 1, totalPages))}
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
        onClick={() => setPage(page + 1)}
      >
        Next
      </Button>
    </nav>
  );
}
