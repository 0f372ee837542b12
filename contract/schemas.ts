import * as z from "zod";
import type { Download } from "./endpoint.ts";

/** At most so many decimals. Rounding errors are tolerated: 0.1 + 0.2 has one decimal. */
export const hasDecimals = (most: number) => (value: number) =>
  Math.abs(value - Math.round(value * 10 ** most) / 10 ** most) <= Math.abs(value) * 4 * Number.EPSILON;

const cents = {
  decode: (dollars: number) => Math.round(dollars * 100),
  encode: (value: number) => value / 100,
};

/** Far above what any call allows, which says its own limit. */
const tooLarge = "This amount is too large";

/** Cents on the server, a number with at most two decimals on the wire. */
export const money = z.codec(
  z.number().min(-1e10, tooLarge).max(1e10, tooLarge).refine(hasDecimals(2), "An amount has at most two decimals"),
  z.int(),
  cents,
);

/** A sum of money in a reply, which may be larger than any single amount. */
export const moneySum = z.codec(z.number(), z.int(), cents);

/** A Date on the server, ISO 8601 in UTC on the wire. */
export const timestamp = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

/** A visible character: no blank, no separate accent, nothing invisible. */
export const visibleCharacter = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * One line of text without characters that change its direction, since it becomes part of the log's sentences and could
 * make them read differently.
 */
export const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u;

/** Weights and sizes are stored with three decimals. */
export const inThousandths = (value: number) => Math.round(value * 1000) / 1000;

/** Pounds or ounces, by label type. Rounded like the stored weight, since the price depends on that. */
export const weight = z
  .number()
  .min(0)
  .max(100_000)
  .refine(hasDecimals(3), "A weight has at most three decimals")
  .overwrite(inThousandths);

/** The weight of a label that can be bought. */
export const parcelWeight = weight.refine((value) => value >= 0.001, "A parcel weighs more than 0");

/** In small letters, as the database writes it, since ids are compared as text. */
export const id = z.uuid().overwrite((text) => text.toLowerCase());
export const idParam = z.object({ id });

/** A customer as lists name them. */
export const namedCustomer = z.object({ _id: id, username: z.string() });

/** A reply that only says what happened. */
export const message = z.object({ message: z.string() });

const idsUpTo = (most: number) =>
  z
    .array(id)
    .min(1, "Choose at least one")
    .max(most, `At most ${most.toLocaleString("en-US")} at once`)
    .refine((all) => new Set(all.map((each) => each.toLowerCase())).size === all.length, "One is named twice");

/** Several rows for one action. */
export const ids = idsUpTo(100);

/** As many rows as can be chosen in the panel's lists. */
export const mostChosen = 1_000;
export const chosenIds = idsUpTo(mostChosen);

/** The outcome for each row, in the order asked, with the reason of refusals. */
export type Outcome = z.input<typeof outcome>;
const outcome = z.object({
  _id: id,
  done: z.boolean(),
  message: z.string(),
  /** The request that was made, if an administrator has to approve it. */
  request: id.optional(),
});
export const outcomes = message.extend({ outcomes: z.array(outcome) });

export const sortOrder = z.enum(["asc", "des"]);

/** Several ids in a query: one text, separated by commas. */
const idsInQuery = z.codec(z.string(), ids, {
  decode: (text) => text.split(","),
  encode: (all) => all.join(","),
});

/** An amount or weight in a query, where values arrive as text. 1e3 is more likely mistyped than a thousand. */
export const inQuery = <T extends z.ZodType<unknown, number>>(number: T) =>
  z.preprocess(
    (value: string | number) => (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value),
    number,
  );

/** What every list accepts. */
export const listQuery = z.object({
  /** Only these rows, wherever they are in the list. */
  ids: idsInQuery.optional(),
  page: z.coerce.number<string | number>().int().min(1).max(1e9).default(1),
  limit: z.coerce.number<string | number>().int().min(1).max(100).default(10),
  sort: sortOrder.default("des"),
  search: z.string().trim().normalize().max(200).default(""),
});

/** There is no year 0, in the database either. */
export const day = z.iso.date().refine((date) => date >= "0001", "There is no such day");

/** Business days, both included. */
export const period = { from: day.optional(), to: day.optional() };

/** Why money was moved, a customer disabled and so on. */
export const reason = z
  .string()
  .trim()
  .max(500, "A reason has at most 500 characters")
  .regex(oneLine, "A reason is one line of text")
  .default("");

/** What every list answers besides its rows. */
export const pageCounts = {
  total: z.int(),
  totalPages: z.int().min(1),
  /** There are more than `total`, because counting stopped. */
  totalCapped: z.boolean().optional(),
};

/** A reply that is a file. */
export const download = z.custom<Download>();

/** The fields of an address. */
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
