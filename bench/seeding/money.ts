import { chance, fraction, idAt, literal, pick, randomId } from "./chance.ts";
import { operators, shop } from "./trade.ts";

/** In cents. */
const steps = [5_000, 10_000, 15_000, 20_000, 25_000];

/** What became of invoices that were not paid. */
const endings = [...Array<string>(13).fill("expired"), ...Array<string>(5).fill("failed"), "pending"];

/**
 * Purchases, and the invoices that fund them. Each customer pays in steps of their own, shortly before the purchase
 * that needs the next one, so that no balance is ever below zero; refunds only add to it. Some tried before, in vain.
 */
export const drawInvoices = () => `
    create temp table purchases on commit drop as
    select first, at, buyer, cents, id as reference, uuid, null::int as size from sales where bulk_order_id is null
    union all
    select first, at, buyer, sum(cents)::int, bulk_order_id, ${randomId("first", "bulk order")}, size
    from sales where bulk_order_id is not null group by first, at, buyer, bulk_order_id, size;

    create temp table deposits on commit drop as
    with spending as (
      select first, at, buyer, cents, ${pick(steps, "buyer", "step")} as step,
        sum(cents) over (partition by buyer order by at, first rows unbounded preceding) as spent
      from purchases offset 0
    ), payments as (
      select first as n, buyer, (step * ((spent + step - 1) / step - (spent - cents + step - 1) / step))::int as cents,
        at - (2 + 18 * ${fraction("first", "paid")}) * interval '1 minute' as paid_at
      from spending offset 0
    ), tries as (
      select n, buyer, cents, ${pick(["cashapp", "cashapp", "paypal"], "n", "payment method")} as method, 'paid' as status,
        paid_at, paid_at - (1 + 59 * ${fraction("n", "opened")}) * interval '1 minute' as created_at
      from payments where cents > 0
      union all
      select -n, buyer, cents, ${pick(["cashapp", "paypal"], "n", "first payment method")},
        ${pick(endings, "n", "first try")}, null, paid_at - (90 + 300 * ${fraction("n", "first opened")}) * interval '1 minute'
      from payments where cents > 0 and ${chance(0.15 / 0.85, "n", "tried before")}
    )
    select *, ${idAt("created_at", "n", "invoice")} as id,
      case when ${chance(0.3, "n", "marked by operator")} then ${pick(operators, "n", "marked by")}
        else ${literal(shop)} end as actor
    from tries;`;

/** Every change of a balance, and what it was after it. */
export const drawMovements = () => `
    create temp table movements on commit drop as
    select *, sum(cents) over (partition by buyer order by at, n rows unbounded preceding) as balance
    from (
      select first as n, buyer, at, 'purchase' as kind, -cents as cents, reference, uuid, size, ${literal(shop)} as actor,
        ${idAt("at", "first", "purchase")} as id
      from purchases
      union all
      select n, buyer, paid_at, 'deposit', cents, id, id, null, actor, ${idAt("paid_at", "n", "deposit")}
      from deposits where status = 'paid'
      union all
      select n, buyer, refunded_at, 'refund', cents, id, uuid, null, ${pick(operators, "n", "refunded by")},
        ${idAt("refunded_at", "n", "refund")}
      from sales where refunded_at is not null
    ) moved;
    analyze movements;`;
