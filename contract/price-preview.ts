import * as z from "zod";
import { id, message, money, moneySum, timestamp } from "./schemas.ts";

/** Orders of so many business days, with today, are repriced. */
export const previewDays = 30;

/** Orders that were not refunded, as other prices would have had them. */
export type Repriced = z.input<typeof Repriced>;
const Repriced = z.object({
  orders: z.int(),
  /** What they were sold for. */
  charged: moneySum,
  /** What they come to at today's prices and at those that would be: orders that have a price at both. */
  before: moneySum,
  after: moneySum,
  /** Those for which a custom price holds then. */
  atCustomPrices: z.int(),
  /** Those that would find no price, and what they were sold for. */
  unpriced: z.int(),
  unpricedCharged: moneySum,
  /** Those that find none today, but then would. */
  newlyPriced: z.int(),
});

export type PricePreview = z.input<typeof PricePreview>;
export const PricePreview = z.object({
  /** All orders of these days, and of them those at weights for which a price is changed, added or removed. */
  all: Repriced,
  changed: Repriced,
});

/** What deserves a second look before prices are changed. */
export type PriceWarning = z.input<typeof PriceWarning>;
export const PriceWarning = z.object({
  /**
   * A change by more than 30 %, a price of 0, a heavier parcel that becomes cheaper than a lighter one, weights that
   * lose their price, custom prices that would be above the standard, weights that are in another unit from now on.
   */
  kind: z.enum(["change", "free", "order", "gap", "custom", "unit"]),
  message: z.string(),
  /** The weights that it is about. */
  weights: z.array(z.object({ fromWeight: z.number(), toWeight: z.number() })),
  /** For custom prices: the first of them. */
  customers: z
    .array(z.object({ _id: id, username: z.string(), fromWeight: z.number(), toWeight: z.number(), price: money }))
    .optional(),
});

const warnings = z.array(PriceWarning);

/** The answer to a change of prices: it is made, and what deserves a second look is told with it. */
export const priceChanged = message.extend({ warnings });

/** What becomes of a tier; both prices where it stays. */
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
  /** Failed ones were not made. They are listed until somebody dismisses them. */
  status: z.enum(["waiting", "failed"]),
  problem: z.string().nullable(),
  /** The whole table is replaced, not one tier changed. */
  wholeTable: z.boolean(),
  /** By the prices when it was scheduled. */
  changes: z.array(TierChange),
  reason: z.string(),
  /** What deserved a second look when it was scheduled. */
  warnings: z.array(z.string()),
  by: z.string(),
  createdAt: timestamp,
});

/** What is sold at each price, when it was changed last, and what is to change. */
export type PriceOverview = z.input<typeof PriceOverview>;
export const PriceOverview = z.object({
  tiers: z.array(
    z.object({
      _id: id,
      /** Of the last 30 days, not refunded, at weights that it covers. */
      orders: z.int(),
      revenue: moneySum,
      /** Custom prices for some of its weights that are in use. */
      customPrices: z.int(),
      changedAt: timestamp,
    }),
  ),
  /** The same of all weights. */
  all: z.object({ orders: z.int(), revenue: moneySum, customPrices: z.int() }),
  scheduled: z.array(ScheduledPrices),
});

/** A pasted line: what it would do, or why it cannot be read. */
export type PastedLine = z.input<typeof PastedLine>;
export const PastedLine = z.object({ line: z.int(), text: z.string(), problem: z.string() });
