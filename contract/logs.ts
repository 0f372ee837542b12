import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { id, listQuery, pageCounts, timestamp } from "./schemas.ts";

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

/** Tells an account from a shop of the same name. Null in old entries. */
export const authorKinds = ["account", "shop", "system", "terminal"] as const;
const authorKind = z.enum(authorKinds);

export type Log = z.input<typeof Log>;
export const Log = z.object({
  _id: id,
  admin: z.object({ username: z.string(), kind: authorKind.nullable(), _id: id.nullable() }),
  type: logType,
  action: z.string(),
  before: z.json().nullable(),
  after: z.json().nullable(),
  createdAt: timestamp,
});

export const logs = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/admin/logs/read",
    access: "admin",
    summary: "List what was changed, by whom; `status` filters by type, `by` by the id of an account or API key",
    query: listQuery.extend({ status: z.enum(["All", ...logTypes]).default("All"), by: id.optional() }),
    reply: z.object({
      logs: z.array(Log),
      /** The account or API key that `by` names, if there is or was one. */
      by: z.object({ _id: id, username: z.string() }).nullable(),
      ...pageCounts,
    }),
  }),
};
