import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import type { UseQueryResult } from "@tanstack/react-query";
import { createElement, type ReactNode, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import type { ApiError } from "./api.ts";
import { useApiQuery } from "./queries.ts";

/** What every list call answers beside its rows. A capped total means "at least". */
type Page = { total: number; totalPages: number; totalCapped?: boolean | undefined };
type Row = { _id: string };

/** A choice beside the search. `name` is the query parameter; the first option is the default. */
type Filter<N extends string = string, O extends string = string> = {
  name: N;
  label: string;
  options: readonly O[];
  /** What to show for an option, where it differs from its value. */
  optionLabel?: (option: string) => string;
};

/** The query of a list call, and the filters that it takes. */
type Query<E extends Endpoint> = Input<E> extends { query?: infer Q } ? NonNullable<Q> : never;
type FilterOf<Q> = { [N in string & keyof Q]: Filter<N, string & Q[N]> }[string & keyof Q];

/** A further filter, drawn as a chip; shared/filters.tsx has those that several lists use. */
export type ListFilter<N extends string = string, R = unknown> = {
  /** Its query parameters. */
  names: readonly N[];
  /** What else the address has in their place is left out. */
  accepts: (value: string) => boolean;
  Chip: (props: ChipProps<R>) => ReactNode;
};

export type ChipProps<R = unknown> = {
  /** What the list's filters are set to, by parameter. */
  values: Record<string, string | undefined>;
  /** Sets parameters, or removes those that are undefined. */
  set: (change: Record<string, string | undefined>) => void;
  /** What the list call answered. */
  reply: R | undefined;
};

type Options<E extends Endpoint> = {
  filter?: FilterOf<Query<E>>;
  filters?: readonly ListFilter<string & keyof Query<E>, Reply<E>>[];
  /** What the page that the list is a part of narrows it to, such as one customer's. */
  within?: Partial<Input<E>> | undefined;
};

/** A list as its screen and ListScreen use it. */
export type List<T extends Row, R extends Page = Page> = {
  query: UseQueryResult<R, ApiError>;
  /** Undefined while they load. */
  rows: readonly T[] | undefined;
  values: { page: number; limit: number; sort: "asc" | "des"; search: string };
  filter: (Filter & { value: string }) | undefined;
  /** The further filters. */
  chips: ReactNode[];
  /** What is asked of the list call, but for the page: what an export takes. */
  asked: { query: object };
  /** Stands on another record's page, below that page's heading. */
  isPart: boolean;
  /** Something narrows the list, so if it is empty, nothing was found. */
  isNarrowed: boolean;
  /** Sets further filters, or removes those that are undefined. */
  set: ChipProps["set"];
  setPage: (page: number) => void;
  setSort: (sort: "asc" | "des") => void;
  setSearch: (search: string) => void;
  setFilter: (value: string) => void;
  /** Removes search and filters. */
  clear: () => void;
  /** The row whose details are shown, as new as the list is. */
  opened: T | undefined;
  open: (row: T | undefined) => void;
};

const pageSize = 10;

/** The id of a record. */
export const isId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Page, sort, search and filters live in the address: reload, Back and a shared link show the same list. */
export function useList<E extends Endpoint, T extends Row>(
  endpoint: Reply<E> extends Page ? E : never,
  rowsOf: (reply: Reply<E>) => readonly T[],
  { filter: chosen, filters = [], within }: Options<E> = {},
): List<T, Reply<E> & Page> {
  const { search: address } = useLocation();
  const navigate = useNavigate();
  const [opened, open] = useState<T>();
  const given = new URLSearchParams(address);

  const page = /^[1-9]\d{0,8}$/.test(given.get("page") ?? "") ? Number(given.get("page")) : 1;
  const sort = given.get("sort") === "asc" ? "asc" : "des";
  const search = (given.get("search") ?? "").slice(0, 200);
  const values = { page, limit: pageSize, sort, search } as const;
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
  const input = { ...asked, query: { ...asked.query, page, limit: pageSize } };
  const query = useApiQuery(endpoint as E, input as Input<E>) as UseQueryResult<Reply<E> & Page, ApiError>;
  const rows = query.data && rowsOf(query.data);

  /** Defaults stay out of the address. Every change but one of the page itself returns to the first page. */
  function go(change: Record<string, string | undefined>, how: { replace?: boolean; preventScrollReset?: boolean }) {
    // Not the address of this render: a debounced change may come later.
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries({ page: undefined, ...change })) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    void navigate({ search: next.toString() }, how);
  }

  const stay = { preventScrollReset: true };
  const change = (next: Record<string, string | undefined>) => go(next, stay);
  return {
    query,
    rows,
    values,
    filter,
    chips: filters.map(({ names, Chip }) =>
      createElement(Chip, { key: names[0], values: set, set: change, reply: query.data }),
    ),
    asked,
    set: change,
    isPart: within !== undefined,
    isNarrowed: Boolean(search || Object.keys(set).length > 0 || (filter && filter.value !== filter.options[0])),
    setPage: (next) => go({ page: next > 1 ? String(next) : undefined }, {}),
    setSort: (next) => go({ sort: next === "des" ? undefined : next }, stay),
    setSearch: (next) => go({ search: next.trim() || undefined }, { ...stay, replace: true }),
    setFilter: (value) => filter && change({ [filter.name]: value === filter.options[0] ? undefined : value }),
    clear: () =>
      change(Object.fromEntries(["search", filter?.name ?? "", ...Object.keys(set)].map((name) => [name, undefined]))),
    opened: rows?.find((row) => row._id === opened?._id) ?? opened,
    open,
  };
}

function withValue(filter: Filter, given: URLSearchParams): Filter & { value: string } {
  const value = filter.options.find((option) => option === given.get(filter.name)) ?? filter.options[0] ?? "";
  return { ...filter, value };
}
