import { search as contract } from "@footprint/contract/search.ts";
import { eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { PgSelect } from "drizzle-orm/pg-core";
import type { Actor } from "../accounts/sessions.ts";
import type { Database } from "../db/database.ts";
import {
  accounts,
  bulkOrders,
  customers,
  fedexOrders,
  invoices,
  labelTypes,
  orders,
  trackingCodes,
} from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { inOrder, type List } from "../lists/list.ts";
import { newestHits } from "../lists/paging.ts";
import type { LookedUp } from "../lists/search.ts";
import { foundStaff, searched, searchedFedexOrders } from "../lists/searched.ts";

/** Of each kind, the newest. */
const few = 5;
/** Beyond so many hits nobody counts on: the list says it more exactly. So many are read at once, or looked for one by one. */
const most = { mostHits: 100, few: 500, rowByRow: 10_000 };
/** One letter is in almost everything. */
const fewestLetters = 2;

export const searchRoutes = routes(contract, {
  async find({ db, query: { q }, actor, refuseIfGone }) {
    if ([...q].length < fewestLetters) return nothing;
    const isAdmin = actor.role === "admin";
    const lookedUp: LookedUp = new Map();
    // Whoever typed on has hung up.
    const found = <S extends PgSelect>(list: Sought<S>) => {
      refuseIfGone();
      return newestHits(db, list, q, { limit: few, lookedUp, ...most });
    };
    // One after the other: whoever types has a few calls under way, and the connections are everybody's.
    return {
      customers: await found(soughtCustomers),
      orders: await found(soughtOrders),
      bulkOrders: await found(soughtBulkOrders),
      fedexOrders: await found(soughtFedexOrders(actor)),
      invoices: await found(soughtInvoices),
      trackings: isAdmin ? await found(soughtTrackingCodes) : none,
      staff: isAdmin ? await staffFound(db, q) : none,
    };
  },
});

const none = { rows: [], total: 0, totalCapped: false };
const nothing = {
  customers: none,
  orders: none,
  bulkOrders: none,
  fedexOrders: none,
  invoices: none,
  trackings: none,
  staff: none,
};

/** A list of which only the newest hits are wanted, in a short form. */
type Sought<S extends PgSelect> = Pick<List<object, S>, "name" | "table" | "searched" | "select">;
const sought = <S extends PgSelect>(list: Sought<S>) => list;

async function staffFound(db: Database, q: string) {
  const found = foundStaff(q);
  const { id: _id, username, role, createdAt } = accounts;
  const rows = await db
    .select({ _id, username, role, createdAt })
    .from(accounts)
    .where(found)
    .orderBy(...inOrder(accounts, "des"))
    .limit(few);
  return { rows, total: await db.$count(accounts, found), totalCapped: false };
}

const is = (condition: SQL) => sql<boolean>`${condition}`;
const user = { _id: customers.id, username: customers.username };

const soughtCustomers = sought({
  name: "found-customers",
  table: customers,
  searched: searched.customers,
  select: (db) =>
    db
      .select({
        ...user,
        email: customers.email,
        status: customers.active,
        isVerified: is(isNotNull(customers.verifiedAt)),
        balance: customers.balanceCents,
        createdAt: customers.createdAt,
      })
      .from(customers)
      .$dynamic(),
});

const soughtOrders = sought({
  name: "found-orders",
  table: orders,
  searched: searched.orders,
  select: (db) =>
    db
      .select({
        _id: orders.id,
        uuid: orders.uuid,
        user,
        labelType: { name: labelTypes.name },
        weight: orders.weight,
        price: orders.priceCents,
        isRefunded: is(isNotNull(orders.refundedAt)),
        createdAt: orders.createdAt,
      })
      .from(orders)
      .innerJoin(customers, eq(customers.id, orders.customerId))
      .innerJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
      .$dynamic(),
});

const soughtBulkOrders = sought({
  name: "found-bulk-orders",
  table: bulkOrders,
  searched: searched.bulkOrders,
  select: (db) =>
    db
      .select({
        _id: bulkOrders.id,
        uuid: bulkOrders.uuid,
        user,
        orderCount: sql<number>`(select count(*)::int from ${orders} where ${orders.bulkOrderId} = ${bulkOrders.id})`,
        createdAt: bulkOrders.createdAt,
      })
      .from(bulkOrders)
      .innerJoin(customers, eq(customers.id, bulkOrders.customerId))
      .$dynamic(),
});

const soughtFedexOrders = (actor: Actor) =>
  sought({
    name: "found-fedex-orders",
    table: fedexOrders,
    searched: searchedFedexOrders(actor),
    select: (db) =>
      db
        .select({
          _id: fedexOrders.id,
          uuid: fedexOrders.uuid,
          user,
          status: fedexOrders.status,
          price: fedexOrders.priceCents,
          to: { name: fedexOrders.toName, city: fedexOrders.toCity },
          createdAt: fedexOrders.createdAt,
        })
        .from(fedexOrders)
        .innerJoin(customers, eq(customers.id, fedexOrders.customerId))
        .$dynamic(),
  });

const soughtInvoices = sought({
  name: "found-invoices",
  table: invoices,
  searched: searched.invoices,
  select: (db) =>
    db
      .select({
        _id: invoices.id,
        user,
        amount: invoices.amountCents,
        payment_method: invoices.paymentMethod,
        status: invoices.status,
        createdAt: invoices.createdAt,
      })
      .from(invoices)
      .innerJoin(customers, eq(customers.id, invoices.customerId))
      .$dynamic(),
});

const soughtTrackingCodes = sought({
  name: "found-tracking-codes",
  table: trackingCodes,
  searched: searched.trackingCodes,
  select: (db) =>
    db
      .select({
        _id: trackingCodes.id,
        code: trackingCodes.code,
        used: is(isNotNull(trackingCodes.usedAt)),
        type: trackingCodes.type,
        template: trackingCodes.template,
        createdAt: trackingCodes.createdAt,
      })
      .from(trackingCodes)
      .$dynamic(),
});
