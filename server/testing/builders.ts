import type { Transaction } from "../db/database.ts";
import { customers, transfers } from "../db/schema.ts";
import * as add from "./add.ts";
import { db } from "./server.ts";

export const { someAddresses } = add;

// The builders of add.ts on the test's database, each in its own transaction, and with the rows they refer to.

type Given<F> = F extends (tx: Transaction, values: infer Values) => unknown ? Values : never;
type Known = { id: string };

export const addCustomer = (values: Given<typeof add.addCustomer> = {}) =>
  db.transaction((tx) => add.addCustomer(tx, values));

export const addLabelType = (values: Given<typeof add.addLabelType> = {}) =>
  db.transaction((tx) => add.addLabelType(tx, values));

export async function addOrder(values: Partial<Given<typeof add.addOrder>> = {}) {
  const customer = values.customer ?? (await addCustomer());
  const labelType = values.labelType ?? (await addLabelType());
  return db.transaction((tx) => add.addOrder(tx, { ...values, customer, labelType }));
}

/** Adds a customer if none is named. */
const ofCustomer =
  <V extends { customer: Known }, Row>(addRow: (tx: Transaction, values: V) => Promise<Row>) =>
  async (values: Partial<V> = {}) => {
    const customer = values.customer ?? (await addCustomer());
    return db.transaction((tx) => addRow(tx, { ...values, customer } as V));
  };

export const addBulkOrder = ofCustomer(add.addBulkOrder);
export const addFedexOrder = ofCustomer(add.addFedexOrder);
export const addInvoice = ofCustomer(add.addInvoice);

/** A customer's balance in dollars. */
export async function balanceOf({ id }: { id: string }): Promise<number> {
  const customer = (await db.select().from(customers)).find((row) => row.id === id);
  return (customer?.balanceCents ?? Number.NaN) / 100;
}

/** A customer's transfers, oldest first, without those made by builders. */
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
