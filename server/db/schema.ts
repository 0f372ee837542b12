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

// What queries have to know: columns and their types. References, checks, keys and indexes stand in the migrations
// alone, and so does the further column `search` of tables that can be searched, which only server/lists/search.ts knows.

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
  /** What codes are computed from, as base32; asked for at sign-in once it is confirmed. */
  totpSecret: text(),
  totpConfirmedAt: moment(),
  /** The step of 30 seconds whose code was used last: neither it nor an older one is taken again. */
  totpLastStep: integer(),
  /** Nobody signs in with it, and its sessions have ended. */
  suspendedAt: moment(),
  suspendedBecause: text().notNull().default(""),
  /** Made by an administrator, who has seen it: to be changed before anything else is done. */
  passwordTemporary: boolean().notNull().default(false),
  /** To the minute. */
  lastSeenAt: moment(),
  createdAt: createdAt(),
  /** What it is sent messages about; null for all that it may see. */
  messageKinds: text({ enum: noticeKinds }).array(),
  /** Between these it is sent nothing; as 22:00, in the business's timezone. */
  quietFrom: text(),
  quietTo: text(),
  /** Up to where in the events it has looked at its notices; a new account begins at their end. */
  noticesSeen: bigint({ mode: "number" }).notNull().default(sql`newest_event()`),
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
  newDevice: boolean().notNull().default(false),
  /** Sign-ins as this account that failed since the one before. */
  failuresBefore: integer().notNull().default(0),
  createdAt: createdAt(),
  lastUsedAt: createdAt(),
  /** When its owner last showed that it is them: by signing in, or again since. */
  confirmedAt: createdAt(),
  /** The network that they did so from. */
  confirmedIn: text().notNull().default(""),
});

/** What stands in for a code when the authenticator app is lost; a used one is gone. */
export const recoveryCodes = pgTable("recovery_codes", {
  accountId: uuid().notNull(),
  /** SHA-256 of the code. */
  codeHash: text().notNull(),
});

/** What an account signs in with beside or instead of its password. */
export const passkeys = pgTable("passkeys", {
  id: id(),
  accountId: uuid().notNull(),
  /** As the authenticator names it, in base64url. */
  credentialId: text().notNull(),
  publicKey: bytes().notNull(),
  /** The host name that it was made for. */
  rpId: text().notNull(),
  /** How often it was used, as far as the authenticator counts: a copy of it would count on its own. */
  counter: bigint({ mode: "number" }).notNull(),
  transports: text().array().notNull(),
  backedUp: boolean().notNull(),
  name: text().notNull(),
  /** Signs in by itself, and not only after the password. */
  replacesPassword: boolean().notNull(),
  createdAt: createdAt(),
  lastUsedAt: moment(),
});

/** What passkeys are to sign: each is good for a few minutes, and once. */
export const passkeyChallenges = pgTable("passkey_challenges", {
  challenge: text().primaryKey(),
  /** For a new passkey: whose it will be. */
  accountId: uuid(),
  network: text().notNull(),
  createdAt: createdAt(),
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

/** Who signed in, or failed to, where and with what; kept for 90 days. */
export const signIns = pgTable("sign_ins", {
  id: id(),
  accountId: uuid().notNull(),
  outcome: oneOf(signInOutcome),
  device: text().notNull(),
  address: text().notNull(),
  /** The account had not signed in on it before. */
  newDevice: boolean().notNull().default(false),
  /** The session that was opened. */
  sessionId: uuid(),
  createdAt: createdAt(),
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
  /** Kept by a trigger. */
  hasBalance: boolean().notNull().default(false),
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
  /** The prepaid codes that its labels take; null where they carry what the shop sends. */
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

/** A tier as scheduled changes keep it; without an id where it is to be added. */
export type KeptTier = { id?: string; fromWeight: number; toWeight: number; priceCents: number };

/** Prices that change at a moment: server/money/prices/schedule.ts makes them. */
export const scheduledPrices = pgTable("scheduled_prices", {
  id: id(),
  labelTypeId: uuid().notNull(),
  at: moment().notNull(),
  /** Whether `prices` are all that there will be, or single tiers among others. */
  wholeTable: boolean().notNull(),
  /** What its weights are in. */
  unit: text({ enum: ["lb", "oz"] }).notNull(),
  /** The tiers that it concerns, as they were when it was scheduled. */
  was: jsonb().$type<KeptTier[]>().notNull(),
  prices: jsonb().$type<KeptTier[]>().notNull(),
  reason: text().notNull().default(""),
  /** What deserved a second look when it was scheduled. */
  warnings: text().array().notNull().default([]),
  /** The account that scheduled it, and its name at the time. */
  actor: text().notNull(),
  actorId: uuid().notNull(),
  status: text({ enum: ["waiting", "done", "failed", "withdrawn"] })
    .notNull()
    .default("waiting"),
  /** How often it was tried and failed for no reason of its own. */
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

/** Codes that were registered together. Which of them are used, or deleted since, the counters tell. */
export const codeBatches = pgTable("code_batches", {
  id: id(),
  type: oneOf(trackingType),
  template: oneOf(trackingTemplate),
  first: text().notNull(),
  last: text().notNull(),
  amount: integer().notNull(),
  /** Where they came from. */
  note: text().notNull().default(""),
  fileId: uuid(),
  /** The name at the time, and who it was; null in batches from before this was kept. */
  actor: text(),
  actorKind: authorKind(),
  actorId: uuid(),
  createdAt: createdAt(),
});

/** When codes of a type are low, where administrators have said so. */
export const codeAlerts = pgTable("code_alerts", {
  type: oneOf(trackingType).primaryKey(),
  days: integer().notNull(),
  leadDays: integer().notNull(),
  codes: integer(),
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

/** A file of the payment app or of PayPal that somebody dropped. */
export const statements = pgTable("statements", {
  id: id(),
  file: text().notNull(),
  /** The file itself, until all of it is read. */
  fileId: uuid(),
  /** SHA-256 of what was in it: the same file is the same statement. */
  contentHash: text().notNull(),
  state: oneOf(statementState).default("new"),
  /** As somebody confirmed it. */
  mapping: jsonb().$type<StatementMapping>(),
  /** Lines below the heading, and how many of these are read, known from another statement, or refused. */
  lines: integer().notNull(),
  read: integer().notNull().default(0),
  known: integer().notNull().default(0),
  refused: integer().notNull().default(0),
  /** The first thousand that were refused. */
  refusals: jsonb().$type<{ line: number; why: string }[]>().notNull().default([]),
  /** Lines that are no payments, by why. */
  skipped: jsonb().$type<Partial<Record<SkippedBecause, number>>>().notNull().default({}),
  /** The statements whose lines it counted as known: those stay as long as it does. */
  reliesOn: jsonb().$type<string[]>().notNull().default([]),
  /** Of its first and last payment. */
  firstAt: moment(),
  lastAt: moment(),
  /** The name at the time, and who it was. */
  actor: text().notNull(),
  actorKind: authorKind(),
  actorId: uuid(),
  createdAt: createdAt(),
});

/** What the columns of files with one heading are, as somebody confirmed it last. */
export const statementMappings = pgTable("statement_mappings", {
  /** SHA-256 of the heading. */
  heading: text().primaryKey(),
  mapping: jsonb().$type<StatementMapping>().notNull(),
  createdAt: createdAt(),
});

/** Payments that came in, as statements tell of them. Each is here once, however many files have it. */
export const statementLines = pgTable("statement_lines", {
  id: id(),
  statementId: uuid().notNull(),
  /** Its line in the file. */
  line: integer().notNull(),
  source: oneOf(paymentMethod),
  /** What the payment app calls it, or null: then it is told from others by what it says, and the how manieth it is. */
  transaction: text(),
  content: text().notNull(),
  occurrence: integer().notNull(),
  at: moment().notNull(),
  hasTime: boolean().notNull(),
  amountCents: cents().notNull(),
  name: text().notNull(),
  email: text().notNull(),
  note: text().notNull(),
  /** Stands for who paid, to know them again. */
  payer: text(),
  /** The line that took it back, in words, and when a statement told of it. */
  reversed: text(),
  reversedAt: moment(),
  state: oneOf(lineState).default("none"),
  invoiceId: uuid(),
  /** Why it fits the invoice, or was set aside. */
  reason: text().notNull().default(""),
  /** The deposit that it made. */
  transferId: uuid(),
  doneBy: text(),
  doneById: uuid(),
  doneAt: moment(),
  createdAt: createdAt(),
});

/** Payments that statements tell to be taken back, by what is known of them. */
export const statementReversals = pgTable("statement_reversals", {
  id: id(),
  statementId: uuid().notNull(),
  line: integer().notNull(),
  payment: text().notNull(),
});

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

/** What was written to the log, sealed: server/accounts/log-chain.ts makes and explains the links. */
export const logChain = pgTable("log_chain", {
  number: bigint({ mode: "number" }).primaryKey(),
  /** The last row it holds. */
  untilAt: moment().notNull(),
  untilId: uuid().notNull(),
  late: boolean().notNull(),
  ids: uuid().array().notNull(),
  hashes: bytes().notNull(),
  /** Rows in the chain, with these. */
  total: bigint({ mode: "number" }).notNull(),
  chainedAt: moment().notNull(),
  hash: bytes().notNull(),
});

/** Parts of the log that are in files now: server/accounts/log-archive.ts takes them there. */
export const logArchives = pgTable("log_archives", {
  file: text().primaryKey(),
  firstLink: bigint({ mode: "number" }).notNull(),
  lastLink: bigint({ mode: "number" }).notNull(),
  rows: bigint({ mode: "number" }).notNull(),
  /** Of the file's lines, or of the file itself where it is encrypted; null until it is complete. */
  sha256: text(),
  /** Whoever works at it says so every few seconds. */
  aliveAt: createdAt(),
  /** Up to which link its rows are deleted, and how many these were. */
  removedLink: bigint({ mode: "number" }).notNull(),
  removedRows: bigint({ mode: "number" }).notNull().default(0),
});

/** What looked unusual: server/money/unusual-rules.ts says by which rules. Once for each rule, subject and day. */
export const unusualEvents = pgTable("unusual_events", {
  id: id(),
  rule: oneOf(unusualRule),
  /** The id of a customer or an account, or what stands for an address. */
  subject: uuid().notNull(),
  day: date({ mode: "string" }).notNull(),
  /** The name at the time; of an address, the address. */
  name: text().notNull(),
  customerId: uuid(),
  accountId: uuid(),
  /** In cents where the rule is about money, otherwise counted. */
  seen: bigint({ mode: "number" }).notNull(),
  usual: bigint({ mode: "number" }),
  /** The first orders that it is about. */
  orders: uuid().array().notNull().default([]),
  dismissedAt: moment(),
  dismissedBy: uuid(),
  dismissedName: text(),
  dismissedBecause: text(),
  createdAt: createdAt(),
});

/** What staff asked for beyond their limits. */
export const approvals = pgTable("approvals", {
  id: id(),
  act: oneOf(approvalAct),
  /** What it would change: one request for it waits at a time. */
  thing: text().notNull(),
  customerId: uuid().notNull(),
  /** Whether the customer was enabled then. */
  customerActive: boolean().notNull(),
  /** The order or the invoice, and what it is called. */
  reference: uuid(),
  referenceName: text().notNull().default(""),
  /** The line of a statement that would pay the invoice; it may be gone by now. */
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
  /** Whom it concerns, and the shop whose it is. */
  customerId: uuid(),
  shopId: uuid(),
  /** As it is sent. */
  data: jsonb().$type<Record<string, unknown>>().notNull(),
  createdAt: moment().notNull(),
});

/** What has just happened, not numbered yet. */
export const outbox = pgTable("outbox", {
  number: bigint({ mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
  ...happened(),
});

/** What happened in the last 30 days, in the order in which it is told. */
export const events = pgTable("events", {
  position: bigint({ mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
  ...happened(),
});

/** Where events are sent to. One that was deleted stays, without its secrets, until its deliveries are deleted too. */
export const webhooks = pgTable("webhooks", {
  id: id(),
  url: text().notNull(),
  note: text().notNull().default(""),
  /** Empty for all. */
  events: text({ enum: eventTypes }).array().notNull().default([]),
  /** As it is: what is sent is signed with it. */
  secret: text().notNull(),
  /** The one before, for as long as what is sent is signed with it too. */
  oldSecret: text(),
  oldSecretUntil: moment(),
  /** Up to which its deliveries were made of the events. */
  position: bigint({ mode: "number" }).notNull(),
  /** The server that sends to it, and until when no other may. */
  holder: uuid(),
  heldUntil: moment(),
  /** Tries that failed since the last that succeeded, as far as they are counted, and since when. */
  failures: integer().notNull().default(0),
  failingSince: moment(),
  /** When the last one failed, and before which nothing is tried where all fail. */
  failedAt: moment(),
  retryAt: moment(),
  lastDeliveredAt: moment(),
  pausedAt: moment(),
  pausedBecause: text().notNull().default(""),
  /** Rather than by somebody. */
  pausedByItself: boolean().notNull().default(false),
  deletedAt: moment(),
  createdAt: createdAt(),
});

/** One event on its way to one webhook. */
export const webhookDeliveries = pgTable("webhook_deliveries", {
  id: id(),
  number: bigint({ mode: "number" }).generatedAlwaysAsIdentity().notNull(),
  webhookId: uuid().notNull(),
  /** The customer whom it concerns; all that concerns none has the lane of zeros. One after the other is sent. */
  lane: uuid().notNull(),
  /** Of those that wait in its lane: the one to be tried. */
  isFirst: boolean().notNull().default(false),
  eventId: uuid().notNull(),
  type: oneOf(deliveryType),
  eventAt: moment().notNull(),
  state: oneOf({ options: deliveryStates }),
  tries: integer().notNull().default(0),
  /** Of these, those that the pause before the next one grows with. */
  failures: integer().notNull().default(0),
  firstTriedAt: moment(),
  triedAt: moment(),
  /** Long ago where it is to be tried at once. */
  nextTryAt: moment().notNull().default(sql`'epoch'`),
  /** What the last try came to: the answer's status, or why there was none; and how many milliseconds it took. */
  status: integer(),
  problem: text().notNull().default(""),
  duration: integer(),
  /** Who sent it again; null for the first time. */
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
  /** The beginning of it. */
  answer: text().notNull(),
  at: moment().notNull(),
});

/** Accounts that are sent messages, and up to where in the events they were. */
export const chats = pgTable("chats", {
  accountId: uuid().primaryKey(),
  position: bigint({ mode: "number" }).notNull().default(sql`newest_event()`),
  /** When the last message reached them, or was given up. */
  messagedAt: moment(),
});

/** What an account was sent, or is being sent; kept for 30 days. */
export const chatMessages = pgTable("chat_messages", {
  id: id(),
  accountId: uuid().notNull(),
  state: oneOf(messageState).default("waiting"),
  isTest: boolean().notNull().default(false),
  /** As it was sent last. */
  text: text().notNull(),
  /** Up to where in the events it tells. */
  position: bigint({ mode: "number" }),
  /** Also says whose the try is that is under way: that of the number reached. */
  tries: integer().notNull().default(0),
  /** What each try came to, oldest first. */
  outcomes: jsonb().$type<MessageOutcome[]>().notNull().default([]),
  /** Until when the server that tries has it to itself. */
  leasedUntil: moment(),
  nextTryAt: moment(),
  createdAt: createdAt(),
});

/** Up to which row each look for what is unusual has come. */
export const unusualLooks = pgTable("unusual_looks", {
  source: text().primaryKey(),
  untilAt: moment().notNull(),
  untilId: uuid().notNull(),
});

/** How many orders went to an address on a business day, as far as was looked; kept for some days. */
export const addressDays = pgTable("address_days", {
  day: date({ mode: "string" }).notNull(),
  address: uuid().notNull(),
  name: text().notNull(),
  orders: integer().notNull(),
  /** The first of them, and whose they all are; null where they are of several customers. */
  first: uuid().array().notNull(),
  customerId: uuid(),
});

/** What business days came to, as it was known when they ended: in the words of the contract. */
export const daySummaries = pgTable("day_summaries", {
  day: date({ mode: "string" }).primaryKey(),
  summary: jsonb().$type<DaySummary>().notNull(),
  createdAt: createdAt(),
});

/** The business, in one row. */
export const settings = pgTable("settings", {
  id: boolean().primaryKey().default(true),
  /** The zone that the counters' days are in. */
  timezone: text().notNull().default("UTC"),
  /** Of which types it was told that their codes are low, until there are enough again. */
  lowCodes: text().array().notNull().default([]),
  cashappId: text().notNull().default(""),
  imageFileId: uuid(),
  /** The business is the demo; false once it was removed, so that it does not come back. */
  demo: boolean(),
  /** What a staff account may credit and refund, at once and in a business day; null for any amount. */
  staffCreditCents: cents(),
  staffCreditPerDayCents: cents(),
  staffRefundCents: cents(),
  staffRefundPerDayCents: cents(),
  /** Beyond that, staff may ask for an approval. */
  staffApprovals: boolean().notNull().default(false),
  /** Who has to sign in with a second step. */
  twoStepRequired: oneOf(twoStepRequired).default("nobody"),
  /** What the books said last, and what all customers owned together then. */
  booksCheckedAt: moment(),
  booksProblems: text().array(),
  owedCents: cents(),
  /** When a server last set out to check them by itself. */
  booksBegunAt: moment(),
  /** Up to which link the log's chain was checked, its hash in hex, and the links that were found broken. */
  chainNumber: bigint({ mode: "number" }),
  chainHash: text(),
  chainBroken: bigint({ mode: "number" }).array(),
  /** From how much on a rule about unusual events speaks up, in cents or counted; null where it is off. */
  unusualRules: jsonb().$type<Partial<Record<UnusualRule, number | null>>>().notNull().default({}),
});

/** What customers were shown to pay to, each with what came before it; numbered in the order of the changes. */
export const paymentHandles = pgTable("payment_handles", {
  id: id(),
  number: integer().notNull(),
  handle: text().notNull(),
  previous: text().notNull(),
  imageFileId: uuid(),
  /** What the image's QR codes say. */
  qr: text().array().notNull().default([]),
  imageIsOlder: boolean().notNull().default(false),
  warnings: text().array().notNull().default([]),
  /** Nobody's is what was there before the history began. */
  actor: text(),
  actorKind: authorKind(),
  actorId: uuid(),
  createdAt: createdAt(),
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

/** What each customer's orders of a month come to, without those that were refunded; kept by triggers. */
export const customerMonths = pgTable("customer_months", {
  customerId: uuid().notNull(),
  /** Its first day. */
  month: date({ mode: "string" }).notNull(),
  orders: bigint({ mode: "number" }).notNull(),
  cents: cents().notNull(),
});

/** What is counted: SQL expressions over a row of the table. `keep_counters()` makes triggers of them. */
export const counted = pgTable("counted", {
  subject: text().notNull(),
  table: text().notNull(),
  kind: text().notNull(),
  at: text().notNull(),
  cents: text().notNull(),
});

/** Backups that servers made by themselves. */
export const backups = pgTable("backups", {
  id: uuid().primaryKey(),
  file: text().notNull(),
  begunAt: createdAt(),
  /** Whoever makes it says so every few seconds. */
  aliveAt: createdAt(),
  endedAt: timestamp({ withTimezone: true }),
  rows: bigint({ mode: "number" }),
  bytes: bigint({ mode: "number" }),
  /** Restored into a database of its own, its books did; null where that did not come to pass. */
  balanced: boolean(),
  problem: text().notNull().default(""),
});
