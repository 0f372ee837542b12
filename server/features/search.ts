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
import { newestHits } from "../lists/hits.ts";
import { inOrder, type List } from "../lists/list.ts";
import type { CustomerLookUps } from "../lists/search.ts";
import { foundStaff, searched, searchedFedexOrders } from "../lists/searched.ts";

/** The newest of each kind. */
const few = 5;
/** Up to how many hits are counted or read at once, and rows gone through one by one. The lists themselves do more. */
const limits = { mostCounted: 100, readAtOnce: 500, mostScanned: 10_000 };
/** One letter occurs in almost everything. */
const fewestLetters = 2;

export const searchRoutes = routes(contract, {
  async find({ db, query: { q }, actor, refuseIfGone }) {
    if ([...q].length < fewestLetters) return nothing;
    const isAdmin = actor.role === "admin";
    const lookUps: CustomerLookUps = new Map();
    // A caller who typed on has hung up.
    const found = <S extends PgSelect>(list: Sought<S>) => {
      refuseIfGone();
      return newestHits(db, list, q, { limit: few, lookUps, ...limits });
    };
    // One after the other: somebody who types has several calls under way, and connections are shared.
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
