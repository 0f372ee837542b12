import { badInput, type Refusal, refusal } from "@footprint/contract/refusal.ts";
import { session } from "@footprint/contract/session.ts";
import { and, desc, eq, gt, isNull, ne, sql } from "drizzle-orm";
import { isCalled } from "../accounts/accounts.ts";
import { record } from "../accounts/audit.ts";
import { deviceOf } from "../accounts/devices.ts";
import { beginTry, describeWait, takeBackIfDatabaseFails, tooManyFailures } from "../accounts/guessing.ts";
import { findDevice, forgetDevices, rememberDevice } from "../accounts/known-devices.ts";
import { hashPassword, passwordMatches, refuseCommonPassword } from "../accounts/passwords.ts";
import { type Actor, expireSessions, hashToken, idleLimit, lifetimeLimit, openSession } from "../accounts/sessions.ts";
import {
  beginCodeTry,
  codeIsRight,
  newTotpSecret,
  removeTwoStep,
  replaceRecoveryCodes,
  totpStep,
  totpUri,
  useCode,
} from "../accounts/two-step.ts";
import type { Database, Transaction } from "../db/database.ts";
import { databaseFailed } from "../db/failures.ts";
import { accounts, recoveryCodes, sessions, settings as settingsTable } from "../db/schema.ts";
import { routes } from "../http/routes.ts";

type Account = typeof accounts.$inferSelect;

export const sessionRoutes = routes(session, {
  async login({ db, body, address, userAgent, now, transaction }) {
    const [account] = await db.select().from(accounts).where(isCalled(body.username.trim()));
    const opener = { device: deviceOf(userAgent), address };
    const knownDevice = await findDevice(db, body.deviceToken, account?.id);
    const signIn = await beginTry(db, body.username, knownDevice ? { device: knownDevice } : { address });
    return takeBackIfDatabaseFails(db, signIn.takeBack, async () => {
      // While strangers have to wait, only the password together with the code opens; less is told the same, whatever it was.
      const refuse = (answer: Refusal) => (signIn.wait ? tooManyFailures(signIn.wait) : answer);
      const { code } = body;
      if (signIn.wait && !code) {
        await signIn.forget();
        throw tooManyFailures(signIn.wait);
      }
      // Then the code comes first: without a right one no password is looked at, and time tells nothing about it.
      const mayGuess = !signIn.wait || (await codeIsRight(db, account, code ?? "", now()));
      const codeTry = signIn.wait && mayGuess && account ? await takeCodeTry(db, account, refuse) : undefined;
      const isRight = mayGuess && (await passwordMatches(account?.passwordHash, body.password));
      if (!account || !isRight) {
        await signIn.fail(account, opener);
        throw refuse(refusal(401, "Wrong username or password"));
      }
      await signIn.passwordWasRight();
      if (account.totpConfirmedAt && !code) {
        await signIn.forget();
        throw refusal(401, "Enter the code from your authenticator app", { codeRequired: true });
      }
      const forgetCode = codeTry ?? (account.totpConfirmedAt && (await takeCodeTry(db, account, refuse)));
      const open = () =>
        transaction(async (tx) => {
          await lockUnchanged(tx, account);
          const used = forgetCode && (await useCode(tx, account, code ?? "", now()));
          if (forgetCode && !used) return undefined;
          await forgetCode?.(tx);
          const failuresBefore = await signIn.succeed(tx);
          const how = used === "recovery code" ? " with a recovery code" : "";
          await record(tx, { ...account, kind: "account" }, "session", `${account.username} signed in${how}`, {
            after: opener,
          });
          const deviceToken = await rememberDevice(tx, account.id, body.deviceToken);
          const session = { ...opener, failuresBefore, knownDevice: hashToken(deviceToken) };
          return { accessToken: await openSession(tx, account.id, session), deviceToken };
        });
      const opened = await takeBackIfDatabaseFails(db, async () => forgetCode?.(db), open);
      if (opened) return opened;
      await signIn.fail(account, { ...opener, codeWasWrong: true });
      throw refuse(refusal(401, wrongCode, { codeRequired: true }));
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

  async changePassword({ db, body, actor, now, transaction }) {
    const { account, succeed } = await checkPassword(db, actor, body.oldPassword, wrongOldPassword);
    await succeed();
    refuseCommonPassword("newPassword", body.newPassword, actor.username);
    const spendCode = account.totpConfirmedAt && (await checkCode(db, account, body.code, now()));
    const passwordHash = await hashPassword(body.newPassword);
    return transaction(async (tx) => {
      if (spendCode) await spendCode(tx);
      // Only over the password that was checked: of two changes at once, one is told.
      const changed = await tx
        .update(accounts)
        .set({ passwordHash })
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

  async beginTwoStep({ db, body, actor, transaction }) {
    const { succeed } = await checkPassword(db, actor, body.password, wrongPassword);
    await succeed();
    const secret = newTotpSecret();
    return transaction(async (tx) => {
      const begun = await tx
        .update(accounts)
        .set({ totpSecret: secret })
        .where(and(eq(accounts.id, actor.id), isNull(accounts.totpConfirmedAt)))
        .returning({ id: accounts.id });
      if (begun.length === 0) throw refusal(409, "Two-step sign-in is on already");
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
      // Only the secret that the code was computed from, and only once; the code is used up with it.
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

  async disableTwoStep({ db, body, actor, now, transaction }) {
    const allow = await checkPasswordAndCode(db, actor, body, now());
    return transaction(async (tx) => {
      await allow(tx);
      await removeTwoStep(tx, actor.id);
      await endOtherSessions(tx, actor);
      await record(tx, actor, "session", `${actor.username} turned off two-step sign-in`, {
        before: { twoStep: true },
        after: { twoStep: false },
      });
      return { message: "Two-step sign-in is off" };
    }, expireOthers(actor));
  },

  async newRecoveryCodes({ db, body, actor, now, transaction }) {
    const allow = await checkPasswordAndCode(db, actor, body, now());
    return transaction(async (tx) => {
      await allow(tx);
      await record(tx, actor, "session", `${actor.username} made new recovery codes`);
      return { recoveryCodes: await replaceRecoveryCodes(tx, actor.id) };
    });
  },

  async sessions({ db, actor }) {
    const rows = await db
      .select()
      .from(sessions)
      .where(
        and(
          eq(sessions.accountId, actor.id),
          gt(sessions.lastUsedAt, idleLimit),
          gt(sessions.createdAt, lifetimeLimit),
        ),
      )
      .orderBy(desc(sessions.lastUsedAt), desc(sessions.createdAt))
      // More are the work of a program that never signs out.
      .limit(100);
    return {
      sessions: rows.map(({ id, ...row }) => ({ _id: id, ...row, current: row.tokenHash === actor.tokenHash })),
    };
  },

  async endSession({ params, actor, transaction }) {
    const session = and(eq(sessions.id, params.id), eq(sessions.accountId, actor.id));
    return transaction(
      async (tx) => {
        const [ended] = await tx.delete(sessions).where(session).returning();
        if (!ended) throw refusal(404, "This session has ended already");
        const what = [ended.device || "Unknown device", ended.address && `(${ended.address})`]
          .filter(Boolean)
          .join(" ");
        await record(tx, actor, "session", `${actor.username} signed out their session on ${what}`);
        return { message: "Session signed out" };
      },
      (tx) => expireSessions(tx, and(session, isOther(actor))),
    );
  },
});

const takeCodeTry = (db: Database, { id }: Account, refuse: (answer: Refusal) => Refusal) =>
  beginCodeTry(db, id).catch((error) => {
    throw databaseFailed(error) ? error : refuse(error);
  });

const wrongCode = "The code is wrong or was used before";
const wrongPassword = ["body.password", "The password is wrong"] as const;
const wrongOldPassword = ["body.oldPassword", "The old password is wrong"] as const;

/** A session of the caller's account, but not the one that calls. */
const isOther = (actor: Actor) => and(eq(sessions.accountId, actor.id), ne(sessions.tokenHash, actor.tokenHash));
const expireOthers = (actor: Actor) => (tx: Transaction) => expireSessions(tx, isOther(actor));
const endOtherSessions = (tx: Transaction, actor: Actor) => tx.delete(sessions).where(isOther(actor));

/** A change that ends the account's sessions either waits for this one, and ends it too, or came first and is seen. */
async function lockUnchanged(tx: Transaction, { id, passwordHash, totpConfirmedAt }: Account): Promise<void> {
  const [current] = await tx.select().from(accounts).where(eq(accounts.id, id)).for("no key update");
  if (current?.passwordHash === passwordHash && !current.totpConfirmedAt === !totpConfirmedAt) return;
  throw refusal(409, "This account was changed meanwhile. Sign in again.");
}

/** The password of who is signed in. A wrong one is 400 and not 401, or they would be thrown out. */
async function checkPassword(
  db: Database,
  actor: Actor,
  password: string,
  [path, refused]: readonly [path: string, message: string],
) {
  const guess = await beginTry(db, actor.username, { session: actor.tokenHash });
  if (guess.wait) {
    await guess.forget();
    throw refusal(429, `Too many tries. Wait ${describeWait(guess.wait)} and try again.`, { retryAfter: guess.wait });
  }
  const [account] = await db.select().from(accounts).where(eq(accounts.id, actor.id));
  if (!(await passwordMatches(account?.passwordHash, password)) || !account) throw badInput(path, refused);
  await guess.passwordWasRight();
  return { account, succeed: guess.succeed };
}

/** A code of who is signed in. It is used up in the transaction of the change. */
async function checkCode(
  db: Database,
  account: Account,
  code: string | undefined,
  now: Date,
): Promise<(tx: Transaction) => Promise<void>> {
  if (!code) {
    const message = "Enter the code from your authenticator app";
    throw refusal(400, message, { issues: [{ path: "body.code", message }], codeRequired: true });
  }
  const forgetCode = await beginCodeTry(db, account.id);
  return async (tx) => {
    if (!(await useCode(tx, account, code, now))) throw badInput("body.code", wrongCode);
    await forgetCode(tx);
  };
}

/** Both again, before two-step sign-in is changed. */
async function checkPasswordAndCode(
  db: Database,
  actor: Actor,
  { password, code }: { password: string; code: string },
  now: Date,
): Promise<(tx: Transaction) => Promise<void>> {
  const { account, succeed } = await checkPassword(db, actor, password, wrongPassword);
  if (!account.totpConfirmedAt) {
    await succeed();
    throw refusal(409, "Two-step sign-in is not on");
  }
  const spendCode = await checkCode(db, account, code, now);
  return async (tx) => {
    await spendCode(tx);
    await succeed(tx);
  };
}
