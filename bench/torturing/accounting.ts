import { isDeepStrictEqual } from "node:util";
import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import type { Database } from "../../server/db/database.ts";
import * as schema from "../../server/db/schema.ts";
import { checkBooks } from "../../server/money/books.ts";
import { trackingCode } from "../operators.ts";
import { type Asked, contradicts, metSomebody, outcomeOf, replyTo } from "./journal.ts";

/** A request, with the types of its call. */
type Case<E extends Endpoint> = {
  key: string;
  input: Input<E>;
  reply: Reply<E> | undefined;
  outcome: ReturnType<typeof outcomeOf>;
  /** Was told that somebody else had already done it. */
  toldDone: boolean;
  /** Earlier answers were lost. */
  repeated: boolean;
};

function cases<E extends Endpoint>(all: Asked[], endpoint: E): Case<E>[] {
  return all
    .filter((asked) => asked.endpoint === endpoint)
    .map((asked) => ({
      key: asked.key ?? "",
      input: asked.input as Input<E>,
      reply: replyTo(asked) as Reply<E> | undefined,
      outcome: outcomeOf(asked),
      toldDone: asked.answers.some((answer) => answer.status === 409 && !metSomebody(answer)),
      repeated: asked.answers.some(({ tries }) => tries > 1),
    }));
}

/** Compares what callers know with the rows, and lists every difference. */
export async function account(db: Database, all: Asked[]): Promise<string[]> {
  const findings = (await checkBooks(db)).problems;
  const desk = openDesk(all, await readRows(db), (finding) => findings.push(finding));
  accountForKeys(desk);
  accountForOrders(desk);
  accountForBulkOrders(desk);
  accountForPapers(desk);
  accountForRefunds(desk);
  accountForDeposits(desk);
  accountForAdjustments(desk);
  accountForBalances(desk);
  accountForCustomers(desk);
  accountForPrices(desk);
  accountForCodes(desk);
  return findings;
}

type Rows = Awaited<ReturnType<typeof readRows>>;
type Desk = ReturnType<typeof openDesk>;

function openDesk(all: Asked[], rows: Rows, find: (finding: string) => void) {
  for (const { what, is, should } of rows.differences) if (is !== should) find(`${what}: ${is} instead of ${should}`);
  /** Decides about calls without an answer: a change and its key are committed together. */
  const happened = ({ key }: { key: string }) => rows.replies.has(key);
  /** Each customer's balance, computed from all changes. */
  const balances = new Map<string, number>();
  return {
    all,
    rows,
    find,
    happened,
    expectOnce(what: string, one: { key: string; outcome: string }, times: number) {
      if (times !== Number(happened(one)))
        find(`${what} ${one.key} (${one.outcome}) is there ${times} times, its key ${Number(happened(one))} times`);
    },
    balances,
    add(customerId: string, cents: number) {
      balances.set(customerId, (balances.get(customerId) ?? 0) + cents);
    },
  };
}

function accountForKeys({ all, rows, find }: Desk) {
  const known = new Set(all.map(({ key }) => key));
  for (const key of rows.replies.keys()) if (!known.has(key)) find(`${key} is remembered, but nobody asked for it`);
  for (const asked of all) {
    if (asked.key === undefined) continue;
    const outcome = outcomeOf(asked);
    const isRemembered = rows.replies.has(asked.key);
    if (contradicts(asked)) find(`${asked.key} got two different answers`);
    if (outcome === "refused" && isRemembered) find(`${asked.key} was refused, but is remembered as done`);
    if (outcome === "done" && !isDeepStrictEqual(rows.replies.get(asked.key), replyTo(asked)))
      find(`${asked.key} was answered, but is ${isRemembered ? "remembered otherwise" : "forgotten"}`);
  }
}

function accountForOrders({ all, rows, find, expectOnce, add }: Desk) {
  for (const one of cases(all, storefront.createOrder)) {
    const found = rows.ordersByMark.get(one.input.body.toStreet2 ?? "") ?? [];
    expectOnce("Order", one, found.length);
    for (const { customerId, priceCents } of found) add(customerId, -priceCents);
    const [row] = found;
    if (!one.reply || !row) continue;
    const { order, balance } = one.reply;
    const told = [one.input.body.discordId, order._id, cents(order.price), order.tracking, cents(balance)];
    const customer = rows.discordIds.get(row.customerId);
    const is = [customer, row.id, row.priceCents, row.tracking, rows.purchases.get(order._id)];
    if (!isDeepStrictEqual(told, is)) find(`Order ${one.key} was answered as ${told}, but is ${is}`);
  }
}

function accountForBulkOrders({ all, rows, find, expectOnce, add }: Desk) {
  for (const one of cases(all, storefront.createBulkOrder)) {
    const perPlace = one.input.body.orders.map(({ toStreet2: mark = "" }) => rows.ordersByMark.get(mark) ?? []);
    for (const found of perPlace) expectOnce("Order of the bulk order", one, found.length);
    const found = perPlace.flat();
    for (const { customerId, priceCents } of found) add(customerId, -priceCents);
    if (!one.reply) continue;
    const { bulkOrder, balance } = one.reply;
    const total = found.reduce((sum, { priceCents }) => sum + priceCents, 0);
    const told = [cents(bulkOrder.total), cents(balance), bulkOrder.orders.map(({ _id, tracking }) => [_id, tracking])];
    const is = [total, rows.purchases.get(bulkOrder._id), found.map(({ id, tracking }) => [id, tracking])];
    if (!isDeepStrictEqual(told, is)) find(`Bulk order ${one.key} was answered as ${told}, but is ${is}`);
    if (found.some(({ bulkOrderId }) => bulkOrderId !== bulkOrder._id))
      find(`${one.key} holds orders of another bulk order`);
  }
}

/** Changes that move no money, and orders that nobody asked for. */
function accountForPapers({ all, rows, find, expectOnce }: Desk) {
  for (const one of cases(all, storefront.createFedexOrder))
    expectOnce("Fedex order", one, rows.fedexMarks.get(one.input.body.specialNotes ?? "") ?? 0);
  for (const one of cases(all, storefront.createInvoice)) {
    const found = rows.invoicesByMark.get(one.input.body.hosted_url ?? "") ?? [];
    expectOnce("Invoice", one, found.length);
    if (found[0] && found[0].amountCents !== cents(one.input.body.amount))
      find(`Invoice ${one.key} has another amount`);
  }
  const singly = cases(all, storefront.createOrder).map(({ input }) => input.body.toStreet2);
  const inBulk = cases(all, storefront.createBulkOrder).flatMap(({ input }) => input.body.orders);
  const known = new Set([...singly, ...inBulk.map(({ toStreet2 }) => toStreet2)]);
  for (const mark of rows.ordersByMark.keys()) if (!known.has(mark)) find(`Nobody asked for the order ${mark}`);
}

function accountForRefunds({ all, rows, find, happened, add }: Desk) {
  const refunds = Map.groupBy(cases(all, orders.refund), ({ input }) => input.params.id);
  for (const { id, priceCents, refundedAt, customerId } of rows.orders) {
    const refunded = refundedAt !== null;
    const tries = refunds.get(id) ?? [];
    const done = tries.filter(happened).length;
    const paid = rows.refunds.get(id) ?? 0;
    if (done > 1 || paid !== done || refunded !== (done === 1))
      find(`Order ${id} was refunded ${done} times, ${paid} times with money, refunded is ${refunded}`);
    if (!refunded && tries.some(({ toldDone }) => toldDone))
      find(`Order ${id} is not refunded, though somebody was told so`);
    add(customerId, priceCents * done);
  }
}

function accountForDeposits({ all, rows, find, happened, add }: Desk) {
  const markedPaid = Map.groupBy(cases(all, invoices.markPaid), ({ input }) => input.params.id);
  const statuses = Map.groupBy(cases(all, storefront.setInvoiceStatus), ({ input }) => input.params.id);
  for (const { id, amountCents, status, customerId } of rows.invoices) {
    const byOperators = markedPaid.get(id) ?? [];
    const byShops = statuses.get(id) ?? [];
    const marked = byOperators.filter(happened).length;
    const paid = marked > 0 || byShops.some((one) => one.input.body.status === "paid" && happened(one));
    const credited = rows.deposits.get(id) ?? 0;
    if (marked > 1 || credited !== Number(paid) || (status === "paid") !== paid)
      find(`Invoice ${id} is ${status}, was ${paid ? "" : "not "}said to be paid, and credited ${credited} times`);
    if (!paid && [...byOperators, ...byShops].some(({ toldDone }) => toldDone))
      find(`Invoice ${id} is not paid, though somebody was told so`);
    if (paid) add(customerId, amountCents);
  }
}

function accountForAdjustments({ all, rows, find, happened, expectOnce, add }: Desk) {
  let made = 0;
  for (const one of cases(all, users.addBalance)) {
    const amount = cents(one.input.body.balance);
    expectOnce("Adjustment", one, rows.adjustments.get(amount) ?? 0);
    if (!happened(one)) continue;
    made++;
    add(one.input.params.id, amount);
  }
  if (made !== rows.adjustments.size) find(`${rows.adjustments.size - made} adjustments are nobody's`);
}

function accountForBalances({ rows, find, balances }: Desk) {
  for (const { id, username, balanceCents } of rows.customers)
    if (balanceCents !== (balances.get(id) ?? 0))
      find(`${username} has ${balanceCents} cents, but by all that happened it is ${balances.get(id) ?? 0}`);
}

function accountForCustomers({ all, rows: { customers }, find }: Desk) {
  const registrations = Map.groupBy(cases(all, storefront.putCustomer), ({ input }) => input.params.discordId);
  const verifications = Map.groupBy(cases(all, users.verify), ({ input }) => input.params.id);
  const found = new Set(customers.map(({ discordId }) => discordId));
  for (const [discordId, tries] of registrations)
    if (!found.has(discordId) && tries.some(({ outcome }) => outcome === "done")) find(`Customer ${discordId} is lost`);
  for (const { id, discordId, username, verifiedAt } of customers) {
    const tries = registrations.get(discordId) ?? [];
    if (!tries.some(({ input }) => input.body.username === username)) find(`Nobody named ${discordId} ${username}`);
    if (tries.some(({ reply }) => reply && reply.customer._id !== id)) find(`Customer ${discordId} is another one now`);
    const asked = verifications.get(id) ?? [];
    const known = asked.some(({ outcome, toldDone }) => outcome === "done" || toldDone);
    if (verifiedAt ? asked.length === 0 : known) find(`Customer ${discordId} is ${verifiedAt ? "" : "not "}verified`);
  }
}

function accountForPrices({ all, rows: { tiers, orders: sold }, find }: Desk) {
  type Change = { outcome: string; cents: number };
  const changes = new Map<string, Change[]>();
  const prices = new Map<string, Set<number>>();
  for (const { input, outcome } of [...cases(all, labelTypes.addTier), ...cases(all, labelTypes.updateTier)]) {
    const { params, body } = input;
    const tier = `${params.id} ${body.fromWeight}`;
    const price = cents(body.price);
    changes.set(tier, [...(changes.get(tier) ?? []), { outcome, cents: price }]);
    prices.set(params.id, (prices.get(params.id) ?? new Set()).add(price));
  }
  for (const { labelTypeId, fromWeight, priceCents } of tiers) {
    const made = changes.get(`${labelTypeId} ${fromWeight}`) ?? [];
    const last = made.findLast(({ outcome }) => outcome === "done");
    const possible = made.filter((change) => change === last || change.outcome === "unknown");
    if (!possible.some((change) => change.cents === priceCents))
      find(`A price is ${priceCents} cents, which is not the last one`);
  }
  for (const { id, labelTypeId, priceCents } of sold)
    if (!prices.get(labelTypeId)?.has(priceCents))
      find(`Order ${id} was sold for ${priceCents} cents, which nobody asked for`);
}

function accountForCodes({ all, rows: { codes }, find }: Desk) {
  let expected = 0;
  for (const { input, outcome, toldDone, repeated } of cases(all, tracking.create)) {
    const { trackRef, amount } = input.body;
    const first = BigInt(trackRef.slice(1, 21));
    let found = 0;
    for (let place = 0; place < amount; place++) if (codes.has(trackingCode(first + BigInt(place)))) found++;
    // Registered by a try whose answer was lost, so that the next one found the codes there.
    const registered = outcome === "done" || (toldDone && repeated);
    const right = registered ? found === amount : found === 0 || (outcome === "unknown" && found === amount);
    if (!right) find(`Of ${amount} codes from ${trackRef} (${outcome}) there are ${found}`);
    expected += found;
  }
  if (codes.size !== expected) find(`${codes.size - expected} codes are nobody's`);
}

const cents = (dollars: number) => Math.round(dollars * 100);

/** Each pair that is counted here is written in one transaction: a difference means a half-done change. */
const halves = `
  select 'keys without an answer' as what, count(*)::int as is, 0 as should
    from idempotent_replies where reply is null
  union all select 'codes used by none or several orders', count(*)::int, 0 from (
    select code from tracking_codes left join orders on orders.tracking = code
    group by code, used_at having count(orders.id) <> (used_at is not null)::int) wrong
  union all select 'orders without a code', count(*)::int, 0 from orders
    join label_types on label_types.id = label_type_id and kind = 'usps'
    where tracking not in (select code from tracking_codes)
  union all select 'bulk orders without orders', count(*)::int, 0 from bulk_orders
    where not exists (select from orders where bulk_order_id = bulk_orders.id)
  union all select 'log of orders', (select count(*)::int from logs where action like 'Sold order %'),
    count(*)::int from orders where bulk_order_id is null
  union all select 'log of bulk orders', (select count(*)::int from logs where action like 'Sold bulk order %'),
    count(*)::int from bulk_orders
  union all select 'log of Fedex orders', (select count(*)::int from logs where action like 'Added Fedex order %'),
    count(*)::int from fedex_orders
  union all select 'log of refunds', (select count(*)::int from logs where type = 'refund'),
    count(*)::int from orders where refunded_at is not null
  union all select 'log of invoices', (select count(*)::int from logs where action like 'Opened invoice %'),
    count(*)::int from invoices
  union all select 'log of deposits', (select count(*)::int from logs where action like 'Marked invoice %'),
    count(*)::int from invoices where status = 'paid'
  union all select 'log of adjustments',
    (select count(*)::int from logs where type = 'balance' and action not like 'Sold %'),
    count(*)::int from transfers where kind = 'adjustment'
  union all select 'log of customers', (select count(*)::int from logs where action like 'Added customer %'),
    count(*)::int from customers
  union all select 'log of verifications', (select count(*)::int from logs where action like 'Verified customer %'),
    count(*)::int from customers where verified_at is not null`;

async function readRows(db: Database) {
  const customers = await db.select().from(schema.customers);
  const sold = await db.select().from(schema.orders).orderBy(schema.orders.id);
  const opened = await db.select().from(schema.invoices);
  const moved = Map.groupBy(await db.select().from(schema.transfers), ({ kind }) => kind);
  const fedexOrders = await db.select().from(schema.fedexOrders);
  const codes = await db.select().from(schema.trackingCodes);
  const replies = await db.select().from(schema.idempotentReplies);
  const { rows: differences } = await db.execute<{ what: string; is: number; should: number }>(halves);
  return {
    customers,
    discordIds: new Map(customers.map(({ id, discordId }) => [id, discordId])),
    orders: sold,
    ordersByMark: Map.groupBy(sold, ({ toStreet2 }) => toStreet2),
    invoices: opened,
    invoicesByMark: Map.groupBy(opened, ({ hostedUrl }) => hostedUrl),
    /** Transfers of a kind, by what they were for. */
    refunds: counted(moved.get("refund") ?? [], ({ reference }) => reference),
    deposits: counted(moved.get("deposit") ?? [], ({ reference }) => reference),
    /** The balance after each purchase, by what was bought. */
    purchases: new Map(moved.get("purchase")?.map((row) => [row.reference, row.balanceAfterCents])),
    adjustments: counted(moved.get("adjustment") ?? [], ({ amountCents }) => amountCents),
    fedexMarks: counted(fedexOrders, ({ specialNotes }) => specialNotes),
    codes: new Set(codes.map(({ code }) => code)),
    tiers: await db.select().from(schema.priceTiers),
    replies: new Map(replies.map(({ key, reply }) => [key, reply])),
    differences,
  };
}

function counted<T, K>(list: T[], by: (item: T) => K): Map<K, number> {
  const counts = new Map<K, number>();
  for (const item of list) counts.set(by(item), (counts.get(by(item)) ?? 0) + 1);
  return counts;
}
