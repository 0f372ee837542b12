import * as z from "zod";

/** Who may make a call: anyone, any signed-in account, administrators, or a shop with an API key. */
export type Access = "public" | "staff" | "admin" | "storefront";

/** What an API key may be for. Reading what belongs to its shop is part of each. */
export const scopes = ["orders", "customers", "deposits", "mark-as-paid"] as const;
export type Scope = (typeof scopes)[number];

export type Endpoint = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: `/${string}`;
  access: Access;
  /** For shops: the key needs one of these. */
  scope?: readonly Scope[];
  /** One line for the API page. */
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** What a body may weigh, where it is more than is usual. */
  maxBytes?: number;
  /** The body may come as multipart with one file in this field. */
  upload?: { field: string; maxBytes: number; types: readonly FileType[] };
  /** Accepts, or requires, an `Idempotency-Key`: the same key and body replays the first answer. */
  idempotent?: true | "required";
  /** The status of success, where it is not 200. */
  status?: 201;
  reply: z.ZodType;
};

/** Files are told apart by their first bytes, never by their name. */
export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export const documentTypes = ["application/pdf", ...imageTypes] as const;
export type FileType = (typeof documentTypes)[number];

/** A reply that is a file rather than JSON. */
export type Download = {
  name: string;
  type: string;
  size: number;
  /** Shown in the page instead of saved. */
  inline?: boolean;
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
};
export const download = z.custom<Download>();

export const endpoint = <const E extends Endpoint>(definition: E): E => definition;

/** Every call of one feature, by plain name. */
export type Feature = Record<string, Endpoint>;

type Part<E, K extends "params" | "query" | "body"> = E extends { [P in K]: infer S } ? S : undefined;

/** What a handler receives: parsed, with defaults filled in, money in cents, times as Date. */
export type Parsed<E extends Endpoint, K extends "params" | "query" | "body"> =
  Part<E, K> extends z.ZodType ? z.output<Part<E, K>> : undefined;

/** What a caller sends: as it travels. */
type Sent<E extends Endpoint, K extends "params" | "query" | "body"> =
  Part<E, K> extends z.ZodType
    ? Record<string, never> extends z.input<Part<E, K>>
      ? { [P in K]?: z.input<Part<E, K>> }
      : { [P in K]: z.input<Part<E, K>> }
    : unknown;
/** The file beside the body: a browser's File or Blob, of which the contract knows no more than this. */
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

/** True for a number with at most so many decimals, but for what floats leave behind a sum: 0.1 + 0.2 has one. */
const hasDecimals = (most: number) => (value: number) =>
  Math.abs(value - Math.round(value * 10 ** most) / 10 ** most) <= Math.abs(value) * 4 * Number.EPSILON;

const cents = {
  decode: (dollars: number) => Math.round(dollars * 100),
  encode: (value: number) => value / 100,
};

/** Cents on the server, a number with at most two decimals on the wire. */
export const money = z.codec(
  z.number().min(-1e10).max(1e10).refine(hasDecimals(2), "An amount has at most two decimals"),
  z.int(),
  cents,
);

/** The same of many amounts, in replies: it may be larger than any of them. */
export const sum = z.codec(z.number(), z.int(), cents);

/** A Date on the server, ISO 8601 in UTC on the wire. */
export const timestamp = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

/** Something to see: not only blanks, marks that have no letter to stand on, and what is never shown. */
export const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What is stored of a weight or a size. */
export const inThousandths = (value: number) => Math.round(value * 1000) / 1000;

/** Pounds or ounces, by label type; without what floats leave behind, since prices depend on what is stored. */
export const weight = z
  .number()
  .min(0)
  .max(100_000)
  .refine(hasDecimals(3), "A weight has at most three decimals")
  .overwrite(inThousandths);

export const id = z.uuid();
export const idParam = z.object({ id });

/** A reply that only says what happened. */
export const message = z.object({ message: z.string() });

export const sortOrder = z.enum(["asc", "des"]);

/** What every list accepts. Query values arrive as text, hence the coercion. */
export const listQuery = z.object({
  page: z.coerce.number<string | number>().int().min(1).max(1e9).default(1),
  limit: z.coerce.number<string | number>().int().min(1).max(100).default(10),
  sort: sortOrder.default("des"),
  search: z.string().trim().max(200).default(""),
});

/** What every list answers beside its rows. */
export const pageCounts = {
  total: z.int(),
  totalPages: z.int().min(1),
  /** A search with more hits than are worth counting: there are at least `total`. */
  totalCapped: z.boolean().optional(),
};
