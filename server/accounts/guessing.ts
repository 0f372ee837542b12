import { refusal } from "@footprint/contract/refusal.ts";
import { and, count, countDistinct, eq, gt, inArray, like, min, not, notLike, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { databaseFailed } from "../db/failures.ts";
import { type codeTries, signInLimits, signInTries } from "../db/schema.ts";
import { networkOf } from "./addresses.ts";
import { record } from "./audit.ts";
import { noteFailedSignIn } from "./sign-ins.ts";

const triesPerMinute = 5;
/** Few, since during a pause only the code stands between a known password and the account. */
const triesInPause = 5;
const triesBeforePause = 10;

/**
 * Where a try comes from: a stranger's address, a device that the account has signed in on, or an open session. A
 * `network` tries passkeys, which cannot be guessed, so only that network has to wait.
 */
type Place = { address: string } | { device: string } | { session: string } | { network: string };

/** Failed tries are kept for as long as administrators can see them. */
export const oldestKeptTry = sql`now() - interval '1 hour'`;
export const isRecent = gt(signInTries.triedAt, oldestKeptTry);

/**
 * Counts a try, or refuses it with 429 if the place has had its tries of this minute, or the guesser has to pause. All
 * strangers who try a username are one guesser, wherever they are; a known device and a session are guessers of their
 * own, so that nobody can lock them out from afar. A try is counted before the password is checked, so that many at
 * once cannot slip through, and in the database, so that it counts on all servers.
 */
export async function beginTry(db: Database, username: string, place: Place) {
  const name = username.trim().toLowerCase();
  const strangers = `name ${name}`;
  const key = keyOf(place);
  const guesser = "address" in place ? strangers : key;
  const isSame = and(eq(signInTries.username, name), eq(signInTries.address, key));
  // A wrong passkey belongs to no account.
  const isForgotten =
    "network" in place ? and(inArray(signInTries.username, [name, ""]), eq(signInTries.address, key)) : isSame;
  await takeBackDue(db);
  const [mine] = await db.insert(signInTries).values({ username: name, address: key }).returning();
  const forget = async () => {
    if (mine) await db.delete(signInTries).where(eq(signInTries.id, mine.id));
  };
  const taken = await takeBackIfDatabaseFails(db, forget, async () => {
    try {
      await refuseHaste(db, isSame);
      const taken = await takeTry(db, guesser);
      if (taken.wait && mine) {
        await db.update(signInTries).set({ counted: false }).where(eq(signInTries.id, mine.id));
        if ("address" in place) await refuseMoreInPause(db, name, place.address, taken.wait);
      }
      return taken;
    } catch (error) {
      if (!databaseFailed(error)) await forget();
      throw error;
    }
  });
  let counts = !taken.wait;
  const passwordWasRight = async () => {
    if (counts) await giveBack(db, guesser, 1);
    counts = false;
  };

  return {
    /** Seconds until strangers may try again; meanwhile a sign-in needs a right code too. */
    wait: taken.wait,
    /** It was not a try after all. */
    forget,
    /** The password was right, so whatever happens next does not count as guessing it. */
    passwordWasRight,
    /** It was neither a try nor a guess. */
    async takeBack() {
      await forget();
      await passwordWasRight();
    },
    /** Forgets the failures at this place. Returns how many sign-ins have failed since the last successful one. */
    async succeed(tx: Database = db): Promise<number> {
      const before = await tx.delete(signInTries).where(isForgotten).returning();
      await giveBack(tx, guesser, before.filter(({ id, counted }) => counted && id !== mine?.id).length);
      if ("session" in place) return 0;
      const [row] = await tx.select().from(signInLimits).where(eq(signInLimits.guesser, strangers)).for("update");
      await tx.update(signInLimits).set({ failures: 0 }).where(eq(signInLimits.guesser, strangers));
      return row?.failures ?? 0;
    },
    /** Counts a failed sign-in. Logs the first of an hour, the first of a session, and each that begins a pause. */
    async fail(account: Guessed | undefined, how: Failure) {
      const session = "session" in place ? place.session : undefined;
      const tries = taken.tries ?? 0;
      const isLoud = tries >= triesBeforePause || how.codeWasWrong === true || (session !== undefined && tries === 1);
      await db.transaction(async (tx) => {
        const isDue = sql`${signInLimits.toldAt} is null or ${signInLimits.toldAt} < now() - interval '1 hour'`;
        const [row] = await tx
          .insert(signInLimits)
          .values({ guesser: strangers, failures: 1, toldAt: sql`now()` })
          .onConflictDoUpdate({
            target: signInLimits.guesser,
            set: {
              failures: sql`${signInLimits.failures} + 1`,
              toldAt: sql`case when ${isLoud} or ${isDue} then now() else ${signInLimits.toldAt} end`,
            },
          })
          .returning({ isTold: sql<boolean>`${signInLimits.toldAt} = now()` });
        // For an unknown username the entry is written and rolled back, so that both take the same time.
        await tx.execute(sql`savepoint entry`);
        const outcome = how.codeWasWrong ? "wrong code" : "wrong password";
        await noteFailedSignIn(tx, account?.id ?? nobody, outcome, { ...how, session });
        if (row?.isTold) await tellLog(tx, account, name, { ...how, session });
        await tx.execute(account ? sql`release savepoint entry` : sql`rollback to savepoint entry`);
      });
    },
  };
}

const nobody = "00000000-0000-0000-0000-000000000000";
type Guessed = { id: string; username: string };
type Failure = { address: string; device: string; codeWasWrong?: boolean };

const keyOf = (place: Place) =>
  "address" in place
    ? networkOf(place.address)
    : "device" in place
      ? `device ${place.device.slice(0, 16)}`
      : "network" in place
        ? `network ${networkOf(place.network, 48)}`
        : `session ${place.session.slice(0, 16)}`;

/** How many tries there were in the last minutes, and in how many seconds the oldest of them no longer counts. */
export async function triesWithin(
  db: Database,
  table: typeof signInTries | typeof codeTries,
  whose: SQL | undefined,
  minutes: number,
) {
  const { triedAt } = table;
  const time = sql.raw(`interval '${minutes} minutes'`);
  const [recent] = await db
    .select({ tries: count(), wait: sql<number>`ceil(extract(epoch from ${min(triedAt)} + ${time} - now()))::int` })
    .from(table)
    .where(and(whose, gt(triedAt, sql`now() - ${time}`)));
  return { tries: recent?.tries ?? 0, retryAfter: Math.max(1, recent?.wait ?? 1) };
}

async function refuseHaste(db: Database, isSame: SQL | undefined) {
  const { tries, retryAfter } = await triesWithin(db, signInTries, isSame, 1);
  if (tries <= triesPerMinute) return;
  throw refusal(429, `Too many tries. Wait ${retryAfter} seconds and try again.`, { retryAfter });
}

/** Limits the tries with a code during a pause, per hour and for everything one customer of a provider has. */
async function refuseMoreInPause(db: Database, name: string, address: string, wait: number) {
  const network = networkOf(address, 48).replace("::/48", ":%");
  const isTheirs = and(eq(signInTries.username, name), like(signInTries.address, network));
  const tries = await db.$count(signInTries, and(isTheirs, isRecent, not(signInTries.counted)));
  if (tries > triesInPause) throw tooManyFailures(wait);
}

const firstPause = sql.raw(String(triesBeforePause));
/** A pause of a minute that doubles with each further try, up to about an hour. */
const pauseEnds = sql`${signInLimits.triedAt}
  + interval '1 minute' * power(2, least(${signInLimits.tries} - ${firstPause}, 6))`;

/** One statement, so that of many calls at the end of a pause only one gets the try. */
async function takeTry(db: Database, guesser: string): Promise<{ tries?: number; wait: number }> {
  const [taken] = await db
    .insert(signInLimits)
    .values({ guesser, tries: 1 })
    .onConflictDoUpdate({
      target: signInLimits.guesser,
      set: {
        tries: sql`case when ${signInLimits.triedAt} < now() - interval '1 day' then 1 else ${signInLimits.tries} + 1 end`,
        triedAt: sql`now()`,
      },
      setWhere: sql`${signInLimits.tries} < ${firstPause} or ${pauseEnds} <= now()`,
    })
    .returning({ tries: signInLimits.tries });
  if (taken) return { tries: taken.tries, wait: 0 };
  const [paused] = await db
    .select({ wait: sql<number>`ceil(extract(epoch from ${pauseEnds} - now()))::int` })
    .from(signInLimits)
    .where(eq(signInLimits.guesser, guesser));
  return { wait: Math.max(1, paused?.wait ?? 1) };
}

const giveBack = (db: Database, guesser: string, tries: number) =>
  db
    .update(signInLimits)
    .set({ tries: sql`greatest(${signInLimits.tries} - ${tries}, 0)` })
    .where(eq(signInLimits.guesser, guesser));

type Told = Failure & { session: string | undefined };

async function tellLog(tx: Transaction, account: Guessed | undefined, name: string, how: Told) {
  const isTheirs = and(eq(signInTries.username, name), isRecent);
  const [recent] = await tx
    .select({ failures: count(), addresses: countDistinct(signInTries.address) })
    .from(signInTries)
    .where(isTheirs);
  const shown = await tx
    .selectDistinct({ address: signInTries.address })
    .from(signInTries)
    .where(and(isTheirs, notLike(signInTries.address, "device %"), notLike(signInTries.address, "session %")))
    .limit(10);
  // A right password with a wrong code was not a guess, and is not stored as one.
  const failures = Math.max(1, recent?.failures ?? 1);
  const addresses = Math.max(1, recent?.addresses ?? 1);
  const sentence = `${many(failures, "failed sign-in", "failed sign-ins")} as ${account?.username ?? name} from ${many(addresses, "address", "addresses")}`;
  const last = [
    how.codeWasWrong ? ", the last with the right password and a wrong code" : how.session ? ", the last" : "",
    how.session ? " in an open session" : "",
  ].join("");
  // Written by the program, but under the account's id, so that it appears in the account's history.
  await record(tx, { kind: "system", id: account?.id ?? null, username: "system" }, "session", sentence + last, {
    after: { failures, addresses: shown.map(({ address }) => address), lastAddress: how.address, device: how.device },
  });
}

/** Tries that have to be taken back once the database answers again, because it went away during them. */
const dueTakeBacks = new WeakMap<Database, (() => Promise<void>)[]>();

/** Does the work that follows a try. If the database fails meanwhile, the try does not count. */
export async function takeBackIfDatabaseFails<T>(
  db: Database,
  takeBack: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const due = dueTakeBacks.get(db) ?? [];
    dueTakeBacks.set(db, due);
    if (databaseFailed(error)) due.push(takeBack);
    throw error;
  }
}

async function takeBackDue(db: Database) {
  const due = dueTakeBacks.get(db) ?? [];
  for (let takeBack = due.shift(); takeBack; takeBack = due.shift())
    await takeBackIfDatabaseFails(db, takeBack, takeBack);
}

const many = (number: number, one: string, more: string) => `${number} ${number === 1 ? one : more}`;

export function tooManyFailures(wait: number) {
  return refusal(
    429,
    `Too many failed sign-ins. Wait ${describeWait(wait)}, use a device that you have signed in on before, or enter a code from your authenticator app.`,
    // The panel then asks everybody for a code, so that nobody learns who has two-step sign-in.
    { retryAfter: wait, codeRequired: true, passkeyAccepted: true },
  );
}

export const describeWait = (seconds: number) =>
  seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`;
