import type { Endpoint, Input } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { orders } from "@footprint/contract/orders.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import fc from "fast-check";
import { withCheckDigit } from "../../money/tracking-codes.ts";
import { someAddresses, someParcel } from "../add.ts";
import type { Asked } from "./rules.ts";
import type { State } from "./state.ts";

/**
 * Something that somebody wants to do, chosen before it is known what exists; `pick` and `other` then choose among it.
 */
type Command = {
  what: keyof typeof commands;
  who: number;
  pick: number;
  other: number;
  amount: number;
  wanted: boolean | undefined;
  /** The Idempotency-Key: none (where optional), its own, or one that others use too; "twice" is a double click. */
  key: "none" | "own" | "shared" | "twice";
};

type Made<E extends Endpoint> = { call: E; input: Input<E> };
const made = <E extends Endpoint>(call: E, input: Input<E>): Made<Endpoint> => ({ call, input: input as never });

const few = 3;
const bounds: [from: number, to: number][] = [
  [0, 1],
  [1, 2],
  [0, 2],
  [2, 5],
  [5, 9],
];
const parcel = { ...someAddresses, fromCountry: "US", toCountry: "US" };
const party = { name: "Lena Okafor", street: "88 Wharf Rd", city: "Portland", zip: "04101" };

/** Each command makes a request about existing things, or none if there are none. */
const commands = {
  addBalance: ({ customer, cents }) =>
    made(users.addBalance, { params: { id: customer.id }, body: { balance: (cents || 1) / 100 } }),
  verify: ({ customer }) => made(users.verify, { params: { id: customer.id } }),
  setStatus: ({ customer, wanted }) =>
    made(users.setStatus, { params: { id: customer.id }, body: wanted === undefined ? {} : { status: wanted } }),
  setCustomPricing: ({ customer, wanted }) =>
    made(users.setCustomPricing, {
      params: { id: customer.id },
      body: wanted === undefined ? {} : { customPricingEnabled: wanted },
    }),
  addCustomPrice: ({ customer, labelType, tier }) =>
    made(users.addCustomPrice, { params: { id: customer.id }, body: { labelType: labelType.id, ...tier } }),
  deleteCustomPrice({ customer, other, wanted }) {
    const index = other % Math.max(1, customer.prices.length);
    const price = customer.prices[index];
    const body = wanted && price?.id ? { index, _id: price.id } : { index };
    return made(users.deleteCustomPrice, { params: { id: customer.id }, body });
  },
  refund({ state, other }) {
    const [first, last] = [true, false].map((wanted) =>
      Object.entries(state.orders).filter(([, o]) => o.refunded !== wanted),
    );
    const id = [...(first ?? []), ...(last ?? [])][other % few]?.[0];
    return id && made(orders.refund, { params: { id } });
  },
  reverse({ state, other }) {
    const isOpen = ({ kind, reversed }: State["transfers"][number]) =>
      !reversed && (kind === "adjustment" || kind === "deposit");
    const [first, last] = [true, false].map((wanted) => state.transfers.filter((one) => isOpen(one) === wanted));
    const id = [...(first ?? []), ...(last ?? [])][other % few]?.id;
    return id && made(transfers.reverse, { params: { id }, body: {} });
  },
  markPaid: ({ invoice }) => invoice && made(invoices.markPaid, { params: { id: invoice } }),
  setInvoiceStatus: ({ invoice, cents }) =>
    invoice &&
    made(storefront.setInvoiceStatus, {
      params: { id: invoice },
      body: { status: cents % 3 === 0 ? "expired" : cents % 5 === 0 ? "pending" : "paid" },
    }),
  createInvoice: ({ discordId, cents, wanted }) =>
    made(storefront.createInvoice, {
      body: { discordId, amount: (Math.abs(cents) || 1) / 100, payment_method: wanted ? "cashapp" : "paypal" },
    }),
  createOrder: ({ discordId, uid, weight }) =>
    made(storefront.createOrder, { body: { ...parcel, discordId, labelType: uid, weight } }),
  createBulkOrder: ({ discordId, uid, weight, other, state }) =>
    made(storefront.createBulkOrder, {
      body: {
        discordId,
        orders: [uid, uid, Object.keys(state.labelTypes)[other % few] ?? uid]
          .slice(0, 1 + (other % few))
          .map((labelType) => ({ ...parcel, labelType, weight })),
      },
    }),
  createFedexOrder: ({ discordId }) =>
    made(storefront.createFedexOrder, { body: { discordId, from: party, to: party, ...someParcel } }),
  putCustomer: ({ discordId, other, wanted }) =>
    made(storefront.putCustomer, {
      params: { discordId: wanted ? discordId : `new${other % few}` },
      body: { username: `name${other % 2}` },
    }),
  updateFedexOrder({ fedexOrder: id, cents, wanted }) {
    const change =
      wanted === undefined ? { note: `note ${cents}` } : ({ status: wanted ? "Completed" : "Pending" } as const);
    return id && made(fedex.update, { params: { id }, body: { ...change, price: Math.abs(cents) / 100 } });
  },
  claimFedexOrder: ({ fedexOrder }) => fedexOrder && made(fedex.claim, { params: { id: fedexOrder } }),
  releaseFedexOrder: ({ fedexOrder }) => fedexOrder && made(fedex.release, { params: { id: fedexOrder } }),
  chargeFedexOrder: ({ fedexOrder }) => fedexOrder && made(fedex.charge, { params: { id: fedexOrder } }),
  setLabelTypeStatus: ({ labelType, wanted }) =>
    made(labelTypes.setStatus, { params: { id: labelType.id }, body: wanted === undefined ? {} : { status: wanted } }),
  addTier: ({ labelType, tier }) => made(labelTypes.addTier, { params: { id: labelType.id }, body: tier }),
  updateTier({ labelType, tier, other, wanted }) {
    const before = labelType.tiers[other % Math.max(1, labelType.tiers.length)];
    if (!before?.id) return undefined;
    const kept = wanted ? { fromWeight: before.fromWeight, toWeight: before.toWeight } : {};
    return made(labelTypes.updateTier, {
      params: { id: labelType.id },
      body: { ...tier, ...kept, price_id: before.id },
    });
  },
  deleteTier: ({ labelType, tier: { fromWeight, toWeight } }) =>
    made(labelTypes.deleteTier, { params: { id: labelType.id }, body: { fromWeight, toWeight } }),
  createCodes: ({ other, uid, state }) =>
    Object.keys(state.codes).length > 80 || uid === "plain"
      ? undefined
      : made(tracking.create, {
          body: {
            amount: 1 + (other % few),
            type: uid as "priority",
            trackRef: withCheckDigit(`9400000000000000000${10 + (other % 7)}`),
            template: "evs",
          },
        }),
  deleteCode({ state, other }) {
    const codes = Object.values(state.codes);
    const id = codes[codes.length - 1 - (other % few)]?.id;
    return id && made(tracking.delete, { params: { id } });
  },
  createStaff: ({ other }) =>
    made(staff.create, { body: { username: `helper${other % few}`, password: "correct horse battery" } }),
  deleteStaff({ state, other }) {
    const ids = Object.entries(state.staff).filter(([name]) => name !== "staff");
    const id = ids[other % few]?.[1].id;
    return id && made(staff.delete, { params: { id } });
  },
} satisfies Record<string, (at: ReturnType<typeof situationOf>) => Made<Endpoint> | undefined | "">;

function situationOf({ pick, other, amount, wanted }: Command, state: State) {
  const customers = Object.entries(state.customers).slice(0, few);
  const [discordId, customer] = customers[pick % customers.length] as (typeof customers)[number];
  const types = Object.entries(state.labelTypes);
  const [uid, labelType] = types[other % types.length] as (typeof types)[number];
  const [fromWeight, toWeight] = bounds[(pick + other) % bounds.length] as [number, number];
  const tier = { fromWeight, toWeight, price: Math.abs(amount) / 100 };
  const invoice = Object.keys(state.invoices).at(-1 - (other % few));
  const fedexOrder = Object.keys(state.fedexOrders)[other % few];
  return {
    state,
    other,
    wanted,
    cents: amount,
    discordId,
    customer,
    uid,
    labelType,
    tier,
    invoice,
    fedexOrder,
    weight: 1 + (pick % 3),
  };
}

const command: fc.Arbitrary<Command> = fc.record({
  // Money first: calls that move it are tried more often.
  what: fc.oneof(
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        "createOrder",
        "refund",
        "addBalance",
        "markPaid",
        "reverse",
        "createBulkOrder",
        "setInvoiceStatus",
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(commands) as Command["what"][])) },
  ),
  who: fc.nat(1),
  pick: fc.nat(5),
  other: fc.nat(20),
  amount: fc.integer({ min: -900, max: 900 }),
  wanted: fc.constantFrom(undefined, true, false),
  key: fc.constantFrom("none", "own", "own", "shared", "twice", "twice"),
});

/** Tables whose lock holds calls back until all of them wait, and then continue at once. */
const gates = [
  "none",
  "logs",
  "customers",
  "idempotent_replies",
  "orders",
  "invoices",
  "transfers",
  "fedex_orders",
  "tracking_codes",
  "label_types",
] as const;
export type Gate = (typeof gates)[number];

type Round = { commands: Command[]; gate: Gate; again: number[] };

/** Rounds of calls made at the same moment; `again` repeats requests of earlier rounds, with their keys. */
export const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    commands: fc.array(command, { minLength: 2, maxLength: 5, size: "max" }),
    gate: fc.constantFrom(...gates),
    again: fc.array(fc.nat(50), { maxLength: 1 }),
  }),
  { minLength: 1, maxLength: 5, size: "max" },
);

let keys = 0;

/** The requests that a command leads to. */
export function requestsOf(command: Command, state: State): Asked[] {
  const request = commands[command.what](situationOf(command, state) as never);
  if (!request) return [];
  const { call, input } = request;
  const as =
    call.access === "storefront" ? `shop${command.who}` : call.access === "admin" || command.who ? "admin" : "staff";
  const needsKey = call.idempotent === "required";
  const takesKey = call.idempotent && (needsKey || command.key !== "none");
  const key = !takesKey ? undefined : command.key === "shared" ? `shared${command.pick % 2}` : `own${++keys}`;
  const asked = { as, call, input, key };
  return command.key === "twice" ? [asked, asked] : [asked];
}
