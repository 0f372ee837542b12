import type { Parsed } from "@footprint/contract/endpoint.ts";
import { labelTypes as contract } from "@footprint/contract/label-types.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, eq, gt, ne, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import type { Database, Transaction } from "../db/database.ts";
import { ifViolated } from "../db/failures.ts";
import { uuidv7 } from "../db/ids.ts";
import { prepared } from "../db/prepared.ts";
import { customers, customPrices, labelTypes, priceTiers } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportRows, inDollars } from "../lists/export.ts";
import {
  describeBounds,
  describeTier,
  describeWeight,
  lockLabelType,
  loggedTier,
  refuseOverlap,
  refuseOverlapMeanwhile,
  refuseTooMany,
  tierWithin,
} from "../money/tiers.ts";
import { addedPrice, createdLabelType, loggedDefinition, switchedLabelType } from "../money/trade-log.ts";

/** They are listed all at once, and with their prices. */
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
      await record(tx, actor, ...createdLabelType(created));
      return { message: `Label type ${values.name} created` };
    });
  },

  async update({ params, body, actor, transaction }) {
    const values = definitionOf(body);
    return transaction(async (tx) => {
      const before = await lockLabelType(tx, params.id, "no key update");
      if (values.maxWeight < before.maxWeight) await refuseHeavierPrices(tx, before, values.maxWeight);
      await tx.update(labelTypes).set(values).where(eq(labelTypes.id, before.id)).catch(refuseTakenUid(values.uid));
      await record(tx, actor, "label", `Changed label type ${values.name}`, {
        before: loggedDefinition(before),
        after: loggedDefinition(values),
        about: { kind: "label type", id: before.id },
      });
      return { message: `Label type ${values.name} saved` };
    });
  },

  async setStatus({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const { id, name, active } = await lockLabelType(tx, params.id, "no key update");
      const wanted = body.status ?? !active;
      if (wanted === active) return { message: `${name} is already ${wanted ? "enabled" : "disabled"}` };
      await tx.update(labelTypes).set({ active: wanted }).where(eq(labelTypes.id, id));
      await record(tx, actor, ...switchedLabelType({ id, name }, wanted));
      return { message: `${name} is ${wanted ? "enabled" : "disabled"}` };
    });
  },

  async addTier({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const labelType = await lockLabelType(tx, params.id, "no key update");
      const tier = { id: uuidv7(), ...tierWithin(labelType, body) };
      await refuseOverlap(tx, priceTiers, labelType, tier);
      await refuseTooMany(tx, priceTiers, eq(priceTiers.labelTypeId, labelType.id), labelType.name);
      await tx
        .insert(priceTiers)
        .values({ labelTypeId: labelType.id, ...tier })
        .catch(refuseOverlapMeanwhile(priceTiers));
      await record(tx, actor, ...addedPrice(labelType, tier));
      return { message: `Price for ${labelType.name} added: ${describeTier(labelType, tier)}` };
    });
  },

  async updateTier({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const labelType = await lockLabelType(tx, params.id, "no key update");
      const [before] = await tx
        .select()
        .from(priceTiers)
        .where(and(eq(priceTiers.id, body.price_id), eq(priceTiers.labelTypeId, labelType.id)));
      if (!before) throw refusal(404, `This price of ${labelType.name} does not exist any more`);
      const tier = tierWithin(labelType, body);
      await refuseOverlap(tx, priceTiers, labelType, tier, ne(priceTiers.id, before.id));
      await tx
        .update(priceTiers)
        .set(tier)
        .where(eq(priceTiers.id, before.id))
        .catch(refuseOverlapMeanwhile(priceTiers));
      const price = describeTier(labelType, tier);
      const sentence = `Changed a price for ${labelType.name} from ${describeTier(labelType, before)} to ${price}`;
      await record(tx, actor, "pricing", sentence, {
        before: loggedTier(before),
        after: loggedTier(tier),
        about: { kind: "price", id: before.id },
      });
      return { message: `Price for ${labelType.name} saved: ${price}` };
    });
  },

  async deleteTier({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const labelType = await lockLabelType(tx, params.id, "no key update");
      const [tier] = await tx
        .delete(priceTiers)
        .where(
          and(
            eq(priceTiers.labelTypeId, labelType.id),
            eq(priceTiers.fromWeight, body.fromWeight),
            eq(priceTiers.toWeight, body.toWeight),
          ),
        )
        .returning();
      if (!tier) throw refusal(404, `${labelType.name} has no price for ${describeBounds(labelType, body)}`);
      const price = describeTier(labelType, tier);
      await record(tx, actor, "pricing", `Deleted a price for ${labelType.name}: ${price}`, {
        before: loggedTier(tier),
        about: { kind: "price", id: tier.id },
      });
      return { message: `Price for ${labelType.name} deleted: ${price}` };
    });
  },
});

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
    prices: (tiersOf.get(labelType.id) ?? []).map((tier) => ({ ...tier, _id: tier.id, price: tier.priceCents })),
  }));
}

function definitionOf({ name, uid, maxWeight, type }: Parsed<typeof contract.create, "body">) {
  return { name, uid, maxWeight, kind: type };
}

const refuseTakenUid = (uid: string) =>
  ifViolated("label_types_uid_key", () => refusal(409, `The uid ${uid} is taken`));

/** A lower maximum may not leave prices behind for weights that can no longer be sent. */
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
