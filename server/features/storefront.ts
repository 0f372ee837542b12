import { addressOf, flatAddress, flatName, type Party } from "@footprint/contract/address.ts";
import type { orderStatuses } from "@footprint/contract/orders.ts";
import { isRefusal, refusal } from "@footprint/contract/refusal.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { addressWarnings } from "@footprint/contract/us-addresses.ts";
import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { refuseWithoutScope, type Shop } from "../accounts/api-keys.ts";
import { type LogEntry, record, recordEach } from "../accounts/audit.ts";
import type { Database, Transaction } from "../db/database.ts";
import { presentCustomer, presentInvoice, presentOrder, presentShopFedexOrder } from "../db/presenters.ts";
import {
  customers,
  customPrices,
  fedexOrders,
  invoices,
  labelTypes,
  orders,
  priceTiers,
  transfers,
} from "../db/schema.ts";
import { openFile } from "../http/files.ts";
import { Replay } from "../http/idempotency.ts";
import { routes } from "../http/routes.ts";
import { having } from "../lists/list.ts";
import { pageOf, pages } from "../lists/paging.ts";
import type { Searched } from "../lists/search.ts";
import { searched, searchedFedexOrders } from "../lists/searched.ts";
import { toldReason } from "../money/corrections.ts";
import { refuseDepositAboveLimit, settle } from "../money/deposits.ts";
import {
  aboutCustomer,
  aboutFedexOrder,
  aboutInvoice,
  bulkOrderCreated,
  orderCreated,
  telling,
} from "../money/happenings.ts";
import { readCashapp } from "../money/payment-settings.ts";
import { buy, lookAtOffers, type Offered, price, refuseWhoCannotOrder, unknownCustomer } from "../money/purchases.ts";
import {
  addedCustomer,
  addedFedexOrder,
  openedInvoice,
  setInvoice,
  soldBulkOrder,
  soldOrder,
} from "../money/trade-log.ts";
import { historyOf, presentTransfer } from "../money/transfers.ts";

export const storefrontRoutes = routes(storefront, {
  async putCustomer({ params: { discordId }, body: { username, email }, actor, transaction }) {
    return transaction(async (tx) => {
      // If two shops register the same customer at once, one inserts; the other waits here and updates.
      const [added] = await tx
        .insert(customers)
        .values({ discordId, username, email: email ?? "", shopId: actor.shopId })
        .onConflictDoNothing({ target: customers.discordId })
        .returning();
      if (added) {
        await record(tx, actor, ...telling(addedCustomer(added), aboutCustomer("customer.created", added)));
        return { customer: present(added, actor) };
      }
      const [known] = await tx.select().from(customers).where(eq(customers.discordId, discordId)).for("no key update");
      if (!known) throw unknownCustomer(discordId);
      // Not even whether an e-mail is the right one is told.
      if (!belongsTo(actor, known) && (username !== known.username || email !== undefined))
        throw refusal(403, "Another shop brought this customer: only that one changes their name and e-mail");
      const before = { username: known.username, email: known.email };
      const after = { username, email: email ?? known.email };
      if (before.username !== after.username || before.email !== after.email) {
        await tx.update(customers).set(after).where(eq(customers.id, known.id));
        await record(tx, actor, "user", `Updated customer ${username}`, {
          before,
          after,
          about: { kind: "customer", id: known.id },
          events: [aboutCustomer("customer.changed", { ...known, ...after })],
        });
      }
      return { customer: present({ ...known, ...after }, actor) };
    });
  },

  async getCustomer({ db, params, actor }) {
    return { customer: present(await findCustomer(db, params.discordId), actor) };
  },

  async transfers({ db, params, query, actor }) {
    const customer = await findCustomer(db, params.discordId);
    const { rows, total, sums: _, ...capped } = await historyOf(db, customer.id, query);
    const shown = rows.map((row) => {
      const subject = row.order ?? row.bulkOrder ?? row.fedexOrder ?? row.invoice;
      const isOthers = subject && !belongsTo(actor, subject);
      const told = presentTransfer(row);
      // The reasons of reversals are only for staff.
      const isSecret = isOthers || told.kind === "reversal";
      return { ...told, ...(isOthers && { for: null }), reason: isSecret ? "" : toldReason(told.reason) };
    });
    return { transfers: shown, ...capped, ...pages(total, query.limit) };
  },

  async labelTypes({ db, query }) {
    const customer = await findCustomer(db, query.discordId);
    const types = await db.select().from(labelTypes).where(eq(labelTypes.active, true)).orderBy(labelTypes.name);
    const lists = await db.select().from(priceTiers);
    const own = customer.customPricingEnabled
      ? await db.select().from(customPrices).where(eq(customPrices.customerId, customer.id))
      : [];
    return {
      labelTypes: types.map(({ id, uid, name, kind, maxWeight }) => {
        const ofType = (tier: Tier & { labelTypeId: string }) => tier.labelTypeId === id;
        return { uid, name, type: kind, maxWeight, prices: pricesPaid(lists.filter(ofType), own.filter(ofType)) };
      }),
    };
  },

  async quote({ db, body }) {
    const { tier, custom } = await price(db, body.discordId, body);
    return { price: tier.price, tier, custom };
  },

  createOrder({ body, actor, together }) {
    const { discordId, ...purchase } = body;
    const wanted = { discordId, purchases: [purchase], asBulk: false };
    return together(wanted, discordId, lookAtOffers, (tx, offered, mayWait) => sellOrders(tx, offered, actor, mayWait));
  },

  async orders({ db, query, actor }) {
    const { rows, ...counts } = await pageOf(db, ordersOfCustomer, await ofShop(db, actor, query));
    return { orders: rows.map(({ order, user, labelType }) => presentOrder(order, user, labelType)), ...counts };
  },

  async readOrder({ db, params, actor }) {
    const [found] = await db
      .select({ order: orders, user: customers, labelType: labelTypes, refund: transfers })
      .from(orders)
      .innerJoin(customers, eq(customers.id, orders.customerId))
      .innerJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
      .leftJoin(
        transfers,
        and(eq(transfers.reference, orders.id), eq(transfers.kind, "refund"), isNull(transfers.reversedBy)),
      )
      .where(eq(orders.id, params.id));
    if (!found || !belongsTo(actor, found.order)) throw refusal(404, "This order does not exist");
    const { order, user, labelType, refund } = found;
    return {
      order: presentOrder(order, user, labelType),
      refund: refund && { ...refund, amount: refund.amountCents, reason: toldReason(refund.reason) },
    };
  },

  async createBulkOrder({ body, actor, transaction }) {
    return transaction(async (tx) => {
      const wanted = { discordId: body.discordId, purchases: body.orders, asBulk: true };
      const [bought] = await buy(tx, await lookAtOffers(tx, [wanted]), actor);
      if (!bought || isRefusal(bought)) throw bought ?? unknownCustomer(body.discordId);
      const { bulk, total, orders, balanceCents, customer } = bought;
      if (!bulk) throw new Error("a bulk purchase has a bulk order");
      const entry = soldBulkOrder(bulk, orders.length, total, { ...customer, balanceCents });
      const rows = orders.map(({ order }) => order);
      await record(tx, actor, ...telling(entry, bulkOrderCreated(bulk, customer, total, rows)));
      const presented = orders.map(({ order, labelType }) => presentOrder(order, customer, labelType));
      return {
        bulkOrder: { ...bulk, _id: bulk.id, orders: presented, total },
        balance: balanceCents,
        warnings: body.orders.flatMap((purchase, index) => warningsAbout(`body.orders.${index}`, purchase)),
      };
    });
  },

  async createFedexOrder({ body, actor, transaction }) {
    return transaction(async (tx) => {
      const { discordId, from, to, ...parcel } = body;
      const customer = await findCustomer(tx, discordId);
      refuseWhoCannotOrder({ ...customer, verified: customer.verifiedAt !== null });
      const [order] = await tx
        .insert(fedexOrders)
        .values({
          ...parcel,
          customerId: customer.id,
          shopId: actor.shopId,
          ...flatAddress("from", from),
          ...flatAddress("to", to),
        })
        .returning();
      if (!order) throw new Error("an insert returns its row");
      const entry = addedFedexOrder(order, customer.username, parcel);
      await record(tx, actor, ...telling(entry, aboutFedexOrder("fedex-order.created", order, customer)));
      const warnings = [...warningsOf("body.from.", from), ...warningsOf("body.to.", to)];
      return { order: presentShopFedexOrder(order), warnings };
    });
  },

  async fedexOrders({ db, query, actor }) {
    const { rows, ...counts } = await pageOf(db, fedexOrdersOfCustomer, await ofShop(db, actor, query));
    const shown = rows.map((order) => ({
      ...presentShopFedexOrder(order),
      from: addressOf<Party>(order, "from"),
      to: addressOf<Party>(order, "to"),
    }));
    return { orders: shown, ...counts };
  },

  async readFedexOrder({ db, params, actor }) {
    return { order: presentShopFedexOrder(await findFedexOrder(db, params.id, actor)) };
  },

  async readFedexFile({ db, params, actor }) {
    const { fileId } = await findFedexOrder(db, params.id, actor);
    if (!fileId) throw refusal(404, "This Fedex order has no file yet");
    return openFile(db, fileId);
  },

  async createInvoice({ body, actor, transaction }) {
    return transaction(async (tx) => {
      const customer = await findCustomer(tx, body.discordId);
      const [invoice] = await tx
        .insert(invoices)
        .values({
          customerId: customer.id,
          shopId: actor.shopId,
          amountCents: body.amount,
          paymentMethod: body.payment_method,
          hostedUrl: body.hosted_url,
        })
        .returning();
      if (!invoice) throw new Error("an insert returns its row");
      const entry = openedInvoice(invoice, customer.username);
      await record(tx, actor, ...telling(entry, aboutInvoice("invoice.created", invoice, customer)));
      return { invoice: presentInvoice(invoice) };
    });
  },

  async invoices({ db, query, actor }) {
    const asked = await ofShop(db, actor, query);
    const { rows, ...counts } = await pageOf(db, invoicesOfCustomer, { ...asked, search: "" });
    return { invoices: rows.map(presentInvoice), ...counts };
  },

  async readInvoice({ db, params, actor }) {
    const [invoice] = await db.select().from(invoices).where(eq(invoices.id, params.id));
    if (!invoice || !belongsTo(actor, invoice)) throw refusal(404, "This invoice does not exist");
    return { invoice: presentInvoice(invoice) };
  },

  async setInvoiceStatus({ db, params, body: { status }, actor, transaction }) {
    const findOwn = async (tx: Database | Transaction) => {
      refuseWithoutScope(actor, [status === "paid" ? "mark-as-paid" : "deposits"]);
      const [invoice] = await tx.select().from(invoices).where(eq(invoices.id, params.id)).for("update");
      if (!invoice || !belongsTo(actor, invoice)) throw refusal(404, "This invoice does not exist");
      return invoice;
    };
    const answer = await transaction(async (tx) => {
      const invoice = await findOwn(tx);
      if (invoice.status !== status) {
        if (invoice.status === "paid") throw refusal(409, "This invoice is already paid");
        if (invoice.status === "reversed")
          throw refusal(409, "The payment of this invoice was taken back: staff mark it as paid, should it come again");
        if (status === "paid") {
          await refuseDepositAboveLimit(tx, actor, invoice.amountCents);
          await settle(tx, invoice, actor);
        } else {
          await tx.update(invoices).set({ status }).where(eq(invoices.id, invoice.id));
          await record(tx, actor, ...setInvoice(invoice, status));
        }
      }
      const [customer] = await tx.select().from(customers).where(eq(customers.id, invoice.customerId));
      return { invoice: presentInvoice({ ...invoice, status }), balance: customer?.balanceCents ?? 0 };
    });
    // The first answer may have been given to another key of the shop with more rights.
    if (answer instanceof Replay) await findOwn(db);
    return answer;
  },

  async paymentSettings({ db }) {
    return { cashapp: await readCashapp(db) };
  },
});

/** The outcome of calls that each buy a label. */
async function sellOrders(tx: Transaction, offered: Offered[], actor: Shop, mayWait: boolean) {
  const results = await buy(tx, offered, actor, mayWait);
  const entries: LogEntry[] = [];
  const answers = results.map((bought) => {
    if (!bought || isRefusal(bought)) return bought;
    const { customer, balanceCents, orders } = bought;
    const [{ order, labelType }] = orders as [(typeof orders)[number]];
    const entry = soldOrder(order, { ...customer, balanceCents });
    entries.push(telling(entry, orderCreated(order, customer, labelType)));
    const warnings = warningsAbout("body", order);
    return { order: presentOrder(order, customer, labelType), balance: balanceCents, warnings };
  });
  if (entries.length > 0) await recordEach(tx, actor, entries);
  return answers;
}

async function findCustomer(db: Database | Transaction, discordId: string) {
  const [customer] = await db.select().from(customers).where(eq(customers.discordId, discordId));
  if (!customer) throw unknownCustomer(discordId);
  return customer;
}

/** Another shop's things are as unknown as things that do not exist. */
const belongsTo = (actor: Shop, { shopId }: { shopId: string | null }) => !actor.isBounded || shopId === actor.shopId;

/** The customer, and the shop whose orders and so on are listed; null means all. */
type OfShop = { customer: string; shop: string | null };

async function ofShop<Q extends { discordId: string }>(db: Database, actor: Shop, { discordId, ...query }: Q) {
  const customer = await findCustomer(db, discordId);
  return { ...query, customer: customer.id, shop: actor.isBounded ? actor.shopId : null };
}

/** All of them belong to one customer. Searching by customer data would tell a shop what other shops know. */
const withoutCustomer = ({ customer: _, ...own }: Searched): Searched => own;

/** Most customers buy in one shop, so its rows are met soon among theirs. */
const narrowed = (table: typeof orders | typeof fedexOrders | typeof invoices, { customer, shop }: OfShop) => [
  having(table.customerId, customer),
  shop !== null && { where: eq(table.shopId, shop), hasNoIndex: true },
];

const ordersOfCustomer = {
  name: "orders of a customer",
  table: orders,
  searched: withoutCustomer(searched.orders),
  filters: ({ status, ...of }: OfShop & { status: (typeof orderStatuses)[number] }) => [
    ...narrowed(orders, of),
    status !== "All" && {
      where: status === "Refunded" ? isNotNull(orders.refundedAt) : isNull(orders.refundedAt),
      hasNoIndex: true,
    },
  ],
  select: (db: Database | Transaction) =>
    db
      .select({ order: orders, user: customers, labelType: labelTypes })
      .from(orders)
      .innerJoin(customers, eq(customers.id, orders.customerId))
      .innerJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
      .$dynamic(),
};

const fedexOrdersOfCustomer = {
  name: "Fedex orders of a customer",
  table: fedexOrders,
  searched: withoutCustomer(searchedFedexOrders({ role: "admin" })),
  filters: (query: OfShop) => narrowed(fedexOrders, query),
  select: (db: Database | Transaction) => db.select().from(fedexOrders).$dynamic(),
};

const invoicesOfCustomer = {
  name: "invoices of a customer",
  table: invoices,
  searched: withoutCustomer(searched.invoices),
  filters: (query: OfShop) => narrowed(invoices, query),
  select: (db: Database | Transaction) => db.select().from(invoices).$dynamic(),
};

const warningsOf = (path: string, address: Parameters<typeof addressWarnings>[0]) =>
  addressWarnings(address).map(({ field, message }) => ({ path: path + field, message }));

/** Warnings about the two addresses of a label, by the names of the flat fields. */
const warningsAbout = (path: string, purchase: Parameters<typeof addressOf>[0]) =>
  (["from", "to"] as const).flatMap((side) =>
    addressWarnings(addressOf(purchase, side)).map(({ field, message }) => ({
      path: `${path}.${flatName(side, field)}`,
      message,
    })),
  );

async function findFedexOrder(db: Database, id: string, actor: Shop) {
  const [order] = await db.select().from(fedexOrders).where(eq(fedexOrders.id, id));
  if (!order || !belongsTo(actor, order)) throw refusal(404, "This Fedex order does not exist");
  return order;
}

type Tier = { fromWeight: number; toWeight: number; priceCents: number };

/** A customer's own tiers, and the standard ones where these leave gaps. */
function pricesPaid(list: Tier[], own: Tier[]) {
  const uncovered = list.flatMap((tier) => {
    let pieces = [tier];
    for (const { fromWeight, toWeight } of own)
      pieces = pieces.flatMap((piece) =>
        [
          { ...piece, toWeight: Math.min(piece.toWeight, fromWeight) },
          { ...piece, fromWeight: Math.max(piece.fromWeight, toWeight) },
        ].filter((rest) => rest.fromWeight < rest.toWeight),
      );
    return pieces;
  });
  const presented = (custom: boolean) => (tier: Tier) => ({
    fromWeight: tier.fromWeight,
    toWeight: tier.toWeight,
    price: tier.priceCents,
    custom,
  });
  return [...own.map(presented(true)), ...uncovered.map(presented(false))].sort((a, b) => a.fromWeight - b.fromWeight);
}

/** Every shop sells to every customer, but only the shop that registered them sees the e-mail. */
function present(row: typeof customers.$inferSelect, actor: Shop) {
  return { ...presentCustomer(row), email: belongsTo(actor, row) ? row.email : "" };
}
