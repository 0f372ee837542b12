import { labelTypes } from "@footprint/contract/label-types.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { type Api, uniqueName } from "./api.ts";

/** A shop with a customer who has $50.00, and a label of 2.4 lb to buy for $8.90. */
export async function newShop(api: Api, adminToken: string) {
  const name = uniqueName("story");
  const { key } = await api.call(adminToken, website.createApiKey, { body: { name } });
  const who = { discordId: name };
  const { customer } = await api.call(key, storefront.putCustomer, { params: who, body: { username: name } });
  const params = { id: customer._id };
  await api.call(adminToken, users.verify, { params });
  await api.call(adminToken, users.addBalance, { params, body: { balance: 50 } });

  await api.call(adminToken, labelTypes.create, { body: { name, uid: name, maxWeight: 20, type: "wwbiz" } });
  const all = (await api.call(adminToken, labelTypes.list, {})).labelTypes;
  const labelType = all.find((one) => one.name === name)?._id ?? "";
  const tier = { fromWeight: 1, toWeight: 3, price: 8.9 };
  await api.call(adminToken, labelTypes.addTier, { params: { id: labelType }, body: tier });
  const from = { fromName: "Tidewater", fromStreet: "395 Garfield Ct", fromCity: "Richmond", fromState: "VA" };
  const to = { toName: name, toStreet: "50 Orchard St", toCity: "Spokane", toState: "WA" };
  const rest = { fromZip: "23220", fromCountry: "United States", toZip: "99207", toCountry: "United States" };
  return { key, name, who, params, labelType, label: { labelType: name, weight: 2.4, ...from, ...to, ...rest } };
}
