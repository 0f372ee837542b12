import { refusal } from "@footprint/contract/refusal.ts";
import { eq, type Placeholder, sql } from "drizzle-orm";
import type { LogEntry } from "../../accounts/audit.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { isOneOfHidden } from "../../db/prepared.ts";
import { customers, customPrices, labelTypes, priceTiers } from "../../db/schema.ts";
import { dollars } from "../ledger.ts";
import { ownPricesADayAgo } from "./past.ts";
import { reprice, soldLately } from "./preview.ts";
import { describeBounds, type Tier } from "./tiers.ts";
import { isLarge, isStepAway, percentBetween } from "./warnings.ts";

/** A custom price, stored or about to be. */
export type OwnPrice = Tier & { labelTypeId: string };
type Bounds = { fromWeight: number; toWeight: number };

/** Locks the customer's row while something of theirs changes. */
export async function lockCustomer(tx: Transaction, id: string) {
  const [customer] = await tx.select().from(customers).where(eq(customers.id, id)).for("no key update");
  if (!customer) throw unknownCustomer();
  return customer;
}

export const unknownCustomer = () => refusal(404, "This customer does not exist");

/** Customers' custom prices, in the order that the index of a delete refers to. */
export function customPricesOf(db: Database | Transaction, customerIds: string[] | Placeholder) {
  return db
    .select({ price: customPrices, labelType: { id: labelTypes.id, name: labelTypes.name } })
    .from(customPrices)
    .innerJoin(labelTypes, eq(labelTypes.id, customPrices.labelTypeId))
    .where(isOneOfHidden(customPrices.customerId, customerIds))
    .orderBy(customPrices.createdAt, customPrices.id);
}

export const ownPrices = (tx: Transaction, customerId: string) =>
  tx.select().from(customPrices).where(eq(customPrices.customerId, customerId));

/** The label types of these prices, with their standard prices. */
export async function catalogueOf(db: Database | Transaction, prices: readonly { labelTypeId: string }[]) {
  const ids = [...new Set(prices.map(({ labelTypeId }) => labelTypeId))];
  const isOneOf = (column: typeof labelTypes.id | typeof priceTiers.labelTypeId) =>
    sql`${column} = any(${sql.param(ids)}::uuid[])`;
  const types = await db.select().from(labelTypes).where(isOneOf(labelTypes.id)).orderBy(labelTypes.name);
  const tiers = await db.select().from(priceTiers).where(isOneOf(priceTiers.labelTypeId));
  return types.map((type) => ({ ...type, tiers: tiers.filter(({ labelTypeId }) => labelTypeId === type.id) }));
}

export type Catalogue = Awaited<ReturnType<typeof catalogueOf>>;

/** What the label type's own tiers charge for the weights of a custom price; null if none covers them. */
export function standardFor(catalogue: Catalogue, { labelTypeId, fromWeight, toWeight }: OwnPrice) {
  const tiers = catalogue
    .find(({ id }) => id === labelTypeId)
    ?.tiers.filter((tier) => tier.fromWeight < toWeight && tier.toWeight > fromWeight);
  if (!tiers?.length) return null;
  const prices = tiers.map(({ priceCents }) => priceCents);
  const length = (from: number, to: number) => Math.round((to - from) * 1000);
  const covered = tiers.reduce(
    (sum, tier) => sum + length(Math.max(tier.fromWeight, fromWeight), Math.min(tier.toWeight, toWeight)),
    0,
  );
  return {
    lowest: Math.min(...prices),
    highest: Math.max(...prices),
    whole: covered === length(fromWeight, toWeight),
  };
}

/** What deserves a second look about prices. They are changed all the same. */
export type Warning = { kind: "change" | "free" | "gap" | "custom" | "unit"; message: string; weights: Bounds[] };

/** Beyond this many, warnings are only counted. */
const mostWarnings = 50;

/** What deserves a second look, and the largest change of the price of any weight. */
type Judged = { warnings: Warning[]; percent?: number };

/** For changes of a customer's custom prices. */
export async function judge(
  db: Database | Transaction,
  customerId: string,
  catalogue: Catalogue,
  before: OwnPrice[],
  after: OwnPrice[],
): Promise<Judged> {
  const aDayAgo = await ownPricesADayAgo(db, customerId, catalogue, before);
  let percent = 0;
  const all = catalogue.flatMap((labelType) => {
    const own = (prices: OwnPrice[]) => prices.filter(({ labelTypeId }) => labelTypeId === labelType.id);
    const pieces = changedPieces(labelType.tiers, own(aDayAgo), own(before), own(after));
    percent = Math.max(percent, ...pieces.map(percentOf));
    return joined(pieces.flatMap(remarksOn)).map(({ kind, text, ...bounds }) => ({
      kind,
      message: `${labelType.name} ${describeBounds(labelType, bounds)}: ${text}`,
      weights: [bounds],
    }));
  });
  const told: Warning[] = all.slice(0, mostWarnings);
  const [next] = all.slice(mostWarnings);
  if (next) told.push({ kind: next.kind, message: `And ${all.length - mostWarnings} more`, weights: [] });
  return { warnings: told, percent };
}

export const judgeChange = async (tx: Transaction, customerId: string, before: OwnPrice[], after: OwnPrice[]) =>
  judge(tx, customerId, await catalogueOf(tx, [...before, ...after]), before, after);

/** A range of weights with one price in each of these lists; undefined where a list has no price. */
type Piece = Bounds & Record<"standard" | "aDayAgo" | "before" | "after", number | undefined>;

/** The ranges of weights whose custom price changes, split wherever one of the lists changes its price. */
function changedPieces(standard: Tier[], aDayAgo: Tier[], before: Tier[], after: Tier[]): Piece[] {
  const bounds = [...standard, ...aDayAgo, ...before, ...after].flatMap(({ fromWeight, toWeight }) => [
    fromWeight,
    toWeight,
  ]);
  const sorted = [...new Set(bounds)].sort((a, b) => a - b);
  return sorted
    .slice(1)
    .map((toWeight, place) => {
      const priceIn = (tiers: Tier[]) =>
        tiers.find((tier) => tier.fromWeight < toWeight && toWeight <= tier.toWeight)?.priceCents;
      const prices = { standard: priceIn(standard), aDayAgo: priceIn(aDayAgo), before: priceIn(before) };
      return { fromWeight: sorted[place] as number, toWeight, ...prices, after: priceIn(after) };
    })
    .filter((piece) => piece.before !== piece.after);
}

function percentOf(piece: Piece): number {
  const { was, is, earlier } = costsOf(piece);
  if (was === undefined || is === undefined) return 0;
  return Math.max(percentBetween(was, is), earlier === undefined ? 0 : percentBetween(earlier, is));
}

/** What the customer pays and would pay; and what they paid a day ago, if this is a further step away from that. */
function costsOf({ standard, aDayAgo, before, after }: Piece) {
  const [earlier, was, is] = [aDayAgo, before, after].map((own) => own ?? standard);
  const isStep = earlier !== undefined && was !== undefined && is !== undefined && isStepAway(earlier, was, is);
  return { was, is, earlier: isStep ? earlier : undefined };
}

type Remark = Bounds & { kind: Warning["kind"]; text: string };

function remarksOn(piece: Piece): Remark[] {
  const { standard, after, fromWeight, toWeight } = piece;
  const bounds = { fromWeight, toWeight };
  const { was, is, earlier } = costsOf(piece);
  const remarks: Remark[] = [];
  const remark = (kind: Remark["kind"], text: string) => remarks.push({ kind, text, ...bounds });
  if (was !== undefined && is === undefined) remark("gap", `no price any more, was ${dollars(was)}`);
  if (was !== undefined && is !== undefined && isLarge(was, is))
    remark("change", `${dollars(was)} → ${dollars(is)}, ${inPercent(was, is)}`);
  if (earlier !== undefined && is !== undefined && isLarge(earlier, is))
    remark("change", `${dollars(earlier)} a day ago → ${dollars(is)}, ${inPercent(earlier, is)}`);
  if (after === 0) remark("free", "costs nothing");
  if (after !== undefined && standard !== undefined && after > standard)
    remark("custom", `${dollars(after)} is above the standard price of ${dollars(standard)}`);
  return remarks;
}

/** Merges equal remarks about adjoining weights. */
function joined(remarks: Remark[]): Remark[] {
  const all: Remark[] = [];
  for (const remark of remarks) {
    const last = all.findLast(({ kind, text }) => kind === remark.kind && text === remark.text);
    if (last?.toWeight === remark.fromWeight) last.toWeight = remark.toWeight;
    else all.push(remark);
  }
  return all;
}

/** "+12.5 %"; from nothing there is no percentage. */
function inPercent(was: number, is: number): string {
  if (was === 0) return "was free";
  return `${is > was ? "+" : "−"}${Math.abs(((is - was) / was) * 100).toFixed(1)} %`;
}

/** Adds the warnings, and by how much prices changed, to a log entry; unusual events are found by these. */
export function warned({ warnings, percent = 0 }: Judged, [type, action, change]: LogEntry): LogEntry {
  const told = {
    ...(percent > 0 && { percent }),
    ...(warnings.length > 0 && { warnings: warnings.map(({ message }) => message) }),
  };
  if (Object.keys(told).length === 0) return [type, action, change];
  return [type, action, { ...change, after: { ...(change?.after as object), ...told } }];
}

/** Raised or lowered by a percentage, to the nearest cent; half a cent is rounded up. */
export const raised = (cents: number, percent: number) =>
  Math.round((cents * Math.round(10_000 + percent * 100)) / 10_000);

type Buyer = { id: string; customPricingEnabled: boolean };

/** What a customer's orders of the last 30 days would have cost at other custom prices. */
export async function repriceOrders(
  db: Database | Transaction,
  { id: customerId, customPricingEnabled: isUsed }: Buyer,
  catalogue: Catalogue,
  before: OwnPrice[],
  after: OwnPrice[],
) {
  const sums = reprice([], nothing, nothing);
  for (const labelType of catalogue) {
    const by = (prices: OwnPrice[]) => ({
      standard: labelType.tiers,
      custom: prices
        .filter(({ labelTypeId }) => labelTypeId === labelType.id)
        .map((price) => ({ ...price, customerId, isUsed })),
    });
    const [was, is] = [by(before), by(after)];
    const { all, changed } = reprice(await soldLately(db, labelType, [was, is], customerId), was, is);
    sums.all = added(sums.all, all);
    sums.changed = added(sums.changed, changed);
  }
  return sums;
}

const nothing = { standard: [], custom: [] };

const added = <S extends Record<string, number>>(one: S, other: S) =>
  Object.fromEntries(Object.entries(one).map(([name, value]) => [name, value + (other[name] as number)])) as S;
