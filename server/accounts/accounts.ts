import { badInput } from "@footprint/contract/refusal.ts";
import { isReservedName } from "@footprint/contract/staff.ts";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { type Config, StartError } from "../config.ts";
import type { Database, Transaction } from "../db/database.ts";
import { ifViolated } from "../db/failures.ts";
import { accounts, apiKeys, sessions, signInLimits, signInTries } from "../db/schema.ts";
import { record, system, terminal } from "./audit.ts";
import { forgetDevices } from "./known-devices.ts";
import { generatePassword, hashPassword } from "./passwords.ts";
import { accountColumns, hasSecondStep } from "./second-step.ts";
import { expireSessions } from "./sessions.ts";
import { removeTwoStep } from "./two-step.ts";

/** Any number that all Footprint servers agree on. */
const firstAdminLock = 7400_0002;
const namesLock = 7400_0003;

/** Matches the account with this name; case makes no difference. */
export const hasUsername = (username: string) => eq(sql`lower(${accounts.username})`, username.toLowerCase());

/** Creates the first admin where there is none; returns the password if one had to be made up. */
export async function ensureAdmin(db: Database, config: Config): Promise<string | undefined> {
  const admins = db.select({ id: accounts.id }).from(accounts).where(eq(accounts.role, "admin")).limit(1);
  if ((await admins).length > 0) return undefined;
  const password = config.adminPassword ?? generatePassword();
  const passwordHash = await hashPassword(password);
  return db.transaction(async (tx) => {
    // Several servers may start at once on an empty database.
    await tx.execute(sql`select pg_advisory_xact_lock(${firstAdminLock})`);
    const [admin] = await tx.select().from(accounts).where(eq(accounts.role, "admin")).limit(1);
    if (admin) return undefined;
    await tx
      .insert(accounts)
      .values({ username: config.adminUsername, passwordHash, role: "admin" })
      .catch(refuseTakenName(config.adminUsername));
    await record(tx, system, "staff", `Created the first administrator, ${config.adminUsername}`, {
      after: { username: config.adminUsername, role: "admin" },
    });
    return config.adminPassword ? undefined : password;
  });
}

/** From the terminal: creates another administrator. Like the functions below, returns the sentence to print. */
export async function createAdmin(db: Database, username: string): Promise<string> {
  if (isReservedName(username)) throw new StartError(reservedName(username));
  const password = generatePassword();
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    if (await isNameOfKey(tx, username)) throw new StartError(`${nameOfKey(username)}: choose another.`);
    await tx.insert(accounts).values({ username, passwordHash, role: "admin" }).catch(refuseTakenName(username));
    await record(tx, terminal, "staff", `Created administrator ${username}`, {
      after: { username, role: "admin" },
    });
  });
  return canSignIn(username, password);
}

/** Sets a new password for someone who cannot sign in. Ends their sessions and forgets their devices. */
export async function replacePassword(
  tx: Transaction,
  { id, username }: { id: string; username: string },
  to: { passwordHash: string; passwordTemporary: boolean },
): Promise<void> {
  await tx.update(accounts).set(to).where(eq(accounts.id, id));
  await tx.delete(sessions).where(eq(sessions.accountId, id));
  await forgetDevices(tx, id);
  // Pauses caused by earlier guesses must not keep the owner waiting.
  await tx.delete(signInLimits).where(eq(signInLimits.guesser, `name ${username.toLowerCase()}`));
  await tx.delete(signInTries).where(eq(signInTries.username, username.toLowerCase()));
}

/** The same from the terminal, where nobody else sees the password. */
export async function resetPassword(db: Database, username: string): Promise<string | undefined> {
  const password = generatePassword();
  const passwordHash = await hashPassword(password);
  await expireSessionsOf(db, username);
  return db.transaction(async (tx) => {
    const [account] = await tx.select().from(accounts).where(hasUsername(username)).for("update");
    if (!account) return undefined;
    await replacePassword(tx, account, { passwordHash, passwordTemporary: false });
    await record(tx, terminal, "session", `Reset the password of ${account.username}`);
    return account.suspendedAt
      ? `${username} has the password ${password} (shown only this once), and can sign in once an administrator has resumed the account: it is suspended`
      : canSignIn(username, password);
  });
}

/** From the terminal, for someone who lost the authenticator app: removes the second step and ends all sessions. */
export async function resetTwoStep(db: Database, username: string): Promise<string | undefined> {
  await expireSessionsOf(db, username, hasSecondStep);
  return db.transaction(async (tx) => {
    const [account] = await tx.select(accountColumns).from(accounts).where(hasUsername(username)).for("update");
    if (!account) return undefined;
    if (!account.hasSecondStep) throw new StartError(`${username} does not use two-step sign-in.`);
    await removeTwoStep(tx, account.id);
    await tx.delete(sessions).where(eq(sessions.accountId, account.id));
    await record(tx, terminal, "session", `Reset two-step sign-in of ${account.username}`, {
      before: { twoStep: true },
      after: { twoStep: false },
    });
    return `${username} signs in with the password alone now`;
  });
}

async function expireSessionsOf(db: Database, username: string, only?: SQL) {
  const named = db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(hasUsername(username), only));
  await db.transaction((tx) => expireSessions(tx, inArray(sessions.accountId, named)));
}

const reservedName = (username: string) => `The name ${username} is the program's own: choose another.`;

/** For new names only: an existing account keeps its name. */
export function refuseReservedName(username: string) {
  if (isReservedName(username)) throw badInput("body.username", reservedName(username));
}

/** Makes concurrent changes of account and key names take turns, since the log shows both kinds of names. */
export const lockNames = (tx: Transaction) => tx.execute(sql`select pg_advisory_xact_lock(${namesLock})`);

async function isNameOfKey(tx: Transaction, username: string): Promise<boolean> {
  await lockNames(tx);
  return (await tx.$count(apiKeys, eq(sql`lower(${apiKeys.name})`, username.toLowerCase()))) > 0;
}

const nameOfKey = (username: string) => `${username} is the name of an API key`;

/** For new names only, like the check above. */
export async function refuseNameOfKey(tx: Transaction, username: string) {
  if (await isNameOfKey(tx, username)) throw badInput("body.username", nameOfKey(username));
}

const canSignIn = (username: string, password: string) =>
  `${username} can sign in with the password ${password} (shown only this once)`;

const refuseTakenName = (username: string) =>
  ifViolated(
    "accounts_username_key",
    () =>
      new StartError(`The username ${username} is taken: choose another, or give it a new password (npm run admin).`),
  );
