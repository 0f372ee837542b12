import type { LogEntry } from "../accounts/audit.ts";
import type { fedexOrders, invoices, labelTypes, trackingCodes } from "../db/schema.ts";
import { dollars } from "./ledger.ts";
import { describeTier, loggedTier } from "./tiers.ts";

// What the log says about the trade: features write it, and the made-up business tells its past in the same words.

type Order = { uuid: string; priceCents: number };
type Invoice = Pick<typeof invoices.$inferSelect, "id" | "amountCents" | "status">;
type FedexOrder = Pick<typeof fedexOrders.$inferSelect, "uuid" | "status" | "note" | "priceCents">;
type Definition = Pick<typeof labelTypes.$inferSelect, "name" | "uid" | "maxWeight" | "kind">;
type Tier = { fromWeight: number; toWeight: number; priceCents: number };
/** A customer whose balance has just changed to this. */
type Payee = { username: string; balanceCents: number };

const switched = (isOn: boolean) => (isOn ? "Enabled" : "Disabled");
const balances = ({ balanceCents }: Payee, cents: number) => ({
  before: { balance: (balanceCents - cents) / 100 },
  after: { balance: balanceCents / 100 },
});

export const addedCustomer = ({ username, email }: { username: string; email: string }): LogEntry => [
  "user",
  `Added customer ${username}`,
  { after: { username, email } },
];

export const verifiedCustomer = (username: string): LogEntry => [
  "user",
  `Verified customer ${username}`,
  { before: { isVerified: false }, after: { isVerified: true } },
];

export const switchedCustomer = (username: string, active: boolean): LogEntry => [
  "user",
  `${switched(active)} customer ${username}`,
  { before: { status: !active }, after: { status: active } },
];

export const switchedCustomPricing = (username: string, enabled: boolean): LogEntry => [
  "pricing",
  `${switched(enabled)} custom pricing for ${username}`,
  { before: { customPricingEnabled: !enabled }, after: { customPricingEnabled: enabled } },
];

export const addedCustomPrice = (username: string, labelType: { name: string }, tier: Tier): LogEntry => [
  "pricing",
  `Added a custom price for ${username}: ${labelType.name}, ${describeTier(labelType, tier)}`,
  { after: { labelType: labelType.name, ...loggedTier(tier) } },
];

export const createdLabelType = (labelType: Definition): LogEntry => [
  "label",
  `Created label type ${labelType.name}`,
  { after: loggedDefinition(labelType) },
];

export const loggedDefinition = ({ name, uid, maxWeight, kind }: Definition) => ({ name, uid, maxWeight, type: kind });

export const switchedLabelType = (name: string, active: boolean): LogEntry => [
  "label",
  `${switched(active)} label type ${name}`,
  { before: { status: !active }, after: { status: active } },
];

export const addedPrice = (labelType: { name: string }, tier: Tier): LogEntry => [
  "pricing",
  `Added a price for ${labelType.name}: ${describeTier(labelType, tier)}`,
  { after: loggedTier(tier) },
];

type Codes = Pick<typeof trackingCodes.$inferSelect, "type" | "template"> & {
  amount: number;
  first: string;
  last: string;
};

export function registeredCodes({ amount, type, template, first, last }: Codes): LogEntry {
  const many = amount.toLocaleString("en-US");
  const codes = amount === 1 ? `${type} code ${first}` : `${many} ${type} codes from ${first} to ${last}`;
  return ["tracking", `Registered ${codes}`, { after: { amount, type, template, first, last } }];
}

export const soldOrder = ({ uuid, priceCents }: Order, customer: Payee): LogEntry => [
  "balance",
  `Sold order ${uuid} (${dollars(priceCents)}) to ${customer.username}`,
  balances(customer, -priceCents),
];

export const soldBulkOrder = (uuid: string, size: number, cents: number, customer: Payee): LogEntry => [
  "balance",
  `Sold bulk order ${uuid} of ${size} (${dollars(cents)}) to ${customer.username}`,
  balances(customer, -cents),
];

export function refundedOrder({ uuid, priceCents }: Order, customer: Payee): LogEntry {
  const { before, after } = balances(customer, priceCents);
  return [
    "refund",
    `Refunded order ${uuid} (${dollars(priceCents)}) to ${customer.username}`,
    { before: { isRefunded: false, ...before }, after: { isRefunded: true, ...after } },
  ];
}

type Opened = Invoice & Pick<typeof invoices.$inferSelect, "paymentMethod">;

export const openedInvoice = ({ id, status, amountCents, paymentMethod }: Opened, username: string): LogEntry => [
  "invoice",
  `Opened invoice ${id} (${dollars(amountCents)}) for ${username}`,
  { after: { status, amount: amountCents / 100, payment_method: paymentMethod } },
];

/** Of an invoice as it was before. */
export function paidInvoice({ id, amountCents, status }: Invoice, customer: Payee): LogEntry {
  const { before, after } = balances(customer, amountCents);
  return [
    "invoice",
    `Marked invoice ${id} (${dollars(amountCents)}) of ${customer.username} as paid`,
    { before: { status, ...before }, after: { status: "paid", ...after } },
  ];
}

export const setInvoice = ({ id, status }: Pick<Invoice, "id" | "status">, wanted: Invoice["status"]): LogEntry => [
  "invoice",
  `Set invoice ${id} to ${wanted}`,
  { before: { status }, after: { status: wanted } },
];

export const addedFedexOrder = (uuid: string, username: string, parcel: object): LogEntry => [
  "fedex",
  `Added Fedex order ${uuid} of ${username}`,
  { after: { status: "Pending", ...parcel } },
];

/** Undefined where nothing has changed. Two files may have the same name: a new one is a change. */
export function updatedFedexOrder(
  before: FedexOrder,
  after: Omit<FedexOrder, "uuid">,
  file?: { from: string | null; to: string },
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
  const all = file ? [...changes, { field: "file", ...file, words: file.to }] : changes;
  if (all.length === 0) return undefined;
  return [
    "fedex",
    `Updated Fedex order ${before.uuid}: ${all.map(({ field, words }) => `${field} ${words}`).join(", ")}`,
    {
      before: Object.fromEntries(all.map(({ field, from }) => [field, from])),
      after: Object.fromEntries(all.map(({ field, to }) => [field, to])),
    },
  ];
}

const inDollars = (cents: number | null) => (cents === null ? null : cents / 100);
const quote = (cents: number | null) => (cents === null ? "none" : dollars(cents));
