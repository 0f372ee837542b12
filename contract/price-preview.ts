import * as z from "zod";
import { id, message, money, moneySum, timestamp } from "./schemas.ts";

/** The number of business days, including today, whose orders are repriced. */
export const previewDays = 30;

/** Unrefunded orders at other prices. */
export type Repriced = z.input<typeof Repriced>;
const Repriced = z.object({
  orders: z.int(),
  /** What they were sold for. */
  charged: moneySum,
  /** What they would cost at today's prices and at the new ones; only orders that have a price at both. */
  before: moneySum,
  after: moneySum,
  /** Orders to which a custom price would apply. */
  atCustomPrices: z.int(),
  /** Orders that would have no price, and what they were sold for. */
  unpriced: z.int(),
  unpricedCharged: moneySum,
  /** Orders that have no price today, but would have one. */
  newlyPriced: z.int(),
});

export type PricePreview = z.input<typeof PricePreview>;
export const PricePreview = z.object({
  /** All orders of these days, and those at weights whose price is changed, added or removed. */
  all: Repriced,
  changed: Repriced,
});

/** What deserves a second look before prices are changed. */
export type PriceWarning = z.input<typeof PriceWarning>;
export const PriceWarning = z.object({
  /**
   * A change by more than 30 %, a price of 0, a heavier parcel cheaper than a lighter one, weights that lose their
   * price, custom prices above the standard, weights that now are in another unit.
   */
  kind: z.enum(["change", "free", "order", "gap", "custom", "unit"]),
  message: z.string(),
  /** The weights concerned. */
  weights: z.array(z.object({ fromWeight: z.number(), toWeight: z.number() })),
  /** The first of the customers, for custom prices. */
  customers: z
    .array(z.object({ _id: id, username: z.string(), fromWeight: z.number(), toWeight: z.number(), price: money }))
    .optional(),
});

const warnings = z.array(PriceWarning);

/** The answer to a change of prices. The change is made; the warnings say what deserves a second look. */
export const priceChanged = message.extend({ warnings });

/** What happens to a tier; one that stays has both prices. */
export type TierChange = z.input<typeof TierChange>;
export const TierChange = z.object({
  fate: z.enum(["new", "changed", "unchanged", "removed"]),
  fromWeight: z.number(),
  toWeight: z.number(),
  was: money.nullable(),
  price: money.nullable(),
});

export type ScheduledPrices = z.input<typeof ScheduledPrices>;
export const ScheduledPrices = z.object({
  _id: id,
  at: timestamp,
  /** Failed changes were not made, and are listed until somebody dismisses them. */
  status: z.enum(["waiting", "failed"]),
  problem: z.string().nullable(),
  /** Whether the whole table is replaced, rather than one tier changed. */
  wholeTable: z.boolean(),
  /** Compared with the prices at the time of scheduling. */
  changes: z.array(TierChange),
  reason: z.string(),
  /** What deserved a second look when it was scheduled. */
  warnings: z.array(z.string()),
  by: z.string(),
  createdAt: timestamp,
});

/** For each price what was sold at it and when it last changed, and the scheduled changes. */
export type PriceOverview = z.input<typeof PriceOverview>;
export const PriceOverview = z.object({
  tiers: z.array(
    z.object({
      _id: id,
      /** Orders of the last 30 days, not refunded, at weights that it covers. */
      orders: z.int(),
      revenue: moneySum,
      /** Custom prices in use for some of its weights. */
      customPrices: z.int(),
      changedAt: timestamp,
    }),
  ),
  /** The same for all weights. */
  all: z.object({ orders: z.int(), revenue: moneySum, customPrices: z.int() }),
  scheduled: z.array(ScheduledPrices),
});

/** A pasted line: what it would do, or why it cannot be read. */
export type PastedLine = z.input<typeof PastedLine>;
export const PastedLine = z.object({ line: z.int(), text: z.string(), problem: z.string() });
