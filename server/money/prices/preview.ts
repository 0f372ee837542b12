import { previewDays } from "@footprint/contract/price-preview.ts";
import { eq, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { customers, customPrices, priceTiers } from "../../db/schema.ts";
import { pastPrices } from "./past.ts";
import type { Tier } from "./tiers.ts";
import { customAboveStandard, type PastPrices, tableWarnings, type Warning } from "./warnings.ts";

type LabelType = { id: string; name: string; maxWeight: number };

/** `isUsed` means that the customer's custom pricing is switched on. */
type CustomPrice = Tier & { customerId: string; isUsed: boolean };

/** The standard prices of a label type, and the custom prices for it. */
export type Prices<T = Tier> = { standard: readonly T[]; custom: readonly CustomPrice[] };
type StoredTier = typeof priceTiers.$inferSelect;

export const standardOf = (db: Database | Transaction, { id }: { id: string }): Promise<StoredTier[]> =>
  db.select().from(priceTiers).where(eq(priceTiers.labelTypeId, id)).orderBy(priceTiers.fromWeight);

export async function pricesOf(db: Database | Transaction, { id }: { id: string }): Promise<Prices<StoredTier>> {
  const custom = await db
    .select({
      customerId: customPrices.customerId,
      isUsed: customers.customPricingEnabled,
      fromWeight: customPrices.fromWeight,
      toWeight: customPrices.toWeight,
      priceCents: customPrices.priceCents,
    })
    .from(customPrices)
    .innerJoin(customers, eq(customers.id, customPrices.customerId))
    .where(eq(customPrices.labelTypeId, id));
  return { standard: await standardOf(db, { id }), custom };
}

/**
 * What other prices would have meant for the orders of the last 30 days, and what deserves a second look. Orders keep
 * their price; each is priced by its weight and customer, at today's prices and at the new ones.
 */
export async function previewPrices(
  db: Database | Transaction,
  labelType: LabelType,
  { standard }: { standard: readonly Tier[] },
) {
  const before = await pricesOf(db, labelType);
  const after = { ...before, standard };
  const sold = await soldLately(db, labelType, [before, after]);
  const past = await pastPrices(db, labelType, before.standard);
  const warnings = await standardWarnings(db, labelType, past, before.standard, standard);
  return { preview: reprice(sold, before, after), warnings };
}

export async function standardWarnings(
  db: Database | Transaction,
  labelType: LabelType,
  past: PastPrices,
  before: readonly Tier[],
  after: readonly Tier[],
): Promise<Warning[]> {
  const custom = await customAboveStandard(db, labelType.id, before, after);
  return [...tableWarnings(labelType, past, before, after), ...custom];
}

/** Orders in a range of weights, either of one customer with custom prices or of all customers without. */
export type Sold = { fromWeight: number; toWeight: number; customerId: string | null; orders: number; charged: number };

/**
 * The unrefunded orders of the last 30 days, by ranges of weights in which no price begins or ends. Reads the index of
 * a label type's or a customer's orders once, and adds them up in the database.
 */
export async function soldLately(
  db: Database | Transaction,
  { id }: { id: string },
  prices: Prices[],
  customerId?: string,
): Promise<Sold[]> {
  const tiers = prices.flatMap(({ standard, custom }) => [...standard, ...custom]);
  const bounds = tiers.flatMap(({ fromWeight, toWeight }) => [inThousandths(fromWeight), inThousandths(toWeight)]);
  const cuts = [...new Set([0, ...bounds])].sort((a, b) => a - b);
  const owners = [
    ...new Set(
      prices.flatMap(({ custom }) => custom.filter(({ isUsed }) => isUsed).map(({ customerId }) => customerId)),
    ),
  ];
  // A tier covers weights above its lower bound. Owners are looked up in a hash table, whatever the statistics say.
  const since = await firstMoment(db);
  const { rows } = await db.execute<{ place: number; owner: string | null; orders: string; charged: string }>(sql`
    select width_bucket((weight * 1000)::bigint - 1, ${sql.param(cuts)}::bigint[]) as place,
      case when customer_id in (select unnest(${sql.param(owners)}::uuid[])) then customer_id end as owner,
      count(*) as orders, sum(price_cents) as charged
    from orders
    where label_type_id = ${id} and created_at >= ${since} and refunded_at is null
      ${customerId ? sql`and customer_id = ${customerId}` : sql``}
    group by 1, 2`);
  return rows.map(({ place, owner, orders, charged }) => ({
    fromWeight: place === 0 ? Number.NEGATIVE_INFINITY : (cuts[place - 1] as number) / 1000,
    toWeight: (cuts[place] ?? Number.POSITIVE_INFINITY) / 1000,
    customerId: owner,
    orders: Number(orders),
    charged: Number(charged),
  }));
}

/** Written out as a value, or the database would expect a third of all orders. */
async function firstMoment(db: Database | Transaction) {
  const { rows } = await db.execute<{ at: string }>(
    sql`select day_start(business_day(now()) - ${previewDays - 1}::int)::text as at`,
  );
  return sql.raw(`'${rows[0]?.at}'::timestamptz`);
}

const inThousandths = (weight: number) => Math.round(weight * 1000);

/** What orders cost at two sets of prices: all orders, and those whose price differs. */
export function reprice(sold: Sold[], before: Prices, after: Prices) {
  const [priceBefore, priceAfter] = [pricer(before), pricer(after)];
  const [all, changed] = [nothing(), nothing()];
  for (const some of sold) {
    const [was, is] = [priceBefore(some), priceAfter(some)];
    add(all, some, was.price, is);
    if (!isSame(was.price, is.price) || !isSame(was.standard, is.standard)) add(changed, some, was.price, is);
  }
  return { all, changed };
}

const nothing = () => ({
  orders: 0,
  charged: 0,
  before: 0,
  after: 0,
  atCustomPrices: 0,
  unpriced: 0,
  unpricedCharged: 0,
  newlyPriced: 0,
});

function add(
  to: ReturnType<typeof nothing>,
  { orders, charged }: Sold,
  was: Tier | undefined,
  { price, isCustom }: { price: Tier | undefined; isCustom: boolean },
) {
  to.orders += orders;
  to.charged += charged;
  if (isCustom) to.atCustomPrices += orders;
  if (was && price) {
    to.before += orders * was.priceCents;
    to.after += orders * price.priceCents;
  } else if (price) to.newlyPriced += orders;
  else {
    to.unpriced += orders;
    to.unpricedCharged += charged;
  }
}

const isSame = (one: Tier | undefined, other: Tier | undefined) =>
  one?.fromWeight === other?.fromWeight && one?.toWeight === other?.toWeight && one?.priceCents === other?.priceCents;

/** The price of a range of weights: the customer's custom price if one fits, else the standard. */
function pricer({ standard, custom }: Prices) {
  const customOf = Map.groupBy(
    custom.filter(({ isUsed }) => isUsed),
    ({ customerId }) => customerId,
  );
  return (span: Sold) => {
    const own = span.customerId ? covering(customOf.get(span.customerId) ?? [], span) : undefined;
    const list = covering(standard, span);
    return { price: own ?? list, isCustom: own !== undefined, standard: list };
  };
}

export const covering = <T extends Tier>(tiers: readonly T[], span: { fromWeight: number; toWeight: number }) =>
  tiers.find(({ fromWeight, toWeight }) => fromWeight <= span.fromWeight && span.toWeight <= toWeight);
