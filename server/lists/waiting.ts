import type { Role } from "@footprint/contract/session.ts";
import { and, eq, gt, min, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { literal, prepared } from "../db/prepared.ts";
import { approvals, customers, fedexOrders, invoices, settings } from "../db/schema.ts";
import { type Counted, countedValues, countIn } from "./counters.ts";
import { having, type Listed } from "./list.ts";

// The rows that wait in the desk's queues. Each condition has an index that begins with its column.
const isNewcomer = {
  ...having(customers.active, "true"),
  where: sql`${having(customers.active, "true").where} and ${customers.verifiedAt} is null`,
};
const isPendingFedexOrder = having(fedexOrders.status, "Pending");
const isPendingInvoice = having(invoices.status, "pending");

export const waitingNewcomers = (db: Database) =>
  waiting(db, customers, { subject: "customers", kinds: ["new"] }, isNewcomer);

export const waitingFedexOrders = (db: Database) =>
  waiting(db, fedexOrders, { subject: "fedex orders", kinds: ["Pending"] }, isPendingFedexOrder);

export const waitingInvoices = (db: Database) =>
  waiting(db, invoices, { subject: "invoices", kinds: ["pending"] }, isPendingInvoice);

/** All requests for administrators, their own for staff. Null if there are none and requests are switched off. */
export async function waitingApprovals(db: Database, actor: { id: string; role: Role }) {
  const whose = actor.role === "admin" ? "all" : "own";
  const asked = prepared(db, `waiting approvals, ${whose}`, () =>
    db
      .select({
        count: sql<number>`count(*)::int`,
        oldest: min(approvals.createdAt),
        isOn: sql<boolean | null>`(select ${settings.staffApprovals} from ${settings})`,
      })
      .from(approvals)
      .where(
        and(
          eq(approvals.status, "waiting"),
          gt(approvals.expiresAt, sql`now()`),
          whose === "own" ? eq(approvals.askedBy, sql.placeholder("id")) : undefined,
        ),
      )
      .prepare(""),
  );
  const [first] = await asked.execute({ id: actor.id });
  const { count = 0, oldest = null, isOn = false } = first ?? {};
  return count > 0 || isOn ? { count, oldest } : null;
}

/** How many rows wait, and since when the oldest does. */
async function waiting(db: Database, table: Listed, counted: Counted, { column, where }: ReturnType<typeof having>) {
  const query = prepared(db, `waiting ${counted.subject}`, () => {
    const oldest = db
      .select({ createdAt: table.createdAt })
      .from(table)
      .where(where)
      .orderBy(column, table.createdAt, table.id)
      .limit(literal(1) as never);
    return db
      .select({ count: countIn({}), oldest: sql<Date | null>`(${oldest})`.mapWith(table.createdAt) })
      .from(sql`(values (1)) as one`)
      .prepare("");
  });
  const [found] = await query.execute(countedValues(counted, {}));
  return { count: found?.count ?? 0, oldest: (found?.oldest as Date | null | undefined) ?? null };
}
