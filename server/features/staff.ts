import { settingsId } from "@footprint/contract/logs.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import type { Role } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { and, count, countDistinct, desc, eq, getTableColumns, inArray, isNull, not, sql } from "drizzle-orm";
import { refuseNameOfKey, refuseReservedName, replacePassword } from "../accounts/accounts.ts";
import { record } from "../accounts/audit.ts";
import { isRecent } from "../accounts/guessing.ts";
import { generatePassword, hashPassword, refuseCommonPassword } from "../accounts/passwords.ts";
import { hasSecondStep } from "../accounts/second-step.ts";
import { type Actor, accountNow, expireSessions, nameOfSession, openSessionsOf } from "../accounts/sessions.ts";
import { removeTwoStep } from "../accounts/two-step.ts";
import { refuseIfChanged, type Seen, versionOf } from "../accounts/versions.ts";
import { keepTest, lastMessages, sendTest } from "../chat/messages.ts";
import type { Database, Transaction } from "../db/database.ts";
import { ifViolated } from "../db/failures.ts";
import { uuidv7 } from "../db/ids.ts";
import { prepared } from "../db/prepared.ts";
import { accounts, savedViews, sessions, settings, signInTries } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportRows, yesOrNo } from "../lists/export.ts";
import { inOrder } from "../lists/list.ts";
import { pages } from "../lists/paging.ts";
import { foundStaff } from "../lists/searched.ts";
import { signInsOf } from "../lists/sign-ins.ts";

const columns = { ...getTableColumns(accounts), twoStep: hasSecondStep };

export const staffRoutes = routes(staff, {
  async list({ db, query }) {
    const { ids, search, role, sort } = query;
    const found = ids ? inArray(accounts.id, ids) : foundStaff(search, role);
    const { page, limit } = ids ? { page: 1, limit: ids.length } : query;
    /** Typed or chosen statements are built anew. */
    const kept = <Q>(name: string, build: () => Q) =>
      ids || search ? build() : prepared(db, `${name}, ${role} ${sort}`, build);
    // Accounts are few, so skipping and counting rows costs nothing.
    const ofPage = kept("staff", () =>
      db
        .select(columns)
        .from(accounts)
        .where(found)
        .orderBy(...inOrder(accounts, sort))
        .offset(sql.placeholder("offset"))
        .limit(sql.placeholder("limit"))
        .prepare(""),
    );
    const ofAll = kept("amount of staff", () => db.select({ total: count() }).from(accounts).where(found).prepare(""));
    const [rows, [counted], guessedAt] = await Promise.all([
      ofPage.execute({ offset: (page - 1) * limit, limit }),
      ofAll.execute(),
      accountsGuessedAt(db),
    ]);
    return { staff: rows.map((row) => present(row, guessedAt)), guessedAt, ...pages(counted?.total ?? 0, limit) };
  },

  export: (call) =>
    exportRows(call, {
      name: call.query.role === "admin" ? "administrators" : "staff",
      select: (tx) =>
        tx
          .select()
          .from(accounts)
          .where(foundStaff(call.query.search, call.query.role))
          .orderBy(...inOrder(accounts, call.query.sort))
          .$dynamic(),
      total: (tx) => tx.$count(accounts, foundStaff(call.query.search, call.query.role)),
      columns: {
        Id: accounts.id,
        Username: accounts.username,
        "Chat id": accounts.chatId,
        Notifications: accounts.notificationAccess,
        "Two-step sign-in": yesOrNo(hasSecondStep),
        Created: accounts.createdAt,
        "Last seen": accounts.lastSeenAt,
        Suspended: accounts.suspendedAt,
      },
    }),

  async read({ db, params: { id } }) {
    const [row] = await db.select(columns).from(accounts).where(eq(accounts.id, id));
    if (!row) throw isGone();
    return { member: present(row, await accountsGuessedAt(db)) };
  },

  async create({ body: { username, password, role }, actor, transaction }) {
    refuseReservedName(username);
    refuseCommonPassword("password", password, username);
    const passwordHash = await hashPassword(password);
    const id = uuidv7();
    return transaction(async (tx) => {
      await refuseNameOfKey(tx, username);
      await tx.insert(accounts).values({ id, username, passwordHash, role }).catch(refuseTakenName(username));
      await record(tx, actor, "staff", `Created ${kinds[role]} ${username}`, {
        after: { username, role },
        about: { kind: "account", id },
      });
      return { message: `${titleOf({ username, role })} created` };
    });
  },

  async update({ params: { id }, body, actor, seen, transaction }) {
    return transaction(async (tx) => {
      const account = await lockAccount(tx, id);
      await refuseChanged(seen)(account, tx);
      const { role, username, chatId, notificationAccess } = account;
      const was = editable(account);
      if (body.username && body.username.toLowerCase() !== username.toLowerCase()) {
        refuseReservedName(body.username);
        await refuseNameOfKey(tx, body.username);
      }
      const after = {
        username: body.username ?? username,
        chatId: body.chatId ?? chatId,
        notificationAccess: body.notificationAccess ?? notificationAccess,
      };
      const { messageKinds = was.messageKinds, quietHours = was.quietHours } = body;
      await tx
        .update(accounts)
        .set({ ...after, messageKinds, quietFrom: quietHours?.from ?? null, quietTo: quietHours?.to ?? null })
        .where(eq(accounts.id, id))
        .catch(refuseTakenName(after.username));
      const chosen = body.messageKinds !== undefined || body.quietHours !== undefined;
      await record(tx, actor, "staff", `Changed ${kinds[role]} ${after.username}`, {
        before: chosen ? was : { username, chatId, notificationAccess },
        after: chosen ? { ...after, messageKinds, quietHours } : after,
        about: { kind: "account", id },
      });
      const version = versionOf({ ...after, messageKinds, quietHours });
      return { message: `${titleOf({ ...after, role })} saved`, version };
    });
  },

  async changeRole({ params: { id }, body: { role }, actor, transaction }) {
    const refuse = (account: Account) => {
      if (account.role === role) throw refusal(409, `${account.username} is ${article[role]} already`);
    };
    return transaction(
      ...manage(actor, id, refuse, async (tx, { username, role: before }) => {
        await tx.update(accounts).set({ role }).where(eq(accounts.id, id));
        await record(tx, actor, "staff", `Made ${username} ${article[role]}`, {
          before: { role: before },
          after: { role },
          about: { kind: "account", id },
        });
        return { message: `${username} is ${article[role]} now` };
      }),
    );
  },

  async resetPassword({ db, params: { id }, body, actor, transaction }) {
    const [before] = await db.select().from(accounts).where(eq(accounts.id, id));
    const password = generatePassword();
    const passwordHash = await hashPassword(password);
    // Of two administrators at once, one would pass on a password that is already worthless.
    const refuse = (account: Account) => {
      const { passwordTemporary = account.passwordTemporary } = body;
      if (account.passwordHash === before?.passwordHash && account.passwordTemporary === passwordTemporary) return;
      throw refusal(409, `${account.username} got another password meanwhile: look at the account again`);
    };
    return transaction(
      ...manage(actor, id, refuse, async (tx, account) => {
        await replacePassword(tx, account, { passwordHash, passwordTemporary: true });
        await record(tx, actor, "staff", `Reset the password of ${account.username}`, {
          about: { kind: "account", id },
        });
        return { message: `${account.username} has a new password`, password };
      }),
    );
  },

  async resetTwoStep({ params: { id }, actor, transaction }) {
    const refuse = ({ username, twoStep }: Account) => {
      if (!twoStep) throw refusal(409, `${username} does not use two-step sign-in`);
    };
    return transaction(
      ...manage(actor, id, refuse, async (tx, { username }) => {
        await removeTwoStep(tx, id);
        await record(tx, actor, "staff", `Reset two-step sign-in of ${username}`, {
          before: { twoStep: true },
          after: { twoStep: false },
          about: { kind: "account", id },
        });
        return { message: `${username} signs in with the password alone now` };
      }),
    );
  },

  async suspend({ params: { id }, body: { reason }, actor, transaction }) {
    const refuse = ({ username, suspendedAt }: Account) => {
      if (suspendedAt) throw refusal(409, `${username} is suspended already`);
    };
    return transaction(
      ...manage(actor, id, refuse, async (tx, { username }) => {
        await tx.update(accounts).set({ suspendedAt: sql`now()`, suspendedBecause: reason }).where(eq(accounts.id, id));
        await record(tx, actor, "staff", `Suspended ${username}${because(reason)}`, {
          before: { suspended: false },
          after: { suspended: true, ...(reason && { reason }) },
          about: { kind: "account", id },
        });
        return { message: `${username} is suspended` };
      }),
    );
  },

  async resume({ params: { id }, body: { reason }, actor, transaction }) {
    return transaction(async (tx) => {
      const { username, suspendedAt } = await lockAccount(tx, id);
      if (!suspendedAt) throw refusal(409, `${username} is not suspended`);
      await tx.update(accounts).set({ suspendedAt: null, suspendedBecause: "" }).where(eq(accounts.id, id));
      await record(tx, actor, "staff", `Resumed ${username}${because(reason)}`, {
        before: { suspended: true },
        after: { suspended: false, ...(reason && { reason }) },
        about: { kind: "account", id },
      });
      return { message: `${username} may sign in again` };
    });
  },

  async delete({ params: { id }, actor, seen, transaction }) {
    return transaction(
      ...manage(actor, id, refuseChanged(seen), async (tx, account) => {
        const { username, role, chatId, notificationAccess } = account;
        // Its sessions have ended and its calls are over, so no view is added any more.
        await tx.delete(accounts).where(eq(accounts.id, id));
        await tx.delete(savedViews).where(eq(savedViews.accountId, id));
        await record(tx, actor, "staff", `Deleted ${kinds[role]} ${username}`, {
          before: { username, role, chatId, notificationAccess },
          about: { kind: "account", id },
        });
        return { message: `${titleOf(account)} deleted` };
      }),
    );
  },

  async sessions({ db, params: { id }, actor }) {
    return { sessions: await openSessionsOf(db, id, actor) };
  },

  async endSessions({ params: { id }, body: { session }, actor, transaction }) {
    const which = and(eq(sessions.accountId, id), session ? eq(sessions.id, session) : undefined);
    return transaction(
      async (tx) => {
        const { username } = await lockOther(tx, actor, id);
        const ended = await tx.delete(sessions).where(which).returning();
        const [one] = ended;
        if (!one) throw refusal(404, session ? "This session has ended already" : `${username} has no open session`);
        const where = session ? `on ${nameOfSession(one)}` : "everywhere";
        await record(tx, actor, "staff", `Signed ${username} out ${where}`, { about: { kind: "account", id } });
        return { message: `${username} is signed out ${where}` };
      },
      async (tx) => {
        await lockOther(tx, actor, id);
        await takeTurns(tx, actor);
        await expireSessions(tx, which);
      },
    );
  },

  signIns: ({ db, params: { id }, query, actor }) => signInsOf(db, id, query, actor),

  async messages({ db, config, params: { id } }) {
    const messages = await lastMessages(db, id);
    return { provider: config.chat?.provider ?? null, messages: messages.map((row) => ({ ...row, _id: row.id })) };
  },

  async testMessage({ db, config, params: { id }, actor, transaction }) {
    if (actor.role !== "admin" && actor.id !== id) throw refusal(403, "Only administrators may do this for others");
    const { chat } = config;
    if (!chat)
      throw refusal(
        409,
        "No chat provider is set up: CHAT_PROVIDER and CHAT_TOKEN do that where the server is started",
      );
    const [account] = await db.select().from(accounts).where(eq(accounts.id, id));
    if (!account) throw isGone();
    const { username, chatId } = account;
    if (!chatId) throw refusal(409, `${username} has no chat id yet`);
    const answered = await sendTest({ ...config, chat }, account);
    const { sent, status, answer } = answered;
    return transaction(async (tx) => {
      await lockAccount(tx, id);
      await keepTest(tx, id, answered);
      const words = sent ? "Sent a test message to" : "Could not send a test message to";
      await record(tx, actor, "staff", `${words} ${username}`, { about: { kind: "account", id } });
      const message = sent ? `A test message was sent to ${username}` : "The test message was not sent";
      return { message, sent, status, answer };
    });
  },

  async twoStepRequired({ db }) {
    const [current] = await db.select().from(settings);
    const without = (role: Role) =>
      db.$count(accounts, and(eq(accounts.role, role), not(hasSecondStep), isNull(accounts.suspendedAt)));
    return {
      twoStepRequired: current?.twoStepRequired ?? "nobody",
      without: { administrators: await without("admin"), staff: await without("staff") },
    };
  },

  async updateTwoStepRequired({ body: { twoStepRequired }, actor, transaction }) {
    return transaction(async (tx) => {
      const [own] = await tx.select(columns).from(accounts).where(eq(accounts.id, actor.id));
      if (twoStepRequired !== "nobody" && !own?.twoStep)
        throw refusal(409, "Turn on two-step sign-in for your own account first");
      const [before] = await tx.select().from(settings).for("update");
      const message = `Two-step sign-in is required of ${twoStepRequired}`;
      if (before?.twoStepRequired === twoStepRequired) return { message };
      await tx.update(settings).set({ twoStepRequired });
      await record(tx, actor, "website", `Required two-step sign-in of ${twoStepRequired}`, {
        before: { twoStepRequired: before?.twoStepRequired },
        after: { twoStepRequired },
        about: { kind: "settings", id: settingsId },
        events: [{ type: "settings.changed", data: { setting: "two-step" } }],
      });
      return { message };
    });
  },
});

/** How sentences name a role. */
const kinds: Record<Role, string> = { staff: "staff account", admin: "administrator" };
const article: Record<Role, string> = { staff: "a staff account", admin: "an administrator" };
const titleOf = ({ username, role }: { username: string; role: Role }) =>
  `${role === "admin" ? "Administrator" : "Staff account"} ${username}`;
const because = (reason: string) => reason && `: ${reason}`;
const isGone = () => refusal(404, "This staff account does not exist any more");

type Row = typeof accounts.$inferSelect & { twoStep: boolean };
type Account = Awaited<ReturnType<typeof lockAccount>>;

const present = ({ id, ...row }: Row, guessedAt: { _id: string; failedSignIns: number }[]) => ({
  _id: id,
  ...row,
  failedSignIns: guessedAt.find(({ _id }) => _id === id)?.failedSignIns ?? 0,
  quietHours: quietHoursOf(row),
  version: versionOf(editable(row)),
});

/** Accounts with failed sign-ins within the last hour, most tried first. */
const accountsGuessedAt = (db: Database) =>
  prepared(db, "accounts guessed at", () =>
    db
      .select({
        _id: accounts.id,
        username: accounts.username,
        failedSignIns: count(),
        addresses: countDistinct(signInTries.address),
      })
      .from(accounts)
      .innerJoin(signInTries, eq(signInTries.username, sql`lower(${accounts.username})`))
      .where(isRecent)
      .groupBy(accounts.id)
      .orderBy(desc(count()), accounts.username)
      .prepare(""),
  ).execute();

async function lockAccount(tx: Transaction, id: string) {
  const [row] = await tx.select(columns).from(accounts).where(eq(accounts.id, id)).for("update");
  if (!row) throw isGone();
  return row;
}

type Editable = Omit<typeof accounts.$inferSelect, "id">;

const editable = ({ username, chatId, notificationAccess, messageKinds, ...row }: Editable) => ({
  username,
  chatId,
  notificationAccess,
  messageKinds,
  quietHours: quietHoursOf(row),
});

const quietHoursOf = ({ quietFrom: from, quietTo: to }: Pick<Editable, "quietFrom" | "quietTo">) =>
  from !== null && to !== null ? { from, to } : null;

const refuseChanged = (seen: Seen) => (account: Account, tx: Transaction) =>
  refuseIfChanged(tx, seen, account.id, editable(account));

async function lockOther(tx: Transaction, actor: Actor, id: string) {
  if (actor.id === id) throw refusal(409, "Do this to your own account in Account Setting, or ask a colleague");
  return lockAccount(tx, id);
}

/**
 * For acts that end sessions or rights of another account. Its sessions end for every change that begins from now on,
 * and the work begins when earlier changes are done. Only an administrator may act, and never on themselves, so that
 * one always remains.
 */
function manage<T>(
  actor: Actor,
  id: string,
  refuse: (account: Account, tx: Transaction) => void | Promise<void>,
  work: (tx: Transaction, account: Account) => Promise<T>,
) {
  const lock = async (tx: Transaction) => {
    const account = await lockOther(tx, actor, id);
    await refuse(account, tx);
    return account;
  };
  return [
    async (tx: Transaction) => {
      const account = await lock(tx);
      await tx.delete(sessions).where(eq(sessions.accountId, id));
      return work(tx, account);
    },
    async (tx: Transaction) => {
      await lock(tx);
      await takeTurns(tx, actor);
      await expireSessions(tx, eq(sessions.accountId, id));
    },
  ] as const;
}

/** Any number that all servers agree on. */
const managingLock = 7400_0005;

/** Of two administrators who end each other's sessions at once, the second finds their own session ended. */
async function takeTurns(tx: Transaction, actor: Actor) {
  await tx.execute(sql`select pg_advisory_xact_lock(${managingLock})`);
  const { rows } = await tx.execute(accountNow(actor));
  if (rows.length === 0) throw refusal(401, "Sign in to continue");
}

const refuseTakenName = (username: string) =>
  ifViolated("accounts_username_key", () => refusal(409, `The username ${username} is taken`));
