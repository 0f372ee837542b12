import { type StaleKind, shownBy } from "@footprint/contract/events.ts";
import { useEffect, useRef } from "react";

type Listener = (ids: true | string[]) => void;

const listeners = new Map<string, Set<Listener>>();

/** Calls back when something of this kind became stale. */
export const useLive = (kind: StaleKind, onEvent: Listener): void => useListener(kind, onEvent);

/** Calls back when the answer to the call with this path may have become stale. */
export function useStale(path: string, onStale: () => void): void {
  const kinds = Object.entries(shownBy).flatMap(([kind, beginnings]) =>
    beginnings.some((beginning) => path.startsWith(beginning)) ? kind : [],
  );
  useListener(["everything", ...kinds].join(), onStale);
}

function useListener(kinds: string, onEvent: Listener): void {
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    const own: Listener = (ids) => latest.current(ids);
    for (const kind of kinds.split(",")) listeners.set(kind, (listeners.get(kind) ?? new Set()).add(own));
    return () => {
      for (const all of listeners.values()) all.delete(own);
    };
  }, [kinds]);
}

export function emitLive(kind: string, ids: true | string[]): void {
  for (const listener of listeners.get(kind) ?? []) listener(ids);
}

/** Queries fetched again because of other people's changes: their answers must not move what somebody reads. */
export const fetchedForOthers = new Set<string>();
