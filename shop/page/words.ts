import { weightUnit } from "@footprint/contract/weights.ts";

const money = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

export const dollars = (amount: number) => money.format(amount).replace("-", "−");

export const signed = (amount: number) => (amount > 0 ? `+${dollars(amount)}` : dollars(amount));

/** A weight in the label type's unit, which follows from its name. */
export const weighed = (weight: number, labelType: string) => `${weight} ${weightUnit(labelType)}`;

export const count = (many: number, one: string, several = `${one}s`) =>
  `${many.toLocaleString("en-US")} ${many === 1 ? one : several}`;

const sameYear = new Intl.DateTimeFormat("en-US", {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});
const otherYear = new Intl.DateTimeFormat("en-US", { dateStyle: "medium" });

export function when(moment: string): string {
  const date = new Date(moment);
  return (date.getFullYear() === new Date().getFullYear() ? sameYear : otherYear).format(date);
}

/** Used in a payment's note and on the phone: the end of an id, which differs most. */
export const shortId = (id: string) => id.replaceAll("-", "").slice(-6).toUpperCase();

export const placeOf = (city: string, state: string) => [city, state].filter(Boolean).join(", ");
