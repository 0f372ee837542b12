import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { download, id, idParam, message, money, weight } from "./schemas.ts";

export const labelKinds = ["usps", "shipv2", "wwbiz"] as const;
export const labelKind = z.enum(labelKinds);

export type PriceTier = z.input<typeof PriceTier>;
export const PriceTier = z.object({ _id: id, fromWeight: z.number(), toWeight: z.number(), price: money });

export type LabelType = z.input<typeof LabelType>;
export const LabelType = z.object({
  _id: id,
  name: z.string(),
  uid: z.string(),
  maxWeight: z.number(),
  type: labelKind,
  status: z.boolean(),
  prices: z.array(PriceTier),
});

/** A tier covers weights above `fromWeight` up to and including `toWeight`. */
export const tierBounds = {
  fromWeight: weight,
  toWeight: weight,
  price: money
    .refine((cents) => cents >= 0, "A price is not negative")
    .refine((cents) => cents <= 100_000_000, "A price is at most 1,000,000.00"),
};

const definition = z.object({
  name: z.string().trim().min(1, "A label type needs a name").max(100),
  uid: z.string().trim().min(1, "A label type needs a uid").max(100),
  maxWeight: weight.refine((value) => value > 0, "The maximum weight is more than 0"),
  type: labelKind,
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
    reply: message,
  }),
  setStatus: endpoint({
    method: "PUT",
    path: "/api/v1/labeltype/enableDisableLabelType/:id",
    access: "admin",
    summary: "Enable or disable a label type: the given value, or the opposite of the present one",
    params: idParam,
    body: z.object({ status: z.boolean().optional() }),
    reply: message,
  }),
  addTier: endpoint({
    method: "POST",
    path: "/api/v1/labeltype/addweight/:id",
    access: "admin",
    summary: "Add a price tier",
    params: idParam,
    body: z.object(tierBounds),
    reply: message,
  }),
  updateTier: endpoint({
    method: "PUT",
    path: "/api/v1/labeltype/updateWeight/:id",
    access: "admin",
    summary: "Change a price tier",
    params: idParam,
    body: z.object({ price_id: id, ...tierBounds }),
    reply: message,
  }),
  deleteTier: endpoint({
    method: "POST",
    path: "/api/v1/labeltype/deleteWeight/:id",
    access: "admin",
    summary: "Delete the price tier with these bounds",
    params: idParam,
    body: z.object({ fromWeight: weight, toWeight: weight }),
    reply: message,
  }),
};
