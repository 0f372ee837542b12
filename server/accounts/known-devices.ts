import { randomBytes } from "node:crypto";
import { and, desc, eq, gt, inArray, not, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { knownDevices, sessions } from "../db/schema.ts";
import { hashToken } from "./sessions.ts";

/** A device that has not been used since then is forgotten. */
export const oldestKeptDevice = sql`now() - interval '90 days'`;
const isFresh = gt(knownDevices.lastUsedAt, oldestKeptDevice);

/** More than this come from a program that signs in without sending its token. */
const mostOfAnAccount = 20;

/**
 * The hash of a device's token, if the account has signed in with it. Costs one look-up, whether the account exists or
 * not.
 */
export async function findDevice(db: Database, token = "", accountId = ""): Promise<string | undefined> {
  if (token === "") return undefined;
  const tokenHash = hashToken(token);
  const owners = await db
    .select({ id: knownDevices.accountId })
    .from(knownDevices)
    .where(and(eq(knownDevices.tokenHash, tokenHash), isFresh));
  return owners.some(({ id }) => id === accountId) ? tokenHash : undefined;
}

/**
 * Notes the device that an account signed in on. Returns the token to keep: the one it sent, if that is one of ours.
 */
export async function rememberDevice(tx: Transaction, accountId: string, sent = ""): Promise<string> {
  const isOurs =
    sent !== "" && (await tx.$count(knownDevices, and(eq(knownDevices.tokenHash, hashToken(sent)), isFresh)));
  const token = isOurs ? sent : randomBytes(32).toString("base64url");
  await tx
    .insert(knownDevices)
    .values({ accountId, tokenHash: hashToken(token) })
    .onConflictDoUpdate({
      target: [knownDevices.accountId, knownDevices.tokenHash],
      set: { lastUsedAt: sql`now()` },
    });
  const own = eq(knownDevices.accountId, accountId);
  const newest = tx
    .select({ tokenHash: knownDevices.tokenHash })
    .from(knownDevices)
    .where(own)
    .orderBy(desc(knownDevices.lastUsedAt))
    .limit(mostOfAnAccount);
  await tx.delete(knownDevices).where(and(own, not(inArray(knownDevices.tokenHash, newest))));
  return token;
}

/** Forgets all of an account's devices, except the one that a session was opened on. */
export async function forgetDevices(tx: Transaction, accountId: string, except?: { tokenHash: string }): Promise<void> {
  const kept = tx
    .select({ tokenHash: sql`coalesce(${sessions.knownDevice}, '')` })
    .from(sessions)
    .where(eq(sessions.tokenHash, except?.tokenHash ?? ""));
  await tx
    .delete(knownDevices)
    .where(and(eq(knownDevices.accountId, accountId), not(inArray(knownDevices.tokenHash, kept))));
}
