import { useCallback, useEffect, useState } from "react";
import { useBeforeUnload, useBlocker } from "react-router";

/** For something that is shown only once: Back, a reload or a stray click must not close it, but warn. */
export function useLeaveWarning() {
  const [isWarned, setWarned] = useState(false);
  const blocker = useBlocker(true);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    blocker.reset();
    setWarned(true);
  }, [blocker]);
  useBeforeUnload(useCallback((event) => event.preventDefault(), []));
  return { isWarned, warn: () => setWarned(true) };
}
