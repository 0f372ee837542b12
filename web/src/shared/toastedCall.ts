import { useRef, useState } from "react";
import { notify, notifyError } from "./notify.ts";

/** For an action without a form: one call at a time, its answer or its failure as a toast. Tells whether it worked. */
export function useToastedCall() {
  const [working, setWorking] = useState(false);
  const busy = useRef(false);

  async function run(call: () => Promise<{ message: string }>): Promise<boolean> {
    // State arrives with the next render; a second click may come before it.
    if (busy.current) return false;
    busy.current = true;
    setWorking(true);
    try {
      const { message } = await call();
      notify("success", message);
      return true;
    } catch (error) {
      notifyError(error);
      return false;
    } finally {
      busy.current = false;
      setWorking(false);
    }
  }

  return { working, run };
}
