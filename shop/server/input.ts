import type { CreateFedexOrderInput, Purchase } from "@footprint/client";
import { badField, refusal } from "./refusal.ts";

type Body = Record<string, unknown>;

export function text(body: Body, name: string): string {
  const value = body[name];
  if (value !== undefined && typeof value !== "string") throw badField(name, `${name} is a text`);
  return value?.trim() ?? "";
}

export function amount(body: Body, name: string): number {
  const value = body[name];
  if (typeof value !== "number" || !Number.isFinite(value)) throw badField(name, "Enter a number");
  return value;
}

function object(value: unknown): Body {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refusal(400, "input", "Send a form");
  return value as Body;
}

/**
 * One key per opened form, so that everything sent with it is done once. It begins with the customer's id, since
 * somebody else may have signed in meanwhile in another tab, and would pay.
 */
export function formKey(body: Body, discordId: string): string {
  const key = text(body, "key");
  const whose = /^(.+):[\da-f-]{36}$/.exec(key)?.[1];
  if (!whose) throw refusal(400, "input", "The form has no key. Reload the page.");
  if (whose !== discordId)
    throw refusal(401, "signed-out", "Somebody else is signed in by now, so this was not sent. Reload the page.");
  return key;
}

const fields = ["Name", "Company", "Street", "Street2", "City", "State", "Zip", "Country"] as const;

/** A label from a form: only the fields that Footprint takes. */
export function label(value: unknown): Purchase {
  const body = object(value);
  const address = (side: "from" | "to") => fields.map((field) => [side + field, text(body, side + field)]);
  const sides = Object.fromEntries([...address("from"), ...address("to")]);
  return { labelType: text(body, "labelType"), weight: amount(body, "weight"), ...sides } as Purchase;
}

export function labels(value: unknown): Purchase[] {
  if (!Array.isArray(value)) throw refusal(400, "input", "Send a list of labels");
  return value.map(label);
}

export function fedexRequest(body: Body): Omit<CreateFedexOrderInput, "discordId"> {
  const party = (side: "from" | "to") => {
    const sent = object(body[side]);
    const [name, street, street2, city, state, zip] = ["name", "street", "street2", "city", "state", "zip"].map(
      (field) => text(sent, field),
    ) as [string, string, string, string, string, string];
    return { name, street, street2, city, state, zip };
  };
  return {
    from: party("from"),
    to: party("to"),
    weight: amount(body, "weight"),
    length: amount(body, "length"),
    width: amount(body, "width"),
    height: amount(body, "height"),
    weightUnit: text(body, "weightUnit"),
    dimensionUnit: text(body, "dimensionUnit"),
    specialNotes: text(body, "specialNotes"),
  };
}

/** A list's query, from its address. */
export function listed(query: URLSearchParams) {
  const page = Number(query.get("page") ?? 1);
  return {
    page: Number.isInteger(page) && page > 0 && page < 1e6 ? page : 1,
    search: (query.get("search") ?? "").slice(0, 200),
    status: oneOf(["All", "Active", "Refunded"] as const, query.get("status")),
  };
}

const oneOf = <T extends string>(all: readonly [T, ...T[]], value: string | null): T =>
  all.find((one) => one === value) ?? all[0];
