import type { Parsed } from "@footprint/contract/endpoint.ts";
import { type Refusal, refusal } from "@footprint/contract/refusal.ts";
import type { storefront } from "@footprint/contract/storefront.ts";
import { sql } from "drizzle-orm";
import type { Shop } from "../accounts/api-keys.ts";
import type { Author } from "../accounts/audit.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { bulkOrders, orders } from "../db/schema.ts";
import { move } from "./ledger.ts";
import { describeWeight } from "./tiers.ts";
import { codeType, refusePrepaid, takeCodes } from "./tracking-codes.ts";

type Parcel = { labelType: string; weight: number };
type Purchase = Omit<Parsed<typeof storefront.createOrder, "body">, "discordId">;

type PricedRow = {
  customer_id: string;
  username: string;
  active: boolean;
  verified: boolean;
  label_type_id: string | null;
  name: string;
  uid: string;
  kind: string;
  type_active: boolean;
  max_weight: string;
  from_weight: string | null;
  to_weight: string;
  price_cents: string;
  custom: boolean;
  standard_cents: string | null;
};

/** What parcels cost a customer: their own tier where custom pricing is enabled and one fits, else the label type's. */
export async function price(db: Database | Transaction, discordId: string, parcels: Parcel[]) {
  const items = JSON.stringify(parcels.map(({ labelType, weight }, place) => ({ place, uid: labelType, weight })));
  const { rows } = await db.execute<PricedRow>(sql`
    select customers.id as customer_id, customers.username, customers.active, verified_at is not null as verified,
      types.id as label_type_id, types.name, types.uid, types.kind, types.active as type_active, types.max_weight,
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
    where discord_id = ${discordId}
    order by item.place`);
  const [first] = rows;
  if (!first) throw unknownCustomer(discordId);
  return {
    customer: { id: first.customer_id, username: first.username, active: first.active, verified: first.verified },
    prices: rows.map((row, place) => priced(row, parcels[place] as Parcel, parcels.length > 1 ? place : undefined)),
  };
}

export const unknownCustomer = (discordId: string) => refusal(404, `No customer has the discordId ${discordId}`);

function priced(row: PricedRow, parcel: Parcel, place: number | undefined) {
  const refuse = (status: number, field: keyof Parcel, message: string): Refusal => {
    const [path, whose] = place === undefined ? ["body", ""] : [`body.orders.${place}`, `Order ${place + 1}: `];
    return refusal(status, whose + message, { issues: [{ path: `${path}.${field}`, message }] });
  };
  if (row.label_type_id === null) throw refuse(404, "labelType", `There is no label type ${parcel.labelType}`);
  if (!row.type_active) throw refuse(400, "labelType", `${row.name} is disabled`);
  const maxWeight = Number(row.max_weight);
  if (parcel.weight > maxWeight)
    throw refuse(400, "weight", `${row.name} carries at most ${describeWeight(row, maxWeight)}`);
  if (row.from_weight === null)
    throw refuse(400, "weight", `${row.name} has no price for ${describeWeight(row, parcel.weight)}`);
  return {
    labelType: { id: row.label_type_id, name: row.name, uid: row.uid, kind: row.kind },
    tier: { fromWeight: Number(row.from_weight), toWeight: Number(row.to_weight), price: Number(row.price_cents) },
    custom: row.custom,
    standardCents: row.standard_cents === null ? null : Number(row.standard_cents),
  };
}

type Buyer = { username: string; active: boolean; verified: boolean };

export function refuseWhoCannotOrder({ username, active, verified }: Buyer): void {
  if (!active) throw refusal(403, `${username} is disabled and cannot order`);
  if (!verified) throw refusal(403, `${username} is not verified yet and cannot order`);
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
  const sent = purchases.flatMap(({ tracking }, place) => (tracking && !codeType(types[place]) ? tracking : []));

  const bulkOrder = asBulk ? { id: uuidv7() } : undefined;
  const ids = purchases.map(() => uuidv7()).sort();
  const total = prices.reduce((sum, { tier }) => sum + tier.price, 0);
  const { balanceCents } = await move(tx, {
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
    customer,
    balanceCents,
    total,
    bulk,
    orders: rows.map((order, place) => ({ order, labelType: { name: prices[place]?.labelType.name as string } })),
  };
}
