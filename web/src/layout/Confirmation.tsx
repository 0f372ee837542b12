import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import { askWith } from "../shared/confirmation.ts";
import { lazyPart } from "../shared/lazyPart.tsx";

const ConfirmItsYou = lazyPart(() => import("./ConfirmItsYou.tsx").then((file) => file.ConfirmItsYou));

/** Asks in place, above whatever made a sensitive call. Anything typed there stays, and the call then continues. */
export function Confirmation() {
  const { pathname } = useLocation();
  const [answer, setAnswer] = useState<(confirmed: boolean) => void>();
  useEffect(() => askWith(() => new Promise((resolve) => setAnswer(() => resolve))), []);
  // Going to another screen cancels the question.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another screen is shown
  useEffect(() => {
    if (answer) return () => end();
  }, [pathname, answer]);

  function end(confirmed = false) {
    answer?.(confirmed);
    setAnswer(undefined);
  }
  return answer && <ConfirmItsYou onClose={end} />;
}
