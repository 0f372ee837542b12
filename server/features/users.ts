import { refusal } from "@footprint/contract/refusal.ts";
import { users as contract } from "@footprint/contract/users.ts";
import { eq, gt, isNotNull, isNull, not, type Placeholder, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { prepared } from "../db/prepared.ts";
import { customers, customPrices, labelTypes } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { daysUntil, today } from "../lists/counters.ts";
import { exportList, inDollars, yesOrNo } from "../lists/export.ts";
import { type Filters, type ListQuery, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { presentCustomer } from "../lists/presenters.ts";
import { adjustedBalance, because } from "../money/corrections.ts";
import { totalsOf } from "../money/customer-totals.ts";
import { dollars, move } from "../money/ledger.ts";
import { needRoom } from "../money/limits.ts";
import {
  describeTier,
  lockLabelType,
  loggedTier,
  refuseOverlap,
  refuseOverlapMeanwhile,
  refuseTooMany,
  tierWithin,
} from "../money/tiers.ts";
import { addedCustomPrice, switchedCustomer, switchedCustomPricing, verifiedCustomer } from "../money/trade-log.ts";

export const userRoutes = routes(contract, {
  list: ({ db, query }) => listCustomers(db, query),

  listNew: ({ db, query }) => listCustomers(db, { ...query, ...unverified }),

  export: (call) => exportList(call, list),

  exportNew: (call) => exportList({ ...call, query: { ...call.query, ...unverified } }, { ...list, name: "new-users" }),

  async read({ db, params, config, now }) {
    const rows = await db.select().from(customers).where(eq(customers.id, params.id));
    const [user] = await withPrices(db, rows);
    const totals = await totalsOf(db, params.id, daysUntil(today(config, now()), 30));
    if (!user || !totals) throw unknownCustomer();
    return { user, totals };
  },

  async verify({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const { id, username, verifiedAt } = await lockCustomer(tx, params.id);
      if (verifiedAt) throw refusal(409, `${username} is already verified`);
      await tx.update(customers).set({ verifiedAt: sql`now()` }).where(eq(customers.id, id));
      await record(tx, actor, ...verifiedCustomer({ id, username }));
      return { message: `${username} is verified` };
    });
  },

  async setStatus({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const { id, username, active } = await lockCustomer(tx, params.id);
      const wanted = body.status ?? !active;
      if (wanted === active) return { message: `${username} is already ${wanted ? "enabled" : "disabled"}` };
      await tx.update(customers).set({ active: wanted }).where(eq(customers.id, id));
      await record(tx, actor, ...switchedCustomer({ id, username }, wanted));
      return { message: `${username} is ${wanted ? "enabled" : "disabled"}` };
    });
  },

  async setCustomPricing({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const { id, username, customPricingEnabled } = await lockCustomer(tx, params.id);
      const wanted = body.customPricingEnabled ?? !customPricingEnabled;
      const state = wanted ? "enabled" : "disabled";
      if (wanted === customPricingEnabled) return { message: `Custom pricing is already ${state} for ${username}` };
      await tx.update(customers).set({ customPricingEnabled: wanted }).where(eq(customers.id, id));
      await record(tx, actor, ...switchedCustomPricing({ id, username }, wanted));
      return { message: `Custom pricing is ${state} for ${username}` };
    });
  },

  async addBalance({ params, body: { balance: cents, reason }, actor, transaction }) {
    return transaction(async (tx) => {
      await needRoom(tx, actor, "credit", cents);
      const moved = await move(tx, { customerId: params.id, cents, kind: "adjustment", reason, actor });
      const entry = adjustedBalance({ ...moved, id: params.id }, cents);
      await record(tx, actor, ...because(reason, entry));
      return { message: `${entry[1]}, which is now ${dollars(moved.balanceCents)}` };
    });
  },

  async addCustomPrice({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const customer = await lockCustomer(tx, params.id);
      const labelType = await lockLabelType(tx, body.labelType, "share");
      const tier = { id: uuidv7(), ...tierWithin(labelType, body) };
      const isTheirs = eq(customPrices.customerId, customer.id);
      await refuseOverlap(tx, customPrices, labelType, tier, isTheirs);
      await refuseTooMany(tx, customPrices, isTheirs, customer.username);
      await tx
        .insert(customPrices)
        .values({ customerId: customer.id, labelTypeId: labelType.id, ...tier })
        .catch(refuseOverlapMeanwhile(customPrices));
      await record(tx, actor, ...addedCustomPrice(customer, labelType, tier));
      const price = `${labelType.name}, ${describeTier(labelType, tier)}`;
      return { message: `Custom price for ${customer.username} added: ${price}` };
    });
  },

  async deleteCustomPrice({ params, body, actor, transaction }) {
    return transaction(async (tx) => {
      const customer = await lockCustomer(tx, params.id);
      const [listed] = await pricesOf(tx, [customer.id]).limit(1).offset(body.index);
      if (body._id && listed?.price.id !== body._id)
        throw refusal(409, "This price was changed meanwhile. Reload the list.");
      if (!listed) throw refusal(404, `${customer.username} has no custom price at this place of the list`);
      const { price: tier, labelType } = listed;
      await tx.delete(customPrices).where(eq(customPrices.id, tier.id));
      const price = `${labelType.name}, ${describeTier(labelType, tier)}`;
      await record(tx, actor, "pricing", `Deleted a custom price of ${customer.username}: ${price}`, {
        before: { labelType: labelType.name, ...loggedTier(tier) },
        about: { kind: "custom price", id: tier.id, customerId: customer.id },
      });
      return { message: `Custom price of ${customer.username} deleted: ${price}` };
    });
  },
});

const unverified = { verified: "false" } as const;
const isVerified = isNotNull(customers.verifiedAt);
const hasBalance = gt(customers.balanceCents, 0);

const list = listOf({
  name: "users",
  table: customers,
  counted: { subject: "customers" },
  searched: { names: [customers.username, customers.email], codes: [customers.id, customers.discordId] },
  filters: ({ verified, customPricing, withBalance }: Filters<typeof contract.list>) => [
    customPricing && {
      where: eq(customers.customPricingEnabled, customPricing === "true"),
      // Those without are most, and have no index.
      isSought: customPricing === "false",
    },
    verified && {
      where: verified === "true" ? isVerified : isNull(customers.verifiedAt),
      counted: { subject: "customers", kinds: [verified === "true" ? "verified" : "new"] },
    },
    withBalance && { where: withBalance === "true" ? hasBalance : not(hasBalance), isSought: true },
  ],
  select: (db) => db.select().from(customers).$dynamic(),
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

async function listCustomers(db: Database, query: Filters<typeof contract.list> & ListQuery) {
  const { rows, ...counts } = await pageOf(db, list, query);
  return { users: await withPrices(db, rows), ...counts };
}

async function withPrices(db: Database, rows: (typeof customers.$inferSelect)[]) {
  const query = prepared(db, "prices of customers", () => pricesOf(db, sql.placeholder("ids")).prepare(""));
  const found = await query.execute({ ids: rows.map((customer) => customer.id) });
  const prices = Map.groupBy(found, ({ price }) => price.customerId);
  return rows.map((customer) => ({
    ...presentCustomer(customer),
    customPricing: (prices.get(customer.id) ?? []).map(({ price, labelType }) => ({
      ...price,
      _id: price.id,
      labelType: { _id: labelType.id, name: labelType.name },
      price: price.priceCents,
    })),
  }));
}

/** Customers' own prices; their order is what the index of a delete refers to. */
function pricesOf(db: Database | Transaction, customerIds: string[] | Placeholder) {
  return db
    .select({ price: customPrices, labelType: { id: labelTypes.id, name: labelTypes.name } })
    .from(customPrices)
    .innerJoin(labelTypes, eq(labelTypes.id, customPrices.labelTypeId))
    .where(sql`${customPrices.customerId} = any(${sql.param(customerIds)}::uuid[])`)
    .orderBy(customPrices.createdAt, customPrices.id);
}

async function lockCustomer(tx: Transaction, id: string) {
  const [customer] = await tx.select().from(customers).where(eq(customers.id, id)).for("no key update");
  if (!customer) throw unknownCustomer();
  return customer;
}

const unknownCustomer = () => refusal(404, "This customer does not exist");
