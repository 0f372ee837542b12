import { weightUnit } from "@footprint/contract/weights.ts";
import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import { serverNow } from "./clock.ts";
import classes from "./format.module.css";
import { Hint } from "./Hint.tsx";
import { useSession } from "./session.ts";
import { useMinute } from "./today.ts";

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const counts = new Intl.NumberFormat("en-US");

/** $1,234.50, −$4.20 */
export const formatMoney = (amount: number) => dollars.format(amount).replace("-", "−");

const changes = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", signDisplay: "exceptZero" });

/** +$5.60, −$4.20 */
export const formatChange = (amount: number) => changes.format(amount).replace("-", "−");

/** 6,214 */
export const formatCount = (count: number) => counts.format(count);

/** 23 members, 1 member found, or nothing while the list loads. */
export function formatTotal(
  reply: { total: number; totalCapped?: boolean | undefined } | undefined,
  one: string,
  many: string,
  isNarrowed: boolean,
): string {
  if (!reply) return "";
  const count = counts.format(reply.total) + (reply.totalCapped ? "+" : "");
  return `${count} ${reply.total === 1 ? one : many}${isNarrowed ? " found" : ""}`;
}

/** 12.5 lb */
export const formatWeight = (weight: number, labelType: string) => `${counts.format(weight)} ${weightUnit(labelType)}`;

/** 5–10 lb */
export const formatWeights = (from: number, to: number, labelType: string) =>
  `${counts.format(from)}–${formatWeight(to, labelType)}`;

/** 2 MB, 2.1 MB, 340 kB. Rounded up, so that a size above a limit never reads like the limit. */
export function formatBytes(bytes: number): string {
  const [unit, name] = bytes >= 1024 * 1024 ? [1024 * 1024, "MB"] : [1024, "kB"];
  const step = name === "MB" ? 10 : 1;
  return `${Math.ceil((bytes / unit) * step) / step} ${name}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function inZone(timezone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = timezone + JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.DateTimeFormat("en-US", { ...options, timeZone: timezone });
  formats.set(key, known);
  return known;
}

const minute = 60_000;
const hour = 60 * minute;

/** Sat, Nov 14, 2026, 14:05:09 UTC */
function fullTime(date: Date, timezone: string): string {
  return inZone(timezone, {
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  }).format(date);
}

function briefTime(date: Date, now: number, timezone: string, withHour: boolean): string {
  const age = now - date.getTime();
  if (age > -minute && age < minute) return "just now";
  if (age > 0 && age < hour) return `${Math.floor(age / minute)} min ago`;
  if (age > 0 && age < 24 * hour) return `${Math.floor(age / hour)} h ago`;
  if (withHour) return exactTime(date, timezone);
  const year = inZone(timezone, { year: "numeric" });
  const sameYear = year.format(date) === year.format(now);
  return inZone(timezone, { month: "short", day: "numeric", ...(!sameYear && { year: "numeric" }) }).format(date);
}

/** Nov 14, 14:05 */
function exactTime(date: Date, timezone: string): string {
  const year = inZone(timezone, { year: "numeric" });
  const sameYear = year.format(date) === year.format(serverNow());
  return inZone(timezone, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(!sameYear && { year: "numeric" }),
  }).format(date);
}

/**
 * A moment: relative within a day, then the date; hovering shows the full time in the business timezone. `full` shows
 * the full time at once, for details, since a keyboard cannot hover. `exact` shows day and minute, to tell rows apart;
 * `withHour` does so for times older than a day. `plain` has no hover text.
 */
export function Time({
  value,
  full = false,
  exact = false,
  withHour = false,
  plain = false,
}: {
  value: string;
  full?: boolean;
  exact?: boolean;
  withHour?: boolean;
  plain?: boolean;
}) {
  const { timezone } = useSession();
  useMinute();
  const date = new Date(value);
  const whole = fullTime(date, timezone);
  if (full) return <time dateTime={value}>{whole}</time>;
  const time = (
    <time dateTime={value}>{exact ? exactTime(date, timezone) : briefTime(date, serverNow(), timezone, withHour)}</time>
  );
  return plain ? time : <Hint label={whole}>{time}</Hint>;
}

type Tone = "positive" | "warning" | "danger" | "info" | "neutral" | "plain";

/**
 * A status: a word, and a colour that supports it. Normal states are plain, so that others stand out. Mantine's look
 * without its component, since lists have one in every row.
 */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  if (tone === "plain") return <span className={classes.plain}>{children}</span>;
  return (
    <div className={`${Badge.classes.root} mantine-Badge-root ${classes.badge}`} data-variant="light" data-tone={tone}>
      <span className={Badge.classes.label}>{children}</span>
    </div>
  );
}
