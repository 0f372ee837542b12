import { setTimeout } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { checkChain, keepChainCheck, type NotedLink } from "../accounts/log-verification.ts";
import type { Database, Transaction } from "../db/database.ts";
import { withoutTimeLimit } from "../db/engine.ts";
import { orders, plainTracking, settings } from "../db/schema.ts";
import { tell } from "../outbox/outbox.ts";
import { dollars } from "./ledger.ts";

/** How much of the log is compared with its chain, besides what is new; and links noted elsewhere. */
type Extent = { wholeLog?: boolean; noted?: NotedLink[] };

/**
 * Recomputes every balance, total, purchase, refund, deposit, reversal, prepaid code and counter from the rows, and
 * lists what disagrees. It reads one snapshot, so writers go on undisturbed. Then it checks the log's chain.
 */
export async function checkBooks(db: Database, extent: Extent = {}) {
  const checkedAt = new Date();
  const { problems: unbalanced, owed } = await withoutTimeLimit(db).transaction(
    async (tx) => {
      // Every check reads whole tables. After large inserts the planner still believes that tables are tiny, and would
      // scan one of them for each row of another.
      await tx.execute(sql`set local enable_nestloop = off`);
      const found: string[] = [];
      for (const check of checks) found.push(...(await check(tx)));
      const { rows } = await tx.execute<{ cents: number }>(
        sql`select coalesce(sum(balance_cents), 0)::float8 as cents from customers`,
      );
      return { problems: found, owed: rows[0]?.cents ?? 0 };
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
  const chain = await checkChain(db, extent);
  const problems = [...unbalanced, ...chain.problems];
  return { balanced: problems.length === 0, checkedAt, problems, owed, chain };
}

/**
 * The same, with the result stored for later readers. Only one check runs at a time, and all who ask meanwhile share
 * it: several would slow down each other and everybody else.
 */
export function checkAndKeepBooks(db: Database, extent: Extent = {}): Promise<Checked> {
  const shared = running.get(db) ?? checkAfterPause(db, extent).finally(() => running.delete(db));
  running.set(db, shared);
  return shared;
}
type Checked = Awaited<ReturnType<typeof checkBooks>>;
const running = new WeakMap<Database, Promise<Checked>>();
const pauses = new WeakMap<Database, Promise<unknown>>();

/** The embedded engine does nothing else during a check, so before the next one others get it for as long. */
async function checkAfterPause(db: Database, extent: Extent): Promise<Checked> {
  await pauses.get(db);
  const begun = performance.now();
  try {
    return await checkAndKeep(db, extent);
  } finally {
    pauses.set(db, setTimeout(performance.now() - begun, undefined, { ref: false }));
  }
}

async function checkAndKeep(db: Database, extent: Extent): Promise<Checked> {
  const result = await checkBooks(db, extent);
  const { checkedAt, problems, owed: owedCents } = result;
  await db.transaction(async (tx) => {
    const [before] = await tx.select().from(settings).for("update");
    // Another server's check may have begun earlier and ended later.
    if (before?.booksCheckedAt && before.booksCheckedAt >= checkedAt) return;
    await tx.update(settings).set({ booksCheckedAt: checkedAt, booksProblems: problems, owedCents });
    await keepChainCheck(tx, result.chain);
    const known = new Set(before?.booksProblems);
    if (problems.some((problem) => !known.has(problem)))
      await tell(tx, { type: "books.unbalanced", data: { problems, checkedAt } });
  });
  return result;
}

/** The result of the last check; if there was none, of the first. */
export async function lastBooks(db: Database) {
  const [kept] = await db.select().from(settings);
  if (!kept?.booksCheckedAt) return checkAndKeepBooks(db);
  const problems = kept.booksProblems ?? [];
  return { balanced: problems.length === 0, checkedAt: kept.booksCheckedAt, problems, owed: kept.owedCents ?? 0 };
}

/** When the books were last checked, and how many problems there were, without checking them now. */
export async function booksFigures(db: Database) {
  const [kept] = await db
    .select({ checkedAt: settings.booksCheckedAt, problems: settings.booksProblems })
    .from(settings);
  return { checkedAt: kept?.checkedAt ?? null, problems: kept?.problems?.length ?? 0 };
}

/** Once in every hour of the clock, however many servers ask. */
export async function checkBooksHourly(db: Database): Promise<void> {
  const isDue = sql`coalesce(date_trunc('hour', ${settings.booksBegunAt}) < date_trunc('hour', now()), true)`;
  const claimed = await db.update(settings).set({ booksBegunAt: sql`now()` }).where(isDue).returning();
  if (claimed.length > 0) await checkAndKeepBooks(db);
}

/** Enough to see what is wrong; a thousand of the same kind say no more. */
const mostProblems = 50;

/** A query that finds faults, and the sentence about each. */
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
  check<{ name: string; is: boolean }>(
    sql`select username as name, has_balance as is from customers where has_balance <> (balance_cents > 0)`,
    ({ name, is }) => `${name} is among those ${is ? "with" : "without"} a balance, which is not so`,
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
        from (select coalesce(bulk_order_id, id) as id, customer_id, sum(price_cents) as cents from orders group by 1, 2
              union all select id, customer_id, price_cents from fedex_orders where charged_at is not null) bought
        full join (select * from transfers where kind = 'purchase' and reversed_by is null) purchases
          on purchases.reference = bought.id
        where (-purchases.amount_cents, purchases.customer_id) is distinct from (bought.cents, bought.customer_id)`,
    ({ name, is, should }) => `Order ${name} was paid for with ${amount(is)}, but ${amount(should)} is right`,
  ),
  check<Mismatch>(
    sql`select coalesce(paid.id, deposits.reference) as name, deposits.amount_cents as is, paid.amount_cents as should
        from (select * from invoices where status = 'paid') paid
        full join (select * from transfers where kind = 'deposit' and reversed_by is null) deposits on deposits.reference = paid.id
        where (deposits.amount_cents, deposits.customer_id) is distinct from (paid.amount_cents, paid.customer_id)`,
    ({ name, is, should }) => `Invoice ${name} was credited with ${amount(is)}, but ${amount(should)} is right`,
  ),
  check<{ line: number; file: string }>(
    sql`select line, file from statement_lines join statements on statements.id = statement_id
        left join transfers on transfers.id = transfer_id
        where statement_lines.state = 'paid' and (transfers.kind, transfers.reference) is distinct from ('deposit', invoice_id)`,
    ({ line, file }) => `Line ${line} of ${file} is used, but no deposit of its invoice was made`,
  ),
  check<{ id: string }>(
    sql`select id from invoices where status = 'reversed' and not exists (
          select from transfers where reference = invoices.id and kind = 'deposit' and reversed_by is not null)`,
    ({ id }) => `Invoice ${id} is reversed, but no deposit of it was`,
  ),
  check<Mismatch>(
    sql`select coalesce(originals.id, reversals.reverses) as name, reversals.amount_cents as is,
          -originals.amount_cents as should
        from (select * from transfers where reversed_by is not null) originals
        full join (select * from transfers where kind = 'reversal') reversals
          on (reversals.id, reversals.reverses) = (originals.reversed_by, originals.id)
        where (reversals.amount_cents, reversals.customer_id)
            is distinct from (-originals.amount_cents, originals.customer_id)
          or originals.kind not in ('adjustment', 'deposit', 'purchase')`,
    ({ name, is, should }) => `Transfer ${name} was reversed with ${amount(is)}, but ${amount(should)} is right`,
  ),
  check<{ name: string; number: number; place: string }>(
    sql`select username as name, number, place from (
          select customer_id, number, received_cents, spent_cents, row_number() over history as place,
            sum(greatest(amount_cents, 0)) over history as received,
            sum(case when kind = 'purchase' or undone is not null then -amount_cents else 0 end) over history as spent
          from transfers
          left join (select id as undone from transfers where kind = 'purchase' and reversed_by is not null) purchases
            on undone = transfers.reverses
          window history as (partition by customer_id order by number)
        ) numbered join customers on customers.id = customer_id
        where (number, numbered.received_cents, numbered.spent_cents) is distinct from (place, received, spent)`,
    ({ name, number, place }) =>
      number === Number(place)
        ? `Transfer number ${number} of ${name} does not say what ${name} had received and spent by then`
        : `Transfer number ${number} of ${name} should have the number ${place}`,
  ),
  check<Mismatch & { total: string; money: boolean }>(
    sql`select username as name, total, money, kept as is, counted as should
        from customers
        left join (
          select customer_id, count(*) as transfers, sum(greatest(amount_cents, 0)) as received,
            sum(-amount_cents) filter (where kind = 'purchase' and reversed_by is null) as spent,
            count(*) filter (where kind = 'deposit' and reversed_by is null) as deposits,
            sum(amount_cents) filter (where kind = 'deposit' and reversed_by is null) as deposited,
            count(*) filter (where kind = 'refund') as refunds,
            sum(amount_cents) filter (where kind = 'refund') as refunded
          from transfers group by customer_id
        ) moved on moved.customer_id = customers.id
        left join (select customer_id, count(*) as orders from orders group by customer_id) bought
          on bought.customer_id = customers.id
        cross join lateral (values
          ('transfers', false, customers.transfers, moved.transfers), ('orders', false, customers.orders, bought.orders),
          ('deposits', false, customers.deposits, moved.deposits), ('refunds', false, customers.refunds, moved.refunds),
          ('received', true, received_cents, received), ('spent', true, spent_cents, spent),
          ('deposited', true, deposited_cents, deposited), ('refunded', true, refunded_cents, refunded)
        ) as totals (total, money, kept, counted)
        where kept <> coalesce(counted, 0)`,
    ({ name, total, money, is, should }) => {
      const figure = (value: string | null) => (money ? dollars(Number(value ?? 0)) : String(value ?? 0));
      return `${name} has ${figure(is)} ${total} in all, but their rows add up to ${figure(should)}`;
    },
  ),
  // A used code may have been deleted since, so an order's code need not be registered.
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
  // A search for the beginning of many codes looks in their batches.
  check<{ code: string }>(
    sql`select code from tracking_codes left join code_batches on code_batches.id = batch_id
        where batch_id is not null and (code between first and last and tracking_codes.created_at = code_batches.created_at
          and tracking_codes.template = code_batches.template) is not true`,
    ({ code }) => `The prepaid code ${code} is not of the codes, the moment or the template of its batch`,
  ),
  // A code that was deleted after its registration may still be on only one order.
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
  check<Mismatch & { month: string; cents: string | null; cents_should: string | null }>(
    sql`select username as name, coalesce(kept.month, actual.month)::text as month, kept.orders as is,
          actual.orders as should, kept.cents as cents, actual.cents as cents_should
        from (select * from customer_months where orders <> 0 or cents <> 0) kept
        full join (select * from actual_customer_months()) actual
          on (actual.customer_id, actual.month) = (kept.customer_id, kept.month)
        left join customers on customers.id = coalesce(kept.customer_id, actual.customer_id)
        where (kept.orders, kept.cents) is distinct from (actual.orders, actual.cents)`,
    ({ name, month, is, should, cents, cents_should }) =>
      `The orders of ${name} in the month of ${month} are kept as ${is ?? 0} worth ${dollars(Number(cents ?? 0))}, but there are ${should ?? 0} worth ${dollars(Number(cents_should ?? 0))}`,
  ),
];
