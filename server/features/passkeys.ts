import { passkeys } from "@footprint/contract/passkeys.ts";
import { badInput, refusal } from "@footprint/contract/refusal.ts";
import { and, asc, eq } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import { deviceOf } from "../accounts/devices.ts";
import { beginTry, describeWait, takeBackIfDatabaseFails } from "../accounts/guessing.ts";
import { findDevice } from "../accounts/known-devices.ts";
import {
  askForNewPasskey,
  askForPasskey,
  checkPasskey,
  findPasskey,
  partyAt,
  readNewPasskey,
} from "../accounts/passkeys.ts";
import { type Actor, endOtherSessions, expireOthers } from "../accounts/sessions.ts";
import { letIn, lockUnchanged, readAccount, refuseSuspended } from "../accounts/sign-ins.ts";
import { removeUnusedCodes, replaceRecoveryCodes } from "../accounts/two-step.ts";
import type { Transaction } from "../db/database.ts";
import { ifViolated } from "../db/failures.ts";
import { passkeys as passkeyTable } from "../db/schema.ts";
import { routes } from "../http/routes.ts";

/** More come from a program. */
const mostOfAnAccount = 20;

const isRegistered = () => refusal(409, "This passkey is registered already");

export const passkeyRoutes = routes(passkeys, {
  async list({ db, actor }) {
    const rows = await db
      .select()
      .from(passkeyTable)
      .where(eq(passkeyTable.accountId, actor.id))
      .orderBy(asc(passkeyTable.createdAt), asc(passkeyTable.id));
    return { passkeys: rows.map(({ id, ...row }) => ({ _id: id, ...row })) };
  },

  async begin({ db, actor, origin, address }) {
    return { options: { ...(await askForNewPasskey(db, actor, { origin, address })) } };
  },

  async add({ db, body, actor, origin, transaction }) {
    const passkey = await readNewPasskey(db, origin, actor.id, body.passkey);
    if (!passkey) throw badInput("body.passkey", "This passkey cannot be used here. Begin again.");
    // Checked before the other sessions are ended.
    if (await findPasskey(db, passkey.credentialId)) throw isRegistered();
    const before = await readAccount(db, actor.id);
    const isFirstStep = before !== undefined && !before.hasSecondStep;
    const { name, replacesPassword } = body;
    return transaction(
      async (tx) => {
        // Of two added at once, only the first returns recovery codes.
        if (isFirstStep) await lockUnchanged(tx, before);
        if ((await tx.$count(passkeyTable, eq(passkeyTable.accountId, actor.id))) >= mostOfAnAccount)
          throw refusal(409, `An account has at most ${mostOfAnAccount} passkeys`);
        await tx
          .insert(passkeyTable)
          .values({ ...passkey, name, replacesPassword })
          .catch(ifViolated("passkeys_credential_id_key", isRegistered));
        await record(tx, actor, "session", `${actor.username} added the passkey ${name}`, {
          after: { name, replacesPassword },
        });
        if (!isFirstStep) return { message: `Passkey ${name} added`, recoveryCodes: [] };
        await endOtherSessions(tx, actor);
        return { message: `Passkey ${name} added`, recoveryCodes: await replaceRecoveryCodes(tx, actor.id) };
      },
      isFirstStep ? expireOthers(actor) : undefined,
    );
  },

  async update({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const before = await lockOwn(tx, actor, params.id);
      const after = {
        name: body.name ?? before.name,
        replacesPassword: body.replacesPassword ?? before.replacesPassword,
      };
      await tx.update(passkeyTable).set(after).where(eq(passkeyTable.id, before.id));
      await record(tx, actor, "session", `${actor.username} changed the passkey ${after.name}`, {
        before: { name: before.name, replacesPassword: before.replacesPassword },
        after,
      });
      return { message: `Passkey ${after.name} saved` };
    });
  },

  async remove({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const { id, name, replacesPassword } = await lockOwn(tx, actor, params.id);
      await tx.delete(passkeyTable).where(eq(passkeyTable.id, id));
      await removeUnusedCodes(tx, actor.id);
      await record(tx, actor, "session", `${actor.username} removed the passkey ${name}`, {
        before: { name, replacesPassword },
      });
      return { message: `Passkey ${name} removed` };
    });
  },

  async ask({ db, origin, address }) {
    return { options: { ...(await askForPasskey(db, { origin, address })) } };
  },

  async signIn({ db, body, origin, address, userAgent, transaction }) {
    partyAt(origin);
    const passkey = await findPasskey(db, body.passkey.id);
    const opener = { device: deviceOf(userAgent), address };
    const signIn = await beginTry(db, passkey?.username ?? "", { network: address });
    if (signIn.wait) {
      await signIn.forget();
      throw refusal(429, `Too many tries. Wait ${describeWait(signIn.wait)} and try again.`, {
        retryAfter: signIn.wait,
      });
    }
    return takeBackIfDatabaseFails(db, signIn.takeBack, async () => {
      const use = await checkPasskey(db, origin, passkey, body.passkey);
      const account = use && passkey && (await readAccount(db, passkey.accountId));
      if (!account) throw refusal(401, "This passkey is not known here. Sign in with your password.");
      await signIn.takeBack();
      await refuseSuspended(db, account, opener);
      if (!passkey.replacesPassword)
        throw refusal(401, "This passkey comes after the password. Enter your username and password first.");
      return transaction(async (tx) => {
        await lockUnchanged(tx, account);
        if (!(await use(tx))) throw refusal(409, "This passkey was changed meanwhile. Try again.");
        const { deviceToken } = body;
        const isKnownDevice = (await findDevice(tx, deviceToken, account.id)) !== undefined;
        const how = " with a passkey";
        return letIn(tx, account, { succeed: signIn.succeed, opener, deviceToken, isKnownDevice, how });
      });
    });
  },
});

async function lockOwn(tx: Transaction, actor: Actor, id: string) {
  const [own] = await tx
    .select()
    .from(passkeyTable)
    .where(and(eq(passkeyTable.id, id), eq(passkeyTable.accountId, actor.id)))
    .for("update");
  if (!own) throw refusal(404, "This passkey does not exist any more");
  return own;
}
