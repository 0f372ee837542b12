import type { FastifyBaseLogger } from "fastify";

/** Writes to the log at most so many times a second, and afterwards how often it did not. */
export function atMostPerSecond(most: number, more: string) {
  let second = 0;
  let times = 0;
  return (log: FastifyBaseLogger, write: () => void) => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      if (times > most) log.warn({ leftOut: times - most }, more);
      second = now;
      times = 0;
    }
    times++;
    if (times <= most) write();
  };
}
