import type { About, LogEntry } from "../accounts/audit.ts";
import type { fedexOrders, invoices, labelTypes, trackingCodes } from "../db/schema.ts";
import { dollars } from "./ledger.ts";
import { describeTier, loggedTier } from "./prices/tiers.ts";

// The log's sentences about the trade. Features write them, and the made-up business uses them for its past.

type Order = { id: string; uuid: string; priceCents: number };
type Invoice = Pick<typeof invoices.$inferSelect, "id" | "customerId" | "amountCents" | "status">;
type FedexOrder = Pick<
  typeof fedexOrders.$inferSelect,
  "id" | "customerId" | "uuid" | "status" | "note" | "priceCents"
>;
type Definition = Pick<typeof labelTypes.$inferSelect, "id" | "name" | "uid" | "maxWeight" | "kind" | "codes">;
type Tier = { id: string; fromWeight: number; toWeight: number; priceCents: number };
type Customer = { id: string; username: string };
/** A customer whose balance has just changed. */
type Payee = Customer & { balanceCents: number };

const customer = ({ id }: { id: string }): About => ({ kind: "customer", id });
const invoice = ({ id, customerId }: Pick<Invoice, "id" | "customerId">): About => ({
  kind: "invoice",
  id,
  customerId,
});
const labelType = ({ id }: { id: string }): About => ({ kind: "label type", id });

const switched = (isOn: boolean) => (isOn ? "Enabled" : "Disabled");
const balances = ({ balanceCents }: Payee, cents: number) => ({
  before: { balance: (balanceCents - cents) / 100 },
  after: { balance: balanceCents / 100 },
});

export const addedCustomer = (added: Customer & { email: string }): LogEntry => [
  "user",
  `Added customer ${added.username}`,
  { after: { username: added.username, email: added.email }, about: customer(added) },
];

export const verifiedCustomer = (verified: Customer): LogEntry => [
  "user",
  `Verified customer ${verified.username}`,
  { before: { isVerified: false }, after: { isVerified: true }, about: customer(verified) },
];

export const switchedCustomer = (of: Customer, active: boolean): LogEntry => [
  "user",
  `${switched(active)} customer ${of.username}`,
  { before: { status: !active }, after: { status: active }, about: customer(of) },
];

export const switchedCustomPricing = (of: Customer, enabled: boolean): LogEntry => [
  "pricing",
  `${switched(enabled)} custom pricing for ${of.username}`,
  { before: { customPricingEnabled: !enabled }, after: { customPricingEnabled: enabled }, about: customer(of) },
];

export const addedCustomPrice = (of: Customer, type: { name: string }, tier: Tier): LogEntry => [
  "pricing",
  `Added a custom price for ${of.username}: ${type.name}, ${describeTier(type, tier)}`,
  {
    after: { labelType: type.name, ...loggedTier(tier) },
    about: { kind: "custom price", id: tier.id, customerId: of.id },
  },
];

export const createdLabelType = (created: Definition): LogEntry => [
  "label",
  `Created label type ${created.name}`,
  { after: loggedDefinition(created), about: labelType(created) },
];

export const loggedDefinition = ({ name, uid, maxWeight, kind, codes }: Omit<Definition, "id">) => ({
  name,
  uid,
  maxWeight,
  type: kind,
  codes,
});

export const switchedLabelType = (of: { id: string; name: string }, active: boolean): LogEntry => [
  "label",
  `${switched(active)} label type ${of.name}`,
  { before: { status: !active }, after: { status: active }, about: labelType(of) },
];

export const addedPrice = (type: { name: string }, tier: Tier): LogEntry => [
  "pricing",
  `Added a price for ${type.name}: ${describeTier(type, tier)}`,
  { after: loggedTier(tier), about: { kind: "price", id: tier.id } },
];

type Codes = Pick<typeof trackingCodes.$inferSelect, "type" | "template"> & {
  amount: number;
  first: string;
  last: string;
  batchId: string;
  /** Where the payment came from. */
  note?: string;
  file?: string;
};

export function registeredCodes({ amount, type, template, first, last, batchId, note, file }: Codes): LogEntry {
  const many = amount.toLocaleString("en-US");
  const codes = amount === 1 ? `${type} code ${first}` : `${many} ${type} codes from ${first} to ${last}`;
  return [
    "tracking",
    `Registered ${codes}`,
    { after: { amount, type, template, first, last, note, file }, about: { kind: "tracking codes", id: batchId } },
  ];
}

export const soldOrder = ({ id, uuid, priceCents }: Order, payer: Payee): LogEntry => [
  "balance",
  `Sold order ${uuid} (${dollars(priceCents)}) to ${payer.username}`,
  { ...balances(payer, -priceCents), about: { kind: "order", id, customerId: payer.id } },
];

type BulkOrder = { id: string; uuid: string };

export const soldBulkOrder = ({ id, uuid }: BulkOrder, size: number, cents: number, payer: Payee): LogEntry => [
  "balance",
  `Sold bulk order ${uuid} of ${size} (${dollars(cents)}) to ${payer.username}`,
  { ...balances(payer, -cents), about: { kind: "bulk order", id, customerId: payer.id } },
];

export function refundedOrder({ id, uuid, priceCents }: Order, payee: Payee): LogEntry {
  const { before, after } = balances(payee, priceCents);
  return [
    "refund",
    `Refunded order ${uuid} (${dollars(priceCents)}) to ${payee.username}`,
    {
      before: { isRefunded: false, ...before },
      after: { isRefunded: true, ...after },
      about: { kind: "order", id, customerId: payee.id },
    },
  ];
}

type Opened = Invoice & Pick<typeof invoices.$inferSelect, "paymentMethod">;

export const openedInvoice = (opened: Opened, username: string): LogEntry => [
  "invoice",
  `Opened invoice ${opened.id} (${dollars(opened.amountCents)}) for ${username}`,
  {
    after: { status: opened.status, amount: opened.amountCents / 100, payment_method: opened.paymentMethod },
    about: invoice(opened),
  },
];

/** Takes the invoice as it was before. */
export function paidInvoice(was: Invoice, payee: Payee): LogEntry {
  const { before, after } = balances(payee, was.amountCents);
  return [
    "invoice",
    `Marked invoice ${was.id} (${dollars(was.amountCents)}) of ${payee.username} as paid`,
    {
      before: { status: was.status, ...before },
      after: { status: "paid", ...after },
      about: invoice(was),
    },
  ];
}

export const setInvoice = (was: Omit<Invoice, "amountCents">, wanted: Invoice["status"]): LogEntry => [
  "invoice",
  `Set invoice ${was.id} to ${wanted}`,
  { before: { status: was.status }, after: { status: wanted }, about: invoice(was) },
];

const fedexOrder = ({ id, customerId }: Pick<FedexOrder, "id" | "customerId">): About => ({
  kind: "fedex order",
  id,
  customerId,
});

type Added = Pick<FedexOrder, "id" | "customerId" | "uuid">;

export const addedFedexOrder = (added: Added, username: string, parcel: object): LogEntry => [
  "fedex",
  `Added Fedex order ${added.uuid} of ${username}`,
  { after: { status: "Pending", ...parcel }, about: fedexOrder(added) },
];

type Claimed = Pick<typeof fedexOrders.$inferSelect, "claimedName" | "status">;

export const claimedFedexOrder = (before: FedexOrder & Claimed, after: Claimed, again: boolean): LogEntry => [
  "fedex",
  again ? `Prolonged the claim on Fedex order ${before.uuid}` : `Claimed Fedex order ${before.uuid}`,
  {
    before: { status: before.status, claimedBy: again ? before.claimedName : null },
    after: { status: after.status, claimedBy: after.claimedName },
    about: fedexOrder(before),
  },
];

export const unclaimedFedexOrder = (
  before: FedexOrder & Claimed,
  after: Pick<Claimed, "status">,
  how: "released" | "expired",
): LogEntry => [
  "fedex",
  how === "released"
    ? `Released Fedex order ${before.uuid}`
    : `The claim of ${before.claimedName} on Fedex order ${before.uuid} ended`,
  {
    before: { status: before.status, claimedBy: before.claimedName },
    after: { status: after.status, claimedBy: null },
    about: fedexOrder(before),
  },
];

type Quoted = Added & { priceCents: number };

export function chargedFedexOrder(order: Quoted, payer: Payee): LogEntry {
  const { before, after } = balances(payer, -order.priceCents);
  return [
    "balance",
    `Charged Fedex order ${order.uuid} (${dollars(order.priceCents)}) to ${payer.username}`,
    {
      before: { charged: null, ...before },
      after: { charged: order.priceCents / 100, ...after },
      about: fedexOrder(order),
    },
  ];
}

export function reversedFedexCharge(order: Quoted, payee: Payee): LogEntry {
  const { before, after } = balances(payee, order.priceCents);
  return [
    "balance",
    `Reversed the charge of Fedex order ${order.uuid} (${dollars(order.priceCents)}) to ${payee.username}`,
    {
      before: { charged: order.priceCents / 100, ...before },
      after: { charged: null, ...after },
      about: fedexOrder(order),
    },
  ];
}

/** Undefined if nothing has changed. Two files may have the same name, so a new file is always a change. */
export function updatedFedexOrder(
  before: FedexOrder & { chargedAt?: Date | null },
  after: Pick<FedexOrder, "status" | "note" | "priceCents">,
  file?: { from: string | null; to: string | null },
): LogEntry | undefined {
  const changes = [
    { field: "status", from: before.status, to: after.status, words: `${before.status} to ${after.status}` },
    { field: "note", from: before.note, to: after.note, words: "changed" },
    {
      field: "price",
      from: inDollars(before.priceCents),
      to: inDollars(after.priceCents),
      words: `${quote(before.priceCents)} to ${quote(after.priceCents)}`,
    },
  ].filter(({ from, to }) => from !== to);
  const all = file ? [...changes, { field: "file", ...file, words: file.to ?? "removed" }] : changes;
  if (all.length === 0) return undefined;
  const words = all.map(({ field, words }) => `${field} ${words}`).join(", ");
  const isKept = before.chargedAt && after.status === "Cancelled" && before.status !== "Cancelled";
  return [
    "fedex",
    `Updated Fedex order ${before.uuid}: ${words}${isKept ? ", still charged" : ""}`,
    {
      before: Object.fromEntries(all.map(({ field, from }) => [field, from])),
      after: Object.fromEntries(all.map(({ field, to }) => [field, to])),
      about: fedexOrder(before),
    },
  ];
}

const inDollars = (cents: number | null) => (cents === null ? null : cents / 100);
const quote = (cents: number | null) => (cents === null ? "none" : dollars(cents));
