import { wallClockIn } from "@footprint/contract/days.ts";

/** The last second of a day in the business timezone. */
export function endOfDay(day: string, timezone: string): string {
  const inUtc = Date.parse(`${day}T23:59:59Z`);
  // What clocks show there at this moment gives the offset of the timezone.
  return new Date(2 * inUtc - Date.parse(`${wallClockIn(timezone, inUtc)}Z`)).toISOString();
}
