/** 2026-11-30: the day of a moment, in the business timezone. */
export const dayOf = (moment: string, timezone: string) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(new Date(moment));

/** The last second of a day in the business timezone. */
export function endOfDay(day: string, timezone: string): string {
  const inUtc = Date.parse(`${day}T23:59:59Z`);
  const options = { timeZone: timezone, hourCycle: "h23", dateStyle: "short", timeStyle: "medium" } as const;
  // Swedish writes times as ISO 8601 does. What the clocks there show at that moment tells how far they are off.
  const shown = new Intl.DateTimeFormat("sv-SE", options).format(inUtc);
  return new Date(2 * inUtc - Date.parse(`${shown.replace(" ", "T")}Z`)).toISOString();
}
