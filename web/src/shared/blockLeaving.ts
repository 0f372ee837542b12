import { useEffect, useLayoutEffect } from "react";
import { useBeforeUnload, useBlocker } from "react-router";
import { askFirst } from "./leavePage.ts";

/** Who blocks, the last on top, with what each does when somebody tries to leave. */
const blocking = new Map<symbol, (() => void) | undefined>();

/** While it is used, Back and links do nothing (`onTry` is called instead), and a reload asks first. */
export function useBlockLeaving(onTry?: () => void): void {
  // Together with what is drawn: whoever sees it may press Back at once.
  useLayoutEffect(() => {
    const key = Symbol();
    blocking.set(key, onTry);
    return () => void blocking.delete(key);
  }, [onTry]);
}

/** Always there, since a router hears of a new blocker only some moments after it is drawn. */
export function LeavingBlocker() {
  const blocker = useBlocker(isBlocked);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    blocker.reset();
    [...blocking.values()].at(-1)?.();
  }, [blocker]);
  useBeforeUnload(askIfBlocked);
  return null;
}

const isBlocked = () => blocking.size > 0;

function askIfBlocked(event: BeforeUnloadEvent) {
  if (isBlocked()) askFirst(event);
}
