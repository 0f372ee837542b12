import { isDeepStrictEqual } from "node:util";
import { customers, events, fedexOrders, invoices, orders, outbox, transfers } from "../db/schema.ts";
import { db } from "./server.ts";

/** All events, in order. */
export async function allEvents() {
  // In this order, so that an event numbered in between is found twice rather than not at all.
  const waiting = await db.select().from(outbox).orderBy(outbox.number);
  const numbered = await db.select().from(events).orderBy(events.position);
  const known = new Set(numbered.map(({ id }) => id));
  return [...numbered, ...waiting.filter(({ id }) => !known.has(id))];
}

type Told = Awaited<ReturnType<typeof allEvents>>[number];
type Rows = Awaited<ReturnType<typeof rowsWithEvents>>;

/** The rows that events are about. */
export async function rowsWithEvents() {
  const byId = <R extends { id: string }>(rows: R[]) => new Map(rows.map((row) => [row.id, row]));
  return {
    told: new Set((await allEvents()).map(({ id }) => id)),
    transfers: byId(await db.select().from(transfers).orderBy(transfers.customerId, transfers.number)),
    orders: byId(await db.select().from(orders).orderBy(orders.id)),
    invoices: byId(await db.select().from(invoices).orderBy(invoices.id)),
    customers: byId(await db.select().from(customers).orderBy(customers.id)),
    fedexOrders: byId(await db.select().from(fedexOrders).orderBy(fedexOrders.id)),
  };
}

/** Differences between new events and changes of rows: none may be missing or told twice. */
export async function eventFaultsSince(before: Rows): Promise<string[]> {
  const now = await rowsWithEvents();
  const told = (await allEvents()).filter(({ id }) => !before.told.has(id));
  const of = (type: Told["type"], id: (data: never) => string) =>
    Map.groupBy(
      told.filter((event) => event.type === type),
      ({ data }) => id(data as never),
    );
  const problems: string[] = [];
  const expectCount = (found: Map<string, Told[]>, id: string, count: number, what: string) => {
    const is = found.get(id)?.length ?? 0;
    if (is !== count) problems.push(`${what} ${id} was told ${is} times instead of ${count}`);
    found.delete(id);
  };
  const expectNoOthers = (found: Map<string, Told[]>, what: string) => {
    for (const id of found.keys()) problems.push(`${what} ${id} was told, but did not happen`);
  };
  const fresh = <R extends { id: string }>(rows: Map<string, R>, known: Map<string, R>) =>
    [...rows.values()].filter(({ id }) => !known.has(id));

  // Every transfer once, with its amount and the balance after it, in the order of the customer's transfers.
  const balances = told.filter(({ type }) => type === "balance.changed");
  for (const { id } of now.customers.values()) {
    const is = balances.flatMap(({ customerId, data }) => {
      const { balance, transfer } = data as unknown as { balance: number; transfer: Record<string, unknown> };
      return customerId === id ? [[transfer._id, transfer.kind, transfer.amount, transfer.for, balance]] : [];
    });
    const should = fresh(now.transfers, before.transfers)
      .filter(({ customerId }) => customerId === id)
      .map((row) => [row.id, row.kind, row.amountCents / 100, row.reference, row.balanceAfterCents / 100]);
    if (!isDeepStrictEqual(is, should))
      problems.push(`of ${id}: told ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`);
  }

  const sold = of("order.created", ({ order }: { order: { _id: string } }) => order._id);
  const inBulk = of("bulk-order.created", ({ bulkOrder }: { bulkOrder: { _id: string } }) => bulkOrder._id);
  const refunded = of("order.refunded", ({ order }: { order: { _id: string } }) => order._id);
  const bulks = new Set<string>();
  for (const order of fresh(now.orders, before.orders)) {
    if (order.bulkOrderId) bulks.add(order.bulkOrderId);
    else expectCount(sold, order.id, 1, "order.created");
  }
  for (const id of bulks) {
    const [event] = inBulk.get(id) ?? [];
    const { orders: listed } = (event?.data as { bulkOrder?: { orders: { _id: string }[] } })?.bulkOrder ?? {
      orders: [],
    };
    const its = [...now.orders.values()].filter(({ bulkOrderId }) => bulkOrderId === id).map((order) => order.id);
    if (!isDeepStrictEqual(listed.map(({ _id }) => _id).sort(), its.sort()))
      problems.push(`bulk-order.created ${id} does not list its orders`);
    expectCount(inBulk, id, 1, "bulk-order.created");
  }
  for (const { id, refundedAt } of now.orders.values())
    expectCount(refunded, id, refundedAt && !before.orders.get(id)?.refundedAt ? 1 : 0, "order.refunded");
  expectNoOthers(sold, "order.created");
  expectNoOthers(inBulk, "bulk-order.created");
  expectNoOthers(refunded, "order.refunded");

  const invoiceOf = ({ invoice }: { invoice: { _id: string } }) => invoice._id;
  const [opened, paid, reversed] = [
    of("invoice.created", invoiceOf),
    of("invoice.paid", invoiceOf),
    of("invoice.reversed", invoiceOf),
  ];
  for (const { id } of fresh(now.invoices, before.invoices)) expectCount(opened, id, 1, "invoice.created");
  const deposits = [...now.transfers.values()].filter(({ kind }) => kind === "deposit");
  for (const { id } of now.invoices.values()) {
    const own = deposits.filter(({ reference }) => reference === id);
    const newOnes = own.filter((deposit) => !before.transfers.has(deposit.id));
    const newlyReversed = own.filter((deposit) => deposit.reversedBy && !before.transfers.get(deposit.id)?.reversedBy);
    expectCount(paid, id, newOnes.length, "invoice.paid");
    expectCount(reversed, id, newlyReversed.length, "invoice.reversed");
  }
  for (const [found, what] of [
    [opened, "invoice.created"],
    [paid, "invoice.paid"],
    [reversed, "invoice.reversed"],
  ] as const)
    expectNoOthers(found, what);

  const lastOf = (prefix: string, id: string) =>
    told.findLast(({ type, data }) => {
      const { customer, order } = data as { customer?: { _id: string }; order?: { _id: string } };
      return type.startsWith(prefix) && (order ?? customer)?._id === id;
    });
  const customerOf = ({ customer }: { customer: { _id: string } }) => customer._id;
  const [created, verified] = [of("customer.created", customerOf), of("customer.verified", customerOf)];
  for (const row of now.customers.values()) {
    const was = before.customers.get(row.id);
    expectCount(created, row.id, was ? 0 : 1, "customer.created");
    expectCount(verified, row.id, row.verifiedAt && !was?.verifiedAt ? 1 : 0, "customer.verified");
    const shape = (of: typeof row) => [
      of.username,
      of.email,
      of.active,
      of.verifiedAt !== null,
      of.customPricingEnabled,
    ];
    if (was && isDeepStrictEqual(shape(was), shape(row))) continue;
    const last = (lastOf("customer.", row.id)?.data as { customer?: Record<string, unknown> })?.customer;
    const is = [last?.username, last?.email, last?.status, last?.isVerified, last?.customPricingEnabled];
    if (!isDeepStrictEqual(is, shape(row))) problems.push(`customer ${row.id} was last told as ${JSON.stringify(is)}`);
  }
  expectNoOthers(created, "customer.created");
  expectNoOthers(verified, "customer.verified");

  const parcels = of("fedex-order.created", ({ order }: { order: { _id: string } }) => order._id);
  for (const row of now.fedexOrders.values()) {
    const was = before.fedexOrders.get(row.id);
    expectCount(parcels, row.id, was ? 0 : 1, "fedex-order.created");
    const shape = (of: typeof row) => [
      of.status,
      of.note,
      of.priceCents === null ? null : of.priceCents / 100,
      of.fileId !== null,
    ];
    if (was && isDeepStrictEqual(shape(was), shape(row))) continue;
    const last = (lastOf("fedex-order.", row.id)?.data as { order?: Record<string, unknown> })?.order;
    const is = [last?.status, last?.note, last?.price, last?.file !== null];
    if (!isDeepStrictEqual(is, shape(row)))
      problems.push(`Fedex order ${row.id} was last told as ${JSON.stringify(is)}`);
  }
  return problems;
}
