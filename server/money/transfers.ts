import type { Parsed } from "@footprint/contract/endpoint.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import type { transfers as contract } from "@footprint/contract/transfers.ts";
import { and, eq, inArray, isNull, ne, type SQL, sql } from "drizzle-orm";
import { alias, type PgColumn } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { bulkOrders, customers, fedexOrders, invoices, labelTypes, orders, transfers } from "../db/schema.ts";

const reversed = alias(transfers, "reversed");

/** Transfers and what each was for, by primary keys, so that a page costs the same everywhere. */
export const selectTransfers = (db: Database | Transaction) =>
  db
    .select({
      transfer: transfers,
      customer: { id: customers.id, username: customers.username },
      order: {
        id: orders.id,
        uuid: orders.uuid,
        weight: orders.weight,
        custom: orders.hasCustomPrice,
        shopId: orders.shopId,
      },
      labelType: labelTypes.name,
      bulkOrder: { id: bulkOrders.id, uuid: bulkOrders.uuid, shopId: bulkOrders.shopId },
      orderCount: sql<number>`(select count(*)::int from ${orders} where ${orders.bulkOrderId} = ${bulkOrders.id})`,
      fedexOrder: { id: fedexOrders.id, uuid: fedexOrders.uuid, shopId: fedexOrders.shopId },
      invoice: { id: invoices.id, paymentMethod: invoices.paymentMethod, shopId: invoices.shopId },
      reversed: { id: reversed.id, kind: reversed.kind, createdAt: reversed.createdAt },
    })
    .from(transfers)
    .innerJoin(customers, eq(customers.id, transfers.customerId))
    .leftJoin(orders, eq(orders.id, transfers.reference))
    .leftJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
    .leftJoin(bulkOrders, eq(bulkOrders.id, transfers.reference))
    .leftJoin(fedexOrders, eq(fedexOrders.id, transfers.reference))
    .leftJoin(invoices, eq(invoices.id, transfers.reference))
    .leftJoin(reversed, eq(reversed.id, transfers.reverses))
    .$dynamic();

type TransferRow = Awaited<ReturnType<typeof selectTransfers>>[number];

/** A row in the contract's form. */
export function presentTransfer(row: TransferRow) {
  const { transfer, customer } = row;
  return {
    ...transfer,
    _id: transfer.id,
    user: { _id: customer.id, username: customer.username },
    amount: transfer.amountCents,
    balanceAfter: transfer.balanceAfterCents,
    for: purposeOf(row),
    by: { username: transfer.actor, kind: transfer.actorKind, _id: transfer.actorId },
  };
}

function purposeOf({ order, labelType, bulkOrder, orderCount, fedexOrder, invoice, reversed }: TransferRow) {
  if (order) {
    const { id, uuid, weight, custom } = order;
    return { kind: "order" as const, _id: id, uuid, labelType: labelType ?? "", weight, custom };
  }
  if (bulkOrder) return { kind: "bulk order" as const, _id: bulkOrder.id, uuid: bulkOrder.uuid, orderCount };
  if (fedexOrder) return { kind: "fedex order" as const, _id: fedexOrder.id, uuid: fedexOrder.uuid };
  if (invoice) return { kind: "invoice" as const, _id: invoice.id, payment_method: invoice.paymentMethod };
  if (reversed)
    return { kind: "transfer" as const, _id: reversed.id, of: reversed.kind, createdAt: reversed.createdAt };
  return null;
}

/** A filtered list is counted only up to this many. */
const mostHits = 1_000;
/** How many rows are searched where no index helps. */
const mostWalked = 50_000;

type History = Omit<Parsed<typeof contract.history, "query">, "by"> & { by?: string | undefined };
type Period = Pick<History, "from" | "to">;

/** One page of a customer's transfers; any page of any number of transfers costs the same. */
export async function historyOf(db: Database, customerId: string, query: History) {
  if (query.ids) {
    const rows = await transfersById(db, query.ids, eq(transfers.customerId, customerId));
    return { rows, total: rows.length, sums: null };
  }
  const stretch = await transfersWithin(db, customerId, query);
  const isNarrowed = query.kind !== "All" || query.by !== undefined;
  const { numbers, ...counts } = isNarrowed
    ? await findNumbers(db, customerId, query, stretch)
    : { numbers: numbersOf(query, stretch), total: stretch.total };
  const page = prepared(db, `history ${query.sort}`, () =>
    selectTransfers(db)
      .where(and(eq(transfers.customerId, sql.placeholder("customerId")), isAmong(transfers.number, "int")))
      .orderBy(sql`${transfers.number} ${directionOf(query)}`)
      .prepare(""),
  );
  const rows = await page.execute({ customerId, keys: numbers });
  return { rows, ...counts, sums: isNarrowed ? null : stretch.sums };
}

type Stretch = { first: number; last: number; total: number; sums: { in: number; out: number } };

/**
 * The numbers of a customer's first and last transfer within some days, and what came in and went out. The last
 * transfer before a day holds the totals of everything before it; the customer's row holds those of all.
 */
export async function transfersWithin(db: Database, customerId: string, period: Period): Promise<Stretch> {
  const stretch = await findStretch(db, customerId, period);
  if (!stretch) throw refusal(404, "This customer does not exist");
  return stretch;
}

async function findStretch(db: Database, customerId: string, { from, to }: Period): Promise<Stretch | undefined> {
  const nothing = sql`0 as number, 0::float8 as received, 0::float8 as balance`;
  const all = sql`transfers, received_cents::float8, balance_cents::float8 from customers where id = ${customerId}`;
  const { rows } = await db.execute<{ number: number; received: number; balance: number }>(sql`
    select 1 as place, ${from ? lastBefore(customerId, sql`${from}::date`) : nothing}
    union all
    select 2, ${to ? lastBefore(customerId, sql`${to}::date + 1`) : all}
    order by place`);
  const [before, end] = rows;
  if (!before || !end) return undefined;
  const first = before.number + 1;
  const total = end.number - before.number;
  if (total <= 0) return { first, last: before.number, total: 0, sums: { in: 0, out: 0 } };
  const received = end.received - before.received;
  return { first, last: end.number, total, sums: { in: received, out: received - (end.balance - before.balance) } };
}

/** A customer's totals when a day began. */
const lastBefore = (customerId: string, day: SQL) => sql`
  coalesce(newest.number, 0) as number, coalesce(newest.received_cents, 0)::float8 as received,
    coalesce(newest.balance_after_cents, 0)::float8 as balance
  from customers left join lateral (
    select * from transfers where customer_id = customers.id and created_at < day_start(${day})
    order by created_at desc, number desc limit 1
  ) as newest on true
  where customers.id = ${customerId}`;

/** Transfers are numbered without gaps, so the numbers on a page are plain arithmetic. */
function numbersOf({ page, limit, sort }: History, { first, last, total }: Stretch): number[] {
  const offset = (page - 1) * limit;
  const amount = Math.max(0, Math.min(limit, total - offset));
  return Array.from({ length: amount }, (_, place) =>
    sort === "asc" ? first + offset + place : last - offset - place,
  );
}

/** Kinds other than purchases have an index; others are searched for among so many numbers. */
async function findNumbers(db: Database, customerId: string, query: History, { first, last, total }: Stretch) {
  const { kind, by, sort } = query;
  const order = sql`number ${directionOf(query)}`;
  const isDoer = by ? eq(transfers.actorId, by) : undefined;
  const find = async (narrowed: SQL, rest: SQL | undefined) => {
    const found = await findHits(db, { key: sql`number`, order, arms: [{ narrowed, order }], rest }, query);
    return { numbers: found.keys.map(Number), total: found.total, totalCapped: found.totalCapped };
  };
  const own = sql`customer_id = ${customerId}`;
  if (kind !== "All" && kind !== "purchase")
    return find(sql`${own} and kind = ${kind} and kind <> 'purchase' and number between ${first} and ${last}`, isDoer);
  const [from, to] =
    sort === "asc" ? [first, Math.min(last, first + mostWalked - 1)] : [Math.max(first, last - mostWalked + 1), last];
  const isKind = kind === "purchase" ? eq(transfers.kind, kind) : undefined;
  const found = await find(sql`${own} and number between ${from} and ${to}`, and(isKind, isDoer));
  return { ...found, totalCapped: found.totalCapped || total > mostWalked };
}

type Hits = {
  /** Identifies the hits; also part of their order. */
  key: SQL;
  order: SQL;
  /** Where to look for them, each with an index in the right order. */
  arms: { narrowed: SQL; order: SQL }[];
  /** Conditions without an index, checked on so many rows of each. */
  rest: SQL | undefined;
};

/** The hits of a page, and their number up to a limit. */
async function findHits(db: Database, { key, order, arms, rest }: Hits, { page, limit }: History | List) {
  const depth = rest ? mostWalked : mostHits + 1;
  const walked = sql.join(
    arms.map((arm) => sql`(select * from transfers where ${arm.narrowed} order by ${arm.order} limit ${depth})`),
    sql` union all `,
  );
  const isCutOff = sql.join(
    arms.map(
      (arm) =>
        sql`exists (select from transfers where ${arm.narrowed} order by ${arm.order} offset ${mostWalked} limit 1)`,
    ),
    sql` or `,
  );
  const offset = (page - 1) * limit;
  const amount = Math.max(0, Math.min(limit, mostHits - offset));
  const { rows } = await db.execute<{ total: number; keys: string[]; more: boolean }>(sql`
    with hits as materialized (
      select ${key} as key, created_at, id, number from (${walked}) as transfers where ${rest ?? true}
      order by ${order} limit ${mostHits + 1}
    ), counted as (select count(*)::int as total from hits)
    select least(total, ${mostHits}) as total,
      array(select key::text from hits order by ${order} offset ${offset} limit ${amount}) as keys,
      case when total > ${mostHits} then true else ${rest ? isCutOff : sql`false`} end as more
    from counted`);
  const [found] = rows;
  return { keys: found?.keys ?? [], total: found?.total ?? 0, totalCapped: found?.more ?? false };
}

/** "is true" keeps the condition from using an index, so that the ids lead to the rows. */
const transfersById = (db: Database, ids: string[], condition: SQL) =>
  selectTransfers(db).where(and(inArray(transfers.id, ids), sql`(${condition}) is true`));

const isAmong = (column: PgColumn, type: "int" | "uuid") =>
  sql`${column} = any(${sql.param(sql.placeholder("keys"))}::${sql.raw(type)}[])`;

const directionOf = ({ sort }: { sort: "asc" | "des" }) => (sort === "asc" ? sql`asc` : sql`desc`);

type List = Parsed<typeof contract.list, "query">;
const listedKinds = ["deposit", "refund", "adjustment", "reversal"] as const;

/** One page of all money that people moved, for all customers. */
export async function listTransfers(db: Database, query: List) {
  if (query.ids) {
    const rows = await transfersById(db, query.ids, ne(transfers.kind, "purchase"));
    return { rows, total: rows.length };
  }
  const direction = directionOf(query);
  const order = sql`created_at ${direction}, id ${direction}`;
  const { arms, isWhole } = await indexesFor(db, query, order);
  const rest = isWhole ? undefined : isListed(query);
  const { keys, ...counts } = await findHits(db, { key: sql`id`, order, arms, rest }, query);
  const page = prepared(db, `transfers ${query.sort}`, () =>
    selectTransfers(db)
      .where(isAmong(transfers.id, "uuid"))
      .orderBy(sql`${transfers.createdAt} ${direction}, ${transfers.id} ${direction}`)
      .prepare(""),
  );
  const rows = await page.execute({ keys });
  return { rows, ...counts };
}

type Asked = Omit<List, "page" | "limit">;

/** Whether there are conditions without an index. */
const isSought = ({ over, method, reason, reversed }: Asked) => Boolean(over || method || reason || reversed);

/** True for the transfers that a list shows. */
export const isListed = ({ kind, by, customer, over, method, reason, reversed, ...period }: Asked) =>
  and(
    ne(transfers.kind, "purchase"),
    kind === "All" ? undefined : eq(transfers.kind, kind),
    by ? eq(transfers.actorId, by) : undefined,
    customer ? eq(transfers.customerId, customer) : undefined,
    over ? sql`abs(${transfers.amountCents}) >= ${Math.round(over * 100)}` : undefined,
    method
      ? sql`exists (select from invoices where id = ${transfers.reference} and payment_method = ${method})`
      : undefined,
    reason ? eq(transfers.reason, reason) : undefined,
    reversed ? isNull(transfers.reversedBy) : undefined,
    within(period),
  );

const within = ({ from, to }: Period) =>
  and(
    from ? sql`${transfers.createdAt} >= day_start(${from}::date)` : undefined,
    to ? sql`${transfers.createdAt} < day_start(${to}::date + 1)` : undefined,
  );

/** The indexes that lead to the rows, and whether they find exactly these. */
async function indexesFor(db: Database, query: List, order: SQL) {
  const { kind, by, customer } = query;
  const days = within(query) ?? sql`true`;
  if (by) {
    // Of what shops do only deposits are listed.
    const doers = [
      sql`actor_kind = 'account' and actor_id = ${by}`,
      sql`kind = 'deposit' and actor_kind = 'shop' and actor_id = ${by}`,
    ];
    const arms = doers.map((doer) => ({ narrowed: sql`${doer} and ${days}`, order }));
    return { arms, isWhole: false };
  }
  if (customer) {
    const { first, last } = (await findStretch(db, customer, query)) ?? { first: 1, last: 0 };
    const kinds = kind === "All" ? listedKinds : [kind];
    const arms = kinds.map((one) => ({
      narrowed: sql`customer_id = ${customer} and kind = ${one} and kind <> 'purchase' and number between ${first} and ${last}`,
      order: sql`number ${directionOf(query)}`,
    }));
    return { arms, isWhole: !isSought(query) };
  }
  const ofKind = kind === "All" ? sql`` : sql`and kind = ${kind}`;
  return { arms: [{ narrowed: sql`kind <> 'purchase' ${ofKind} and ${days}`, order }], isWhole: !isSought(query) };
}
