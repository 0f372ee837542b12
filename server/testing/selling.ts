import { website } from "@footprint/contract/website.ts";
import { trackingCodes } from "../db/schema.ts";
import { addCustomer, addLabelType, someAddresses } from "./builders.ts";
import { call, db } from "./server.ts";

/** A label that can be bought, once there is something to sell. */
export const someLabel = {
  ...{ discordId: "4711", labelType: "priority", weight: 2.5 },
  ...{ ...someAddresses, fromCountry: "US", toCountry: "US" },
};

/** A shop with a key of all scopes, a customer with $100, and ten prepaid codes at $7.45 each. */
export async function openShop({ customer = { discordId: "4711", username: "maren" } } = {}) {
  const { body } = await call("admin", website.createApiKey, { body: { name: "Main shop" } });
  await addLabelType({ uid: "priority", tiers: [[0, 5, 7.45]] });
  const codes = Array.from({ length: 10 }, (_, place) => ({ code: `94000000000000000001${place}0` }));
  await db
    .insert(trackingCodes)
    .values(codes.map((each) => ({ ...each, type: "priority" as const, template: "evs" as const })));
  return { key: body.key, customer: await addCustomer({ ...customer, balance: 100 }) };
}
