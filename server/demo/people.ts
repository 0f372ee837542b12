import { flatAddress } from "@footprint/contract/address.ts";
import type { Random } from "./random.ts";
import { cities, companies, firstNames, handles, lastNames, streetKinds, streets } from "./words.ts";

/** A name that nobody has yet; a number is added once the good ones are gone. */
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

/** Chat ids carry their moment. */
export const newDiscordId = (random: Random, at: number) =>
  String((BigInt(at - Date.UTC(2015, 0, 1)) << 22n) + BigInt(random.between(0, 4_194_303)));

/** Somebody who sends or gets a parcel. */
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

/** Who sends to whom, as Fedex orders keep it. */
export const newAddresses = (random: Random) => ({
  ...flatAddress("from", newParty(random)),
  ...flatAddress("to", newParty(random)),
});

/** The same with what orders keep beside: senders are more often businesses. */
export const newOrderAddresses = (random: Random) => ({
  ...newAddresses(random),
  fromCompany: random.chance(0.5) ? random.pick(companies) : "",
  fromCountry: "United States",
  toCompany: random.chance(0.15) ? random.pick(companies) : "",
  toCountry: "United States",
});
