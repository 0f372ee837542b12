import * as z from "zod";
import { documentTypes, endpoint } from "./endpoint.ts";
import { exportOf } from "./exports.ts";
import { author } from "./logs.ts";
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
  reason,
  timestamp,
} from "./schemas.ts";
import { saved, version } from "./versions.ts";

const { company, country, ...party } = address;

/** The statuses in the update form. `In Process` means that somebody has claimed the order. */
export const offeredStatuses = ["Pending", "Completed", "Cancelled", "Awaiting User Input"] as const;
export const fedexStatuses = [...offeredStatuses, "In Process"] as const;
export const fedexStatus = z.enum(fedexStatuses);
/** Statuses in which somebody still has to work on the order. */
export const openStatuses = ["Pending", "Awaiting User Input", "In Process"] as const;

/** Who works on an order, and until when. */
const claim = z.object({ by: z.object({ _id: id, username: z.string() }), until: timestamp });

export type FedexOrder = z.input<typeof FedexOrder>;
export const FedexOrder = z.object({
  _id: id,
  uuid: z.string(),
  user: namedCustomer.extend({ discordId: z.string() }),
  price: money.nullable(),
  status: fedexStatus,
  note: z.string(),
  file: z.object({ _id: id, name: z.string(), size: z.int() }).nullable(),
  /** Covers status, price, note and file, but not claims. */
  version,
  /** Null if nobody works on it, or the claim has expired. */
  claim: claim.nullable(),
  /** When the price was taken from the customer's balance. */
  chargedAt: timestamp.nullable(),
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

/** A change of a value; for a note only the fact. */
const change = <T extends z.ZodType>(value: T) => z.object({ from: value, to: value }).optional();
const timelineEntry = z.object({
  _id: id,
  what: z.enum(["created", "claimed", "prolonged", "released", "expired", "changed", "charged", "reversed"]),
  /** Null if unknown. */
  by: author.nullable(),
  createdAt: timestamp,
  status: change(z.string()),
  price: change(money.nullable()),
  file: change(z.string().nullable()),
  note: z.boolean().optional(),
  /** The amount charged or given back. */
  amount: money.optional(),
});

/** Another order with the same file, byte for byte. */
const sameFile = z.object({ _id: id, uuid: z.string(), receiver: z.string() });

/** Everything about one Fedex order. */
export type FedexStory = z.input<typeof FedexStory>;
const FedexStory = z.object({
  order: FedexOrder,
  customer: z.object({ _id: id, username: z.string(), balance: money }),
  /** The transfer that paid for it. */
  charge: z.object({ transfer: id, amount: money, by: author, createdAt: timestamp }).nullable(),
  /** Oldest first; if there are very many, the newest of them. */
  timeline: z.array(timelineEntry),
  /** Parcels of nearly the same weight, newest first, and the usual price; null if there are too few. */
  similar: z.array(
    z.object({
      _id: id,
      uuid: z.string(),
      weight: z.number(),
      weightUnit: z.string(),
      city: z.string(),
      state: z.string(),
      price: money,
      createdAt: timestamp,
    }),
  ),
  usualPrice: z.object({ low: money, high: money }).nullable(),
  sameFile: z.array(sameFile),
});

/** In a form every value is text, and an empty one means "not given". */
const formMoney = z.preprocess((value) => {
  if (typeof value !== "string") return value;
  if (value.trim() === "") return undefined;
  return /^\s*-?\d*\.?\d*\s*$/.test(value) ? Number(value) : Number.NaN;
}, money.optional());

/** A list of names; in a form one text, separated by commas. */
const removable = ["price", "note", "file"] as const;
const formNames = z.preprocess(
  (value) => (typeof value === "string" ? value.split(",").flatMap((name) => name.trim() || []) : value),
  z.array(z.enum(removable)).max(removable.length).default([]),
);

const list = endpoint({
  method: "GET",
  path: "/api/v1/fed/readAllOrders",
  access: "staff",
  summary:
    "List Fedex orders; `Open` are those that are neither completed nor cancelled; the customer's discord id is for administrators only",
  query: listQuery.extend({
    filter: z.enum(["All", "Open", ...fedexStatuses]).default("All"),
    customer: id.optional(),
    ...period,
  }),
  reply: z.object({ docs: z.array(FedexOrder), totalDocs: z.int(), ...pageCounts }),
});

export const fedex = {
  list,
  export: exportOf(list),
  read: endpoint({
    method: "GET",
    path: "/api/v1/fed/read/:id",
    access: "staff",
    summary: "Read one Fedex order and its story: customer, what happened, what similar parcels cost",
    params: idParam,
    reply: FedexStory,
  }),
  stats: endpoint({
    method: "GET",
    path: "/api/v1/fed/read-stats",
    access: "staff",
    summary:
      "How many Fedex orders are pending, completed and cancelled, in process and awaiting the customer; how many were completed today, and cancelled this week",
    reply: z.object({
      pending: z.int(),
      completed: z.int(),
      cancelled: z.int(),
      inProcess: z.int(),
      awaitingInput: z.int(),
      completedToday: z.int(),
      cancelledThisWeek: z.int(),
    }),
  }),
  update: endpoint({
    method: "POST",
    path: "/api/v1/fed/updateOrder/:id",
    access: "staff",
    summary:
      "Change a Fedex order; every field is optional; `remove` names what is taken away again: price, note, file; another status ends a claim",
    params: idParam,
    body: z.object({
      status: z.enum(offeredStatuses).optional(),
      note: z.string().trim().max(2000).optional(),
      price: formMoney.refine((cents) => cents === undefined || cents >= 0, "A price is not negative"),
      remove: formNames,
    }),
    upload: { field: "file", maxBytes: 10 * 1024 * 1024, types: documentTypes },
    /** The answer names other orders with the same file, and anything else to check. */
    versioned: true,
    idempotent: true,
    reply: saved.extend({ sameFile: z.array(sameFile).optional(), warning: z.string().optional() }),
  }),
  file: endpoint({
    method: "GET",
    path: "/api/v1/fed/file/:id",
    access: "staff",
    summary: "Download the file of a Fedex order, by the order's id",
    params: idParam,
    reply: download,
  }),
  claim: endpoint({
    method: "POST",
    path: "/api/v1/fed/claim/:id",
    access: "staff",
    summary:
      "Take an open Fedex order to work on, for 15 minutes, or prolong that; a pending one is in process meanwhile",
    params: idParam,
    reply: message.extend({ claim }),
  }),
  release: endpoint({
    method: "POST",
    path: "/api/v1/fed/release/:id",
    access: "staff",
    summary: "Give a claimed Fedex order back; one in process is pending again",
    params: idParam,
    reply: message,
  }),
  charge: endpoint({
    method: "POST",
    path: "/api/v1/fed/charge/:id",
    access: "staff",
    summary:
      "Take a Fedex order's price from the customer's balance, once; reversing the transfer gives it back. `price` is what the caller saw: another is 409",
    params: idParam,
    body: z.object({ reason, price: money.optional() }),
    idempotent: true,
    reply: message,
  }),
};
