import { randomUUID } from "node:crypto";
import type { Parsed } from "@footprint/contract/endpoint.ts";
import { isRefusal, type Refusal, refusal } from "@footprint/contract/refusal.ts";
import type { storefront } from "@footprint/contract/storefront.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { eq, type SQL, sql } from "drizzle-orm";
import type { Shop } from "../accounts/api-keys.ts";
import type { Author } from "../accounts/audit.ts";
import { allOf, withoutWaiting } from "../db/commits.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { insertion } from "../db/insert-rows.ts";
import { bulkOrders, labelTypes, orders } from "../db/schema.ts";
import { balanceTooSmall, moveEach } from "./ledger.ts";
import { describeBounds, describeWeight } from "./prices/tiers.ts";
import { refusalWithoutCode, refusePrepaid, takeCodes } from "./tracking-codes.ts";

type Parcel = { labelType: string; weight: number };
type Purchase = Omit<Parsed<typeof storefront.createOrder, "body">, "discordId">;

type Offer = {
  place: number;
  customer_id: string;
  username: string;
  active: boolean;
  verified: boolean;
  balance_cents: string;
  custom_pricing_enabled: boolean;
  label_type_id: string | null;
  name: string;
  uid: string;
  codes: string | null;
  type_active: boolean;
  max_weight: string;
  from_weight: string | null;
  to_weight: string;
  price_cents: string;
  custom: boolean;
  standard_cents: string | null;
  /** When the order would be made. */
  at: string;
};

/**
 * The offers for parcels, in their order: the customer's own tier if custom pricing is enabled and one fits, else the
 * label type's. `isBuyer` says who buys a parcel, and `lock` how their rows are locked, in a fixed order.
 */
async function offersFor(
  db: Database | Transaction,
  isBuyer: SQL,
  parcels: (Parcel & { discordId?: string })[],
  lock = sql.empty(),
) {
  const items = parcels.map(({ discordId, labelType, weight }, place) => ({
    place,
    discordId,
    uid: labelType,
    weight,
  }));
  const { rows } = await db.execute<Offer>(sql`
    with item as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as item (place int, "discordId" text, uid text, weight numeric)
    )
    select place, customers.id as customer_id, customers.username, customers.active, verified_at is not null as verified,
      customers.balance_cents, customers.custom_pricing_enabled,
      types.id as label_type_id, types.name, types.uid, types.codes, types.active as type_active, types.max_weight,
      coalesce(own.from_weight, list.from_weight) as from_weight, coalesce(own.to_weight, list.to_weight) as to_weight,
      coalesce(own.price_cents, list.price_cents) as price_cents, own.id is not null as custom,
      list.price_cents as standard_cents, now() as at
    from item join customers on ${isBuyer}
    left join label_types types on lower(types.uid) = lower(item.uid)
    left join price_tiers list on list.label_type_id = types.id
      and list.from_weight < item.weight and item.weight <= list.to_weight
    left join custom_prices own on custom_pricing_enabled and own.customer_id = customers.id
      and own.label_type_id = types.id and own.from_weight < item.weight and item.weight <= own.to_weight
    order by customers.id, place ${lock}`);
  return rows.sort((one, other) => one.place - other.place);
}

/** Named twice: the database cannot know how few there are, and would scan all customers. */
const isDiscordId = sql`customers.discord_id = item."discordId"
  and customers.discord_id = any(array(select "discordId" from item))`;

/** What a parcel costs a customer. */
export async function price(db: Database, discordId: string, parcel: Parcel) {
  const [offer] = await offersFor(db, isDiscordId, [{ ...parcel, discordId }]);
  if (!offer) throw unknownCustomer(discordId);
  return priced(offer, parcel, undefined);
}

export const unknownCustomer = (discordId: string) => refusal(404, `No customer has the discordId ${discordId}`);

const buyerOf = ({ customer_id: id, username, active, verified }: Offer) => ({ id, username, active, verified });

function priced(offer: Offer, parcel: Parcel, place: number | undefined) {
  const refused = notOffered(offer, parcel);
  if (refused) {
    const { status, field, message } = refused;
    const [path, whose] = place === undefined ? ["body", ""] : [`body.orders.${place}`, `Order ${place + 1}: `];
    throw refusal(status, whose + message, { issues: [{ path: `${path}.${field}`, message }] });
  }
  return {
    labelType: { id: offer.label_type_id as string, name: offer.name, uid: offer.uid, codes: offer.codes },
    tier: tierOf(offer),
    custom: offer.custom,
    standardCents: standardOf(offer),
  };
}

/** The reason not to sell a label of this type and weight to anybody. */
function notOffered(
  offer: Offer,
  { labelType, weight }: Parcel,
): { status: number; field: keyof Parcel; message: string } | undefined {
  const { name, type_active: isActive, max_weight, from_weight } = offer;
  if (offer.label_type_id === null)
    return { status: 404, field: "labelType", message: `There is no label type ${labelType}` };
  if (!isActive) return { status: 400, field: "labelType", message: `${name} is disabled` };
  const maxWeight = Number(max_weight);
  const refused = { status: 400, field: "weight" } as const;
  if (weight > maxWeight) return { ...refused, message: `${name} carries at most ${describeWeight(offer, maxWeight)}` };
  if (from_weight === null) return { ...refused, message: `${name} has no price for ${describeWeight(offer, weight)}` };
  return undefined;
}

const tierOf = ({ from_weight, to_weight, price_cents }: Offer) => ({
  fromWeight: Number(from_weight),
  toWeight: Number(to_weight),
  price: Number(price_cents),
});

const standardOf = ({ standard_cents }: Offer) => (standard_cents === null ? null : Number(standard_cents));

/** What a customer would pay and why, and the refusal a purchase would get, all from the code that sells. */
export async function quote(db: Database, customerId: string, labelTypeId: string, weight: number) {
  const [labelType] = await db.select().from(labelTypes).where(eq(labelTypes.id, labelTypeId));
  if (!labelType) throw refusal(404, "This label type does not exist");
  const parcel = { labelType: labelType.uid, weight };
  const [offer] = await offersFor(db, sql`customers.id = ${customerId}`, [parcel]);
  if (!offer) throw refusal(404, "This customer does not exist");
  const tier = offer.from_weight === null ? null : tierOf(offer);
  const buyer = buyerOf(offer);
  const balanceCents = Number(offer.balance_cents);
  const refusals = [
    notOffered(offer, parcel),
    notAllowed(buyer),
    tier && tier.price > balanceCents ? balanceTooSmall({ ...buyer, balanceCents }, tier.price) : undefined,
    await refusalWithoutCode(db, labelType),
  ];
  return {
    customer: { _id: buyer.id, username: buyer.username },
    labelType: { _id: labelType.id, name: labelType.name },
    weight,
    unit: weightUnit(labelType.name),
    price: tier?.price ?? null,
    tier,
    custom: offer.custom,
    standardPrice: standardOf(offer),
    reason: reasonFor(offer, weight),
    balance: balanceCents,
    refusals: refusals.flatMap((refused) => refused?.message ?? []),
  };
}

function reasonFor(offer: Offer, weight: number): string {
  const { username, custom, custom_pricing_enabled: isEnabled } = offer;
  if (offer.from_weight === null) return `No price: no tier covers ${describeWeight(offer, weight)}`;
  const bounds = describeBounds(offer, tierOf(offer));
  if (custom) return `Custom price of ${username} for ${bounds}`;
  return isEnabled
    ? `Standard price for ${bounds}; ${username} has no custom price for ${describeWeight(offer, weight)}`
    : `Standard price for ${bounds}; custom pricing is switched off for ${username}`;
}

type Buyer = { username: string; active: boolean; verified: boolean };

function notAllowed({ username, active, verified }: Buyer): Refusal | undefined {
  if (!active) return refusal(403, `${username} is disabled and cannot order`);
  if (!verified) return refusal(403, `${username} is not verified yet and cannot order`);
  return undefined;
}

export function refuseWhoCannotOrder(buyer: Buyer): void {
  const refused = notAllowed(buyer);
  if (refused) throw refused;
}

/** What one call wants to buy: one label, or several as a bulk order. */
type Wanted = { discordId: string; purchases: Purchase[]; asBulk: boolean };
export type Offered = Wanted & { offers: Offer[] | undefined };

/**
 * The offers for several calls, with the customers' rows locked, in one statement. If it may not wait, it leaves out
 * calls whose customer is locked elsewhere.
 */
export async function lookAtOffers(tx: Transaction, wanted: Wanted[], mayWait = true): Promise<Offered[]> {
  const parcels = wanted.flatMap(({ discordId, purchases }, of) =>
    purchases.map((each) => ({ ...each, discordId, of })),
  );
  const lock = mayWait ? sql`for no key update of customers` : sql`for no key update of customers skip locked`;
  const offers = Map.groupBy(await offersFor(tx, isDiscordId, parcels, lock), ({ place }) => parcels[place]?.of);
  return wanted.map((each, of) => ({ ...each, offers: offers.get(of) }));
}

/**
 * Prices, pays and records what several calls want, each call completely or not at all, in a fixed number of
 * statements. Returns for each what was bought, or its refusal. If it may not wait, it returns undefined for calls
 * whose customer is unknown or locked elsewhere.
 */
export async function buy(
  tx: Transaction,
  wanted: Offered[],
  actor: Author & Pick<Shop, "shopId">,
  mayWait = true,
): Promise<(Bought | Refusal | undefined)[]> {
  const balances = new Map<string, number>();
  const sales = wanted.map((each) => {
    if (each.offers) return saleOf(each, each.offers, balances);
    return mayWait ? unknownCustomer(each.discordId) : undefined;
  });
  const sold = sales.flatMap((sale) => (sale === undefined || isRefusal(sale) ? [] : sale));
  if (sold.length === 0) return sales as (Refusal | undefined)[];

  const labels = sold.flatMap((sale) => sale.labels.map((label) => ({ ...label, sale })));
  const sent = labels.flatMap(({ purchase: { tracking }, labelType }) =>
    tracking && !labelType.codes ? tracking : [],
  );
  const types = labels.map(({ labelType }) => labelType);
  // Only after the money has moved, so that nobody can find out for nothing which codes there are.
  const [moved, codes] = await allOf([
    moveEach(
      tx,
      sold.map(({ customer, total, labels, reference }) => ({
        ...{ customerId: customer.id, cents: -total, kind: "purchase", reference, orders: labels.length, actor },
      })),
    ),
    refusePrepaid(tx, sent).then(() => takeCodes(tx, types)),
  ]);
  const bulks = sold.flatMap(({ customer, asBulk, reference }) =>
    asBulk ? { id: reference, customerId: customer.id, shopId: actor.shopId } : [],
  );
  const bulkRows = bulks.length > 0 ? await tx.insert(bulkOrders).values(bulks).returning() : [];
  const rows = labels.map(({ id, purchase: { labelType: _, ...purchase }, sale, ...label }, place) => ({
    ...purchase,
    id,
    uuid: randomUUID(),
    customerId: sale.customer.id,
    shopId: actor.shopId,
    labelTypeId: label.labelType.id,
    bulkOrderId: sale.asBulk ? sale.reference : null,
    priceCents: label.tier.price,
    tierFromWeight: label.tier.fromWeight,
    tierToWeight: label.tier.toWeight,
    hasCustomPrice: label.custom,
    standardPriceCents: label.standardCents,
    tracking: codes[place] ?? purchase.tracking ?? "",
  }));
  await withoutWaiting(tx, insertion(orders, rows));

  let row = 0;
  const bought = new Map<unknown, Bought>();
  for (const [place, sale] of sold.entries()) {
    const paid = moved[place];
    if (!paid) throw new Error("money that was there under lock could not be moved");
    bought.set(sale, {
      customer: { ...sale.customer, discordId: paid.discordId },
      balanceCents: paid.balanceCents,
      total: sale.total,
      bulk: bulkRows.find(({ id }) => id === sale.reference),
      orders: sale.labels.map(({ labelType: { name } }) => ({
        order: { ...(rows[row++] as (typeof rows)[number]), createdAt: sale.createdAt, refundedAt: null },
        labelType: { name },
      })),
    });
  }
  return sales.map((sale) => bought.get(sale) ?? (sale as Refusal | undefined));
}

type Order = typeof orders.$inferSelect;

type Bought = {
  customer: ReturnType<typeof buyerOf> & { discordId: string };
  balanceCents: number;
  total: number;
  bulk: typeof bulkOrders.$inferSelect | undefined;
  orders: { order: Order; labelType: { name: string } }[];
};

/** The sale to a call, or its refusal. `balances` is what earlier calls have left to each customer. */
function saleOf({ purchases, asBulk }: Wanted, offers: Offer[], balances: Map<string, number>) {
  try {
    const customer = buyerOf(offers[0] as Offer);
    const labels = offers.map((offer, place) => {
      const purchase = purchases[place] as Purchase;
      return { purchase, ...priced(offer, purchase, purchases.length > 1 ? place : undefined) };
    });
    refuseWhoCannotOrder(customer);
    const total = labels.reduce((sum, { tier }) => sum + tier.price, 0);
    const balanceCents = balances.get(customer.id) ?? Number(offers[0]?.balance_cents);
    if (total > balanceCents) throw balanceTooSmall({ ...customer, balanceCents }, total);
    balances.set(customer.id, balanceCents - total);
    const ids = labels.map(() => uuidv7()).sort();
    return {
      ...{ customer, total, asBulk },
      createdAt: orders.createdAt.mapFromDriverValue((offers[0] as Offer).at) as Date,
      /** What the money is for. */
      reference: asBulk ? uuidv7() : (ids[0] as string),
      labels: labels.map((label, place) => ({ ...label, id: ids[place] as string })),
    };
  } catch (error) {
    if (isRefusal(error)) return error;
    throw error;
  }
}
