import fc, { type Arbitrary } from "fast-check";
import * as z from "zod";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Values that exist in the business, by the name of their field. */
export type Known = Record<string, string[]>;

type Schema = {
  const?: Json;
  enum?: Json[];
  anyOf?: Schema[];
  type?: string;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

/** Input that a call's schema accepts, as far as JSON Schema tells; rules in code are left to chance. */
export function validInput(schema: z.ZodType, known: Known): Arbitrary<Json> {
  return madeFor(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema, known);
}

function madeFor(schema: Schema, known: Known): Arbitrary<Json> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((option) => madeFor(option, known)));
  switch (schema.type) {
    case "object":
      return objectOf(schema, known);
    case "array":
      return fc.array(itemOf(schema.items ?? {}, known), { minLength: 1, maxLength: 3 });
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return fc.integer({ min: Math.max(schema.minimum ?? 1, 1), max: Math.min(schema.maximum ?? 50, 50) });
    case "string":
      return textOf(schema);
    default:
      return fc.integer({ min: 1, max: 50 });
  }
}

/** An id in a list usually belongs to an existing row. */
function itemOf(schema: Schema, known: Known): Arbitrary<Json> {
  const made = madeFor(schema, known);
  const { id: ids = [] } = known;
  if (schema.format !== "uuid" || ids.length === 0) return made;
  return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: made });
}

function objectOf({ properties = {}, required = [] }: Schema, known: Known): Arbitrary<Json> {
  const fields = Object.entries(properties).map(([name, field]): [string, Arbitrary<Json>] => {
    const fitting = (known[name] ?? []).filter((text) => isUuid(text) === (field.format === "uuid"));
    // A call that asks to wait would be kept waiting.
    const made = name === "wait" ? fc.constant(0) : madeFor(field, known);
    if (fitting.length === 0) return [name, made];
    return [name, fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fitting) }, { weight: 1, arbitrary: made })];
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: required, noNullPrototype: true });
}

const examples: Record<string, Arbitrary<string>> = {
  uuid: fc.uuid(),
  email: fc.constantFrom("lena@example.com", "t.brandt@example.org"),
  uri: fc.constantFrom("https://example.com/pay/1", "http://example.org/?a=b"),
  "date-time": fc.constant("2026-01-31T12:00:00Z"),
  date: fc.constant("2026-01-31"),
  ipv4: fc.constant("203.0.113.7"),
  ipv6: fc.constant("2001:db8::1"),
  cidrv4: fc.constant("203.0.113.0/24"),
  cidrv6: fc.constant("2001:db8::/32"),
};

function textOf({ format, pattern, minLength = 0, maxLength = 20 }: Schema): Arbitrary<string> {
  const example = examples[format ?? ""];
  if (example) return example;
  const length = { minLength: Math.max(minLength, 1), maxLength: Math.max(minLength, Math.min(maxLength, 20)) };
  const plain = fc.string({ unit: fc.constantFrom(..."abcdefghij0123456789"), ...length });
  // The generator of matching texts does not know Unicode classes; plain letters match the patterns we have.
  return pattern && !pattern.includes("\\p{") ? fc.stringMatching(new RegExp(pattern)) : plain;
}

const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
