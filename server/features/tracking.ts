import { badInput, refusal } from "@footprint/contract/refusal.ts";
import { tracking as contract, trackingType } from "@footprint/contract/tracking.ts";
import { eq, isNotNull, isNull, sql } from "drizzle-orm";
import type * as z from "zod";
import { record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { trackingCodes } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { countsByKind } from "../lists/counters.ts";
import { exportList, yesOrNo } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { searched } from "../lists/searched.ts";
import { beforeRegistering, carriedByOrder, checkDigit, withCheckDigit } from "../money/tracking-codes.ts";
import { registeredCodes } from "../money/trade-log.ts";

export const trackingRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return { trackings: rows.map((row) => ({ ...row, _id: row.id, used: row.usedAt !== null })), ...counts };
  },

  export: (call) => exportList(call, list),

  exportChosen: (call) => exportList(call, list),

  async stats({ db }) {
    const counts = await countsByKind(db, "tracking codes");
    const perType = (state: "left" | "used") => {
      const entries = trackingType.options.map((type) => [type, counts[`${type} ${state}`] ?? 0]);
      return Object.fromEntries(entries) as Record<z.output<typeof trackingType>, number>;
    };
    return { left: perType("left"), used: perType("used") };
  },

  async create({ body: { amount, type, trackRef, template }, actor, transaction }) {
    const codes = consecutiveCodes(trackRef, amount);
    return transaction(async (tx) => {
      await tx.execute(beforeRegistering);
      const batchId = uuidv7();
      const taken = await addCodes(tx, codes, { type, template, batchId });
      if (taken) throw refusal(409, `The code ${taken} is already registered. Nothing was created.`);
      const sold = await carriedByOrder(tx, codes);
      if (sold) throw refusal(409, `The code ${sold} is on an order already. Nothing was created.`);
      const [first, last] = [codes[0], codes.at(-1)] as [string, string];
      const entry = registeredCodes({ amount, type, template, first, last, batchId });
      await record(tx, actor, ...entry);
      return { message: entry[1] };
    });
  },

  delete: ({ params, actor, transaction }) => transaction((tx) => deleteCode(tx, actor, params.id)),

  deleteSeveral: ({ body: { ids }, actor, several }) =>
    several(ids, "deleted", async (tx, id) => {
      const [row] = await tx.select().from(trackingCodes).where(eq(trackingCodes.id, id)).for("update");
      if (row?.usedAt) throw refusal(409, `The code ${row.code} is used`);
      return deleteCode(tx, actor, id);
    }),

  async deleteRange({ body: { first, last }, actor, transaction }) {
    const codes = codesBetween(first, last);
    return transaction(async (tx) => {
      // Whoever is taking one of them is waited for; whoever wants one after this takes others.
      const rows = await tx
        .select()
        .from(trackingCodes)
        .where(sql`${trackingCodes.code} = any(${sql.param(codes)}::text[])`)
        .orderBy(trackingCodes.code)
        .for("update");
      const used = rows.find(({ usedAt }) => usedAt);
      if (used) throw refusal(409, `The code ${used.code} is used. Nothing was deleted.`);
      const [lowest, highest] = [rows[0], rows.at(-1)];
      if (!lowest || !highest) throw refusal(404, `No code from ${first} to ${last} is registered`);
      // By id: a code that was registered since is not among those that were looked at.
      const ids = rows.map(({ id }) => id);
      await tx.delete(trackingCodes).where(sql`${trackingCodes.id} = any(${sql.param(ids)}::uuid[])`);
      const amount = rows.length.toLocaleString("en-US");
      const sentence = `Deleted ${amount} unused codes from ${lowest.code} to ${highest.code}`;
      await record(tx, actor, "tracking", sentence, {
        before: {
          amount: rows.length,
          first: lowest.code,
          last: highest.code,
          types: [...new Set(rows.map(({ type }) => type))],
        },
        about: { kind: "tracking codes", id: lowest.batchId ?? lowest.id },
      });
      return { message: sentence, deleted: rows.length };
    });
  },
});

async function deleteCode(tx: Transaction, actor: Actor, id: string) {
  const [row] = await tx.delete(trackingCodes).where(eq(trackingCodes.id, id)).returning();
  if (!row) throw refusal(404, "This tracking code does not exist any more");
  const { code, type, template } = row;
  const used = row.usedAt !== null;
  await record(tx, actor, "tracking", `Deleted ${used ? "used" : "unused"} ${type} code ${code}`, {
    before: { code, type, template, used },
    about: { kind: "tracking codes", id: row.batchId ?? row.id },
  });
  return { message: `Tracking code ${code} deleted` };
}

const isUsed = isNotNull(trackingCodes.usedAt);

const list = listOf({
  name: "tracking-codes",
  table: trackingCodes,
  counted: { subject: "tracking codes" },
  searched: searched.trackingCodes,
  filters: ({ type, used }: Filters<typeof contract.list>) => {
    if (!type && !used) return [];
    const types = type ? [type] : trackingType.options;
    const states = used ? ([used === "true" ? "used" : "left"] as const) : (["left", "used"] as const);
    // There is an index of the codes of all types that are left, and one of those that are used.
    const indexes = types.flatMap((type) =>
      states.map((state) => ({
        kind: `${type} ${state}` as const,
        where: sql`${having(trackingCodes.type, type).where} and ${state === "used" ? isUsed : isNull(trackingCodes.usedAt)}`,
      })),
    );
    return [
      {
        column: trackingCodes.type,
        where: indexes.map(({ where }) => where),
        counted: { subject: "tracking codes", kinds: indexes.map(({ kind }) => kind) },
      },
    ];
  },
  select: (db) => db.select().from(trackingCodes).$dynamic(),
  columns: {
    Id: trackingCodes.id,
    Code: trackingCodes.code,
    Type: trackingCodes.type,
    Template: trackingCodes.template,
    Used: yesOrNo(isUsed),
    "Used at": trackingCodes.usedAt,
    Registered: trackingCodes.createdAt,
  },
});

const lastNumber = 10n ** 21n - 1n;

/** A code's number, which is followed by its check digit. */
function numberOf(code: string, path: string): bigint {
  const digits = code.slice(0, 21);
  if (code !== withCheckDigit(digits))
    throw badInput(path, `${code} is mistyped: after ${digits} the last digit is ${checkDigit(digits)}`);
  return BigInt(digits);
}

/** The codes of a range: a number of 21 digits, counting up, each followed by its check digit. */
function consecutiveCodes(trackRef: string, amount: number): string[] {
  const first = numberOf(trackRef, "body.trackRef");
  // Codes begin with 9: after the nines there is no next one.
  const left = lastNumber - first + 1n;
  if (BigInt(amount) > left)
    throw badInput("body.amount", `The carrier's numbers end before that: from ${trackRef} on there are ${left}`);
  return codesFrom(first, amount);
}

const codesFrom = (first: bigint, amount: number) =>
  Array.from({ length: amount }, (_, index) => withCheckDigit(String(first + BigInt(index))));

/** As many as can be registered together. */
const mostInRange = 10_000n;

function codesBetween(first: string, last: string): string[] {
  const start = numberOf(first, "body.first");
  const amount = numberOf(last, "body.last") - start + 1n;
  if (amount < 1n) throw badInput("body.last", "The last code comes before the first");
  if (amount > mostInRange) throw badInput("body.last", "A range has at most 10,000 codes");
  return codesFrom(start, Number(amount));
}

/** Adds the codes in one statement; returns the first that existed already, in which case the caller refuses all. */
type Batch = Pick<typeof trackingCodes.$inferSelect, "type" | "template"> & { batchId: string };

async function addCodes(tx: Transaction, codes: string[], { type, template, batchId }: Batch) {
  // Ids of one moment are random: sorted, the list shows a batch in the order of its codes.
  const ids = codes.map(() => uuidv7()).sort();
  // Arrays, because 10,000 rows of parameters are slow. A code that somebody else is adding just now is waited for.
  const { rows } = await tx.execute<{ code: string }>(sql`
    with added as (
      insert into tracking_codes (id, code, type, template, batch_id)
      select id, code, ${type}, ${template}, ${batchId}::uuid
      from unnest(${sql.param(ids)}::uuid[], ${sql.param(codes)}::text[]) as batch (id, code)
      on conflict (code) do nothing
      returning code
    )
    select code from unnest(${sql.param(codes)}::text[]) as code
    where code not in (select code from added)
    order by code limit 1`);
  return rows[0]?.code;
}
