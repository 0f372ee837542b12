import type { Log } from "@footprint/contract/logs.ts";

type Json = Log["before"];
type Plain = string | number | boolean | null;
/** A list of plain values counts as one value, shown on one line. */
export type Value = Plain | Plain[];

/** The fields of an entry that changed, and the names of those that did not. */
export function changesOf(before: Json, after: Json) {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const fields = [...new Set([...was.keys(), ...is.keys()])];
  const differs = (field: string) => JSON.stringify(was.get(field)) !== JSON.stringify(is.get(field));
  return {
    changed: fields.filter(differs).map((field) => ({ field, before: was.get(field), after: is.get(field) })),
    unchanged: fields.filter((field) => !differs(field)),
  };
}

/** Nested fields become `Sender street`; the items of a list are numbered. */
function fieldsOf(value: Json, path: string[] = []): Map<string, Value> {
  if (Array.isArray(value) && value.every(isPlain)) return new Map([[fieldName(path), value]]);
  if (value !== null && typeof value === "object") {
    const inner = Array.isArray(value) ? value.map(numbered) : Object.entries(value);
    return new Map(inner.flatMap(([name, item]) => [...fieldsOf(item, [...path, name])]));
  }
  return value === null && path.length === 0 ? new Map() : new Map([[fieldName(path), value]]);
}

const isPlain = (item: Json): item is Plain => item === null || typeof item !== "object";
const numbered = (item: Json, place: number): [string, Json] => [String(place + 1), item];

/** customPricingEnabled: Custom pricing enabled */
function fieldName(path: string[]): string {
  const words = path.join(" ").replace(/([a-z\d])([A-Z])/g, "$1 $2");
  return words ? words.charAt(0).toUpperCase() + words.slice(1).replaceAll("_", " ").toLowerCase() : "Value";
}
