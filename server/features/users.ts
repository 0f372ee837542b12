import { refusal } from "@footprint/contract/refusal.ts";
import { users as contract } from "@footprint/contract/users.ts";
import { and, eq, gt, isNotNull, isNull, not, type Placeholder, type SQL, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { prepared } from "../db/prepared.ts";
import { customers, customPrices, invoices, labelTypes, shops } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { daysUntil, today } from "../lists/counters.ts";
import { exportList, inDollars, yesOrNo } from "../lists/export.ts";
import { type Filters, having, type ListQuery, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { presentCustomer, presentInvoice } from "../lists/presenters.ts";
import { searched } from "../lists/searched.ts";
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

  async listNew({ db, query }) {
    const { users, ...counts } = await listCustomers(db, { ...query, ...unverified });
    return { users: await withFirstSteps(db, users), ...counts };
  },

  export: (call) => exportList(call, list),

  exportChosen: (call) => exportList(call, list),

  exportNew: (call) => exportList({ ...call, query: { ...call.query, ...unverified } }, listOfNew),

  exportChosenNew: (call) => exportList({ ...call, query: { ...call.query, ...unverified } }, listOfNew),

  async read({ db, params, config, now }) {
    const rows = await db.select().from(customers).where(eq(customers.id, params.id));
    const [user] = await withPrices(db, rows);
    const totals = await totalsOf(db, params.id, daysUntil(today(config, now()), 30));
    if (!user || !totals) throw unknownCustomer();
    return { user, totals };
  },

  verify: ({ params, actor, transaction }) => transaction((tx) => verify(tx, actor, params.id)),

  verifySeveral: ({ body: { ids }, actor, several }) => several(ids, "verified", (tx, id) => verify(tx, actor, id)),

  setStatus: ({ params, body, actor, transaction }) => transaction((tx) => setStatus(tx, actor, params.id, body)),

  setStatusOfSeveral: ({ body: { ids, ...body }, actor, several }) =>
    several(ids, body.status ? "enabled" : "disabled", (tx, id) => setStatus(tx, actor, id, body)),

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

async function verify(tx: Transaction, actor: Actor, customerId: string) {
  const { id, username, verifiedAt } = await lockCustomer(tx, customerId);
  if (verifiedAt) throw refusal(409, `${username} is already verified`);
  await tx.update(customers).set({ verifiedAt: sql`now()` }).where(eq(customers.id, id));
  await record(tx, actor, ...verifiedCustomer({ id, username }));
  return { message: `${username} is verified` };
}

type Wanted = { status?: boolean | undefined; reason: string };

async function setStatus(tx: Transaction, actor: Actor, customerId: string, { status, reason }: Wanted) {
  const { id, username, active } = await lockCustomer(tx, customerId);
  const wanted = status ?? !active;
  if (wanted === active) return { message: `${username} is already ${wanted ? "enabled" : "disabled"}` };
  await tx.update(customers).set({ active: wanted }).where(eq(customers.id, id));
  await record(tx, actor, ...because(reason, switchedCustomer({ id, username }, wanted)));
  return { message: `${username} is ${wanted ? "enabled" : "disabled"}` };
}

const unverified = { verified: "false" } as const;
const isVerified = isNotNull(customers.verifiedAt);
const isNew = isNull(customers.verifiedAt);
const hasBalance = gt(customers.balanceCents, 0);

/** Declined are newcomers who were disabled. */
type CustomerFilters = Filters<typeof contract.list> & Partial<Filters<typeof contract.listNew>>;

const list = listOf({
  name: "users",
  table: customers,
  counted: { subject: "customers" },
  searched: searched.customers,
  filters: ({ verified, declined, customPricing, withBalance }: CustomerFilters) => [
    customPricing && {
      where: eq(customers.customPricingEnabled, customPricing === "true"),
      // Those without are most, and have no index.
      isSought: customPricing === "false",
    },
    declined
      ? {
          column: customers.active,
          where: and(isNew, having(customers.active, declined === "true" ? "false" : "true").where) as SQL,
          counted: { subject: "customers", kinds: [declined === "true" ? "declined" : "new"] },
        }
      : verified && {
          where: verified === "true" ? isVerified : isNew,
          counted: { subject: "customers", kinds: verified === "true" ? ["verified"] : ["new", "declined"] },
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

const listOfNew = { ...list, name: "new-users" };

async function listCustomers(db: Database, query: CustomerFilters & ListQuery) {
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

/** Newcomers with what there is to judge by: who brought them, and what they tried first. */
async function withFirstSteps<C extends { id: string }>(db: Database, users: C[]) {
  const firstInvoice = db
    .select()
    .from(invoices)
    .where(eq(invoices.customerId, customers.id))
    .orderBy(invoices.createdAt, invoices.id)
    .limit(1)
    .as("first_invoice");
  const steps = await db
    .select()
    .from(customers)
    .leftJoin(shops, eq(shops.id, customers.shopId))
    .leftJoinLateral(firstInvoice, sql`true`)
    .where(sql`${customers.id} = any(${sql.param(users.map(({ id }) => id))}::uuid[])`);
  return users.map((user) => {
    const { shops: shop = null, first_invoice: invoice = null } =
      steps.find(({ customers: { id } }) => id === user.id) ?? {};
    return {
      ...user,
      shop: shop && { _id: shop.id, name: shop.name },
      firstInvoice: invoice && presentInvoice(invoice),
    };
  });
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
