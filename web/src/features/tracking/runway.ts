import type { Runway } from "@footprint/contract/tracking.ts";
import { shortDay } from "../../shared/days.ts";
import { formatCount } from "../../shared/format.tsx";

export const countDays = (days: number) => (days === 1 ? "1 day" : `${formatCount(days)} days`);

/** How long codes last. */
export function lasting({ left, days, emptyOn, labelTypes }: Runway): string {
  if (left === 0) return labelTypes.length > 0 ? "Orders are refused" : "Nobody takes them";
  if (days === null || !emptyOn) return labelTypes.length > 0 ? "Not used lately" : "Nobody takes them";
  if (days <= 1) return days === 0 ? "Run out today" : "Run out tomorrow";
  return `${countDays(days)}, to ${shortDay(emptyOn)}`;
}

/** When to order the next ones. */
export function ordering({ left, orderBy, labelTypes }: Runway, today: string): string {
  if (left === 0 && labelTypes.length > 0) return "Order now";
  if (!orderBy) return "";
  return orderBy <= today ? "Order now" : `Order by ${shortDay(orderBy)}`;
}

export const perDay = (pace: number) =>
  pace >= 10 ? formatCount(Math.round(pace)) : formatCount(Math.round(pace * 10) / 10);
