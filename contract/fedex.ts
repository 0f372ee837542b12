import * as z from "zod";
import { documentTypes, endpoint } from "./endpoint.ts";
import { exportOf } from "./exports.ts";
import {
  address,
  download,
  id,
  idParam,
  listQuery,
  message,
  money,
  namedCustomer,
  pageCounts,
  period,
  timestamp,
} from "./schemas.ts";

const { company, country, ...party } = address;

/** What the update form offers. `In Process` is known and shown, but no call sets it. */
export const offeredStatuses = ["Pending", "Completed", "Cancelled", "Awaiting User Input"] as const;
export const fedexStatuses = [...offeredStatuses, "In Process"] as const;
export const fedexStatus = z.enum(fedexStatuses);

export type FedexOrder = z.input<typeof FedexOrder>;
export const FedexOrder = z.object({
  _id: id,
  uuid: z.string(),
  user: namedCustomer.extend({ discordId: z.string() }),
  price: money.nullable(),
  status: fedexStatus,
  note: z.string(),
  file: z.object({ name: z.string(), size: z.int() }).nullable(),
  createdAt: timestamp,
  from: z.object(party),
  to: z.object(party),
  weight: z.number(),
  length: z.number(),
  width: z.number(),
  height: z.number(),
  dimensionUnit: z.string(),
  weightUnit: z.string(),
  specialNotes: z.string(),
});

/** In a form every value is text, and an empty one means "not given". */
const formMoney = z.preprocess((value) => {
  if (typeof value !== "string") return value;
  if (value.trim() === "") return undefined;
  return /^\s*-?\d*\.?\d*\s*$/.test(value) ? Number(value) : Number.NaN;
}, money.optional());

const list = endpoint({
  method: "GET",
  path: "/api/v1/fed/readAllOrders",
  access: "staff",
  summary: "List Fedex orders; the customer's discord id is for administrators only",
  query: listQuery.extend({
    filter: z.enum(["All", ...fedexStatuses]).default("All"),
    customer: id.optional(),
    ...period,
  }),
  reply: z.object({ docs: z.array(FedexOrder), totalDocs: z.int(), ...pageCounts }),
});

export const fedex = {
  list,
  export: exportOf(list),
  stats: endpoint({
    method: "GET",
    path: "/api/v1/fed/read-stats",
    access: "staff",
    summary: "How many Fedex orders are pending, completed and cancelled",
    reply: z.object({ pending: z.int(), completed: z.int(), cancelled: z.int() }),
  }),
  update: endpoint({
    method: "POST",
    path: "/api/v1/fed/updateOrder/:id",
    access: "staff",
    summary: "Change a Fedex order; every field is optional",
    params: idParam,
    body: z.object({
      status: z.enum(offeredStatuses).optional(),
      note: z.string().trim().max(2000).optional(),
      price: formMoney.refine((cents) => cents === undefined || cents >= 0, "A price is not negative"),
    }),
    upload: { field: "file", maxBytes: 10 * 1024 * 1024, types: documentTypes },
    reply: message,
  }),
  file: endpoint({
    method: "GET",
    path: "/api/v1/fed/file/:id",
    access: "staff",
    summary: "Download the file of a Fedex order, by the order's id",
    params: idParam,
    reply: download,
  }),
};
