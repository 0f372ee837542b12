import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { tierBounds } from "./label-types.ts";
import { PricePreview, priceChanged } from "./price-preview.ts";
import { hasDecimals, id, idParam, inQuery, money, namedCustomer, reason } from "./schemas.ts";
import { saved, version } from "./versions.ts";

/** The standard prices of the same weights. */
export const StandardPrice = z.object({
  lowest: money,
  highest: money,
  /** Whether every weight of the custom price has a standard price. */
  whole: z.boolean(),
});

const planned = {
  labelType: z.object({ _id: id, name: z.string() }),
  fromWeight: z.number(),
  toWeight: z.number(),
  /** Null for a new price. */
  before: money.nullable(),
  price: money,
  standard: StandardPrice.nullable(),
};

/** What happens to a price. */
export type PlannedPrice = z.input<typeof PlannedPrice>;
const PlannedPrice = z.object({
  ...planned,
  fate: z.enum(["added", "changed", "same", "refused"]),
  /** The reason, if it is refused. */
  message: z.string().nullable(),
});

/** What would happen to a customer's prices, and what their last orders would have cost. */
export type PricePlan = z.input<typeof PricePlan>;
const PricePlan = z.object({
  prices: z.array(PlannedPrice),
  warnings: priceChanged.shape.warnings,
  /** The effect on this customer's orders of the last 30 days. */
  preview: PricePreview,
  /** Whether custom prices apply to this customer. */
  counts: z.boolean(),
  /** To be sent back as `If-Match`, so that exactly what was shown is done. */
  version,
});

/** A rise or a reduction in per cent. */
const percent = z
  .number()
  .min(-100)
  .max(1000)
  .refine(hasDecimals(2), "A percentage has at most two decimals")
  .refine((value) => value !== 0, "Enter a percentage other than zero")
  .overwrite((value) => Math.round(value * 100) / 100);

export const customPrices = {
  preview: endpoint({
    method: "GET",
    path: "/api/v1/admin/user/custom-pricing/preview/:id",
    access: "staff",
    summary: "What one custom price would change, new or with its _id: warnings, and this customer's orders of 30 days",
    params: idParam,
    query: z.object({
      labelType: id,
      _id: id.optional(),
      fromWeight: inQuery(tierBounds.fromWeight),
      toWeight: inQuery(tierBounds.toWeight),
      price: inQuery(tierBounds.price),
    }),
    reply: PricePlan,
  }),
  update: endpoint({
    method: "PUT",
    path: "/api/v1/admin/user/custom-pricing/update/:id",
    access: "staff",
    summary: "Change a custom price by its _id",
    params: idParam,
    body: z.object({ _id: id, ...tierBounds, reason }),
    versioned: true,
    idempotent: true,
    reply: saved.extend(priceChanged.shape),
  }),
  previewChange: endpoint({
    method: "GET",
    path: "/api/v1/admin/user/custom-pricing/change/:id",
    access: "staff",
    summary: "What raising or lowering a customer's own prices by per cent would make of each",
    params: idParam,
    query: z.object({ percent: inQuery(percent), labelType: id.optional() }),
    reply: PricePlan,
  }),
  change: endpoint({
    method: "PUT",
    path: "/api/v1/admin/user/custom-pricing/change/:id",
    access: "staff",
    summary: "Raise or lower a customer's own prices by per cent, rounded to the cent: all, or those of one label type",
    params: idParam,
    body: z.object({ percent, labelType: id.optional(), reason }),
    versioned: true,
    idempotent: true,
    reply: priceChanged,
  }),
  previewCopy: endpoint({
    method: "GET",
    path: "/api/v1/admin/user/custom-pricing/copy/:id",
    access: "staff",
    summary: "What copying another customer's prices would add, change or be refused for",
    params: idParam,
    query: z.object({ from: id }),
    reply: PricePlan.extend({ from: namedCustomer }),
  }),
  copy: endpoint({
    method: "POST",
    path: "/api/v1/admin/user/custom-pricing/copy/:id",
    access: "staff",
    summary: "Copy another customer's prices, all or nothing: those of the same weights are changed, others added",
    params: idParam,
    body: z.object({ from: id, reason }),
    versioned: true,
    idempotent: true,
    reply: priceChanged,
  }),
};
