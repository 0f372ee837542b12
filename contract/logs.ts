import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { exportOf } from "./exports.ts";
import { id, idParam, listQuery, pageCounts, period, timestamp } from "./schemas.ts";

export const logTypes = [
  "balance",
  "refund",
  "user",
  "pricing",
  "label",
  "tracking",
  "staff",
  "fedex",
  "invoice",
  "website",
  "session",
] as const;
export const logType = z.enum(logTypes);

/** Distinguishes an account from a shop of the same name. Null in old entries. */
export const authorKinds = ["account", "shop", "system", "terminal"] as const;
export const author = z.object({ username: z.string(), kind: z.enum(authorKinds).nullable(), _id: id.nullable() });

/** The account or API key that the `by` of a query refers to, if it exists or existed. */
export const askedAuthor = z.object({ _id: id, username: z.string() }).nullable();

/** What an entry can be about. Settings, including the payment handle, have no id of their own and use `settingsId`. */
export const subjectKinds = [
  "customer",
  "order",
  "bulk order",
  "fedex order",
  "invoice",
  "transfer",
  "label type",
  "price",
  "custom price",
  "tracking codes",
  "account",
  "api key",
  "saved view",
  "unusual event",
  "payment handle",
  "approval",
  "statement",
  "webhook",
  "settings",
] as const;
export const settingsId = "00000000-0000-0000-0000-000000000000";

export type Log = z.input<typeof Log>;
export const Log = z.object({
  _id: id,
  admin: author,
  type: logType,
  action: z.string(),
  before: z.json().nullable(),
  after: z.json().nullable(),
  /** The subject, and the customer concerned. Null in old entries, and if there is none. */
  subject: z.object({ kind: z.enum(subjectKinds), _id: id }).nullable(),
  customer: id.nullable(),
  createdAt: timestamp,
});

const list = endpoint({
  method: "GET",
  path: "/api/v1/admin/logs/read",
  access: "admin",
  summary:
    "List what was changed, by whom; `status` filters by type, `by` by the id of an account or API key, `subject` by the id of what was changed",
  query: listQuery.extend({
    status: z.enum(["All", ...logTypes]).default("All"),
    by: id.optional(),
    subject: id.optional(),
    customer: id.optional(),
    ...period,
  }),
  reply: z.object({
    logs: z.array(Log),
    by: askedAuthor,
    ...pageCounts,
  }),
});

/** The types that an account's owner sees among its actions: accounts and settings. */
export const sensitiveTypes = ["session", "staff", "website"] as const satisfies readonly (typeof logTypes)[number][];

export const logs = {
  list,
  export: exportOf(list),
  read: endpoint({
    method: "GET",
    path: "/api/v1/admin/logs/read/:id",
    access: "admin",
    summary: "Read one entry of the log",
    params: idParam,
    reply: z.object({ log: Log }),
  }),
  chain: endpoint({
    method: "GET",
    path: "/api/v1/admin/logs/chain",
    access: "admin",
    summary:
      "The newest link of the log's chain, to be noted elsewhere; how many entries are in the chain, and how many wait to be",
    reply: z.object({
      link: z.object({ number: z.int(), hash: z.string(), chainedAt: timestamp }).nullable(),
      chained: z.int(),
      waiting: z.int(),
    }),
  }),
  own: endpoint({
    method: "GET",
    path: "/api/v1/auth/activity",
    access: "staff",
    summary: "List what one's own account changed of accounts and settings, newest first",
    query: listQuery.pick({ page: true, limit: true }),
    reply: z.object({ logs: z.array(Log), ...pageCounts }),
  }),
};
