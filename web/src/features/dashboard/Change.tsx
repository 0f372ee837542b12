import { VisuallyHidden } from "@mantine/core";
import classes from "./Change.module.css";

type Format = (value: number) => string;

/**
 * What a figure changed by: below twenty the difference, from there on per cent, in colour from 10 % on. What is not
 * over yet and has less than the whole that it stands against has lost nothing.
 */
export function Change({
  value,
  before,
  format,
  against,
  isFinished = true,
  moreIsBad = false,
}: {
  value: number;
  before: number;
  format: Format;
  /** What it stands against, in words. */
  against: string;
  isFinished?: boolean;
  moreIsBad?: boolean;
}) {
  const isBehind = !isFinished && value < before;
  const share = before === 0 ? 0 : (value - before) / before;
  const isTold = Math.abs(share) >= 0.1 && before >= 20 && !isBehind;
  const isGood = value > before !== moreIsBad;
  return (
    <span
      className={classes.change}
      data-tone={isTold ? (isGood ? "good" : "bad") : undefined}
      title={`${format(value)} against ${format(before)}: ${against}`}
    >
      {isBehind ? `of ${format(before)}` : changeText(value, before, format)}
      <VisuallyHidden> {against}</VisuallyHidden>
    </span>
  );
}

export function changeText(value: number, before: number, format: Format): string {
  if (value === before) return "same";
  if (before === 0 && value >= 20) return "new";
  const arrow = value > before ? "↑" : "↓";
  if (before < 20) return `${arrow} ${format(Math.abs(value - before))}`;
  const share = (Math.abs(value - before) / before) * 100;
  return `${arrow} ${share >= 1000 ? Math.round(share).toLocaleString("en-US") : share.toFixed(1)} %`;
}
