import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import { hashKey, type UseQueryResult } from "@tanstack/react-query";
import { createElement, type ReactNode, useEffect, useRef, useState } from "react";
import { type NavigateOptions, useLocation, useNavigate } from "react-router";
import { type ApiError, callApi } from "./api.ts";
import { type Chosen, longestPage, useChosen } from "./chosen.ts";
import { useCurrentRows } from "./currentRows.ts";
import { type News, useHeldRows } from "./heldRows.ts";
import { keepsFocus } from "./keys.ts";
import { defaultPageSize, rememberedPageSize, rememberList, rememberPageSize } from "./listMemory.ts";
import { keyOf, useApiQuery } from "./queries.ts";

/** What every list call answers besides its rows. A capped total means "at least". */
type Page = { total: number; totalPages: number; totalCapped?: boolean | undefined };
type Row = { _id: string };

/** A choice beside the search. `name` is the query parameter; the first option is the default. */
type Filter<N extends string = string, O extends string = string> = {
  name: N;
  label: string;
  options: readonly O[];
  /** The text of an option, if it differs from its value. */
  optionLabel?: (option: string) => string;
};

/** The query of a list call, and its filters. */
type Query<E extends Endpoint> = Input<E> extends { query?: infer Q } ? NonNullable<Q> : never;
type FilterOf<Q> = { [N in string & keyof Q]: Filter<N, string & Q[N]> }[string & keyof Q];

/** A further filter, drawn as a chip; those that several lists use are in shared/filters.tsx. */
export type ListFilter<N extends string = string, R = unknown> = {
  /** Its query parameters. */
  names: readonly N[];
  /** Other values in the address are ignored. */
  accepts: (value: string) => boolean;
  Chip: (props: ChipProps<R>) => ReactNode;
};

export type ChipProps<R = unknown> = {
  /** The current values of the list's filters, by parameter. */
  values: Record<string, string | undefined>;
  /** Sets parameters; undefined removes them. */
  set: (change: Record<string, string | undefined>) => void;
  /** The list call's answer. */
  reply: R | undefined;
};

type Options<E extends Endpoint, T, O extends Endpoint> = {
  filter?: FilterOf<Query<E>>;
  filters?: readonly ListFilter<string & keyof Query<E>, Reply<E>>[];
  /** What the surrounding page narrows the list to, such as one customer. */
  within?: Partial<Input<E>> | undefined;
  /** A queue, in which the longest waiting comes first. */
  oldestFirst?: true;
  /** The call for one row, for a link to a row that is not on the page. */
  read?: { call: O; rowOf: (reply: Reply<O>) => T };
};

/** A list as its screen and ListScreen use it. */
export type List<T extends Row, R extends Page = Page> = {
  /** The path of the list's call. */
  path: string;
  query: UseQueryResult<R, ApiError>;
  /** Undefined while loading. */
  rows: readonly T[] | undefined;
  /** Somebody has removed the row from the list; it stays in place for whoever reads there. */
  isGone: (row: T) => boolean;
  /** Other people's changes to the list that the rows do not show yet. */
  news: News | undefined;
  values: { page: number; limit: number; sort: "asc" | "des"; search: string };
  filter: (Filter & { value: string }) | undefined;
  /** The further filters. */
  chips: ReactNode[];
  /** The query without the page: what an export takes. */
  asked: { query: object };
  /** The same as in the address, without defaults and in a fixed order: what a view stores. */
  shown: string;
  /** The list is on another record's page, below that page's heading. */
  isPart: boolean;
  /** Some filter is set. */
  isFiltered: boolean;
  /** Sets further filters; undefined removes them. */
  set: ChipProps["set"];
  setPage: (page: number) => void;
  setLimit: (limit: number) => void;
  setSort: (sort: "asc" | "des") => void;
  setSearch: (search: string) => void;
  setFilter: (value: string) => void;
  /** Removes search and filters. */
  clear: () => void;
  /** The id in the address, whose details are shown. */
  view: string | undefined;
  /** The row with this id, as current as the list; undefined while loading, or if it does not exist. */
  opened: T | undefined;
  /** The query for it if the page does not have it. */
  rowQuery: UseQueryResult<unknown, ApiError>;
  open: (row: T | undefined) => void;
  /** The rows that an action will apply to; not in the address. */
  chosen: Chosen<T>;
  /** The id of the row reached by keys. */
  marked: string | undefined;
  /** Marks a row and scrolls to it; shows its details if details are shown. */
  goTo: (row: T | undefined) => void;
  /** Whether there is a row before or after the marked one, even on another page. */
  canStep: (by: Step) => boolean;
  /** Marks the row before or after, and shows its details if details are shown. */
  step: (by: Step) => void;
};

type Step = 1 | -1;

export const pageSizes = [10, 25, 50, 100];

/** The id of a record. The API refuses other uuids, of no version or variant. */
export const isId = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/**
 * Page, sort, search, filters and the open row are in the address, so that reload, Back and a shared link show the same
 * list.
 */
export function useList<E extends Endpoint, T extends Row, O extends Endpoint = Endpoint>(
  endpoint: Reply<E> extends Page ? E : never,
  rowsOf: (reply: Reply<E>) => readonly T[],
  { filter: chosen, filters = [], within, oldestFirst, read }: Options<E, T, O> = {},
): List<T, Reply<E> & Page> {
  const { pathname, search: address, state } = useLocation();
  const navigate = useNavigate();
  const given = new URLSearchParams(address);

  const page = /^[1-9]\d{0,8}$/.test(given.get("page") ?? "") ? Number(given.get("page")) : 1;
  const [usual, other] = oldestFirst ? (["asc", "des"] as const) : (["des", "asc"] as const);
  const sort = given.get("sort") === other ? other : usual;
  const search = (given.get("search") ?? "").slice(0, 200);
  const limit = limitOf(given);
  if (limit !== defaultPageSize) given.set("limit", String(limit));
  const values = { page, limit, sort, search } as const;
  const filter = chosen && withValue(chosen, given);
  const set = Object.fromEntries(
    filters.flatMap(({ names, accepts }) =>
      names.map((name) => [name, given.get(name) ?? ""] as const).filter(([, value]) => accepts(value)),
    ),
  );

  const { query: narrowed, ...rest } = (within ?? {}) as { query?: object };
  const asked = {
    ...rest,
    query: { sort, search, ...(filter && { [filter.name]: filter.value }), ...set, ...narrowed },
  };
  const isFilterSet = filter && filter.value !== filter.options[0];
  const shown = new URLSearchParams({
    ...(sort !== usual && { sort }),
    ...(search && { search }),
    ...(isFilterSet && { [filter.name]: filter.value }),
    ...set,
  });
  shown.sort();
  const input = { ...asked, query: { ...asked.query, page, limit } };
  const query = useApiQuery(endpoint as E, input as Input<E>) as UseQueryResult<Reply<E> & Page, ApiError>;
  const newest = query.data && rowsOf(query.data);
  /**
   * Somebody who reads must not lose their place: scrolled down, on another page, or with a row open, chosen or
   * focused.
   */
  const isReading = () =>
    page > 1 ||
    given.has("view") ||
    window.scrollY > 40 ||
    Boolean(document.querySelector("[data-row]:focus-within, [data-row][data-chosen]"));
  const { rows: held, news } = useHeldRows(hashKey(keyOf(endpoint as E, input as Input<E>)), query, newest, isReading);

  const fetchPage = async (page: number) => {
    const all = { ...asked, query: { ...asked.query, page, limit: longestPage } };
    return rowsOf(await callApi(endpoint as E, all as Input<E>));
  };
  const chosenRows = useChosen(
    JSON.stringify({ ...asked, query: { ...asked.query, sort: "" } }),
    held ?? [],
    fetchPage,
  );
  const kept = [...(held ?? []), ...chosenRows.rows];
  const current = useCurrentRows(endpoint as E, rest, rowsOf, newest ?? [], kept);
  const rows = held?.map((row) => current(row) ?? row);

  /** The next screen, which will be shown in a moment, already has the address. */
  const isLeft = () => window.location.pathname !== pathname;

  /** Defaults stay out of the address. */
  function go(change: Record<string, string | undefined>, how: NavigateOptions) {
    if (isLeft()) return;
    // Read now, since a debounced change may come later than this render.
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries({ limit: given.get("limit") ?? undefined, ...change })) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    void navigate({ search: next.toString() }, how);
  }

  const stay = { preventScrollReset: true };
  /** Changes to the list return to its first page. */
  const change = (next: Record<string, string | undefined>, how = {}) =>
    go({ page: undefined, ...next }, { ...stay, ...how });
  const setPage = (next: number, how = {}) => go({ page: next > 1 ? String(next) : undefined }, how);

  const isPart = within !== undefined;
  useEffect(() => {
    if (!isPart) rememberList(pathname, address);
  }, [pathname, address, isPart]);

  return {
    path: endpoint.path,
    query,
    rows,
    // New rows are on the first page.
    news: news && page > 1 && sort === "des" ? { ...news, show: () => setPage(1) } : news,
    values,
    filter,
    chips: filters.map(({ names, Chip }) =>
      createElement(Chip, { key: names[0], values: set, set: change, reply: query.data }),
    ),
    asked,
    shown: shown.toString(),
    set: change,
    chosen: { ...chosenRows, rows: chosenRows.rows.flatMap((row) => current(row) ?? []) },
    isGone: (row) => !current(row),
    isPart,
    isFiltered: Boolean(isFilterSet || Object.keys(set).length > 0),
    setPage,
    setLimit(next) {
      rememberPageSize(next);
      const first = Math.floor(((page - 1) * limit) / next) + 1;
      change({
        limit: next === defaultPageSize ? undefined : String(next),
        page: first > 1 ? String(first) : undefined,
      });
    },
    setSort: (next) => change({ sort: next === usual ? undefined : next }),
    setSearch: (next) => change({ search: next.trim() || undefined }, { replace: true }),
    setFilter: (value) => filter && change({ [filter.name]: value === filter.options[0] ? undefined : value }),
    clear: () =>
      change(Object.fromEntries(["search", filter?.name ?? "", ...Object.keys(set)].map((name) => [name, undefined]))),
    ...useViewed(
      { endpoint, query, rows, newest, page, read },
      { given, state, go, setPage, leave: () => isLeft() || navigate(-1) },
    ),
  };
}

/** The row whose details are shown, and the one reached by keys. */
function useViewed<T extends Row, O extends Endpoint>(
  list: {
    endpoint: Endpoint;
    query: UseQueryResult<Page, ApiError>;
    rows: readonly T[] | undefined;
    newest: readonly T[] | undefined;
    page: number;
    read: Options<Endpoint, T, O>["read"];
  },
  address: {
    given: URLSearchParams;
    state: unknown;
    go: (change: Record<string, string | undefined>, how: NavigateOptions) => void;
    setPage: (page: number, how?: NavigateOptions) => void;
    leave: () => unknown;
  },
) {
  const { endpoint, query, rows = [], newest = [], page, read } = list;
  const view = idIn(address.given.get("view"));
  const [reached, mark] = useState<string>();
  if (view && view !== reached) mark(view);
  const marked = rows.some(({ _id }) => _id === reached) ? reached : undefined;

  const listed = newest.find(({ _id }) => _id === view);
  const isElsewhere = Boolean(view) && !listed && !query.isPlaceholderData && !query.isPending;
  const rowQuery = useApiQuery<Endpoint>(
    read?.call ?? endpoint,
    // Otherwise it would hear, and redraw the list, whenever the details read the same.
    { params: { id: (isElsewhere && view) || "" } },
    { enabled: Boolean(read) && isElsewhere, retry: false, gcTime: 0 },
  );
  const found = read && rowQuery.data !== undefined ? read.rowOf(rowQuery.data as Reply<O>) : undefined;
  // A row that a change took off the page stays visible.
  const seen = useRef<T>(undefined);
  const opened = [listed, found, seen.current].find((row) => row && row._id === view);
  seen.current = opened;

  /** The address of the list alone, which lies below details opened here. */
  const below = new URLSearchParams(address.given);
  below.delete("view");
  const state = address.state as { below?: string } | null;
  const stay = { preventScrollReset: true };

  function open(row: Row | undefined) {
    if (row && view) address.go({ view: row._id }, { ...stay, replace: true, state });
    else if (row) address.go({ view: row._id }, { ...stay, state: { below: below.toString() } });
    // By going back, so that Back does not open them again.
    else if (state?.below === below.toString()) address.leave();
    else address.go({ view: undefined }, { ...stay, replace: true });
  }

  function goTo(row: Row | undefined) {
    if (!row) return;
    if (view) open(row);
    else mark(row._id);
    showRow(row._id);
  }

  const placeOf = (id: string | undefined) => rows.findIndex(({ _id }) => _id === id);
  const turnsPage = (by: Step) => (by === 1 ? page < (query.data?.totalPages ?? 1) : page > 1);
  const arriving = useRef<{ page: number; by: Step }>(undefined);
  useEffect(() => {
    if (arriving.current?.page !== page || query.isPlaceholderData || rows.length === 0) return;
    const { by } = arriving.current;
    arriving.current = undefined;
    goTo(by === 1 ? rows[0] : rows.at(-1));
  });

  return {
    view,
    opened,
    // Copied, so that changes of everything in it are noticed: who reads it may still be loading.
    rowQuery: { ...rowQuery },
    open,
    marked,
    goTo,
    canStep(by: Step) {
      const at = placeOf(marked);
      return at >= 0 && (Boolean(rows[at + by]) || turnsPage(by));
    },
    step(by: Step) {
      if (query.isPlaceholderData) return;
      // Keys may come faster than the address is drawn.
      const shown = new URLSearchParams(window.location.search).get("view");
      const at = placeOf(idIn(shown) ?? marked);
      const next = at < 0 ? rows[0] : rows[at + by];
      if (next) return goTo(next);
      if (!turnsPage(by)) return;
      arriving.current = { page: page + by, by };
      address.setPage(page + by, view ? { ...stay, replace: true, state } : {});
    },
  };
}

const idIn = (text: string | null) => (text && isId.test(text) ? text.toLowerCase() : undefined);

/** Page numbers in an address without a length mean the usual length. */
function limitOf(given: URLSearchParams): number {
  const limit = Number(given.get("limit"));
  if (pageSizes.includes(limit)) return limit;
  return given.has("page") ? defaultPageSize : rememberedPageSize();
}

/** Scrolls to a row and focuses it, unless details have the focus, or whoever came to it is typing meanwhile. */
function showRow(id: string): void {
  const row = document.querySelector<HTMLElement>(`[data-row="${id}"]`);
  row?.scrollIntoView({ block: "nearest" });
  if (!keepsFocus() && !document.activeElement?.closest("[data-drawer]")) row?.focus({ preventScroll: true });
}

function withValue(filter: Filter, given: URLSearchParams): Filter & { value: string } {
  const value = filter.options.find((option) => option === given.get(filter.name)) ?? filter.options[0] ?? "";
  return { ...filter, value };
}
