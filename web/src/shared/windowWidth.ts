import { useSyncExternalStore } from "react";

/** Largest widths of the window, in em. */
const widths = {
  /** 768 px: tables become cards, and the sidebar becomes a menu. The stylesheets repeat this one. */
  phone: 47.99,
  /** 992 px: some columns of a table move below others. */
  narrow: 61.99,
  /** 1056 px: beside the sidebar, a table's columns are set closer together. */
  tight: 66,
  /** 1248 px: the sidebar is collapsed, unless the operator chose otherwise. */
  withoutSidebar: 78,
  /** 1280 px: details open above their list instead of beside it. */
  withoutDrawer: 79.99,
  /** 1600 px: ids are shortened, and some columns left out. */
  usual: 99.99,
};

const watched = new Map<string, ReturnType<typeof watch>>();

function watch(query: string) {
  const list = window.matchMedia(query);
  return {
    matches: () => list.matches,
    subscribe(onChange: () => void) {
      list.addEventListener("change", onChange);
      return () => list.removeEventListener("change", onChange);
    },
  };
}

/**
 * `taken` is how much an element beside takes of the window, in em. Right from the first drawing on, also with another
 * `taken`: correcting it afterwards would draw a table twice.
 */
export function useWidthUpTo(width: keyof typeof widths, taken = 0): boolean {
  const query = `(max-width: ${widths[width] + taken}em)`;
  const { subscribe, matches } = watched.get(query) ?? watch(query);
  watched.set(query, { subscribe, matches });
  return useSyncExternalStore(subscribe, matches);
}
