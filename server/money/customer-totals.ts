import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";

type Totals = {
  transfers: number;
  orders: number;
  deposits: number;
  refunds: number;
  spent: number;
  deposited: number;
  refunded: number;
  lastOrderAt: string | Date | null;
  bulkOrders: number;
  fedexOrders: number;
  invoices: number;
  agrees: boolean;
  /** The balance at the end of each day, beginning with the day before the first. */
  balances: number[];
  spentBefore: number;
};

/** Rows are counted only up to this many. */
const mostCounted = sql.raw("1000");
/** Up to this many transfers are added up; beyond, the totals in the newest transfer are used. */
const mostAddedUp = sql.raw("5000");

/**
 * Counts a customer's rows, up to a point. Compares pairs, because only the index by customers has that order: given
 * the choice, PostgreSQL may scan the whole table for a customer who has no rows.
 */
const counted = (table: string) => sql`(
  select count(*)::int from (
    select from ${sql.identifier(table)}
    where (customer_id, created_at) between (customers.id, '-infinity') and (customers.id, 'infinity')
    order by customer_id, created_at limit ${mostCounted}) as rows)`;

/**
 * A customer's totals, and the balances on these consecutive days, all from single rows. Read in one statement: read
 * one after the other, the row and the transfers would disagree if something is bought in between.
 */
export async function totalsOf(db: Database, customerId: string, days: string[]) {
  const { rows } = await db.execute<Totals>(sql`
    select transfers, orders, deposits, refunds, spent_cents::float8 as spent, deposited_cents::float8 as deposited,
      refunded_cents::float8 as refunded, ${counted("bulk_orders")} as "bulkOrders",
      ${counted("fedex_orders")} as "fedexOrders", ${counted("invoices")} as invoices,
      (select created_at from (
        select customer_id, created_at from orders where (customer_id, created_at) <= (customers.id, 'infinity')
        order by customer_id desc, created_at desc limit 1) as latest where customer_id = customers.id) as "lastOrderAt",
      case when transfers <= ${mostAddedUp} then (
        select count(*) = customers.transfers and coalesce(sum(amount_cents), 0) = balance_cents
        from (select amount_cents from transfers where customer_id = customers.id order by number limit ${mostAddedUp} + 1) as all_of_them)
      else exists (
        select from transfers where customer_id = customers.id and number = customers.transfers
          and (balance_after_cents, received_cents, spent_cents)
            = (customers.balance_cents, customers.received_cents, customers.spent_cents))
      end as agrees,
      past.balances, past.spent_before as "spentBefore"
    from customers cross join lateral (
      select array_agg(coalesce(balance_after_cents, 0)::float8 order by day) as balances,
        coalesce(min(spent_cents) filter (where day = 0), 0)::float8 as spent_before
      from generate_series(0, ${days.length}::int) as day left join lateral (
        select balance_after_cents, spent_cents from transfers
        where customer_id = customers.id and created_at < day_start(${days[0]}::date + day)
        order by created_at desc, number desc limit 1
      ) as newest on true
    ) as past
    where customers.id = ${customerId}`);
  const [totals] = rows;
  if (!totals) return undefined;
  const { spentBefore, lastOrderAt, balances, ...rest } = totals;
  return {
    ...rest,
    spentLately: rest.spent - spentBefore,
    lastOrderAt: lastOrderAt === null ? null : new Date(lastOrderAt),
    balances: balances.slice(1),
  };
}
