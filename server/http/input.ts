import { refusal } from "@footprint/contract/refusal.ts";
import * as z from "zod";
import { unstorable } from "./errors.ts";

/** A body as it arrived. */
export function readJson(body: Buffer | undefined): unknown {
  // Clients that always send the header send it with an empty body too.
  if (!body || body.length === 0) return {};
  try {
    return JSON.parse(body.toString()) ?? {};
  } catch {
    throw refusal(400, "The request is not valid JSON");
  }
}

/** What came in, checked and typed; or 400, saying in a sentence what is wrong with which field. */
export function parse(schema: z.ZodType | undefined, value: unknown, part: "params" | "query" | "body"): never {
  const parsed = schema?.safeParse(upToFirstFault(schema, value), { error: sentence });
  if (parsed && !parsed.success) {
    const issues = parsed.error.issues
      .slice(0, mostIssues)
      .map(({ path, message }) => ({ path: [part, ...path].join("."), message }));
    throw refusal(400, issues[0]?.message ?? "The input is not valid", { issues });
  }
  const place = parsed && placeOfUnstorable(parsed.data, [part]);
  if (place) throw refusal(400, unstorable, { issues: [{ path: place.join("."), message: unstorable }] });
  return parsed?.data as never;
}

/** Enough to mend one row of a table; with the next it can be tried again. */
const mostIssues = 20;

/** No list that the contract knows is longer. */
const longestList = 500;

/**
 * The same input with each list cut off behind its first wrong entry, or where it is too long in any case. What is wrong
 * stays wrong: but to find fault with thousands of entries, and to say it of each, would take seconds.
 */
function upToFirstFault(schema: z.ZodType, value: unknown): unknown {
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const cut = Object.entries(value).flatMap(([name, list]) => {
    if (!Array.isArray(list)) return [];
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    const isWrong = (entry: unknown) => field instanceof z.ZodArray && !z.safeParse(field.element, entry).success;
    const end = list.slice(0, longestList).findIndex(isWrong);
    return [[name, list.slice(0, end < 0 ? longestList + 1 : end + 1)] as const];
  });
  return cut.length === 0 ? value : { ...value, ...Object.fromEntries(cut) };
}

/** Where there is text that the database cannot keep. Other than the input itself, what was parsed is never deep. */
function placeOfUnstorable(value: unknown, path: string[]): string[] | undefined {
  if (typeof value === "string") return value.includes("\0") || !value.isWellFormed() ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const place = placeOfUnstorable(inner, [...path, name]);
    if (place) return place;
  }
  return undefined;
}

/** For issues to which the contract gives no sentence of its own. */
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
