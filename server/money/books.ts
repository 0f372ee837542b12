import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { withoutTimeLimit } from "../db/engine.ts";
import { orders, plainTracking } from "../db/schema.ts";
import { dollars } from "./ledger.ts";

/**
 * Recomputes every balance, purchase, refund, deposit, prepaid code and counter from the rows, and names what disagrees.
 * It reads one snapshot: writers go on meanwhile and are not seen.
 */
export async function checkBooks(db: Database) {
  const checkedAt = new Date();
  const problems = await withoutTimeLimit(db).transaction(
    async (tx) => {
      // Every check reads whole tables. After much was entered at once the planner believes that they are still tiny,
      // and would look through one of them for each row of the other.
      await tx.execute(sql`set local enable_nestloop = off`);
      const found: string[] = [];
      for (const check of checks) found.push(...(await check(tx)));
      return found;
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
  return { balanced: problems.length === 0, checkedAt, problems };
}

/** Enough to see what is wrong; a thousand of the same kind say no more. */
const mostProblems = 50;

/** A query for what is wrong, and the sentence that says it. */
const check =
  <Row extends Record<string, unknown>>(wrong: SQL, say: (row: Row) => string) =>
  async (tx: Transaction) =>
    (await tx.execute<Row>(sql`${wrong} limit ${mostProblems}`)).rows.map(say);

type Mismatch = { name: string; is: string | null; should: string | null };
const amount = (cents: string | null) => (cents === null ? "nothing" : dollars(Number(cents)));

const checks = [
  check<Mismatch>(
    sql`select username as name, balance_cents as is, coalesce(sums.cents, 0) as should
        from customers
        left join (select customer_id, sum(amount_cents) as cents from transfers group by customer_id) sums
          on sums.customer_id = customers.id
        where balance_cents <> coalesce(sums.cents, 0)`,
    ({ name, is, should }) => `${name} has a balance of ${amount(is)}, but their transfers add up to ${amount(should)}`,
  ),
  check<Mismatch>(
    sql`select coalesce(orders.id, refunds.reference) as name, refunds.amount_cents as is, orders.price_cents as should
        from (select * from orders where refunded_at is not null) orders
        full join (select * from transfers where kind = 'refund') refunds on refunds.reference = orders.id
        where (refunds.amount_cents, refunds.customer_id) is distinct from (orders.price_cents, orders.customer_id)`,
    ({ name, is, should }) => `Order ${name} was refunded with ${amount(is)}, but ${amount(should)} is right`,
  ),
  check<Mismatch>(
    sql`select coalesce(bought.id, purchases.reference) as name, -purchases.amount_cents as is, bought.cents as should
        from (select coalesce(bulk_order_id, id) as id, customer_id, sum(price_cents) as cents
              from orders group by 1, 2) bought
        full join (select * from transfers where kind = 'purchase') purchases on purchases.reference = bought.id
        where (-purchases.amount_cents, purchases.customer_id) is distinct from (bought.cents, bought.customer_id)`,
    ({ name, is, should }) => `Order ${name} was paid for with ${amount(is)}, but ${amount(should)} is right`,
  ),
  check<Mismatch>(
    sql`select coalesce(paid.id, deposits.reference) as name, deposits.amount_cents as is, paid.amount_cents as should
        from (select * from invoices where status = 'paid') paid
        full join (select * from transfers where kind = 'deposit') deposits on deposits.reference = paid.id
        where (deposits.amount_cents, deposits.customer_id) is distinct from (paid.amount_cents, paid.customer_id)`,
    ({ name, is, should }) => `Invoice ${name} was credited with ${amount(is)}, but ${amount(should)} is right`,
  ),
  // A used code may have been deleted since: what an order carries need not be registered.
  check<{ code: string; used: boolean; carriers: number }>(
    sql`select code, used_at is not null as used, count(orders.id)::int as carriers
        from tracking_codes left join orders on ${plainTracking(orders.tracking)} = code
        group by tracking_codes.id
        having count(orders.id) <> case when used_at is null then 0 else 1 end`,
    ({ code, used, carriers }) => {
      if (carriers === 0) return `The prepaid code ${code} is marked as used, but no order carries it`;
      const claim = used ? "is good for 1 order" : "is marked as unused";
      return `The prepaid code ${code} ${claim}, but ${carriers === 1 ? "1 order carries" : `${carriers} orders carry`} it`;
    },
  ),
  // Codes that were registered once and deleted since are good for one order too.
  check<{ code: string; carriers: number }>(
    sql`select code, carriers from (
          select ${plainTracking(orders.tracking)} as code, count(*)::int as carriers from ${orders}
          where ${plainTracking(orders.tracking)} ~ '^9[0-9]{21}$' group by 1 having count(*) > 1 offset 0) twice
        where not exists (select from tracking_codes where tracking_codes.code = twice.code)`,
    ({ code, carriers }) => `The code ${code} is on ${carriers} orders`,
  ),
  check<Mismatch & { kind: string; day: string; cents: string | null; cents_should: string | null }>(
    sql`select coalesce(kept.subject, actual.subject) as name, coalesce(kept.kind, actual.kind) as kind,
          coalesce(kept.day, actual.day)::text as day, kept.count as is, actual.count as should,
          kept.cents as cents, actual.cents as cents_should
        from (select subject, kind, day, sum(count) as count, sum(cents) as cents from counters
              group by 1, 2, 3 having sum(count) <> 0 or sum(cents) <> 0) kept
        full join (select * from actual_counters()) actual
          on (actual.subject, actual.kind, actual.day) = (kept.subject, kept.kind, kept.day)
        where (kept.count, kept.cents) is distinct from (actual.count, actual.cents)`,
    ({ name, kind, day, is, should, cents, cents_should }) => {
      const figure = (count: string | null, sum: string | null) => `${count ?? 0} worth ${dollars(Number(sum ?? 0))}`;
      return `The counter of ${name} (${kind}) on ${day} says ${figure(is, cents)}, but there are ${figure(should, cents_should)}`;
    },
  ),
  check<Mismatch & { kind: string; month: string }>(
    sql`select coalesce(kept.subject, days.subject) as name, coalesce(kept.kind, days.kind) as kind,
          coalesce(kept.month, days.month)::text as month, kept.count as is, days.count as should
        from settled_months kept
        full join (select subject, kind, date_trunc('month', day::timestamp)::date as month, sum(count) as count, sum(cents) as cents
                   from counters where slot < 0 group by 1, 2, 3) days
          on (days.subject, days.kind, days.month) = (kept.subject, kept.kind, kept.month)
        where (kept.count, kept.cents) is distinct from (days.count, days.cents)`,
    ({ name, kind, month, is, should }) =>
      `The counter of ${name} (${kind}) in the month of ${month} says ${is ?? 0}, but its days add up to ${should ?? 0}`,
  ),
];
