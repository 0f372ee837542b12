import { notices as contract, type NoticeKind } from "@footprint/contract/notices.ts";
import { and, eq, lt, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { accounts } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { kinds } from "../notices/kinds.ts";
import { countNotices, kindsFor, newestNotices, presentNotice, statesOf, sumOf, titleOf } from "../notices/notices.ts";

/** Notices of a kind that are listed one by one. */
const shown = 5;

export const noticeRoutes = routes(contract, {
  async list({ db, config, now, actor, query }) {
    const names = kindsFor(actor.role);
    const since = query.since ?? (await seenBy(db, actor.id));
    const counts = await countNotices(db, names, since);
    const rows = await newestNotices(db, names, shown);
    const states = await statesOf({ db, timezone: config.timezone, now: now() }, rows);
    // Kinds with new notices come first, then by their latest notice.
    const order = [...new Set(rows.map(({ kind }) => kind))];
    const isNew = (name: NoticeKind) => Number((counts.get(name) ?? 0) > 0);
    return {
      unseen: sumOf(counts),
      newest: rows[0]?.position ?? since,
      groups: order
        .sort((one, other) => isNew(other) - isNew(one))
        .map((name) => {
          const count = counts.get(name) ?? 0;
          const { act, all } = kinds[name];
          const own = rows.filter(({ kind }) => kind === name);
          return {
            ...{ kind: name, count, act, to: all, title: titleOf(name, count) },
            notices: own.map((row) => presentNotice(row, states.get(row.id) ?? "", since)),
          };
        }),
    };
  },

  async unseen({ db, actor }) {
    const seen = await seenBy(db, actor.id);
    return { seen, unseen: sumOf(await countNotices(db, kindsFor(actor.role), seen)) };
  },

  async see({ db, actor, body: { position } }) {
    // Never back, and never beyond the newest event.
    const reached = sql`least(${position}::bigint, newest_event())`;
    await db
      .update(accounts)
      .set({ noticesSeen: reached })
      .where(and(eq(accounts.id, actor.id), lt(accounts.noticesSeen, reached)));
    return { message: "Seen" };
  },
});

async function seenBy(db: Database, id: string): Promise<number> {
  const [account] = await db.select({ seen: accounts.noticesSeen }).from(accounts).where(eq(accounts.id, id));
  return account?.seen ?? 0;
}
