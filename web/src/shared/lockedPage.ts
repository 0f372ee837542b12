import { useLayoutEffect } from "react";

const locks: string[] = [];

/**
 * Keeps the page behind a dialog from scrolling. Mantine's own way adds a style to the page and a variable to its body,
 * for which the browser computes the styles of all elements anew, when a dialog opens and when it closes.
 */
export function useLockedPage(by: "dialog" | "palette" = "dialog"): void {
  useLayoutEffect(() => {
    locks.push(by);
    tell();
    return () => {
      locks.splice(locks.lastIndexOf(by), 1);
      tell();
    };
  }, [by]);
}

function tell() {
  const by = locks.at(-1);
  if (by) document.documentElement.dataset.locked = by;
  else delete document.documentElement.dataset.locked;
}
