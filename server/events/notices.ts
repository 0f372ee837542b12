import { noticedEvents, noticeKinds, staffNoticeKinds } from "@footprint/contract/notices.ts";
import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";

const eventsOf = (kinds: readonly (keyof typeof noticedEvents)[]) => kinds.map((kind) => noticedEvents[kind]);
/** In the order of the index of notices. */
const types = sql.raw(
  eventsOf(noticeKinds)
    .map((type) => `'${type}'`)
    .join(", "),
);

/**
 * The positions of the newest notices, for all accounts and for administrators. Reads the index of notices, type by
 * type. It is asked more than once a second; with the types as a parameter it is planned only once and stays short.
 */
export async function newestPositions(db: Database) {
  const isForAll = sql`noticed.type = any(${sql.param(eventsOf(staffNoticeKinds))}::text[])`;
  const { rows } = await db.execute<{ notices: number; adminNotices: number }>(sql`
    select coalesce(max(newest) filter (where ${isForAll}), 0)::float8 as "notices",
      coalesce(max(newest) filter (where not ${isForAll}), 0)::float8 as "adminNotices"
    from unnest(${sql.param(eventsOf(noticeKinds))}::text[]) as noticed(type),
      lateral (select max(position) as newest from events where events.type = noticed.type and events.type in (${types})) as of_type`);
  return rows[0] as (typeof rows)[number];
}
