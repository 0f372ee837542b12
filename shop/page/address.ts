import { addressWarnings } from "@footprint/contract/us-addresses.ts";

export const fields = ["name", "company", "street", "street2", "city", "state", "zip", "country"] as const;
export type Field = (typeof fields)[number];
export type Address = Record<Field, string>;
export type Side = "from" | "to";

export const emptyAddress = (): Address => ({
  name: "",
  company: "",
  street: "",
  street2: "",
  city: "",
  state: "",
  zip: "",
  country: "United States",
});

/** The fields that a label needs, and the questions for them. */
export const needed: Partial<Record<Field, string>> = {
  name: "Enter a name",
  street: "Enter a street",
  city: "Enter a city",
  zip: "Enter a ZIP code",
  country: "Enter a country",
};

/** The longest texts that Footprint stores. */
export const longest: Record<Field, number> = {
  name: 100,
  company: 100,
  street: 200,
  street2: 200,
  city: 100,
  state: 100,
  zip: 20,
  country: 100,
};

const flatName = (side: Side, field: Field) => side + field.charAt(0).toUpperCase() + field.slice(1);

/** In an order's form: fromName, fromStreet. */
export const flat = (side: Side, address: Address) =>
  Object.fromEntries(fields.map((field) => [flatName(side, field), address[field].trim()]));

/** `toZip` and `to.zip` are the same field. */
export const formName = (path: string) =>
  path.replace(/^(from|to)([A-Z])/, (_, side: string, letter: string) => `${side}.${letter.toLowerCase()}`);

/** The missing fields, by the form's names. */
export function faultsOf(side: Side, address: Address, without: readonly Field[] = []): Record<string, string> {
  const empty = fields.filter((field) => needed[field] && !without.includes(field) && !address[field].trim());
  return Object.fromEntries(empty.map((field) => [`${side}.${field}`, needed[field] ?? ""]));
}

export const isInUs = (country: string) => addressWarnings({ state: "", zip: "", country }).length > 0;

/** Possible mistakes, only in fields that are filled in. */
export function cautionsOf({ state, zip, country }: Address): Partial<Record<Field, string>> {
  if (zip.trim().length < 5) return {};
  const found = addressWarnings({ state, zip, country });
  return Object.fromEntries(found.map(({ field, message }) => [field, message]));
}
