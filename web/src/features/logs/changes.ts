import type { Log } from "@footprint/contract/logs.ts";

type Json = Log["before"];
export type Value = string | number | boolean | null;

/** The fields of an entry that differ, and the names of those that do not. */
export function changesOf(before: Json, after: Json) {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const fields = [...new Set([...was.keys(), ...is.keys()])];
  const differs = (field: string) => was.get(field) !== is.get(field);
  return {
    changed: fields.filter(differs).map((field) => ({ field, before: was.get(field), after: is.get(field) })),
    unchanged: fields.filter((field) => !differs(field)),
  };
}

/** Whatever is nested becomes `Sender street`; a list's items are numbered. */
function fieldsOf(value: Json, path: string[] = []): Map<string, Value> {
  if (value !== null && typeof value === "object") {
    const inner = Array.isArray(value) ? value.map(numbered) : Object.entries(value);
    return new Map(inner.flatMap(([name, item]) => [...fieldsOf(item, [...path, name])]));
  }
  return value === null && path.length === 0 ? new Map() : new Map([[read(path), value]]);
}

const numbered = (item: Json, place: number): [string, Json] => [String(place + 1), item];

/** customPricingEnabled: Custom pricing enabled */
function read(path: string[]): string {
  const words = path.join(" ").replace(/([a-z\d])([A-Z])/g, "$1 $2");
  return words ? words.charAt(0).toUpperCase() + words.slice(1).replaceAll("_", " ").toLowerCase() : "Value";
}
