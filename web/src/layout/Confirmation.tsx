import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import { askWith } from "../shared/confirmation.ts";
import { lazyPart } from "../shared/lazyPart.tsx";

const ConfirmItsYou = lazyPart(() => import("./ConfirmItsYou.tsx").then((file) => file.ConfirmItsYou));

/** Asks in place, above whatever made a sensitive call: what was typed there stays, and the call then goes on. */
export function Confirmation() {
  const { pathname } = useLocation();
  const [answer, setAnswer] = useState<(confirmed: boolean) => void>();
  useEffect(() => askWith(() => new Promise((resolve) => setAnswer(() => resolve))), []);
  // Who goes to another screen has thought better of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another screen is shown
  useEffect(() => {
    if (answer) return () => end(false);
  }, [pathname, answer]);

  function end(confirmed: boolean) {
    answer?.(confirmed);
    setAnswer(undefined);
  }
  return answer && <ConfirmItsYou onEnd={end} />;
}
