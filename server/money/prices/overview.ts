import { sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { covering, pricesOf, soldLately } from "./preview.ts";
import { scheduledOf } from "./schedule.ts";
import { overlap } from "./warnings.ts";

/** For a label type: what was sold at each price, when it changed, and which changes are scheduled. */
export async function overviewOf(db: Database, labelType: { id: string }) {
  const prices = await pricesOf(db, labelType);
  const sold = await soldLately(db, labelType, [prices]);
  const used = prices.custom.filter(({ isUsed }) => isUsed);
  const changes = await lastChanges(
    db,
    prices.standard.map(({ id }) => id),
  );
  const sums = (spans: typeof sold) => ({
    orders: spans.reduce((sum, { orders }) => sum + orders, 0),
    revenue: spans.reduce((sum, { charged }) => sum + charged, 0),
  });
  return {
    tiers: prices.standard.map((tier) => ({
      _id: tier.id,
      ...sums(sold.filter((span) => covering([tier], span))),
      customPrices: used.filter((price) => overlap(price, tier)).length,
      changedAt: changes.get(tier.id) ?? tier.createdAt,
    })),
    all: { ...sums(sold), customPrices: used.length },
    scheduled: await scheduledOf(db, labelType.id),
  };
}

/** The time of the newest log entry about each tier, by the index of subjects. */
async function lastChanges(db: Database, ids: string[]): Promise<Map<string, Date>> {
  const { rows } = await db.execute<{ id: string; at: string }>(sql`
    select tier.id, last.at
    from unnest(${sql.param(ids)}::uuid[]) as tier (id)
    cross join lateral (
      select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from logs
      where subject_id = any(array[tier.id]) and subject_id is not null
      order by subject_id desc, created_at desc, id desc limit 1
    ) as last`);
  return new Map(rows.map(({ id, at }) => [id, new Date(at)]));
}
