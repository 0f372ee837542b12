import { customPrices as contract } from "@footprint/contract/custom-prices.ts";
import { mostTiers } from "@footprint/contract/label-types.ts";
import { badInput, type Refusal, refusal } from "@footprint/contract/refusal.ts";
import { and, eq, ne, sql } from "drizzle-orm";
import { type LogEntry, record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import { refuseIfChanged, versionOf } from "../accounts/versions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { customers, customPrices, labelTypes } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { because } from "../money/corrections.ts";
import { ownPricesChanged, telling } from "../money/happenings.ts";
import {
  catalogueOf,
  customPricesOf,
  judge,
  judgeChange,
  lockCustomer,
  type OwnPrice,
  raised,
  repriceOrders,
  standardFor,
  unknownCustomer,
  warned,
} from "../money/prices/custom.ts";
import {
  describeBounds,
  describeTier,
  lockLabelType,
  loggedTier,
  refuseOverlap,
  refuseOverlapMeanwhile,
  tierWithin,
} from "../money/prices/tiers.ts";

type Db = Database | Transaction;
type Customer = typeof customers.$inferSelect;
type Listed = Awaited<ReturnType<typeof customPricesOf>>[number];
type LabelType = Listed["labelType"];

/** What happens to one price. */
type Planned = OwnPrice & {
  labelType: LabelType;
  /** The price that it replaces. */
  replaces: Listed["price"] | undefined;
  fate: "added" | "changed" | "same" | "refused";
  message: string | null;
};

export const customPriceRoutes = routes(contract, {
  async preview({ db, params, query }) {
    const customer = await findCustomer(db, params.id);
    const own = await customPricesOf(db, [customer.id]);
    const [labelType] = await db.select().from(labelTypes).where(eq(labelTypes.id, query.labelType));
    if (!labelType) throw refusal(404, "This label type does not exist");
    const isMeant = ({ price }: Listed) => price.id === query._id?.toLowerCase() && price.labelTypeId === labelType.id;
    const replaces = own.find(isMeant)?.price;
    if (query._id && !replaces) throw goneFrom(customer);
    const { fromWeight, toWeight, price: priceCents } = query;
    const planned = plan(labelType, { labelTypeId: labelType.id, fromWeight, toWeight, priceCents }, replaces);
    const outside = refusalOf(() => tierWithin(labelType, query));
    return previewOf(db, customer, own, [outside ? refused(planned, outside) : refusedWhereItOverlaps(planned, own)]);
  },

  async update({ params, body, actor, seen, transaction }) {
    return transaction(async (tx) => {
      const customer = await lockCustomer(tx, params.id);
      const own = await customPricesOf(tx, [customer.id]);
      const listed = own.find(({ price }) => price.id === body._id.toLowerCase());
      if (!listed) throw goneFrom(customer);
      const labelType = await lockLabelType(tx, listed.labelType.id, "share");
      const { price: before } = listed;
      await refuseIfChanged(tx, seen, before.id, loggedTier(before));
      const tier = tierWithin(labelType, body);
      const others = and(eq(customPrices.customerId, customer.id), ne(customPrices.id, before.id));
      await refuseOverlap(tx, customPrices, labelType, tier, others);
      await tx
        .update(customPrices)
        .set(tier)
        .where(eq(customPrices.id, before.id))
        .catch(refuseOverlapMeanwhile(customPrices));
      const judged = await judgeChange(
        tx,
        customer.id,
        pricesBefore(own),
        pricesAfter(own, [plan(labelType, { ...before, ...tier }, before)]),
      );
      const price = `${labelType.name}, ${describeTier(labelType, tier)}`;
      const entry: LogEntry = [
        "pricing",
        `Changed a custom price of ${customer.username} from ${describeTier(labelType, before)} to ${price}`,
        {
          before: { labelType: labelType.name, ...loggedTier(before) },
          after: { labelType: labelType.name, ...loggedTier(tier) },
          about: { kind: "custom price", id: before.id, customerId: customer.id },
        },
      ];
      const told = await ownPricesChanged(tx, customer, [before]);
      await record(tx, actor, ...telling(because(body.reason, warned(judged, entry)), ...told));
      const message = `Custom price of ${customer.username} saved: ${price}`;
      return { message, version: versionOf(loggedTier(tier)), warnings: judged.warnings };
    });
  },

  async previewChange({ db, params, query }) {
    const customer = await findCustomer(db, params.id);
    const own = await customPricesOf(db, [customer.id]);
    return previewOf(db, customer, own, planChange(customer, own, query));
  },

  async change({ params, body, actor, seen, transaction }) {
    return transaction(async (tx) => {
      const customer = await lockCustomer(tx, params.id);
      const own = await customPricesOf(tx, [customer.id]);
      const planned = planChange(customer, own, body);
      await refuseIfChanged(tx, seen, customer.id, seenOf(planned));
      const [does, by] = [body.percent > 0 ? "Raised" : "Lowered", `${Math.abs(body.percent)} %`];
      return carryOut(tx, { actor, customer, own, planned, reason: body.reason }, (prices) =>
        prices
          ? `${does} ${prices} of ${customer.username} by ${by}`
          : `No custom price of ${customer.username} changes by ${by}: they are too small`,
      );
    });
  },

  async previewCopy({ db, params, query }) {
    const customer = await findCustomer(db, params.id);
    const source = await findCustomer(db, query.from);
    const own = await customPricesOf(db, [customer.id]);
    const planned = await planCopy(db, customer, own, source);
    const preview = await previewOf(db, customer, own, planned);
    return { ...preview, from: { _id: source.id, username: source.username } };
  },

  async copy({ params, body, actor, seen, transaction }) {
    return transaction(async (tx) => {
      const customer = await lockCustomer(tx, params.id);
      const source = await findCustomer(tx, body.from);
      const own = await customPricesOf(tx, [customer.id]);
      // Keeps the label types as they are until the end, so that the copied bounds fit.
      await tx.execute(sql`
        select from label_types where id in (select label_type_id from custom_prices where customer_id = ${source.id})
        order by id for share`);
      const planned = await planCopy(tx, customer, own, source);
      await refuseIfChanged(tx, seen, customer.id, seenOf(planned));
      const first = planned.find(({ fate }) => fate === "refused");
      if (first) throw refusal(409, `${describe(first)}: ${first.message}. Nothing was copied.`);
      return carryOut(tx, { actor, customer, own, planned, reason: body.reason }, (prices) =>
        prices
          ? `Copied ${prices} of ${source.username} to ${customer.username}`
          : `${customer.username} has all prices of ${source.username} already`,
      );
    });
  },
});

async function findCustomer(db: Db, id: string) {
  const [customer] = await db.select().from(customers).where(eq(customers.id, id));
  if (!customer) throw unknownCustomer();
  return customer;
}

const goneFrom = ({ username }: Customer) => refusal(404, `This custom price of ${username} does not exist any more`);

function plan(labelType: LabelType, price: OwnPrice, replaces?: Listed["price"]): Planned {
  const isSame =
    replaces?.priceCents === price.priceCents &&
    replaces.fromWeight === price.fromWeight &&
    replaces.toWeight === price.toWeight;
  const { labelTypeId, fromWeight, toWeight, priceCents } = price;
  const fate = !replaces ? "added" : isSame ? "same" : "changed";
  return { labelTypeId, fromWeight, toWeight, priceCents, labelType, replaces, fate, message: null };
}

const refused = (planned: Planned, message: string): Planned => ({ ...planned, fate: "refused", message });

/** The refusal, in words. */
function refusalOf(judge: () => unknown): string | undefined {
  try {
    judge();
    return undefined;
  } catch (error) {
    return (error as Refusal).message;
  }
}

/** Refuses a price that overlaps another one that stays, and names it. */
function refusedWhereItOverlaps(planned: Planned, own: Listed[]): Planned {
  const other = own.find(
    ({ price }) =>
      price.id !== planned.replaces?.id &&
      price.labelTypeId === planned.labelTypeId &&
      price.fromWeight < planned.toWeight &&
      price.toWeight > planned.fromWeight,
  );
  if (!other) return planned;
  return refused(planned, `Overlaps with ${describeTier(other.labelType, other.price)}`);
}

type Change = { percent: number; labelType?: string | undefined };

function planChange(customer: Customer, own: Listed[], { percent, labelType: only }: Change): Planned[] {
  const meant = own.filter(({ labelType }) => !only || labelType.id === only.toLowerCase());
  if (meant.length === 0)
    throw refusal(404, `${customer.username} has no custom prices${only ? " for this label type" : ""}`);
  return meant.map(({ price, labelType }) => {
    const priceCents = raised(price.priceCents, percent);
    if (priceCents > 100_000_000) throw badInput("body.percent", "A price is at most 1,000,000.00");
    return plan(labelType, { ...price, priceCents }, price);
  });
}

async function planCopy(db: Db, customer: Customer, own: Listed[], source: Customer): Promise<Planned[]> {
  if (source.id === customer.id) throw badInput("from", "Choose another customer");
  const theirs = await customPricesOf(db, [source.id]);
  if (theirs.length === 0) throw refusal(404, `${source.username} has no custom prices`);
  const planned = theirs.map(({ price, labelType }) => {
    const same = own.find(
      ({ price: { labelTypeId, fromWeight, toWeight } }) =>
        labelTypeId === price.labelTypeId && fromWeight === price.fromWeight && toWeight === price.toWeight,
    );
    return refusedWhereItOverlaps(plan(labelType, price, same?.price), own);
  });
  const added = planned.filter(({ fate }) => fate === "added");
  if (own.length + added.length > mostTiers)
    throw refusal(409, `${customer.username} would have more than ${mostTiers} prices`);
  return planned;
}

const isDone = ({ fate }: Planned) => fate === "added" || fate === "changed";

/** The customer's prices after the change. */
function pricesAfter(own: Listed[], planned: Planned[]): OwnPrice[] {
  const replaced = new Set(planned.filter(isDone).map(({ replaces }) => replaces?.id));
  return [...own.map(({ price }) => price).filter(({ id }) => !replaced.has(id)), ...planned.filter(isDone)];
}

const pricesBefore = (own: Listed[]): OwnPrice[] => own.map(({ price }) => price);

async function previewOf(db: Database, customer: Customer, own: Listed[], planned: Planned[]) {
  const catalogue = await catalogueOf(db, planned);
  const [before, after] = [pricesBefore(own), pricesAfter(own, planned)];
  return {
    prices: planned.map((price) => ({
      ...price,
      labelType: { _id: price.labelType.id, name: price.labelType.name },
      before: price.replaces?.priceCents ?? null,
      price: price.priceCents,
      standard: standardFor(catalogue, price),
    })),
    warnings: (await judge(db, customer.id, catalogue, before, after)).warnings,
    preview: await repriceOrders(db, customer, catalogue, before, after),
    counts: customer.customPricingEnabled,
    version: versionOf(seenOf(planned)),
  };
}

type Work = { actor: Actor; customer: Customer; own: Listed[]; planned: Planned[]; reason: string };

/** Carries out a whole plan, with one entry in the log, or none if nothing changes. */
async function carryOut(
  tx: Transaction,
  { actor, customer, own, planned, reason }: Work,
  sentence: (prices: string | undefined) => string,
) {
  const done = planned.filter(isDone);
  if (done.length === 0) return { message: sentence(undefined), warnings: [] };
  const judged = await judgeChange(tx, customer.id, pricesBefore(own), pricesAfter(own, planned));
  const added = done.filter(({ fate }) => fate === "added");
  const changed = done.filter(({ fate }) => fate === "changed");
  if (added.length > 0)
    await tx
      .insert(customPrices)
      .values(
        added.map(({ labelTypeId, fromWeight, toWeight, priceCents }) => ({
          ...{ customerId: customer.id, labelTypeId },
          ...{ fromWeight, toWeight, priceCents },
        })),
      )
      .catch(refuseOverlapMeanwhile(customPrices));
  const items = changed.map(({ replaces, priceCents }) => ({ id: replaces?.id, priceCents }));
  const { rows } = await tx.execute(sql`
    update custom_prices set price_cents = item."priceCents"
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as item (id uuid, "priceCents" bigint)
    where custom_prices.id = item.id and custom_prices.customer_id = ${customer.id} returning custom_prices.id`);
  if (rows.length !== changed.length)
    throw new Error(`${rows.length} prices were changed instead of ${changed.length}`);
  const message = sentence(done.length === 1 ? "1 custom price" : `${done.length} custom prices`);
  const entry: LogEntry = [
    "pricing",
    message,
    {
      before: { prices: loggedPrices(done, ({ replaces }) => replaces?.priceCents) },
      after: { prices: loggedPrices(done, ({ priceCents }) => priceCents) },
      about: { kind: "customer", id: customer.id },
    },
  ];
  const told = await ownPricesChanged(tx, customer, done);
  await record(tx, actor, ...telling(because(reason, warned(judged, entry)), ...told));
  return { message, warnings: judged.warnings };
}

/** Several prices for the log, by what they are for, since label types may share a name. */
function loggedPrices(planned: Planned[], centsOf: (price: Planned) => number | undefined) {
  const logged = new Map<string, number | null>();
  for (const price of planned) {
    const name = `${price.labelType.name} ${describeBounds(price.labelType, price)}`;
    const cents = centsOf(price);
    logged.set(logged.has(name) ? `${name} (${price.labelTypeId})` : name, cents === undefined ? null : cents / 100);
  }
  return Object.fromEntries(logged);
}

/** The parts of a preview that decide what is done. */
const seenOf = (planned: Planned[]) => ({
  prices: planned.map((price) => ({
    labelType: price.labelType.name,
    ...loggedTier(price),
    before: price.replaces ? loggedTier(price.replaces) : null,
    fate: price.fate,
  })),
});

const describe = (price: Planned) => `${price.labelType.name}, ${describeTier(price.labelType, price)}`;
