import { useSyncExternalStore } from "react";
import { serverNow } from "../../shared/clock.ts";
import { Time } from "../../shared/format.tsx";
import { Hint } from "../../shared/Hint.tsx";

/** A moment to come: in 40 s, in 5 min, and from an hour on the time. */
export function Soon({ value }: { value: string }) {
  const now = useSyncExternalStore(everySecond, currentSecond);
  const seconds = Math.round(Date.parse(value) / 1_000 - now);
  if (seconds >= 3_600) return <Time value={value} exact />;
  const text = seconds <= 0 ? "now" : seconds < 60 ? `in ${seconds} s` : `in ${Math.floor(seconds / 60)} min`;
  return (
    <Hint label={<Time value={value} full />}>
      <time dateTime={value}>{text}</time>
    </Hint>
  );
}

function everySecond(tick: () => void): () => void {
  const timer = setInterval(tick, 1_000);
  return () => clearInterval(timer);
}
const currentSecond = () => Math.floor(serverNow() / 1_000);
