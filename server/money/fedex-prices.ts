import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";

type Parcel = { id: string; weight: number; weightUnit: string };
type Similar = {
  _id: string;
  uuid: string;
  weight: number;
  weightUnit: string;
  city: string;
  state: string;
  price: number;
  createdAt: string | Date;
};

/** How many orders are read for each of three classes of weight, and how many of them are shown. */
const mostOfClass = sql.raw("8");
const mostShown = 5;
/** Fewer than this say nothing about what is usual. */
const fewest = 4;

/**
 * What parcels of nearly the same weight cost, newest first, and the usual range, without the cheapest and the dearest
 * tenth. Compares and orders by pairs: given the choice, PostgreSQL may scan all orders by time for a rare weight.
 */
export async function similarPrices(db: Database, { id, weight, weightUnit }: Parcel) {
  const { rows } = await db.execute<Similar>(sql`
    select similar_orders.* from
      generate_series(weight_class(${weight}::numeric, ${weightUnit}) - 1, weight_class(${weight}::numeric, ${weightUnit}) + 1)
        as class
      cross join lateral (
        select id as _id, uuid, weight::float8 as weight, weight_unit as "weightUnit", to_city as city, to_state as state,
          price_cents::float8 as price, created_at as "createdAt"
        from fedex_orders
        where price_cents is not null and id <> ${id}
          and (weight_class(weight, weight_unit), created_at) between (class, '-infinity') and (class, 'infinity')
        order by weight_class(weight, weight_unit) desc, created_at desc limit ${mostOfClass}
      ) as similar_orders
    order by "createdAt" desc, _id desc`);
  const prices = rows.map(({ price }) => price).sort((one, other) => one - other);
  const left = Math.round(prices.length / 10);
  const [low, high] = [prices[left], prices.at(-1 - left)];
  return {
    similar: rows.slice(0, mostShown).map((row) => ({ ...row, createdAt: new Date(row.createdAt) })),
    usualPrice: prices.length < fewest || low === undefined || high === undefined ? null : { low, high },
  };
}
