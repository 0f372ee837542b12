import type { PasskeyAnswer } from "@footprint/contract/passkeys.ts";
import { badInput, type Refusal, refusal } from "@footprint/contract/refusal.ts";
import { session } from "@footprint/contract/session.ts";
import { and, eq, isNull, sql } from "drizzle-orm";
import { hasUsername } from "../accounts/accounts.ts";
import { record } from "../accounts/audit.ts";
import { deviceOf } from "../accounts/devices.ts";
import { beginTry, describeWait, takeBackIfDatabaseFails, tooManyFailures } from "../accounts/guessing.ts";
import { findDevice, forgetDevices } from "../accounts/known-devices.ts";
import { checkPasskeyOf, partyAt } from "../accounts/passkeys.ts";
import { hashPassword, passwordMatches, refuseCommonPassword } from "../accounts/passwords.ts";
import { accountColumns } from "../accounts/second-step.ts";
import {
  type Actor,
  confirmSession,
  endOtherSessions,
  expireOthers,
  expireSessions,
  isOther,
  nameOfSession,
  openSessionsOf,
} from "../accounts/sessions.ts";
import { type Account, letIn, lockUnchanged, readAccount, refuseSuspended } from "../accounts/sign-ins.ts";
import {
  beginCodeTry,
  codeIsRight,
  newTotpSecret,
  removeAuthenticator,
  replaceRecoveryCodes,
  totpStep,
  totpUri,
  useCode,
} from "../accounts/two-step.ts";
import type { Database, Transaction } from "../db/database.ts";
import { databaseFailed } from "../db/failures.ts";
import { accounts, recoveryCodes, sessions, settings as settingsTable } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { signInsOf } from "../lists/sign-ins.ts";

export const sessionRoutes = routes(session, {
  async login({ db, body, address, userAgent, origin, now, transaction }) {
    const { code, passkey } = body;
    if (passkey) partyAt(origin);
    const [account] = await db.select(accountColumns).from(accounts).where(hasUsername(body.username.trim()));
    const opener = placeOf({ userAgent, address });
    const knownDevice = await findDevice(db, body.deviceToken, account?.id);
    const signIn = await beginTry(db, body.username, knownDevice ? { device: knownDevice } : { address });
    return takeBackIfDatabaseFails(db, signIn.takeBack, async () => {
      // During a pause only the right password with a second step opens a session; all else gets the same answer.
      const refuse = (answer: Refusal) => (signIn.wait ? tooManyFailures(signIn.wait) : answer);
      if (signIn.wait && !code && !passkey) {
        await signIn.forget();
        throw tooManyFailures(signIn.wait);
      }
      const usePasskey = passkey && (await checkPasskeyOf(db, origin, account, passkey));
      // During a pause the second step comes first: without a right one no password is checked, so timing tells
      // nothing.
      const mayGuess = !signIn.wait || usePasskey || (await codeIsRight(db, account, code ?? "", now()));
      const codeTry =
        signIn.wait && mayGuess && account && !usePasskey ? await takeCodeTry(db, account, refuse) : undefined;
      const isRight = mayGuess && (await passwordMatches(account?.passwordHash, body.password));
      if (!account || !isRight) {
        await signIn.fail(account, opener);
        throw refuse(refusal(401, "Wrong username or password"));
      }
      await signIn.passwordWasRight();
      if (account.suspendedAt) {
        await signIn.forget();
        await codeTry?.(db);
        await refuseSuspended(db, account, opener);
      }
      if (account.hasSecondStep && !code && !passkey) {
        await signIn.forget();
        throw refusal(401, askedFor(account), accepted(account));
      }
      const takesCode = account.hasSecondStep && !usePasskey;
      const forgetCode = codeTry ?? (takesCode ? await takeCodeTry(db, account, refuse) : undefined);
      const open = () =>
        transaction(async (tx) => {
          await lockUnchanged(tx, account);
          const used = takesCode ? await useCode(tx, account, code ?? "", now()) : undefined;
          if (takesCode && !used) return undefined;
          if (usePasskey && !(await usePasskey(tx))) return undefined;
          await forgetCode?.(tx);
          const how = used === "recovery code" ? " with a recovery code" : usePasskey ? " with a passkey" : "";
          const { deviceToken } = body;
          const isKnownDevice = knownDevice !== undefined;
          return letIn(tx, account, { succeed: signIn.succeed, opener, deviceToken, isKnownDevice, how });
        });
      const opened = await takeBackIfDatabaseFails(db, async () => forgetCode?.(db), open);
      if (opened) return opened;
      await signIn.fail(account, { ...opener, codeWasWrong: true });
      throw refuse(refusal(401, passkey ? wrongPasskey : wrongCode, accepted(account)));
    });
  },

  async access({ db, actor, config }) {
    const [settings] = await db.select({ demo: settingsTable.demo }).from(settingsTable);
    const { role, username, mustFirst } = actor;
    return { role, username, mustFirst, timezone: config.timezone, demo: settings?.demo ?? false };
  },

  async logout({ actor, transaction }) {
    return transaction(async (tx) => {
      await tx.delete(sessions).where(eq(sessions.tokenHash, actor.tokenHash));
      await record(tx, actor, "session", `${actor.username} signed out`);
      return { message: "Signed out" };
    });
  },

  async confirm({ db, body, actor, origin, transaction, ...from }) {
    const { passkey } = body;
    if (!passkey && body.password === undefined) throw badInput("body.password", "Enter your password");
    const allow = passkey
      ? await checkOwnPasskey(db, origin, actor, passkey)
      : (await checkPassword(db, actor, placeOf(from), body.password ?? "", wrongPassword)).succeed;
    return transaction(async (tx) => {
      await allow(tx);
      await confirmSession(tx, actor);
      const how = passkey ? " with a passkey" : "";
      await record(tx, actor, "session", `${actor.username} confirmed that it is them${how}`);
      return { message: "Confirmed" };
    });
  },

  async changePassword({ db, body, actor, origin, now, transaction, ...from }) {
    const { account, succeed, fail } = await checkPassword(
      db,
      actor,
      placeOf(from),
      body.oldPassword,
      wrongOldPassword,
    );
    await succeed();
    refuseCommonPassword("newPassword", body.newPassword, actor.username);
    if (account.passwordTemporary && body.newPassword === body.oldPassword)
      throw badInput("body.newPassword", "Choose another password than the one you were given");
    const takeStep = account.hasSecondStep && (await checkSecondStep(db, account, origin, body, now(), fail));
    const passwordHash = await hashPassword(body.newPassword);
    return transaction(async (tx) => {
      if (takeStep) await takeStep(tx);
      // Only if the checked password is still the current one: of two changes at once, one is refused.
      const changed = await tx
        .update(accounts)
        .set({ passwordHash, passwordTemporary: false })
        .where(and(eq(accounts.id, actor.id), eq(accounts.passwordHash, account.passwordHash)))
        .returning();
      if (changed.length === 0) throw refusal(409, "The password was changed meanwhile");
      await endOtherSessions(tx, actor);
      await forgetDevices(tx, actor.id, actor);
      await record(tx, actor, "session", `${actor.username} changed their password`);
      return { message: "Password changed" };
    }, expireOthers(actor));
  },

  async twoStep({ db, actor }) {
    const [account] = await db
      .select({ onSince: accounts.totpConfirmedAt })
      .from(accounts)
      .where(eq(accounts.id, actor.id));
    const recoveryCodesLeft = await db.$count(recoveryCodes, eq(recoveryCodes.accountId, actor.id));
    return { onSince: account?.onSince ?? null, recoveryCodesLeft };
  },

  async beginTwoStep({ db, body, actor, transaction, ...from }) {
    const { succeed } = await checkPassword(db, actor, placeOf(from), body.password, wrongPassword);
    await succeed();
    const secret = newTotpSecret();
    return transaction(async (tx) => {
      const begun = await tx
        .update(accounts)
        .set({ totpSecret: secret })
        .where(and(eq(accounts.id, actor.id), isNull(accounts.totpConfirmedAt)))
        .returning({ id: accounts.id });
      if (begun.length === 0) throw refusal(409, "Two-step sign-in is on already");
      // The second half of setting up does not ask for the password again.
      await confirmSession(tx, actor);
      await record(tx, actor, "session", `${actor.username} began to set up two-step sign-in`);
      return { secret, uri: totpUri(actor.username, secret) };
    });
  },

  async confirmTwoStep({ db, body, actor, now, transaction }) {
    const [account] = await db.select().from(accounts).where(eq(accounts.id, actor.id));
    if (account?.totpConfirmedAt) throw refusal(409, "Two-step sign-in is on already");
    const secret = account?.totpSecret;
    if (!secret) throw refusal(409, "Begin to set up two-step sign-in first");
    const forgetCode = await beginCodeTry(db, actor.id);
    const step = totpStep(secret, body.code, now());
    if (step === undefined) throw badInput("body.code", wrongCode);
    return transaction(async (tx) => {
      await forgetCode(tx);
      // Only for the secret that the code belongs to, and only once; the code is used up with it.
      const confirmed = await tx
        .update(accounts)
        .set({ totpConfirmedAt: sql`now()`, totpLastStep: step })
        .where(and(eq(accounts.id, actor.id), eq(accounts.totpSecret, secret), isNull(accounts.totpConfirmedAt)))
        .returning({ id: accounts.id });
      if (confirmed.length === 0) throw refusal(409, "Two-step sign-in was changed meanwhile");
      await endOtherSessions(tx, actor);
      await record(tx, actor, "session", `${actor.username} turned on two-step sign-in`, {
        before: { twoStep: false },
        after: { twoStep: true },
      });
      return { recoveryCodes: await replaceRecoveryCodes(tx, actor.id) };
    }, expireOthers(actor));
  },

  async disableTwoStep({ db, body, actor, origin, now, transaction, ...from }) {
    const isOn = (account: Account) => account.totpConfirmedAt !== null;
    const allow = await checkPasswordAndSecondStep(db, actor, placeOf(from), origin, body, now(), isOn);
    return transaction(async (tx) => {
      await allow(tx);
      const isStillOn = await removeAuthenticator(tx, actor.id);
      await endOtherSessions(tx, actor);
      if (isStillOn) {
        await record(
          tx,
          actor,
          "session",
          `${actor.username} turned off codes for two-step sign-in and keeps a passkey`,
        );
        return { message: "Codes are off; a passkey is still asked for" };
      }
      await record(tx, actor, "session", `${actor.username} turned off two-step sign-in`, {
        before: { twoStep: true },
        after: { twoStep: false },
      });
      return { message: "Two-step sign-in is off" };
    }, expireOthers(actor));
  },

  async newRecoveryCodes({ db, body, actor, origin, now, transaction, ...from }) {
    const isOn = (account: Account) => account.hasSecondStep;
    const allow = await checkPasswordAndSecondStep(db, actor, placeOf(from), origin, body, now(), isOn);
    return transaction(async (tx) => {
      await allow(tx);
      await record(tx, actor, "session", `${actor.username} made new recovery codes`);
      return { recoveryCodes: await replaceRecoveryCodes(tx, actor.id) };
    });
  },

  async sessions({ db, actor }) {
    return { sessions: await openSessionsOf(db, actor.id, actor) };
  },

  async endSession({ params, actor, transaction }) {
    const session = and(eq(sessions.id, params.id), eq(sessions.accountId, actor.id));
    return transaction(
      async (tx) => {
        const [ended] = await tx.delete(sessions).where(session).returning();
        if (!ended) throw refusal(404, "This session has ended already");
        await record(tx, actor, "session", `${actor.username} signed out their session on ${nameOfSession(ended)}`);
        return { message: "Session signed out" };
      },
      (tx) => expireSessions(tx, and(session, isOther(actor))),
    );
  },

  signIns: ({ db, query, actor }) => signInsOf(db, actor.id, query, actor),
});

const takeCodeTry = (db: Database, { id }: Account, refuse: (answer: Refusal) => Refusal) =>
  beginCodeTry(db, id).catch((error) => {
    throw databaseFailed(error) ? error : refuse(error);
  });

/** The possible second steps, told only to somebody with the password. */
const askedFor = ({ totpConfirmedAt, hasPasskey }: Account) =>
  totpConfirmedAt
    ? hasPasskey
      ? "Use a passkey, or enter the code from your authenticator app"
      : "Enter the code from your authenticator app"
    : "Use a passkey, or enter a recovery code";
const accepted = ({ hasPasskey }: Account): Pick<Refusal, "codeRequired" | "passkeyAccepted"> => ({
  codeRequired: true,
  ...(hasPasskey && { passkeyAccepted: true }),
});

const wrongCode = "The code is wrong or was used before";
const wrongPasskey = "The passkey was not accepted. Try again.";
const wrongPassword = ["body.password", "The password is wrong"] as const;
const wrongOldPassword = ["body.oldPassword", "The old password is wrong"] as const;

type Place = { device: string; address: string };
const placeOf = ({ userAgent, address }: { userAgent: string; address: string }): Place => ({
  device: deviceOf(userAgent),
  address,
});

/**
 * Checks the password of a signed-in caller. A wrong one is 400, since 401 would sign them out, and is listed with the
 * account's failed sign-ins, because somebody who stole a session would guess it here.
 */
async function checkPassword(
  db: Database,
  actor: Actor,
  place: Place,
  password: string,
  [path, refused]: readonly [path: string, message: string],
) {
  const guess = await beginTry(db, actor.username, { session: actor.tokenHash });
  if (guess.wait) {
    await guess.forget();
    throw refusal(429, `Too many tries. Wait ${describeWait(guess.wait)} and try again.`, { retryAfter: guess.wait });
  }
  const account = await readAccount(db, actor.id);
  if (!(await passwordMatches(account?.passwordHash, password)) || !account) {
    await guess.fail(account, place);
    throw badInput(path, refused);
  }
  await guess.passwordWasRight();
  const fail = () => guess.fail(account, { ...place, codeWasWrong: true });
  return { account, succeed: guess.succeed, fail };
}

type SecondStep = { code?: string | undefined; passkey?: PasskeyAnswer | undefined };

/** Checks a signed-in caller's code or passkey, which is used up in the change's transaction. */
async function checkSecondStep(
  db: Database,
  account: Account,
  origin: string | undefined,
  { code, passkey }: SecondStep,
  now: Date,
  fail: () => Promise<void>,
): Promise<(tx: Transaction) => Promise<void>> {
  if (passkey) return checkOwnPasskey(db, origin, account, passkey);
  if (!code) {
    const message = askedFor(account);
    throw refusal(400, message, { issues: [{ path: "body.code", message }], ...accepted(account) });
  }
  const forgetCode = await beginCodeTry(db, account.id);
  // Before anything else, since the rest may end the account's other sessions.
  if (!(await codeIsRight(db, account, code, now))) {
    await fail();
    throw badInput("body.code", wrongCode);
  }
  return async (tx) => {
    if (!(await useCode(tx, account, code, now))) throw badInput("body.code", wrongCode);
    await forgetCode(tx);
  };
}

async function checkOwnPasskey(db: Database, origin: string | undefined, own: { id: string }, passkey: PasskeyAnswer) {
  const use = await checkPasskeyOf(db, origin, own, passkey);
  if (!use) throw badInput("body.passkey", wrongPasskey);
  return async (tx: Transaction) => {
    if (!(await use(tx))) throw badInput("body.passkey", wrongPasskey);
  };
}

/** Checks both again before two-step sign-in is changed. */
async function checkPasswordAndSecondStep(
  db: Database,
  actor: Actor,
  place: Place,
  origin: string | undefined,
  { password, ...step }: SecondStep & { password: string },
  now: Date,
  isOn: (account: Account) => boolean,
): Promise<(tx: Transaction) => Promise<void>> {
  const { account, succeed, fail } = await checkPassword(db, actor, place, password, wrongPassword);
  if (!isOn(account)) {
    await succeed();
    throw refusal(409, "Two-step sign-in is not on");
  }
  const takeStep = await checkSecondStep(db, account, origin, step, now, fail);
  return async (tx) => {
    await takeStep(tx);
    await succeed(tx);
  };
}
