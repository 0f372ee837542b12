import { mostChosen } from "@footprint/contract/schemas.ts";
import { useEffect, useRef, useState } from "react";
import { notifyError } from "./notify.ts";

type Row = { _id: string };

/** The rows of a list that an action will apply to. They may be on several pages. */
export type Chosen<T extends Row> = {
  /** As they are now if the list shows them, else as they were when chosen. */
  rows: readonly T[];
  has: (id: string) => boolean;
  /** Chooses a row, or unchooses it; `through` includes the rows between it and the one before. */
  toggle: (row: T, through?: boolean) => void;
  add: (rows: readonly T[]) => void;
  drop: (ids: readonly string[]) => void;
  clear: () => void;
  /** Fetches all matching rows, as many as can be chosen. */
  addAll: () => Promise<void>;
  isFetching: boolean;
};

/** The longest page of a list. */
export const longestPage = 100;

/** `of` describes the search and filters: when these change, no rows are chosen any more. */
export function useChosen<T extends Row>(
  of: string,
  listed: readonly T[],
  fetchPage: (page: number) => Promise<readonly T[]>,
): Chosen<T> {
  const [kept, keep] = useState<{ of: string; rows: ReadonlyMap<string, T> }>({ of, rows: new Map() });
  const [isFetching, setFetching] = useState(false);
  const lastToggled = useRef<string>(undefined);
  // Dropped rather than hidden: they must not come back with the earlier search.
  if (kept.of !== of) keep({ of, rows: new Map() });
  const { rows } = kept;

  function change(edit: (rows: Map<string, T>) => void) {
    keep((before) => {
      if (before.of !== of) return before;
      const next = new Map(before.rows);
      edit(next);
      return { of, rows: next };
    });
  }
  const add = (some: readonly T[]) =>
    change((next) => {
      for (const row of some) if (next.size < mostChosen) next.set(row._id, row);
    });
  /** The fetch under way, and what is unchosen meanwhile; another search, or clearing, ends it. */
  const fetching = useRef<{ unchosen: Set<string> }>(undefined);
  function drop(ids: readonly string[]) {
    for (const id of ids) fetching.current?.unchosen.add(id);
    change((next) => {
      for (const id of ids) next.delete(id);
    });
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the list is narrowed otherwise
  useEffect(
    () => () => {
      fetching.current = undefined;
      setFetching(false);
    },
    [of],
  );

  async function addAll() {
    const mine = { unchosen: new Set<string>() };
    fetching.current = mine;
    setFetching(true);
    try {
      for (let page = 1; page <= mostChosen / longestPage; page += 1) {
        const found = await fetchPage(page);
        if (fetching.current !== mine) return;
        add(found.filter(({ _id }) => !mine.unchosen.has(_id)));
        if (found.length < longestPage) break;
      }
    } catch (error) {
      notifyError(error as Error);
    }
    if (fetching.current === mine) setFetching(false);
  }

  return {
    rows: [...rows.values()],
    has: (id) => rows.has(id),
    toggle(row, through = false) {
      const [from, to] = [lastToggled.current, row._id].map((id) => listed.findIndex(({ _id }) => _id === id));
      lastToggled.current = row._id;
      const isBetween = through && from !== undefined && from >= 0 && to !== undefined && to >= 0;
      const some = isBetween ? listed.slice(Math.min(from, to), Math.max(from, to) + 1) : [row];
      if (rows.has(row._id)) drop(some.map(({ _id }) => _id));
      else add(some);
    },
    add,
    drop,
    clear() {
      fetching.current = undefined;
      setFetching(false);
      change((next) => next.clear());
    },
    addAll,
    isFetching,
  };
}
