import { logs as contract } from "@footprint/contract/logs.ts";
import { and, desc, eq, ne } from "drizzle-orm";
import type * as z from "zod";
import type { Database } from "../db/database.ts";
import { accounts, logs } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { listPage, pageOfNarrowed } from "../lists/paging.ts";

export const logRoutes = routes(contract, {
  async list({ db, query }) {
    const kind = query.status === "All" ? undefined : query.status;
    const list = {
      table: logs,
      query,
      filter: kind && eq(logs.type, kind),
      counted: { subject: "logs" as const, kind },
      searched: { names: [logs.admin, logs.action], codes: [logs.action] },
    };
    const select = () => db.select().from(logs).$dynamic();
    const { rows, ...counts } = query.by
      ? await pageOfNarrowed(db, select, list, eq(logs.actorId, query.by))
      : await listPage(db, select, list);
    return {
      logs: rows.map((row) => ({
        ...row,
        _id: row.id,
        admin: { username: row.admin, kind: row.actorKind, _id: row.actorId },
        before: row.before as z.core.util.JSONType,
        after: row.after as z.core.util.JSONType,
      })),
      by: query.by ? await nameOf(db, query.by) : null,
      ...counts,
    };
  },
});

/** The account's name now; of one that is gone, and of a shop, the last one that it made a change under. */
async function nameOf(db: Database, id: string) {
  const [account] = await db.select({ username: accounts.username }).from(accounts).where(eq(accounts.id, id));
  const [entry] = account
    ? []
    : await db
        .select({ username: logs.admin })
        .from(logs)
        .where(and(eq(logs.actorId, id), ne(logs.actorKind, "system")))
        .orderBy(desc(logs.createdAt), desc(logs.id))
        .limit(1);
  const username = account?.username ?? entry?.username;
  return username === undefined ? null : { _id: id, username };
}
