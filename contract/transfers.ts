import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { exportOf } from "./exports.ts";
import { paymentMethod } from "./invoices.ts";
import { askedAuthor, author } from "./logs.ts";
import {
  id,
  idParam,
  inQuery,
  listQuery,
  message,
  money,
  moneySum,
  pageCounts,
  period,
  reason,
  timestamp,
} from "./schemas.ts";

export const transferKinds = ["deposit", "purchase", "refund", "adjustment", "reversal"] as const;
export const transferKind = z.enum(transferKinds);

/** What a transfer was for. */
const purpose = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("order"),
    _id: id,
    uuid: z.string(),
    labelType: z.string(),
    weight: z.number(),
    /** Null if unknown. */
    custom: z.boolean().nullable(),
  }),
  z.object({ kind: z.literal("bulk order"), _id: id, uuid: z.string(), orderCount: z.int() }),
  z.object({ kind: z.literal("fedex order"), _id: id, uuid: z.string() }),
  z.object({ kind: z.literal("invoice"), _id: id, payment_method: z.string() }),
  /** The transfer that a reversal reverses. */
  z.object({ kind: z.literal("transfer"), _id: id, of: transferKind, createdAt: timestamp }),
]);

/** One change of a balance. */
export type Transfer = z.input<typeof Transfer>;
export const Transfer = z.object({
  _id: id,
  kind: transferKind,
  amount: money,
  balanceAfter: money,
  /** Null for an adjustment. */
  for: purpose.nullable(),
  reason: z.string(),
  by: author,
  /** The transfer that this one reverses, and the one that reversed this one. */
  reverses: id.nullable(),
  reversedBy: id.nullable(),
  createdAt: timestamp,
});

const kindQuery = { kind: z.enum(["All", ...transferKinds]).default("All") };

/** All transfers of a customer, in order. */
const history = endpoint({
  method: "GET",
  path: "/api/v1/admin/user/transfers/:id",
  access: "staff",
  summary: "List what changed a customer's balance, with the balance after each change",
  params: idParam,
  query: listQuery.omit({ search: true }).extend({ ...kindQuery, ...period, by: id.optional() }),
  reply: z.object({
    transfers: z.array(Transfer),
    by: askedAuthor,
    ...pageCounts,
    /** What came in and went out over the given days; null if the list has other filters. */
    sums: z.object({ in: moneySum, out: moneySum }).nullable(),
  }),
});

/** Money that people moved: everything except purchases. */
const list = endpoint({
  method: "GET",
  path: "/api/v1/admin/transfers/read",
  access: "staff",
  summary:
    "List deposits, refunds, adjustments and reversals of all customers; `over` leaves out smaller amounts, `reversed=false` what was taken back",
  query: listQuery.omit({ search: true }).extend({
    kind: z.enum(["All", "deposit", "refund", "adjustment", "reversal"]).default("All"),
    ...period,
    by: id.optional(),
    customer: id.optional(),
    over: inQuery(z.number().min(0).max(1e10)).optional(),
    method: paymentMethod.optional(),
    reason,
    reversed: z.literal("false").optional(),
  }),
  reply: z.object({
    transfers: z.array(Transfer.extend({ user: z.object({ _id: id, username: z.string() }) })),
    by: askedAuthor,
    ...pageCounts,
  }),
});

export const transfers = {
  history,
  exportHistory: exportOf(history),
  list,
  export: exportOf(list),
  reverse: endpoint({
    method: "POST",
    path: "/api/v1/admin/transfer/reverse/:id",
    access: "staff",
    summary:
      "Take an adjustment, a deposit or the charge of a Fedex order back, once; the invoice can be marked as paid again, the Fedex order charged",
    params: idParam,
    body: z.object({ reason }),
    idempotent: true,
    reply: message,
  }),
};
