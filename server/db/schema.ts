import { flatAddress } from "@footprint/contract/address.ts";
import { approvalAct, approvalStatus } from "@footprint/contract/approvals.ts";
import { scopes } from "@footprint/contract/endpoint.ts";
import { fedexStatus } from "@footprint/contract/fedex.ts";
import { invoiceStatus, paymentMethod } from "@footprint/contract/invoices.ts";
import { labelKind } from "@footprint/contract/label-types.ts";
import { authorKinds, logType, subjectKinds } from "@footprint/contract/logs.ts";
import { type MessageOutcome, messageState, noticeKinds } from "@footprint/contract/notices.ts";
import { eventTypes, keptEventType } from "@footprint/contract/outbox.ts";
import { role, signInOutcome } from "@footprint/contract/session.ts";
import { twoStepRequired } from "@footprint/contract/staff.ts";
import {
  lineState,
  type SkippedBecause,
  type StatementMapping,
  statementState,
} from "@footprint/contract/statements.ts";
import type { DaySummary } from "@footprint/contract/summaries.ts";
import { trackingTemplate, trackingType, trackingTypes } from "@footprint/contract/tracking.ts";
import { transferKind } from "@footprint/contract/transfers.ts";
import { type UnusualRule, unusualRule } from "@footprint/contract/unusual.ts";
import { viewScreen } from "@footprint/contract/views.ts";
import { deliveryStates, deliveryType } from "@footprint/contract/webhooks.ts";
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

// The columns and types that queries need. References, checks, keys and indexes are only in the migrations, and so is
// the column `search` of tables that can be searched, which only server/lists/search.ts uses.

const id = () => uuid().primaryKey().$defaultFn(uuidv7);
const moment = () => timestamp({ withTimezone: true, mode: "date" });
const createdAt = () => moment().notNull().defaultNow();
const cents = () => bigint({ mode: "number" });
const authorKind = () => text({ enum: authorKinds });
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
  /** The secret of its authenticator app, in base32. Codes are asked for at sign-in once it is confirmed. */
  totpSecret: text(),
  totpConfirmedAt: moment(),
  /** The 30-second step of the last code used. Its code and older ones are not accepted again. */
  totpLastStep: integer(),
  /** Since then nobody can sign in with it, and its sessions have ended. */
  suspendedAt: moment(),
  suspendedBecause: text().notNull().default(""),
  /** The password was made by an administrator, who knows it, so it has to be changed before anything else. */
  passwordTemporary: boolean().notNull().default(false),
  /** Exact to the minute. */
  lastSeenAt: moment(),
  createdAt: createdAt(),
  /** The notices it gets as chat messages; null for all that it may see. */
  messageKinds: text({ enum: noticeKinds }).array(),
  /** Between these times it gets no messages. Written as 22:00, in the business's timezone. */
  quietFrom: text(),
  quietTo: text(),
  /** The position in the events up to which it has seen its notices. A new account begins at their end. */
  noticesSeen: bigint({ mode: "number" }).notNull().default(sql`newest_event()`),
});

export const sessions = pgTable("sessions", {
  /** SHA-256 of the token, so that a stolen backup opens no door. */
  tokenHash: text().primaryKey(),
  /** By this the session's owner sees it and can end it. */
  id: uuid().notNull().defaultRandom(),
  accountId: uuid().notNull(),
  /** The signed-in device in words, and its address. */
  device: text().notNull().default(""),
  address: text().notNull().default(""),
  /** The hash of the token of the known device that it was opened on. */
  knownDevice: text(),
  newDevice: boolean().notNull().default(false),
  /** Failed sign-ins to this account since the one before. */
  failuresBefore: integer().notNull().default(0),
  createdAt: createdAt(),
  lastUsedAt: createdAt(),
  /** When its owner last proved who they are, by signing in or since then. */
  confirmedAt: createdAt(),
  /** The network they did that from. */
  confirmedIn: text().notNull().default(""),
});

/** Codes for when the authenticator app is lost. A used one is deleted. */
export const recoveryCodes = pgTable("recovery_codes", {
  accountId: uuid().notNull(),
  /** SHA-256 of the code. */
  codeHash: text().notNull(),
});

/** Accounts sign in with these after the password, or instead of it. */
export const passkeys = pgTable("passkeys", {
  id: id(),
  accountId: uuid().notNull(),
  /** The authenticator's own id for it, in base64url. */
  credentialId: text().notNull(),
  publicKey: bytes().notNull(),
  /** The host name it was made for. */
  rpId: text().notNull(),
  /** The authenticator's count of uses. A copied passkey would count separately, and so be noticed. */
  counter: bigint({ mode: "number" }).notNull(),
  transports: text().array().notNull(),
  backedUp: boolean().notNull(),
  name: text().notNull(),
  /** It is enough to sign in, without a password. */
  replacesPassword: boolean().notNull(),
  createdAt: createdAt(),
  lastUsedAt: moment(),
});

/** Challenges for passkeys to sign. Each can be used once, within a few minutes. */
export const passkeyChallenges = pgTable("passkey_challenges", {
  challenge: text().primaryKey(),
  /** For a new passkey, the account that it will belong to. */
  accountId: uuid(),
  network: text().notNull(),
  createdAt: createdAt(),
});

/** Browsers that an account has signed in from. Guesses made elsewhere do not make these wait. */
export const knownDevices = pgTable("known_devices", {
  /** SHA-256 of the token that the browser keeps. */
  tokenHash: text().notNull(),
  accountId: uuid().notNull(),
  createdAt: createdAt(),
  lastUsedAt: createdAt(),
});

/** Sign-ins of the last hour that failed or are still running. A success removes those of its account and address. */
export const signInTries = pgTable("sign_in_tries", {
  id: id(),
  username: text().notNull(),
  /** The source: a network, a known device or a session. */
  address: text().notNull(),
  triedAt: createdAt(),
  /** Whether it counts towards the tries that are allowed before pauses begin. */
  counted: boolean().notNull().default(true),
});

/** The failed tries of each guesser, by which their pauses grow. All strangers who try one username share a row. */
export const signInLimits = pgTable("sign_in_limits", {
  guesser: text().primaryKey(),
  /** Tries that failed or are still running. */
  tries: integer().notNull().default(0),
  triedAt: createdAt(),
  /** Only in the strangers' row: anybody's failed sign-ins since the last success, and when these were last logged. */
  failures: integer().notNull().default(0),
  toldAt: moment(),
});

/** Sign-ins and failed sign-ins, kept for 90 days. */
export const signIns = pgTable("sign_ins", {
  id: id(),
  accountId: uuid().notNull(),
  outcome: oneOf(signInOutcome),
  device: text().notNull(),
  address: text().notNull(),
  /** The account had not signed in on this device before. */
  newDevice: boolean().notNull().default(false),
  /** The session that was opened. */
  sessionId: uuid(),
  createdAt: createdAt(),
});

/** Codes that were wrong or are still being checked, from any address. */
export const codeTries = pgTable("code_tries", {
  id: id(),
  accountId: uuid().notNull(),
  triedAt: createdAt(),
});

/**
 * Lists with search and filters, saved under a name. `accountId` has no foreign key: deleting an account locks its row
 * while waiting for its calls to end, and deletes its views then.
 */
export const savedViews = pgTable("saved_views", {
  id: id(),
  accountId: uuid().notNull(),
  screen: oneOf(viewScreen),
  name: text().notNull(),
  /** The address's query string, without the question mark. */
  query: text().notNull(),
  /** Everybody sees it. Only administrators can share. */
  shared: boolean().notNull(),
  createdAt: createdAt(),
});

/** Sites or programs that sell for the business. Whatever comes in with a shop's keys belongs to it. */
export const shops = pgTable("shops", { id: id(), name: text().notNull(), createdAt: createdAt() });

/**
 * The shop that a row came from; null for rows from before shops were told apart. No foreign key: each purchase would
 * have to lock the shop's row, and shops are never deleted.
 */
const ofShop = () => uuid();

/** The keys with which shops call. */
export const apiKeys = pgTable("api_keys", {
  id: id(),
  name: text().notNull(),
  /** Its first characters, to tell keys apart. */
  start: text().notNull(),
  /** SHA-256 of the key. */
  keyHash: text().notNull(),
  shopId: uuid().notNull(),
  /** False for keys from before shops were told apart, which see the rows of all shops. */
  bounded: boolean().notNull().default(true),
  scopes: text({ enum: scopes })
    .array()
    .notNull()
    .default([...scopes]),
  /** The most that it may mark as paid in a business day. */
  depositsPerDayCents: cents(),
  expiresAt: moment(),
  /** The addresses and ranges it may be used from; empty for any. */
  addresses: text().array().notNull().default([]),
  createdAt: createdAt(),
  lastUsedAt: moment(),
});

export const customers = pgTable("customers", {
  id: id(),
  username: text().notNull(),
  discordId: text().notNull(),
  email: text().notNull().default(""),
  /** Only the ledger changes it. */
  balanceCents: cents().notNull().default(0),
  /** Kept by a trigger. */
  hasBalance: boolean().notNull().default(false),
  active: boolean().notNull().default(true),
  customPricingEnabled: boolean().notNull().default(false),
  verifiedAt: moment(),
  shopId: ofShop(),
  createdAt: createdAt(),
  /** Counts and sums of their transfers, kept by the ledger. */
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
  /** The type of prepaid codes that its labels use; null if shops send their own tracking codes. */
  codes: text({ enum: trackingTypes }),
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

/** A tier as stored with a scheduled change; without an id if it is to be added. */
export type KeptTier = { id?: string; fromWeight: number; toWeight: number; priceCents: number };

/** Price changes for a set time, which server/money/prices/schedule.ts makes. */
export const scheduledPrices = pgTable("scheduled_prices", {
  id: id(),
  labelTypeId: uuid().notNull(),
  at: moment().notNull(),
  /** Whether `prices` replace all tiers, or are single tiers among others. */
  wholeTable: boolean().notNull(),
  /** The unit of its weights. */
  unit: text({ enum: ["lb", "oz"] }).notNull(),
  /** The tiers concerned, as they were when it was scheduled. */
  was: jsonb().$type<KeptTier[]>().notNull(),
  prices: jsonb().$type<KeptTier[]>().notNull(),
  reason: text().notNull().default(""),
  /** The warnings shown when it was scheduled. */
  warnings: text().array().notNull().default([]),
  /** The account that scheduled it: its name at the time, and its id. */
  actor: text().notNull(),
  actorId: uuid().notNull(),
  status: text({ enum: ["waiting", "done", "failed", "withdrawn"] })
    .notNull()
    .default("waiting"),
  /** How often it was tried and failed for reasons outside of the change. */
  attempts: integer().notNull().default(0),
  /** Why it failed. */
  problem: text(),
  endedAt: moment(),
  createdAt: createdAt(),
});

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
 * A carrier's code in comparable form: its digits, without a leading 420 and zip code. `codeIn` does the same. The text
 * must be exactly that of the index orders_tracking, or the index would not be used.
 */
export const plainTracking = (tracking: AnyPgColumn) =>
  sql`regexp_replace(regexp_replace(${tracking}, '[^0-9]', '', 'g'), '^420[0-9]{5}([0-9]{4})?(?=9[0-9]{21}$)', '')`;

export const bulkOrders = pgTable("bulk_orders", {
  id: id(),
  uuid: uuid().notNull().defaultRandom(),
  customerId: uuid().notNull(),
  shopId: ofShop(),
  createdAt: createdAt(),
});

export const orders = pgTable("orders", {
  id: id(),
  /** The order number that customers and shops see. */
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
  shopId: ofShop(),
  createdAt: createdAt(),
  /** How its price came about; null in orders from before this was stored. */
  tierFromWeight: measure(),
  tierToWeight: measure(),
  hasCustomPrice: boolean(),
  standardPriceCents: cents(),
});

/** Notes of staff about an order. They are never changed. */
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
  /** The batch they were registered in, which the log names too; null for codes from before batches. */
  batchId: uuid(),
});

/** Codes registered together. How many of them are left and used is in the counters. */
export const codeBatches = pgTable("code_batches", {
  id: id(),
  type: oneOf(trackingType),
  template: oneOf(trackingTemplate),
  first: text().notNull(),
  last: text().notNull(),
  amount: integer().notNull(),
  /** Where the codes came from. */
  note: text().notNull().default(""),
  fileId: uuid(),
  /** Who registered them, with the name at the time; null in batches from before this was stored. */
  actor: text(),
  actorKind: authorKind(),
  actorId: uuid(),
  createdAt: createdAt(),
});

/** When codes of a type are low, if administrators have set it. */
export const codeAlerts = pgTable("code_alerts", {
  type: oneOf(trackingType).primaryKey(),
  days: integer().notNull(),
  leadDays: integer().notNull(),
  codes: integer(),
});

/** Uploads are in the database, so that one backup has everything. Files that nothing refers to are deleted. */
export const files = pgTable("files", {
  id: id(),
  name: text().notNull(),
  type: text().notNull(),
  size: integer().notNull().default(0),
  createdAt: createdAt(),
  /** SHA-256 of the content, set when the file is attached to something. */
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
  /** Only a quote until it is charged. */
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
  shopId: ofShop(),
  createdAt: createdAt(),
  /** Who works on it, with the name at the time, and until when. */
  claimedBy: uuid(),
  claimedName: text(),
  claimedUntil: moment(),
  /** When its price was taken from the balance. The price cannot change until that is reversed. */
  chargedAt: moment(),
  /** When it was completed or cancelled; null while it is open, or if that was before this was stored. */
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
  shopId: ofShop(),
  createdAt: createdAt(),
});

/** Uploaded statements of the payment app or of PayPal. */
export const statements = pgTable("statements", {
  id: id(),
  file: text().notNull(),
  /** The file, until all of it is read. */
  fileId: uuid(),
  /** SHA-256 of the content, by which the same file is recognised. */
  contentHash: text().notNull(),
  state: oneOf(statementState).default("new"),
  /** The meaning of its columns, as somebody confirmed it. */
  mapping: jsonb().$type<StatementMapping>(),
  /** Lines below the heading, and how many of them were read, known from another statement, or refused. */
  lines: integer().notNull(),
  read: integer().notNull().default(0),
  known: integer().notNull().default(0),
  refused: integer().notNull().default(0),
  /** The first thousand refused lines. */
  refusals: jsonb().$type<{ line: number; why: string }[]>().notNull().default([]),
  /** How many lines are not payments, by reason. */
  skipped: jsonb().$type<Partial<Record<SkippedBecause, number>>>().notNull().default({}),
  /** The statements that its known lines are from. They cannot be deleted before it. */
  reliesOn: jsonb().$type<string[]>().notNull().default([]),
  /** The times of its first and last payment. */
  firstAt: moment(),
  lastAt: moment(),
  /** The name at the time, and who that was. */
  actor: text().notNull(),
  actorKind: authorKind(),
  actorId: uuid(),
  createdAt: createdAt(),
});

/** The meaning of the columns of files with the same heading, as last confirmed. */
export const statementMappings = pgTable("statement_mappings", {
  /** SHA-256 of the heading. */
  heading: text().primaryKey(),
  mapping: jsonb().$type<StatementMapping>().notNull(),
  createdAt: createdAt(),
});

/** Incoming payments from statements. Each is here once, however many files have it. */
export const statementLines = pgTable("statement_lines", {
  id: id(),
  statementId: uuid().notNull(),
  /** Its line number in the file. */
  line: integer().notNull(),
  source: oneOf(paymentMethod),
  /** The payment app's id, or null: then a payment is identified by its content and its occurrence among equal ones. */
  transaction: text(),
  content: text().notNull(),
  occurrence: integer().notNull(),
  at: moment().notNull(),
  hasTime: boolean().notNull(),
  amountCents: cents().notNull(),
  name: text().notNull(),
  email: text().notNull(),
  note: text().notNull(),
  /** Identifies who paid, to recognise them next time. */
  payer: text(),
  /** The line that reversed it, in words, and when a statement with it was read. */
  reversed: text(),
  reversedAt: moment(),
  state: oneOf(lineState).default("none"),
  invoiceId: uuid(),
  /** Why it matches the invoice, or was set aside. */
  reason: text().notNull().default(""),
  /** The deposit made from it. */
  transferId: uuid(),
  doneBy: text(),
  doneById: uuid(),
  doneAt: moment(),
  createdAt: createdAt(),
});

/** Reversals of payments in statements, with what identifies the payment. */
export const statementReversals = pgTable("statement_reversals", {
  id: id(),
  statementId: uuid().notNull(),
  line: integer().notNull(),
  payment: text().notNull(),
});

/**
 * The ledger: one row per change of a balance. A customer's balance is the sum of their rows. The database accepts one
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
  /** The name at the time, and who that was. */
  actor: text().notNull(),
  actorKind: authorKind(),
  actorId: uuid(),
  createdAt: createdAt(),
  /** Its number among the customer's transfers, from 1, and what they had received and spent in all including it. */
  number: integer().notNull(),
  receivedCents: cents().notNull(),
  spentCents: cents().notNull(),
  reason: text().notNull().default(""),
  reverses: uuid(),
  reversedBy: uuid(),
});

export const logs = pgTable("logs", {
  id: id(),
  /** The actor's name at the time, so that the log stays true if an account is renamed or deleted. */
  admin: text().notNull(),
  actorKind: authorKind(),
  /** The account or API key; null for the program itself, its terminal, and rows from before this was stored. */
  actorId: uuid(),
  type: oneOf(logType),
  action: text().notNull(),
  before: jsonb(),
  after: jsonb(),
  createdAt: createdAt(),
  /** What it is about, and the customer concerned; null in rows from before this was stored. */
  subjectKind: text({ enum: subjectKinds }),
  subjectId: uuid(),
  customerId: uuid(),
});

/** The links that seal the log. server/accounts/log-chain.ts makes and explains them. */
export const logChain = pgTable("log_chain", {
  number: bigint({ mode: "number" }).primaryKey(),
  /** The last row in this link. */
  untilAt: moment().notNull(),
  untilId: uuid().notNull(),
  late: boolean().notNull(),
  ids: uuid().array().notNull(),
  hashes: bytes().notNull(),
  /** Rows in the chain up to and including this link. */
  total: bigint({ mode: "number" }).notNull(),
  chainedAt: moment().notNull(),
  hash: bytes().notNull(),
});

/** Parts of the log that server/accounts/log-archive.ts has moved to files. */
export const logArchives = pgTable("log_archives", {
  file: text().primaryKey(),
  firstLink: bigint({ mode: "number" }).notNull(),
  lastLink: bigint({ mode: "number" }).notNull(),
  rows: bigint({ mode: "number" }).notNull(),
  /** Of the file's lines or, if it is encrypted, of the file itself; null until it is complete. */
  sha256: text(),
  /** Updated every few seconds while somebody works on it. */
  aliveAt: createdAt(),
  /** The link up to which rows are deleted, and how many rows that were. */
  removedLink: bigint({ mode: "number" }).notNull(),
  removedRows: bigint({ mode: "number" }).notNull().default(0),
});

/** Unusual events, one per rule, subject and day. The rules are in server/money/unusual-rules.ts. */
export const unusualEvents = pgTable("unusual_events", {
  id: id(),
  rule: oneOf(unusualRule),
  /** The id of a customer or account, or an id computed from an address. */
  subject: uuid().notNull(),
  day: date({ mode: "string" }).notNull(),
  /** The subject's name at the time, or the address. */
  name: text().notNull(),
  customerId: uuid(),
  accountId: uuid(),
  /** In cents if the rule is about money, otherwise a count. */
  seen: bigint({ mode: "number" }).notNull(),
  usual: bigint({ mode: "number" }),
  /** The first of the orders it is about. */
  orders: uuid().array().notNull().default([]),
  dismissedAt: moment(),
  dismissedBy: uuid(),
  dismissedName: text(),
  dismissedBecause: text(),
  createdAt: createdAt(),
});

/** Requests of staff for changes beyond their limits. */
export const approvals = pgTable("approvals", {
  id: id(),
  act: oneOf(approvalAct),
  /** What it would change. Only one request for the same thing can wait. */
  thing: text().notNull(),
  customerId: uuid().notNull(),
  /** Whether the customer was enabled when it was made. */
  customerActive: boolean().notNull(),
  /** The order or invoice, and its name for people. */
  reference: uuid(),
  referenceName: text().notNull().default(""),
  /** The line of a statement that would pay the invoice. It may have been deleted since. */
  lineId: uuid(),
  amountCents: cents().notNull(),
  reason: text().notNull(),
  askedBy: uuid().notNull(),
  askedName: text().notNull(),
  status: oneOf(approvalStatus).default("waiting"),
  decidedBy: uuid(),
  decidedName: text(),
  decidedBecause: text().notNull().default(""),
  decidedAt: moment(),
  expiresAt: moment().notNull().default(sql`now() + interval '1 day'`),
  createdAt: createdAt(),
});

const happened = () => ({
  id: id().notNull(),
  type: oneOf(keptEventType),
  /** The customer concerned, and the shop it belongs to. */
  customerId: uuid(),
  shopId: uuid(),
  /** The data as it is sent. */
  data: jsonb().$type<Record<string, unknown>>().notNull(),
  createdAt: moment().notNull(),
});

/** Events that just happened and have no position yet. */
export const outbox = pgTable("outbox", {
  number: bigint({ mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
  ...happened(),
});

/** Events of the last 30 days, in the order in which they are delivered. */
export const events = pgTable("events", {
  position: bigint({ mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
  ...happened(),
});

/** Where events are sent to. A deleted webhook stays, without its secrets, until its deliveries are deleted. */
export const webhooks = pgTable("webhooks", {
  id: id(),
  url: text().notNull(),
  note: text().notNull().default(""),
  /** The types of events that are sent; empty for all. */
  events: text({ enum: eventTypes }).array().notNull().default([]),
  /** Stored in plain text, because it signs what is sent. */
  secret: text().notNull(),
  /** The previous secret, which also signs what is sent for a while. */
  oldSecret: text(),
  oldSecretUntil: moment(),
  /** The position in the events up to which deliveries were made. */
  position: bigint({ mode: "number" }).notNull(),
  /** The server that sends to it, and until when no other server may. */
  holder: uuid(),
  heldUntil: moment(),
  /** Counted failures since the last success, and since when. */
  failures: integer().notNull().default(0),
  failingSince: moment(),
  /** When the last one failed, and until when nothing is tried if all fail. */
  failedAt: moment(),
  retryAt: moment(),
  lastDeliveredAt: moment(),
  pausedAt: moment(),
  pausedBecause: text().notNull().default(""),
  /** By the server rather than by a person. */
  pausedByItself: boolean().notNull().default(false),
  deletedAt: moment(),
  createdAt: createdAt(),
});

/** One event on its way to one webhook. */
export const webhookDeliveries = pgTable("webhook_deliveries", {
  id: id(),
  number: bigint({ mode: "number" }).generatedAlwaysAsIdentity().notNull(),
  webhookId: uuid().notNull(),
  /** The customer concerned, or zeros if none is. Deliveries of a lane are sent one after the other. */
  lane: uuid().notNull(),
  /** It is the first that waits in its lane, and so the one to be tried. */
  isFirst: boolean().notNull().default(false),
  eventId: uuid().notNull(),
  type: oneOf(deliveryType),
  eventAt: moment().notNull(),
  state: oneOf({ options: deliveryStates }),
  tries: integer().notNull().default(0),
  /** How many of these tries make the pause before the next one grow. */
  failures: integer().notNull().default(0),
  firstTriedAt: moment(),
  triedAt: moment(),
  /** Long ago if it is to be tried at once. */
  nextTryAt: moment().notNull().default(sql`'epoch'`),
  /** The last try: the answer's status, or why there was none, and how many milliseconds it took. */
  status: integer(),
  problem: text().notNull().default(""),
  duration: integer(),
  /** Who sent it again; null if nobody did. */
  resentBy: text(),
  createdAt: createdAt(),
});

export const webhookTries = pgTable("webhook_tries", {
  deliveryId: uuid().notNull(),
  number: integer().notNull(),
  url: text().notNull(),
  headers: jsonb().$type<Record<string, string>>().notNull(),
  status: integer(),
  problem: text().notNull(),
  duration: integer().notNull(),
  /** The beginning of the answer. */
  answer: text().notNull(),
  at: moment().notNull(),
});

/** Accounts that get chat messages, and the position in the events up to which they got them. */
export const chats = pgTable("chats", {
  accountId: uuid().primaryKey(),
  position: bigint({ mode: "number" }).notNull().default(sql`newest_event()`),
  /** When the last message was delivered or given up. */
  messagedAt: moment(),
});

/** Chat messages that were sent or are being sent, kept for 30 days. */
export const chatMessages = pgTable("chat_messages", {
  id: id(),
  accountId: uuid().notNull(),
  state: oneOf(messageState).default("waiting"),
  isTest: boolean().notNull().default(false),
  /** The text as last sent. */
  text: text().notNull(),
  /** The position in the events up to which it tells. */
  position: bigint({ mode: "number" }),
  /** The number of the last try. By it a server knows whether the try under way is still its own. */
  tries: integer().notNull().default(0),
  /** The outcome of each try, oldest first. */
  outcomes: jsonb().$type<MessageOutcome[]>().notNull().default([]),
  /** Until when no other server may try. */
  leasedUntil: moment(),
  nextTryAt: moment(),
  createdAt: createdAt(),
});

/** How far each search for unusual events has come. */
export const unusualLooks = pgTable("unusual_looks", {
  source: text().primaryKey(),
  untilAt: moment().notNull(),
  untilId: uuid().notNull(),
});

/** How many orders went to an address on a business day, as far as they were looked at; kept for some days. */
export const addressDays = pgTable("address_days", {
  day: date({ mode: "string" }).notNull(),
  address: uuid().notNull(),
  name: text().notNull(),
  orders: integer().notNull(),
  /** The first of the orders, and their customer; null if they belong to several. */
  first: uuid().array().notNull(),
  customerId: uuid(),
});

/** Summaries of business days as of their end, in the contract's form. */
export const daySummaries = pgTable("day_summaries", {
  day: date({ mode: "string" }).primaryKey(),
  summary: jsonb().$type<DaySummary>().notNull(),
  createdAt: createdAt(),
});

/** The settings of the business, in one row. */
export const settings = pgTable("settings", {
  id: boolean().primaryKey().default(true),
  /** The timezone of the counters' days. */
  timezone: text().notNull().default("UTC"),
  /** The types of codes that were reported as low and still are. */
  lowCodes: text().array().notNull().default([]),
  cashappId: text().notNull().default(""),
  imageFileId: uuid(),
  /** Whether the business is the demo. False once the demo was removed, so that it does not come back. */
  demo: boolean(),
  /** What a staff account may credit and refund, at once and in a business day; null for no limit. */
  staffCreditCents: cents(),
  staffCreditPerDayCents: cents(),
  staffRefundCents: cents(),
  staffRefundPerDayCents: cents(),
  /** Whether staff may request an approval beyond these limits. */
  staffApprovals: boolean().notNull().default(false),
  /** Who needs a second step to sign in. */
  twoStepRequired: oneOf(twoStepRequired).default("nobody"),
  /** The last result of the books, and the sum of all balances then. */
  booksCheckedAt: moment(),
  booksProblems: text().array(),
  owedCents: cents(),
  /** When a server last began to check the books by itself. */
  booksBegunAt: moment(),
  /** The link up to which the log's chain was checked, its hash in hex, and the links found broken. */
  chainNumber: bigint({ mode: "number" }),
  chainHash: text(),
  chainBroken: bigint({ mode: "number" }).array(),
  /** The thresholds of rules about unusual events, in cents or as counts; null if a rule is off. */
  unusualRules: jsonb().$type<Partial<Record<UnusualRule, number | null>>>().notNull().default({}),
});

/** The payment handles that customers were shown, numbered in order, each with the previous one. */
export const paymentHandles = pgTable("payment_handles", {
  id: id(),
  number: integer().notNull(),
  handle: text().notNull(),
  previous: text().notNull(),
  imageFileId: uuid(),
  /** The texts of the image's QR codes. */
  qr: text().array().notNull().default([]),
  imageIsOlder: boolean().notNull().default(false),
  warnings: text().array().notNull().default([]),
  /** Null for the handle from before this history began. */
  actor: text(),
  actorKind: authorKind(),
  actorId: uuid(),
  createdAt: createdAt(),
});

/** Answers to calls with an Idempotency-Key, written in the transaction of their change. */
export const idempotentReplies = pgTable("idempotent_replies", {
  caller: text().notNull(),
  key: text().notNull(),
  /** SHA-256 of method, path and body. */
  request: text().notNull(),
  /** JSON rather than jsonb, so that a repeat gets the very same bytes. */
  reply: json(),
  createdAt: createdAt(),
});

/** How many rows of a kind there are on each business day, kept by triggers in the transaction of each change. */
export const counters = pgTable("counters", {
  subject: text().notNull(),
  kind: text().notNull(),
  day: date({ mode: "string" }).notNull(),
  /** Concurrent writers add to different slots, so that they need not queue. Settled counters have slot -1. */
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

/** The settled counters by month, since adding up ten years of days for every list would be slow. */
export const settledMonths = pgTable("settled_months", month());

/** All counters by month: settled months, and separate rows for what is not settled yet. */
export const monthlyCounters = pgView("monthly_counters", month()).existing();

/** Each customer's orders of a month, without refunded ones; kept by triggers. */
export const customerMonths = pgTable("customer_months", {
  customerId: uuid().notNull(),
  /** Its first day. */
  month: date({ mode: "string" }).notNull(),
  orders: bigint({ mode: "number" }).notNull(),
  cents: cents().notNull(),
});

/** The definitions of counters: SQL expressions over a row of a table, of which `keep_counters()` makes triggers. */
export const counted = pgTable("counted", {
  subject: text().notNull(),
  table: text().notNull(),
  kind: text().notNull(),
  at: text().notNull(),
  cents: text().notNull(),
});

/** Backups that servers make by themselves. */
export const backups = pgTable("backups", {
  id: uuid().primaryKey(),
  file: text().notNull(),
  begunAt: createdAt(),
  /** Updated every few seconds while it is being made. */
  aliveAt: createdAt(),
  endedAt: timestamp({ withTimezone: true }),
  rows: bigint({ mode: "number" }),
  bytes: bigint({ mode: "number" }),
  /** Whether the books balanced after it was restored into a database of its own; null if it was not. */
  balanced: boolean(),
  problem: text().notNull().default(""),
});
