import { useEffect } from "react";
import { useBeforeUnload, useBlocker } from "react-router";
import { askFirst } from "./leavePage.ts";

/** While it is used, Back and links do nothing (`onTry` is called instead), and a reload asks first. */
export function useBlockLeaving(onTry?: () => void): void {
  const blocker = useBlocker(true);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    blocker.reset();
    onTry?.();
  }, [blocker, onTry]);
  useBeforeUnload(askFirst);
}
