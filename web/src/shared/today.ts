import { useSyncExternalStore } from "react";
import { serverNow } from "./clock.ts";
import { todayIn } from "./days.ts";
import { useSession } from "./session.ts";

/** Draws anew each minute, so that "4 min ago" stays true. */
export function useMinute(): void {
  useSyncExternalStore(everyMinute, () => Math.floor(serverNow() / 60_000));
}

function everyMinute(tick: () => void): () => void {
  const timer = setInterval(tick, 60_000);
  return () => clearInterval(timer);
}

/** Today's date for the business, also after midnight in a panel that stays open. */
export function useToday(): string {
  const { timezone } = useSession();
  return useSyncExternalStore(everyMinute, () => todayIn(timezone));
}
