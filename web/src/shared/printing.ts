import { useSyncExternalStore } from "react";

let isPrinting = false;
const listeners = new Set<() => void>();

function begin() {
  isPrinting = true;
  // Paper is white: what a dark theme writes in white would not be seen.
  const { dataset } = document.documentElement;
  shown = dataset.mantineColorScheme;
  dataset.mantineColorScheme = "light";
  for (const tell of listeners) tell();
}
let shown: string | undefined;

function end() {
  isPrinting = false;
  if (shown) document.documentElement.dataset.mantineColorScheme = shown;
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  if (listeners.size === 0) {
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
  }
  listeners.add(tell);
  return () => {
    listeners.delete(tell);
    if (listeners.size > 0) return;
    removeEventListener("beforeprint", begin);
    removeEventListener("afterprint", end);
  };
}

/** While the page is printed, which is done in the light theme. */
export const usePrinting = () => useSyncExternalStore(subscribe, () => isPrinting);
