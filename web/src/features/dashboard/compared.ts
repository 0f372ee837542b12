import { isDay } from "../../shared/days.ts";

/** Two spans of business days, all four included. */
export type Compared = { from: string; to: string; againstFrom: string; againstTo: string };

const names = ["from", "to", "againstFrom", "againstTo"] as const;

/** What the address asks to compare; undefined where it does not. */
export function comparedIn(address: URLSearchParams): Compared | undefined {
  const [from = "", to = "", againstFrom = "", againstTo = ""] = names.map((name) => address.get(name) ?? "");
  const areDays = [from, to, againstFrom, againstTo].every((day) => isDay(day) && day >= "2000" && day < "3000");
  return areDays && from <= to && againstFrom <= againstTo ? { from, to, againstFrom, againstTo } : undefined;
}

export const addressOf = (compared: Compared) => `/?${new URLSearchParams(compared)}`;

/**
 * Spans that are often asked for, each against the same one before; of a month that is shorter, all of it. They end
 * yesterday: today is not over, and would stand against a whole day. What begins today has only that.
 */
export function presetsAt(today: string) {
  const [year = 0, month = 0, date = 0] = today.split("-").map(Number);
  const day = (years: number, months: number, dayOfMonth: number) =>
    new Date(Date.UTC(year + years, month - 1 + months, dayOfMonth)).toISOString().slice(0, 10);
  const dayOf = (years: number, months: number, dayOfMonth: number) =>
    [day(years, months, dayOfMonth), day(years, months + 1, 0)].sort()[0] as string;
  const monday = date - ((new Date(today).getUTCDay() + 6) % 7);
  const lastOfMonth = Math.max(1, date - 1);
  const lastOfWeek = Math.max(monday, date - 1);
  const isNewYear = today.endsWith("-01-01");
  return {
    "This month": {
      from: day(0, 0, 1),
      to: day(0, 0, lastOfMonth),
      againstFrom: day(0, -1, 1),
      againstTo: dayOf(0, -1, lastOfMonth),
    },
    "Last month": { from: day(0, -1, 1), to: day(0, 0, 0), againstFrom: day(0, -2, 1), againstTo: day(0, -1, 0) },
    "This week": {
      from: day(0, 0, monday),
      to: day(0, 0, lastOfWeek),
      againstFrom: day(0, 0, monday - 7),
      againstTo: day(0, 0, lastOfWeek - 7),
    },
    "Last 30 days": {
      from: day(0, 0, date - 30),
      to: day(0, 0, date - 1),
      againstFrom: day(0, 0, date - 60),
      againstTo: day(0, 0, date - 31),
    },
    "This year": {
      from: `${year}-01-01`,
      to: isNewYear ? today : day(0, 0, date - 1),
      againstFrom: `${year - 1}-01-01`,
      againstTo: date > 1 ? dayOf(-1, 0, date - 1) : isNewYear ? `${year - 1}-01-01` : day(-1, 0, 0),
    },
  } satisfies Record<string, Compared>;
}
