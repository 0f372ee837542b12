import { desc, isNotNull } from "drizzle-orm";
import type { Backups } from "../config.ts";
import type { Database } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { backups } from "../db/schema.ts";

/** When the last checked backup was taken, and what was wrong with the newest. Late means that the next is overdue. */
export async function lastBackup(db: Database, { every }: Backups, now: Date) {
  const newest = (has: "balanced" | "endedAt") =>
    prepared(db, `newest backup, ${has}`, () =>
      db.select().from(backups).where(isNotNull(backups[has])).orderBy(desc(backups.begunAt)).limit(1).prepare(""),
    ).execute();
  const [[checked], [ended]] = await Promise.all([newest("balanced"), newest("endedAt")]);
  const takenAt = checked?.begunAt ?? null;
  return {
    takenAt,
    problem: ended?.problem ?? "",
    isLate: !takenAt || now.getTime() - takenAt.getTime() > 2 * every * 1000,
  };
}
