import { isDeepStrictEqual } from "node:util";
import { refusal } from "@footprint/contract/refusal.ts";
import { adminScreens, views as contract, mostViews } from "@footprint/contract/views.ts";
import { and, eq, or, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Transaction } from "../db/database.ts";
import { ifViolated } from "../db/failures.ts";
import { accounts, savedViews } from "../db/schema.ts";
import { routes } from "../http/routes.ts";

type Row = typeof savedViews.$inferSelect;

export const viewRoutes = routes(contract, {
  async list({ db, query: { screen }, actor }) {
    refuseScreen(actor, screen);
    const rows = await db
      .select({ view: savedViews, username: accounts.username })
      .from(savedViews)
      .innerJoin(accounts, eq(accounts.id, savedViews.accountId))
      .where(and(eq(savedViews.screen, screen), or(eq(savedViews.accountId, actor.id), eq(savedViews.shared, true))))
      .orderBy(savedViews.createdAt, savedViews.id);
    return { views: rows.map(({ view, username }) => present(view, username, actor)) };
  },

  async create({ body, actor, transaction }) {
    return transaction(async (tx) => {
      refuseScreen(actor, body.screen);
      refuseSharing(actor, body);
      // Calls of one account take turns, so that the second counts the first one's view.
      await tx.execute(sql`select pg_advisory_xact_lock(${viewsLock}, hashtext(${actor.id}))`);
      const isTheirs = and(eq(savedViews.accountId, actor.id), eq(savedViews.screen, body.screen));
      if ((await tx.$count(savedViews, isTheirs)) >= mostViews)
        throw refusal(409, `You have ${mostViews} views of this screen already: delete one first`);
      const [view] = await tx
        .insert(savedViews)
        .values({ ...body, accountId: actor.id })
        .returning()
        .catch(refuseTakenName(body.name));
      if (!view) throw new Error("an insert returns its row");
      await record(tx, actor, "session", `Saved the view ${view.name} of ${view.screen}`, {
        after: content(view),
        about: about(view),
      });
      return { message: `View ${view.name} saved`, view: present(view, actor.username, actor) };
    });
  },

  async update({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const { view: before, username } = await lockView(tx, actor, params.id);
      refuseSharing(actor, body);
      const after = {
        ...before,
        name: body.name ?? before.name,
        query: body.query ?? before.query,
        shared: body.shared ?? before.shared,
      };
      const reply = { message: `View ${after.name} saved`, view: present(after, username, actor) };
      if (isDeepStrictEqual(before, after)) return reply;
      await tx
        .update(savedViews)
        .set(content(after))
        .where(eq(savedViews.id, before.id))
        .catch(refuseTakenName(after.name));
      await record(tx, actor, "session", `Changed the view ${after.name} of ${before.screen}`, {
        before: content(before),
        after: content(after),
        about: about(before),
      });
      return reply;
    });
  },

  async delete({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const { view } = await lockView(tx, actor, params.id);
      await tx.delete(savedViews).where(eq(savedViews.id, view.id));
      await record(tx, actor, "session", `Deleted the view ${view.name} of ${view.screen}`, {
        before: content(view),
        about: about(view),
      });
      return { message: `View ${view.name} deleted` };
    });
  },
});

/** Any number that all servers agree on. */
const viewsLock = sql.raw("76");

const content = ({ name, query, shared }: Row) => ({ name, query, shared });
const about = ({ id }: Row) => ({ kind: "saved view", id }) as const;
const present = (view: Row, username: string, { id }: Actor) => ({
  ...view,
  _id: view.id,
  own: view.accountId === id,
  by: { username },
});

/** The caller's own view or a shared one; nobody learns of others' own views. */
async function lockView(tx: Transaction, actor: Actor, id: string) {
  const [found] = await tx
    .select({ view: savedViews, username: accounts.username })
    .from(savedViews)
    .innerJoin(accounts, eq(accounts.id, savedViews.accountId))
    .where(eq(savedViews.id, id))
    .for("update", { of: savedViews });
  if (!found || (found.view.accountId !== actor.id && !found.view.shared))
    throw refusal(404, "This view does not exist any more");
  refuseSharing(actor, found.view);
  return found;
}

function refuseScreen({ role }: Actor, screen: string) {
  if (role !== "admin" && adminScreens.includes(screen)) throw refusal(403, "Only administrators see this screen");
}

function refuseSharing({ role }: Actor, { shared }: { shared?: boolean | undefined }) {
  if (role !== "admin" && shared) throw refusal(403, "Only administrators share views and change shared ones");
}

const refuseTakenName = (name: string) =>
  ifViolated("saved_views_name_key", () => refusal(409, `There is a view ${name} of this screen already`));
