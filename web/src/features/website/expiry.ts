import { dayIn, wallClockIn } from "@footprint/contract/days.ts";

const day = 86_400_000;

/** The last second of a day in the business timezone. */
export function endOfDay(date: string, timezone: string): string {
  const inUtc = Date.parse(`${date}T23:59:59Z`);
  // Clocks may be changed at any hour of the day: what they show well before and well after are the two possible offsets.
  const ends = [inUtc - day, inUtc + day].map((near) => inUtc + near - Date.parse(`${wallClockIn(timezone, near)}Z`));
  return new Date(Math.max(...ends.filter((end) => dayIn(timezone, end) <= date))).toISOString();
}
