import { useEffect, useReducer, useRef } from "react";
import { fetchedForOthers } from "./liveEvents.ts";

type Row = { _id: string };
type Query = { data: { total: number } | undefined; dataUpdatedAt: number; isPlaceholderData: boolean };

/** Rows that others added or removed, while the shown ones stay in place for somebody who reads. */
export type News = {
  /** How many more rows there are; 0 if unknown. */
  count: number;
  show: () => void;
};

type Held<T> = {
  of: string;
  /** When the answer came that is held back. */
  at?: number;
  data: unknown;
  rows: readonly T[] | undefined;
  total: number;
  isHeld: boolean;
};

/**
 * Which rows of a list are shown: if others change the list while somebody reads, the rows stay. Their current state
 * comes from useCurrentRows.
 */
export function useHeldRows<T extends Row>(
  of: string,
  query: Query,
  rows: readonly T[] | undefined,
  isReading: () => boolean,
): { rows: readonly T[] | undefined; news: News | undefined } {
  const held = useRef<Held<T>>(undefined);
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const { data, isPlaceholderData } = query;
  const before = held.current;
  // Whoever reads the time is drawn again with each answer, even one that is the same as before. While rows are held
  // that is wanted: after one's own change they are shown.
  const at = before?.isHeld ? query.dataUpdatedAt : undefined;
  const fresh: Held<T> = { of, data, rows, total: data?.total ?? 0, isHeld: false };
  if (!before?.rows || !rows || before.of !== of || isPlaceholderData) held.current = fresh;
  else if (before.at !== at || before.data !== data) {
    const isOthers = fetchedForOthers.has(of);
    const moves = before.rows.length > 0 && !sameRows(before.rows, rows);
    const hold = isOthers && moves && isReading();
    held.current = hold ? { ...before, at: query.dataUpdatedAt, data, isHeld: true } : fresh;
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each answer that is drawn, and when the list is left
  useEffect(() => {
    fetchedForOthers.delete(of);
    return () => void fetchedForOthers.delete(of);
  }, [of, at, data]);

  const { rows: shown, total, isHeld } = held.current ?? fresh;
  function show() {
    held.current = fresh;
    redraw();
    window.scrollTo({ top: 0 });
  }
  return { rows: shown, news: isHeld ? { count: Math.max(0, fresh.total - total), show } : undefined };
}

const sameRows = (some: readonly Row[], others: readonly Row[]) =>
  some.length === others.length && some.every(({ _id }, place) => _id === others[place]?._id);
