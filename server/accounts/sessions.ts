import { hash, randomBytes } from "node:crypto";
import type { MustFirst, Role } from "@footprint/contract/session.ts";
import { and, desc, eq, gt, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { accounts, sessions, settings } from "../db/schema.ts";
import { networkOf } from "./addresses.ts";
import { hasSecondStep } from "./second-step.ts";

/** A signed-in account. */
export type Actor = {
  kind: "account";
  id: string;
  username: string;
  role: Role;
  tokenHash: string;
  /** What the account has to do before anything else. */
  mustFirst: MustFirst | null;
  /** The network that this call comes from. */
  network: string;
  /** Signed in or confirmed in this network a short while ago. */
  isConfirmed: boolean;
};

/** A session that was last used, or was opened, before these limits has ended. */
export const idleLimit = sql`now() - interval '12 hours'`;
export const lifetimeLimit = sql`now() - interval '7 days'`;
export const isOpen = and(gt(sessions.lastUsedAt, idleLimit), gt(sessions.createdAt, lifetimeLimit));

const mustFirst = sql<MustFirst | null>`case
  when ${accounts.passwordTemporary} then 'password'
  when not ${hasSecondStep} and (
    select ${settings.twoStepRequired} = 'everybody'
      or (${settings.twoStepRequired} = 'administrators' and ${accounts.role} = 'admin') from ${settings}
  ) then 'two-step' end`;

/** A confirmation counts only in the network it was made in: a stolen token is worth less elsewhere. */
const isConfirmedIn = (network: unknown) =>
  sql<boolean>`(sessions.confirmed_at > now() - interval '30 minutes' and sessions.confirmed_in = ${network})`;

/** Opens a session and returns the only copy of its token. */
export async function openSession(
  db: Database,
  accountId: string,
  opener: Partial<typeof sessions.$inferInsert> = {},
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const confirmedIn = networkOf(opener.address ?? "");
  await db.insert(sessions).values({ confirmedIn, ...opener, tokenHash: hashToken(token), accountId });
  return token;
}

/**
 * The account behind a token, if its session is still alive, with one look-up by primary key. Calls that a panel makes
 * by itself do not count as use, or its session would never end.
 */
export async function authenticate(
  db: Database,
  token: string,
  { address, isUnattended }: { address: string; isUnattended: boolean },
): Promise<Actor | undefined> {
  const tokenHash = hashToken(token);
  const network = networkOf(address);
  const find = () =>
    db
      .select({
        id: accounts.id,
        username: accounts.username,
        role: accounts.role,
        mustFirst,
        isConfirmed: isConfirmedIn(sql.placeholder("network")),
        // Written back at most once a minute: reading a list should not cost a write.
        stale: sql<boolean>`${sessions.lastUsedAt} < now() - interval '1 minute'`,
      })
      .from(sessions)
      .innerJoin(accounts, eq(accounts.id, sessions.accountId))
      .where(and(eq(sessions.tokenHash, sql.placeholder("tokenHash")), isOpen, isNull(accounts.suspendedAt)))
      .prepare("");
  const [found] = await prepared(db, "session", find, "personal").execute({ tokenHash, network });
  if (!found) return undefined;
  const { stale, ...account } = found;
  if (stale && !isUnattended) {
    await db
      .update(sessions)
      .set({ lastUsedAt: sql`now()` })
      // A session that was ended a moment ago stays ended.
      .where(and(eq(sessions.tokenHash, tokenHash), gt(sessions.lastUsedAt, idleLimit)));
    await noteSeen(db, account.id);
  }
  return { kind: "account", ...account, tokenHash, network };
}

/** Skips a row that is locked, so that reading never waits for a change of the account. */
export const noteSeen = (db: Database, accountId: string) =>
  db.execute(sql`update accounts set last_seen_at = now() where id = (
    select id from accounts where id = ${accountId} for no key update skip locked)`);

/** Those of these sessions that are still alive, with their accounts' current roles. */
export async function livingSessions(db: Database, tokenHashes: string[]): Promise<Map<string, Role>> {
  const { rows } = await db.execute<{ hash: string; role: Role }>(sql`
    select token_hash as hash, role from sessions join accounts on accounts.id = account_id
    where token_hash = any(${sql.param(tokenHashes)}::text[]) and ${isOpen} and suspended_at is null
      and (${mustFirst}) is null`);
  return new Map(rows.map(({ hash, role }) => [hash, role]));
}

/** The same account as it is now. Deleting it or ending the session waits until this lock is released. */
export const accountNow = ({ tokenHash, network }: Actor): SQL => sql`
  select accounts.username, accounts.role, ${mustFirst} as "mustFirst", ${isConfirmedIn(network)} as "isConfirmed"
  from sessions join accounts on accounts.id = account_id
  where token_hash = ${tokenHash} and ${isOpen} and suspended_at is null
  for key share of sessions`;

/** From now on the session may make sensitive calls, for as long as after a sign-in. */
export const confirmSession = (tx: Transaction, { tokenHash, network }: Actor) =>
  tx.update(sessions).set({ confirmedAt: sql`now()`, confirmedIn: network }).where(eq(sessions.tokenHash, tokenHash));

/** An account's open sessions, most recently used first, as its owner and administrators see them. */
export async function openSessionsOf(db: Database, accountId: string, actor: Actor) {
  const rows = await db
    .select()
    .from(sessions)
    .where(and(eq(sessions.accountId, accountId), isOpen))
    .orderBy(desc(sessions.lastUsedAt), desc(sessions.createdAt))
    // More than this come from a program that never signs out.
    .limit(100);
  return rows.map(({ id, ...row }) => ({ _id: id, ...row, current: row.tokenHash === actor.tokenHash }));
}

/** "Chrome on Windows (203.0.113.7)", as the log calls a session. */
export const nameOfSession = ({ device, address }: { device: string; address: string }) =>
  [device || "Unknown device", address && `(${address})`].filter(Boolean).join(" ");

/**
 * Ends sessions for every change that begins from now on. Must be committed before they are deleted: deleting waits for
 * changes under way, and new ones would keep overtaking it.
 */
export const expireSessions = (tx: Transaction, which: SQL | undefined) =>
  tx
    .update(sessions)
    .set({ lastUsedAt: new Date(0) })
    .where(which);

/** Another session of the caller's account. */
export const isOther = (actor: Actor) => and(eq(sessions.accountId, actor.id), ne(sessions.tokenHash, actor.tokenHash));
export const expireOthers = (actor: Actor) => (tx: Transaction) => expireSessions(tx, isOther(actor));
export const endOtherSessions = (tx: Transaction, actor: Actor) => tx.delete(sessions).where(isOther(actor));

export const hashToken = (token: string) => hash("sha256", token, "base64url");
