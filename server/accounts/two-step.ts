import { createHash } from "node:crypto";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, eq, isNotNull, isNull, lt, or } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import type { Database, Transaction } from "../db/database.ts";
import { accounts, codeTries, passkeys, recoveryCodes } from "../db/schema.ts";
import { describeWait, triesWithin } from "./guessing.ts";
import { randomLetters } from "./passwords.ts";
import { hasSecondStep } from "./second-step.ts";

// What every authenticator app supports; several ignore other settings.
const kind = { issuer: "Footprint", algorithm: "SHA1", digits: 6, period: 30 };

export const newTotpSecret = () => new Secret({ size: 20 }).base32;

/** The contents of the QR code. */
export const totpUri = (username: string, secret: string) =>
  new TOTP({ ...kind, label: username, secret: Secret.fromBase32(secret) }).toString();

/**
 * The 30-second step that a code belongs to. Clocks may differ by one step either way. Wide digits, as Japanese keyboards
 * write them, are digits.
 */
export function totpStep(secret: string, code: string, now: Date): number | undefined {
  const token = code.normalize("NFKC").replace(/\s/g, "");
  // Otpauth throws where a code has as many characters and more bytes.
  if (!/^\d{6}$/.test(token)) return undefined;
  const timestamp = now.getTime();
  const delta = TOTP.validate({ ...kind, token, secret: Secret.fromBase32(secret), timestamp, window: 1 });
  return delta === null ? undefined : TOTP.counter({ period: kind.period, timestamp }) + delta;
}

type Protected = { id: string; totpSecret: string | null; totpConfirmedAt: Date | null };
type WithTwoStep = Protected & { totpLastStep: number | null; hasSecondStep: boolean };

/** A secret that was never confirmed opens nothing, even if a passkey is the second step. */
const confirmedSecret = ({ totpSecret, totpConfirmedAt }: Protected) => (totpConfirmedAt ? totpSecret : null);

const nobody = {
  id: "00000000-0000-0000-0000-000000000000",
  totpSecret: newTotpSecret(),
  totpLastStep: null,
  totpConfirmedAt: null,
};

/**
 * Whether a code would be right, without using it up. Takes as long for an account that does not exist or has no second
 * step, so that timing tells nothing.
 */
export async function codeIsRight(db: Database, account: WithTwoStep | undefined, code: string, now: Date) {
  const asked = account?.hasSecondStep ? account : nobody;
  const secret = confirmedSecret(asked);
  const step = totpStep(secret ?? nobody.totpSecret, code, now);
  const isRecoveryCode = await db.$count(recoveryCodes, isCodeOf(asked.id, code));
  const isFresh = secret !== null && step !== undefined && step > (asked.totpLastStep ?? 0);
  return asked !== nobody && (isFresh || isRecoveryCode > 0);
}

/**
 * Uses a code up if it is right, and returns its kind. The WHEREs are the lock: of two calls at once only one gets a
 * row.
 */
export async function useCode(
  tx: Transaction,
  account: Protected,
  code: string,
  now: Date,
): Promise<"code" | "recovery code" | undefined> {
  const secret = confirmedSecret(account);
  const step = secret ? totpStep(secret, code, now) : undefined;
  if (step === undefined) return (await useRecoveryCode(tx, account.id, code)) ? "recovery code" : undefined;
  const taken = await tx
    .update(accounts)
    .set({ totpLastStep: step })
    .where(
      and(
        eq(accounts.id, account.id),
        eq(accounts.totpSecret, secret ?? ""),
        isNotNull(accounts.totpConfirmedAt),
        or(isNull(accounts.totpLastStep), lt(accounts.totpLastStep, step)),
      ),
    )
    .returning({ id: accounts.id });
  return taken.length > 0 ? "code" : undefined;
}

async function useRecoveryCode(tx: Transaction, accountId: string, code: string): Promise<boolean> {
  const used = await tx.delete(recoveryCodes).where(isCodeOf(accountId, code)).returning();
  return used.length > 0;
}

const isCodeOf = (accountId: string, code: string) =>
  and(eq(recoveryCodes.accountId, accountId), eq(recoveryCodes.codeHash, hashCode(code)));

/** Makes ten new recovery codes and returns the only copy; the old ones are gone. */
export async function replaceRecoveryCodes(tx: Transaction, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: 10 }, () => randomLetters(5, 5));
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId));
  await tx.insert(recoveryCodes).values(codes.map((code) => ({ accountId, codeHash: hashCode(code) })));
  return codes;
}

/** Capitals, spaces and hyphens make no difference. */
const hashCode = (code: string) =>
  createHash("sha256")
    .update(code.toLowerCase().replace(/[^a-z0-9]/g, ""))
    .digest("base64url");

/** From now on the password alone is enough. */
export async function removeTwoStep(tx: Transaction, accountId: string): Promise<void> {
  await tx.delete(passkeys).where(eq(passkeys.accountId, accountId));
  await removeAuthenticator(tx, accountId);
}

/** Recovery codes go when the last second step goes. Returns whether one is left. */
export async function removeAuthenticator(tx: Transaction, accountId: string): Promise<boolean> {
  await tx
    .update(accounts)
    .set({ totpSecret: null, totpConfirmedAt: null, totpLastStep: null })
    .where(eq(accounts.id, accountId));
  return removeUnusedCodes(tx, accountId);
}

export async function removeUnusedCodes(tx: Transaction, accountId: string): Promise<boolean> {
  if (await tx.$count(accounts, and(eq(accounts.id, accountId), hasSecondStep))) return true;
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId));
  await tx.delete(codeTries).where(eq(codeTries.accountId, accountId));
  return false;
}

const triesInTenMinutes = 10;

/**
 * Counts one of the wrong codes allowed in ten minutes, over all addresses, or refuses with 429. Called only after the
 * right password, or in a pause after a right code, so that no stranger can use them up; and before the other of the
 * two is checked, so that many at once cannot slip through. The returned function takes the try back.
 */
export async function beginCodeTry(db: Database, accountId: string): Promise<(tx: Database) => Promise<void>> {
  const [mine] = await db.insert(codeTries).values({ accountId }).returning();
  const forget = async (tx: Database) => {
    if (mine) await tx.delete(codeTries).where(eq(codeTries.id, mine.id));
  };
  const { tries, retryAfter } = await triesWithin(db, codeTries, eq(codeTries.accountId, accountId), 10);
  if (tries <= triesInTenMinutes) return forget;
  await forget(db);
  throw refusal(429, `Too many wrong codes. Wait ${describeWait(retryAfter)} and try again.`, { retryAfter });
}
