import { logs as contract } from "@footprint/contract/logs.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { eq } from "drizzle-orm";
import type * as z from "zod";
import { askedAuthor } from "../accounts/audit.ts";
import { logs } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportList } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";

export const logRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return {
      logs: rows.map(entryOf),
      by: await askedAuthor(db, query.by),
      ...counts,
    };
  },

  export: (call) => exportList(call, list),

  async read({ db, params }) {
    const [row] = await db.select().from(logs).where(eq(logs.id, params.id));
    if (!row) throw refusal(404, "This entry does not exist");
    return { log: entryOf(row) };
  },
});

const entryOf = (row: typeof logs.$inferSelect) => ({
  ...row,
  _id: row.id,
  admin: { username: row.admin, kind: row.actorKind, _id: row.actorId },
  before: row.before as z.core.util.JSONType,
  after: row.after as z.core.util.JSONType,
  subject: row.subjectKind && row.subjectId ? { kind: row.subjectKind, _id: row.subjectId } : null,
  customer: row.customerId,
});

const list = listOf({
  name: "logs",
  table: logs,
  counted: { subject: "logs" },
  searched: { names: [logs.admin, logs.action], codes: [logs.action] },
  filters: ({ subject, customer, by, status }: Filters<typeof contract.list>) => [
    subject && having(logs.subjectId, subject),
    customer && having(logs.customerId, customer),
    by && having(logs.actorId, by),
    status !== "All" && { ...having(logs.type, status), counted: { subject: "logs", kinds: [status] } },
  ],
  select: (db) => db.select().from(logs).$dynamic(),
  columns: {
    Id: logs.id,
    Time: logs.createdAt,
    Who: logs.admin,
    Kind: logs.actorKind,
    Type: logs.type,
    Action: logs.action,
    About: logs.subjectKind,
    "About id": logs.subjectId,
    "Customer id": logs.customerId,
    Before: logs.before,
    After: logs.after,
  },
});
