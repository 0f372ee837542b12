import { useEffect, useState } from "react";

const alertMs = 3000;

/** What a form says after an answer. It goes after three seconds. */
export function usePassingAlert<A>() {
  const [alert, setAlert] = useState<A>();
  useEffect(() => {
    if (alert === undefined) return;
    const timer = setTimeout(setAlert, alertMs, undefined);
    return () => clearTimeout(timer);
  }, [alert]);
  return [alert, setAlert] as const;
}
