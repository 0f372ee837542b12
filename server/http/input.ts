import { refusal } from "@footprint/contract/refusal.ts";
import * as z from "zod";
import { unstorable } from "./errors.ts";

/** Parses a body. */
export function readJson(body: Buffer | undefined): unknown {
  // Some clients send the header even with an empty body.
  if (!body || body.length === 0) return {};
  try {
    return JSON.parse(body.toString()) ?? {};
  } catch {
    throw refusal(400, "The request is not valid JSON");
  }
}

/** Checked and typed input; or 400 with a sentence that says what is wrong with which field. */
export function parse(schema: z.ZodType | undefined, value: unknown, part: "params" | "query" | "body"): never {
  const parsed = schema?.safeParse(upToFirstFault(schema, value), { error: sentence });
  if (parsed && !parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({ path: [part, ...path].join("."), message }));
    throw refusal(400, issues[0]?.message ?? "The input is not valid", { issues });
  }
  const place = parsed && placeOfUnstorable(parsed.data);
  if (place) throw refusal(400, unstorable, { issues: [{ path: [part, ...place].join("."), message: unstorable }] });
  return parsed?.data as never;
}

/** No list in the contract may be longer, so a longer one is refused anyway. */
const longestList = 1_000;

/**
 * The same input with each list cut off after its first wrong entry. Wrong input stays wrong, but reporting hundreds of
 * faults would keep everybody waiting.
 */
function upToFirstFault(schema: z.ZodType, value: unknown): unknown {
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null || Array.isArray(value))
    return value;
  const lists = listsOf(schema);
  if (lists.length === 0) return value;
  const input: Record<string, unknown> = { ...value };
  for (const [name, field] of lists) {
    const list = input[name];
    if (!Array.isArray(list)) continue;
    const isWrong = (entry: unknown) => !z.safeParse(field.element, entry).success;
    const fault = list.slice(0, longestList).findIndex(isWrong);
    if (fault >= 0) input[name] = list.slice(0, fault + 1);
  }
  return input;
}

/** The fields of a schema that are lists, looked up once: every call asks. */
function listsOf(schema: z.ZodObject): [name: string, z.ZodArray][] {
  const lists = knownLists.get(schema) ?? Object.entries(schema.shape).filter(isList);
  knownLists.set(schema, lists);
  return lists;
}
const knownLists = new WeakMap<z.ZodObject, [name: string, z.ZodArray][]>();
const isList = (field: [string, unknown]): field is [string, z.ZodArray] => field[1] instanceof z.ZodArray;

/** Where there is text that the database cannot store. Unlike raw input, parsed input is never deep. */
function placeOfUnstorable(value: unknown): string[] | undefined {
  if (typeof value === "string") return value.includes("\0") || !value.isWellFormed() ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const name in value) {
    const place = placeOfUnstorable(value[name as never]);
    if (place) return [name, ...place];
  }
  return undefined;
}

/** For issues that have no sentence of their own in the contract. */
function sentence(issue: z.core.$ZodRawIssue): string | undefined {
  const field = issue.path?.join(".") || "The input";
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? `${field} is required`
        : `${field} must be ${named[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `${field} must be one of ${issue.values.join(", ")}`;
    case "invalid_format":
      return `${field} is not a valid ${issue.format}`;
    case "too_small":
      return `${field} must ${bound(issue.origin, "at least", issue.minimum, issue.inclusive)}`;
    case "too_big":
      return `${field} must ${bound(issue.origin, "at most", issue.maximum, issue.inclusive)}`;
    case "unrecognized_keys":
      return `Nothing is called ${issue.keys.join(", ")} here`;
    default:
      return undefined;
  }
}

const named: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function bound(origin: string, direction: string, limit: number | bigint, inclusive = true): string {
  const exact = inclusive ? direction : direction === "at least" ? "more than" : "less than";
  if (origin === "string") return `have ${exact} ${limit} characters`;
  if (origin === "array") return `have ${exact} ${limit} entries`;
  return `be ${exact} ${limit}`;
}
