import type { PgTable } from "drizzle-orm/pg-core";
import { type LogEntry, logged } from "../accounts/audit.ts";
import * as schema from "../db/schema.ts";
import { adjustedBalance, because, reversedTransfer } from "../money/corrections.ts";
import { withCheckDigit } from "../money/tracking-codes.ts";
import * as logEntry from "../money/trade-log.ts";
import { type CatalogueEntry, type Codes, catalogue } from "./catalogue.ts";
import { newAddresses, newDiscordId, newOrderAddresses, newUsername } from "./people.ts";
import { type Random, seededRandom } from "./random.ts";
import { adjustmentReasons, fedexNotes, mistakeReasons, parcelNotes, refundReasons } from "./words.ts";

/** The size of a business. Everything else follows from the number of orders. */
type Plan = {
  now: Date;
  days: number;
  orders: number;
  customers: number;
  /** Whether the log has entries of the shop, besides those of operators. */
  logsShop: boolean;
  seed?: number;
};

type Order = { id: string; uuid: string; priceCents: number };
/** Prepaid codes: how many were registered, and the batch in use. */
type Stock = Codes & { number: number; amount: number; first: string; registeredAt: number; batchId: string };
type LabelType = CatalogueEntry & { id: string; stock: Stock | undefined };
type Tier = { fromWeight: number; toWeight: number; priceCents: number };
type Customer = {
  row: Omit<typeof schema.customers.$inferSelect, "shopId">;
  /** When the balance last changed. */
  movedAt: number;
  ownPrices: { labelType: LabelType; tiers: Tier[] } | undefined;
};

type Movement = {
  id?: string;
  amountCents: number;
  kind: (typeof schema.transfers.$inferInsert)["kind"];
  reference?: string | null;
  reason?: string;
  reverses?: { id: string; kind: "adjustment" | "deposit" };
  reversedBy?: string | null;
};

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const operators = ["admin", "support.day", "support.night"];
const shop = "shop-main";
const kindOf = (actor: string) => (actor === shop ? ("shop" as const) : null);

/** After this time new customers are verified and begin to buy. */
const settlingIn = 12 * hour;

/** The tables of a business, each after those it refers to. */
export const businessTables = [
  schema.customers,
  schema.labelTypes,
  schema.priceTiers,
  schema.customPrices,
  schema.codeBatches,
  schema.trackingCodes,
  schema.bulkOrders,
  schema.orders,
  schema.fedexOrders,
  schema.invoices,
  schema.transfers,
  schema.logs,
] as const;

/** Large enough to be quick, and small enough to keep in memory. */
const batchSize = 2000;

/**
 * Plausible trade up to now, of any size: always the same for the same plan, and correct to the cent. Rows come in
 * batches, table by table, and may refer to rows that come later.
 */
export function* makeBusiness({ now, days, orders, customers: amount, logsShop, seed = 7400 }: Plan) {
  const random = seededRandom(seed);
  // The last sale is a minute old, so that everything that follows from it has happened too.
  const end = now.getTime() - minute;
  const start = end - days * day;
  const rows = new Map<PgTable, object[]>(businessTables.map((table) => [table, []]));
  const add = <T extends PgTable>(table: T, row: T["$inferInsert"]) => rows.get(table)?.push(row);
  const log = (at: number, admin: string, [type, action, { before = null, after = null, about } = {}]: LogEntry) => {
    if (admin === shop && !logsShop) return;
    add(schema.logs, {
      ...{ id: random.idAt(at), admin, actorKind: kindOf(admin), type, action, before, after, createdAt: new Date(at) },
      ...logged(about),
    });
  };
  const atMostNow = (at: number) => Math.min(at, now.getTime());

  const types = catalogue.map(openLabelType);
  const demand = types.flatMap((type) => {
    const parts = type.tiers.map((tier, place) => [{ type, tier }, 1 / (place + 1)] as const);
    const all = parts.reduce((sum, [, part]) => sum + part, 0);
    return parts.map(([offer, part]) => [offer, (type.share * part) / all] as const);
  });
  const latestFedexOrders = Math.max(15, orders / 4000);
  /** How many codes are registered at a time. */
  const codesAtOnce = Math.min(5000, Math.max(250, Math.round(orders / 12)));

  const joined = joinings();
  const customers: Customer[] = [];
  const usernames = new Set<string>();
  /** Customers who may buy, oldest first. */
  const buyers: Customer[] = [];
  const refunds: { at: number; order: Order; customer: Customer }[] = [];
  let sold = 0;
  let fedexOrders = 0;
  let corrections = 0;

  yield* trade();
  // Their balances are known only at the end.
  for (const { row } of customers) {
    add(schema.customers, row);
    yield* batches(batchSize);
  }
  yield* batches(1);

  function* batches(least: number): Generator<[table: PgTable, rows: object[]]> {
    for (const [table, waiting] of rows) if (waiting.length >= least) yield [table, waiting.splice(0)];
  }

  /** Everything that moves a balance, one after the other, with time for a deposit in between. */
  function* trade() {
    const moments = Float64Array.from({ length: orders }, () => openingHour(random, start + 20 * day, end)).sort();
    let clock = start;
    let bulk = { place: 0, size: 1 };
    while (sold < orders) {
      if (sold % 100 === 0) bulk = { place: sold + random.between(0, 79), size: random.between(5, 20) };
      const size = sold === bulk.place && sold + bulk.size <= orders ? bulk.size : 1;
      let at = Math.max(moments[sold] as number, clock + 2);
      for (let next = refunds[0]; next && next.at <= at; next = refunds[0]) {
        clock = next.at;
        at = Math.max(at, clock + 2);
        refund();
      }
      clock = at;
      while ((joined[customers.length] as number) + settlingIn < at) join();
      // A few customers buy most of what is sold.
      const buyer = buyers[Math.floor(buyers.length * random.next() ** 2)] as Customer;
      sell(buyer, at, size);
      if (sold >= 90 * (corrections + 1)) clock = correct(buyer, at);
      yield* batches(batchSize);
    }
    while (refunds.length > 0) refund();
    while (customers.length < amount) join();
    for (const { stock } of types) if (stock) leaveCodes(stock);
    leaveInvoicesOpen();
  }

  function openLabelType(entry: CatalogueEntry, place: number): LabelType {
    const at = start - 2 * day + place * hour;
    const createdAt = new Date(at);
    const id = random.idAt(at);
    const { name, uid, kind, maxWeight, active } = entry;
    const codes = entry.codes?.type ?? null;
    add(schema.labelTypes, { id, name, uid, kind, codes, maxWeight, active, createdAt });
    log(at, "admin", logEntry.createdLabelType({ ...entry, codes, id }));
    for (const [fromWeight, toWeight, priceCents] of entry.tiers) {
      const tier = { id: random.idAt(at), fromWeight, toWeight, priceCents };
      add(schema.priceTiers, { labelTypeId: id, ...tier, createdAt });
      log(at, "admin", logEntry.addedPrice(entry, tier));
    }
    if (!active) log(at + hour, "admin", logEntry.switchedLabelType({ id, name }, false));
    const stock = entry.codes && { ...entry.codes, number: 0, amount: 0, first: "", registeredAt: 0, batchId: "" };
    return { ...entry, id, stock };
  }

  /** When customers join: some in the first days, then ever more. The newest wait for verification. */
  function joinings() {
    const founders = Math.max(2, Math.round(amount / 50));
    return Float64Array.from({ length: amount }, (_, place) => {
      if (place < founders) return start + Math.floor(random.next() * 10 * day);
      if (isNew(place)) return end - Math.floor(random.next() * 5 * day);
      return start + Math.floor(Math.sqrt(random.next()) * (days - 5) * day);
    }).sort();
  }

  function isNew(place: number) {
    return place >= amount - Math.ceil(amount * 0.03);
  }

  function join() {
    const place = customers.length;
    const at = joined[place] as number;
    const id = random.idAt(at);
    const username = newUsername(random, usernames);
    const email = random.chance(0.8)
      ? `${username.replace(/[^a-z0-9]/g, "")}@${random.pick(["inbox", "post", "mail"])}.example`
      : "";
    log(at, shop, logEntry.addedCustomer({ id, username, email }));
    const verifiedAt = isNew(place) ? undefined : at + random.between(5, 600) * minute;
    if (verifiedAt) log(verifiedAt, random.pick(operators), logEntry.verifiedCustomer({ id, username }));
    const active = place < 2 || !random.chance(0.03);
    const disabledAt = atMostNow(at + random.between(10, 240) * hour);
    if (!active) log(disabledAt, random.pick(operators), logEntry.switchedCustomer({ id, username }, false));
    const ownPrices =
      verifiedAt && random.chance(0.05) ? addCustomPrices({ id, username }, verifiedAt + hour) : undefined;
    const row = {
      id,
      username,
      discordId: newDiscordId(random, at),
      email,
      balanceCents: 0,
      hasBalance: false,
      transfers: 0,
      orders: 0,
      deposits: 0,
      refunds: 0,
      receivedCents: 0,
      spentCents: 0,
      depositedCents: 0,
      refundedCents: 0,
      active,
      customPricingEnabled: ownPrices !== undefined,
      verifiedAt: verifiedAt ? new Date(verifiedAt) : null,
      createdAt: new Date(at),
    };
    const customer = { row, movedAt: at, ownPrices };
    customers.push(customer);
    if (verifiedAt && active) buyers.push(customer);
  }

  /** Custom prices for the lightest parcels of one label type. */
  function addCustomPrices(customer: { id: string; username: string }, at: number) {
    const labelType = random.pick(types.filter(({ active }) => active));
    const operator = random.pick(operators);
    log(at, operator, logEntry.switchedCustomPricing(customer, true));
    const tiers = labelType.tiers.slice(0, random.between(1, 3)).map(([fromWeight, toWeight, cents]) => {
      const tier = { id: random.idAt(at), fromWeight, toWeight, priceCents: Math.round(cents * 0.9) };
      const owner = { customerId: customer.id, labelTypeId: labelType.id };
      add(schema.customPrices, { ...owner, ...tier, createdAt: new Date(at) });
      log(at, operator, logEntry.addedCustomPrice(customer, labelType, tier));
      return tier;
    });
    return { labelType, tiers };
  }

  function sell(customer: Customer, at: number, size: number) {
    const bulk = size > 1 ? { id: random.idAt(at), uuid: random.uuid() } : undefined;
    if (bulk) add(schema.bulkOrders, { ...bulk, customerId: customer.row.id, createdAt: new Date(at) });
    const bought = Array.from({ length: size }, () => newOrder(customer, at, bulk?.id ?? null));
    const cents = bought.reduce((sum, { priceCents }) => sum + priceCents, 0);
    const missing = cents - customer.row.balanceCents;
    if (missing > 0) deposit(customer, missing, at);
    const [first] = bought as [Order];
    move(customer, { amountCents: -cents, kind: "purchase", reference: bulk?.id ?? first.id }, shop, at);
    log(
      at,
      shop,
      bulk ? logEntry.soldBulkOrder(bulk, size, cents, customer.row) : logEntry.soldOrder(first, customer.row),
    );
  }

  function newOrder(customer: Customer, at: number, bulkOrderId: string | null): Order {
    const { type, tier } = random.weighted(demand);
    customer.row.orders++;
    const [fromWeight, toWeight, listCents] = tier;
    const weight = (fromWeight * 10 + random.between(1, (toWeight - fromWeight) * 10)) / 10;
    const own = customer.ownPrices?.labelType === type ? customer.ownPrices.tiers : [];
    const ownCents = own.find((price) => price.toWeight === toWeight)?.priceCents;
    const priceCents = ownCents ?? listCents;
    const order = { id: random.idAt(at), uuid: random.uuid(), priceCents };
    const refundedAt = at + random.between(hour, 72 * hour);
    const isRefunded = random.chance(0.03) && refundedAt < end && planRefund(refundedAt, order, customer);
    add(schema.orders, {
      ...order,
      customerId: customer.row.id,
      labelTypeId: type.id,
      bulkOrderId,
      weight,
      tierFromWeight: fromWeight,
      tierToWeight: toWeight,
      hasCustomPrice: ownCents !== undefined,
      standardPriceCents: listCents,
      tracking: type.stock
        ? addCode(type.stock, at, new Date(at))
        : `1Z${random.uuid().replaceAll("-", "").slice(0, 16).toUpperCase()}`,
      ...newOrderAddresses(random),
      refundedAt: isRefunded ? new Date(refundedAt) : null,
      createdAt: new Date(at),
    });
    if (sold++ % 40 === 0) orderFedex(random.pick(buyers), at);
    return order;
  }

  /** False if another refund has that moment. */
  function planRefund(at: number, order: Order, customer: Customer): boolean {
    const place = refunds.findLastIndex((planned) => planned.at <= at);
    if (refunds[place]?.at === at) return false;
    refunds.splice(place + 1, 0, { at, order, customer });
    return true;
  }

  function refund() {
    const { at, order, customer } = refunds.shift() as (typeof refunds)[number];
    const operator = random.pick(operators);
    const reason = random.pick(refundReasons);
    move(customer, { amountCents: order.priceCents, kind: "refund", reference: order.id, reason }, operator, at);
    log(at, operator, because(reason, logEntry.refundedOrder(order, customer.row)));
  }

  /** A credit by an operator; now and then it is a mistake and reversed. Returns when it was done. */
  function correct(customer: Customer, at: number): number {
    const operator = random.pick(operators);
    corrections++;
    // Now and then somebody pays at the counter.
    const isPaid = corrections % 7 === 0;
    const amountCents = random.between(2, 40) * 50 + (isPaid ? 12_000 : 0);
    const undoneAt = at + random.between(30, 120) * 1000;
    const { row } = customer;
    if (corrections % 22 === 11) {
      const openedAt = at - random.between(1, 60) * minute;
      const invoice = openInvoice(customer, amountCents, openedAt, "reversed");
      const reversedBy = random.idAt(undoneAt);
      const deposit = { kind: "deposit" as const, amountCents, reference: invoice.id };
      const id = move(customer, { ...deposit, reversedBy }, operator, at + 1);
      log(at + 1, operator, logEntry.paidInvoice(invoice, row));
      undo(customer, { id, ...deposit, reversedBy }, operator, undoneAt);
      return undoneAt;
    }
    const isMistake = corrections % 11 === 0;
    const reversedBy = isMistake ? random.idAt(undoneAt) : null;
    const adjustment = { kind: "adjustment" as const, amountCents, reference: null };
    const usualReason = random.pick(adjustmentReasons);
    const reason = isPaid ? "Paid in cash at the counter" : usualReason;
    const id = move(customer, { ...adjustment, reversedBy, reason }, operator, at + 1);
    log(at + 1, operator, because(reason, adjustedBalance({ ...row, transferId: id }, amountCents)));
    if (!reversedBy) return at + 1;
    undo(customer, { id, ...adjustment, reversedBy }, operator, undoneAt);
    return undoneAt;
  }

  type Mistake = { id: string; kind: "adjustment" | "deposit"; amountCents: number; reference: string | null };

  function undo(customer: Customer, mistake: Mistake & { reversedBy: string }, operator: string, at: number) {
    const { id: reverses, reversedBy: id, kind, amountCents } = mistake;
    const reason = random.pick(mistakeReasons);
    move(
      customer,
      { id, kind: "reversal", amountCents: -amountCents, reverses: { id: reverses, kind }, reason },
      operator,
      at,
    );
    log(at, operator, because(reason, reversedTransfer(mistake, { ...customer.row, transferId: id })));
  }

  function deposit(customer: Customer, missing: number, at: number) {
    const usual = random.pick([5000, 10_000, 15_000, 20_000, 25_000]);
    const amountCents = Math.max(usual, Math.ceil(missing / 500) * 500);
    const paidAt = at - random.between(1, Math.min(20 * minute, at - customer.movedAt - 1));
    const openedAt = paidAt - random.between(1, 60) * minute;
    // Some had tried before, in vain.
    const triedAt = openedAt - random.between(30, 300) * minute;
    if (random.chance(0.15)) openInvoice(customer, amountCents, triedAt, random.chance(0.7) ? "expired" : "failed");
    const invoice = openInvoice(customer, amountCents, openedAt, "paid", new Date(paidAt));
    const actor = random.chance(0.3) ? random.pick(operators) : shop;
    move(customer, { amountCents, kind: "deposit", reference: invoice.id }, actor, paidAt);
    log(paidAt, actor, logEntry.paidInvoice(invoice, customer.row));
  }

  function openInvoice(
    customer: Customer,
    amountCents: number,
    at: number,
    status: NonNullable<(typeof schema.invoices.$inferInsert)["status"]>,
    paidAt: Date | null = null,
  ) {
    const id = random.idAt(at);
    const paymentMethod = random.chance(0.6) ? ("cashapp" as const) : ("paypal" as const);
    const hostedUrl = `https://pay.example/invoice/${id}`;
    const invoice = { id, customerId: customer.row.id, amountCents, paymentMethod, hostedUrl };
    add(schema.invoices, { ...invoice, status, paidAt, createdAt: new Date(at) });
    const opened = { ...invoice, status: "pending" as const };
    log(at, shop, logEntry.openedInvoice(opened, customer.row.username));
    if (status === "expired" || status === "failed")
      log(atMostNow(at + random.between(60, 1440) * minute), shop, logEntry.setInvoice(opened, status));
    return opened;
  }

  /** Unpaid invoices of the last two days. */
  function leaveInvoicesOpen() {
    for (let left = Math.ceil(orders / 500); left > 0; left--) {
      const customer = random.pick(buyers);
      const at = Math.max(customer.row.createdAt.getTime(), end - Math.floor(random.next() * 2 * day));
      openInvoice(customer, random.pick([1000, 2500, 5000, 10_000]), at, "pending");
    }
  }

  function move(customer: Customer, movement: Movement, actor: string, at: number): string {
    const {
      id = random.idAt(at),
      amountCents,
      kind,
      reference = null,
      reason = "",
      reverses,
      reversedBy = null,
    } = movement;
    const { row } = customer;
    row.balanceCents += amountCents;
    row.hasBalance = row.balanceCents > 0;
    row.transfers++;
    row.receivedCents += Math.max(amountCents, 0);
    if (kind === "purchase") row.spentCents -= amountCents;
    if (kind === "deposit" || reverses?.kind === "deposit") {
      row.deposits += Math.sign(amountCents);
      row.depositedCents += amountCents;
    }
    if (kind === "refund") {
      row.refunds++;
      row.refundedCents += amountCents;
    }
    customer.movedAt = at;
    add(schema.transfers, {
      id,
      customerId: row.id,
      kind,
      amountCents,
      balanceAfterCents: row.balanceCents,
      number: row.transfers,
      receivedCents: row.receivedCents,
      spentCents: row.spentCents,
      reason,
      reference,
      reverses: reverses?.id ?? null,
      reversedBy,
      actor,
      actorKind: kindOf(actor),
      createdAt: new Date(at),
    });
    return id;
  }

  /** The next code of a stock, from a batch that was registered shortly before its first code was needed. */
  function addCode(stock: Stock, at: number, usedAt: Date | null): string {
    const { prefix, type, template } = stock;
    const code = withCheckDigit(prefix + String(++stock.number).padStart(21 - prefix.length, "0"));
    if (stock.amount === 0) {
      stock.registeredAt = Math.max(start - day, at - 3 * day);
      stock.first = code;
      stock.batchId = random.idAt(stock.registeredAt);
    }
    stock.amount++;
    const createdAt = new Date(stock.registeredAt);
    add(schema.trackingCodes, {
      id: random.idAt(stock.registeredAt),
      code,
      type,
      template,
      usedAt,
      createdAt,
      batchId: stock.batchId,
    });
    if (usedAt && stock.amount === codesAtOnce) endBatch(stock, code);
    return code;
  }

  function endBatch(stock: Stock, last: string) {
    const { type, template, first, amount, registeredAt, batchId, prefix, number } = stock;
    add(schema.codeBatches, {
      ...{ id: batchId, type, template, first, last, amount, actor: "admin", createdAt: new Date(registeredAt) },
      note: `Carrier's order ${prefix.slice(-5)}-${number}`,
    });
    log(stock.registeredAt, "admin", logEntry.registeredCodes({ ...stock, last }));
    stock.amount = 0;
  }

  function leaveCodes(stock: Stock) {
    let last = "";
    for (let left = Math.min(5000, Math.round(stock.left * Math.max(1, orders / 6000))); left > 0; left--)
      last = addCode(stock, end, null);
    endBatch(stock, last);
  }

  function orderFedex({ row: { id: customerId, username } }: Customer, soldAt: number) {
    const number = fedexOrders++;
    // The latest orders are still being worked on, and nobody has waited for long.
    const isLatest = number >= Math.ceil(orders / 40) - latestFedexOrders;
    const at = isLatest ? end - random.between(20, 30 * 60) * minute : soldAt;
    const status = isLatest ? (lately[number % lately.length] as (typeof lately)[number]) : random.weighted(earlier);
    const parcel = {
      weight: random.between(2, 60),
      length: random.between(6, 40),
      width: random.between(4, 30),
      height: random.between(2, 24),
      dimensionUnit: random.chance(0.85) ? "in" : "cm",
      weightUnit: random.chance(0.85) ? "lb" : "kg",
      specialNotes: random.pick(parcelNotes),
    };
    const order = {
      uuid: random.uuid(),
      status,
      note: random.pick(fedexNotes[status]),
      priceCents: status === "Pending" ? null : Math.round(fedexCents(parcel) * (random.between(88, 112) / 100)),
    };
    const addresses = newAddresses(random);
    const ids = { id: random.idAt(at), customerId };
    const updatedAt = atMostNow(at + random.between(60, 1800) * minute);
    const closedAt = status === "Completed" || status === "Cancelled" ? new Date(updatedAt) : null;
    add(schema.fedexOrders, { ...ids, ...order, ...parcel, ...addresses, createdAt: new Date(at), closedAt });
    log(at, shop, logEntry.addedFedexOrder({ ...ids, uuid: order.uuid }, username, parcel));
    const update = logEntry.updatedFedexOrder(
      { ...ids, uuid: order.uuid, status: "Pending", note: "", priceCents: null },
      order,
    );
    if (update) log(updatedAt, random.pick(operators), update);
  }
}

/** Heavier parcels cost more, so that an unusual price stands out. */
const fedexCents = ({ weight, weightUnit }: { weight: number; weightUnit: string }) =>
  900 + 75 * weight * (weightUnit === "kg" ? 2.2 : 1);

const lately = ["Pending", "In Process", "Pending", "Awaiting User Input", "Pending", "Completed"] as const;
const earlier = [
  ["Completed", 14],
  ["Cancelled", 3],
] as const;

/** Later days are busier, weekends quieter, and nights quiet. */
function openingHour(random: Random, start: number, end: number): number {
  for (;;) {
    const at = Math.floor(start + Math.sqrt(random.next()) * (end - start));
    const hours = Math.floor(at / hour) % 24;
    // 1 January 1970 was a Thursday.
    const isWeekend = ((Math.floor(at / day) + 4) % 7) % 6 === 0;
    const busy = (hours >= 13 ? 1 : hours < 3 ? 0.6 : 0.12) * (isWeekend ? 0.45 : 1);
    if (random.chance(busy)) return at;
  }
}
