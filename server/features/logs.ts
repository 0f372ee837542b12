import { logs as contract, sensitiveTypes } from "@footprint/contract/logs.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { eq, sql } from "drizzle-orm";
import type * as z from "zod";
import { askedAuthor } from "../accounts/audit.ts";
import { newestLink } from "../accounts/log-chain.ts";
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

  chain: ({ db }) => newestLink(db),

  async own({ db, query, actor }) {
    const asked = { ...query, sort: "des", search: "", by: actor.id } as const;
    const { rows, ...counts } = await pageOf(db, ownActs, asked);
    return { logs: rows.map(entryOf), ...counts };
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

/** Written exactly as in the index logs_sensitive_of_actor, which would otherwise not be used. */
const isSensitive = sql.raw(`type in (${sensitiveTypes.map((type) => `'${type}'`).join(", ")})`);

/**
 * Leaves out sign-ins, which have a list of their own, saved views, which concern nobody else, and the program's own
 * entries about an account.
 */
const isAct = sql`${logs.actorKind} is distinct from 'system' and ${logs.subjectKind} is distinct from 'saved view'
  and not starts_with(${logs.action}, ${logs.admin} || ' signed in') and ${logs.action} <> ${logs.admin} || ' signed out'`;

const ownActs = listOf({
  ...list,
  name: "own-acts",
  filters({ by }: { by: string }) {
    const { column, where } = having(logs.actorId, by);
    return [
      { column, where: sql`${where} and ${isSensitive}` },
      { where: isAct, hasNoIndex: true },
    ];
  },
});
