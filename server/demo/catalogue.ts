import type { labelTypes, trackingCodes } from "../db/schema.ts";

export type CatalogueEntry = Pick<typeof labelTypes.$inferSelect, "name" | "uid" | "kind" | "maxWeight" | "active"> & {
  /** How often it is bought, in parts of all. */
  share: number;
  tiers: readonly (readonly [from: number, to: number, cents: number])[];
  /** Prepaid codes it uses, and how many of them are left. */
  codes?: Codes;
};
export type Codes = Pick<typeof trackingCodes.$inferSelect, "type" | "template"> & { prefix: string; left: number };

/** What the made-up business sells: all three kinds, one type with a gap in its prices, one disabled. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    name: "USPS Priority",
    uid: "priority",
    kind: "usps",
    maxWeight: 70,
    active: true,
    share: 30,
    tiers: [
      [0, 1, 745],
      [1, 3, 890],
      [3, 5, 1145],
      [5, 10, 1545],
      [10, 20, 2230],
      [20, 40, 3480],
      [40, 70, 5290],
    ],
    codes: { type: "priority", template: "evs", prefix: "94055112062", left: 812 },
  },
  {
    name: "USPS Express",
    uid: "express",
    kind: "usps",
    maxWeight: 70,
    active: true,
    share: 8,
    tiers: [
      [0, 1, 2190],
      [1, 5, 2875],
      [5, 20, 4460],
      [20, 70, 8125],
    ],
    codes: { type: "express", template: "pitney", prefix: "94701118995", left: 236 },
  },
  {
    name: "USPS First Class",
    uid: "ground_oz",
    kind: "usps",
    maxWeight: 16,
    active: true,
    share: 28,
    tiers: [
      [0, 4, 320],
      [4, 8, 420],
      [8, 12, 485],
      [12, 16, 560],
    ],
    codes: { type: "ground_oz", template: "indica", prefix: "94001112062", left: 23 },
  },
  {
    name: "USPS Ground",
    uid: "ground_lbs",
    kind: "usps",
    maxWeight: 70,
    active: true,
    share: 18,
    tiers: [
      [0, 2, 610],
      [2, 5, 710],
      [5, 10, 1110],
      [10, 25, 1790],
      [25, 70, 3150],
    ],
    codes: { type: "ground_lbs", template: "evs", prefix: "92612902541", left: 540 },
  },
  {
    name: "ShipV2 Express",
    uid: "shipv2_express",
    kind: "shipv2",
    maxWeight: 50,
    active: true,
    share: 9,
    tiers: [
      [0, 5, 1820],
      [5, 15, 2190],
      [15, 50, 2590],
    ],
  },
  {
    name: "ShipV2 Saver",
    uid: "shipv2_saver",
    kind: "shipv2",
    maxWeight: 30,
    active: true,
    share: 4,
    tiers: [
      [0, 5, 980],
      [5, 10, 1240],
      [15, 30, 1990],
    ],
  },
  {
    name: "WW Business Parcel",
    uid: "wwbiz_parcel",
    kind: "wwbiz",
    maxWeight: 44,
    active: true,
    share: 3,
    tiers: [
      [0, 2, 3150],
      [2, 10, 4725],
      [10, 44, 9680],
    ],
  },
  {
    name: "WW Business Document",
    uid: "wwbiz_document",
    kind: "wwbiz",
    maxWeight: 2,
    active: false,
    share: 0,
    tiers: [[0, 2, 2480]],
  },
];
