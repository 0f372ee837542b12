import { sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { describeBounds, type Tier } from "./tiers.ts";
import { common, gapsOf, overlap, type PastPrices } from "./warnings.ts";

// Prices of the last day, reconstructed from the log.

type StoredTier = Tier & { id: string };

/** Only so many of the newest entries are read. */
const mostEntries = 1000;

type Logged = { fromWeight: number; toWeight: number; price: number };
type Entry = { before: Logged | null; after: Logged | null };

/** The current and recent names of label types, since log entries name them so. */
async function namesOf(db: Database | Transaction, labelTypes: readonly LabelType[]): Promise<LabelType[]> {
  const ids = labelTypes.map(({ id }) => id);
  const { rows } = await db.execute<LabelType>(sql`
    select subject_id as id, before->>'name' as name from logs
    where subject_kind = 'label type' and subject_id = any(${sql.param(ids)}::uuid[]) and type = 'label'
      and created_at > now() - interval '1 day' and before->>'name' is not null
    order by created_at desc, id desc limit ${mostEntries}`);
  return [...labelTypes, ...rows];
}

export async function pastPrices(
  db: Database | Transaction,
  labelType: { id: string; name: string; maxWeight: number },
  standard: readonly StoredTier[],
): Promise<PastPrices> {
  const names = new Set((await namesOf(db, [labelType])).map(({ name }) => name));
  const { rows: entries } = await db.execute<Entry>(sql`
    select before, after
    from (select * from logs where type = 'pricing' and created_at > now() - interval '1 day'
          order by created_at desc, id desc limit ${mostEntries}) as newest
    where subject_kind = 'price' and (subject_id = any(${sql.param(standard.map(({ id }) => id))}::uuid[])
      or exists (select from unnest(${sql.param([...names])}::text[]) as given (name)
        where starts_with(action, 'Deleted a price for ' || name || ': ')
          or starts_with(action, 'Changed a price for ' || name || ' from ')
          or starts_with(action, 'Added a price for ' || name || ': ')))
    order by created_at desc, id desc`);
  const lately: Tier[] = [...standard];
  let aDayAgo: Tier[] = [...standard];
  for (const { before, after } of entries) {
    if (after) aDayAgo = aDayAgo.filter((tier) => !isSame(tier, tierOf(after)));
    if (!before) continue;
    const was = tierOf(before);
    aDayAgo.push(was);
    const gaps = gapsOf(lately, labelType.maxWeight).filter((gap) => overlap(gap, was));
    lately.push(...gaps.map((gap) => ({ ...common(gap, was), priceCents: was.priceCents })));
  }
  return { lately, aDayAgo };
}

const tierOf = ({ fromWeight, toWeight, price }: Logged): Tier => ({
  fromWeight,
  toWeight,
  priceCents: Math.round(price * 100),
});

const isSame = (one: Tier, other: Tier) =>
  one.fromWeight === other.fromWeight && one.toWeight === other.toWeight && one.priceCents === other.priceCents;

type OwnPrice = Tier & { labelTypeId: string };
type LabelType = { id: string; name: string };
type OwnLogged = (Logged & { labelType: string; prices?: undefined }) | Several;
/** Several prices by what they are for; null if there was none. */
type Several = { prices: Record<string, number | null> };
type OwnEntry = { before: OwnLogged | null; after: OwnLogged | null };

/** A customer's custom prices a day ago. */
export async function ownPricesADayAgo(
  db: Database | Transaction,
  customerId: string,
  labelTypes: readonly LabelType[],
  now: readonly OwnPrice[],
): Promise<OwnPrice[]> {
  const { rows: entries } = await db.execute<OwnEntry>(sql`
    select before, after from logs
    where customer_id = ${customerId} and type = 'pricing' and created_at > now() - interval '1 day'
    order by created_at desc, id desc limit ${mostEntries}`);
  const names = await namesOf(db, labelTypes);
  const ownOf = (logged: OwnLogged | null): OwnPrice[] => {
    if (!logged || logged.prices) return [];
    const labelType = names.find(({ name }) => name === logged.labelType);
    return labelType ? [{ labelTypeId: labelType.id, ...tierOf(logged) }] : [];
  };
  let earlier = [...now];
  for (const { before, after } of entries) {
    const [added] = ownOf(after);
    earlier = earlier.filter((price) => !added || added.labelTypeId !== price.labelTypeId || !isSame(added, price));
    if (before?.prices) earlier = earlier.flatMap((price) => asBefore(names, price, before));
    earlier.push(...ownOf(before));
  }
  return earlier;
}

function asBefore(labelTypes: readonly LabelType[], tier: OwnPrice, { prices }: Several): OwnPrice[] {
  const [price] = labelTypes
    .filter(({ id }) => id === tier.labelTypeId)
    .map((labelType) => prices[`${labelType.name} ${describeBounds(labelType, tier)}`])
    .filter((known) => known !== undefined);
  if (price === undefined) return [tier];
  return price === null ? [] : [{ ...tier, priceCents: Math.round(price * 100) }];
}
