import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { PastedLine, PriceOverview, PricePreview, PriceWarning, priceChanged, TierChange } from "./price-preview.ts";
import { download, id, idParam, message, money, oneLine, reason, weight } from "./schemas.ts";
import { trackingType } from "./tracking.ts";
import { saved, version } from "./versions.ts";

export const labelKinds = ["usps", "shipv2", "wwbiz"] as const;
export const labelKind = z.enum(labelKinds);

export type PriceTier = z.input<typeof PriceTier>;
export const PriceTier = z.object({ _id: id, fromWeight: z.number(), toWeight: z.number(), price: money, version });

export type LabelType = z.input<typeof LabelType>;
export const LabelType = z.object({
  _id: id,
  name: z.string(),
  uid: z.string(),
  maxWeight: z.number(),
  type: labelKind,
  /** The type of prepaid codes for its labels; null if they carry the shop's own tracking. */
  codes: trackingType.nullable(),
  status: z.boolean(),
  prices: z.array(PriceTier),
  /** Covers name, uid, maxWeight, type and codes. */
  version,
});

/** A tier covers weights above `fromWeight` up to and including `toWeight`. */
export const tierBounds = {
  fromWeight: weight,
  toWeight: weight,
  price: money
    .refine((cents) => cents >= 0, "A price is not negative")
    .refine((cents) => cents <= 100_000_000, "A price is at most 1,000,000.00"),
};

/** More than anybody could read; limits the size of lists with prices. */
export const mostTiers = 200;

const table = z.array(z.object(tierBounds)).max(mostTiers, `At most ${mostTiers} prices`);

/** When the change takes effect, in the business timezone unless another is given. */
const at = z.iso
  .datetime({ local: true, offset: true })
  .max(40)
  .refine((text) => text >= "2000" && text < "2100", "There is no such moment")
  .refine((text) => !/[+-](1[6-9]|2\d):?\d\d$/.test(text), "There is no such timezone")
  .optional();

const definition = z.object({
  name: z.string().trim().min(1, "A label type needs a name").max(100).regex(oneLine, "A name is one line of text"),
  uid: z.string().trim().min(1, "A label type needs a uid").max(100).regex(oneLine, "A uid is one line of text"),
  maxWeight: weight.refine((value) => value > 0, "The maximum weight is more than 0"),
  type: labelKind,
  /**
   * If left out, a new label type takes the codes that its uid names, and an existing one keeps its own as long as uid
   * and type stay.
   */
  codes: trackingType.nullable().optional(),
});

export const labelTypes = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/labeltype/read",
    access: "staff",
    summary: "List all label types with their prices",
    reply: z.object({ labelTypes: z.array(LabelType) }),
  }),
  export: endpoint({
    method: "GET",
    path: "/api/v1/labeltype/read/export",
    access: "admin",
    summary: "All label types as CSV, with a row for each price",
    reply: download,
  }),
  read: endpoint({
    method: "GET",
    path: "/api/v1/labeltype/read/:id",
    access: "staff",
    summary: "Read one label type",
    params: idParam,
    reply: z.object({ labelType: LabelType }),
  }),
  inUse: endpoint({
    method: "GET",
    path: "/api/v1/labeltype/in-use/:id",
    access: "admin",
    summary: "What depends on a label type: its tiers, custom prices for it, and its orders of the last 30 days",
    params: idParam,
    reply: z.object({
      tiers: z.int(),
      /** Counted up to 1,000. */
      customPrices: z.int(),
      orders: z.int(),
      /** Scheduled changes of its prices. */
      scheduled: z.int(),
    }),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/labeltype/create",
    access: "admin",
    summary: "Create a label type",
    body: definition,
    reply: message,
  }),
  update: endpoint({
    method: "POST",
    path: "/api/v1/labeltype/update/:id",
    access: "admin",
    summary: "Change a label type",
    params: idParam,
    body: definition,
    versioned: true,
    idempotent: true,
    reply: saved.extend({ warnings: z.array(PriceWarning) }),
  }),
  setStatus: endpoint({
    method: "PUT",
    path: "/api/v1/labeltype/enableDisableLabelType/:id",
    access: "admin",
    summary: "Enable or disable a label type: the given value, or the opposite of the present one",
    params: idParam,
    body: z.strictObject({ status: z.boolean().optional() }),
    reply: message,
  }),
  overview: endpoint({
    method: "GET",
    path: "/api/v1/labeltype/prices/:id",
    access: "admin",
    summary: "What was sold at each price in the last 30 days, when it changed, and which changes are scheduled",
    params: idParam,
    reply: PriceOverview,
  }),
  preview: endpoint({
    method: "POST",
    path: "/api/v1/labeltype/preview/:id",
    access: "admin",
    summary:
      "What other prices would have meant for the orders of the last 30 days, and what deserves a second look; changes nothing",
    params: idParam,
    /** The whole new table. */
    body: z.object({ prices: table }),
    reply: z.object({ preview: PricePreview, warnings: z.array(PriceWarning) }),
  }),
  paste: endpoint({
    method: "POST",
    path: "/api/v1/labeltype/paste/:id",
    access: "admin",
    summary: "Read a table of prices as it comes from a spreadsheet, and tell what it would change; changes nothing",
    params: idParam,
    body: z.object({ text: z.string().max(20_000, "A table has at most 20,000 characters") }),
    reply: z.object({
      /** The prices read from the lines, for `replaceWeights`. If lines were refused there is no preview. */
      prices: z.array(z.object({ fromWeight: z.number(), toWeight: z.number(), price: money })),
      refused: z.array(PastedLine),
      changes: z.array(TierChange),
      preview: PricePreview.nullable(),
      warnings: z.array(PriceWarning),
      version,
    }),
  }),
  replaceTiers: endpoint({
    method: "POST",
    path: "/api/v1/labeltype/replaceWeights/:id",
    access: "admin",
    summary: "Replace all price tiers, at once or from a moment on: all or nothing",
    params: idParam,
    body: z.object({ prices: table, reason, at }),
    versioned: true,
    idempotent: true,
    reply: priceChanged,
  }),
  withdraw: endpoint({
    method: "POST",
    path: "/api/v1/labeltype/withdrawScheduled/:id",
    access: "admin",
    summary: "Take back a scheduled change of prices, or dismiss one that failed",
    params: idParam,
    body: z.object({ reason }),
    idempotent: true,
    reply: message,
  }),
  addTier: endpoint({
    method: "POST",
    path: "/api/v1/labeltype/addweight/:id",
    access: "admin",
    summary: "Add a price tier",
    params: idParam,
    body: z.object({ ...tierBounds, reason }),
    reply: priceChanged,
  }),
  updateTier: endpoint({
    method: "PUT",
    path: "/api/v1/labeltype/updateWeight/:id",
    access: "admin",
    summary: "Change a price tier, at once or from a moment on",
    params: idParam,
    body: z.object({ price_id: id, ...tierBounds, reason, at }),
    versioned: true,
    idempotent: true,
    reply: saved.extend(priceChanged.shape),
  }),
  deleteTier: endpoint({
    method: "POST",
    path: "/api/v1/labeltype/deleteWeight/:id",
    access: "admin",
    summary: "Delete the price tier with these bounds; with price_id, only where both still match",
    params: idParam,
    body: z.object({ fromWeight: weight, toWeight: weight, price_id: id.optional(), reason }),
    versioned: true,
    idempotent: true,
    reply: priceChanged,
  }),
};
