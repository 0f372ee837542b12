import { usualCodes } from "@footprint/contract/usual-codes.ts";
import { eq, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Author } from "../accounts/audit.ts";
import type { Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import {
  bulkOrders,
  customers,
  fedexOrders,
  invoices,
  labelTypes,
  orders,
  priceTiers,
  type transfers,
} from "../db/schema.ts";
import { move } from "../money/ledger.ts";

// Builds single rows for tests on the server and in the browser. Values that a test leaves out do not matter and are
// always the same. Money is in dollars, as operators speak of it.

type Given<T extends { $inferInsert: object }> = Partial<T["$inferInsert"]>;
type Known = { id: string };

export const builder: Author = { kind: "system", id: null, username: "builder" };
let made = 0;

export const someAddresses = {
  fromName: "Tobias Brandt",
  fromStreet: "410 Cedar St",
  fromCity: "Austin",
  fromState: "TX",
  fromZip: "78701",
  toName: "Lena Okafor",
  toStreet: "88 Wharf Rd",
  toCity: "Portland",
  toState: "ME",
  toZip: "04101",
};

export const someParcel = { weight: 12.5, length: 10, width: 8, height: 6, dimensionUnit: "in", weightUnit: "lb" };

/** A customer whose balance came from an adjustment, so that the books balance from the start. */
export async function addCustomer(
  tx: Transaction,
  { balance = 0, ...values }: Given<typeof customers> & { balance?: number },
) {
  made++;
  const customer = await insert(tx, customers, {
    username: `customer${made}`,
    discordId: `${100_000 + made}`,
    verifiedAt: new Date(),
    ...values,
  });
  if (balance) await moveMoney(tx, customer, balance, "adjustment");
  return customer;
}

export async function addLabelType(
  tx: Transaction,
  { tiers = [], ...values }: Given<typeof labelTypes> & { tiers?: [from: number, to: number, price: number][] },
) {
  made++;
  const { uid = `label_${made}`, kind = "usps" } = values;
  const labelType = await insert(tx, labelTypes, {
    name: `Label ${made}`,
    maxWeight: 70,
    codes: usualCodes(kind, uid),
    ...values,
    uid,
    kind,
  });
  for (const [fromWeight, toWeight, price] of tiers)
    await tx.insert(priceTiers).values({ labelTypeId: labelType.id, fromWeight, toWeight, priceCents: cents(price) });
  return labelType;
}

type GivenOrder = Given<typeof orders> & { price?: number; customer: Known; labelType: Known };

/** A paid order: an adjustment brought its price in, and a purchase took it out. */
export async function addOrder(tx: Transaction, { id = uuidv7(), price = 5, ...values }: GivenOrder) {
  await payFor(tx, values.customer, price, id);
  return addUnpaidOrder(tx, { id, price, ...values });
}

export async function addUnpaidOrder(tx: Transaction, { price = 5, customer, labelType, ...values }: GivenOrder) {
  const ids = { customerId: customer.id, labelTypeId: labelType.id };
  await tx
    .update(customers)
    .set({ orders: sql`${customers.orders} + 1` })
    .where(eq(customers.id, customer.id));
  const defaults = { priceCents: cents(price), weight: 1, fromCountry: "United States", toCountry: "United States" };
  return insert(tx, orders, { ...ids, ...defaults, ...someAddresses, ...values });
}

/** The money comes in and goes out again, so the balance stays as it was. */
export async function payFor(tx: Transaction, customer: Known, price: number, reference: string) {
  await moveMoney(tx, customer, price, "adjustment");
  await moveMoney(tx, customer, -price, "purchase", reference);
}

type Kind = (typeof transfers.$inferInsert)["kind"];

export const moveMoney = (tx: Transaction, customer: Known, amount: number, kind: Kind, reference?: string) =>
  move(tx, {
    customerId: customer.id,
    cents: cents(amount),
    kind,
    ...(reference !== undefined && { reference }),
    actor: builder,
  });

export async function addBulkOrder(
  tx: Transaction,
  { customer, ...values }: Given<typeof bulkOrders> & { customer: Known },
) {
  return insert(tx, bulkOrders, { customerId: customer.id, ...values });
}

export async function addFedexOrder(
  tx: Transaction,
  { price, customer, ...values }: Given<typeof fedexOrders> & { price?: number | undefined; customer: Known },
) {
  const priceCents = price === undefined ? null : cents(price);
  return insert(tx, fedexOrders, { customerId: customer.id, priceCents, ...someParcel, ...someAddresses, ...values });
}

export async function addInvoice(
  tx: Transaction,
  { amount = 20, customer, ...values }: Given<typeof invoices> & { amount?: number; customer: Known },
) {
  return insert(tx, invoices, {
    customerId: customer.id,
    amountCents: cents(amount),
    paymentMethod: "cashapp",
    ...values,
  });
}

async function insert<T extends PgTable>(tx: Transaction, table: T, values: T["$inferInsert"]) {
  const [row] = (await tx.insert(table).values(values).returning()) as T["$inferSelect"][];
  if (!row) throw new Error("not inserted");
  return row;
}

const cents = (dollars: number) => Math.round(dollars * 100);
