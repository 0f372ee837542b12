import { refusal } from "@footprint/contract/refusal.ts";
import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { orders, plainTracking, trackingCodes } from "../db/schema.ts";

type LabelType = { codes: string | null };

/** Any number that all Footprint servers agree on. */
const codesLock = sql.raw("74000004");
/**
 * Registering codes and selling labels with codes of the shop's own check each other, so they never run at the same
 * moment.
 */
export const beforeRegistering = sql`select pg_advisory_xact_lock(${codesLock})`;
const beforeSelling = sql`select pg_advisory_xact_lock_shared(${codesLock})`;

/** The first of these codes that is already on an order, however it is written there. */
export async function carriedByOrder(tx: Transaction, codes: string[]): Promise<string | undefined> {
  const { rows } = await tx.execute<{ code: string }>(sql`
    select ${plainTracking(orders.tracking)} as code from ${orders}
    where ${plainTracking(orders.tracking)} = any(${sql.param(codes)}::text[]) order by 1 limit 1`);
  return rows[0]?.code;
}

/** A carrier's code in comparable form: its digits, without 420 and a zip code in front. */
const codeIn = (tracking: string) =>
  tracking.replace(/[^0-9]/g, "").replace(/^420[0-9]{5}([0-9]{4})?(?=9[0-9]{21}$)/, "");

const isCode = (digits: string) => /^9[0-9]{21}$/.test(digits);

/** Parts of a tracking that may be a prepaid code: 22 digits with a valid check digit, anywhere in it. */
function partsOf(tracking: string): string[] {
  const digits = tracking.replace(/[^0-9]/g, "");
  const parts = Array.from({ length: Math.max(0, digits.length - 21) }, (_, at) => digits.slice(at, at + 22));
  return parts.filter((part) => isCode(part) && part === withCheckDigit(part.slice(0, 21)));
}

/** Refuses prepaid codes that a shop sends as its own, since each would sooner or later be on two labels. */
export async function refusePrepaid(tx: Transaction, sent: string[]): Promise<void> {
  const whole = sent.map(codeIn).filter(isCode);
  // One part in ten is valid by chance, and codes of one batch share their parts, so only whole codes are compared
  // here.
  if (new Set(whole).size < whole.length) throw refusal(409, "Two of the labels have the same tracking");
  const codes = [...new Set([...whole, ...sent.flatMap(partsOf)])];
  if (codes.length === 0) return;
  await tx.execute(beforeSelling);
  // Of two calls with the same code at once, the second waits for the first and then finds the code used. The number of
  // locks is limited, or one bulk order could use up the database's; and they are taken in a fixed order, so that no
  // two calls can wait for each other.
  await tx.execute(sql`
    select pg_advisory_xact_lock(74, lock) from (
      select distinct hashtext(code) & 127 as lock from unnest(${sql.param(codes)}::text[]) as code order by 1) as locks`);
  const { rows } = await tx.execute<{ code: string }>(
    sql`select code from tracking_codes where code = any(${sql.param(codes)}::text[]) limit 1`,
  );
  if (rows[0]) throw refusal(409, `The tracking ${rows[0].code} is one of the prepaid codes`);
  const carried = await carriedByOrder(tx, codes);
  if (carried) throw refusal(409, `The tracking ${carried} is on an order already`);
}

/**
 * Takes for each label with a prepaid code the oldest one left of its type; simultaneous buyers skip each other's
 * codes.
 */
export async function takeCodes(tx: Transaction, types: LabelType[]): Promise<(string | undefined)[]> {
  const wanted = Map.groupBy(types.keys(), (place) => types[place]?.codes ?? "");
  wanted.delete("");
  const taken: string[] = [];
  for (const [type, places] of [...wanted].sort()) {
    const amount = places.length;
    const rows = await takeFrom(tx, type, amount, firstLeft(type));
    // Older codes may be left that others had locked and did not keep.
    if (rows.length < amount) rows.push(...(await takeFrom(tx, type, amount - rows.length)));
    if (rows.length < amount) {
      const missing = amount - rows.length;
      if ((await countLeft(tx, type, missing)) < missing) throw noneLeft(type);
      throw refusal(503, `The last tracking codes of type ${type} are just being taken. Try again in a moment.`, {
        retryAfter: 1,
      });
    }
    if (rows.length > amount) throw new Error(`${rows.length} codes were taken for ${amount} labels`);
    const codes = rows.map(({ code }) => code).sort();
    for (const [index, place] of places.entries()) taken[place] = codes[index] as string;
  }
  return taken;
}

/**
 * Where the first unused code was found, remembered for a while: many used ones are before it, and the database would
 * look at all of them again.
 */
const firstOnes = new Map<string, { at: string; code: string; until: number }>();
const keptMs = 1_000;

function firstLeft(type: string) {
  const first = firstOnes.get(type);
  return first && first.until > performance.now() ? first : undefined;
}

/** The oldest codes left, beginning where `from` says; none if there are not enough. */
async function takeFrom(tx: Transaction, type: string, amount: number, first?: { at: string; code: string }) {
  // By `select`, as in countOf: otherwise the database would take a newly registered batch for a few codes, and sort
  // all of it.
  const left = first
    ? sql`type = ${type} and used_at is null and (created_at, code) >= (select ${first.at}::timestamptz, ${first.code}::text)`
    : sql`type = ${type} and used_at is null`;
  // A buyer who wants more than there are must not keep the rest from others.
  const areEnough = amount === 1 ? sql`true` : sql`(${countOf(left, amount)}) = ${amount}`;
  // `array(…)` is read once, before the update begins; `in (…)` may be read again for every row, and take more each
  // time.
  const { rows } = await tx.execute<{ code: string; at: string }>(sql`
    with taken as (
      update tracking_codes set used_at = now() where id = any(array(
        select id from tracking_codes where ${left} and ${areEnough}
        order by created_at, code limit (select ${amount}::int) for update skip locked))
      returning code, created_at)
    select code, created_at::text as at from taken order by created_at, code`);
  if (rows[0] && !first) firstOnes.set(type, { ...rows[0], until: performance.now() + keptMs });
  return rows;
}

const noneLeft = (type: string) => refusal(409, `No tracking code of type ${type} is left`);

/** The refusal for a label of this type if no code is left. */
export async function refusalWithoutCode(db: Database, { codes }: LabelType) {
  return codes && (await countLeft(db, codes, 1)) === 0 ? noneLeft(codes) : undefined;
}

/** How many codes are unused, counted up to `enough`, including those being taken just now. */
async function countLeft(tx: Database | Transaction, type: string, enough: number): Promise<number> {
  const { rows } = await tx.execute<{ left: number }>(countOf(sql`type = ${type} and used_at is null`, enough));
  return rows[0]?.left ?? 0;
}

/**
 * In the order of an index: in any other order the database would read all recently used codes. The limit comes by
 * `select`: if the database knew it beforehand, it would plan anew every time.
 */
const countOf = (left: SQL, enough: number) => sql`
  select count(*)::int as left from (
    select from tracking_codes where ${left} order by created_at, code limit (select ${enough}::int)
  ) as unused`;

/** Deletes codes whose rows are locked. By id, since a code registered meanwhile was not checked. */
export async function deleteLocked(tx: Transaction, rows: { id: string }[]): Promise<number> {
  const ids = rows.map(({ id }) => id);
  const deleted = await tx
    .delete(trackingCodes)
    .where(sql`${trackingCodes.id} = any(${sql.param(ids)}::uuid[])`)
    .returning({ id: trackingCodes.id });
  if (deleted.length !== ids.length) throw new Error(`${deleted.length} codes were deleted instead of ${ids.length}`);
  return deleted.length;
}

export const withCheckDigit = (digits: string) => digits + checkDigit(digits);

/** The carrier's mod-10: weights 3, 1, 3, 1 … from the right. */
export function checkDigit(digits: string): number {
  let sum = 0;
  for (let place = digits.length - 1, weight = 3; place >= 0; place--, weight = 4 - weight)
    sum += Number(digits[place]) * weight;
  return (10 - (sum % 10)) % 10;
}
