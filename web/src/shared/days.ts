import { dayIn } from "@footprint/contract/days.ts";
import { serverNow } from "./clock.ts";

// Days are dates without a time, such as 2026-11-14; handled in UTC they are the same in every timezone.
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

/** Both days are included; a missing one leaves that side open. */
export type Days = { from?: string | undefined; to?: string | undefined };

/** A date that exists; the server refuses others. */
export function isDay(text: string): boolean {
  const moment = /^\d{4}-\d\d-\d\d$/.test(text) && text >= "0001" ? new Date(text) : undefined;
  return moment !== undefined && !Number.isNaN(moment.getTime()) && isoDay(moment) === text;
}

/** Today's date for the business. */
export const todayIn = (timezone: string) => dayIn(timezone, serverNow());

/** So many days after a date or, if negative, before it. */
export const dayAfter = (day: string, days: number) => isoDay(new Date(Date.parse(day) + days * 86_400_000));

/** The spans of days that a list offers, seen from a day. Weeks begin on Monday. */
export function spansAt(today: string) {
  const [year = 0, month = 0, date = 0] = today.split("-").map(Number);
  const day = (months: number, dayOfMonth: number) => isoDay(new Date(Date.UTC(year, month - 1 + months, dayOfMonth)));
  const monday = date - ((new Date(today).getUTCDay() + 6) % 7);
  return {
    Today: { from: today, to: today },
    Yesterday: { from: day(0, date - 1), to: day(0, date - 1) },
    "This week": { from: day(0, monday), to: day(0, monday + 6) },
    "Last week": { from: day(0, monday - 7), to: day(0, monday - 1) },
    "Last 7 days": { from: day(0, date - 6), to: today },
    "This month": { from: day(0, 1), to: day(1, 0) },
    "Last month": { from: day(-1, 1), to: day(0, 0) },
  };
}

/** Nov 9 – Nov 15; with years unless both are in the current one. */
export function formatDays({ from, to }: Days, today: string): string {
  const isThisYear = [from, to].every((day) => !day || day.slice(0, 4) === today.slice(0, 4));
  const name = (day: string) => shortDay(day) + (isThisYear ? "" : `, ${Number(day.slice(0, 4))}`);
  if (!from) return to ? `Until ${name(to)}` : "";
  if (!to) return `Since ${name(from)}`;
  return from === to ? name(from) : `${name(from)} – ${name(to)}`;
}

const isoDay = (moment: Date) => moment.toISOString().slice(0, 10);
