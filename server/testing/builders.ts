import type { Transaction } from "../db/database.ts";
import { customers, transfers } from "../db/schema.ts";
import * as add from "./add.ts";
import { db } from "./server.ts";

export const { someAddresses } = add;

// The rows of add.ts in the test's database, each in a transaction of its own, and with whom and what it is about.

type Given<F> = F extends (tx: Transaction, values: infer Values) => unknown ? Values : never;
type Loosely<F, Key extends string> = Omit<Given<F>, Key> & { [K in Key]?: { id: string } };

export const addCustomer = (values: Given<typeof add.addCustomer> = {}) =>
  db.transaction((tx) => add.addCustomer(tx, values));

export const addLabelType = (values: Given<typeof add.addLabelType> = {}) =>
  db.transaction((tx) => add.addLabelType(tx, values));

export async function addOrder(values: Loosely<typeof add.addOrder, "customer" | "labelType"> = {}) {
  const customer = values.customer ?? (await addCustomer());
  const labelType = values.labelType ?? (await addLabelType());
  return db.transaction((tx) => add.addOrder(tx, { ...values, customer, labelType }));
}

export async function addBulkOrder(values: Loosely<typeof add.addBulkOrder, "customer"> = {}) {
  const customer = values.customer ?? (await addCustomer());
  return db.transaction((tx) => add.addBulkOrder(tx, { ...values, customer }));
}

export async function addFedexOrder(values: Loosely<typeof add.addFedexOrder, "customer"> = {}) {
  const customer = values.customer ?? (await addCustomer());
  return db.transaction((tx) => add.addFedexOrder(tx, { ...values, customer }));
}

export async function addInvoice(values: Loosely<typeof add.addInvoice, "customer"> = {}) {
  const customer = values.customer ?? (await addCustomer());
  return db.transaction((tx) => add.addInvoice(tx, { ...values, customer }));
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
    .filter((row) => row.customerId === id && row.actor !== add.builder.username)
    .map(({ kind, amountCents, balanceAfterCents, reference, actor }) => ({
      kind,
      amount: amountCents / 100,
      balanceAfter: balanceAfterCents / 100,
      reference,
      actor,
    }));
}
