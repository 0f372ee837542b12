import { refusal } from "@footprint/contract/refusal.ts";
import { and, count, countDistinct, eq, gt, inArray, like, min, not, notLike, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { databaseFailed } from "../db/failures.ts";
import { type codeTries, signInLimits, signInTries } from "../db/schema.ts";
import { networkOf } from "./addresses.ts";
import { record } from "./audit.ts";
import { noteFailedSignIn } from "./sign-ins.ts";

const triesPerMinute = 5;
/** While strangers wait, and the code alone stands between a known password and the account. */
const triesInPause = 5;
const triesBeforePause = 10;

/**
 * Where a try comes from: a stranger's address, a device that the account has signed in on, or an open session. A network
 * is one that tries passkeys: these cannot be guessed, so that only who tries has to wait.
 */
type Place = { address: string } | { device: string } | { session: string } | { network: string };

/** Failed tries are kept as long as administrators are shown them. */
export const oldestKeptTry = sql`now() - interval '1 hour'`;
export const isRecent = gt(signInTries.triedAt, oldestKeptTry);

/**
 * Takes one of the tries that a place has in a minute, or refuses with 429; and one of those that a guesser has
 * before pauses begin. All strangers who try a username are one guesser, wherever they are; a known device and a
 * session are guessers of their own, so that nobody can keep them waiting from afar. A try is counted before the
 * password is checked, so that many at once cannot slip through. Kept in the database: it holds across servers.
 */
export async function beginTry(db: Database, username: string, place: Place) {
  const name = username.trim().toLowerCase();
  const strangers = `name ${name}`;
  const key = keyOf(place);
  const guesser = "address" in place ? strangers : key;
  const isSame = and(eq(signInTries.username, name), eq(signInTries.address, key));
  // A passkey that nobody has here was tried under no name.
  const isForgotten =
    "network" in place ? and(inArray(signInTries.username, [name, ""]), eq(signInTries.address, key)) : isSame;
  await payDebts(db);
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
    /** Seconds until strangers may try again; what comes now counts only with a second step. */
    wait: taken.wait,
    /** It was no try. */
    forget,
    /** Whatever happens next, the password was not a guess. */
    passwordWasRight,
    /** It was neither try nor guess. */
    async takeBack() {
      await forget();
      await passwordWasRight();
    },
    /** Forgets what failed at this place before. Returns how many sign-ins failed since the last one. */
    async succeed(tx: Database = db): Promise<number> {
      const before = await tx.delete(signInTries).where(isForgotten).returning();
      await giveBack(tx, guesser, before.filter(({ id, counted }) => counted && id !== mine?.id).length);
      if ("session" in place) return 0;
      const [row] = await tx.select().from(signInLimits).where(eq(signInLimits.guesser, strangers)).for("update");
      await tx.update(signInLimits).set({ failures: 0 }).where(eq(signInLimits.guesser, strangers));
      return row?.failures ?? 0;
    },
    /** Counts a failed sign-in, and tells the log of the hour's first, a session's first and each that begins a pause. */
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
        // For a username that does not exist it is written too, and taken back: time tells nobody which do.
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

/** How many tries there were within the last minutes, and in how many seconds the first of them is one no more. */
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

/** So many codes may be tried in an hour of pauses from what one customer of a provider has. */
async function refuseMoreInPause(db: Database, name: string, address: string, wait: number) {
  const network = networkOf(address, 48).replace("::/48", ":%");
  const isTheirs = and(eq(signInTries.username, name), like(signInTries.address, network));
  const tries = await db.$count(signInTries, and(isTheirs, isRecent, not(signInTries.counted)));
  if (tries > triesInPause) throw tooManyFailures(wait);
}

const firstPause = sql.raw(String(triesBeforePause));
/** A minute that doubles with each further try, up to about an hour. */
const pauseEnds = sql`${signInLimits.triedAt}
  + interval '1 minute' * power(2, least(${signInLimits.tries} - ${firstPause}, 6))`;

/** One statement, so that of many at the end of a pause one gets the try. */
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
  // A right password with a wrong code was no guess, and is not kept as one.
  const failures = Math.max(1, recent?.failures ?? 1);
  const addresses = Math.max(1, recent?.addresses ?? 1);
  const sentence = `${many(failures, "failed sign-in", "failed sign-ins")} as ${account?.username ?? name} from ${many(addresses, "address", "addresses")}`;
  const last = [
    how.codeWasWrong ? ", the last with the right password and a wrong code" : how.session ? ", the last" : "",
    how.session ? " in an open session" : "",
  ].join("");
  // By the program, under the account's id: whoever looks at an account finds it.
  await record(tx, { kind: "system", id: account?.id ?? null, username: "system" }, "session", sentence + last, {
    after: { failures, addresses: shown.map(({ address }) => address), lastAddress: how.address, device: how.device },
  });
}

/** What to take back of tries during which the database went away, once it answers again. */
const debts = new WeakMap<Database, (() => Promise<void>)[]>();

/** Does what follows a try. If the database fails meanwhile, it was none. */
export async function takeBackIfDatabaseFails<T>(
  db: Database,
  takeBack: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const due = debts.get(db) ?? [];
    debts.set(db, due);
    if (databaseFailed(error)) due.push(takeBack);
    throw error;
  }
}

async function payDebts(db: Database) {
  const due = debts.get(db) ?? [];
  for (let takeBack = due.shift(); takeBack; takeBack = due.shift())
    await takeBackIfDatabaseFails(db, takeBack, takeBack);
}

const many = (number: number, one: string, more: string) => `${number} ${number === 1 ? one : more}`;

export function tooManyFailures(wait: number) {
  return refusal(
    429,
    `Too many failed sign-ins. Wait ${describeWait(wait)}, use a device that you have signed in on before, or enter a code from your authenticator app.`,
    // The panel then asks for one, whoever it is: who has two-step sign-in is nobody's business.
    { retryAfter: wait, codeRequired: true, passkeyAccepted: true },
  );
}

export const describeWait = (seconds: number) =>
  seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`;
