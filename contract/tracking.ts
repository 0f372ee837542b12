import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { exportChosenOf, exportOf } from "./exports.ts";
import { id, idParam, ids, listQuery, message, outcomes, pageCounts, period, timestamp } from "./schemas.ts";

export const trackingTypes = ["priority", "express", "ground_oz", "ground_lbs"] as const;
export const trackingTemplates = ["evs", "indica", "pitney"] as const;
/** With fewer codes of a type it is time to buy the next range. */
export const lowStock = 100;
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
  query: listQuery.extend({ type: trackingType.optional(), used: z.enum(["true", "false"]).optional(), ...period }),
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
  create: endpoint({
    method: "POST",
    path: "/api/v1/tracking/create",
    access: "admin",
    summary: "Register consecutive codes from the first one of a range, all or nothing",
    body: z.object({
      amount: z.int().min(1).max(10_000),
      type: trackingType,
      trackRef: z
        .string()
        .trim()
        .regex(/^9\d{21}$/, "The first code has 22 digits and begins with 9"),
      template: trackingTemplate,
    }),
    reply: message,
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
