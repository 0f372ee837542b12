import { logs as contract } from "@footprint/contract/logs.ts";
import { eq } from "drizzle-orm";
import type * as z from "zod";
import { logs } from "../db/schema.ts";
import { routes } from "../http.ts";
import { listPage } from "../paging.ts";

export const logRoutes = routes(contract, {
  async list({ db, query }) {
    const kind = query.status === "All" ? undefined : query.status;
    const { rows, ...counts } = await listPage(db, () => db.select().from(logs).$dynamic(), {
      table: logs,
      query,
      filter: kind && eq(logs.type, kind),
      counted: { subject: "logs", kind },
      searched: { names: [logs.admin, logs.action], codes: [logs.action] },
    });
    return {
      logs: rows.map((row) => ({
        _id: row.id,
        admin: { username: row.admin },
        type: row.type,
        action: row.action,
        before: row.before as z.core.util.JSONType,
        after: row.after as z.core.util.JSONType,
        createdAt: row.createdAt,
      })),
      ...counts,
    };
  },
});
