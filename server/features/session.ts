import { session } from "@footprint/contract/session.ts";
import { and, count, eq, gt, min, ne, type SQL, sql } from "drizzle-orm";
import { record } from "../audit.ts";
import type { Database } from "../db/engine.ts";
import { accounts, sessions, settings as settingsTable, signInTries } from "../db/schema.ts";
import { refusal } from "../errors.ts";
import { routes } from "../http.ts";
import { hashPassword, passwordMatches, refuseCommonPassword } from "../passwords.ts";
import { openSession } from "../sessions.ts";

export const sessionRoutes = routes(session, {
  async login({ db, body, address, transaction }) {
    const clear = await beginTry(db, body.username, address);
    const [account] = await db
      .select()
      .from(accounts)
      .where(eq(sql`lower(${accounts.username})`, body.username.trim().toLowerCase()));
    if (!(await passwordMatches(account?.passwordHash, body.password)) || !account)
      throw refusal(401, "Wrong username or password");
    await clear();
    return transaction(async (tx) => {
      await record(tx, account, "session", `${account.username} signed in`);
      return { accessToken: await openSession(tx, account.id) };
    });
  },

  async access({ db, actor, config }) {
    const [settings] = await db.select({ demo: settingsTable.demo }).from(settingsTable);
    return { role: actor.role, username: actor.username, timezone: config.timezone, demo: settings?.demo ?? false };
  },

  async logout({ actor, transaction }) {
    return transaction(async (tx) => {
      await tx.delete(sessions).where(eq(sessions.tokenHash, actor.tokenHash));
      await record(tx, actor, "session", `${actor.username} signed out`);
      return { message: "Signed out" };
    });
  },

  async changePassword({ db, body, actor, address, transaction }) {
    refuseCommonPassword(body.newPassword, actor.username);
    const clear = await beginTry(db, actor.username, address);
    const [account] = await db.select().from(accounts).where(eq(accounts.id, actor.id));
    if (!(await passwordMatches(account?.passwordHash, body.oldPassword)) || !account)
      throw refusal(400, "The old password is wrong");
    await clear();
    const passwordHash = await hashPassword(body.newPassword);
    return transaction(async (tx) => {
      // Only over the password that was checked: of two changes at once, one is told.
      const changed = await tx
        .update(accounts)
        .set({ passwordHash })
        .where(and(eq(accounts.id, actor.id), eq(accounts.passwordHash, account.passwordHash)))
        .returning();
      if (changed.length === 0) throw refusal(409, "The password was changed meanwhile");
      await tx.delete(sessions).where(and(eq(sessions.accountId, actor.id), ne(sessions.tokenHash, actor.tokenHash)));
      await record(tx, actor, "session", `${actor.username} changed their password`);
      return { message: "Password changed" };
    });
  },
});

const triesPerMinute = 5;
/** Of an address with any usernames, in ten minutes: who guesses at many accounts is slowed too. */
const triesOfAddress = 50;

/**
 * Takes one of the tries an account and address have in a minute, or refuses with 429. A try is counted before
 * the password is checked, so that many at once cannot slip through; the returned function forgets them all.
 * Kept in the database, so that it holds across servers; by address, so that nobody can lock a victim out from afar.
 */
async function beginTry(db: Database, username: string, address: string): Promise<() => Promise<void>> {
  const key = { username: username.trim().toLowerCase(), address };
  const same = and(eq(signInTries.username, key.username), eq(signInTries.address, key.address));
  const [mine] = await db.insert(signInTries).values(key).returning();
  const recent = await triesWithin(db, same, sql`interval '1 minute'`);
  const ofAddress = await triesWithin(db, eq(signInTries.address, address), sql`interval '10 minutes'`);
  const exceeded = recent.tries > triesPerMinute ? recent : ofAddress.tries > triesOfAddress ? ofAddress : undefined;
  if (exceeded && mine) {
    await db.delete(signInTries).where(eq(signInTries.id, mine.id));
    const retryAfter = Math.max(1, exceeded.wait);
    throw refusal(429, `Too many tries. Wait ${retryAfter} seconds and try again.`, { retryAfter });
  }
  return async () => {
    await db.delete(signInTries).where(same);
  };
}

/** How many such tries there were lately, and in how many seconds the first of them will be forgotten. */
async function triesWithin(db: Database, which: SQL | undefined, period: SQL) {
  const [found] = await db
    .select({
      tries: count(),
      wait: sql<number>`ceil(extract(epoch from ${min(signInTries.triedAt)} + ${period} - now()))::int`,
    })
    .from(signInTries)
    .where(and(which, gt(signInTries.triedAt, sql`now() - ${period}`)));
  return found ?? { tries: 0, wait: 0 };
}
