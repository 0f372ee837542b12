import { isDeepStrictEqual } from "node:util";
import { codeBatches as contract } from "@footprint/contract/code-batches.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, eq, isNull } from "drizzle-orm";
import { record, recordRead } from "../accounts/audit.ts";
import { refuseIfChanged, versionOf } from "../accounts/versions.ts";
import type { Transaction } from "../db/database.ts";
import { codeBatches, files, trackingCodes } from "../db/schema.ts";
import { attach, fileName, openFile, remove } from "../http/files.ts";
import { routes } from "../http/routes.ts";
import { type Batch, batchesById, presentBatches, selectBatches, sourceOf } from "../lists/code-batches.ts";
import { exportList } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { searched } from "../lists/searched.ts";
import { deleteLocked } from "../money/tracking-codes.ts";

export const codeBatchRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return { batches: await presentBatches(db, rows), ...counts };
  },

  export: (call) => exportList(call, list),

  async read({ db, params }) {
    const [batch] = await batchesById(db, [params.id]);
    if (!batch) throw unknownBatch();
    return { batch };
  },

  async update({ params, body, file, actor, seen, transaction }) {
    return transaction(async (tx) => {
      const before = await lockBatch(tx, params.id);
      const stored = await fileName(tx, before.fileId);
      await refuseIfChanged(tx, seen, before.id, sourceOf(before), { note: before.note, file: stored });
      const after = { note: body.note ?? before.note, fileId: file ? await attach(tx, file) : before.fileId };
      const version = versionOf(sourceOf(after));
      if (isDeepStrictEqual(sourceOf(before), sourceOf(after))) return { message: "The batch is unchanged", version };
      await tx.update(codeBatches).set(after).where(eq(codeBatches.id, before.id));
      if (file && before.fileId) await remove(tx, before.fileId);
      await record(tx, actor, "tracking", `Noted where ${describeBatch(before)} came from`, {
        before: { note: before.note, file: stored },
        after: { note: after.note, file: file?.name ?? stored },
        about: { kind: "tracking codes", id: before.id },
      });
      return { message: "Batch saved", version };
    });
  },

  async file({ db, params, actor }) {
    const [batch] = await db.select().from(codeBatches).where(eq(codeBatches.id, params.id));
    if (!batch) throw unknownBatch();
    if (!batch.fileId) throw refusal(404, "This batch has no file");
    const file = await openFile(db, batch.fileId);
    await recordRead(db, actor, "tracking", `Downloaded ${file.name} of ${describeBatch(batch)}`, {
      about: { kind: "tracking codes", id: batch.id },
    });
    return file;
  },

  async withdraw({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const batch = await lockBatch(tx, params.id);
      // Waits for buyers who are taking one of them; later buyers take other codes.
      const unused = await tx
        .select()
        .from(trackingCodes)
        .where(and(having(trackingCodes.batchId, batch.id).where, isNull(trackingCodes.usedAt)))
        .orderBy(trackingCodes.code)
        .for("update");
      const [first, last] = [unused[0], unused.at(-1)];
      if (!first || !last) throw refusal(409, "No code of this batch is left unused");
      const withdrawn = await deleteLocked(tx, unused);
      const sentence = `Withdrew ${countCodes(withdrawn, "unused")} of ${describeBatch(batch)}`;
      await record(tx, actor, "tracking", sentence, {
        before: { amount: withdrawn, first: first.code, last: last.code, types: [batch.type] },
        about: { kind: "tracking codes", id: batch.id },
      });
      return { message: sentence, withdrawn };
    });
  },
});

const list = listOf({
  name: "code-batches",
  table: codeBatches,
  counted: { subject: "code batches" },
  searched: searched.codeBatches,
  filters: ({ type }: Filters<typeof contract.list>) => [
    type && { ...having(codeBatches.type, type), counted: { subject: "code batches", kinds: [type] } },
  ],
  select: selectBatches,
  columns: {
    Id: codeBatches.id,
    Registered: codeBatches.createdAt,
    By: codeBatches.actor,
    Type: codeBatches.type,
    Template: codeBatches.template,
    First: codeBatches.first,
    Last: codeBatches.last,
    Amount: codeBatches.amount,
    Note: codeBatches.note,
    File: files.name,
  },
});

async function lockBatch(tx: Transaction, id: string): Promise<Batch> {
  const [batch] = await tx.select().from(codeBatches).where(eq(codeBatches.id, id)).for("update");
  if (!batch) throw unknownBatch();
  return batch;
}

const describeBatch = ({ amount, type, first }: Batch) => `the batch of ${countCodes(amount, type)} from ${first} on`;
const countCodes = (amount: number, which: string) =>
  amount === 1 ? `1 ${which} code` : `${amount.toLocaleString("en-US")} ${which} codes`;

const unknownBatch = () => refusal(404, "This batch does not exist");
