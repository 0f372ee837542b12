import type { Author } from "../accounts/audit.ts";
import { uuidv7 } from "../db/ids.ts";
import {
  bulkOrders,
  customers,
  fedexOrders,
  invoices,
  labelTypes,
  orders,
  priceTiers,
  transfers,
} from "../db/schema.ts";
import { move } from "../money/ledger.ts";
import { db } from "./house.ts";

// What a test does not say, it does not care about. Money is in dollars, as operators speak of it.

const builder: Author = { kind: "system", id: null, username: "builder" };
let made = 0;

/** A customer whose balance came in as an adjustment, so that the books balance from the start. */
export async function addCustomer({
  balance = 0,
  ...values
}: Partial<typeof customers.$inferInsert> & { balance?: number } = {}) {
  made++;
  const [customer] = await db
    .insert(customers)
    .values({ username: `customer${made}`, discordId: `${100_000 + made}`, verifiedAt: new Date(), ...values })
    .returning();
  if (!customer) throw new Error("not inserted");
  if (balance)
    await db.transaction((tx) =>
      move(tx, { customerId: customer.id, cents: cents(balance), kind: "adjustment", actor: builder }),
    );
  return customer;
}

export async function addLabelType({
  tiers = [],
  ...values
}: Partial<typeof labelTypes.$inferInsert> & { tiers?: [from: number, to: number, price: number][] } = {}) {
  made++;
  const [labelType] = await db
    .insert(labelTypes)
    .values({ name: `Label ${made}`, uid: `label_${made}`, maxWeight: 70, kind: "usps", ...values })
    .returning();
  if (!labelType) throw new Error("not inserted");
  for (const [fromWeight, toWeight, price] of tiers)
    await db.insert(priceTiers).values({ labelTypeId: labelType.id, fromWeight, toWeight, priceCents: cents(price) });
  return labelType;
}

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

/** An order that was paid for: its price came in as a deposit-like adjustment and went out as its purchase. */
export async function addOrder({
  price = 5,
  customer,
  labelType,
  ...values
}: Partial<typeof orders.$inferInsert> & {
  price?: number;
  customer?: { id: string };
  labelType?: { id: string };
} = {}) {
  const id = values.id ?? uuidv7();
  const customerId = (customer ?? (await addCustomer())).id;
  const labelTypeId = (labelType ?? (await addLabelType())).id;
  return db.transaction(async (tx) => {
    await move(tx, { customerId, cents: cents(price), kind: "adjustment", actor: builder });
    await move(tx, { customerId, cents: -cents(price), kind: "purchase", reference: id, actor: builder });
    const [order] = await tx
      .insert(orders)
      .values({
        id,
        customerId,
        labelTypeId,
        priceCents: cents(price),
        weight: 1,
        fromCountry: "United States",
        toCountry: "United States",
        ...someAddresses,
        ...values,
      })
      .returning();
    if (!order) throw new Error("not inserted");
    return order;
  });
}

export async function addBulkOrder({
  customer,
  ...values
}: Partial<typeof bulkOrders.$inferInsert> & { customer?: { id: string } } = {}) {
  const customerId = (customer ?? (await addCustomer())).id;
  const [bulkOrder] = await db
    .insert(bulkOrders)
    .values({ customerId, ...values })
    .returning();
  if (!bulkOrder) throw new Error("not inserted");
  return bulkOrder;
}

export async function addFedexOrder({
  price,
  customer,
  ...values
}: Partial<typeof fedexOrders.$inferInsert> & { price?: number; customer?: { id: string } } = {}) {
  const customerId = (customer ?? (await addCustomer())).id;
  const [order] = await db
    .insert(fedexOrders)
    .values({
      customerId,
      priceCents: price === undefined ? null : cents(price),
      weight: 12.5,
      length: 10,
      width: 8,
      height: 6,
      dimensionUnit: "in",
      weightUnit: "lb",
      ...someAddresses,
      ...values,
    })
    .returning();
  if (!order) throw new Error("not inserted");
  return order;
}

export async function addInvoice({
  amount = 20,
  customer,
  ...values
}: Partial<typeof invoices.$inferInsert> & { amount?: number; customer?: { id: string } } = {}) {
  const customerId = (customer ?? (await addCustomer())).id;
  const [invoice] = await db
    .insert(invoices)
    .values({ customerId, amountCents: cents(amount), paymentMethod: "cashapp", ...values })
    .returning();
  if (!invoice) throw new Error("not inserted");
  return invoice;
}

/** A customer's balance in dollars. */
export async function balanceOf({ id }: { id: string }): Promise<number> {
  const customer = (await db.select().from(customers)).find((row) => row.id === id);
  return (customer?.balanceCents ?? Number.NaN) / 100;
}

/** A customer's transfers, oldest first, without those of the builders. */
export async function transfersOf({ id }: { id: string }) {
  const rows = await db.select().from(transfers).orderBy(transfers.createdAt, transfers.id);
  return rows
    .filter((row) => row.customerId === id && row.actor !== builder.username)
    .map(({ kind, amountCents, balanceAfterCents, reference, actor }) => ({
      kind,
      amount: amountCents / 100,
      balanceAfter: balanceAfterCents / 100,
      reference,
      actor,
    }));
}

const cents = (dollars: number) => Math.round(dollars * 100);
