import { refusal } from "@footprint/contract/refusal.ts";
import type { signInOutcome } from "@footprint/contract/session.ts";
import { eq, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { accounts, signIns } from "../db/schema.ts";
import { record } from "./audit.ts";
import { rememberDevice } from "./known-devices.ts";
import { accountColumns } from "./second-step.ts";
import { hashToken, noteSeen, openSession } from "./sessions.ts";

export type Account = typeof accounts.$inferSelect & { hasPasskey: boolean; hasSecondStep: boolean };

/** The account, with everything a sign-in needs to know. */
export const readAccount = async (db: Database, id: string): Promise<Account | undefined> =>
  (await db.select(accountColumns).from(accounts).where(eq(accounts.id, id)))[0];

type Place = { device: string; address: string };
type SignIn = {
  /** Forgets the failed tries as well. */
  succeed: (tx: Database) => Promise<number>;
  opener: Place;
  /** As the browser sent it; the account may or may not know it. */
  deviceToken: string | undefined;
  isKnownDevice: boolean;
  /** " with a passkey" */
  how: string;
};

/** Opens the session of a successful sign-in. Call it with the account locked. */
export async function letIn(tx: Transaction, account: Account, signIn: SignIn) {
  const { succeed, opener, deviceToken: sent, isKnownDevice, how } = signIn;
  const failuresBefore = await succeed(tx);
  await record(tx, { ...account, kind: "account" }, "session", `${account.username} signed in${how}`, {
    after: opener,
  });
  const deviceToken = await rememberDevice(tx, account.id, sent);
  const noted = { ...opener, newDevice: !isKnownDevice };
  const session = { ...noted, id: uuidv7(), failuresBefore, knownDevice: hashToken(deviceToken) };
  await tx.insert(signIns).values({ accountId: account.id, outcome: "signed in", ...noted, sessionId: session.id });
  await noteSeen(tx, account.id);
  return { accessToken: await openSession(tx, account.id, session), deviceToken };
}

/**
 * Locks the account and checks that it did not change. A change that ends its sessions either waits and ends the new
 * one too, or came first and is noticed here.
 */
export async function lockUnchanged(tx: Transaction, { id, passwordHash, hasSecondStep }: Account): Promise<void> {
  const [current] = await tx.select(accountColumns).from(accounts).where(eq(accounts.id, id)).for("no key update");
  const isSame = current?.passwordHash === passwordHash && current.hasSecondStep === hasSecondStep;
  if (isSame && !current.suspendedAt) return;
  throw refusal(409, "This account was changed meanwhile. Sign in again.");
}

export const oldestKeptSignIn = sql`now() - interval '90 days'`;

/** Most failures of an account that are stored in an hour, so that guessing fills no disk. */
const failuresAnHour = 20;

type Failed = Exclude<(typeof signInOutcome.options)[number], "signed in">;

/** Stores a failed sign-in, or a wrong password in a session. Does the same work for accounts that do not exist. */
export const noteFailedSignIn = (
  db: Database,
  accountId: string,
  outcome: Failed,
  { device, address, session = "" }: Place & { session?: string | undefined },
) =>
  db.execute(sql`
    insert into sign_ins (id, account_id, outcome, device, address, session_id)
    select ${uuidv7()}::uuid, ${accountId}::uuid, ${outcome}, ${device}, ${address},
      (select id from sessions where token_hash = ${session})
    where (select count(*) from sign_ins
      where account_id = ${accountId} and outcome <> 'signed in' and created_at > now() - interval '1 hour'
    ) < ${failuresAnHour}`);

/** Tells somebody with the right password or passkey of a suspended account why they cannot sign in. */
export async function refuseSuspended(db: Database, { id, suspendedAt }: Account, opener: Place): Promise<void> {
  if (!suspendedAt) return;
  await noteFailedSignIn(db, id, "suspended", opener);
  throw refusal(403, "This account is suspended");
}
