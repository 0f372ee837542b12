import { useEffect, useState } from "react";

/** A value that is shown for a while, by default three seconds. */
export function useTemporary<A>(milliseconds = 3000) {
  const [alert, setAlert] = useState<A>();
  useEffect(() => {
    if (alert === undefined) return;
    const timer = setTimeout(setAlert, milliseconds, undefined);
    return () => clearTimeout(timer);
  }, [alert, milliseconds]);
  return [alert, setAlert] as const;
}
