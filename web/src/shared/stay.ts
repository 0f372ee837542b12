import { useEffect } from "react";
import { useBeforeUnload, useBlocker } from "react-router";

let mustLeave = false;

/** Loads a page anew in any case: nothing of a session that has ended may be left in it. */
export function leave(load: () => void): void {
  mustLeave = true;
  load();
}

/** What a browser asks before a page is left. */
export function askFirst(event: BeforeUnloadEvent): void {
  if (!mustLeave) event.preventDefault();
}

/** As long as it is used, Back and links lead nowhere, which `onTry` can tell, and a reload asks first. */
export function useStay(onTry?: () => void): void {
  const blocker = useBlocker(true);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    blocker.reset();
    onTry?.();
  }, [blocker, onTry]);
  useBeforeUnload(askFirst);
}
