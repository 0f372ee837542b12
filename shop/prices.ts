import type { LabelType, Price } from "@footprint/client";

type Tier = Price & { custom: boolean };

/** A tier covers weights above its lower and up to its upper bound. */
export const tierFor = ({ prices }: LabelType, weight: number): Tier | undefined =>
  prices.find(({ fromWeight, toWeight }) => fromWeight < weight && weight <= toWeight);

export const labelTypeOf = (labelTypes: readonly LabelType[], uid: string): LabelType | undefined =>
  labelTypes.find((one) => one.uid.toLowerCase() === uid.toLowerCase());

export const inCents = (dollars: number) => Math.round(dollars * 100);

/** What labels cost together, in cents; undefined if one of them has no price. */
export function sumOf(
  labelTypes: readonly LabelType[],
  parcels: readonly { labelType: string; weight: number }[],
): number | undefined {
  let sum = 0;
  for (const { labelType, weight } of parcels) {
    const type = labelTypeOf(labelTypes, labelType);
    const tier = type && tierFor(type, weight);
    if (!tier) return undefined;
    sum += inCents(tier.price);
  }
  return sum;
}
