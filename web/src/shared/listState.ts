import { useLocation, useNavigate } from "react-router";

type SortOrder = "asc" | "des";

/** The one filter a list may have. `name` is the query parameter; the first option is the default. */
export type ListFilter<N extends string = string, O extends string = string> = {
  name: N;
  label: string;
  options: readonly O[];
  /** What to show for an option, where it differs from its value. */
  optionLabel?: (option: O) => string;
};

export type ListValues = { page: number; limit: number; sort: SortOrder; search: string };

/** The state of a list as its screen and ListScreen use it. */
export type ListState<V extends ListValues = ListValues> = {
  /** What the list call takes as its query. */
  values: V;
  filter: (ListFilter & { value: string }) | undefined;
  /** A search or a filter is set, so an empty list means "nothing found". */
  isNarrowed: boolean;
  setPage: (page: number) => void;
  setSort: (sort: SortOrder) => void;
  setSearch: (search: string) => void;
  setFilter: (value: string) => void;
  /** Removes search and filter. */
  clear: () => void;
};

const pageSize = 10;
const defaultSort = "des";

/** Page, sort, search and filter live in the address: reload, Back and a shared link show the same list. */
export function useListState(): ListState;
export function useListState<const N extends string, const O extends string>(options: {
  filter: ListFilter<N, O>;
}): ListState<ListValues & Record<N, O>>;
export function useListState({ filter }: { filter?: ListFilter } = {}): ListState {
  const { search: address } = useLocation();
  const navigate = useNavigate();
  const given = new URLSearchParams(address);

  const page = /^[1-9]\d{0,8}$/.test(given.get("page") ?? "") ? Number(given.get("page")) : 1;
  const sort: SortOrder = given.get("sort") === "asc" ? "asc" : defaultSort;
  const search = (given.get("search") ?? "").slice(0, 200);
  const chosen =
    filter && (filter.options.find((option) => option === given.get(filter.name)) ?? filter.options[0] ?? "");

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
  return {
    values: { page, limit: pageSize, sort, search, ...(filter && { [filter.name]: chosen }) },
    filter: filter && { ...filter, value: chosen ?? "" },
    isNarrowed: search !== "" || (filter !== undefined && chosen !== filter.options[0]),
    setPage: (next) => go({ page: next > 1 ? String(next) : undefined }, {}),
    setSort: (next) => go({ sort: next === defaultSort ? undefined : next }, stay),
    setSearch: (next) => go({ search: next.trim() || undefined }, { ...stay, replace: true }),
    setFilter: (next) => filter && go({ [filter.name]: next === filter.options[0] ? undefined : next }, stay),
    clear: () => go({ search: undefined, ...(filter && { [filter.name]: undefined }) }, stay),
  };
}
