import type { Parsed } from "@footprint/contract/endpoint.ts";
import { labelTypes as contract, mostTiers } from "@footprint/contract/label-types.ts";
import { badInput, refusal } from "@footprint/contract/refusal.ts";
import { usualCodes } from "@footprint/contract/usual-codes.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { and, eq, gt, ne, sql } from "drizzle-orm";
import { type LogEntry, record } from "../accounts/audit.ts";
import { refuseIfChanged, versionOf } from "../accounts/versions.ts";
import type { Config } from "../config.ts";
import type { Database, Transaction } from "../db/database.ts";
import { ifViolated } from "../db/failures.ts";
import { uuidv7 } from "../db/ids.ts";
import { prepared } from "../db/prepared.ts";
import { customers, customPrices, labelTypes, priceTiers, scheduledPrices } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { countOf, dayAfter, today } from "../lists/counters.ts";
import { exportRows, inDollars } from "../lists/export.ts";
import { pricesChanged, telling } from "../money/happenings.ts";
import {
  changesBetween,
  changeTiers,
  compareTables,
  judge,
  loggedPlan,
  presentTierChange,
} from "../money/prices/changes.ts";
import { type Warning, warned } from "../money/prices/custom.ts";
import { overviewOf } from "../money/prices/overview.ts";
import { readPastedPrices } from "../money/prices/pasted.ts";
import { previewPrices, standardOf } from "../money/prices/preview.ts";
import { momentOf, schedule, withdraw } from "../money/prices/schedule.ts";
import {
  describeBounds,
  describeTier,
  describeWeight,
  lockLabelType,
  loggedTier,
  refuseOverlap,
  refuseOverlaps,
  refuseTooMany,
  type Tier,
  tierWithin,
} from "../money/prices/tiers.ts";
import { createdLabelType, loggedDefinition, switchedLabelType } from "../money/trade-log.ts";

/** All are listed at once, with their prices. */
const mostLabelTypes = 200;

const byName = [sql`lower(${labelTypes.name})`, labelTypes.id];

type LabelType = typeof labelTypes.$inferSelect;

export const labelTypeRoutes = routes(contract, {
  async list({ db }) {
    const query = prepared(db, "label types", () =>
      db
        .select()
        .from(labelTypes)
        .orderBy(...byName)
        .prepare(""),
    );
    const rows = await query.execute();
    return { labelTypes: await withTiers(db, rows) };
  },

  export: (call) =>
    exportRows(
      { ...call, query: {} },
      {
        name: "label-types",
        select: (tx) =>
          tx
            .select()
            .from(labelTypes)
            .leftJoin(priceTiers, eq(priceTiers.labelTypeId, labelTypes.id))
            .orderBy(...byName, priceTiers.fromWeight)
            .$dynamic(),
        columns: {
          Id: labelTypes.id,
          Name: labelTypes.name,
          Uid: labelTypes.uid,
          Type: labelTypes.kind,
          Codes: labelTypes.codes,
          "Max weight": labelTypes.maxWeight,
          Active: labelTypes.active,
          "From weight": priceTiers.fromWeight,
          "To weight": priceTiers.toWeight,
          Price: inDollars(priceTiers.priceCents),
        },
      },
    ),

  async read({ db, params }) {
    const rows = await db.select().from(labelTypes).where(eq(labelTypes.id, params.id));
    const [labelType] = await withTiers(db, rows);
    if (!labelType) throw refusal(404, "This label type does not exist");
    return { labelType };
  },

  async create({ body, actor, transaction }) {
    const values = definitionOf(body);
    return transaction(async (tx) => {
      if ((await tx.$count(labelTypes)) >= mostLabelTypes)
        throw refusal(409, `There are ${mostLabelTypes} label types already: change one that is not used any more`);
      const created = { id: uuidv7(), ...values };
      await tx.insert(labelTypes).values(created).catch(refuseTakenUid(values.uid));
      await record(tx, actor, ...telling(createdLabelType(created), await pricesChanged(tx, created.id)));
      return { message: `Label type ${values.name} created` };
    });
  },

  async inUse({ db, params, config, now }) {
    const [labelType] = await db.select().from(labelTypes).where(eq(labelTypes.id, params.id));
    if (!labelType) throw refusal(404, "This label type does not exist");
    return usesOf(db, labelType.id, lastDays(config, now()));
  },

  async update({ params, body, actor, seen, config, now, transaction }) {
    return transaction(async (tx) => {
      const before = await lockLabelType(tx, params.id, "no key update");
      const values = definitionOf(body, before);
      await refuseIfChanged(tx, seen, before.id, loggedDefinition(before));
      if (values.maxWeight < before.maxWeight) await refuseHeavierPrices(tx, before, values.maxWeight);
      await tx.update(labelTypes).set(values).where(eq(labelTypes.id, before.id)).catch(refuseTakenUid(values.uid));
      const warnings =
        weightUnit(before.name) === weightUnit(values.name)
          ? []
          : [otherUnit(values, await usesOf(tx, before.id, lastDays(config, now())))];
      const entry: LogEntry = [
        "label",
        `Changed label type ${values.name}`,
        {
          before: loggedDefinition(before),
          after: loggedDefinition(values),
          about: { kind: "label type", id: before.id },
        },
      ];
      await record(tx, actor, ...telling(warned({ warnings }, entry), await pricesChanged(tx, before.id)));
      return { message: `Label type ${values.name} saved`, version: versionOf(loggedDefinition(values)), warnings };
    });
  },

  async setStatus({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const { id, name, active } = await lockLabelType(tx, params.id, "no key update");
      const wanted = body.status ?? !active;
      if (wanted === active) return { message: `${name} is already ${wanted ? "enabled" : "disabled"}` };
      await tx.update(labelTypes).set({ active: wanted }).where(eq(labelTypes.id, id));
      await record(tx, actor, ...telling(switchedLabelType({ id, name }, wanted), await pricesChanged(tx, id)));
      return { message: `${name} is ${wanted ? "enabled" : "disabled"}` };
    });
  },

  async overview({ db, params }) {
    return overviewOf(db, await existing(db, params.id));
  },

  async preview({ db, params, body }) {
    const labelType = await existing(db, params.id);
    return previewPrices(db, labelType, { standard: tableWithin(labelType, body.prices) });
  },

  async paste({ db, params, body }) {
    const labelType = await existing(db, params.id);
    const now = await standardOf(db, labelType);
    const { tiers, refused } = readPastedPrices(labelType, body.text);
    if (tiers.length > mostTiers) throw badInput("body.text", `At most ${mostTiers} prices`);
    const isWhole = refused.length === 0 && tiers.length > 0;
    const { preview, warnings } = isWhole
      ? await previewPrices(db, labelType, { standard: tiers })
      : { preview: null, warnings: [] };
    return {
      prices: tiers.map(({ priceCents: price, ...bounds }) => ({ ...bounds, price })),
      refused,
      changes: compareTables(now, tiers).map(presentTierChange),
      preview,
      warnings,
      version: versionOf(loggedTable(now)),
    };
  },

  async replaceTiers({ params, body: { prices, reason, at }, actor, seen, config, transaction }) {
    return transaction(async (tx) => {
      const labelType = await lockLabelType(tx, params.id, "no key update");
      const was = await standardOf(tx, labelType);
      await refuseIfChanged(tx, seen, labelType.id, loggedTable(was));
      const tiers = tableWithin(labelType, prices);
      const changes = changesBetween(was, tiers);
      if (changes.length === 0 && !at) throw refusal(409, `The prices of ${labelType.name} are like that already`);
      if (at) {
        const moment = await momentOf(tx, at);
        const judged = await judge(tx, labelType, changes);
        const told = loggedPlan(judged, changes);
        const why = { at: moment, reason, actor, timezone: config.timezone, told };
        const words = await schedule(tx, labelType, { wholeTable: true, was, prices: tiers }, why);
        return { message: `${labelType.name} will have these prices from ${words}`, warnings: judged.warnings };
      }
      const warnings = await changeTiers(tx, labelType, changes, { actor, reason });
      const many = changes.length === 1 ? "One price" : `${changes.length} prices`;
      return { message: `${many} of ${labelType.name} changed`, warnings };
    });
  },

  async withdraw({ params, body, actor, config, transaction }) {
    return transaction(async (tx) => ({
      message: await withdraw(tx, params.id, body.reason, actor, config.timezone),
    }));
  },

  async addTier({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const labelType = await lockLabelType(tx, params.id, "no key update");
      const tier = { id: uuidv7(), ...tierWithin(labelType, body) };
      await refuseOverlap(tx, priceTiers, labelType, tier);
      await refuseTooMany(tx, priceTiers, eq(priceTiers.labelTypeId, labelType.id), labelType.name);
      const warnings = await changeTiers(tx, labelType, [{ after: tier }], { actor, reason: body.reason });
      return { message: `Price for ${labelType.name} added: ${describeTier(labelType, tier)}`, warnings };
    });
  },

  async updateTier({ params, body: { price_id, reason, at, ...body }, actor, seen, config, transaction }) {
    return transaction(async (tx) => {
      const labelType = await lockLabelType(tx, params.id, "no key update");
      const [before] = await tx
        .select()
        .from(priceTiers)
        .where(and(eq(priceTiers.id, price_id), eq(priceTiers.labelTypeId, labelType.id)));
      if (!before) throw refusal(404, `This price of ${labelType.name} does not exist any more`);
      await refuseIfChanged(tx, seen, before.id, loggedTier(before));
      const after = { id: before.id, ...tierWithin(labelType, body) };
      await refuseOverlap(tx, priceTiers, labelType, after, ne(priceTiers.id, before.id));
      const price = describeTier(labelType, after);
      if (at) {
        const moment = await momentOf(tx, at);
        const judged = await judge(tx, labelType, [{ before, after }]);
        const told = loggedPlan(judged, [{ before, after }]);
        const why = { at: moment, reason, actor, timezone: config.timezone, told };
        const words = await schedule(tx, labelType, { wholeTable: false, was: [before], prices: [after] }, why);
        const message = `Price for ${labelType.name} from ${words}: ${price}`;
        return { message, version: versionOf(loggedTier(before)), warnings: judged.warnings };
      }
      const warnings = await changeTiers(tx, labelType, [{ before, after }], { actor, reason });
      return {
        message: `Price for ${labelType.name} saved: ${price}`,
        version: versionOf(loggedTier(after)),
        warnings,
      };
    });
  },

  async deleteTier({ params, body, actor, seen, transaction }) {
    return transaction(async (tx) => {
      const labelType = await lockLabelType(tx, params.id, "no key update");
      const isMeant = body.price_id
        ? eq(priceTiers.id, body.price_id)
        : and(eq(priceTiers.fromWeight, body.fromWeight), eq(priceTiers.toWeight, body.toWeight));
      const [tier] = await tx
        .select()
        .from(priceTiers)
        .where(and(eq(priceTiers.labelTypeId, labelType.id), isMeant));
      if (!tier) throw refusal(404, `${labelType.name} has no price for ${describeBounds(labelType, body)}`);
      await refuseIfChanged(tx, seen, tier.id, loggedTier(tier));
      if (tier.fromWeight !== body.fromWeight || tier.toWeight !== body.toWeight)
        throw refusal(409, `This price is for ${describeBounds(labelType, tier)} by now. Reload the list.`);
      const warnings = await changeTiers(tx, labelType, [{ before: tier }], { actor, reason: body.reason });
      return { message: `Price for ${labelType.name} deleted: ${describeTier(labelType, tier)}`, warnings };
    });
  },
});

async function existing(db: Database, id: string): Promise<LabelType> {
  const [labelType] = await db.select().from(labelTypes).where(eq(labelTypes.id, id));
  if (!labelType) throw refusal(404, "This label type does not exist");
  return labelType;
}

/** Tiers that fit the label type and do not overlap. */
function tableWithin(labelType: LabelType, prices: Parsed<typeof contract.preview, "body">["prices"]): Tier[] {
  const tiers = prices.map((tier) => tierWithin(labelType, tier));
  refuseOverlaps(labelType, tiers);
  return tiers;
}

/** The table that a pasted one replaces; its version changes with any tier. */
const loggedTable = (tiers: readonly Tier[]) => ({ prices: tiers.map(loggedTier) });

async function withTiers(db: Database, rows: LabelType[]) {
  const query = prepared(db, "tiers of label types", () =>
    db
      .select()
      .from(priceTiers)
      .where(sql`${priceTiers.labelTypeId} = any(${sql.placeholder("ids")}::uuid[])`)
      .orderBy(priceTiers.fromWeight)
      .prepare(""),
  );
  const tiers = await query.execute({ ids: rows.map((labelType) => labelType.id) });
  const tiersOf = Map.groupBy(tiers, (tier) => tier.labelTypeId);
  return rows.map((labelType) => ({
    ...labelType,
    _id: labelType.id,
    type: labelType.kind,
    status: labelType.active,
    prices: (tiersOf.get(labelType.id) ?? []).map((tier) => ({
      ...tier,
      _id: tier.id,
      price: tier.priceCents,
      version: versionOf(loggedTier(tier)),
    })),
    version: versionOf(loggedDefinition(labelType)),
  }));
}

/** Custom prices are counted up to this. */
const mostCounted = 1_000;

/** How much a label type is used, and what it sold since a day. */
async function usesOf(db: Database | Transaction, id: string, { from }: { from: string }) {
  const some = db
    .select({ id: customPrices.id })
    .from(customPrices)
    .where(eq(customPrices.labelTypeId, id))
    .limit(mostCounted)
    .as("some");
  return {
    tiers: await db.$count(priceTiers, eq(priceTiers.labelTypeId, id)),
    customPrices: await db.$count(some),
    orders: await countOf(db, { subject: "orders by label type", kinds: [id] }, { from }),
    scheduled: await db.$count(
      scheduledPrices,
      and(eq(scheduledPrices.labelTypeId, id), eq(scheduledPrices.status, "waiting")),
    ),
  };
}

const lastDays = (config: Config, now: Date) => ({ from: dayAfter(today(config, now), -29) });

/** Its weights keep their numbers but now mean another unit. */
function otherUnit({ name }: { name: string }, uses: Awaited<ReturnType<typeof usesOf>>): Warning {
  const [is, was] = weightUnit(name) === "oz" ? ["oz", "lb"] : ["lb", "oz"];
  const counted = (count: number, one: string) => `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;
  const custom =
    uses.customPrices >= mostCounted ? "1,000 or more custom prices" : counted(uses.customPrices, "custom price");
  return {
    kind: "unit",
    weights: [],
    message: `The weights of ${name} are in ${is} from now on, and were in ${was}: this concerns ${counted(uses.tiers, "tier")}, ${custom} and ${counted(uses.orders, "order")} of the last 30 days${uses.scheduled > 0 ? `, and ${counted(uses.scheduled, "scheduled change")} will not be made` : ""}`,
  };
}

function definitionOf(body: Parsed<typeof contract.create, "body">, before?: LabelType) {
  const { name, uid, maxWeight, type: kind } = body;
  const isSame = before?.uid.toLowerCase() === uid.toLowerCase() && before.kind === kind;
  const codes = body.codes === undefined ? (isSame ? before.codes : usualCodes(kind, uid)) : body.codes;
  if (codes && kind !== "usps") throw badInput("body.codes", "Only labels of type usps take prepaid codes");
  return { name, uid, maxWeight, kind, codes };
}

const refuseTakenUid = (uid: string) =>
  ifViolated("label_types_uid_key", () => refusal(409, `The uid ${uid} is taken`));

/** A lower maximum must not leave prices for weights that can no longer be sent. */
async function refuseHeavierPrices(tx: Transaction, labelType: LabelType, maxWeight: number) {
  const remedy = `Change or delete it before lowering the maximum to ${describeWeight(labelType, maxWeight)}.`;
  const [tier] = await tx
    .select()
    .from(priceTiers)
    .where(and(eq(priceTiers.labelTypeId, labelType.id), gt(priceTiers.toWeight, maxWeight)))
    .orderBy(priceTiers.fromWeight)
    .limit(1);
  if (tier) throw refusal(409, `${labelType.name} has a price for ${describeTier(labelType, tier)}. ${remedy}`);
  const [custom] = await tx
    .select({ tier: customPrices, username: customers.username })
    .from(customPrices)
    .innerJoin(customers, eq(customers.id, customPrices.customerId))
    .where(and(eq(customPrices.labelTypeId, labelType.id), gt(customPrices.toWeight, maxWeight)))
    .limit(1);
  if (custom)
    throw refusal(409, `${custom.username} has a custom price for ${describeTier(labelType, custom.tier)}. ${remedy}`);
}
