import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { exportChosenOf, exportOf } from "./exports.ts";
import {
  id,
  idParam,
  ids,
  listQuery,
  message,
  money,
  namedCustomer,
  outcomes,
  pageCounts,
  period,
  reason,
  timestamp,
} from "./schemas.ts";
import { saved, version } from "./versions.ts";

/**
 * The rules for unusual events. A customer's spending or refunds of a day, or an account's credits, are unusual if they
 * are more than `timesUsual` those of other days.
 */
export const unusualRules = ["spend", "refunds", "credits", "address", "deposits", "night", "prices"] as const;
export const unusualRule = z.enum(unusualRules);
export type UnusualRule = (typeof unusualRules)[number];

/** These rules have sums; `prices` has per cent, and the others numbers of orders. */
export const moneyRules: readonly UnusualRule[] = ["spend", "refunds", "credits", "deposits"];

export const timesUsual = 3;
/** "Usual" is the average of so many days before, without days on which there was nothing. */
export const usualDays = 28;
/** Spending has a usual amount only if so many of these days had any. */
export const leastSpendDays = 3;
/** How many days a customer counts as new, and the hour at which the night ends. */
export const newForDays = 7;
export const nightEnds = 5;
/** The default for price changes: larger ones, in per cent, need a confirmation and are unusual. */
export const usualChange = 30;
/** A deposit that is not used within so many days is unusual. */
export const idleDays = 3;

export type UnusualEvent = z.input<typeof UnusualEvent>;
const UnusualEvent = z.object({
  _id: id,
  rule: unusualRule,
  /** The business day it belongs to. */
  day: z.iso.date(),
  /** The name at that time: of a customer, an account or an address. */
  name: z.string(),
  user: namedCustomer.nullable(),
  account: namedCustomer.nullable(),
  /**
   * What was seen and what is usual, in dollars, per cent or orders, depending on the rule. Null if the rule has no
   * usual amount.
   */
  seen: z.number(),
  usual: z.number().nullable(),
  /** The first orders concerned, for rules about orders. */
  orders: z.array(id),
  dismissed: z.object({ by: z.string(), reason: z.string(), at: timestamp }).nullable(),
  createdAt: timestamp,
});

const list = endpoint({
  method: "GET",
  path: "/api/v1/admin/unusual/read",
  access: "admin",
  summary: "List what looked unusual, by plain rules; days are those on which it was noticed",
  query: listQuery.extend({
    status: z.enum(["All", "open", "dismissed"]).default("All"),
    rule: unusualRule.optional(),
    customer: id.optional(),
    ...period,
  }),
  reply: z.object({ events: z.array(UnusualEvent), ...pageCounts }),
});

const why = reason.unwrap().min(1, "Say why it may be dismissed");

/** The threshold of a rule; null switches it off. */
const leastMoney = money
  .refine((cents) => cents > 0, "The least is more than 0")
  .refine((cents) => cents <= 100_000_000_000, "The least is at most 1,000,000,000.00")
  .nullable();
const leastOrders = z.int().min(1, "The least is 1").max(1_000_000, "The least is at most 1,000,000").nullable();
export type UnusualRules = z.input<typeof UnusualRules>;
const UnusualRules = z.object({
  spend: leastMoney,
  refunds: leastMoney,
  credits: leastMoney,
  address: leastOrders,
  deposits: leastMoney,
  night: leastOrders,
  /** In per cent; larger changes are unusual. */
  prices: z.int().min(1, "The least is 1").max(1_000, "The least is at most 1,000").nullable(),
});

export const unusual = {
  list,
  export: exportOf(list),
  exportChosen: exportChosenOf(list),
  read: endpoint({
    method: "GET",
    path: "/api/v1/admin/unusual/read/:id",
    access: "admin",
    summary: "Read what looked unusual",
    params: idParam,
    reply: z.object({ event: UnusualEvent }),
  }),
  dismiss: endpoint({
    method: "POST",
    path: "/api/v1/admin/unusual/dismiss/:id",
    access: "admin",
    summary: "Dismiss what looked unusual, saying why",
    params: idParam,
    /** `seen` is what the caller saw: 409 if it has grown since. */
    body: z.object({ reason: why, seen: z.number().optional() }),
    idempotent: true,
    reply: message,
  }),
  dismissSeveral: endpoint({
    method: "POST",
    path: "/api/v1/admin/unusual/dismiss",
    access: "admin",
    summary: "Dismiss several for one reason; those that are dismissed already are refused one by one",
    body: z.object({ ids, reason: why }),
    idempotent: true,
    reply: outcomes,
  }),
  rules: endpoint({
    method: "GET",
    path: "/api/v1/admin/unusual/rules",
    access: "admin",
    summary: "From how many dollars, orders or per cent on each rule speaks up; null where it is switched off",
    reply: z.object({ rules: UnusualRules, version }),
  }),
  updateRules: endpoint({
    method: "PUT",
    path: "/api/v1/admin/unusual/rules",
    access: "admin",
    sensitive: true,
    summary: "Change from how much on rules speak up; null switches one off, what is not given stays",
    body: UnusualRules.partial(),
    versioned: true,
    idempotent: true,
    reply: saved,
  }),
};
