import { mostTiers } from "@footprint/contract/label-types.ts";
import { badInput, refusal } from "@footprint/contract/refusal.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import { record, system } from "../../accounts/audit.ts";
import type { Actor } from "../../accounts/sessions.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { failureCode } from "../../db/failures.ts";
import { prepared } from "../../db/prepared.ts";
import { accounts, labelTypes, scheduledPrices } from "../../db/schema.ts";
import { because } from "../corrections.ts";
import {
  type Change,
  changesBetween,
  changeTiers,
  compareTables,
  type loggedPlan,
  presentTierChange,
  type StoredTier,
} from "./changes.ts";
import { standardOf } from "./preview.ts";
import { describeBounds, describeTier, lockLabelType, refuseOverlaps, type Tier, tierWithin } from "./tiers.ts";

type LabelType = { id: string; name: string; maxWeight: number };
type Scheduled = typeof scheduledPrices.$inferSelect;

/** Per label type, so that the list stays readable. */
const mostWaiting = 50;

/** Only one server at a time makes due changes, so that they are made in the order of their times. */
const dueLock = 7400_0007;

/** The time that the caller wrote; without a timezone, in the business's. */
export async function momentOf(tx: Transaction, text: string): Promise<Date> {
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(text);
  const at = hasZone ? sql`${text}::timestamptz` : sql`${text}::timestamp at time zone (select timezone from settings)`;
  // When clocks go forward an hour is skipped, and a time in it comes back as another.
  const isNone = hasZone ? sql`false` : sql`${at} at time zone (select timezone from settings) <> ${text}::timestamp`;
  const { rows } = await tx.execute<{ at: string; isNone: boolean; isLate: boolean; isFar: boolean }>(sql`
    select to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
      ${isNone} as "isNone", ${at} <= now() as "isLate", ${at} > now() + interval '2 years' as "isFar"`);
  const [moment] = rows;
  if (!moment || moment.isLate) throw badInput("body.at", "This moment has passed");
  if (moment.isNone)
    throw badInput("body.at", "There is no such time on that day: the clocks go forward. Choose an hour later.");
  if (moment.isFar) throw badInput("body.at", "This is more than two years ahead");
  return new Date(moment.at);
}

type Wanted = { wholeTable: boolean; was: readonly StoredTier[]; prices: (Tier & { id?: string })[] };

type Why = { at: Date; reason: string; actor: Actor; timezone: string; told: ReturnType<typeof loggedPlan> };

/** Stores a change until its time. Returns that time in words. */
export async function schedule(
  tx: Transaction,
  labelType: LabelType,
  { wholeTable, was, prices }: Wanted,
  { at, reason, actor, timezone, told }: Why,
): Promise<string> {
  const isWaiting = and(eq(scheduledPrices.labelTypeId, labelType.id), eq(scheduledPrices.status, "waiting"));
  const waiting = await tx.$count(scheduledPrices, isWaiting);
  if (waiting >= mostWaiting)
    throw refusal(409, `${labelType.name} has ${mostWaiting} scheduled changes already: take one back first`);
  const kept = was.map(keptTier);
  // If other changes are waiting, this one may be a return to today's prices.
  if (waiting === 0 && !compareTables(kept, prices).some(isDifferent))
    throw refusal(409, `The prices of ${labelType.name} are like that already`);
  const wanted = prices.map(keptTier);
  const isSame = and(isWaiting, eq(scheduledPrices.at, at), eq(scheduledPrices.wholeTable, wholeTable));
  const sameMoment = await tx.select({ prices: scheduledPrices.prices }).from(scheduledPrices).where(isSame);
  if (sameMoment.some((other) => inOrder(other.prices) === inOrder(wanted)))
    throw refusal(409, `This is scheduled for ${inZone(at, timezone)} already`);
  await tx.insert(scheduledPrices).values({
    labelTypeId: labelType.id,
    at,
    wholeTable,
    unit: weightUnit(labelType.name),
    was: kept,
    prices: wanted,
    reason,
    warnings: told.warnings,
    actor: actor.username,
    actorId: actor.id,
  });
  const words = inZone(at, timezone);
  const sentence = `Scheduled prices for ${labelType.name} from ${words}: ${changesInWords(labelType, kept, prices)}`;
  const after = {
    from: at.toISOString(),
    ...(told.percent > 0 && { percent: told.percent }),
    ...(told.warnings.length > 0 && { warnings: told.warnings }),
  };
  await record(tx, actor, ...because(reason, ["pricing", sentence, { after, about: aboutType(labelType.id) }]));
  return words;
}

const keptTier = ({ id, fromWeight, toWeight, priceCents }: Tier & { id?: string }) => ({
  ...(id !== undefined && { id }),
  fromWeight,
  toWeight,
  priceCents,
});

const inOrder = (prices: readonly Tier[]) =>
  JSON.stringify(
    prices
      .map(({ fromWeight, toWeight, priceCents }) => [fromWeight, toWeight, priceCents])
      .sort(([one = 0], [other = 0]) => one - other),
  );

const aboutType = (id: string) => ({ kind: "label type" as const, id });

/** "Dec 1, 2026, 00:00"; "Nov 7, 2027, 01:30 EST" in the hour that occurs twice. */
function inZone(at: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
    ...{ hourCycle: "h23", timeZone },
  });
  const words = format.format(at);
  const isTwice = [-60, -30, 30, 60].some((minutes) => format.format(at.getTime() + minutes * 60_000) === words);
  if (!isTwice) return words;
  const named = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "short" }).formatToParts(at);
  return `${words} ${named.find(({ type }) => type === "timeZoneName")?.value}`;
}

/** Most prices named in a sentence. */
const mostNamed = 5;

type ComparedTier = ReturnType<typeof compareTables<Tier>>[number];
const isDifferent = ({ before, after }: ComparedTier) => before?.priceCents !== after?.priceCents;

/** The prices that differ from today's; all of them if the change returns to today's after another one. */
function tiersToShow(was: readonly Tier[], prices: readonly Tier[]): ComparedTier[] {
  const compared = compareTables(was, prices);
  const changed = compared.filter(isDifferent);
  return changed.length > 0 ? changed : compared;
}

function changesInWords(labelType: LabelType, was: readonly Tier[], prices: readonly Tier[]): string {
  const changed = tiersToShow(was, prices);
  const named = changed
    .slice(0, mostNamed)
    .map(({ before, after }) =>
      after ? describeTier(labelType, after) : `none for ${describeBounds(labelType, before as Tier)}`,
    );
  const more = changed.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
}

/** A label type's waiting and failed changes, the next one first. */
export async function scheduledOf(db: Database, labelTypeId: string) {
  const rows = await db
    .select()
    .from(scheduledPrices)
    .where(and(eq(scheduledPrices.labelTypeId, labelTypeId), inArray(scheduledPrices.status, ["waiting", "failed"])))
    .orderBy(asc(scheduledPrices.at), asc(scheduledPrices.id));
  return rows.map((row) => ({
    ...row,
    _id: row.id,
    status: row.status === "failed" ? ("failed" as const) : ("waiting" as const),
    changes: tiersToShow(row.was, row.prices).map(presentTierChange),
    by: row.actor,
  }));
}

/** Label types with a failed scheduled change. */
export const withFailedPrices = (db: Database) =>
  prepared(db, "failed prices", () =>
    db
      .selectDistinct({ _id: labelTypes.id, name: labelTypes.name })
      .from(scheduledPrices)
      .innerJoin(labelTypes, eq(labelTypes.id, scheduledPrices.labelTypeId))
      .where(sql`${scheduledPrices.status} = 'failed'`)
      .orderBy(labelTypes.name)
      .prepare(""),
  ).execute();

export async function withdraw(tx: Transaction, id: string, reason: string, actor: Actor, timezone: string) {
  const [row] = await tx.select().from(scheduledPrices).where(eq(scheduledPrices.id, id)).for("update");
  if (!row) throw refusal(404, "This scheduled change does not exist");
  if (row.status === "done") throw refusal(409, "This change was made already");
  if (row.status === "withdrawn") throw refusal(409, "This change was taken back already");
  const [labelType] = await tx.select().from(labelTypes).where(eq(labelTypes.id, row.labelTypeId));
  await end(tx, row, { status: "withdrawn" });
  const act = row.status === "failed" ? "Dismissed the failed change of" : "Took back the change of";
  const sentence = `${act} prices for ${labelType?.name} from ${inZone(row.at, timezone)}`;
  const about = aboutType(row.labelTypeId);
  await record(tx, actor, ...because(reason, ["pricing", sentence, { before: { from: row.at.toISOString() }, about }]));
  return row.status === "failed" ? "Dismissed" : "The scheduled change is taken back";
}

async function end(
  tx: Transaction,
  { id, status }: Scheduled,
  values: { status: Scheduled["status"]; problem?: string },
) {
  const ended = await tx
    .update(scheduledPrices)
    .set({ ...values, endedAt: sql`now()` })
    .where(and(eq(scheduledPrices.id, id), eq(scheduledPrices.status, status)))
    .returning({ id: scheduledPrices.id });
  if (ended.length !== 1) throw new Error("a scheduled change of prices was ended twice");
}

/** Makes the changes that are due by the database's clock, each in its own transaction. */
export async function makeScheduledChanges(db: Database): Promise<void> {
  let tried: Scheduled | undefined;
  const isGoingOn = () =>
    db.transaction((tx) =>
      makeNext(tx, (row) => {
        tried = row;
      }),
    );
  try {
    while (await isGoingOn()) tried = undefined;
  } catch (error) {
    const row = tried;
    if (row) await db.transaction((tx) => noteAttempt(tx, row, error));
    throw error;
  }
}

/** After so many unexplained failures a change makes way for those after it. */
const mostAttempts = 5;

async function noteAttempt(tx: Transaction, { id }: Scheduled, error: unknown) {
  const [row] = await tx
    .update(scheduledPrices)
    .set({ attempts: sql`${scheduledPrices.attempts} + 1` })
    .where(and(eq(scheduledPrices.id, id), eq(scheduledPrices.status, "waiting")))
    .returning();
  if (!row || row.attempts < mostAttempts) return;
  const code = failureCode(error);
  await fail(tx, row, `It failed ${mostAttempts} times${code ? ` (${code})` : ""}: the server's own log says why`);
}

async function fail(tx: Transaction, row: Scheduled, problem: string) {
  const [labelType] = await tx.select().from(labelTypes).where(eq(labelTypes.id, row.labelTypeId));
  await end(tx, row, { status: "failed", problem });
  const data = { after: { from: row.at.toISOString(), problem }, about: aboutType(row.labelTypeId) };
  await record(tx, system, "pricing", `Scheduled prices for ${labelType?.name} were not set: ${problem}`, data);
}

/** False if none is due, or another server is making them. */
async function makeNext(tx: Transaction, begin: (row: Scheduled) => void): Promise<boolean> {
  const { rows } = await tx.execute<{ mine: boolean }>(sql`select pg_try_advisory_xact_lock(${dueLock}) as mine`);
  if (!rows[0]?.mine) return false;
  const [row] = await tx
    .select()
    .from(scheduledPrices)
    .where(and(eq(scheduledPrices.status, "waiting"), lte(scheduledPrices.at, sql`now()`)))
    .orderBy(asc(scheduledPrices.at), asc(scheduledPrices.id))
    .limit(1)
    .for("update");
  if (!row) return false;
  begin(row);
  const labelType = await lockLabelType(tx, row.labelTypeId, "no key update");
  try {
    const changes = await fittingChanges(tx, labelType, row);
    const actor = { kind: "account" as const, id: row.actorId, username: row.actor };
    await changeTiers(tx, labelType, changes, { actor, reason: row.reason, isScheduled: true });
    await end(tx, row, { status: "done" });
  } catch (error) {
    // It no longer fits, which is found before anything is changed.
    if (!(error instanceof Error && "statusCode" in error)) throw error;
    await fail(tx, row, error.message);
  }
  return true;
}

/**
 * The changes to make now; refused if they are not what was confirmed. The prices of tiers may have changed meanwhile.
 */
async function fittingChanges(tx: Transaction, labelType: LabelType, row: Scheduled): Promise<Change[]> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, row.actorId));
  if (!account) throw refusal(409, `The account ${row.actor} was deleted`);
  if (account.suspendedAt) throw refusal(409, `The account ${row.actor} is suspended`);
  if (account.role !== "admin") throw refusal(409, `The account ${row.actor} is not an administrator any more`);
  if (row.unit !== weightUnit(labelType.name))
    throw refusal(409, `${labelType.name} is weighed in ${weightUnit(labelType.name)} by now, not in ${row.unit}`);
  const now = await standardOf(tx, labelType);
  const known = new Map(now.map((tier) => [tier.id, tier]));
  for (const was of row.was) {
    const tier = known.get(was.id ?? "");
    const weights = describeBounds(labelType, was);
    if (!tier) throw refusal(409, `The price for ${weights} was deleted meanwhile`);
    if (tier.fromWeight !== was.fromWeight || tier.toWeight !== was.toWeight)
      throw refusal(409, `The price for ${weights} is for ${describeBounds(labelType, tier)} by now`);
    if (row.wholeTable) known.delete(tier.id);
  }
  const [stranger] = row.wholeTable ? known.values() : [];
  if (stranger) throw refusal(409, `A price for ${describeBounds(labelType, stranger)} was added meanwhile`);

  for (const { priceCents: price, ...bounds } of row.prices) tierWithin(labelType, { ...bounds, price });
  const changes = row.wholeTable
    ? changesBetween(now, row.prices)
    : row.prices.map((tier) => ({ before: known.get(tier.id ?? "") as StoredTier, after: tier as StoredTier }));
  const concerned = new Set(changes.map(({ before }) => before?.id));
  const then = [...now.filter(({ id }) => !concerned.has(id)), ...changes.flatMap(({ after }) => after ?? [])];
  refuseOverlaps(labelType, then);
  if (then.length > mostTiers) throw refusal(409, `${labelType.name} would have more than ${mostTiers} prices`);
  return changes;
}
