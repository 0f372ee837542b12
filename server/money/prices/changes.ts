import { eq, inArray } from "drizzle-orm";
import { type Author, type LogEntry, record } from "../../accounts/audit.ts";
import type { Transaction } from "../../db/database.ts";
import { uuidv7 } from "../../db/ids.ts";
import { priceTiers } from "../../db/schema.ts";
import { tell } from "../../outbox/outbox.ts";
import { because } from "../corrections.ts";
import { pricesChanged } from "../happenings.ts";
import { dollars } from "../ledger.ts";
import { addedPrice } from "../trade-log.ts";
import { pastPrices } from "./past.ts";
import { standardOf, standardWarnings } from "./preview.ts";
import { describeTier, loggedTier, refuseOverlapMeanwhile, type Tier } from "./tiers.ts";
import { largestChange, overlap, type Warning } from "./warnings.ts";

type LabelType = { id: string; name: string; maxWeight: number };
export type StoredTier = Tier & { id: string };
/** An added tier has no `before`, a removed one no `after`. */
export type Change = { before?: StoredTier; after?: StoredTier };
type Why = { actor: Author; reason: string; isScheduled?: boolean };

/**
 * Changes tiers of a locked label type, each with a row in the log, and returns what deserves a second look. The caller
 * checks that the tiers fit together.
 */
export async function changeTiers(tx: Transaction, labelType: LabelType, changes: Change[], why: Why) {
  const judged = await judge(tx, labelType, changes);
  const removed = changes.flatMap(({ before, after }) => (before && !after ? [before.id] : []));
  if (removed.length > 0) await tx.delete(priceTiers).where(inArray(priceTiers.id, removed));
  for (const { before, after } of changes)
    if (before && after) {
      const { fromWeight, toWeight, priceCents } = after;
      await tx
        .update(priceTiers)
        .set({ fromWeight, toWeight, priceCents })
        .where(eq(priceTiers.id, before.id))
        .catch(refuseOverlapMeanwhile(priceTiers));
    }
  const added = changes.flatMap(({ before, after }) => (after && !before ? [after] : []));
  if (added.length > 0)
    await tx
      .insert(priceTiers)
      .values(added.map((tier) => ({ ...tier, labelTypeId: labelType.id })))
      .catch(refuseOverlapMeanwhile(priceTiers));
  for (const change of changes) await record(tx, why.actor, ...entryOf(labelType, change, judged, why));
  await tell(tx, await pricesChanged(tx, labelType.id));
  return judged.warnings;
}

/** What deserves a second look about a change that is not made yet, and what its weights cost before. */
export async function judge(tx: Transaction, labelType: LabelType, changes: Change[]) {
  const now = await standardOf(tx, labelType);
  const concerned = new Set(changes.map(({ before }) => before?.id));
  const stay = now.filter(({ id }) => !concerned.has(id));
  const then = [...stay, ...changes.flatMap(({ after }) => after ?? [])];
  const past = await pastPrices(tx, labelType, now);
  return { warnings: await standardWarnings(tx, labelType, past, now, then), past };
}

type Judged = Awaited<ReturnType<typeof judge>>;

/** What the log stores about a scheduled change. */
export const loggedPlan = ({ warnings, past }: Judged, changes: Change[]) => ({
  percent: Math.max(0, ...changes.flatMap(({ after }) => (after ? largestChange(past, after) : []))),
  warnings: warnings.map(inWords),
});

function entryOf(labelType: LabelType, change: Change, judged: Judged, { reason, isScheduled }: Why): LogEntry {
  const [type, sentence, data] = plainEntry(labelType, change);
  const concerns = ({ weights }: Warning) =>
    weights.some((some) => [change.before, change.after].some((tier) => tier && overlap(tier, some)));
  const percent = change.after ? largestChange(judged.past, change.after) : 0;
  const told = judged.warnings.filter(concerns).map(inWords);
  const after = {
    ...(data?.after as object),
    ...(isScheduled && { scheduled: true }),
    ...(percent > 0 && { percent }),
    ...(told.length > 0 && { warnings: told }),
  };
  return because(reason, [
    type,
    isScheduled ? `${sentence}, as scheduled` : sentence,
    { ...data, ...(Object.keys(after).length > 0 && { after }) },
  ]);
}

function plainEntry(labelType: LabelType, { before, after }: Change): LogEntry {
  if (!before) {
    if (!after) throw new Error("a change without tiers");
    return addedPrice(labelType, after);
  }
  const about = { kind: "price" as const, id: before.id };
  const was = describeTier(labelType, before);
  if (!after)
    return ["pricing", `Deleted a price for ${labelType.name}: ${was}`, { before: loggedTier(before), about }];
  return [
    "pricing",
    `Changed a price for ${labelType.name} from ${was} to ${describeTier(labelType, after)}`,
    { before: loggedTier(before), after: loggedTier(after), about },
  ];
}

function inWords({ message, customers = [] }: Warning): string {
  if (customers.length === 0) return message;
  return `${message}: ${customers.map(({ username, price }) => `${username} ${dollars(price)}`).join(", ")}`;
}

/** The changes that turn one table into another. A tier is the same as long as its bounds are. */
export function changesBetween(before: readonly StoredTier[], wanted: readonly Tier[]): Change[] {
  const changes = compareTables(before, wanted).filter(({ before, after }) => before?.priceCents !== after?.priceCents);
  return changes.map(({ before, after }) => ({
    ...(before && { before }),
    ...(after && { after: { ...after, id: before?.id ?? uuidv7() } }),
  }));
}

/** The tiers of both tables by weight; unchanged ones appear once. */
export function compareTables<T extends Tier>(before: readonly T[], wanted: readonly Tier[]) {
  const nameOf = ({ fromWeight, toWeight }: Tier) => `${fromWeight} to ${toWeight}`;
  const known = new Map(before.map((tier) => [nameOf(tier), tier]));
  const names = new Set(wanted.map(nameOf));
  const fates: { before?: T | undefined; after?: Tier }[] = [
    ...wanted.map((after) => ({ before: known.get(nameOf(after)), after })),
    ...before.filter((tier) => !names.has(nameOf(tier))).map((tier) => ({ before: tier })),
  ];
  const startOf = ({ before, after }: (typeof fates)[number]) => (after ?? before)?.fromWeight ?? 0;
  return fates.sort((one, other) => startOf(one) - startOf(other));
}

/** In the contract's form. */
export const presentTierChange = ({ before, after }: { before?: Tier | undefined; after?: Tier }) => {
  const { fromWeight, toWeight } = (after ?? before) as Tier;
  const [was, price] = [before?.priceCents ?? null, after?.priceCents ?? null];
  const fate = was === null ? "new" : price === null ? "removed" : was === price ? "unchanged" : "changed";
  return { fate, fromWeight, toWeight, was, price } as const;
};
