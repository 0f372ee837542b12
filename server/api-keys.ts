import { randomBytes } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import type { Database, Transaction } from "./db/engine.ts";
import { prepared } from "./db/prepared.ts";
import { apiKeys } from "./db/schema.ts";
import type { Shop } from "./http.ts";
import { hashToken } from "./sessions.ts";

/** Makes a key and returns the only copy of it. */
export async function createKey(tx: Transaction, name: string): Promise<string> {
  const key = `fp_${randomBytes(32).toString("base64url")}`;
  await tx.insert(apiKeys).values({ name, start: key.slice(0, 8), keyHash: hashToken(key) });
  return key;
}

/** The shop behind a key. One look-up by index. */
export async function findShop(db: Database, key: string): Promise<Shop | undefined> {
  const query = prepared(db, "shop", () =>
    db
      .select({
        id: apiKeys.id,
        username: apiKeys.name,
        // Written back at most once a minute: a busy shop should not queue for its own row.
        stale: sql<boolean>`coalesce(${apiKeys.lastUsedAt} < now() - interval '1 minute', true)`,
      })
      .from(apiKeys)
      .where(eq(apiKeys.keyHash, sql.placeholder("keyHash")))
      .prepare(""),
  );
  const [found] = await query.execute({ keyHash: hashToken(key) });
  if (!found) return undefined;
  if (found.stale) await db.update(apiKeys).set({ lastUsedAt: sql`now()` }).where(eq(apiKeys.id, found.id));
  return { kind: "shop", id: found.id, username: found.username };
}
