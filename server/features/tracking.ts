import { isDeepStrictEqual } from "node:util";
import { settingsId } from "@footprint/contract/logs.ts";
import { badInput, refusal } from "@footprint/contract/refusal.ts";
import { tracking as contract, trackingType } from "@footprint/contract/tracking.ts";
import { eq, isNotNull, isNull, sql } from "drizzle-orm";
import type * as z from "zod";
import { record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import { refuseIfChanged, versionOf } from "../accounts/versions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { isOneOfHidden } from "../db/prepared.ts";
import { codeAlerts, codeBatches, customers, orders, plainTracking, settings, trackingCodes } from "../db/schema.ts";
import { attach } from "../http/files.ts";
import { routes } from "../http/routes.ts";
import { batchesById } from "../lists/code-batches.ts";
import { countsByKind } from "../lists/counters.ts";
import { exportList, yesOrNo } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { type Alert, codeAlertsOf, runways } from "../lists/runway.ts";
import { searched } from "../lists/searched.ts";
import {
  beforeRegistering,
  carriedByOrder,
  checkDigit,
  deleteLocked,
  withCheckDigit,
} from "../money/tracking-codes.ts";
import { registeredCodes } from "../money/trade-log.ts";

type Type = z.output<typeof trackingType>;

export const trackingRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return { trackings: rows.map(presentCode), ...counts };
  },

  export: (call) => exportList(call, list),

  exportChosen: (call) => exportList(call, list),

  async read({ db, params }) {
    const [row] = await db.select().from(trackingCodes).where(eq(trackingCodes.id, params.id));
    if (!row) throw unknownCode();
    const [batch] = row.batchId ? await batchesById(db, [row.batchId]) : [];
    return { tracking: presentCode(row), batch: batch ?? null, order: await orderCarrying(db, row.code) };
  },

  async stats({ db }) {
    const counts = await countsByKind(db, "tracking codes");
    const perType = (state: "left" | "used") => {
      const entries = trackingType.options.map((type) => [type, counts[`${type} ${state}`] ?? 0]);
      return Object.fromEntries(entries) as Record<Type, number>;
    };
    return { left: perType("left"), used: perType("used") };
  },

  async runway({ db, config, now }) {
    const all = await runways(db, config, now());
    return { runways: all.map((runway) => ({ ...runway, version: versionOf(settingOf(runway.type, runway.alert)) })) };
  },

  async updateAlert({ params: { type }, body, actor, seen, transaction }) {
    return transaction(async (tx) => {
      // There may be no row yet, so changes take turns on the settings' row.
      await tx.select().from(settings).for("update");
      const before = (await codeAlertsOf(tx))[type];
      await refuseIfChanged(tx, seen, settingsId, settingOf(type, before), before);
      const version = versionOf(settingOf(type, body));
      if (isDeepStrictEqual(before, body)) return { message: "The alert is unchanged", version };
      const row = { type, ...body };
      await tx.insert(codeAlerts).values(row).onConflictDoUpdate({ target: codeAlerts.type, set: body });
      await record(tx, actor, "tracking", `Changed the alert for ${type} codes to ${describeAlert(body)}`, {
        before: settingOf(type, before),
        after: settingOf(type, body),
        about: { kind: "settings", id: settingsId },
        events: [{ type: "settings.changed", data: { setting: "code-alerts" } }],
      });
      return { message: `Alert for ${type} codes saved`, version };
    });
  },

  async create({ body: { amount, type, trackRef, template, note }, file, actor, transaction }) {
    const codes = consecutiveCodes(trackRef, amount);
    return transaction(async (tx) => {
      await tx.execute(beforeRegistering);
      const batchId = uuidv7();
      const taken = await addCodes(tx, codes, { type, template, batchId });
      if (taken) throw refusal(409, `The code ${taken} is already registered. Nothing was created.`);
      const sold = await carriedByOrder(tx, codes);
      if (sold) throw refusal(409, `The code ${sold} is on an order already. Nothing was created.`);
      const [first, last] = [codes[0], codes.at(-1)] as [string, string];
      const { username, kind: actorKind, id: actorId } = actor;
      const fileId = file ? await attach(tx, file) : null;
      const by = { actor: username, actorKind, actorId };
      await tx.insert(codeBatches).values({ id: batchId, type, template, first, last, amount, note, fileId, ...by });
      const source = { ...(note && { note }), ...(file && { file: file.name }) };
      const entry = registeredCodes({ amount, type, template, first, last, batchId, ...source });
      await record(tx, actor, ...entry);
      return { message: entry[1], batch: batchId };
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
      // Waits for buyers who are taking one of them; later buyers take other codes.
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
      const deleted = await deleteLocked(tx, rows);
      const sentence = `Deleted ${deleted.toLocaleString("en-US")} unused codes from ${lowest.code} to ${highest.code}`;
      await record(tx, actor, "tracking", sentence, {
        before: {
          amount: deleted,
          first: lowest.code,
          last: highest.code,
          types: [...new Set(rows.map(({ type }) => type))],
        },
        about: { kind: "tracking codes", id: lowest.batchId ?? lowest.id },
      });
      return { message: sentence, deleted };
    });
  },
});

type Code = typeof trackingCodes.$inferSelect;

const presentCode = (row: Code) => ({ ...row, _id: row.id, used: row.usedAt !== null });
const unknownCode = () => refusal(404, "This tracking code does not exist any more");

/** The order that carries a code. */
async function orderCarrying(db: Database, code: string) {
  const [row] = await db
    .select({ order: orders, customer: customers })
    .from(orders)
    .innerJoin(customers, eq(customers.id, orders.customerId))
    .where(sql`${plainTracking(orders.tracking)} = any(${sql.param([code])}::text[])`)
    .limit(1);
  if (!row) return null;
  const { order, customer } = row;
  return { ...order, _id: order.id, user: { _id: customer.id, username: customer.username } };
}

/** In the log's form, with the type's name in each field to tell entries apart. */
const settingOf = (type: Type, { days, leadDays, codes }: Alert) => ({ [type]: { days, leadDays, codes } });

const describeAlert = ({ days, leadDays, codes }: Alert) =>
  `${days} days beyond ${leadDays} to order them${codes === null ? "" : `, or fewer than ${codes.toLocaleString("en-US")} codes`}`;

async function deleteCode(tx: Transaction, actor: Actor, id: string) {
  const [row] = await tx.delete(trackingCodes).where(eq(trackingCodes.id, id)).returning();
  if (!row) throw unknownCode();
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
  filters: ({ type, template, batch, used }: Filters<typeof contract.list>) => {
    const ofBatch = batch && {
      ...having(trackingCodes.batchId, batch),
      counted: { subject: "codes by batch" as const, kinds: [batch.toLowerCase()] },
    };
    // A batch has few codes and its own index, so other conditions are checked on its rows.
    const ofTemplate = template && {
      where: eq(trackingCodes.template, template),
      hasNoIndex: true,
      ofBatch: eq(codeBatches.template, template),
    };
    if (!type && !used) return [ofBatch, ofTemplate];
    const types = type ? [type] : trackingType.options;
    const states = used ? ([used === "true" ? "used" : "left"] as const) : (["left", "used"] as const);
    // One index has the unused codes of all types, another the used ones.
    const indexes = types.flatMap((type) =>
      states.map((state) => ({
        kind: `${type} ${state}` as const,
        where: sql`${isOneOfHidden(trackingCodes.type, [type])} and ${state === "used" ? isUsed : isNull(trackingCodes.usedAt)}`,
      })),
    );
    return [
      ofBatch,
      ofTemplate,
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

/** The number in a code, without the check digit. */
function numberOf(code: string, path: string): bigint {
  const digits = code.slice(0, 21);
  if (code !== withCheckDigit(digits))
    throw badInput(path, `${code} is mistyped: after ${digits} the last digit is ${checkDigit(digits)}`);
  return BigInt(digits);
}

/** The codes of a range: 21-digit numbers counting up, each followed by its check digit. */
function consecutiveCodes(trackRef: string, amount: number): string[] {
  const first = numberOf(trackRef, "body.trackRef");
  // Codes begin with 9, so the range ends with all nines.
  const left = lastNumber - first + 1n;
  if (BigInt(amount) > left)
    throw badInput("body.amount", `The carrier's numbers end before that: from ${trackRef} on there are ${left}`);
  return codesFrom(first, amount);
}

const codesFrom = (first: bigint, amount: number) =>
  Array.from({ length: amount }, (_, index) => withCheckDigit(String(first + BigInt(index))));

/** Most codes registered at once. */
const mostInRange = 10_000n;

function codesBetween(first: string, last: string): string[] {
  const start = numberOf(first, "body.first");
  const amount = numberOf(last, "body.last") - start + 1n;
  if (amount < 1n) throw badInput("body.last", "The last code comes before the first");
  if (amount > mostInRange) throw badInput("body.last", "A range has at most 10,000 codes");
  return codesFrom(start, Number(amount));
}

type Registered = Pick<Code, "type" | "template"> & { batchId: string };

/** Adds the codes in one statement. Returns the first that already existed, so that the caller can refuse all. */
async function addCodes(tx: Transaction, codes: string[], { type, template, batchId }: Registered) {
  // Ids of the same millisecond are random: sorted, they list a batch in the order of its codes.
  const ids = codes.map(() => uuidv7()).sort();
  // Arrays, because parameters for 10,000 rows are slow. Waits if somebody else is adding one of the codes.
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
