import { eq, sql } from "drizzle-orm";
import { versionOf } from "../accounts/versions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { prepared } from "../db/prepared.ts";
import { codeBatches, files, monthlyCounters } from "../db/schema.ts";
import { presentAuthor } from "./presenters.ts";

export type Batch = typeof codeBatches.$inferSelect;

export async function batchesById(db: Database, ids: string[]) {
  const rows = await selectBatches(db).where(sql`${codeBatches.id} = any(${sql.param(ids)}::uuid[])`);
  return presentBatches(db, rows);
}

export const selectBatches = (db: Database | Transaction) =>
  db
    .select({ batch: codeBatches, file: files.name })
    .from(codeBatches)
    .leftJoin(files, eq(files.id, codeBatches.fileId))
    .$dynamic();

export async function presentBatches(db: Database, rows: { batch: Batch; file: string | null }[]) {
  const counts = await countsOfBatches(
    db,
    rows.map(({ batch }) => batch.id),
  );
  return rows.map(({ batch, file }) => {
    const used = counts.get(`used codes by batch ${batch.id}`) ?? 0;
    const { actor, actorKind, actorId } = batch;
    return {
      ...batch,
      _id: batch.id,
      file,
      used,
      left: (counts.get(`codes by batch ${batch.id}`) ?? 0) - used,
      by: actor === null ? null : presentAuthor({ actor, actorKind, actorId }),
      version: versionOf(sourceOf(batch)),
    };
  });
}

/** The counts of each batch's codes and used codes, by the counters' subject and the batch's id. */
async function countsOfBatches(db: Database, ids: string[]): Promise<Map<string, number>> {
  const query = prepared(db, "counts of batches", () =>
    db
      .select({
        key: sql<string>`${monthlyCounters.subject} || ' ' || ${monthlyCounters.kind}`,
        count: sql`sum(${monthlyCounters.count})`.mapWith(Number),
      })
      .from(monthlyCounters)
      .where(
        sql`${monthlyCounters.subject} = any('{codes by batch,used codes by batch}'::text[])
          and ${monthlyCounters.kind} = any(${sql.placeholder("ids")}::text[])`,
      )
      .groupBy(monthlyCounters.subject, monthlyCounters.kind)
      .prepare(""),
  );
  const rows = await query.execute({ ids });
  return new Map(rows.map(({ key, count }) => [key, count]));
}

/** The fields that an edit of a batch can change. */
export const sourceOf = ({ note, fileId }: Pick<Batch, "note" | "fileId">) => ({ note, fileId });
