import { logs as contract } from "@footprint/contract/logs.ts";
import { and, eq } from "drizzle-orm";
import type * as z from "zod";
import { logs } from "../db/schema.ts";
import { routes } from "../http.ts";
import { contains, onPage, pageCounts } from "../paging.ts";

export const logRoutes = routes(contract, {
  async list({ db, query }) {
    const kind = query.status === "All" ? undefined : query.status;
    const where = and(kind && eq(logs.type, kind), query.search ? contains(logs.search, query.search) : undefined);
    const rows = await onPage(db.select().from(logs).$dynamic(), logs, query, where);
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
      ...(await pageCounts(db, query, { subject: "logs", kind }, { table: logs, where })),
    };
  },
});
