import { queues as contract } from "@footprint/contract/queues.ts";
import { lowStock, trackingTypes } from "@footprint/contract/tracking.ts";
import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { customers, fedexOrders, invoices } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { type Counted, countOf, countsByKind } from "../lists/counters.ts";
import { having, type Listed } from "../lists/list.ts";

export const queueRoutes = routes(contract, {
  async read({ db, actor }) {
    return {
      newUsers: await waiting(db, customers, { subject: "customers", kinds: ["new"] }, isNewcomer),
      fedexOrders: await waiting(db, fedexOrders, { subject: "fedex orders", kinds: ["Pending"] }, isPendingFedexOrder),
      invoices: await waiting(db, invoices, { subject: "invoices", kinds: ["pending"] }, isPendingInvoice),
      codes: actor.role === "admin" ? await lowestStock(db) : null,
    };
  },
});

/** What the sidebar's queues are made of, each by the index that begins with its column. */
const isNewcomer = {
  ...having(customers.active, "true"),
  where: sql`${having(customers.active, "true").where} and ${customers.verifiedAt} is null`,
};
const isPendingFedexOrder = having(fedexOrders.status, "Pending");
const isPendingInvoice = having(invoices.status, "pending");

async function waiting(db: Database, table: Listed, counted: Counted, { column, where }: ReturnType<typeof having>) {
  const first = prepared(db, `oldest of ${counted.subject}`, () =>
    db
      .select({ createdAt: table.createdAt })
      .from(table)
      .where(where)
      .orderBy(column, table.createdAt, table.id)
      .limit(1)
      .prepare(""),
  );
  const [oldest] = await first.execute();
  return { count: await countOf(db, counted), oldest: (oldest?.createdAt as Date | undefined) ?? null };
}

/** Of the types that were ever bought: a type nobody sells is not low. */
async function lowestStock(db: Database) {
  const counts = await countsByKind(db, "tracking codes");
  const stocks = trackingTypes
    .map((type) => ({ type, left: counts[`${type} left`] ?? 0, used: counts[`${type} used`] ?? 0 }))
    .filter(({ left, used }) => left + used > 0)
    .sort((a, b) => a.left - b.left);
  const [lowest] = stocks;
  return lowest ? { ...lowest, low: lowest.left < lowStock } : null;
}
