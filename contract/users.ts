import * as z from "zod";
import { doneOrAsked } from "./approvals.ts";
import { StandardPrice } from "./custom-prices.ts";
import { endpoint } from "./endpoint.ts";
import { exportChosenOf, exportOf } from "./exports.ts";
import { invoiceStatus, paymentMethod } from "./invoices.ts";
import { tierBounds } from "./label-types.ts";
import { priceChanged } from "./price-preview.ts";
import {
  id,
  idParam,
  ids,
  listQuery,
  message,
  money,
  moneySum,
  outcomes,
  pageCounts,
  period,
  reason,
  timestamp,
} from "./schemas.ts";
import { version } from "./versions.ts";

export type CustomPrice = z.input<typeof CustomPrice>;
export const CustomPrice = z.object({
  _id: id,
  labelType: z.object({ _id: id, name: z.string() }),
  fromWeight: z.number(),
  toWeight: z.number(),
  price: money,
  version,
});

/** A customer: the specification calls customers users. */
export type User = z.input<typeof User>;
export const User = z.object({
  _id: id,
  username: z.string(),
  discordId: z.string(),
  email: z.string(),
  balance: money,
  status: z.boolean(),
  isVerified: z.boolean(),
  customPricingEnabled: z.boolean(),
  customPricing: z.array(CustomPrice),
  createdAt: timestamp,
});

/** An unverified customer, with what helps to judge them. */
export type NewUser = z.input<typeof NewUser>;
const NewUser = User.extend({
  /** The shop that registered them; null if unknown. */
  shop: z.object({ _id: id, name: z.string() }).nullable(),
  /** Paid deposits. */
  deposits: z.int(),
  /** The first deposit they tried. (Orders of unverified customers are refused and leave no trace.) */
  firstInvoice: z
    .object({ _id: id, amount: money, payment_method: paymentMethod, status: invoiceStatus, createdAt: timestamp })
    .nullable(),
});

/** The totals of a customer's transfers. */
const totals = z.object({
  transfers: z.int(),
  orders: z.int(),
  deposits: z.int(),
  refunds: z.int(),
  spent: moneySum,
  /** In the last 30 business days. */
  spentLately: moneySum,
  deposited: moneySum,
  refunded: moneySum,
  lastOrderAt: timestamp.nullable(),
  /** Counted up to 1,000. */
  bulkOrders: z.int(),
  fedexOrders: z.int(),
  invoices: z.int(),
  /** Whether the transfers add up to the balance. */
  agrees: z.boolean(),
  /** The balance at the end of each of the last 30 business days, oldest first. */
  balances: z.array(money),
});

const userList = z.object({ users: z.array(User), ...pageCounts });
const yesOrNo = z.enum(["true", "false"]).optional();
const list = endpoint({
  method: "GET",
  path: "/api/v1/admin/users/read",
  access: "staff",
  summary: "List customers",
  query: listQuery.extend({ verified: yesOrNo, customPricing: yesOrNo, withBalance: yesOrNo, ...period }),
  reply: userList,
});
const listNew = endpoint({
  method: "GET",
  path: "/api/v1/admin/users/readNew",
  access: "staff",
  summary: "List customers who wait for verification; `declined` tells those who were disabled from the others",
  query: listQuery.extend({ declined: yesOrNo, ...period }),
  reply: z.object({ users: z.array(NewUser), ...pageCounts }),
});

export const users = {
  list,
  export: exportOf(list),
  exportChosen: exportChosenOf(list),
  listNew,
  exportNew: exportOf(listNew),
  exportChosenNew: exportChosenOf(listNew),
  read: endpoint({
    method: "GET",
    path: "/api/v1/admin/user/read/:id",
    access: "staff",
    summary: "Read one customer, and what their transfers come to",
    params: idParam,
    reply: z.object({
      user: User.extend({ customPricing: z.array(CustomPrice.extend({ standard: StandardPrice.nullable() })) }),
      totals,
    }),
  }),
  verify: endpoint({
    method: "POST",
    path: "/api/v1/admin/users/verify/:id",
    access: "staff",
    summary: "Verify a customer, once",
    params: idParam,
    reply: message,
  }),
  verifySeveral: endpoint({
    method: "POST",
    path: "/api/v1/admin/users/verify",
    access: "staff",
    summary:
      "Verify up to 100 customers, each by itself: the answer says for each whether it was done, and if not, why",
    body: z.object({ ids }),
    reply: outcomes,
  }),
  setStatus: endpoint({
    method: "PUT",
    path: "/api/v1/admin/user/status/:id",
    access: "staff",
    summary: "Enable or disable a customer: the given value, or the opposite of the present one",
    params: idParam,
    /** A misspelt field would be none, and turn the customer the other way. */
    body: z.strictObject({ status: z.boolean().optional(), reason }),
    reply: message,
  }),
  setStatusOfSeveral: endpoint({
    method: "PUT",
    path: "/api/v1/admin/user/status",
    access: "staff",
    summary: "Enable or disable up to 100 customers, each by itself: the answer says for each what became of it",
    body: z.object({ ids, status: z.boolean(), reason }),
    reply: outcomes,
  }),
  setCustomPricing: endpoint({
    method: "PUT",
    path: "/api/v1/admin/user/custom-pricing/enable/:id",
    access: "staff",
    summary: "Enable or disable custom pricing: the given value, or the opposite of the present one",
    params: idParam,
    body: z.strictObject({ customPricingEnabled: z.boolean().optional() }),
    reply: message,
  }),
  addBalance: endpoint({
    method: "POST",
    path: "/api/v1/admin/users/add-balance/:id",
    access: "staff",
    summary: "Add to a customer's balance; a negative amount is a correction",
    params: idParam,
    body: z.object({
      balance: money
        .refine((cents) => cents !== 0, "Enter an amount other than zero")
        .refine((cents) => Math.abs(cents) <= 100_000_000, "An amount is at most 1,000,000.00"),
      reason,
    }),
    idempotent: true,
    mayAsk: true,
    reply: doneOrAsked,
  }),
  addCustomPrice: endpoint({
    method: "PUT",
    path: "/api/v1/admin/user/custom-pricing/:id",
    access: "staff",
    summary: "Give a customer a price of their own; labelType is the label type's _id",
    params: idParam,
    body: z.object({ labelType: id, ...tierBounds, reason }),
    reply: priceChanged,
  }),
  deleteCustomPrice: endpoint({
    method: "POST",
    path: "/api/v1/admin/user/custom-pricing/delete/:id",
    access: "staff",
    summary: "Delete a custom price by its place in the list; with _id, only where both still match",
    params: idParam,
    body: z.object({ index: z.int().min(0).max(100_000), _id: id.optional(), reason }),
    versioned: true,
    idempotent: true,
    reply: priceChanged,
  }),
};
