import * as schema from "../db/schema.ts";
import { dollars } from "../money/ledger.ts";
import { withCheckDigit } from "../money/tracking-codes.ts";
import { catalogue } from "./catalogue.ts";
import { type Random, seededRandom } from "./random.ts";
import {
  cities,
  companies,
  fedexNotes,
  firstNames,
  handles,
  lastNames,
  parcelNotes,
  streetKinds,
  streets,
} from "./words.ts";

type Rows<T extends keyof typeof schema> = (typeof schema)[T] extends { $inferInsert: infer Row } ? Row[] : never;
type Customer = Rows<"customers">[number] & { id: string; createdAt: Date; balanceCents: number };
type LabelType = (typeof catalogue)[number] & { id: string };

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const yearDays = 365;

const amounts = { customers: 400, orders: 6000, bulkOrders: 60, fedexOrders: 150, unpaidInvoices: 170 };
const operators = ["admin", "support.day", "support.night"];

/** A year of plausible trade up to now: the same for the same seed, and every cent accounted for. */
export function demoBusiness(now: Date, seed = 7400) {
  const random = seededRandom(seed);
  const rows = {
    customers: [] as Customer[],
    labelTypes: [] as Rows<"labelTypes">,
    priceTiers: [] as Rows<"priceTiers">,
    customPrices: [] as Rows<"customPrices">,
    trackingCodes: [] as Rows<"trackingCodes">,
    bulkOrders: [] as Rows<"bulkOrders">,
    orders: [] as Rows<"orders">,
    fedexOrders: [] as Rows<"fedexOrders">,
    invoices: [] as Rows<"invoices">,
    transfers: [] as Rows<"transfers">,
    logs: [] as Rows<"logs">,
  };
  const start = now.getTime() - yearDays * day;
  const id = (at: number) => idAt(at, random);
  const log = (
    at: number,
    admin: string,
    type: Rows<"logs">[number]["type"],
    action: string,
    change: { before?: object; after?: object } = {},
  ) => rows.logs.push({ id: id(at), admin, type, action, createdAt: new Date(at), ...change });
  /** What a credit changed, as the log keeps it. */
  const credited = (customer: Customer, cents: number, was: object, is: object) => ({
    before: { ...was, balance: (customer.balanceCents - cents) / 100 },
    after: { ...is, balance: customer.balanceCents / 100 },
  });

  const types: LabelType[] = catalogue.map((entry, index) => {
    const at = start - 2 * day + index * hour;
    const type = { ...entry, id: id(at) };
    const { name, uid, kind, maxWeight, active } = entry;
    rows.labelTypes.push({ id: type.id, name, uid, kind, maxWeight, active, createdAt: new Date(at) });
    for (const [fromWeight, toWeight, priceCents] of entry.tiers)
      rows.priceTiers.push({
        id: id(at),
        labelTypeId: type.id,
        fromWeight,
        toWeight,
        priceCents,
        createdAt: new Date(at),
      });
    log(at, "admin", "label", `Created label type ${name}`);
    return type;
  });

  addCustomers();
  const codes = new Map(types.map((type) => [type.id, 0]));
  trade();
  addUnusedCodes();
  addFedexOrders();
  addUnpaidInvoices();
  // In an order in which each finds what it refers to.
  return [
    [schema.customers, rows.customers],
    [schema.labelTypes, rows.labelTypes],
    [schema.priceTiers, rows.priceTiers],
    [schema.customPrices, rows.customPrices],
    [schema.trackingCodes, rows.trackingCodes],
    [schema.bulkOrders, rows.bulkOrders],
    [schema.orders, rows.orders],
    [schema.fedexOrders, rows.fedexOrders],
    [schema.invoices, rows.invoices],
    [schema.transfers, rows.transfers],
    [schema.logs, rows.logs],
  ] as const;

  function addCustomers() {
    const taken = new Set<string>();
    for (let number = 0; number < amounts.customers; number++) {
      // Growth: more of them lately. The last dozen joined this week and wait for verification.
      const isNew = number >= amounts.customers - 14;
      const age = isNew ? random.next() * 5 : yearDays * (1 - Math.sqrt(random.next())) + 5;
      const at = now.getTime() - age * day;
      const username = newUsername(random, taken);
      const verifiedAt =
        isNew && random.chance(0.85) ? null : new Date(Math.min(at + random.between(5, 600) * minute, now.getTime()));
      rows.customers.push({
        id: id(at),
        username,
        discordId: discordId(at, random),
        email: random.chance(0.8)
          ? `${username.replace(/[^a-z0-9]/g, "")}@${random.pick(["inbox", "post", "mail"])}.example`
          : "",
        balanceCents: 0,
        active: !random.chance(0.03),
        customPricingEnabled: random.chance(0.07),
        verifiedAt,
        createdAt: new Date(at),
      });
      if (verifiedAt)
        log(verifiedAt.getTime(), random.pick(operators), "user", `Verified customer ${username}`, {
          before: { isVerified: false },
          after: { isVerified: true },
        });
    }
    for (const customer of rows.customers.filter((candidate) => candidate.customPricingEnabled)) {
      const type = random.pick(types.filter((candidate) => candidate.active));
      const at = customer.createdAt.getTime() + day / 2;
      if (at > now.getTime()) continue;
      for (const [fromWeight, toWeight, cents] of type.tiers.slice(0, random.between(1, 3)))
        rows.customPrices.push({
          id: id(at),
          customerId: customer.id,
          labelTypeId: type.id,
          fromWeight,
          toWeight,
          priceCents: Math.round(cents * 0.9),
          createdAt: new Date(at),
        });
      log(at, "admin", "pricing", `Added custom prices for ${type.name} to ${customer.username}`);
    }
  }

  function trade() {
    const bulks = new Set(Array.from({ length: amounts.bulkOrders }, () => random.between(0, 5600)));
    const moments = Array.from({ length: amounts.orders }, () => openingHour(random, start, now.getTime())).sort(
      (a, b) => a - b,
    );
    const refunds: { at: number; order: Rows<"orders">[number] }[] = [];
    const customers = [...rows.customers].sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    for (let index = 0; index < moments.length; index++) {
      const at = moments[index] as number;
      while (refunds[0] && refunds[0].at < at) refund(refunds.shift() as (typeof refunds)[number]);
      const known = customers.filter(
        (customer) => customer.verifiedAt && customer.verifiedAt.getTime() < at - 2 * hour && customer.active,
      );
      // A few customers buy most of what is sold.
      const customer = known[Math.floor(known.length * random.next() ** 2)] ?? (customers[0] as Customer);
      const size = bulks.has(index) ? Math.min(random.between(5, 20), moments.length - index) : 1;
      const bought = Array.from({ length: size }, () => newOrder(customer, at));
      purchase(customer, bought, at, size > 1);
      index += size - 1;
      for (const order of bought) {
        const later = at + random.between(1, 72) * hour;
        if (random.chance(0.03) && later < now.getTime()) refunds.push({ at: later, order });
      }
      refunds.sort((a, b) => a.at - b.at);
    }
    for (const entry of refunds) refund(entry);
  }

  function newOrder(customer: Customer, at: number): Rows<"orders">[number] & { id: string; priceCents: number } {
    const type = random.weighted(
      types.filter((entry) => entry.share > 0).map((entry) => [entry, entry.share] as const),
    );
    const [from, to, listCents] = random.weighted(type.tiers.map((tier, index) => [tier, 1 / (index + 1)] as const));
    const weight = Math.round((from + (to - from) * (0.05 + 0.95 * random.next())) * 10) / 10 || to;
    const own = rows.customPrices.find(
      (price) =>
        price.customerId === customer.id &&
        price.labelTypeId === type.id &&
        price.fromWeight < weight &&
        weight <= price.toWeight,
    );
    const priceCents = own && (own.createdAt?.getTime() ?? 0) < at ? own.priceCents : listCents;
    return {
      id: id(at),
      uuid: random.uuid(),
      customerId: customer.id,
      labelTypeId: type.id,
      priceCents,
      weight,
      tracking: type.codes ? useCode(type, at) : `1Z${random.uuid().replace(/-/g, "").slice(0, 16).toUpperCase()}`,
      ...address("from", random, random.chance(0.5)),
      ...address("to", random, random.chance(0.15)),
      createdAt: new Date(at),
    };
  }

  function useCode(type: LabelType, at: number): string {
    const code = codeOf(type, at);
    rows.trackingCodes.push({ ...code, usedAt: new Date(at) });
    return code.code;
  }

  function codeOf(type: LabelType, at: number) {
    const number = (codes.get(type.id) ?? 0) + 1;
    codes.set(type.id, number);
    const { prefix = "", type: codeType = "priority" } = type.codes ?? {};
    const createdAt = new Date(Math.max(start - day, at - 20 * day));
    const code = withCheckDigit(prefix + String(number).padStart(21 - prefix.length, "0"));
    return { id: id(createdAt.getTime()), code, type: codeType, template: templates[codeType], createdAt };
  }

  function addUnusedCodes() {
    for (const type of types)
      for (let left = type.codes?.left ?? 0; left > 0; left--)
        rows.trackingCodes.push(codeOf(type, now.getTime() + 15 * day));
    for (const type of types)
      if (type.codes)
        log(now.getTime() - 5 * day, "admin", "tracking", `Registered ${type.codes.left} ${type.codes.type} codes`);
  }

  function purchase(customer: Customer, bought: ReturnType<typeof newOrder>[], at: number, isBulk: boolean) {
    const cents = bought.reduce((sum, order) => sum + order.priceCents, 0);
    if (customer.balanceCents < cents) deposit(customer, cents - customer.balanceCents, at);
    const bulkOrderId = isBulk ? id(at) : null;
    if (bulkOrderId)
      rows.bulkOrders.push({ id: bulkOrderId, uuid: random.uuid(), customerId: customer.id, createdAt: new Date(at) });
    for (const order of bought) rows.orders.push({ ...order, bulkOrderId });
    transfer(customer, -cents, "purchase", bulkOrderId ?? (bought[0]?.id as string), "shop", at);
  }

  function deposit(customer: Customer, missing: number, at: number) {
    const rounded = random.pick([5000, 10_000, 15_000, 20_000, 25_000]);
    const amountCents = Math.max(rounded, Math.ceil(missing / 500) * 500);
    const paidAt = at - random.between(2, 20) * minute;
    const invoice = newInvoice(customer, amountCents, paidAt - random.between(1, 60) * minute);
    rows.invoices.push({ ...invoice, status: "paid", paidAt: new Date(paidAt) });
    const operator = random.chance(0.3) ? random.pick(operators) : "shop";
    transfer(customer, amountCents, "deposit", invoice.id, operator, paidAt);
    if (operator !== "shop")
      log(
        paidAt,
        operator,
        "invoice",
        `Marked invoice ${invoice.id} (${dollars(amountCents)}) of ${customer.username} as paid`,
        credited(customer, amountCents, { status: "pending" }, { status: "paid" }),
      );
  }

  function newInvoice(customer: Customer, amountCents: number, at: number) {
    const invoiceId = id(at);
    return {
      id: invoiceId,
      customerId: customer.id,
      amountCents,
      paymentMethod: random.chance(0.6) ? ("cashapp" as const) : ("paypal" as const),
      hostedUrl: `https://pay.example/invoice/${invoiceId}`,
      createdAt: new Date(at),
    };
  }

  function refund({ at, order }: { at: number; order: Rows<"orders">[number] }) {
    const row = rows.orders.find((candidate) => candidate.id === order.id) as Rows<"orders">[number];
    const customer = rows.customers.find((candidate) => candidate.id === order.customerId) as Customer;
    row.refundedAt = new Date(at);
    const operator = random.pick(operators);
    transfer(customer, order.priceCents, "refund", order.id as string, operator, at);
    const sentence = `Refunded order ${order.uuid} (${dollars(order.priceCents)}) to ${customer.username}`;
    const change = credited(customer, order.priceCents, { isRefunded: false }, { isRefunded: true });
    log(at, operator, "refund", sentence, change);
  }

  function transfer(
    customer: Customer,
    amountCents: number,
    kind: Rows<"transfers">[number]["kind"],
    reference: string,
    actor: string,
    at: number,
  ) {
    customer.balanceCents += amountCents;
    rows.transfers.push({
      id: id(at),
      customerId: customer.id,
      kind,
      amountCents,
      balanceAfterCents: customer.balanceCents,
      reference,
      actor,
      createdAt: new Date(at),
    });
  }

  /** Those that were never paid: expired, failed, and the latest still open. */
  function addUnpaidInvoices() {
    for (let number = 0; number < amounts.unpaidInvoices; number++) {
      const isOpen = number < 12;
      const at = now.getTime() - (isOpen ? random.next() * 2 : 2 + random.next() * 300) * day;
      const customer = random.pick(rows.customers.filter((candidate) => candidate.createdAt.getTime() < at));
      const status = isOpen ? "pending" : random.chance(0.7) ? "expired" : "failed";
      rows.invoices.push({ ...newInvoice(customer, random.pick([1000, 2500, 5000, 10_000]), at), status });
    }
  }

  function addFedexOrders() {
    for (let number = 0; number < amounts.fedexOrders; number++) {
      const customer = random.pick(rows.customers.filter((candidate) => candidate.verifiedAt));
      const at = customer.createdAt.getTime() + random.next() ** 0.6 * (now.getTime() - customer.createdAt.getTime());
      const isRecent = at > now.getTime() - 6 * day;
      const status = random.weighted(
        isRecent
          ? ([
              ["Pending", 6],
              ["In Process", 2],
              ["Awaiting User Input", 2],
              ["Completed", 2],
            ] as const)
          : ([
              ["Completed", 14],
              ["Cancelled", 3],
              ["Awaiting User Input", 1],
            ] as const),
      );
      const { fromCompany: _, fromCountry: __, ...from } = address("from", random, false);
      const { toCompany: ___, toCountry: ____, ...to } = address("to", random, false);
      rows.fedexOrders.push({
        id: id(at),
        uuid: random.uuid(),
        customerId: customer.id,
        status,
        note: random.pick(fedexNotes[status]),
        priceCents: status === "Pending" ? null : random.between(1800, 24_000),
        ...from,
        ...to,
        weight: random.between(2, 60),
        length: random.between(6, 40),
        width: random.between(4, 30),
        height: random.between(2, 24),
        dimensionUnit: random.chance(0.85) ? "in" : "cm",
        weightUnit: random.chance(0.85) ? "lb" : "kg",
        specialNotes: random.pick(parcelNotes),
        createdAt: new Date(at),
      });
      if (status === "Completed" || status === "Cancelled")
        log(
          Math.min(at + random.between(1, 30) * hour, now.getTime()),
          random.pick(operators),
          "fedex",
          `Set a Fedex order of ${customer.username} to ${status}`,
        );
    }
  }
}

const templates = { priority: "evs", express: "pitney", ground_oz: "indica", ground_lbs: "evs" } as const;

/** A version 7 id of that moment. */
function idAt(at: number, random: Random): string {
  const time = Math.floor(at).toString(16).padStart(12, "0");
  const rest = random.uuid().replace(/-/g, "");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(13, 16)}-a${rest.slice(17, 20)}-${rest.slice(20)}`;
}

/** Chat ids carry their moment too. */
function discordId(at: number, random: Random): string {
  return String((BigInt(Math.floor(at - Date.UTC(2015, 0, 1))) << 22n) + BigInt(random.between(0, 4_194_303)));
}

function newUsername(random: Random, taken: Set<string>): string {
  for (;;) {
    const [one, other] = [random.pick(handles), random.pick(handles)];
    const name = random.pick([
      `${random.pick(firstNames).toLowerCase()}.${random.pick(lastNames)[0]?.toLowerCase()}`,
      `${one}_${other}`,
      `${one}${random.between(1, 99)}`,
      `${random.pick(firstNames).toLowerCase()}${random.between(1, 99)}`,
    ]);
    if (!taken.has(name) && taken.add(name)) return name;
  }
}

/** Later days are busier, weekends quieter, and nights quiet. */
function openingHour(random: Random, start: number, end: number): number {
  for (;;) {
    const at = start + Math.sqrt(random.next()) * (end - start);
    const date = new Date(at);
    const isWeekend = date.getUTCDay() % 6 === 0;
    const hours = date.getUTCHours();
    const busy = (hours >= 13 ? 1 : hours < 3 ? 0.6 : 0.12) * (isWeekend ? 0.45 : 1);
    if (random.chance(busy)) return at;
  }
}

type Side = "from" | "to";
type Address<S extends Side> = Record<
  `${S}${"Name" | "Company" | "Street" | "Street2" | "City" | "State" | "Zip" | "Country"}`,
  string
>;

function address<S extends Side>(side: S, random: Random, isBusiness: boolean): Address<S> {
  const [city, state, zip] = random.pick(cities);
  const fields = {
    Name: `${random.pick(firstNames)} ${random.pick(lastNames)}`,
    Company: isBusiness ? random.pick(companies) : "",
    Street: `${random.between(1, 4800)} ${random.pick(streets)} ${random.pick(streetKinds)}`,
    Street2: random.chance(0.2) ? `Apt ${random.between(1, 40)}` : "",
    City: city,
    State: state,
    Zip: zip + String(random.between(0, 99)).padStart(2, "0"),
    Country: "United States",
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [side + name, value])) as Address<S>;
}
