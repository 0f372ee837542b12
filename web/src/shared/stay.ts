import { useEffect } from "react";
import { useBeforeUnload, useBlocker } from "react-router";
import { askFirst } from "./leavePage.ts";

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
