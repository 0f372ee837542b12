import type * as z from "zod";

/** Who may make a call: anyone, any signed-in account, administrators, or a shop with an API key. */
export type Access = "public" | "staff" | "admin" | "storefront";

/** What an API key allows. Each scope includes reading what belongs to the key's shop. */
export const scopes = ["orders", "customers", "deposits", "mark-as-paid"] as const;
export type Scope = (typeof scopes)[number];

export type Endpoint = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: `/${string}`;
  access: Access;
  /** For shops: the key needs at least one of these. */
  scope?: readonly Scope[];
  /** One line for the page that describes the API. */
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** The largest body, if larger than usual. */
  maxBytes?: number;
  /** The body may come as multipart with one file in this field. */
  upload?: { field: string; maxBytes: number; types: readonly FileType[] };
  /** Accepts, or requires, an `Idempotency-Key`: the same key and body replays the first answer. */
  idempotent?: true | "required";
  /** Accepts `If-Match` with the version that was read. If it has changed, the answer is 409 with the current state. */
  versioned?: true;
  /**
   * May wait for seconds for work that is shared by all who ask, without taking a place from other calls. "with a file"
   * means that it processes one, in steps of its own.
   */
  takesLong?: true | "with a file";
  /** Calls of one caller that arrive at the same time are made together. */
  together?: true;
  /** Needs a sign-in or a confirmation of the last 30 minutes: a stolen session alone must not do this. */
  sensitive?: true;
  /** May become a request for approval: the answer then has `request`, and is 202. */
  mayAsk?: true;
  /** The HTTP status of a success, if it is not 200. */
  status?: 201;
  reply: z.ZodType;
};

/** The server recognises a file's type by its first bytes, never by its name. */
export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export const documentTypes = ["application/pdf", ...imageTypes] as const;
/** CSV has no special first bytes: any text will do. */
export type FileType = (typeof documentTypes)[number] | "text/csv";

/** A reply that is a file rather than JSON. */
export type Download = {
  name: string;
  type: string;
  /** In bytes, if known beforehand. */
  size?: number;
  /** The number of rows of a table, if known beforehand. */
  rows?: number | undefined;
  /** Shown in the page instead of being saved. */
  inline?: boolean;
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
};

export const endpoint = <const E extends Endpoint>(definition: E): E => definition;

/** The calls of one feature, by name. */
export type Feature = Record<string, Endpoint>;

type Part<E, K extends "params" | "query" | "body"> = E extends { [P in K]: infer S } ? S : undefined;

/** What a handler receives: parsed, with defaults filled in, money in cents, times as Date. */
export type Parsed<E extends Endpoint, K extends "params" | "query" | "body"> =
  Part<E, K> extends z.ZodType ? z.output<Part<E, K>> : undefined;

/** What a caller sends, as JSON. */
type Sent<E extends Endpoint, K extends "params" | "query" | "body"> =
  Part<E, K> extends z.ZodType
    ? Record<string, never> extends z.input<Part<E, K>>
      ? { [P in K]?: z.input<Part<E, K>> }
      : { [P in K]: z.input<Part<E, K>> }
    : unknown;
/** The file sent with the body: a browser's File or Blob, as far as the contract knows these. */
type Attached<E> = E extends { upload: { field: infer F extends string } }
  ? { body?: { [P in F]?: { readonly size: number; readonly type: string } | undefined } }
  : unknown;
export type Input<E extends Endpoint> = Sent<E, "params"> & Sent<E, "query"> & Sent<E, "body"> & Attached<E>;

/** What a handler returns, and what a caller gets. */
export type Result<E extends Endpoint> = z.output<E["reply"]>;
export type Reply<E extends Endpoint> = z.input<E["reply"]>;

/** The address of a call, with its path parameters filled in. */
export function pathOf(definition: Endpoint, params: Record<string, string> = {}): string {
  return definition.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}
