import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { Button } from "@mantine/core";
import { IconArrowsSort, IconBookmark } from "@tabler/icons-react";
import { type ReactNode, useContext, useState } from "react";
import { useNavigate } from "react-router";
import { BesideContext, drawerWidth, RoomBesideContext, TakenWidth } from "./beside.ts";
import { ChosenRows } from "./ChosenRows.tsx";
import { type Choice, type Column, DataTable } from "./DataTable.tsx";
import { ExportButton } from "./ExportButton.tsx";
import { SelectChip } from "./FilterChip.tsx";
import { formatCount } from "./format.tsx";
import { keys, useKeys } from "./keys.ts";
import classes from "./ListScreen.module.css";
import { LoadFailure, OutOfDate } from "./LoadFailure.tsx";
import { lazyPart } from "./lazyPart.tsx";
import { useIsLeaving } from "./leaving.ts";
import type { List } from "./list.ts";
import { Notice } from "./Notice.tsx";
import { Pages } from "./Pages.tsx";
import { ScreenHeader } from "./ScreenHeader.tsx";
import { SearchField } from "./SearchField.tsx";
import type { Several } from "./several.ts";
import { type ScreenViews, useSaveView, Views, ViewTabs } from "./ViewTabs.tsx";
import { useWidthUpTo } from "./windowWidth.ts";

const NewRows = lazyPart(() => import("./NewRows.tsx").then((file) => file.NewRows));
const MissingRow = lazyPart(() => import("./MissingRow.tsx").then((file) => file.MissingRow));

type ListScreenProps<T extends { _id: string }> = {
  title: string;
  /** The words for one row and for several. */
  counted: [one: string, many: string];
  /** The main action, top right. */
  actions?: ReactNode;
  /** Under the title. */
  subtitle?: ReactNode;
  /** Between heading and list, such as statistics. */
  children?: ReactNode;
  /** The list's views, as tabs above it; not for a list that is part of another page. */
  views: ScreenViews;
  list: List<T>;
  columns: readonly Column<T>[];
  /** What can be searched for, as the field's placeholder; without it there is no search field. */
  searchFor?: string;
  /** Shown if the list is empty without search and filters. */
  empty: { title: string; hint: ReactNode; action?: ReactNode };
  /** The call that answers the whole list as a file. */
  exported?: Endpoint;
  /** Actions on several rows at once. */
  several?: Several<T>;
  /** Beside search, filters and sort. */
  tools?: ReactNode;
  /** Another way to draw the rows; undefined rows mean "loading". */
  renderRows?: ((rows: readonly T[] | undefined) => ReactNode) | undefined;
  /** Shows the row that `list.open` opened, in a DetailsPane or a dialog. */
  details?: (row: T, close: () => void) => ReactNode;
  /** The columns while details stand beside the list; without them, details are always a dialog. */
  columnsBeside?: readonly Column<T>[];
  /** For rows with a page of their own instead of details. */
  pageOf?: (row: T) => string;
};

/** A whole list screen: heading, search, filters, sort, rows, paging, and a text if there are no rows. */
export function ListScreen<T extends { _id: string }>(props: ListScreenProps<T>) {
  const { title, counted, actions, children, list, columns, columnsBeside, exported, renderRows, details } = props;
  const { several } = props;
  const { query, rows } = list;
  const hasRoomBeside = useContext(RoomBesideContext);
  const isBeside = Boolean(columnsBeside && details && list.view && hasRoomBeside);
  const open = useOpen(props);
  useListKeys(list, open, several !== undefined);
  const choosing = useChoosing(list, several);
  const table = (some: readonly T[] | undefined) => (
    <DataTable
      title={title}
      columns={(isBeside && columnsBeside) || columns}
      rows={some}
      marked={list.marked}
      isGone={list.isGone}
      choice={choosing.choice}
      onOpen={open}
      onTap={choosing.onTap}
    />
  );

  return (
    <TakenWidth value={isBeside ? drawerWidth : 0}>
      <Views list={list} views={props.views}>
        {!list.isPart && (
          <ScreenHeader
            title={title}
            subtitle={props.subtitle}
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
        {!list.isPart && <ViewTabs />}
        <section
          className={classes.panel}
          aria-label={title}
          data-beside={isBeside || undefined}
          data-part={list.isPart || undefined}
        >
          <Tools {...props} chooser={choosing.button} />
          <OutOfDate query={query} />
          <div className={classes.news} role="status">
            {list.news && <NewRows news={list.news} counted={counted} />}
          </div>
          <div className={classes.body} data-stale={query.isPlaceholderData || undefined}>
            {rows?.length === 0 ? (
              <Nothing {...props} />
            ) : query.isError && !rows ? (
              <LoadFailure query={query} />
            ) : (
              (renderRows ?? table)(rows)
            )}
          </div>
          {several && <ChosenRows list={list} several={several} />}
          <Pages list={list} counted={counted} />
        </section>
        {details && list.view && (
          <BesideContext value={isBeside ? besideOf(list) : undefined}>
            {list.opened ? (
              details(list.opened, () => list.open(undefined))
            ) : (
              <MissingRow
                id={list.view}
                query={query}
                rowQuery={list.rowQuery}
                what={counted[0]}
                onClose={() => list.open(undefined)}
              />
            )}
          </BesideContext>
        )}
      </Views>
    </TakenWidth>
  );
}

/** The action of a click on a row, and of Enter. */
function useOpen<T extends { _id: string }>({ list, details, pageOf }: ListScreenProps<T>) {
  const navigate = useNavigate();
  if (details) return list.open;
  return pageOf && ((row: T) => void navigate(pageOf(row)));
}

function useListKeys<T extends { _id: string }>(
  list: List<T>,
  open: ((row: T) => void) | undefined,
  canChoose: boolean,
): void {
  const { rows = [], chosen } = list;
  const at = rows.findIndex(({ _id }) => _id === list.marked);
  const marked = rows[at];
  const chooseOn = (by: 1 | -1) => () => {
    chosen.add([marked, rows[at + by]].filter((row) => row !== undefined));
    list.step(by);
  };
  const isLeaving = useIsLeaving();
  const handlers = {
    [keys.next.key]: () => list.step(1),
    [keys.previous.key]: () => list.step(-1),
    [keys.open.key]: marked && open && (() => open(marked)),
    [keys.choose.key]: canChoose && marked ? () => chosen.toggle(marked) : undefined,
    [keys.chooseNext.key]: canChoose && marked ? chooseOn(1) : undefined,
    [keys.choosePrevious.key]: canChoose && marked ? chooseOn(-1) : undefined,
    [keys.close.key]: list.view
      ? () => list.open(undefined)
      : chosen.rows.length > 0
        ? () => chosen.clear()
        : undefined,
  };
  // Whoever types ahead means the rows of the next screen.
  useKeys(Object.fromEntries(Object.entries(handlers).map(([key, act]) => [key, act && (() => isLeaving() || act())])));
}

/** Lets rows be chosen: in a table at any time, on a phone after switching it on. */
function useChoosing<T extends { _id: string }>({ chosen }: List<T>, several: Several<T> | undefined) {
  const isPhone = useWidthUpTo("phone");
  const [isWanted, setWanted] = useState(false);
  if (!several) return {};
  const isOn = !isPhone || isWanted || chosen.rows.length > 0;
  const choice: Choice<T> = {
    nameOf: several.nameOf,
    has: chosen.has,
    toggle: chosen.toggle,
    toggleAll: (rows, on) => (on ? chosen.add(rows) : chosen.drop(rows.map(({ _id }) => _id))),
  };
  return {
    choice: isOn ? choice : undefined,
    /** While choosing on a phone, the whole card reacts. */
    onTap: isPhone && isOn ? (row: T) => chosen.toggle(row) : undefined,
    button: isPhone && (
      <Button
        variant="default"
        size="xs"
        radius="xl"
        h={40}
        onClick={() => {
          setWanted(!isOn);
          chosen.clear();
        }}
      >
        {isOn ? "Done" : "Choose"}
      </Button>
    ),
  };
}

function besideOf<T extends { _id: string }>({ rows = [], view, values, query, canStep, step }: List<T>) {
  const at = rows.findIndex(({ _id }) => _id === view);
  const { total = 0, totalCapped = false } = query.data ?? {};
  const place = (values.page - 1) * values.limit + at + 1;
  return {
    place: at < 0 ? undefined : `${formatCount(place)} of ${formatCount(total)}${totalCapped ? "+" : ""}`,
    previous: canStep(-1) ? () => step(-1) : undefined,
    next: canStep(1) ? () => step(1) : undefined,
  };
}

function Tools<T extends { _id: string }>(props: ListScreenProps<T> & { chooser: ReactNode }) {
  const { list, searchFor, tools, exported, chooser } = props;
  const { filter, values } = list;
  return (
    <search className={classes.tools}>
      {searchFor && (
        <div className={classes.search}>
          <SearchField value={values.search} onChange={list.setSearch} placeholder={searchFor} />
        </div>
      )}
      {(filter || list.chips.length > 0 || chooser) && (
        <div className={classes.filters}>
          {filter && (
            <SelectChip
              label={filter.label}
              value={filter.value}
              options={filter.options.map((option) => ({
                value: option,
                label: filter.optionLabel?.(option) ?? option,
              }))}
              onChoose={list.setFilter}
            />
          )}
          {list.chips}
          {chooser}
        </div>
      )}
      {!list.isPart && <SaveView />}
      {tools}
      <Button
        className={classes.sort}
        variant="default"
        leftSection={<IconArrowsSort size={16} aria-hidden />}
        onClick={() => list.setSort(values.sort === "des" ? "asc" : "des")}
      >
        <span className={classes.sortText}>{values.sort === "des" ? "Newest first" : "Oldest first"}</span>
      </Button>
      {list.isPart && exported && <ExportButton call={exported} input={list.asked} />}
    </search>
  );
}

function SaveView() {
  const save = useSaveView();
  const isPhone = useWidthUpTo("phone");
  if (!save || isPhone) return null;
  return (
    <Button
      className={classes.save}
      variant="subtle"
      leftSection={<IconBookmark size={16} aria-hidden />}
      onClick={save}
    >
      Save view
    </Button>
  );
}

function Nothing<T extends { _id: string }>({ list, empty }: ListScreenProps<T>) {
  const { total = 0, totalCapped = false, totalPages: last = 1 } = list.query.data ?? {};
  if (total > 0) {
    return (
      <Notice title="This page is past the end" hint={`The list has ${formatCount(last)} pages.`}>
        <Button variant="default" onClick={() => list.setPage(last)}>
          Go to the last page
        </Button>
      </Notice>
    );
  }
  const { search } = list.values;
  if (search || list.isFiltered) {
    const narrowed = search ? `“${search}”${list.isFiltered ? " with these filters" : ""}` : "these filters";
    return (
      <Notice
        title={totalCapped ? "Nothing found so far" : "Nothing found"}
        hint={
          totalCapped
            ? `Nothing matches ${narrowed} among the rows that were looked at, and there are more. ${search ? "Type more of it or add a filter" : "Add a filter"}.`
            : `Nothing matches ${narrowed}.`
        }
      >
        <Button variant="default" onClick={list.clear}>
          {search && list.isFiltered ? "Clear search and filters" : search ? "Clear search" : "Clear filters"}
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
