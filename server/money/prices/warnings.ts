import { usualChange } from "@footprint/contract/unusual.ts";
import { sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { dollars } from "../ledger.ts";
import { describeBounds, type Tier } from "./tiers.ts";

// What deserves a second look before prices change. Only new problems are reported, so nobody is warned twice about the
// same.

type LabelType = { name: string; maxWeight: number };
type Bounds = { fromWeight: number; toWeight: number };
export type Warning = {
  kind: "change" | "free" | "order" | "gap" | "custom";
  message: string;
  weights: Bounds[];
  customers?: { _id: string; username: string; fromWeight: number; toWeight: number; price: number }[];
};

/**
 * `lately` are the current prices and, for weights without one, the last price within the day, so that deleting a price
 * and adding it again counts as a change. `aDayAgo` were in force a day ago.
 */
export type PastPrices = { lately: Tier[]; aDayAgo: Tier[] };

/** Most custom prices named. */
const mostNamed = 20;

/** For replacing a table of prices. */
export function tableWarnings(
  labelType: LabelType,
  past: PastPrices,
  before: readonly Tier[],
  after: readonly Tier[],
): Warning[] {
  return [
    ...largeChanges(labelType, past.lately, after),
    ...changesInADay(labelType, past, after),
    ...freeTiers(labelType, before, after),
    ...cheaperAbove(labelType, before, after),
    ...gapsOpened(labelType, before, after),
  ];
}

export const overlap = (one: Bounds, other: Bounds) =>
  one.fromWeight < other.toWeight && other.fromWeight < one.toWeight;

/**
 * Compared by weight, whatever the tiers are called: a tier that moves is compared with the former prices of its
 * weights.
 */
const largeChanges = (labelType: LabelType, before: readonly Tier[], after: readonly Tier[]): Warning[] =>
  after.flatMap((tier) =>
    before
      .filter((was) => overlap(was, tier) && isLarge(was.priceCents, tier.priceCents))
      .map((was): Warning => {
        const weights = common(was, tier);
        const words = `${dollars(was.priceCents)} to ${dollars(tier.priceCents)}`;
        const message = `${describeBounds(labelType, weights)}: ${words} is ${inPercent(was.priceCents, tier.priceCents)}`;
        return { kind: "change", message, weights: [weights] };
      }),
  );

/** Small steps that add up: those that lead further away from the price of a day ago. */
const changesInADay = (labelType: LabelType, past: PastPrices, after: readonly Tier[]): Warning[] =>
  after.flatMap((tier) =>
    stepsAway(past, tier)
      .filter(({ earlier }) => isLarge(earlier, tier.priceCents))
      .map(({ earlier, weights }): Warning => {
        const words = `${dollars(earlier)} a day ago to ${dollars(tier.priceCents)}`;
        const message = `${describeBounds(labelType, weights)}: ${words} is ${inPercent(earlier, tier.priceCents)}`;
        return { kind: "change", message, weights: [weights] };
      }),
  );

const stepsAway = ({ lately, aDayAgo }: PastPrices, tier: Tier) =>
  aDayAgo
    .filter((earlier) => overlap(earlier, tier))
    .flatMap((earlier) =>
      lately
        .filter(
          (was) =>
            overlap(was, common(earlier, tier)) && isStepAway(earlier.priceCents, was.priceCents, tier.priceCents),
        )
        .map((was) => ({ earlier: earlier.priceCents, weights: common(was, common(earlier, tier)) })),
    );

/** A small step away from a price that already differs from a day ago, and not back towards that. */
export const isStepAway = (earlier: number, was: number, is: number) =>
  earlier !== was && !isLarge(was, is) && Math.abs(is - earlier) > Math.abs(was - earlier);

export const isLarge = (was: number, is: number) => Math.abs(is - was) * 100 > usualChange * was;

/** The percentage by which a price changes, up or down, to the hundredth; 100 from nothing to something. */
export function percentBetween(was: number, is: number): number {
  if (was === 0) return is === 0 ? 0 : 100;
  return Math.round((Math.abs(is - was) / was) * 10_000) / 100;
}

/** The largest change of the price of any weight in a tier, in one step or in several within a day. */
export const largestChange = (past: PastPrices, tier: Tier) =>
  Math.max(
    0,
    ...past.lately.filter((was) => overlap(was, tier)).map((was) => percentBetween(was.priceCents, tier.priceCents)),
    ...stepsAway(past, tier).map(({ earlier }) => percentBetween(earlier, tier.priceCents)),
  );

/** "99.3 % less" */
function inPercent(was: number, is: number): string {
  if (was === 0) return "no longer free";
  const percent = Math.round((Math.abs(is - was) / was) * 1000) / 10;
  return `${percent} % ${is < was ? "less" : "more"}`;
}

export const common = (one: Bounds, other: Bounds): Bounds => ({
  fromWeight: Math.max(one.fromWeight, other.fromWeight),
  toWeight: Math.min(one.toWeight, other.toWeight),
});

function freeTiers(labelType: LabelType, before: readonly Tier[], after: readonly Tier[]): Warning[] {
  const wasFree = (tier: Tier) => before.some((was) => was.priceCents === 0 && contains(was, tier));
  return after
    .filter((tier) => tier.priceCents === 0 && !wasFree(tier))
    .map((tier) => ({
      kind: "free",
      message: `${describeBounds(labelType, tier)} would be free`,
      weights: [boundsOf(tier)],
    }));
}

const contains = (outer: Bounds, inner: Bounds) =>
  outer.fromWeight <= inner.fromWeight && inner.toWeight <= outer.toWeight;

function cheaperAbove(labelType: LabelType, before: readonly Tier[], after: readonly Tier[]): Warning[] {
  const pairs = (tiers: readonly Tier[]) => {
    const sorted = byWeight(tiers);
    return sorted.slice(1).map((tier, place) => [sorted[place] as Tier, tier] as const);
  };
  const isFalling = ([lighter, heavier]: readonly [Tier, Tier]) => heavier.priceCents < lighter.priceCents;
  const nameOf = ([lighter, heavier]: readonly [Tier, Tier]) => `${weights(lighter)} then ${weights(heavier)}`;
  const weights = (tier: Tier) => describeBounds(labelType, tier);
  const known = new Set(pairs(before).filter(isFalling).map(nameOf));
  return pairs(after)
    .filter((pair) => isFalling(pair) && !known.has(nameOf(pair)))
    .map(([lighter, heavier]) => ({
      kind: "order",
      message: `${weights(heavier)} at ${dollars(heavier.priceCents)} would cost less than ${weights(lighter)} at ${dollars(lighter.priceCents)}`,
      weights: [boundsOf(lighter), boundsOf(heavier)],
    }));
}

const byWeight = <T extends Bounds>(tiers: readonly T[]) => tiers.toSorted((a, b) => a.fromWeight - b.fromWeight);

/** The weights, up to the heaviest, that have a price now and would lose it. */
function gapsOpened(labelType: LabelType, before: readonly Tier[], after: readonly Tier[]): Warning[] {
  const had = joined(before);
  return gapsOf(after, labelType.maxWeight)
    .flatMap((gap) => had.filter((was) => overlap(was, gap)).map((was) => common(was, gap)))
    .map((gap) => ({ kind: "gap", message: `${describeBounds(labelType, gap)} would have no price`, weights: [gap] }));
}

/** Merges bounds that touch. */
function joined(tiers: readonly Bounds[]): Bounds[] {
  const all: Bounds[] = [];
  for (const { fromWeight, toWeight } of byWeight(tiers)) {
    const last = all.at(-1);
    if (last && last.toWeight >= fromWeight) last.toWeight = Math.max(last.toWeight, toWeight);
    else all.push({ fromWeight, toWeight });
  }
  return all;
}

export function gapsOf(tiers: readonly Bounds[], maxWeight: number): Bounds[] {
  const covered = joined(tiers);
  const starts = [0, ...covered.map(({ toWeight }) => toWeight)];
  const ends = [...covered.map(({ fromWeight }) => fromWeight), maxWeight];
  return starts
    .map((fromWeight, place) => ({ fromWeight, toWeight: ends[place] as number }))
    .filter(({ fromWeight, toWeight }) => fromWeight < toWeight);
}

/** Custom prices in use that would be above the standard for some of their weights, and are not today. */
export async function customAboveStandard(
  db: Database | Transaction,
  labelTypeId: string,
  before: readonly Tier[],
  after: readonly Tier[],
): Promise<Warning[]> {
  const isAbove = (standard: readonly Tier[]) => sql`exists (
    select from jsonb_to_recordset(${JSON.stringify(standard)}::jsonb)
      as tier ("fromWeight" numeric, "toWeight" numeric, "priceCents" bigint)
    where tier."fromWeight" < to_weight and from_weight < tier."toWeight" and tier."priceCents" < price_cents)`;
  const fresh = after.filter((tier) => !before.some((was) => isSamePrice(was, tier)));
  if (fresh.length === 0) return [];
  const { rows } = await db.execute<{ _id: string; username: string; total: string } & Record<keyof Tier, string>>(sql`
    select customers.id as _id, username, from_weight as "fromWeight", to_weight as "toWeight",
      price_cents as "priceCents", count(*) over () as total
    from custom_prices join customers on customers.id = customer_id
    where label_type_id = ${labelTypeId} and custom_pricing_enabled and ${isAbove(fresh)} and not ${isAbove(before)}
    order by username, from_weight limit ${mostNamed}`);
  const total = Number(rows[0]?.total ?? 0);
  if (total === 0) return [];
  const many = total === 1 ? "One custom price" : `${total.toLocaleString("en-US")} custom prices`;
  const message = `${many} would be above the standard${total > mostNamed ? ", among them" : ""}`;
  const customers = rows.map(({ _id, username, fromWeight, toWeight, priceCents }) => ({
    ...{ _id, username },
    ...{ fromWeight: Number(fromWeight), toWeight: Number(toWeight), price: Number(priceCents) },
  }));
  return [{ kind: "custom", message, weights: customers.map(boundsOf), customers }];
}

const boundsOf = ({ fromWeight, toWeight }: Bounds): Bounds => ({ fromWeight, toWeight });

const isSamePrice = (one: Tier, other: Tier) =>
  one.fromWeight === other.fromWeight && one.toWeight === other.toWeight && one.priceCents === other.priceCents;
