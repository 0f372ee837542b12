import { flatAddress } from "@footprint/contract/address.ts";
import { scopes } from "@footprint/contract/endpoint.ts";
import { fedexStatus } from "@footprint/contract/fedex.ts";
import { invoiceStatus, paymentMethod } from "@footprint/contract/invoices.ts";
import { labelKind } from "@footprint/contract/label-types.ts";
import { authorKinds, logType, subjectKinds } from "@footprint/contract/logs.ts";
import { role } from "@footprint/contract/session.ts";
import { trackingTemplate, trackingType } from "@footprint/contract/tracking.ts";
import { transferKind } from "@footprint/contract/transfers.ts";
import { viewScreen } from "@footprint/contract/views.ts";
import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  customType,
  date,
  integer,
  json,
  jsonb,
  numeric,
  pgTable,
  pgView,
  smallint,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";
import { uuidv7 } from "./ids.ts";

// What queries have to know: columns and their types. References, checks, keys and indexes stand in the migrations
// alone, and so does the further column `search` of tables that can be searched, which only server/lists/search.ts knows.

const id = () => uuid().primaryKey().$defaultFn(uuidv7);
const moment = () => timestamp({ withTimezone: true, mode: "date" });
const createdAt = () => moment().notNull().defaultNow();
const cents = () => bigint({ mode: "number" });
const measure = () => numeric({ precision: 12, scale: 3, mode: "number" });
const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });

/** A column that holds one of a contract's values. */
const oneOf = <V extends string>(schema: { options: readonly V[] }) =>
  text({ enum: schema.options as readonly [V, ...V[]] }).notNull();

export const accounts = pgTable("accounts", {
  id: id(),
  username: text().notNull(),
  passwordHash: text().notNull(),
  role: oneOf(role),
  chatId: text().notNull().default(""),
  notificationAccess: boolean().notNull().default(false),
  /** What codes are computed from, as base32; asked for at sign-in once it is confirmed. */
  totpSecret: text(),
  totpConfirmedAt: moment(),
  /** The step of 30 seconds whose code was used last: neither it nor an older one is taken again. */
  totpLastStep: integer(),
  createdAt: createdAt(),
});

export const sessions = pgTable("sessions", {
  /** SHA-256 of the token, so that a stolen backup opens no door. */
  tokenHash: text().primaryKey(),
  /** Names the session to its owner. */
  id: uuid().notNull().defaultRandom(),
  accountId: uuid().notNull(),
  /** What signed in, in words, and from where. */
  device: text().notNull().default(""),
  address: text().notNull().default(""),
  /** The known device that it was opened on, by its token's hash. */
  knownDevice: text(),
  /** Sign-ins as this account that failed since the one before. */
  failuresBefore: integer().notNull().default(0),
  createdAt: createdAt(),
  lastUsedAt: createdAt(),
});

/** What stands in for a code when the authenticator app is lost; a used one is gone. */
export const recoveryCodes = pgTable("recovery_codes", {
  accountId: uuid().notNull(),
  /** SHA-256 of the code. */
  codeHash: text().notNull(),
});

/** Browsers that an account has signed in from: guesses made elsewhere do not keep them waiting. */
export const knownDevices = pgTable("known_devices", {
  /** SHA-256 of the token that the browser keeps. */
  tokenHash: text().notNull(),
  accountId: uuid().notNull(),
  createdAt: createdAt(),
  lastUsedAt: createdAt(),
});

/** Tries of the last hour that failed or are still running; a successful one clears its account and place. */
export const signInTries = pgTable("sign_in_tries", {
  id: id(),
  username: text().notNull(),
  /** Where they come from: a network, a known device or a session. */
  address: text().notNull(),
  triedAt: createdAt(),
  /** Whether it took one of the tries that a guesser has before pauses begin. */
  counted: boolean().notNull().default(true),
});

/** What the pause before the next guess grows with. All strangers who try one username share a row. */
export const signInLimits = pgTable("sign_in_limits", {
  guesser: text().primaryKey(),
  /** Tries that failed or are still running. */
  tries: integer().notNull().default(0),
  triedAt: createdAt(),
  /** In the strangers' row: failed sign-ins since the last that worked, whoever failed, and when the log was told. */
  failures: integer().notNull().default(0),
  toldAt: moment(),
});

/** Codes that were wrong, or are still being checked, whatever address they came from. */
export const codeTries = pgTable("code_tries", {
  id: id(),
  accountId: uuid().notNull(),
  triedAt: createdAt(),
});

/**
 * Lists with their search and filters, kept under a name. Without a reference: whoever deletes an account holds its row
 * while waiting for what it has under way, and deletes its views.
 */
export const savedViews = pgTable("saved_views", {
  id: id(),
  accountId: uuid().notNull(),
  screen: oneOf(viewScreen),
  name: text().notNull(),
  /** As in the address, without the question mark. */
  query: text().notNull(),
  /** Everybody's. Only administrators share. */
  shared: boolean().notNull(),
  createdAt: createdAt(),
});

/** Whoever sells for the business. What comes in through its keys is its own. */
export const shops = pgTable("shops", { id: id(), name: text().notNull(), createdAt: createdAt() });

/**
 * The shop that brought something in; null for what came from before shops were told apart. Without a reference:
 * every purchase would have to lock the shop's row, and shops are never deleted.
 */
const broughtBy = () => uuid();

/** Keys that shops call with. */
export const apiKeys = pgTable("api_keys", {
  id: id(),
  name: text().notNull(),
  /** Its first characters, to tell keys apart. */
  start: text().notNull(),
  /** SHA-256 of the key. */
  keyHash: text().notNull(),
  shopId: uuid().notNull(),
  /** False for keys from before shops were told apart: they see what all shops brought in. */
  bounded: boolean().notNull().default(true),
  scopes: text({ enum: scopes })
    .array()
    .notNull()
    .default([...scopes]),
  /** What it may mark as paid in a business day. */
  depositsPerDayCents: cents(),
  expiresAt: moment(),
  /** Addresses and ranges it may be used from; empty for everywhere. */
  addresses: text().array().notNull().default([]),
  createdAt: createdAt(),
  lastUsedAt: moment(),
});

export const customers = pgTable("customers", {
  id: id(),
  username: text().notNull(),
  discordId: text().notNull(),
  email: text().notNull().default(""),
  /** Changed by the ledger only. */
  balanceCents: cents().notNull().default(0),
  active: boolean().notNull().default(true),
  customPricingEnabled: boolean().notNull().default(false),
  verifiedAt: moment(),
  shopId: broughtBy(),
  createdAt: createdAt(),
  /** What their transfers come to, kept by the ledger. */
  transfers: integer().notNull().default(0),
  orders: integer().notNull().default(0),
  deposits: integer().notNull().default(0),
  refunds: integer().notNull().default(0),
  receivedCents: cents().notNull().default(0),
  spentCents: cents().notNull().default(0),
  depositedCents: cents().notNull().default(0),
  refundedCents: cents().notNull().default(0),
});

export const labelTypes = pgTable("label_types", {
  id: id(),
  name: text().notNull(),
  uid: text().notNull(),
  maxWeight: measure().notNull(),
  kind: oneOf(labelKind),
  active: boolean().notNull().default(true),
  createdAt: createdAt(),
});

const tier = () => ({
  id: id(),
  labelTypeId: uuid().notNull(),
  /** Covers weights above `fromWeight` up to and including `toWeight`. */
  fromWeight: measure().notNull(),
  toWeight: measure().notNull(),
  priceCents: cents().notNull(),
  createdAt: createdAt(),
});

export const priceTiers = pgTable("price_tiers", tier());

export const customPrices = pgTable("custom_prices", { ...tier(), customerId: uuid().notNull() });

const party = () => ({
  name: text().notNull(),
  street: text().notNull(),
  street2: text().notNull().default(""),
  city: text().notNull(),
  state: text().notNull(),
  zip: text().notNull(),
});
const address = () => ({ ...party(), company: text().notNull().default(""), country: text().notNull() });

/**
 * A carrier's code as it can be compared: its digits, without 420 and a zip code before it. `codeIn` is the same. To
 * the letter as in the index orders_tracking, which would not be used otherwise.
 */
export const plainTracking = (tracking: AnyPgColumn) =>
  sql`regexp_replace(regexp_replace(${tracking}, '[^0-9]', '', 'g'), '^420[0-9]{5}([0-9]{4})?(?=9[0-9]{21}$)', '')`;

export const bulkOrders = pgTable("bulk_orders", {
  id: id(),
  uuid: uuid().notNull().defaultRandom(),
  customerId: uuid().notNull(),
  shopId: broughtBy(),
  createdAt: createdAt(),
});

export const orders = pgTable("orders", {
  id: id(),
  /** The number that customer and shop see. */
  uuid: uuid().notNull().defaultRandom(),
  customerId: uuid().notNull(),
  labelTypeId: uuid().notNull(),
  bulkOrderId: uuid(),
  priceCents: cents().notNull(),
  weight: measure().notNull(),
  tracking: text().notNull().default(""),
  ...flatAddress("from", address()),
  ...flatAddress("to", address()),
  refundedAt: moment(),
  shopId: broughtBy(),
  createdAt: createdAt(),
  /** Why it cost what it did; null in orders from before this was kept. */
  tierFromWeight: measure(),
  tierToWeight: measure(),
  hasCustomPrice: boolean(),
  standardPriceCents: cents(),
});

/** What staff tell each other about an order: kept as it was written. */
export const orderNotes = pgTable("order_notes", {
  id: id(),
  orderId: uuid().notNull(),
  text: text().notNull(),
  author: text().notNull(),
  authorId: uuid().notNull(),
  createdAt: createdAt(),
});

export const trackingCodes = pgTable("tracking_codes", {
  id: id(),
  code: text().notNull(),
  type: oneOf(trackingType),
  template: oneOf(trackingTemplate),
  usedAt: moment(),
  createdAt: createdAt(),
  /** Those registered together; the log names the same. Null for codes from before this was kept. */
  batchId: uuid(),
});

/** Uploads live in the database, so that one backup holds everything. A file nobody refers to is swept up. */
export const files = pgTable("files", {
  id: id(),
  name: text().notNull(),
  type: text().notNull(),
  size: integer().notNull().default(0),
  createdAt: createdAt(),
  /** SHA-256 of what is in it, from when it is attached. */
  contentHash: text(),
});

export const fileChunks = pgTable("file_chunks", {
  fileId: uuid().notNull(),
  position: integer().notNull(),
  data: bytes().notNull(),
});

export const fedexOrders = pgTable("fedex_orders", {
  id: id(),
  uuid: uuid().notNull().defaultRandom(),
  customerId: uuid().notNull(),
  /** A quote: it moves no balance until it is charged. */
  priceCents: cents(),
  status: oneOf(fedexStatus).default("Pending"),
  note: text().notNull().default(""),
  fileId: uuid(),
  ...flatAddress("from", party()),
  ...flatAddress("to", party()),
  weight: measure().notNull(),
  length: measure().notNull(),
  width: measure().notNull(),
  height: measure().notNull(),
  dimensionUnit: text().notNull(),
  weightUnit: text().notNull(),
  specialNotes: text().notNull().default(""),
  shopId: broughtBy(),
  createdAt: createdAt(),
  /** Who works on it, and until when. The name at the time, as in the log. */
  claimedBy: uuid(),
  claimedName: text(),
  claimedUntil: moment(),
  /** When its price was taken from the balance; from then on it stays the same, until that is reversed. */
  chargedAt: moment(),
  /** When it was completed or cancelled. Null while it is open, and where that was before anybody noted it. */
  closedAt: moment(),
});

export const invoices = pgTable("invoices", {
  id: id(),
  customerId: uuid().notNull(),
  amountCents: cents().notNull(),
  paymentMethod: oneOf(paymentMethod),
  status: oneOf(invoiceStatus).default("pending"),
  hostedUrl: text().notNull().default(""),
  paidAt: moment(),
  shopId: broughtBy(),
  createdAt: createdAt(),
});

const authorKind = () => text({ enum: authorKinds });

/**
 * The ledger: one row per change of a balance. A customer's balance is the sum of their rows. The database takes one
 * deposit per invoice, and one purchase and one refund per order, whatever the code does.
 */
export const transfers = pgTable("transfers", {
  id: id(),
  customerId: uuid().notNull(),
  kind: oneOf(transferKind),
  amountCents: cents().notNull(),
  balanceAfterCents: cents().notNull(),
  /** The invoice, the order or bulk order bought, the Fedex order charged, or the order refunded. */
  reference: uuid(),
  /** The name at the time, and who it was. */
  actor: text().notNull(),
  actorKind: authorKind(),
  actorId: uuid(),
  createdAt: createdAt(),
  /** Its place among the customer's, from 1, and what they had received and spent in all with it. */
  number: integer().notNull(),
  receivedCents: cents().notNull(),
  spentCents: cents().notNull(),
  reason: text().notNull().default(""),
  reverses: uuid(),
  reversedBy: uuid(),
});

export const logs = pgTable("logs", {
  id: id(),
  /** The actor's name at the time: the log stays true after an account is renamed or deleted. */
  admin: text().notNull(),
  actorKind: authorKind(),
  /** The account or the API key; null for the program itself, its terminal, and rows from before this was kept. */
  actorId: uuid(),
  type: oneOf(logType),
  action: text().notNull(),
  before: jsonb(),
  after: jsonb(),
  createdAt: createdAt(),
  /** What it is about, and the customer whom it concerns; null in rows from before this was kept. */
  subjectKind: text({ enum: subjectKinds }),
  subjectId: uuid(),
  customerId: uuid(),
});

/** The business, in one row. */
export const settings = pgTable("settings", {
  id: boolean().primaryKey().default(true),
  /** The zone that the counters' days are in. */
  timezone: text().notNull().default("UTC"),
  cashappId: text().notNull().default(""),
  imageFileId: uuid(),
  /** The business is the demo; false once it was removed, so that it does not come back. */
  demo: boolean(),
  /** What a staff account may credit and refund, at once and in a business day; null for any amount. */
  staffCreditCents: cents(),
  staffCreditPerDayCents: cents(),
  staffRefundCents: cents(),
  staffRefundPerDayCents: cents(),
  /** What the books said last, and what all customers owned together then. */
  booksCheckedAt: moment(),
  booksProblems: text().array(),
  owedCents: cents(),
  /** When a server last set out to check them by itself. */
  booksBegunAt: moment(),
});

/** Answers to calls that came with an Idempotency-Key, written with the change they answer. */
export const idempotentReplies = pgTable("idempotent_replies", {
  caller: text().notNull(),
  key: text().notNull(),
  /** SHA-256 of method, path and body. */
  request: text().notNull(),
  /** As text, so that a repeat gets the very same bytes. */
  reply: json(),
  createdAt: createdAt(),
});

/** How many rows of a kind there are on each business day, kept by triggers in the change's own transaction. */
export const counters = pgTable("counters", {
  subject: text().notNull(),
  kind: text().notNull(),
  day: date({ mode: "string" }).notNull(),
  /** Concurrent writers add to different rows, so that they do not queue; settled ones have slot -1. */
  slot: smallint().notNull(),
  count: bigint({ mode: "number" }).notNull(),
  cents: cents().notNull(),
});

const month = () => ({
  subject: text().notNull(),
  kind: text().notNull(),
  /** Its first day. */
  month: date({ mode: "string" }).notNull(),
  count: bigint({ mode: "number" }).notNull(),
  cents: cents().notNull(),
});

/** The settled counters by month: adding up ten years of days for every list would show. */
export const settledMonths = pgTable("settled_months", month());

/** Everything that is counted, by month: what is settled, and beside it what is not. */
export const monthlyCounters = pgView("monthly_counters", month()).existing();

/** What is counted: SQL expressions over a row of the table. `keep_counters()` makes triggers of them. */
export const counted = pgTable("counted", {
  subject: text().notNull(),
  table: text().notNull(),
  kind: text().notNull(),
  at: text().notNull(),
  cents: text().notNull(),
});
