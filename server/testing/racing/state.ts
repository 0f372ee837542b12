import type { PriceTier } from "@footprint/contract/label-types.ts";

/** What a business should look like after all answers. Money is in cents. */
export type State = {
  /** By discordId. */
  customers: Record<string, Customer>;
  /** By uid. */
  labelTypes: Record<string, LabelType>;
  /** By code. */
  codes: Record<string, { id?: string; type: string; used: boolean }>;
  orders: Record<string, { customer: string; labelType: string; cents: number; tracking: string; refunded: boolean }>;
  /** The orders in each. */
  bulkOrders: Record<string, string[]>;
  invoices: Record<string, { customer: string; cents: number; method: "cashapp" | "paypal"; status: string }>;
  fedexOrders: Record<string, FedexOrder>;
  /** All except purchases. */
  transfers: Moved[];
  /** By username. */
  staff: Record<string, { id?: string }>;
  /** How many rows the log has, by type. */
  logs: Record<string, number>;
  /** Answers under an Idempotency-Key, by caller and key. */
  replies: Record<string, { request: string; answer: string }>;
};

/** A tier that was just added has an id that nobody was told yet. */
export type Tier = { id?: string; fromWeight: number; toWeight: number; cents: number };

/** A change of a customer's balance, with its invoice if it was for one. */
export type Moved = {
  id?: string;
  customer: string;
  kind: "deposit" | "refund" | "adjustment" | "reversal";
  cents: number;
  invoice?: string;
  reversed: boolean;
};

type Customer = {
  id: string;
  username: string;
  balance: number;
  active: boolean;
  verified: boolean;
  customPricing: boolean;
  prices: (Tier & { labelType: string })[];
};

type FedexOrder = {
  customer: string;
  cents: number | null;
  status: string;
  note: string;
  charged: boolean;
  /** The account working on it. */
  claimedBy: string | null;
};

type LabelType = { id: string; name: string; usesCodes: boolean; active: boolean; tiers: Tier[] };

export const inCents = (dollars: number) => Math.round(dollars * 100);

export const asTier = ({ _id, fromWeight, toWeight, price }: PriceTier): Tier => ({
  id: _id,
  fromWeight,
  toWeight,
  cents: inCents(price),
});

/** The state as an operator sees it: every list, and every figure on the dashboard. */
export function shown(state: State) {
  const customerOf = (discordId: string) => state.customers[discordId] as Customer;
  const orders = Object.entries(state.orders);
  const paid = Object.values(state.invoices).filter(({ status }) => status === "paid");
  const sold = orders.filter(([, { refunded }]) => !refunded);
  const charged = Object.values(state.fedexOrders).filter((order) => order.charged);
  const withStatus = (wanted: string) => Object.values(state.fedexOrders).filter(({ status }) => status === wanted);
  const sum = (list: { cents: number }[]) => list.reduce((total, { cents }) => total + cents, 0);
  return {
    customers: mapped(state.customers, ({ prices, ...customer }) => ({ ...customer, prices: prices.map(told).sort() })),
    labelTypes: mapped(state.labelTypes, ({ active, tiers }) => ({ active, tiers: tiers.map(told).sort() })),
    codes: mapped(state.codes, ({ type, used }) => ({ type, used })),
    orders: mapped(state.orders, ({ customer, ...order }) => ({ ...order, username: customerOf(customer).username })),
    bulkOrders: mapped(state.bulkOrders, (ids) => [...ids].sort()),
    invoices: mapped(state.invoices, ({ customer, ...rest }) => ({ ...rest, username: customerOf(customer).username })),
    fedexOrders: state.fedexOrders,
    transfers: state.transfers.map(moved).sort(),
    staff: Object.keys(state.staff).sort(),
    logs: state.logs,
    figures: {
      orders: orders.length,
      customers: Object.keys(state.customers).length,
      revenue: sum(sold.map(([, order]) => order)) + sum(charged.map(({ cents }) => ({ cents: cents ?? 0 }))),
      deposits: sum(paid),
      cashApp: sum(paid.filter(({ method }) => method === "cashapp")),
      paypal: sum(paid.filter(({ method }) => method === "paypal")),
      pending: withStatus("Pending").length,
      completed: withStatus("Completed").length,
      codesUsed: Object.values(state.codes).filter(({ used }) => used).length,
      codesLeft: Object.values(state.codes).filter(({ used }) => !used).length,
    },
  };
}

export type Shown = ReturnType<typeof shown>;

function told({ labelType, fromWeight, toWeight, cents }: Tier & { labelType?: string }): string {
  return `${labelType ?? ""} ${fromWeight}–${toWeight} at ${cents}`;
}

const moved = ({ customer, kind, cents, invoice = "", reversed }: Moved) =>
  `${customer} ${kind} ${cents} ${invoice}${reversed ? " reversed" : ""}`;

export function mapped<A, B>(values: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}
