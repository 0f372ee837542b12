import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { exportOf } from "./exports.ts";
import {
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

/** Acts that may need an approval: adding balance, refunding an order, marking an invoice as paid. */
export const approvalActs = ["credit", "refund", "deposit"] as const;
export const approvalAct = z.enum(approvalActs);

/** `failed` means that it was approved but could no longer be done. */
export const approvalStatuses = ["waiting", "approved", "declined", "failed", "expired"] as const;
export const approvalStatus = z.enum(approvalStatuses);

/** A request for something beyond the requester's limit. */
export type Approval = z.input<typeof Approval>;
export const Approval = z.object({
  _id: id,
  act: approvalAct,
  user: namedCustomer,
  amount: money,
  /** The order or the invoice; null for a credit. */
  for: z.object({ kind: z.enum(["order", "invoice"]), _id: id, name: z.string() }).nullable(),
  reason: z.string(),
  by: z.object({ _id: id, username: z.string() }),
  status: approvalStatus,
  /** Who decided, and what they said or why it failed; null while it waits and after it expired. */
  decision: z.object({ by: z.string(), reason: z.string(), at: timestamp }).nullable(),
  expiresAt: timestamp,
  createdAt: timestamp,
});

/** The answer to an act that was done at once or, with `request` and 202, that waits for an approval. */
export const doneOrAsked = message.extend({ request: Approval.optional() });

const list = endpoint({
  method: "GET",
  path: "/api/v1/admin/approvals/read",
  access: "staff",
  summary: "List what waits for an approval, and what became of it; staff see what they asked for themselves",
  query: listQuery.extend({
    status: z.enum(["All", ...approvalStatuses]).default("All"),
    by: id.optional(),
    customer: id.optional(),
    ...period,
  }),
  reply: z.object({ approvals: z.array(Approval), ...pageCounts }),
});

export const approvals = {
  list,
  export: exportOf(list),
  read: endpoint({
    method: "GET",
    path: "/api/v1/admin/approvals/read/:id",
    access: "staff",
    summary: "Read one request for an approval",
    params: idParam,
    reply: z.object({ approval: Approval }),
  }),
  approve: endpoint({
    method: "POST",
    path: "/api/v1/admin/approvals/approve/:id",
    access: "admin",
    summary:
      "Approve what somebody else asked for: it is done at once, exactly once; 409 where it cannot be done any more",
    params: idParam,
    body: z.object({ reason }),
    idempotent: true,
    reply: message,
  }),
  decline: endpoint({
    method: "POST",
    path: "/api/v1/admin/approvals/decline/:id",
    access: "admin",
    summary: "Decline what somebody else asked for, saying why",
    params: idParam,
    body: z.object({ reason: reason.unwrap().min(1, "Say why it is declined") }),
    idempotent: true,
    reply: message,
  }),
};
