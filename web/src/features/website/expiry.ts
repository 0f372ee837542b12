/** The day of a point in time in the business timezone, such as 2026-11-30. */
export const dayOf = (moment: string, timezone: string) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(new Date(moment));

/** The last second of a day in the business timezone. */
export function endOfDay(day: string, timezone: string): string {
  const inUtc = Date.parse(`${day}T23:59:59Z`);
  const options = { timeZone: timezone, hourCycle: "h23", dateStyle: "short", timeStyle: "medium" } as const;
  // The Swedish format is that of ISO 8601. The local time at this moment gives the offset of the timezone.
  const shown = new Intl.DateTimeFormat("sv-SE", options).format(inUtc);
  return new Date(2 * inUtc - Date.parse(`${shown.replace(" ", "T")}Z`)).toISOString();
}
