// Days come as dates without a time: formatted in UTC they are the same in every timezone.
const short = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });
const full = new Intl.DateTimeFormat("en-US", {
  weekday: "short",
  month: "short",
  day: "numeric",
  year: "numeric",
  timeZone: "UTC",
});

/** 2026-11-14: Nov 14 */
export const shortDay = (day: string) => short.format(new Date(day));

/** 2026-11-14: Sat, Nov 14, 2026 */
export const fullDay = (day: string) => full.format(new Date(day));
