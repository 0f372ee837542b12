import type { LabelType, PriceTier } from "@footprint/contract/label-types.ts";

/** Weights that no tier covers: a parcel of such a weight cannot be priced. */
export type Gap = { _id: string; fromWeight: number; toWeight: number; price: undefined };

/** The tiers by weight and the gaps between them, up to the maximum weight. */
export function tiersAndGaps({ prices, maxWeight }: LabelType): (PriceTier | Gap)[] {
  const rows: (PriceTier | Gap)[] = [];
  let covered = 0;
  const closeUpTo = (weight: number) => {
    if (weight > covered) rows.push({ _id: `gap ${covered}`, fromWeight: covered, toWeight: weight, price: undefined });
  };
  for (const tier of [...prices].sort((a, b) => a.fromWeight - b.fromWeight)) {
    closeUpTo(tier.fromWeight);
    rows.push(tier);
    covered = Math.max(covered, tier.toWeight);
  }
  closeUpTo(maxWeight);
  return rows;
}

export const isGap = (row: PriceTier | Gap): row is Gap => row.price === undefined;
