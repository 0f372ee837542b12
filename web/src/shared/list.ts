import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
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

type Options<E extends Endpoint> = {
  filter?: FilterOf<Query<E>>;
  /** Further parameters that a link to the list may give, each with what its value must look like. */
  links?: { [N in string & keyof Query<E>]?: RegExp };
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
  /** What a link to this list asked for. */
  links: Record<string, string>;
  /** Stands on another record's page, below that page's heading. */
  isPart: boolean;
  /** Something narrows the list, so if it is empty, nothing was found. */
  isNarrowed: boolean;
  setPage: (page: number) => void;
  setSort: (sort: "asc" | "des") => void;
  setSearch: (search: string) => void;
  /** Sets a filter, or removes it. */
  set: (name: string, value?: string) => void;
  /** Removes search and filters. */
  clear: () => void;
  /** The row whose details are shown, as new as the list is. */
  opened: T | undefined;
  open: (row: T | undefined) => void;
};

const pageSize = 10;

/** For `links`: the id of a record. */
export const isId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Page, sort, search and filters live in the address: reload, Back and a shared link show the same list. */
export function useList<E extends Endpoint, T extends Row>(
  endpoint: Reply<E> extends Page ? E : never,
  rowsOf: (reply: Reply<E>) => readonly T[],
  { filter: chosen, links: known = {}, within }: Options<E> = {},
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
  const links = Object.fromEntries(
    Object.entries(known as Record<string, RegExp>).flatMap(([name, pattern]) => {
      const value = given.get(name) ?? "";
      return pattern.test(value) ? [[name, value]] : [];
    }),
  );

  const { query: narrowed, ...rest } = (within ?? {}) as { query?: object };
  const input = {
    ...rest,
    query: { ...values, ...(filter && { [filter.name]: filter.value }), ...links, ...narrowed },
  };
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
  const filters = [...(filter ? [filter.name] : []), ...Object.keys(links)];
  return {
    query,
    rows,
    values,
    filter,
    links,
    isPart: within !== undefined,
    isNarrowed: Boolean(search || Object.keys(links).length > 0 || (filter && filter.value !== filter.options[0])),
    setPage: (next) => go({ page: next > 1 ? String(next) : undefined }, {}),
    setSort: (next) => go({ sort: next === "des" ? undefined : next }, stay),
    setSearch: (next) => go({ search: next.trim() || undefined }, { ...stay, replace: true }),
    set: (name, value) => go({ [name]: value === filter?.options[0] ? undefined : value }, stay),
    clear: () => go(Object.fromEntries(["search", ...filters].map((name) => [name, undefined])), stay),
    opened: rows?.find((row) => row._id === opened?._id) ?? opened,
    open,
  };
}

function withValue(filter: Filter, given: URLSearchParams): Filter & { value: string } {
  const value = filter.options.find((option) => option === given.get(filter.name)) ?? filter.options[0] ?? "";
  return { ...filter, value };
}
