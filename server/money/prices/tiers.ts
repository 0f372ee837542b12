import { mostTiers } from "@footprint/contract/label-types.ts";
import { badInput, refusal } from "@footprint/contract/refusal.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { and, eq, getTableName, gt, lt, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { ifViolated } from "../../db/failures.ts";
import { prepared } from "../../db/prepared.ts";
import { type customPrices, labelTypes, priceTiers } from "../../db/schema.ts";
import { dollars } from "../ledger.ts";

type Bounds = { fromWeight: number; toWeight: number };
export type Tier = Bounds & { priceCents: number };
type TierTable = typeof priceTiers | typeof customPrices;
type LabelType = { name: string; maxWeight: number };

/** Locks the label type, while its tiers ("no key update") or a customer's prices for it ("share") change. */
export async function lockLabelType(tx: Transaction, id: string, strength: "no key update" | "share") {
  const [labelType] = await tx.select().from(labelTypes).where(eq(labelTypes.id, id)).for(strength);
  if (!labelType) throw refusal(404, "This label type does not exist");
  return labelType;
}

/** The tier as it is stored; 400 if it is outside the label type's weights. */
export function tierWithin(labelType: LabelType, { fromWeight, toWeight, price }: Bounds & { price: number }): Tier {
  const refuse = (message: string) => badInput("body.toWeight", message);
  if (fromWeight >= toWeight)
    throw refuse(
      `A price from ${describeWeight(labelType, fromWeight)} must reach higher than ${describeWeight(labelType, toWeight)}`,
    );
  if (toWeight > labelType.maxWeight)
    throw refuse(
      `${labelType.name} goes up to ${describeWeight(labelType, labelType.maxWeight)}: ${describeWeight(labelType, toWeight)} is too heavy`,
    );
  return { fromWeight, toWeight, priceCents: price };
}

/** Refuses a tier that shares a weight with another; `among` are the tiers it is compared with. */
export async function refuseOverlap(
  tx: Transaction,
  table: TierTable,
  labelType: LabelType & { id: string },
  { fromWeight, toWeight }: Bounds,
  among?: SQL,
) {
  const tiers = table as typeof priceTiers;
  // Tiers that only touch do not overlap.
  const overlaps = and(lt(tiers.fromWeight, toWeight), gt(tiers.toWeight, fromWeight));
  const [other] = await tx
    .select()
    .from(tiers)
    .where(and(eq(tiers.labelTypeId, labelType.id), among, overlaps))
    .orderBy(tiers.fromWeight)
    .limit(1);
  if (other) throw refusal(409, `Overlaps with ${describeTier(labelType, other)}`);
}

/** The same for a whole table. */
export function refuseOverlaps(labelType: LabelType, tiers: readonly Tier[]): void {
  const sorted = tiers.toSorted((a, b) => a.fromWeight - b.fromWeight);
  for (const [place, tier] of sorted.entries()) {
    const next = sorted[place + 1];
    if (next && next.fromWeight < tier.toWeight)
      throw refusal(409, `${describeTier(labelType, next)} overlaps with ${describeTier(labelType, tier)}`);
  }
}

/** Enabled label types that have weights, up to their heaviest, without a price. */
export async function withPriceGaps(db: Database) {
  const query = prepared(db, "price gaps", () => {
    // Tiers of a label type never overlap, so they cover everything if their lengths add up to the whole range.
    const covered = sql`coalesce(sum(least(${priceTiers.toWeight}, ${labelTypes.maxWeight})
      - least(${priceTiers.fromWeight}, ${labelTypes.maxWeight})), 0)`;
    return db
      .select({ _id: labelTypes.id, name: labelTypes.name })
      .from(labelTypes)
      .leftJoin(priceTiers, eq(priceTiers.labelTypeId, labelTypes.id))
      .where(eq(labelTypes.active, true))
      .groupBy(labelTypes.id)
      .having(sql`${covered} < ${labelTypes.maxWeight}`)
      .orderBy(labelTypes.name)
      .prepare("");
  });
  return query.execute();
}

/** For one tier that is about to be added to those that `where` finds. */
export async function refuseTooMany(tx: Transaction, table: TierTable, where: SQL, whose: string): Promise<void> {
  if ((await tx.$count(table, where)) >= mostTiers)
    throw refusal(409, `${whose} has ${mostTiers} prices already: delete one before adding another`);
}

/** The last resort, for tiers that were changed without the locks. */
export const refuseOverlapMeanwhile = (table: TierTable) =>
  ifViolated(`${getTableName(table)}_no_overlap`, () =>
    refusal(409, "Overlaps with a price that was added meanwhile. Reload the list."),
  );

/** "0–5 lb at $4.20" */
export function describeTier(labelType: { name: string }, tier: Tier): string {
  return `${describeBounds(labelType, tier)} at ${dollars(tier.priceCents)}`;
}

/** "0–5 lb" */
export function describeBounds(labelType: { name: string }, { fromWeight, toWeight }: Bounds): string {
  return `${fromWeight}–${describeWeight(labelType, toWeight)}`;
}

/** "5 lb", or "5 oz" for first class mail. */
export function describeWeight(labelType: { name: string }, weight: number): string {
  return `${weight} ${weightUnit(labelType.name)}`;
}

/** In the log's form. */
export function loggedTier({ fromWeight, toWeight, priceCents }: Tier) {
  return { fromWeight, toWeight, price: priceCents / 100 };
}
