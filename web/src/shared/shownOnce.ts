import { useCallback, useEffect, useState } from "react";
import { useBeforeUnload, useBlocker } from "react-router";

/** For what is not shown again: a stray click or key, Back or a reload must not take it away. */
export function useShownOnce() {
  const [hurried, setHurried] = useState(false);
  const blocker = useBlocker(true);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    blocker.reset();
    setHurried(true);
  }, [blocker]);
  useBeforeUnload(useCallback((event) => event.preventDefault(), []));
  return { hurried, hurry: () => setHurried(true) };
}
