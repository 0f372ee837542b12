import { useSyncExternalStore } from "react";
import { todayIn } from "./days.ts";
import { useSession } from "./session.ts";

/** For `useSyncExternalStore`: redraws each minute. */
export function everyMinute(tick: () => void): () => void {
  const timer = setInterval(tick, 60_000);
  return () => clearInterval(timer);
}

/** Today's date for the business, also after midnight in a panel that stays open. */
export function useToday(): string {
  const { timezone } = useSession();
  return useSyncExternalStore(everyMinute, () => todayIn(timezone));
}
