import * as z from "zod";
import { endpoint, id, listQuery, pageCounts, timestamp } from "./endpoint.ts";

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

/** As it travels. */
export type Log = z.input<typeof Log>;
export const Log = z.object({
  _id: id,
  admin: z.object({ username: z.string() }),
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
    summary: "List what was changed, by whom; status filters by type",
    query: listQuery.extend({ status: z.enum(["All", ...logTypes]).default("All") }),
    reply: z.object({ logs: z.array(Log), ...pageCounts }),
  }),
};
