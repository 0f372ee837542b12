import { refusal } from "@footprint/contract/refusal.ts";
import { staff } from "@footprint/contract/staff.ts";
import { and, count, countDistinct, desc, eq, isNotNull, sql } from "drizzle-orm";
import { refuseNameOfKey, refuseReservedName } from "../accounts/accounts.ts";
import { record } from "../accounts/audit.ts";
import { isSignIn } from "../accounts/guessing.ts";
import { hashPassword, refuseCommonPassword } from "../accounts/passwords.ts";
import { expireSessions } from "../accounts/sessions.ts";
import { removeTwoStep } from "../accounts/two-step.ts";
import type { Database, Transaction } from "../db/database.ts";
import { ifViolated } from "../db/failures.ts";
import { uuidv7 } from "../db/ids.ts";
import { accounts, savedViews, sessions, signInTries } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportRows, yesOrNo } from "../lists/export.ts";
import { inOrder } from "../lists/list.ts";
import { pages } from "../lists/paging.ts";
import { foundStaff } from "../lists/searched.ts";

const isStaff = eq(accounts.role, "staff");

export const staffRoutes = routes(staff, {
  async list({ db, query }) {
    const found = foundStaff(query.search);
    // Staff are few: skipping and counting them costs nothing.
    const rows = await db
      .select()
      .from(accounts)
      .where(found)
      .orderBy(...inOrder(accounts, query.sort))
      .offset((query.page - 1) * query.limit)
      .limit(query.limit);
    const total = await db.$count(accounts, found);
    const guessedAt = await accountsGuessedAt(db);
    const failedSignIns = (id: string) => guessedAt.find(({ _id }) => _id === id)?.failedSignIns ?? 0;
    return {
      staff: rows.map(({ id, ...row }) => ({
        _id: id,
        ...row,
        twoStep: row.totpConfirmedAt !== null,
        failedSignIns: failedSignIns(id),
      })),
      guessedAt,
      ...pages(total, query.limit),
    };
  },

  export: (call) =>
    exportRows(call, {
      name: "staff",
      select: (tx) =>
        tx
          .select()
          .from(accounts)
          .where(foundStaff(call.query.search))
          .orderBy(...inOrder(accounts, call.query.sort))
          .$dynamic(),
      total: (tx) => tx.$count(accounts, foundStaff(call.query.search)),
      columns: {
        Id: accounts.id,
        Username: accounts.username,
        "Chat id": accounts.chatId,
        Notifications: accounts.notificationAccess,
        "Two-step sign-in": yesOrNo(isNotNull(accounts.totpConfirmedAt)),
        Created: accounts.createdAt,
      },
    }),

  async create({ body, actor, transaction }) {
    refuseReservedName(body.username);
    refuseCommonPassword("password", body.password, body.username);
    const passwordHash = await hashPassword(body.password);
    const id = uuidv7();
    return transaction(async (tx) => {
      await refuseNameOfKey(tx, body.username);
      await tx
        .insert(accounts)
        .values({ id, username: body.username, passwordHash, role: "staff" })
        .catch(refuseTakenName(body.username));
      await record(tx, actor, "staff", `Created staff account ${body.username}`, {
        after: { username: body.username, role: "staff" },
        about: { kind: "account", id },
      });
      return { message: `Staff account ${body.username} created` };
    });
  },

  async update({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const { role: _, ...before } = await lockStaff(tx, params.id);
      if (body.username && body.username.toLowerCase() !== before.username.toLowerCase()) {
        refuseReservedName(body.username);
        await refuseNameOfKey(tx, body.username);
      }
      const after = {
        username: body.username ?? before.username,
        chatId: body.chatId ?? before.chatId,
        notificationAccess: body.notificationAccess ?? before.notificationAccess,
      };
      await tx.update(accounts).set(after).where(eq(accounts.id, params.id)).catch(refuseTakenName(after.username));
      await record(tx, actor, "staff", `Changed staff account ${after.username}`, {
        before,
        after,
        about: { kind: "account", id: params.id },
      });
      return { message: `Staff account ${after.username} saved` };
    });
  },

  async resetTwoStep({ params: { id }, actor, transaction }) {
    return transaction(
      async (tx) => {
        const { username } = await lockWithTwoStep(tx, id);
        await removeTwoStep(tx, id);
        await tx.delete(sessions).where(eq(sessions.accountId, id));
        await record(tx, actor, "staff", `Reset two-step sign-in of ${username}`, {
          before: { twoStep: true },
          after: { twoStep: false },
          about: { kind: "account", id },
        });
        return { message: `${username} signs in with the password alone now` };
      },
      expireSessionsOf(id, lockWithTwoStep),
    );
  },

  async delete({ params: { id }, actor, transaction }) {
    return transaction(
      async (tx) => {
        const before = await lockStaff(tx, id);
        // Its sessions go with it, once what they have under way has ended: nothing is added to its views after.
        await tx.delete(accounts).where(eq(accounts.id, id));
        await tx.delete(savedViews).where(eq(savedViews.accountId, id));
        await record(tx, actor, "staff", `Deleted staff account ${before.username}`, {
          before,
          about: { kind: "account", id },
        });
        return { message: `Staff account ${before.username} deleted` };
      },
      expireSessionsOf(id, lockStaff),
    );
  },
});

/** Those that somebody failed to sign in as within the last hour, the most tried first. */
const accountsGuessedAt = (db: Database) =>
  db
    .select({
      _id: accounts.id,
      username: accounts.username,
      failedSignIns: count(),
      addresses: countDistinct(signInTries.address),
    })
    .from(accounts)
    .innerJoin(signInTries, eq(signInTries.username, sql`lower(${accounts.username})`))
    .where(isSignIn)
    .groupBy(accounts.id)
    .orderBy(desc(count()), accounts.username);

async function lockStaff(tx: Transaction, id: string) {
  const [row] = await tx
    .select({
      username: accounts.username,
      role: accounts.role,
      chatId: accounts.chatId,
      notificationAccess: accounts.notificationAccess,
    })
    .from(accounts)
    .where(and(eq(accounts.id, id), isStaff))
    .for("update");
  if (!row) throw refusal(404, "This staff account does not exist any more");
  return row;
}

async function lockWithTwoStep(tx: Transaction, id: string) {
  const staff = await lockStaff(tx, id);
  const isOn = await tx.$count(accounts, and(eq(accounts.id, id), isNotNull(accounts.totpConfirmedAt)));
  if (!isOn) throw refusal(409, `${staff.username} does not use two-step sign-in`);
  return staff;
}

const expireSessionsOf = (id: string, lock: typeof lockStaff) => async (tx: Transaction) => {
  await lock(tx, id);
  await expireSessions(tx, eq(sessions.accountId, id));
};

const refuseTakenName = (username: string) =>
  ifViolated("accounts_username_key", () => refusal(409, `The username ${username} is taken`));
