import type { Transaction } from "../../server/db/database.ts";
import { customPrices } from "../../server/db/schema.ts";
import { tiersUpTo } from "../../server/demo/catalogue.ts";
import { words } from "../../server/demo/words.ts";
import { addCustomer, addLabelType } from "../../server/testing/add.ts";
import { createdAgo, day, minute, type Named, named, places, twoDigits } from "./rows.ts";

export const plainNames = words(`
  maren.k tobias ship_it_lia northwind ana.r parcelpal oswald juniper kestrel.co bram harborline fjord.goods lumen
  pixel-post quill`);
const workNames = words(`
  refund-customer paging-customer bulk-customer fedex-customer balance-customer balance-customer-2 pricing-customer
  pricing-customer-2 status-customer invoice-customer`);
const newNames = [
  ...places(3).map((place) => `verify-customer-${place}`),
  ...places(9).map((place) => `newcomer-${twoDigits(place)}`),
];
const balances: Record<string, number> = { "refund-customer": 100, "balance-customer": 50, "balance-customer-2": 50 };

export async function addCustomers(tx: Transaction): Promise<Named> {
  const customers: Named = new Map();
  const names = [...newNames, ...plainNames, ...workNames];
  for (const [place, username] of names.entries()) {
    const row = createdAgo(place * 0.8 * day + 90 * minute);
    const isNew = newNames.includes(username);
    const customer = await addCustomer(tx, {
      ...row,
      username,
      discordId: String(170_400_000_000_000_000n + BigInt(place * 7_919)),
      email: `${username}@example.com`,
      active: username !== "bram",
      customPricingEnabled: username === "pricing-customer",
      verifiedAt: isNew ? null : row.createdAt,
      balance: isNew ? 0 : (balances[username] ?? 12.5 + place * 3.25),
    });
    customers.set(username, customer);
  }
  return customers;
}

// The last but one has a gap between 5 and 10.
const labels = [
  {
    name: "USPS Priority",
    uid: "usps_priority",
    kind: "usps",
    maxWeight: 70,
    tiers: tiersUpTo({ 1: 5.6, 5: 8.4, 20: 14.9, 70: 39 }),
  },
  {
    name: "USPS First Class",
    uid: "usps_first_class",
    kind: "usps",
    maxWeight: 16,
    tiers: tiersUpTo({ 4: 3.1, 8: 3.9, 16: 4.8 }),
  },
  {
    name: "WWBiz Ground",
    uid: "wwbiz_ground",
    kind: "wwbiz",
    maxWeight: 50,
    tiers: tiersUpTo({ 5: 7.1, 10: null, 50: 18.5 }),
  },
  { name: "ShipV2 Express", uid: "shipv2_express", kind: "shipv2", maxWeight: 30, active: false, tiers: [] },
] satisfies Parameters<typeof addLabelType>[1][];

export async function addLabelTypes(tx: Transaction, customers: Named): Promise<Named> {
  const types: Named = new Map();
  for (const [place, label] of labels.entries())
    types.set(label.name, await addLabelType(tx, { ...createdAgo((60 - place) * day), ...label }));
  const customerId = named(customers, "pricing-customer").id;
  const labelTypeId = named(types, "USPS Priority").id;
  await tx.insert(customPrices).values([
    { ...createdAgo(2 * day), customerId, labelTypeId, fromWeight: 0, toWeight: 1, priceCents: 499 },
    { ...createdAgo(day), customerId, labelTypeId, fromWeight: 1, toWeight: 5, priceCents: 750 },
  ]);
  return types;
}
