import { and, eq, inArray } from "drizzle-orm";
import type { LogEntry } from "../accounts/audit.ts";
import type { Transaction } from "../db/database.ts";
import { presentCustomer, presentInvoice, presentOrder, presentShopFedexOrder } from "../db/presenters.ts";
import {
  type bulkOrders,
  customers,
  customPrices,
  type fedexOrders,
  type invoices,
  labelTypes,
  type orders,
  priceTiers,
} from "../db/schema.ts";
import type { Happening } from "../outbox/outbox.ts";
import { toldReason } from "./corrections.ts";

// The events that shops and staff get about the trade: the state after the change, whoever made it.

/** A log entry together with the events about it. */
export const telling = ([type, action, change]: LogEntry, ...events: Happening[]): LogEntry => [
  type,
  action,
  { ...change, events },
];

type Named = { id: string; discordId: string; username: string };
const named = ({ id, discordId, username }: Named) => ({ _id: id, discordId, username });

type Order = typeof orders.$inferSelect;
type LabelType = { name: string };

export const orderCreated = (order: Order, customer: Named, labelType: LabelType): Happening => ({
  type: "order.created",
  customerId: customer.id,
  shopId: order.shopId,
  data: { customer: named(customer), order: presentOrder(order, customer, labelType) },
});

export const orderRefunded = (order: Order, customer: Named, labelType: LabelType, reason: string): Happening => ({
  type: "order.refunded",
  customerId: customer.id,
  shopId: order.shopId,
  data: { customer: named(customer), order: presentOrder(order, customer, labelType), reason: toldReason(reason) },
});

export const bulkOrderCreated = (
  bulk: typeof bulkOrders.$inferSelect,
  customer: Named,
  total: number,
  bought: Order[],
): Happening => ({
  type: "bulk-order.created",
  customerId: customer.id,
  shopId: bulk.shopId,
  data: {
    customer: named(customer),
    bulkOrder: {
      ...{ _id: bulk.id, uuid: bulk.uuid, createdAt: bulk.createdAt, total },
      orders: bought.map(({ id, uuid, priceCents, tracking }) => ({ _id: id, uuid, price: priceCents, tracking })),
    },
  },
});

export const aboutInvoice = (
  type: "invoice.created" | "invoice.paid" | "invoice.reversed",
  invoice: typeof invoices.$inferSelect,
  customer: Named,
): Happening => ({
  type,
  customerId: customer.id,
  shopId: invoice.shopId,
  data: { customer: named(customer), invoice: presentInvoice(invoice) },
});

export const aboutCustomer = (
  type: "customer.created" | "customer.verified" | "customer.changed",
  customer: typeof customers.$inferSelect,
): Happening => ({
  type,
  customerId: customer.id,
  shopId: customer.shopId,
  data: { customer: presentCustomer(customer) },
});

export const aboutFedexOrder = (
  type: "fedex-order.created" | "fedex-order.changed",
  order: typeof fedexOrders.$inferSelect,
  customer: Named,
): Happening => ({
  type,
  customerId: customer.id,
  shopId: order.shopId,
  data: { customer: named(customer), order: presentShopFedexOrder(order) },
});

/** For a locked order whose customer the caller does not know. */
export async function fedexOrderChanged(tx: Transaction, order: typeof fedexOrders.$inferSelect): Promise<Happening> {
  const [customer] = await tx.select().from(customers).where(eq(customers.id, order.customerId));
  if (!customer) throw new Error("an order has a customer");
  return aboutFedexOrder("fedex-order.changed", order, customer);
}

type Bounds = { fromWeight: number; toWeight: number; priceCents: number };
const presentPrice = ({ fromWeight, toWeight, priceCents }: Bounds) => ({ fromWeight, toWeight, price: priceCents });
type Offered = Pick<typeof labelTypes.$inferSelect, "id" | "uid" | "name" | "active">;
const presentType = ({ id, uid, name, active }: Offered) => ({ _id: id, uid, name, status: active });

/** The current prices of a label type, for everybody. */
export async function pricesChanged(tx: Transaction, labelTypeId: string): Promise<Happening> {
  const [labelType] = await tx.select().from(labelTypes).where(eq(labelTypes.id, labelTypeId));
  if (!labelType) throw new Error("a price has a label type");
  const tiers = await tx
    .select()
    .from(priceTiers)
    .where(eq(priceTiers.labelTypeId, labelTypeId))
    .orderBy(priceTiers.fromWeight);
  return {
    type: "price.changed",
    data: { labelType: presentType(labelType), customer: null, prices: tiers.map(presentPrice) },
  };
}

type Buyer = Named & Pick<typeof customers.$inferSelect, "shopId">;

/** A customer's current custom prices for some label types. */
export async function ownPricesChanged(
  tx: Transaction,
  customer: Buyer,
  changed: readonly { labelTypeId: string }[],
): Promise<Happening[]> {
  const ids = [...new Set(changed.map(({ labelTypeId }) => labelTypeId))];
  const types = await tx.select().from(labelTypes).where(inArray(labelTypes.id, ids)).orderBy(labelTypes.id);
  const own = await tx
    .select()
    .from(customPrices)
    .where(and(eq(customPrices.customerId, customer.id), inArray(customPrices.labelTypeId, ids)))
    .orderBy(customPrices.fromWeight);
  return types.map((labelType) => ({
    type: "price.changed",
    customerId: customer.id,
    shopId: customer.shopId,
    data: {
      labelType: presentType(labelType),
      customer: named(customer),
      prices: own.filter(({ labelTypeId }) => labelTypeId === labelType.id).map(presentPrice),
    },
  }));
}
