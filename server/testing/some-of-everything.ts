import { sql } from "drizzle-orm";
import { createKey } from "../accounts/api-keys.ts";
import { savedViews, trackingCodes } from "../db/schema.ts";
import { tiersUpTo } from "../demo/catalogue.ts";
import { addBulkOrder, addCustomer, addFedexOrder, addInvoice, addLabelType, addOrder } from "./builders.ts";
import { addAccount, db } from "./server.ts";
import type { Known } from "./valid-input.ts";

/** Where the ids come from that a feature's calls know; those of a feature without a line are tried one after another. */
const idsOf: Record<string, string[]> = {
  orders: ["orders"],
  fedex: ["fedex_orders"],
  users: ["customers"],
  transfers: ["customers", "transfers"],
  invoices: ["invoices"],
  tracking: ["tracking_codes"],
  labelTypes: ["label_types"],
  staff: ["accounts"],
  views: ["saved_views"],
  website: ["api_keys", "files"],
  storefront: ["orders", "fedex_orders", "invoices"],
};

/** First codes of ranges, as a carrier would issue them. */
const ranges = ["9400000000000000000100", "9400000000000000100008"];

/** A little of everything, so that input can go far; and by feature what its calls know of it. */
export async function addSomeOfEverything(): Promise<(feature: string) => Known> {
  const customer = await addCustomer({ balance: 500, customPricingEnabled: true });
  await addCustomer({ verifiedAt: null });
  const tiers = tiersUpTo({ 10: 4, 50: 8.5 });
  const labelType = await addLabelType({ uid: "priority", name: "Priority", tiers });
  const other = await addLabelType({ uid: "other", kind: "shipv2", tiers });
  const codes = Array.from({ length: 20 }, (_, place) => `94000000000000000000${10 + place}`);
  await db
    .insert(trackingCodes)
    .values(codes.map((code) => ({ code, type: "priority" as const, template: "evs" as const })));
  await addBulkOrder({ customer });
  for (let number = 0; number < 3; number++) {
    await addOrder({ customer, labelType: other });
    await addFedexOrder({ customer });
    await addInvoice({ customer });
    const { id } = await addAccount(`colleague${number}`, "staff");
    await db
      .insert(savedViews)
      .values({ accountId: id, screen: "orders", name: "Theirs", query: "status=Active", shared: number > 0 });
  }
  await db.transaction((tx) => createKey(tx, { name: "Corner shop" }));
  const ids = await idsByTable([...new Set(Object.values(idsOf).flat()), "price_tiers", "shops"]);
  return (feature) => ({
    id: (idsOf[feature] ?? Object.keys(ids)).flatMap((table) => ids[table] ?? []),
    price_id: ids.price_tiers ?? [],
    shop: ids.shops ?? [],
    labelType: [labelType.id, labelType.uid, other.uid],
    discordId: [customer.discordId],
    trackRef: ranges,
    first: ranges,
    last: ranges,
  });
}

async function idsByTable(tables: string[]): Promise<Record<string, string[]>> {
  const read = async (table: string): Promise<[string, string[]]> => {
    const { rows } = await db.execute<{ id: string }>(sql`select id from ${sql.identifier(table)}`);
    return [table, rows.map(({ id }) => id)];
  };
  return Object.fromEntries(await Promise.all(tables.map(read)));
}
