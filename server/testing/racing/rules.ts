import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import type { Log } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { dollars } from "../../money/ledger.ts";
import { withCheckDigit } from "../../money/tracking-codes.ts";
import { inCents, type Moved, type State, type Tier } from "./state.ts";

export type Asked = { as: string; call: Endpoint; input: unknown; key: string | undefined };
export type Answer = { status: number; body: { message: string } };

/** What a call reads first and acts upon later, while others may act in between. */
export type Found = { status?: number; prices?: number[] };

/** A possible next step of a call: the new state, and what the call has read if it is not done. */
export type Move = { state: State; found?: Found };

type Situation<E extends Endpoint> = {
  /** A copy that may be changed. */
  state: State;
  as: string;
  input: Input<E>;
  status: number;
  body: Reply<E> & { message: string };
  found: Found | undefined;
  /** Codes of a type that buyers of this round held for a moment without buying. */
  heldCodes: (type: string) => number;
};

/** The ways in which a call in this state can have led to its answer; none if it cannot. */
type Rule = (situation: Situation<Endpoint>) => Move[];

const rule = <E extends Endpoint>(call: E, apply: (situation: Situation<E>) => Move[]): [Endpoint, Rule] => [
  call,
  apply as unknown as Rule,
];

/** What each call does, one after another: the whole product in miniature. */
export const rules = new Map<Endpoint, Rule>([
  rule(users.addBalance, ({ state, input, status, body }) => {
    const [discordId] = Object.entries(state.customers).find(([, { id }]) => id === input.params.id) ?? [""];
    const cents = inCents(input.body.balance);
    if (!move(state, { customer: discordId, kind: "adjustment", cents })) return when(status === 402, state);
    const { balance } = customerCalled(state, discordId);
    return done(state, "balance", status === 200 && body.message.endsWith(`which is now ${dollars(balance)}`));
  }),
  rule(transfers.reverse, ({ state, input, status, body }) => {
    const transfer = state.transfers.find(({ id }) => id === input.params.id);
    if (!transfer) return when(status === 404, state);
    const { customer, kind, cents, invoice } = transfer;
    if (transfer.reversed || kind === "refund" || kind === "reversal") return when(status === 409, state);
    if (!move(state, { customer, kind: "reversal", cents: -cents })) return when(status === 402, state);
    transfer.reversed = true;
    if (invoice) present(state.invoices[invoice]).status = "reversed";
    const { balance } = customerCalled(state, customer);
    const isTold = body.message.endsWith(`whose balance is now ${dollars(balance)}`);
    return done(state, kind === "deposit" ? "invoice" : "balance", status === 200 && isTold);
  }),
  rule(users.verify, ({ state, input, status }) => {
    const customer = customerWith(state, input.params.id);
    if (customer.verified) return when(status === 409, state);
    customer.verified = true;
    return done(state, "user", status === 200);
  }),
  rule(users.setStatus, ({ state, input, status, body }) => {
    const customer = customerWith(state, input.params.id);
    const wanted = input.body?.status ?? !customer.active;
    const already = wanted === customer.active ? "already " : "";
    customer.active = wanted;
    if (!already) logged(state, "user");
    return when(status === 200 && body.message.endsWith(` is ${already}${wanted ? "enabled" : "disabled"}`), state);
  }),
  rule(users.setCustomPricing, ({ state, input, status, body }) => {
    const customer = customerWith(state, input.params.id);
    const wanted = input.body?.customPricingEnabled ?? !customer.customPricing;
    const already = wanted === customer.customPricing ? "already " : "";
    customer.customPricing = wanted;
    if (!already) logged(state, "pricing");
    return when(status === 200 && body.message.includes(` is ${already}${wanted ? "enabled" : "disabled"}`), state);
  }),
  rule(users.addCustomPrice, ({ state, input, status }) => {
    const { prices } = customerWith(state, input.params.id);
    const [labelType] = Object.entries(state.labelTypes).find(([, { id }]) => id === input.body.labelType) ?? [""];
    const tier = { labelType, ...tierOf(input.body) };
    if (prices.some((other) => other.labelType === labelType && overlap(other, tier)))
      return when(status === 409, state);
    prices.push(tier);
    return done(state, "pricing", status === 200);
  }),
  rule(users.deleteCustomPrice, ({ state, input: { params, body }, status }) => {
    const customer = customerWith(state, params.id);
    // Prices added in this round come after the others, in an unknown order.
    const known = customer.prices.filter(({ id }) => id !== undefined);
    const there = known[body.index];
    if (body._id && there?.id !== body._id) return when(status === 409, state);
    const removable = there ? [there] : body.index < customer.prices.length ? customer.prices.slice(known.length) : [];
    if (removable.length === 0) return when(status === 404, state);
    if (status !== 200) return [];
    return removable.map((price) => {
      const after = structuredClone(state);
      customerWith(after, params.id).prices.splice(customer.prices.indexOf(price), 1);
      logged(after, "pricing");
      return { state: after };
    });
  }),
  rule(orders.refund, ({ state, input, status }) => {
    const order = state.orders[input.params.id];
    if (!order) return when(status === 404, state);
    if (order.refunded) return when(status === 409, state);
    order.refunded = true;
    move(state, { customer: order.customer, kind: "refund", cents: order.cents });
    return done(state, "refund", status === 200);
  }),
  rule(invoices.markPaid, ({ state, input, status }) => {
    const invoice = state.invoices[input.params.id];
    if (!invoice) return when(status === 404, state);
    if (invoice.status === "paid") return when(status === 409, state);
    pay(state, input.params.id);
    return when(status === 200, state);
  }),
  rule(storefront.setInvoiceStatus, ({ state, input, status, body, found }) => {
    const invoice = state.invoices[input.params.id];
    if (!invoice) return when(status === 404, state);
    // The balance is read once the invoice is settled.
    const told = () => inCents(body.balance) === customerCalled(state, invoice.customer).balance;
    if (found) return when(told(), state);
    const wanted = input.body.status;
    if (invoice.status === wanted) return status === 200 ? [{ state, found: {} }] : [];
    if (["paid", "reversed"].includes(invoice.status)) return when(status === 409, state);
    if (wanted === "paid") {
      pay(state, input.params.id);
      return when(status === 200 && told(), state);
    }
    invoice.status = wanted;
    logged(state, "invoice");
    return status === 200 ? [{ state, found: {} }] : [];
  }),
  rule(storefront.createInvoice, ({ state, input: { body: sent }, status, body }) => {
    if (status !== 201 || state.invoices[body.invoice._id]) return [];
    const { discordId: customer, payment_method: method, amount } = sent;
    state.invoices[body.invoice._id] = { customer, cents: inCents(amount), method, status: "pending" };
    return done(state, "invoice", body.invoice.status === "pending");
  }),
  rule(storefront.createOrder, ({ input: { body: sent }, body, ...situation }) =>
    purchase(situation, sent.discordId, [sent], () => ({ ...body, orders: [body.order], total: body.order.price })),
  ),
  rule(storefront.createBulkOrder, ({ input: { body: sent }, body, ...situation }) =>
    purchase(situation, sent.discordId, sent.orders, () => {
      const { _id, orders, total } = body.bulkOrder;
      situation.state.bulkOrders[_id] = orders.map((order) => order._id);
      return { ...body, orders, total };
    }),
  ),
  rule(storefront.createFedexOrder, ({ state, input: { body: sent }, status, body }) => {
    const { active, verified } = customerCalled(state, sent.discordId);
    if (!active || !verified) return when(status === 403, state);
    if (status !== 201 || state.fedexOrders[body.order._id]) return [];
    state.fedexOrders[body.order._id] = newFedexOrder(sent.discordId);
    logged(state, "fedex");
    return [{ state }];
  }),
  rule(storefront.putCustomer, ({ state, input: { params, body: sent }, status, body }) => {
    const { customer } = body;
    const known = state.customers[params.discordId];
    const isSame = known?.username === sent.username;
    const after = known ?? {
      id: customer?._id,
      balance: 0,
      active: true,
      verified: false,
      customPricing: false,
      prices: [],
    };
    state.customers[params.discordId] = { ...after, username: sent.username };
    if (!isSame) logged(state, "user");
    const told = {
      id: customer?._id,
      balance: inCents(customer?.balance),
      active: customer?.status,
      verified: customer?.isVerified,
    };
    const isRight = Object.entries(told).every(([name, value]) => after[name as keyof typeof told] === value);
    return when(status === 200 && isRight, state);
  }),
  rule(fedex.update, ({ state, input: { params, body: sent = {} }, status }) => {
    const order = state.fedexOrders[params.id];
    if (!order) return when(status === 404, state);
    const cents = typeof sent.price === "number" ? inCents(sent.price) : order.cents;
    if (order.charged && cents !== order.cents) return when(status === 409, state);
    const before = JSON.stringify(order);
    if (sent.status && sent.status !== order.status) Object.assign(order, { status: sent.status, claimedBy: null });
    if (sent.note !== undefined) order.note = sent.note;
    order.cents = cents;
    if (JSON.stringify(order) !== before) logged(state, "fedex");
    return when(status === 200, state);
  }),
  rule(fedex.claim, ({ state, as, input, status }) => {
    const order = state.fedexOrders[input.params.id];
    if (!order) return when(status === 404, state);
    const isDone = order.status === "Completed" || order.status === "Cancelled";
    if (isDone || (order.claimedBy && order.claimedBy !== as)) return when(status === 409, state);
    if (order.status === "Pending") order.status = "In Process";
    order.claimedBy = as;
    return done(state, "fedex", status === 200);
  }),
  rule(fedex.release, ({ state, as, input, status }) => {
    const order = state.fedexOrders[input.params.id];
    if (!order) return when(status === 404, state);
    if (!order.claimedBy || (order.claimedBy !== as && as !== "admin")) return when(status === 409, state);
    if (order.status === "In Process") order.status = "Pending";
    order.claimedBy = null;
    return done(state, "fedex", status === 200);
  }),
  rule(fedex.charge, ({ state, input, status }) => {
    const order = state.fedexOrders[input.params.id];
    if (!order) return when(status === 404, state);
    if (order.charged || order.status === "Cancelled" || !order.cents) return when(status === 409, state);
    const customer = customerCalled(state, order.customer);
    if (customer.balance < order.cents) return when(status === 402, state);
    customer.balance -= order.cents;
    order.charged = true;
    return done(state, "balance", status === 200);
  }),
  rule(labelTypes.setStatus, ({ state, input, status, body }) => {
    const labelType = labelTypeWith(state, input.params.id);
    const wanted = input.body?.status ?? !labelType.active;
    const already = wanted === labelType.active ? "already " : "";
    labelType.active = wanted;
    if (!already) logged(state, "label");
    return when(status === 200 && body.message.endsWith(` is ${already}${wanted ? "enabled" : "disabled"}`), state);
  }),
  rule(labelTypes.addTier, ({ state, input, status }) => {
    const { tiers } = labelTypeWith(state, input.params.id);
    const tier = tierOf(input.body);
    if (tiers.some((other) => overlap(other, tier))) return when(status === 409, state);
    tiers.push(tier);
    return done(state, "pricing", status === 200);
  }),
  rule(labelTypes.updateTier, ({ state, input, status }) => {
    const { tiers } = labelTypeWith(state, input.params.id);
    const before = tiers.find(({ id }) => id === input.body.price_id);
    if (!before) return when(status === 404, state);
    const tier = tierOf(input.body);
    if (tiers.some((other) => other !== before && overlap(other, tier))) return when(status === 409, state);
    Object.assign(before, tier);
    return done(state, "pricing", status === 200);
  }),
  rule(labelTypes.deleteTier, ({ state, input: { params, body }, status }) => {
    const { tiers } = labelTypeWith(state, params.id);
    const place = tiers.findIndex((tier) => tier.fromWeight === body.fromWeight && tier.toWeight === body.toWeight);
    if (place === -1) return when(status === 404, state);
    tiers.splice(place, 1);
    return done(state, "pricing", status === 200);
  }),
  rule(tracking.create, ({ state, input: { body: sent }, status }) => {
    const codes = Array.from({ length: sent.amount }, (_, place) =>
      withCheckDigit(String(BigInt(sent.trackRef.slice(0, 21)) + BigInt(place))),
    );
    const sold = Object.values(state.orders).map(({ tracking }) => tracking);
    if (codes.some((code) => state.codes[code] || sold.includes(code))) return when(status === 409, state);
    for (const code of codes) state.codes[code] = { type: sent.type, used: false };
    return done(state, "tracking", status === 200);
  }),
  rule(tracking.delete, ({ state, input, status }) => {
    const [code] = Object.entries(state.codes).find(([, { id }]) => id === input.params.id) ?? [];
    if (!code) return when(status === 404, state);
    delete state.codes[code];
    return done(state, "tracking", status === 200);
  }),
  rule(staff.create, ({ state, input: { body: sent }, status }) => {
    if (state.staff[sent.username]) return when(status === 409, state);
    state.staff[sent.username] = {};
    return done(state, "staff", status === 200);
  }),
  rule(staff.delete, ({ state, input, status }) => {
    const [username] = Object.entries(state.staff).find(([, { id }]) => id === input.params.id) ?? [];
    if (!username) return when(status === 404, state);
    delete state.staff[username];
    return done(state, "staff", status === 200);
  }),
]);

export const newFedexOrder = (customer: string) => ({
  ...{ customer, cents: null, status: "Pending", note: "" },
  charged: false,
  claimedBy: null,
});

const when = (isPossible: boolean, state: State): Move[] => (isPossible ? [{ state }] : []);

/** Every change is in the log, and the answer has to say so. */
function done(state: State, type: Log["type"], isRight: boolean): Move[] {
  logged(state, type);
  return when(isRight, state);
}

function logged(state: State, type: Log["type"]) {
  state.logs[type] = (state.logs[type] ?? 0) + 1;
}

const present = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error("a request names what is there");
  return value;
};
const customerCalled = (state: State, discordId: string) => present(state.customers[discordId]);
const customerWith = (state: State, id: string) => present(Object.values(state.customers).find((one) => one.id === id));
const labelTypeWith = (state: State, id: string) =>
  present(Object.values(state.labelTypes).find((one) => one.id === id));

const tierOf = ({ fromWeight, toWeight, price }: { fromWeight: number; toWeight: number; price: number }): Tier => ({
  fromWeight,
  toWeight,
  cents: inCents(price),
});
const overlap = (a: Tier, b: Tier) => a.fromWeight < b.toWeight && b.fromWeight < a.toWeight;

/** Returns false, and moves nothing, if the balance is too small. */
function move(state: State, moved: Omit<Moved, "id" | "reversed">): boolean {
  const customer = customerCalled(state, moved.customer);
  if (customer.balance + moved.cents < 0) return false;
  customer.balance += moved.cents;
  // Sorted, so that equal states compare as equal.
  state.transfers = [...state.transfers, { ...moved, reversed: false }].sort((a, b) =>
    nameOf(a) < nameOf(b) ? -1 : 1,
  );
  return true;
}

const nameOf = ({ id, customer, kind, cents, invoice }: Moved) => JSON.stringify([id, customer, kind, cents, invoice]);

function pay(state: State, id: string) {
  const invoice = present(state.invoices[id]);
  invoice.status = "paid";
  move(state, { customer: invoice.customer, kind: "deposit", cents: invoice.cents, invoice: id });
  logged(state, "invoice");
}

type Parcel = { labelType: string; weight: number };

/** The prices of parcels at this moment, or the refusal of the purchase. */
function pricesOf(state: State, discordId: string, parcels: Parcel[]): Found {
  const customer = customerCalled(state, discordId);
  const prices = parcels.map(({ labelType: uid, weight }) => {
    const { active, tiers } = present(state.labelTypes[uid]);
    const fits = (tier: Tier) => tier.fromWeight < weight && weight <= tier.toWeight;
    const own = customer.prices.find((price) => customer.customPricing && price.labelType === uid && fits(price));
    return active ? (own ?? tiers.find(fits))?.cents : undefined;
  });
  if (prices.includes(undefined)) return { status: 400 };
  if (!customer.active || !customer.verified) return { status: 403 };
  return { prices: prices as number[] };
}

/** Every status with which the purchase can be refused at this moment. */
function refusedPurchase(
  state: State,
  discordId: string,
  parcels: Parcel[],
  cents: number,
  heldCodes: (type: string) => number,
): number[] {
  if (customerCalled(state, discordId).balance < cents) return [402];
  const wanted = Map.groupBy(parcels, ({ labelType }) => labelType);
  const isShort = [...wanted].some(([type, { length }]) => {
    const left = Object.values(state.codes).filter((code) => code.type === type && !code.used).length;
    return state.labelTypes[type]?.usesCodes && left - heldCodes(type) < length;
  });
  return isShort ? [409] : [];
}

type Sold = { _id: string; price: number; tracking: string };
type Bought = { orders: Sold[]; total: number; balance: number };

/** A purchase reads its prices first, and pays later. The orders are checked after that. */
function purchase(
  { state, status, found, heldCodes }: Omit<Situation<Endpoint>, "input" | "body">,
  discordId: string,
  parcels: Parcel[],
  answered: () => Bought,
): Move[] {
  if (!found) return [{ state, found: pricesOf(state, discordId, parcels) }];
  if (!found.prices) return when(status === found.status, state);
  const cents = found.prices.reduce((sum, price) => sum + price, 0);
  const refused = refusedPurchase(state, discordId, parcels, cents, heldCodes);
  if (refused.includes(status)) return [{ state }];
  if (status !== 201 || refused.includes(402)) return [];
  const { orders, total, balance } = answered();
  const isPossible = orders.every((order, place) => sell(state, discordId, parcels[place]?.labelType ?? "", order));
  const prices = orders.map(({ price }) => inCents(price));
  const isRight = String(prices) === String(found.prices) && inCents(total) === cents;
  const balanceIsRight = inCents(balance) === customerCalled(state, discordId).balance;
  return done(state, "balance", isPossible && isRight && balanceIsRight);
}

/** False if this cannot have been sold: the order exists already, or the code is used or of another type. */
function sell(state: State, discordId: string, uid: string, { _id, price, tracking }: Sold): boolean {
  const { name, usesCodes } = present(state.labelTypes[uid]);
  const code = state.codes[tracking];
  if (state.orders[_id] || (usesCodes && (code?.used !== false || code.type !== uid))) return false;
  state.orders[_id] = { customer: discordId, labelType: name, cents: inCents(price), tracking, refunded: false };
  if (code) code.used = true;
  customerCalled(state, discordId).balance -= inCents(price);
  return true;
}
