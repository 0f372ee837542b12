import type { labelTypes, trackingCodes } from "../db/schema.ts";

export type CatalogueEntry = Pick<typeof labelTypes.$inferSelect, "name" | "uid" | "kind" | "maxWeight" | "active"> & {
  /** Its share of all purchases. */
  share: number;
  tiers: readonly (readonly [from: number, to: number, cents: number])[];
  /** The prepaid codes it uses, and how many of them are left. */
  codes?: Codes;
};
export type Codes = Pick<typeof trackingCodes.$inferSelect, "type" | "template"> & { prefix: string; left: number };

/** Prices by upper weight, each tier beginning where the previous one ends; null leaves a gap. */
export function tiersUpTo(prices: Record<number, number | null>): [from: number, to: number, price: number][] {
  const weights = Object.keys(prices).map(Number);
  const tiers = weights.map((to, place) => [weights[place - 1] ?? 0, to, prices[to] ?? null] as const);
  return tiers.flatMap(([from, to, price]) => (price === null ? [] : [[from, to, price]]));
}

/** What the made-up business sells: all three kinds, one type with a gap in its prices, one disabled. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    name: "USPS Priority",
    uid: "priority",
    kind: "usps",
    maxWeight: 70,
    active: true,
    share: 30,
    tiers: tiersUpTo({ 1: 745, 3: 890, 5: 1145, 10: 1545, 20: 2230, 40: 3480, 70: 5290 }),
    codes: { type: "priority", template: "evs", prefix: "94055112062", left: 812 },
  },
  {
    name: "USPS Express",
    uid: "express",
    kind: "usps",
    maxWeight: 70,
    active: true,
    share: 8,
    tiers: tiersUpTo({ 1: 2190, 5: 2875, 20: 4460, 70: 8125 }),
    codes: { type: "express", template: "pitney", prefix: "94701118995", left: 236 },
  },
  {
    name: "USPS First Class",
    uid: "ground_oz",
    kind: "usps",
    maxWeight: 16,
    active: true,
    share: 28,
    tiers: tiersUpTo({ 4: 320, 8: 420, 12: 485, 16: 560 }),
    codes: { type: "ground_oz", template: "indica", prefix: "94001112062", left: 23 },
  },
  {
    name: "USPS Ground",
    uid: "ground_lbs",
    kind: "usps",
    maxWeight: 70,
    active: true,
    share: 18,
    tiers: tiersUpTo({ 2: 610, 5: 710, 10: 1110, 25: 1790, 70: 3150 }),
    codes: { type: "ground_lbs", template: "evs", prefix: "92612902541", left: 540 },
  },
  {
    name: "ShipV2 Express",
    uid: "shipv2_express",
    kind: "shipv2",
    maxWeight: 50,
    active: true,
    share: 9,
    tiers: tiersUpTo({ 5: 1820, 15: 2190, 50: 2590 }),
  },
  {
    name: "ShipV2 Saver",
    uid: "shipv2_saver",
    kind: "shipv2",
    maxWeight: 30,
    active: true,
    share: 4,
    tiers: tiersUpTo({ 5: 980, 10: 1240, 15: null, 30: 1990 }),
  },
  {
    name: "WW Business Parcel",
    uid: "wwbiz_parcel",
    kind: "wwbiz",
    maxWeight: 44,
    active: true,
    share: 3,
    tiers: tiersUpTo({ 2: 3150, 10: 4725, 44: 9680 }),
  },
  {
    name: "WW Business Document",
    uid: "wwbiz_document",
    kind: "wwbiz",
    maxWeight: 2,
    active: false,
    share: 0,
    tiers: tiersUpTo({ 2: 2480 }),
  },
];
