import type { Transaction } from "../../server/db/database.ts";
import { customers, customPrices, labelTypes, priceTiers } from "../../server/db/schema.ts";
import { move } from "../../server/money/ledger.ts";
import { actor, born, cents, day, type Ids, idIn, minute, places, twoDigits } from "./rows.ts";

export const plainNames = [
  "maren.k",
  "tobias",
  "ship_it_lia",
  "northwind",
  "ana.r",
  "parcelpal",
  "oswald",
  "juniper",
  "kestrel.co",
  "bram",
  "harborline",
  "fjord.goods",
  "lumen",
  "pixel-post",
  "quill",
] as const;
const workNames = [
  "refund-customer",
  "paging-customer",
  "bulk-customer",
  "fedex-customer",
  "balance-customer",
  "balance-customer-2",
  "pricing-customer",
  "pricing-customer-2",
  "status-customer",
  "invoice-customer",
];
const newNames = [
  ...places(3).map((place) => `verify-customer-${place}`),
  ...places(9).map((place) => `newcomer-${twoDigits(place)}`),
];
const balances: Record<string, number> = { "refund-customer": 100, "balance-customer": 50, "balance-customer-2": 50 };

export async function addCustomers(tx: Transaction): Promise<Ids> {
  const ids: Ids = {};
  const names = [...newNames, ...plainNames, ...workNames];
  for (const [place, username] of names.entries()) {
    const row = born(place * 0.8 * day + 90 * minute);
    await tx.insert(customers).values({
      ...row,
      username,
      discordId: String(170_400_000_000_000_000n + BigInt(place * 7_919)),
      email: `${username}@example.com`,
      active: username !== "bram",
      customPricingEnabled: username === "pricing-customer",
      verifiedAt: newNames.includes(username) ? null : row.createdAt,
    });
    ids[username] = row.id;
    const balance = newNames.includes(username) ? 0 : (balances[username] ?? 12.5 + place * 3.25);
    if (balance) await move(tx, { customerId: row.id, cents: cents(balance), kind: "adjustment", actor });
  }
  return ids;
}

type Tier = [from: number, to: number, price: number];
// The last but one has a gap between 5 and 10.
const labels = [
  {
    name: "USPS Priority",
    uid: "usps_priority",
    kind: "usps",
    maxWeight: 70,
    tiers: [
      [0, 1, 5.6],
      [1, 5, 8.4],
      [5, 20, 14.9],
      [20, 70, 39],
    ],
  },
  {
    name: "USPS First Class",
    uid: "usps_first_class",
    kind: "usps",
    maxWeight: 16,
    tiers: [
      [0, 4, 3.1],
      [4, 8, 3.9],
      [8, 16, 4.8],
    ],
  },
  {
    name: "WWBiz Ground",
    uid: "wwbiz_ground",
    kind: "wwbiz",
    maxWeight: 50,
    tiers: [
      [0, 5, 7.1],
      [10, 50, 18.5],
    ],
  },
  { name: "ShipV2 Express", uid: "shipv2_express", kind: "shipv2", maxWeight: 30, active: false, tiers: [] },
] satisfies (Partial<typeof labelTypes.$inferInsert> & { name: string; tiers: Tier[] })[];

export async function addLabelTypes(tx: Transaction, customerIds: Ids): Promise<Ids> {
  const ids: Ids = {};
  for (const [place, { tiers, ...label }] of labels.entries()) {
    const row = born((60 - place) * day);
    await tx.insert(labelTypes).values({ ...row, ...label });
    ids[label.name] = row.id;
    for (const [fromWeight, toWeight, price] of tiers)
      await tx.insert(priceTiers).values({ labelTypeId: row.id, fromWeight, toWeight, priceCents: cents(price) });
  }
  const customerId = idIn(customerIds, "pricing-customer");
  const labelTypeId = idIn(ids, "USPS Priority");
  await tx.insert(customPrices).values([
    { ...born(2 * day), customerId, labelTypeId, fromWeight: 0, toWeight: 1, priceCents: 499 },
    { ...born(day), customerId, labelTypeId, fromWeight: 1, toWeight: 5, priceCents: 750 },
  ]);
  return ids;
}
