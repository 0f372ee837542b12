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
import { rowsById } from "../lists/paging.ts";
import { hitsOf, type LookedUp } from "../lists/search.ts";
import { foundStaff, searched, searchedFedexOrders } from "../lists/searched.ts";

/** Of each kind, the newest. */
const few = 5;
/** Beyond this many nobody counts on: the list says it more exactly. */
const mostCounted = 100;
/** Rows that are looked through one by one: before the indexes are asked, and where they cannot help. */
const rowByRow = { first: 2_000, short: 1_000, most: 10_000 };
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
      return newestFound(db, list, q, lookedUp);
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

/**
 * The rows that the list's own page shows first, and how many there are, in one statement: what is met often enough
 * among the first rows, or else what the indexes find.
 */
async function newestFound<S extends PgSelect>(
  db: Database,
  { name, table, searched, select }: Sought<S>,
  q: string,
  lookedUp: LookedUp,
): Promise<{ rows: S["_"]["result"]; total: number; totalCapped: boolean }> {
  const { where, indexed, isShort } = await hitsOf(db, table, searched, q, lookedUp);
  const looked = sql.raw(String(indexed ? rowByRow.first : isShort ? rowByRow.short : rowByRow.most));
  const newest = sql`order by ${sql.join(inOrder(table, "des"), sql`, `)}`;
  const upTo = (amount: number) => sql.raw(String(amount));
  // What PostgreSQL cannot foresee, it takes from the beginning of the index: see `paging.ts`.
  const { rows: answers } = await db.execute<{ ids: string[]; total: number; isMore: boolean }>(sql`
    with met as materialized (
      select id from (select * from ${table} ${newest} limit (select ${looked})) as ${table}
      where ${where} ${newest} limit ${upTo(mostCounted + 1)}
    ), counted as materialized (
      select count(*)::int as met, count(*) <= ${upTo(mostCounted)} and exists (select from ${table} offset ${looked}) as is_longer from met
    ), found as materialized (
      select id, created_at from ${table}
      where (select is_longer and met < ${upTo(few)} from counted) and ${indexed ? where : sql`false`}
    )
    select
      case when is_looked_up
        then array(select id from found order by created_at desc, id desc limit ${upTo(few)})
        else array(select id from met limit ${upTo(few)}) end as ids,
      case when is_looked_up then (select count(*)::int from found) else met end as total,
      is_longer and not is_looked_up as "isMore"
    from (select *, is_longer and met < ${upTo(few)} and ${indexed !== undefined} as is_looked_up from counted) as counted`);
  const { ids = [], total = 0, isMore = false } = answers[0] ?? {};
  return {
    rows: ids.length > 0 ? await rowsById(db, { name, table, select }, "des", ids) : [],
    total: Math.min(total, mostCounted),
    totalCapped: isMore || total > mostCounted,
  };
}

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
