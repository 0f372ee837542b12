import type { Reply } from "@footprint/contract/endpoint.ts";
import { type StorefrontCustomer, storefront } from "@footprint/contract/storefront.ts";
import { newOrderAddresses, newParty } from "../server/demo/people.ts";
import type { Random } from "../server/demo/random.ts";
import { handles } from "../server/demo/words.ts";
import { type Call, isOk } from "./calls.ts";

export type Customer = {
  discordId: string;
  username: string;
  /** As the shop last saw them; missing while they are not registered. */
  known?: StorefrontCustomer;
  /** An open invoice that the shop has not heard of since. */
  invoice?: string | undefined;
  fedexOrder?: string | undefined;
};

type LabelType = Reply<typeof storefront.labelTypes>["labelTypes"][number];

export type Shop = ReturnType<typeof openShop>;

/**
 * A shop with its own customers. Every visit of a customer is one call: the next step for them, as far as the shop
 * knows. It begins no visit by itself, so the caller decides how many run at once.
 */
export function openShop({ name, keys, call, random }: { name: string; keys: string; call: Call; random: Random }) {
  const customers: Customer[] = [];
  let catalogue: LabelType[] = [];
  let made = 0;
  const nextKey = (what: string) => `${keys}-${what}-${++made}`;

  for (let count = 0; count < 3; count++) welcome();

  function welcome(): Customer {
    const customer = { discordId: `${name}-${customers.length + 1}`, username: `${random.pick(handles)}.${name}` };
    customers.push(customer);
    return customer;
  }

  function visit(): Promise<void> {
    const customer = random.chance(0.02) ? welcome() : random.pick(customers);
    if (!customer.known) return register(customer);
    if (catalogue.length === 0) return readPrices(customer);
    if (!customer.known.isVerified && random.chance(0.5)) return read(customer);
    if (customer.invoice && random.chance(0.5)) return settle(customer, customer.invoice);
    if (!customer.invoice && customer.known.balance < 100 && random.chance(0.7)) return deposit(customer);
    return random.weighted(habits)(customer);
  }

  async function register(customer: Customer) {
    const { discordId, username } = customer;
    const email = `${discordId}@example.com`;
    const answer = await call(storefront.putCustomer, { params: { discordId }, body: { username, email } });
    if (isOk(answer)) customer.known = answer.body.customer;
    // Another shop registered them, and only that one may rename them; they are served anyway.
    if (answer?.status === 403) await read(customer);
  }

  async function rename(customer: Customer) {
    customer.username = `${random.pick(handles)}.${name}`;
    await register(customer);
  }

  async function read(customer: Customer) {
    const answer = await call(storefront.getCustomer, { params: { discordId: customer.discordId } });
    if (isOk(answer)) customer.known = answer.body.customer;
  }

  async function readPrices({ discordId }: Customer) {
    const answer = await call(storefront.labelTypes, { query: { discordId } });
    if (isOk(answer)) catalogue = answer.body.labelTypes.filter(({ prices }) => prices.length > 0);
  }

  async function readPaymentSettings() {
    await call(storefront.paymentSettings, {});
  }

  async function deposit(customer: Customer) {
    const key = nextKey("deposit");
    const answer = await call(
      storefront.createInvoice,
      {
        body: {
          discordId: customer.discordId,
          amount: random.between(2_000, 60_000) / 100,
          payment_method: random.chance(0.7) ? "cashapp" : "paypal",
          hosted_url: `https://pay.example/${key}`,
        },
      },
      key,
    );
    if (isOk(answer)) customer.invoice = answer.body.invoice._id;
  }

  /** Most customers pay their invoices. */
  async function settle(customer: Customer, id: string) {
    const status = random.weighted([
      ["paid", 90],
      ["expired", 7],
      ["failed", 3],
    ] as const);
    customer.invoice = undefined;
    const answer = await call(storefront.setInvoiceStatus, { params: { id }, body: { status } }, nextKey("payment"));
    if (isOk(answer)) hearBalance(customer, answer.body.balance);
  }

  async function quote({ discordId }: Customer) {
    await call(storefront.quote, { body: { discordId, ...parcel() } });
  }

  async function order(customer: Customer) {
    const key = nextKey("order");
    const body = { discordId: customer.discordId, ...purchase(`Ref ${key}`) };
    const answer = await call(storefront.createOrder, { body }, key);
    if (isOk(answer)) hearBalance(customer, answer.body.balance);
    // Prices or label types were changed meanwhile.
    if (answer?.status === 400) await readPrices(customer);
  }

  async function orderMany(customer: Customer) {
    const key = nextKey("bulk");
    const count = random.between(2, 12);
    const orders = Array.from({ length: count }, (_, place) => purchase(`Ref ${key}/${place + 1}`));
    const answer = await call(storefront.createBulkOrder, { body: { discordId: customer.discordId, orders } }, key);
    if (isOk(answer)) hearBalance(customer, answer.body.balance);
    if (answer?.status === 400) await readPrices(customer);
  }

  async function orderFedex(customer: Customer) {
    const key = nextKey("fedex");
    const answer = await call(
      storefront.createFedexOrder,
      {
        body: {
          discordId: customer.discordId,
          from: newParty(random),
          to: newParty(random),
          weight: random.between(1, 800) / 10,
          length: random.between(4, 40),
          width: random.between(4, 30),
          height: random.between(2, 30),
          dimensionUnit: "in",
          weightUnit: "lb",
          specialNotes: `Ref ${key}`,
        },
      },
      key,
    );
    if (isOk(answer)) customer.fedexOrder = answer.body.order._id;
  }

  async function readFedex({ fedexOrder }: Customer) {
    if (fedexOrder) await call(storefront.readFedexOrder, { params: { id: fedexOrder } });
    else await readPaymentSettings();
  }

  /** The purposes of visits of a known customer without pending invoice, by share. */
  const habits: [(customer: Customer) => Promise<void>, number][] = [
    [quote, 30],
    [order, 38],
    [orderMany, 4],
    [orderFedex, 5],
    [readFedex, 8],
    [read, 8],
    [readPrices, 4],
    [readPaymentSettings, 1],
    [rename, 2],
  ];

  function hearBalance(customer: Customer, balance: number | undefined) {
    if (customer.known && balance !== undefined) customer.known = { ...customer.known, balance };
  }

  /** A weight that has a price. */
  function parcel() {
    const { uid, prices } = random.pick(catalogue);
    const { fromWeight, toWeight } = random.pick(prices);
    const steps = Math.round((toWeight - fromWeight) * 10);
    const weight = steps > 1 ? fromWeight + random.between(1, steps) / 10 : toWeight;
    return { labelType: uid, weight: Math.round(Math.min(weight, toWeight) * 1000) / 1000 };
  }

  function purchase(reference: string) {
    return { ...parcel(), ...newOrderAddresses(random), toStreet2: reference };
  }

  return { name, customers, visit, hasPrices: () => catalogue.length > 0 };
}
