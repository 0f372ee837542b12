import { useEffect, useState } from "react";

const alertMs = 3000;

/** An alert that goes away after three seconds. */
export function useTemporaryAlert<A>() {
  const [alert, setAlert] = useState<A>();
  useEffect(() => {
    if (alert === undefined) return;
    const timer = setTimeout(setAlert, alertMs, undefined);
    return () => clearTimeout(timer);
  }, [alert]);
  return [alert, setAlert] as const;
}
