import {
  idleDays,
  leastSpendDays,
  newForDays,
  nightEnds,
  timesUsual,
  type UnusualRule,
  usualChange,
  usualDays,
} from "@footprint/contract/unusual.ts";
import { type SQL, sql } from "drizzle-orm";
import type { settings } from "../db/schema.ts";
import { isCredit } from "./limits.ts";

// The rules for unusual events, as SQL over new rows. Each query returns who it is about, the business day, what was
// seen and what is usual. Rows are found by an index that begins with the customer, account or time.

/** Rows that are read in the order of time. */
export type Source = "orders" | "transfers" | "deposits" | "prices";

/** The threshold of each rule, in cents, per cent or as a count; null if the rule is switched off. */
export type Least = Record<UnusualRule, number | null>;

const usualLeast: Least = {
  spend: 20_000,
  refunds: 10_000,
  credits: 25_000,
  address: 10,
  deposits: 20_000,
  night: 3,
  prices: usualChange,
};

/** Thresholds that nobody changed have their default. */
export const leastOf = (row: typeof settings.$inferSelect): Least => ({ ...usualLeast, ...row.unusualRules });

const number = (value: number) => sql.raw(String(value));

/** Who new rows are about and on which days, and the beginning of all days needed to judge them. */
const asked = (fresh: SQL, subject: SQL, where: SQL) => sql`
  asked as materialized (
    select distinct ${subject} as id, business_day(created_at) as day from (${fresh}) as fresh where ${where}),
  days as materialized (
    select day, day_start(day) as at
    from (select distinct day - back as day from asked, generate_series(-1, ${number(usualDays)}) as back) as needed)`;

/** A customer's total spending before a moment. */
const spentBefore = (moment: SQL) => sql`coalesce((
  select spent_cents from transfers where customer_id = asked.id and created_at < ${moment}
  order by created_at desc, number desc limit 1), 0)`;

/** More than so many times the usual, which is the average of days with any activity. */
const isFarAbove = sql`seen.cents > ${number(timesUsual)} * usual.cents`;

/** Daily sums of `rows`, for the day in question and the days before. */
const againstDaysBefore = (rows: SQL) => sql`
  cross join lateral (
    select coalesce(sum(cents) filter (where day = asked.day), 0) as cents,
      coalesce(avg(cents) filter (where day < asked.day), 0) as usual
    from (select business_day(created_at) as day, sum(amount_cents) as cents from (${rows}) as moved group by 1) as by_day
  ) as seen
  cross join lateral (select seen.usual as cents) as usual`;

/** Equal for an address however it is written. */
export const addressOf = sql`md5(regexp_replace(lower(concat_ws(' ', to_street, to_street2, to_city, left(to_zip, 5), to_country)), '\\W', '', 'g'))::uuid`;
export const addressInWords = sql`concat_ws(', ', to_street, nullif(to_street2, ''), to_city, to_state || ' ' || to_zip)`;

type Rule = { source: Source; find: (fresh: SQL, least: number) => SQL };

export const rules: Record<UnusualRule, Rule> = {
  spend: {
    source: "orders",
    find: (fresh, least) => sql`
      with ${asked(fresh, sql`customer_id`, sql`true`)}
      select customers.id as subject, asked.day::text, username as name, customers.id as "customerId",
        seen.cents as seen, round(usual.cents) as usual
      from asked join customers on customers.id = asked.id
      join days as day on day.day = asked.day join days as next on next.day = asked.day + 1
      cross join lateral (select ${spentBefore(sql`next.at`)} - ${spentBefore(sql`day.at`)} as cents offset 0) as seen
      cross join lateral (
        select avg(cents) filter (where cents > 0) as cents, count(*) filter (where cents > 0) as days
        from (select spent - lag(spent) over (order by day) as cents
              from (select days.day, ${spentBefore(sql`days.at`)} as spent from days
                    where days.day between asked.day - ${number(usualDays)} and asked.day) as ends) as each_day
        where seen.cents >= ${least}::bigint
      ) as usual
      where seen.cents >= ${least}::bigint and usual.days >= ${number(leastSpendDays)} and ${isFarAbove}`,
  },

  refunds: {
    source: "transfers",
    find: (fresh, least) => sql`
      with ${asked(fresh, sql`customer_id`, sql`kind = 'refund'`)}
      select customers.id as subject, asked.day::text, username as name, customers.id as "customerId",
        seen.cents as seen, round(usual.cents) as usual
      from asked join customers on customers.id = asked.id
      join days as first on first.day = asked.day - ${number(usualDays)}
      join days as next on next.day = asked.day + 1
      ${againstDaysBefore(sql`
        select created_at, amount_cents from transfers
        where customer_id = asked.id and kind = 'refund' and kind <> 'purchase' and created_at < next.at
          and number > coalesce((
            select number from transfers where customer_id = asked.id and created_at < first.at
            order by created_at desc, number desc limit 1), 0)`)}
      where seen.cents >= ${least}::bigint and ${isFarAbove}`,
  },

  credits: {
    source: "transfers",
    find: (fresh, least) => sql`
      with ${asked(fresh, sql`actor_id`, sql`actor_kind = 'account' and ${isCredit}`)}
      select asked.id as subject, asked.day::text, coalesce(username, last.actor) as name, asked.id as "accountId",
        seen.cents as seen, round(usual.cents) as usual
      from asked left join accounts on accounts.id = asked.id
      join days as first on first.day = asked.day - ${number(usualDays)}
      join days as next on next.day = asked.day + 1
      -- What an account did still counts if the account was deleted meanwhile.
      cross join lateral (
        select actor from transfers
        where actor_kind = 'account' and actor_id = asked.id and created_at >= first.at and created_at < next.at
        order by created_at desc limit 1) as last
      ${againstDaysBefore(sql`
        select created_at, amount_cents from transfers
        where actor_kind = 'account' and actor_id = asked.id and created_at >= first.at and created_at < next.at
          and ${isCredit}`)}
      where seen.cents >= ${least}::bigint and ${isFarAbove}`,
  },

  address: {
    source: "orders",
    find: (fresh, least) => sql`
      with asked as materialized (
        select distinct ${addressOf} as address, business_day(created_at) as day from (${fresh}) as fresh)
      select address as subject, day::text, name, customer_id as "customerId", orders as seen, first as orders
      from asked join address_days using (day, address)
      where orders >= ${least}::bigint`,
  },

  /**
   * Deposits after which nothing was bought for a while. The day is that of the first such deposit since the last
   * dismissal.
   */
  deposits: {
    source: "deposits",
    find: (fresh, least) => sql`
      select distinct customers.id as subject, business_day(waiting.since)::text as day, username as name,
        customers.id as "customerId", waiting.cents as seen
      from (${fresh}) as fresh
      join customers on customers.id = fresh.customer_id and customers.spent_cents = fresh.spent_cents
      cross join lateral (
        select min(created_at) as since, sum(amount_cents) as cents
        from (select * from transfers where customer_id = customers.id and kind = 'deposit' and kind <> 'purchase'
              order by number desc limit 100) as newest
        where newest.spent_cents = customers.spent_cents and newest.reversed_by is null
          and newest.created_at > coalesce((
            select max(dismissed_at) from unusual_events where rule = 'deposits' and customer_id = customers.id
          ), '-infinity') - interval '${number(idleDays)} days 10 minutes'
      ) as waiting
      where waiting.cents >= ${least}::bigint`,
  },

  night: {
    source: "orders",
    find: (fresh, least) => sql`
      with ${asked(fresh, sql`customer_id`, sql`true`)}
      select customers.id as subject, asked.day::text, username as name, customers.id as "customerId",
        tonight.count as seen, tonight.orders
      from asked join customers on customers.id = asked.id
      join days as day on day.day = asked.day
      join days as joined on joined.day = asked.day - ${number(newForDays)} and customers.created_at >= joined.at
      cross join lateral (
        select count(*) as count, (array_agg(id order by created_at, id))[1:20] as orders
        from orders
        where customer_id = asked.id and created_at >= day.at and created_at < day.at + interval '12 hours'
          and extract(hour from created_at at time zone (select timezone from settings)) < ${number(nightEnds)}
      ) as tonight
      where tonight.count >= ${least}::bigint`,
  },

  /**
   * From the log, which stores by how many per cent prices of weights changed; its sentence says what, from and to.
   * Each change is an event of its own, so that none hides another. Older entries have both prices instead.
   */
  prices: {
    source: "prices",
    find: (fresh, least) => sql`
      select id as subject, business_day(created_at)::text as day,
        left(regexp_replace(action, '^(Changed|Added) a price for ', ''), 300) as name, actor_id as "accountId",
        customer_id as "customerId", round(percent) as seen
      from (${fresh}) as fresh
      cross join lateral (
        select (before->>'price')::numeric as was, (after->>'price')::numeric as price offset 0) as prices
      cross join lateral (
        select coalesce((after->>'percent')::numeric,
          case when was = price then 0 when was = 0 then 100 else abs(price - was) * 100 / was end) as percent offset 0
      ) as change
      where percent > ${least}::bigint`,
  },
};

/** New rows of a source between two rows, in the order of time. */
export const rowsOf: Record<Source, SQL> = {
  orders: sql`orders where true`,
  transfers: sql`transfers where kind <> 'purchase'`,
  deposits: sql`transfers where kind = 'deposit' and kind <> 'purchase'`,
  prices: sql`logs where type = 'pricing' and subject_kind in ('price', 'custom price', 'customer')`,
};

/** How long after its writing a row is looked at. */
export const lags: Record<Source, string> = { orders: "0", transfers: "0", deposits: `${idleDays} days`, prices: "0" };
