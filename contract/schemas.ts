import * as z from "zod";
import type { Download } from "./endpoint.ts";

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

/** A reply that is a file. */
export const download = z.custom<Download>();

/** An address as it is shown. */
export const address = {
  name: z.string(),
  company: z.string(),
  street: z.string(),
  street2: z.string(),
  city: z.string(),
  state: z.string(),
  zip: z.string(),
  country: z.string(),
};
