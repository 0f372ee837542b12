import { flatAddress } from "@footprint/contract/address.ts";
import type { Random } from "./random.ts";
import { cities, companies, firstNames, handles, lastNames, streetKinds, streets } from "./words.ts";

/** An unused name; a number is added once the plain names are used up. */
export function newUsername(random: Random, taken: Set<string>): string {
  const [one, other, first] = [random.pick(handles), random.pick(handles), random.pick(firstNames).toLowerCase()];
  const wish = random.pick([
    `${first}.${random.pick(lastNames)[0]?.toLowerCase()}`,
    `${one}_${other}`,
    `${one}${random.between(1, 99)}`,
    `${first}${random.between(1, 99)}`,
  ]);
  const name = taken.has(wish) ? `${wish}_${taken.size}` : wish;
  taken.add(name);
  return name;
}

/** Chat ids contain their time. */
export const newDiscordId = (random: Random, at: number) =>
  String((BigInt(at - Date.UTC(2015, 0, 1)) << 22n) + BigInt(random.between(0, 4_194_303)));

/** Somebody who sends or receives a parcel. */
export function newParty(random: Random) {
  const [city, state, zip] = random.pick(cities);
  return {
    name: `${random.pick(firstNames)} ${random.pick(lastNames)}`,
    street: `${random.between(1, 4800)} ${random.pick(streets)} ${random.pick(streetKinds)}`,
    street2: random.chance(0.2) ? `Apt ${random.between(1, 40)}` : "",
    city,
    state,
    zip: zip + String(random.between(1, 99)).padStart(2, "0"),
  };
}

/** Sender and receiver, in the form of Fedex orders. */
export const newAddresses = (random: Random) => ({
  ...flatAddress("from", newParty(random)),
  ...flatAddress("to", newParty(random)),
});

/** The same in the form of orders; senders are more often businesses. */
export const newOrderAddresses = (random: Random) => ({
  ...newAddresses(random),
  fromCompany: random.chance(0.5) ? random.pick(companies) : "",
  fromCountry: "United States",
  toCompany: random.chance(0.15) ? random.pick(companies) : "",
  toCountry: "United States",
});
