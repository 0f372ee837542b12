import { refusal } from "@footprint/contract/refusal.ts";
import { users as contract } from "@footprint/contract/users.ts";
import { and, eq, getTableColumns, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { type LogEntry, record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import { refuseIfChanged, versionOf } from "../accounts/versions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { isOneOfHidden, prepared } from "../db/prepared.ts";
import { presentCustomer, presentInvoice } from "../db/presenters.ts";
import { customers, customPrices, invoices, shops } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { daysUntil, today } from "../lists/counters.ts";
import { exportList, inDollars, yesOrNo } from "../lists/export.ts";
import { type Filters, having, type ListQuery, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { searched } from "../lists/searched.ts";
import { because } from "../money/corrections.ts";
import { totalsOf } from "../money/customer-totals.ts";
import { aboutCustomer, ownPricesChanged, telling } from "../money/happenings.ts";
import {
  catalogueOf,
  customPricesOf,
  judgeChange,
  lockCustomer,
  ownPrices,
  standardFor,
  unknownCustomer,
  warned,
} from "../money/prices/custom.ts";
import {
  describeTier,
  lockLabelType,
  loggedTier,
  refuseOverlap,
  refuseOverlapMeanwhile,
  refuseTooMany,
  tierWithin,
} from "../money/prices/tiers.ts";
import { addBalance } from "../money/staff-acts.ts";
import { addedCustomPrice, switchedCustomer, switchedCustomPricing, verifiedCustomer } from "../money/trade-log.ts";

export const userRoutes = routes(contract, {
  list: ({ db, query }) => listCustomers(db, query),

  async listNew({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, { ...query, ...unverified });
    // With ids in the query it still lists new customers only.
    const newcomers = rows.filter(({ verifiedAt }) => !verifiedAt);
    const [users, steps] = await Promise.all([withPrices(db, newcomers), firstStepsOf(db, newcomers)]);
    return {
      users: users.map((user) => ({ ...user, ...steps(user._id) })),
      ...counts,
      ...(query.ids && { total: newcomers.length }),
    };
  },

  export: (call) => exportList(call, list),

  exportChosen: (call) => exportList(call, list),

  exportNew: (call) => exportList({ ...call, query: { ...call.query, ...unverified } }, listOfNew),

  exportChosenNew: (call) => exportList({ ...call, query: { ...call.query, ...unverified } }, listOfNew),

  async read({ db, params, config, now }) {
    const rows = await db.select().from(customers).where(eq(customers.id, params.id));
    const [user] = await withPrices(db, rows);
    const catalogue = await catalogueOf(db, user?.customPricing ?? []);
    const totals = await totalsOf(db, params.id, daysUntil(today(config, now()), 30));
    if (!user || !totals) throw unknownCustomer();
    const customPricing = user.customPricing.map((price) => ({ ...price, standard: standardFor(catalogue, price) }));
    return { user: { ...user, customPricing }, totals };
  },

  verify: ({ params, actor, transaction }) => transaction((tx) => verify(tx, actor, params.id)),

  verifySeveral: ({ body: { ids }, actor, several }) => several(ids, "verified", (tx, id) => verify(tx, actor, id)),

  setStatus: ({ params, body, actor, transaction }) => transaction((tx) => setStatus(tx, actor, params.id, body)),

  setStatusOfSeveral: ({ body: { ids, ...body }, actor, several }) =>
    several(ids, body.status ? "enabled" : "disabled", (tx, id) => setStatus(tx, actor, id, body)),

  async setCustomPricing({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const customer = await lockCustomer(tx, params.id);
      const { id, username, customPricingEnabled } = customer;
      const wanted = body.customPricingEnabled ?? !customPricingEnabled;
      const state = wanted ? "enabled" : "disabled";
      if (wanted === customPricingEnabled) return { message: `Custom pricing is already ${state} for ${username}` };
      await tx.update(customers).set({ customPricingEnabled: wanted }).where(eq(customers.id, id));
      const told = aboutCustomer("customer.changed", { ...customer, customPricingEnabled: wanted });
      await record(tx, actor, ...telling(switchedCustomPricing(customer, wanted), told));
      return { message: `Custom pricing is ${state} for ${username}` };
    });
  },

  addBalance: ({ params, body: { balance, reason }, actor, transaction }) =>
    transaction((tx) => addBalance(tx, actor, params.id, balance, reason)),

  async addCustomPrice({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const customer = await lockCustomer(tx, params.id);
      const labelType = await lockLabelType(tx, body.labelType, "share");
      const tier = { id: uuidv7(), ...tierWithin(labelType, body) };
      const own = await ownPrices(tx, customer.id);
      const isTheirs = eq(customPrices.customerId, customer.id);
      await refuseOverlap(tx, customPrices, labelType, tier, isTheirs);
      await refuseTooMany(tx, customPrices, isTheirs, customer.username);
      await tx
        .insert(customPrices)
        .values({ customerId: customer.id, labelTypeId: labelType.id, ...tier })
        .catch(refuseOverlapMeanwhile(customPrices));
      const judged = await judgeChange(tx, customer.id, own, [...own, { labelTypeId: labelType.id, ...tier }]);
      const entry = warned(judged, addedCustomPrice(customer, labelType, tier));
      const told = await ownPricesChanged(tx, customer, [{ labelTypeId: labelType.id }]);
      await record(tx, actor, ...telling(because(body.reason, entry), ...told));
      const price = `${labelType.name}, ${describeTier(labelType, tier)}`;
      return { message: `Custom price for ${customer.username} added: ${price}`, warnings: judged.warnings };
    });
  },

  async deleteCustomPrice({ params, body, actor, seen, transaction }) {
    return transaction(async (tx) => {
      const customer = await lockCustomer(tx, params.id);
      const [listed] = await customPricesOf(tx, [customer.id]).limit(1).offset(body.index);
      if (body._id && listed?.price.id !== body._id.toLowerCase())
        throw refusal(409, "This price was changed meanwhile. Reload the list.");
      if (!listed) throw refusal(404, `${customer.username} has no custom price at this place of the list`);
      const { price: tier, labelType } = listed;
      await refuseIfChanged(tx, seen, tier.id, loggedTier(tier));
      const own = await ownPrices(tx, customer.id);
      await tx.delete(customPrices).where(eq(customPrices.id, tier.id));
      const others = own.filter(({ id }) => id !== tier.id);
      const judged = await judgeChange(tx, customer.id, own, others);
      const price = `${labelType.name}, ${describeTier(labelType, tier)}`;
      const entry: LogEntry = [
        "pricing",
        `Deleted a custom price of ${customer.username}: ${price}`,
        {
          before: { labelType: labelType.name, ...loggedTier(tier) },
          about: { kind: "custom price", id: tier.id, customerId: customer.id },
        },
      ];
      const told = await ownPricesChanged(tx, customer, [tier]);
      await record(tx, actor, ...telling(because(body.reason, warned(judged, entry)), ...told));
      return { message: `Custom price of ${customer.username} deleted: ${price}`, warnings: judged.warnings };
    });
  },
});

async function verify(tx: Transaction, actor: Actor, customerId: string) {
  const { id, username, verifiedAt } = await lockCustomer(tx, customerId);
  if (verifiedAt) throw refusal(409, `${username} is already verified`);
  const [verified] = await tx.update(customers).set({ verifiedAt: sql`now()` }).where(eq(customers.id, id)).returning();
  if (!verified) throw new Error("a locked customer stays");
  await record(tx, actor, ...telling(verifiedCustomer(verified), aboutCustomer("customer.verified", verified)));
  return { message: `${username} is verified` };
}

type Wanted = { status?: boolean | undefined; reason: string };

async function setStatus(tx: Transaction, actor: Actor, customerId: string, { status, reason }: Wanted) {
  const customer = await lockCustomer(tx, customerId);
  const { id, username, active } = customer;
  const wanted = status ?? !active;
  if (wanted === active) return { message: `${username} is already ${wanted ? "enabled" : "disabled"}` };
  await tx.update(customers).set({ active: wanted }).where(eq(customers.id, id));
  const told = aboutCustomer("customer.changed", { ...customer, active: wanted });
  await record(tx, actor, ...telling(because(reason, switchedCustomer(customer, wanted)), told));
  return { message: `${username} is ${wanted ? "enabled" : "disabled"}` };
}

const unverified = { verified: "false" } as const;
const isVerified = isNotNull(customers.verifiedAt);
const isNew = isNull(customers.verifiedAt);

/** Written out, since Drizzle leaves out the tables of columns here. */
const hasPrices = sql<boolean>`exists (select from custom_prices where custom_prices.customer_id = customers.id)`;

/** "Declined" are new customers who were disabled. */
type CustomerFilters = Filters<typeof contract.list> & Partial<Filters<typeof contract.listNew>>;

const list = listOf({
  name: "users",
  table: customers,
  counted: { subject: "customers" },
  searched: searched.customers,
  filters: ({ verified, declined, customPricing, withBalance }: CustomerFilters) => [
    customPricing && {
      where: eq(customers.customPricingEnabled, customPricing === "true"),
      // Most customers have none, and there is no index for that.
      hasNoIndex: customPricing === "false",
    },
    declined
      ? {
          column: customers.active,
          where: and(isNew, isOneOfHidden(customers.active, [declined === "true" ? "false" : "true"])) as SQL,
          counted: { subject: "customers", kinds: [declined === "true" ? "declined" : "new"] },
        }
      : verified && {
          where: verified === "true" ? isVerified : isNew,
          counted: { subject: "customers", kinds: verified === "true" ? ["verified"] : ["new", "declined"] },
        },
    withBalance && having(customers.hasBalance, withBalance),
  ],
  select: (db) =>
    db
      .select({ ...getTableColumns(customers), hasPrices })
      .from(customers)
      .$dynamic(),
  columns: {
    Id: customers.id,
    Username: customers.username,
    "Discord id": customers.discordId,
    "E-mail": customers.email,
    Balance: inDollars(customers.balanceCents),
    Enabled: customers.active,
    Verified: yesOrNo(isVerified),
    "Custom pricing": customers.customPricingEnabled,
    Joined: customers.createdAt,
  },
});

const listOfNew = { ...list, name: "new-users" };

async function listCustomers(db: Database, query: CustomerFilters & ListQuery) {
  const { rows, ...counts } = await pageOf(db, list, query);
  return { users: await withPrices(db, rows), ...counts };
}

/** Most pages of customers have none with prices of their own, and are not worth another statement. */
async function withPrices(db: Database, rows: (typeof customers.$inferSelect & { hasPrices?: boolean })[]) {
  const query = prepared(db, "prices of customers", () => customPricesOf(db, sql.placeholder("ids")).prepare(""));
  const ids = rows.filter(({ hasPrices = true }) => hasPrices).map(({ id }) => id);
  const found = ids.length > 0 ? await query.execute({ ids }) : [];
  const prices = Map.groupBy(found, ({ price }) => price.customerId);
  return rows.map((customer) => ({
    ...presentCustomer(customer),
    customPricing: (prices.get(customer.id) ?? []).map(({ price, labelType }) => ({
      ...price,
      _id: price.id,
      labelType: { _id: labelType.id, name: labelType.name },
      price: price.priceCents,
      version: versionOf(loggedTier(price)),
    })),
  }));
}

/** Facts to judge new customers by: which shop registered them, and what they tried first. */
async function firstStepsOf(db: Database, newcomers: { id: string }[]) {
  const query = prepared(db, "first steps of customers", () => {
    const firstInvoice = db
      .select()
      .from(invoices)
      .where(eq(invoices.customerId, customers.id))
      .orderBy(invoices.createdAt, invoices.id)
      .limit(1)
      .as("first_invoice");
    return db
      .select()
      .from(customers)
      .leftJoin(shops, eq(shops.id, customers.shopId))
      .leftJoinLateral(firstInvoice, sql`true`)
      .where(isOneOfHidden(customers.id, sql.placeholder("ids")))
      .prepare("");
  });
  const found = await query.execute({ ids: newcomers.map(({ id }) => id) });
  const steps = new Map(found.map((step) => [step.customers.id, step]));
  return (id: string) => {
    const { shops: shop = null, first_invoice: invoice = null } = steps.get(id) ?? {};
    return { shop: shop && { _id: shop.id, name: shop.name }, firstInvoice: invoice && presentInvoice(invoice) };
  };
}
