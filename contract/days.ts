const clocks = new Map<string, Intl.DateTimeFormat>();

/**
 * What clocks show in a timezone: 2026-11-30T14:05:09. Made of its parts, since browsers and versions of them disagree
 * about the order in which a language writes dates.
 */
export function wallClockIn(timezone: string, moment: Date | number): string {
  const clock =
    clocks.get(timezone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    });
  clocks.set(timezone, clock);
  const parts = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}`;
}

/** The calendar day in a timezone: 2026-11-30. */
export const dayIn = (timezone: string, moment: Date | number): string => wallClockIn(timezone, moment).slice(0, 10);
