import { flatAddress } from "@footprint/contract/address.ts";

type Schema = {
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  type?: string;
  default?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

const from = { name: "Tobias Brandt", street: "410 Cedar St", city: "Austin", state: "TX", zip: "78701" };
const to = { name: "Lena Okafor", street: "88 Wharf Rd", city: "Portland", state: "ME", zip: "04101" };
/** For orders, whose addresses are flat fields. */
const addressFields = {
  ...flatAddress("from", { street2: "", ...from }),
  ...flatAddress("to", { street2: "", ...to }),
};

/** Example values by field name. Of the optional fields, only those listed here are sent. */
const examples: Record<string, unknown> = {
  ...{ discordId: "4711", username: "maren", email: "maren@example.com" },
  ...{ labelType: "priority", weight: 2.5, weightUnit: "lb" },
  ...{ length: 16, width: 12, height: 8, dimensionUnit: "in" },
  ...{ from, to, ...addressFields, fromCountry: "US", toCountry: "US" },
  ...{ amount: 50, hosted_url: "https://pay.example/1", status: "paid" },
};

/** An input that a storefront call accepts, made from its schema. */
export function exampleOf(schema: Schema): unknown {
  if (schema.type === "array") return [exampleOf(schema.items ?? {})];
  const { properties, required = [] } = schema;
  if (!properties) return schema.const ?? schema.enum?.[0];
  const fields = Object.entries(properties).filter(([name]) => required.includes(name) || name in examples);
  return Object.fromEntries(fields.map(([name, field]) => [name, examples[name] ?? exampleOf(field)]));
}

export const knownExample = (name: string) => examples[name];
