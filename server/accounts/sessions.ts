import { createHash, randomBytes } from "node:crypto";
import type { Role } from "@footprint/contract/session.ts";
import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { accounts, sessions } from "../db/schema.ts";

/** A signed-in account. */
export type Actor = { kind: "account"; id: string; username: string; role: Role; tokenHash: string };

/** A session that was not used since, or was opened before, has ended. */
export const idleLimit = sql`now() - interval '12 hours'`;
export const lifetimeLimit = sql`now() - interval '7 days'`;

/** Opens a session and returns the only copy of its token. */
export async function openSession(
  db: Database,
  accountId: string,
  opener: Partial<typeof sessions.$inferInsert> = {},
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await db.insert(sessions).values({ ...opener, tokenHash: hashToken(token), accountId });
  return token;
}

/** The account behind a token, if its session still lives. One look-up by primary key. */
export async function authenticate(db: Database, token: string): Promise<Actor | undefined> {
  const tokenHash = hashToken(token);
  const query = prepared(db, "session", () =>
    db
      .select({
        id: accounts.id,
        username: accounts.username,
        role: accounts.role,
        // Written back at most once a minute: reading a list should not cost a write.
        stale: sql<boolean>`${sessions.lastUsedAt} < now() - interval '1 minute'`,
      })
      .from(sessions)
      .innerJoin(accounts, eq(accounts.id, sessions.accountId))
      .where(
        and(
          eq(sessions.tokenHash, sql.placeholder("tokenHash")),
          gt(sessions.lastUsedAt, idleLimit),
          gt(sessions.createdAt, lifetimeLimit),
        ),
      )
      .prepare(""),
  );
  const [found] = await query.execute({ tokenHash });
  if (!found) return undefined;
  if (found.stale)
    await db
      .update(sessions)
      .set({ lastUsedAt: sql`now()` })
      // One that was ended a moment ago stays so.
      .where(and(eq(sessions.tokenHash, tokenHash), gt(sessions.lastUsedAt, idleLimit)));
  return { kind: "account", id: found.id, username: found.username, role: found.role, tokenHash };
}

/** The same account as it is now. Deleting the account or ending the session waits for whoever holds this. */
export const accountNow = ({ tokenHash }: Actor): SQL => sql`
  select accounts.username, accounts.role from sessions join accounts on accounts.id = account_id
  where token_hash = ${tokenHash} and last_used_at > ${idleLimit} and sessions.created_at > ${lifetimeLimit}
  for key share of sessions`;

/**
 * Ends sessions for every change that begins from now on. To be committed before they are deleted: that waits for the
 * changes that have begun, and others would overtake it for ever.
 */
export const expireSessions = (tx: Transaction, which: SQL | undefined) =>
  tx
    .update(sessions)
    .set({ lastUsedAt: new Date(0) })
    .where(which);

export const hashToken = (token: string) => createHash("sha256").update(token).digest("base64url");
