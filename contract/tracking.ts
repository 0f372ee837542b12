import * as z from "zod";
import { documentTypes, endpoint } from "./endpoint.ts";
import { exportChosenOf, exportOf } from "./exports.ts";
import { author } from "./logs.ts";
import {
  id,
  idParam,
  ids,
  listQuery,
  message,
  namedCustomer,
  oneLine,
  outcomes,
  pageCounts,
  period,
  timestamp,
} from "./schemas.ts";
import { saved, version } from "./versions.ts";

export const trackingTypes = ["priority", "express", "ground_oz", "ground_lbs"] as const;
export const trackingTemplates = ["evs", "indica", "pitney"] as const;
export const trackingType = z.enum(trackingTypes);
export const trackingTemplate = z.enum(trackingTemplates);

export type TrackingCode = z.input<typeof TrackingCode>;
export const TrackingCode = z.object({
  _id: id,
  code: z.string(),
  used: z.boolean(),
  type: trackingType,
  template: trackingTemplate,
  createdAt: timestamp,
});

/** Where codes came from. */
export const batchNote = z
  .string()
  .trim()
  .max(500, "A note has at most 500 characters")
  .regex(oneLine, "A note is one line of text");
/** A document that shows where codes came from, such as the carrier's bill. */
export const batchFile = { field: "file", maxBytes: 10 * 1024 * 1024, types: documentTypes } as const;

/** Codes that were registered together. */
export type CodeBatch = z.input<typeof CodeBatch>;
export const CodeBatch = z.object({
  _id: id,
  type: trackingType,
  template: trackingTemplate,
  first: z.string(),
  last: z.string(),
  /** How many were registered. Those neither left nor used have been deleted. */
  amount: z.int(),
  left: z.int(),
  used: z.int(),
  /** Where they came from, and the name of a document. */
  note: z.string(),
  file: z.string().nullable(),
  /** Null in old batches, for which it was not stored. */
  by: author.nullable(),
  createdAt: timestamp,
  /** Covers note and file. */
  version,
});

/** When codes of a type count as low: at least a week before new ones have to be ordered. */
export type CodeAlert = z.input<typeof CodeAlert>;
export const CodeAlert = z.object({
  /** Low if they last no longer than this beyond `leadDays`. */
  days: z.int().min(7, "Codes are announced a week before they have to be ordered, or earlier").max(365),
  /** How many days an order of new codes takes. */
  leadDays: z.int().min(0).max(365),
  /** Also low if fewer are left than this; null to go by days only. */
  codes: z.int().min(1).max(1_000_000).nullable(),
});

const day = z.iso.date();

export type Runway = z.input<typeof Runway>;
export const Runway = z.object({
  type: trackingType,
  left: z.int(),
  /** Days until the last code is used, 0 for today; null if none are used, or they last for years. */
  days: z.int().nullable(),
  /** The business day on which the last code is used. */
  emptyOn: day.nullable(),
  /** The last day to order new codes in time. */
  orderBy: day.nullable(),
  isLow: z.boolean(),
  /** Codes used per day, on average over the last 7 and 28 finished days. */
  perDay7: z.number(),
  perDay28: z.number(),
  /** The enabled label types that use them. */
  labelTypes: z.array(z.string()),
  alert: CodeAlert,
  /** Covers `alert`. */
  version,
});

/** A whole number; a form sends it as text. */
const formAmount = z.preprocess(
  (value: number) => (typeof value === "string" && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value),
  z.int().min(1).max(10_000),
);

const carriersCode = z
  .string()
  .trim()
  .regex(/^9\d{21}$/, "A code has 22 digits and begins with 9");

const perType = z.record(trackingType, z.int());

const list = endpoint({
  method: "GET",
  path: "/api/v1/tracking/read",
  access: "admin",
  summary: "List prepaid tracking codes",
  query: listQuery.extend({
    type: trackingType.optional(),
    template: trackingTemplate.optional(),
    batch: id.optional(),
    used: z.enum(["true", "false"]).optional(),
    ...period,
  }),
  reply: z.object({ trackings: z.array(TrackingCode), ...pageCounts }),
});

export const tracking = {
  list,
  export: exportOf(list),
  exportChosen: exportChosenOf(list),
  stats: endpoint({
    method: "GET",
    path: "/api/v1/tracking/stats",
    access: "admin",
    summary: "Codes left and used, per type",
    reply: z.object({ left: perType, used: perType }),
  }),
  runway: endpoint({
    method: "GET",
    path: "/api/v1/tracking/runway",
    access: "admin",
    summary: "For each type how many days its codes last, when to order the next ones, and whether that is soon",
    reply: z.object({ runways: z.array(Runway) }),
  }),
  updateAlert: endpoint({
    method: "PUT",
    path: "/api/v1/tracking/alerts/:type",
    access: "admin",
    summary: "Change when codes of a type are low",
    params: z.object({ type: trackingType }),
    body: CodeAlert,
    versioned: true,
    idempotent: true,
    reply: saved,
  }),
  read: endpoint({
    method: "GET",
    path: "/api/v1/tracking/read/:id",
    access: "admin",
    summary: "Read one code, with the batch it was registered in and the order that carries it",
    params: idParam,
    reply: z.object({
      tracking: TrackingCode.extend({ usedAt: timestamp.nullable() }),
      /** Null for codes from before there were batches. */
      batch: CodeBatch.nullable(),
      order: z.object({ _id: id, uuid: z.string(), user: namedCustomer, createdAt: timestamp }).nullable(),
    }),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/tracking/create",
    access: "admin",
    summary: "Register consecutive codes from the first one of a range, all or nothing, and where they came from",
    body: z.object({
      amount: formAmount,
      type: trackingType,
      trackRef: z
        .string()
        .trim()
        .regex(/^9\d{21}$/, "The first code has 22 digits and begins with 9"),
      template: trackingTemplate,
      note: batchNote.default(""),
    }),
    upload: batchFile,
    reply: message.extend({ batch: id }),
  }),
  delete: endpoint({
    method: "DELETE",
    path: "/api/v1/tracking/delete/:id",
    access: "admin",
    summary: "Delete a tracking code, used or not",
    params: idParam,
    reply: message,
  }),
  deleteSeveral: endpoint({
    method: "POST",
    path: "/api/v1/tracking/delete",
    access: "admin",
    summary: "Delete up to 100 unused codes, each by itself: the answer says for each whether it was done",
    body: z.object({ ids }),
    reply: outcomes,
  }),
  deleteRange: endpoint({
    method: "POST",
    path: "/api/v1/tracking/delete-range",
    access: "admin",
    summary: "Delete the codes from one to another, up to 10,000 numbers; nothing where one of them is used",
    body: z.object({ first: carriersCode, last: carriersCode }),
    reply: message.extend({ deleted: z.int() }),
  }),
};
