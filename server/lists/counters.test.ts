import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { counted } from "../db/schema.ts";
import { addCustomer, addFedexOrder, addLabelType, addOrder } from "../testing/builders.ts";
import { db } from "../testing/server.ts";
import { countedKinds } from "./counters.ts";

test("the database counts what the program asks for, and nothing else", async () => {
  const subjects = (await db.select().from(counted)).map(({ subject }) => subject);
  expect(subjects.sort()).toEqual(Object.keys(countedKinds).sort());
});

test("counters are what the rows say, whatever changes in many rows at once", async () => {
  const joined = new Date("2026-03-01T12:00:00Z");
  const customers = [
    await addCustomer({ verifiedAt: null }),
    await addCustomer({ verifiedAt: null, createdAt: joined }),
    await addCustomer({ createdAt: joined, balance: 5 }),
    await addCustomer({ balance: 7 }),
  ];
  const [one, two] = [await addLabelType({ uid: "one" }), await addLabelType({ uid: "two" })];
  for (const [place, customer] of customers.entries()) {
    for (const price of [1.25, 1.25, 3]) await addOrder({ customer, labelType: place % 2 === 0 ? one : two, price });
    await addFedexOrder({ customer });
  }
  await db.execute(sql`
    insert into tracking_codes (id, code, type, template, batch_id, used_at) select gen_random_uuid(), 'code ' || place,
      (array['priority', 'express'])[1 + place % 2], 'evs',
      (array[gen_random_uuid(), null])[1 + place % 3 % 2], case when place % 4 = 0 then now() end
    from generate_series(1, 24) as place`);
  const changes = [
    sql`update customers set balance_cents = balance_cents + 1`,
    sql`update customers set active = not active where verified_at is null`,
    sql`update customers set verified_at = case when verified_at is null then now() end`,
    sql`update customers set created_at = created_at - interval '2 days', active = true`,
    sql`update orders set price_cents = price_cents + 1`,
    sql`update orders set refunded_at = now() where price_cents < 200`,
    sql`update orders set shop_id = gen_random_uuid(), created_at = created_at - interval '1 day' where price_cents > 200`,
    sql`update fedex_orders set price_cents = 100, charged_at = now()`,
    sql`update fedex_orders set status = 'Completed', closed_at = now(), price_cents = 250`,
    sql`update tracking_codes set used_at = case when used_at is null then now() - interval '3 days' end where type = 'express'`,
    sql`update tracking_codes set used_at = now() where used_at is null`,
    sql`delete from tracking_codes where batch_id is null`,
    sql`delete from orders where refunded_at is not null`,
  ];
  for (const change of changes) {
    await db.execute(change);
    expect(await unlikeTheRows()).toEqual([]);
  }
});

/** Counters that are not what the rows come to. */
async function unlikeTheRows() {
  const { rows } = await db.execute(sql`
    select subject, kind, day, sum(count)::int as count, sum(cents)::int as cents from (
      select subject, kind, day, count, cents from counters
      union all select subject, kind, day, -count, -cents from actual_counters()
    ) as both_ways
    group by subject, kind, day having sum(count) <> 0 or sum(cents) <> 0 order by 1, 2, 3`);
  return rows;
}
