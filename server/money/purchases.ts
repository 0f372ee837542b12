import type { Parsed } from "@footprint/contract/endpoint.ts";
import { type Refusal, refusal } from "@footprint/contract/refusal.ts";
import type { storefront } from "@footprint/contract/storefront.ts";
import { weightUnit } from "@footprint/contract/weights.ts";
import { eq, type SQL, sql } from "drizzle-orm";
import type { Shop } from "../accounts/api-keys.ts";
import type { Author } from "../accounts/audit.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { bulkOrders, labelTypes, orders } from "../db/schema.ts";
import { balanceTooSmall, move } from "./ledger.ts";
import { describeBounds, describeWeight } from "./tiers.ts";
import { refusalWithoutCode, refusePrepaid, takeCodes } from "./tracking-codes.ts";

type Parcel = { labelType: string; weight: number };
type Purchase = Omit<Parsed<typeof storefront.createOrder, "body">, "discordId">;

type Offer = {
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
};

/** What is on offer for parcels: the customer's own tier where custom pricing is enabled and one fits, else the label type's. */
async function offersFor(db: Database | Transaction, isBuyer: SQL, parcels: Parcel[]) {
  const items = JSON.stringify(parcels.map(({ labelType, weight }, place) => ({ place, uid: labelType, weight })));
  const { rows } = await db.execute<Offer>(sql`
    select customers.id as customer_id, customers.username, customers.active, verified_at is not null as verified,
      customers.balance_cents, customers.custom_pricing_enabled,
      types.id as label_type_id, types.name, types.uid, types.codes, types.active as type_active, types.max_weight,
      coalesce(own.from_weight, list.from_weight) as from_weight, coalesce(own.to_weight, list.to_weight) as to_weight,
      coalesce(own.price_cents, list.price_cents) as price_cents, own.id is not null as custom,
      list.price_cents as standard_cents
    from customers
    cross join jsonb_to_recordset(${items}::jsonb) as item (place int, uid text, weight numeric)
    left join label_types types on lower(types.uid) = lower(item.uid)
    left join price_tiers list on list.label_type_id = types.id
      and list.from_weight < item.weight and item.weight <= list.to_weight
    left join custom_prices own on custom_pricing_enabled and own.customer_id = customers.id
      and own.label_type_id = types.id and own.from_weight < item.weight and item.weight <= own.to_weight
    where ${isBuyer}
    order by item.place`);
  return rows;
}

/** What parcels cost a customer. */
export async function price(db: Database | Transaction, discordId: string, parcels: Parcel[]) {
  const offers = await offersFor(db, sql`discord_id = ${discordId}`, parcels);
  const [first] = offers;
  if (!first) throw unknownCustomer(discordId);
  return {
    customer: buyerOf(first),
    prices: offers.map((offer, place) =>
      priced(offer, parcels[place] as Parcel, parcels.length > 1 ? place : undefined),
    ),
  };
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

/** What speaks against selling a label of this type for this weight, to whomever. */
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

/** What a customer would pay, why, and what the purchase would be refused with: by the code that sells. */
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

/** Prices, pays and records orders, as one bulk order or singly: all or nothing, in a fixed number of statements. */
export async function buy(
  tx: Transaction,
  { discordId, purchases, asBulk }: { discordId: string; purchases: Purchase[]; asBulk: boolean },
  actor: Author & Pick<Shop, "shopId">,
) {
  const { customer, prices } = await price(tx, discordId, purchases);
  refuseWhoCannotOrder(customer);

  const types = prices.map(({ labelType }) => labelType);
  const sent = purchases.flatMap(({ tracking }, place) => (tracking && !types[place]?.codes ? tracking : []));

  const bulkOrder = asBulk ? { id: uuidv7() } : undefined;
  const ids = purchases.map(() => uuidv7()).sort();
  const total = prices.reduce((sum, { tier }) => sum + tier.price, 0);
  const { balanceCents, discordId: known } = await move(tx, {
    customerId: customer.id,
    cents: -total,
    kind: "purchase",
    reference: bulkOrder?.id ?? (ids[0] as string),
    orders: purchases.length,
    actor,
  });
  // After the money has moved: what there is cannot be tried out for nothing.
  await refusePrepaid(tx, sent);
  const codes = await takeCodes(tx, types);
  const [bulk] = bulkOrder
    ? await tx
        .insert(bulkOrders)
        .values({ ...bulkOrder, customerId: customer.id, shopId: actor.shopId })
        .returning()
    : [];
  const rows = await tx
    .insert(orders)
    .values(
      purchases.map((purchase, place) => {
        const { labelType, tier, custom, standardCents } = prices[place] as (typeof prices)[number];
        return {
          ...purchase,
          id: ids[place] as string,
          customerId: customer.id,
          shopId: actor.shopId,
          labelTypeId: labelType.id,
          bulkOrderId: bulk?.id ?? null,
          priceCents: tier.price,
          tierFromWeight: tier.fromWeight,
          tierToWeight: tier.toWeight,
          hasCustomPrice: custom,
          standardPriceCents: standardCents,
          tracking: codes[place] ?? purchase.tracking ?? "",
        };
      }),
    )
    .returning();
  return {
    customer: { ...customer, discordId: known },
    balanceCents,
    total,
    bulk,
    orders: rows.map((order, place) => ({ order, labelType: { name: prices[place]?.labelType.name as string } })),
  };
}
