import { desc, isNotNull, type SQL } from "drizzle-orm";
import type { Backups } from "../config.ts";
import type { Database } from "../db/database.ts";
import { backups } from "../db/schema.ts";

/** The last backup that was restored for a check, and what became of the newest. One is late when the next is overdue. */
export async function lastBackup(db: Database, { every }: Backups, now: Date) {
  const newest = async (which: SQL) =>
    (await db.select().from(backups).where(which).orderBy(desc(backups.begunAt)).limit(1))[0];
  const takenAt = (await newest(isNotNull(backups.balanced)))?.begunAt ?? null;
  return {
    takenAt,
    problem: (await newest(isNotNull(backups.endedAt)))?.problem ?? "",
    isLate: !takenAt || now.getTime() - takenAt.getTime() > 2 * every * 1000,
  };
}
