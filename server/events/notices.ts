import { noticedEvents, noticeKinds, staffNoticeKinds } from "@footprint/contract/notices.ts";
import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";

const types = noticeKinds.map((kind) => `'${noticedEvents[kind]}'`).join(", ");
/** From the index of notices, kind by kind. */
const newestOf = (kinds: readonly (keyof typeof noticedEvents)[]) =>
  kinds.map(
    (kind) => `(select max(position) from events where type = '${noticedEvents[kind]}' and type in (${types}))`,
  );
const isForAdmins = (kind: keyof typeof noticedEvents) => !staffNoticeKinds.includes(kind);

const newest = sql.raw(`select
  coalesce(greatest(${newestOf(staffNoticeKinds).join(", ")}), 0)::float8 as "notices",
  coalesce(greatest(${newestOf(noticeKinds.filter(isForAdmins)).join(", ")}), 0)::float8 as "adminNotices"`);

/** The positions of the newest notices: of those that all accounts may see, and of the others. */
export async function newestPositions(db: Database) {
  const { rows } = await db.execute<{ notices: number; adminNotices: number }>(newest);
  return rows[0] as (typeof rows)[number];
}
