import * as z from "zod";
import { doneOrAsked } from "./approvals.ts";
import { endpoint } from "./endpoint.ts";
import { Invoice, paymentMethod } from "./invoices.ts";
import { author } from "./logs.ts";
import {
  id,
  idParam,
  ids,
  listQuery,
  message,
  money,
  moneySum,
  outcomes,
  pageCounts,
  reason,
  timestamp,
} from "./schemas.ts";

/** The largest file, and the most lines below its heading. */
export const statementBytes = 10 * 1024 * 1024;
export const mostStatementLines = 100_000;

/** The possible meanings of a statement's column. */
export const statementFields = [
  "date",
  "time",
  "zone",
  "amount",
  "currency",
  "name",
  "email",
  "note",
  "invoice",
  "transaction",
  "reference",
  "type",
  "status",
] as const;
export type StatementField = (typeof statementFields)[number];

const column = z.int().min(0).max(199).nullable();
/** The position (from 0) of each kind of column, and how dates and amounts are written. */
export type StatementMapping = z.output<typeof StatementMapping>;
export const StatementMapping = z.object({
  source: paymentMethod,
  columns: z.object({
    date: column,
    time: column,
    zone: column,
    amount: column,
    currency: column,
    name: column,
    email: column,
    note: column,
    invoice: column,
    transaction: column,
    /** The transaction that a line reverses. */
    reference: column,
    type: column,
    status: column,
  }),
  /** For dates such as 03/11/2026. */
  dateOrder: z.enum(["day first", "month first"]),
  /** The decimal mark. */
  decimal: z.enum([".", ","]),
});

/**
 * The state of a line. Open lines have a certain, likely or unclear invoice, or none; the others are paid or set aside.
 */
export const lineStates = ["certain", "likely", "unclear", "none", "paid", "aside"] as const;
export const lineState = z.enum(lineStates);
export type LineState = (typeof lineStates)[number];

export const statementStates = ["new", "reading", "ready"] as const;
export const statementState = z.enum(statementStates);

/** Why a line of the file is no incoming payment. */
export const skippedBecause = ["outgoing", "not completed", "another currency", "no payment"] as const;
export type SkippedBecause = (typeof skippedBecause)[number];

const counted = z.object({ count: z.int(), sum: moneySum });

export type Statement = z.input<typeof Statement>;
const Statement = z.object({
  _id: id,
  file: z.string(),
  source: paymentMethod.nullable(),
  /** `new` until its columns are confirmed, then `reading` until all lines are read. */
  state: statementState,
  by: author,
  /** Lines below the heading, and how many of them were read. */
  lines: z.int(),
  read: z.int(),
  /** The lines read so far: payments by state, lines that are no payment, known ones and refused ones. */
  payments: z.record(lineState, counted),
  skipped: z.record(z.enum(skippedBecause), z.int()),
  known: z.int(),
  refused: z.int(),
  /** The times of its first and last payment. */
  firstAt: timestamp.nullable(),
  lastAt: timestamp.nullable(),
  createdAt: timestamp,
});

export type StatementColumns = z.input<typeof StatementColumns>;
/** A view of the file while its columns are not confirmed. */
const StatementColumns = z.object({
  headings: z.array(z.string()),
  /** The first lines as they are in the file. */
  samples: z.array(z.array(z.string())),
  mapping: StatementMapping,
  /** The columns of such a file were confirmed before. */
  remembered: z.boolean(),
  /** No line shows whether the day or the month comes first, so this is a guess. */
  orderGuessed: z.boolean(),
  /** The first payments, as read with this mapping. */
  understood: z.array(z.object({ line: z.int(), at: timestamp, amount: money, name: z.string(), note: z.string() })),
  /** What is missing before the lines can be read. */
  problem: z.string().nullable(),
  /** A warning that does not prevent reading. */
  warning: z.string().nullable(),
});

export type StatementLine = z.input<typeof StatementLine>;
const StatementLine = z.object({
  _id: id,
  /** Its line number in the file. */
  line: z.int(),
  at: timestamp,
  /** False if the file has only the day. */
  hasTime: z.boolean(),
  amount: money,
  name: z.string(),
  email: z.string(),
  note: z.string(),
  transaction: z.string(),
  state: lineState,
  /** The invoice that it fits, or that it paid. */
  invoice: Invoice.nullable(),
  /** Why that invoice, in words; or why it was set aside. */
  reason: z.string(),
  /** The line that reports its reversal or refund, in words. */
  reversed: z.string().nullable(),
  /** Who used it for a payment or set it aside. */
  done: z.object({ by: z.string(), at: timestamp, transfer: id.nullable(), reversed: z.boolean() }).nullable(),
  /** Who asked for approval to pay an invoice with it, while the request waits. */
  asked: z.object({ by: z.string(), request: id }).nullable(),
});

/** Lines with the invoices that were shown beside them. */
const pairs = z
  .array(z.object({ line: id, invoice: id }))
  .min(1, "Choose at least one")
  .max(100, "At most 100 at once")
  .refine((all) => new Set(all.map(({ line }) => line.toLowerCase())).size === all.length, "A line is named twice")
  .refine(
    (all) => new Set(all.map(({ invoice }) => invoice.toLowerCase())).size === all.length,
    "An invoice is named twice",
  );

const given = reason.unwrap();
const path = "/api/v1/admin/statements" as const;

const list = endpoint({
  method: "GET",
  path: `${path}/read`,
  access: "staff",
  summary: "List the statements that were dropped, newest first",
  query: listQuery.pick({ page: true, limit: true }),
  reply: z.object({ statements: z.array(Statement), ...pageCounts }),
});

export const statements = {
  list,
  read: endpoint({
    method: "GET",
    path: `${path}/read/:id`,
    access: "staff",
    summary: "Read one statement: what became of its lines, and which of these were refused, by number",
    params: idParam,
    reply: z.object({
      statement: Statement,
      /** The first thousand refused lines. */
      refused: z.array(z.object({ line: z.int(), why: z.string() })),
    }),
  }),
  drop: endpoint({
    method: "POST",
    path: `${path}/drop`,
    access: "staff",
    summary: "Drop a statement of the payment app or of PayPal, as CSV; a file that is known answers its statement",
    body: z.looseObject({}),
    upload: { field: "file", maxBytes: statementBytes, types: ["text/csv"] },
    takesLong: "with a file",
    reply: message.extend({ statement: Statement, isKnown: z.boolean() }),
  }),
  columns: endpoint({
    method: "POST",
    path: `${path}/columns/:id`,
    access: "staff",
    summary: "What the columns of a new statement are taken for, or with another mapping its first payments",
    params: idParam,
    body: z.object({ mapping: StatementMapping.optional() }),
    takesLong: "with a file",
    reply: z.object({ columns: StatementColumns }),
  }),
  take: endpoint({
    method: "POST",
    path: `${path}/take/:id`,
    access: "staff",
    summary:
      "Confirm the columns and read up to 20,000 lines; repeat it until the statement is ready, also after it broke off",
    params: idParam,
    body: z.object({ mapping: StatementMapping.optional() }),
    takesLong: "with a file",
    reply: message.extend({ statement: Statement }),
  }),
  match: endpoint({
    method: "POST",
    path: `${path}/match/:id`,
    access: "staff",
    summary: "Match the open lines with the invoices that are pending now",
    params: idParam,
    takesLong: "with a file",
    reply: message.extend({ statement: Statement }),
  }),
  lines: endpoint({
    method: "GET",
    path: `${path}/lines/:id`,
    access: "staff",
    summary: "List the payments of a statement, oldest first, with the invoices that they fit and why",
    params: idParam,
    query: listQuery.extend({
      sort: listQuery.shape.sort.unwrap().default("asc"),
      state: z.enum(["All", ...lineStates, "left"]).default("All"),
      /** Only lines after this one, in the order of the file. */
      after: z.coerce.number<string | number>().int().min(0).max(1e9).optional(),
    }),
    reply: z.object({ lines: z.array(StatementLine), ...pageCounts }),
  }),
  invoices: endpoint({
    method: "GET",
    path: `${path}/invoices/:id`,
    access: "staff",
    summary: "List the pending invoices of a statement's days that no line fits, oldest first",
    params: idParam,
    query: listQuery.pick({ page: true, limit: true, ids: true }),
    reply: z.object({ invoices: z.array(Invoice), ...pageCounts }),
  }),
  pay: endpoint({
    method: "PUT",
    path: `${path}/pay/:id`,
    access: "staff",
    summary: "Mark an invoice as paid by a line: one that was proposed, or any other that is not paid",
    params: idParam,
    /** `differs`, with a reason, if line and invoice knowingly have different amounts. */
    body: z.object({ invoice: id, differs: z.boolean().default(false), reason }),
    idempotent: true,
    mayAsk: true,
    reply: doneOrAsked,
  }),
  payCertain: endpoint({
    method: "POST",
    path: `${path}/pay`,
    access: "staff",
    summary:
      "Mark as paid what up to 100 lines fit for certain, each by itself; lines that are not certain are refused",
    body: z.object({ ids, reason }),
    idempotent: true,
    reply: outcomes,
  }),
  payProposed: endpoint({
    method: "POST",
    path: `${path}/pay-proposed`,
    access: "staff",
    summary:
      "Mark as paid what up to 100 lines fit for certain or likely, each with the invoice that was seen beside it; a line that fits another by now is refused",
    body: z.object({ pairs, reason }),
    idempotent: true,
    reply: outcomes,
  }),
  setAside: endpoint({
    method: "POST",
    path: `${path}/aside`,
    access: "staff",
    summary: "Set up to 100 lines aside that belong to no invoice, saying why",
    body: z.object({ ids, reason: given.min(1, "Say why it belongs to no invoice") }),
    idempotent: true,
    reply: outcomes,
  }),
  reopen: endpoint({
    method: "POST",
    path: `${path}/reopen/:id`,
    access: "staff",
    summary: "Open a line again that was set aside, or whose payment was reversed, saying why",
    params: idParam,
    body: z.object({ reason: given.min(1, "Say why it is opened again") }),
    idempotent: true,
    reply: message,
  }),
  remove: endpoint({
    method: "DELETE",
    path: `${path}/:id`,
    access: "staff",
    summary: "Remove a statement with all its lines, none of which was used",
    params: idParam,
    reply: message,
  }),
};
