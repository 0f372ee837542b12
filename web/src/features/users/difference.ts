import type { PlannedPrice } from "@footprint/contract/custom-prices.ts";
import { formatChange, formatMoney } from "../../shared/format.tsx";

type Standard = PlannedPrice["standard"];

const cents = (amount: number) => Math.round(amount * 100) / 100;

/** +5.6 %; from nothing there are no per cent. */
export function formatPercent(was: number, is: number): string {
  if (was === 0) return "";
  const percent = Math.abs(((is - was) / was) * 100).toFixed(1);
  return `${is > was ? "+" : is < was ? "−" : ""}${percent} %`;
}

/** $8.90, or $7.45–$8.90 where the weights have several standard prices. */
export function formatStandard(standard: Standard): string {
  if (!standard) return "–";
  const { lowest, highest } = standard;
  return lowest === highest ? formatMoney(lowest) : `${formatMoney(lowest)}–${formatMoney(highest)}`;
}

/** How far a price is from the standard, in money and in per cent; from each of them where there are several. */
export function differenceTo(standard: Standard, price: number): { amount: string; percent: string } {
  if (!standard) return { amount: "–", percent: "" };
  const ends = standard.lowest === standard.highest ? [standard.lowest] : [standard.lowest, standard.highest];
  return {
    amount: ends.map((end) => formatChange(cents(price - end))).join(" to "),
    percent: ends.map((end) => formatPercent(end, price)).join(" to "),
  };
}

export const isAbove = (standard: Standard, price: number) => standard !== null && price > standard.lowest;
