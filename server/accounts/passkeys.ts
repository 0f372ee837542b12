import { isIP } from "node:net";
import type { PasskeyAnswer } from "@footprint/contract/passkeys.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, desc, eq, gt, isNull, notInArray, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { databaseFailed } from "../db/failures.ts";
import { accounts, passkeyChallenges, passkeys } from "../db/schema.ts";
import { networkOf } from "./addresses.ts";

/** Loaded when the first passkey is made or used, since it is larger than most of what a server needs to start. */
const webauthn = () => import("@simplewebauthn/server");

/** Ed25519, P-256 and RSA: authenticators offer these, and every Node can check them. */
const algorithms = [-8, -7, -257];

/** Older challenges have ended. Browsers are told not to wait longer for an answer. */
export const oldestChallenge = sql`now() - interval '5 minutes'`;
const timeout = 5 * 60_000;
const isFresh = gt(passkeyChallenges.createdAt, oldestChallenge);
/** A whole office may sign in at once. Above these numbers the oldest are deleted, so that nobody fills the table. */
const mostChallenges = { ofANetwork: 100, ofAnAccount: 10 };

/** Passkeys are made for the host name under which the panel was opened. Browsers allow none for an IP address. */
export function partyAt(origin: string | undefined) {
  const rpId = origin ? new URL(origin).hostname : "";
  if (!origin || rpId.includes("[") || isIP(rpId))
    throw refusal(400, "Passkeys work in the panel only, where it is opened under its name and not under an address");
  return { origin, rpId };
}

type Asker = { origin: string | undefined; address: string };

/** Options for a browser to use a passkey. The passkey itself tells whose it is. */
export async function askForPasskey(db: Database, { origin, address }: Asker) {
  const { rpId: rpID } = partyAt(origin);
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({ rpID, userVerification: "required", timeout });
  await keepChallenge(db, { challenge: options.challenge, address });
  return options;
}

type Owner = { id: string; username: string };

/** Options for a browser to make a passkey that names its owner and asks for a finger, a face or a PIN. */
export async function askForNewPasskey(db: Database, owner: Owner, { origin, address }: Asker) {
  const { rpId: rpID } = partyAt(origin);
  const { generateRegistrationOptions } = await webauthn();
  const own = await db.select().from(passkeys).where(eq(passkeys.accountId, owner.id));
  const options = await generateRegistrationOptions({
    rpName: "Footprint",
    rpID,
    userID: new TextEncoder().encode(owner.id),
    userName: owner.username,
    userDisplayName: owner.username,
    timeout,
    excludeCredentials: own.map(({ credentialId: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: algorithms,
  });
  await keepChallenge(db, { challenge: options.challenge, address, accountId: owner.id });
  return options;
}

async function keepChallenge(
  db: Database,
  { challenge, address, accountId }: { challenge: string; address: string; accountId?: string },
) {
  const network = networkOf(address, 48);
  const own = accountId
    ? eq(passkeyChallenges.accountId, accountId)
    : and(eq(passkeyChallenges.network, network), isNull(passkeyChallenges.accountId));
  const kept = db
    .select({ challenge: passkeyChallenges.challenge })
    .from(passkeyChallenges)
    .where(and(own, isFresh))
    .orderBy(desc(passkeyChallenges.createdAt))
    .limit(accountId ? mostChallenges.ofAnAccount : mostChallenges.ofANetwork);
  await db.insert(passkeyChallenges).values({ challenge, network, ...(accountId && { accountId }) });
  await db.delete(passkeyChallenges).where(and(own, notInArray(passkeyChallenges.challenge, kept)));
}

/** Uses up a challenge, and tells whether it was ours (and this account's, if one is given). */
async function takeChallenge(db: Database, challenge: unknown, accountId?: string): Promise<boolean> {
  if (typeof challenge !== "string") return false;
  const taken = await db
    .delete(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.challenge, challenge),
        accountId ? eq(passkeyChallenges.accountId, accountId) : isNull(passkeyChallenges.accountId),
        isFresh,
      ),
    )
    .returning();
  return taken.length > 0;
}

type NewPasskey = {
  id: string;
  rawId: string;
  type: "public-key";
  response: { clientDataJSON: string; attestationObject: string; transports: string[] };
};

/** A new passkey as it is stored; undefined if the answer is not valid. */
export async function readNewPasskey(
  db: Database,
  origin: string | undefined,
  accountId: string,
  { response, ...credential }: NewPasskey,
) {
  const party = partyAt(origin);
  const { verifyRegistrationResponse } = await webauthn();
  const { registrationInfo: made } = await verified(() =>
    verifyRegistrationResponse({
      response: { ...credential, clientExtensionResults: {}, response: { ...response, transports: [] } },
      expectedChallenge: (challenge) => takeChallenge(db, challenge, accountId),
      expectedOrigin: party.origin,
      expectedRPID: party.rpId,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  return (
    made && {
      accountId,
      credentialId: made.credential.id,
      publicKey: made.credential.publicKey,
      rpId: party.rpId,
      counter: made.credential.counter,
      transports: response.transports,
      backedUp: made.credentialBackedUp,
    }
  );
}

/** A passkey with its account's name, with one look-up by index. */
export async function findPasskey(db: Database, credentialId: string) {
  const [found] = await db
    .select({ passkey: passkeys, username: accounts.username })
    .from(passkeys)
    .innerJoin(accounts, eq(accounts.id, passkeys.accountId))
    .where(eq(passkeys.credentialId, credentialId));
  return found && { ...found.passkey, username: found.username };
}

type Passkey = typeof passkeys.$inferSelect;

/**
 * Checks that a passkey signed this challenge, for this site, and with a finger, a face or a PIN, so that it counts as
 * both steps. Returns a function that notes its use, to be called in the transaction it is used for.
 */
export async function checkPasskey(
  db: Database,
  origin: string | undefined,
  passkey: Passkey | undefined,
  { response, ...credential }: PasskeyAnswer,
): Promise<((tx: Transaction) => Promise<boolean>) | undefined> {
  const party = partyAt(origin);
  // A subdomain, or another name that leads here, could ask for it too.
  if (!passkey || passkey.rpId !== party.rpId) return undefined;
  if (response.userHandle && !isHandleOf(passkey.accountId, response.userHandle)) return undefined;
  const { verifyAuthenticationResponse } = await webauthn();
  const { userHandle: _, ...signed } = response;
  const { authenticationInfo: used } = await verified(() =>
    verifyAuthenticationResponse({
      response: { ...credential, clientExtensionResults: {}, response: signed },
      expectedChallenge: (challenge) => takeChallenge(db, challenge),
      expectedOrigin: party.origin,
      expectedRPID: party.rpId,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    }),
  );
  if (!used) return undefined;
  return async (tx) => {
    // The WHERE is the lock: if an authenticator and its copy sign at once, only one gets a row.
    const noted = await tx
      .update(passkeys)
      .set({ counter: used.newCounter, backedUp: used.credentialBackedUp, lastUsedAt: sql`now()` })
      .where(and(eq(passkeys.id, passkey.id), eq(passkeys.counter, passkey.counter)))
      .returning({ id: passkeys.id });
    return noted.length > 0;
  };
}

/** The same for a passkey that must belong to this account. */
export async function checkPasskeyOf(
  db: Database,
  origin: string | undefined,
  owner: { id: string } | undefined,
  answer: PasskeyAnswer,
) {
  const passkey = await findPasskey(db, answer.id);
  return checkPasskey(db, origin, passkey?.accountId === owner?.id ? passkey : undefined, answer);
}

const isHandleOf = (accountId: string, handle: string) => Buffer.from(handle, "base64url").toString() === accountId;

/** The library throws on any fault. The reason is not passed on, since it would only help forgers. */
async function verified<T extends { verified: boolean }>(check: () => Promise<T>): Promise<Partial<T>> {
  try {
    const result = await check();
    return result.verified ? result : {};
  } catch (error) {
    if (databaseFailed(error)) throw error;
    return {};
  }
}
