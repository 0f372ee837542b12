import { scopes } from "@footprint/contract/endpoint.ts";
import { fedexStatus } from "@footprint/contract/fedex.ts";
import { invoiceStatus, paymentMethod } from "@footprint/contract/invoices.ts";
import { labelKind } from "@footprint/contract/label-types.ts";
import { authorKinds, logType, subjectKinds } from "@footprint/contract/logs.ts";
import { role } from "@footprint/contract/session.ts";
import { trackingTemplate, trackingType } from "@footprint/contract/tracking.ts";
import { transferKind } from "@footprint/contract/transfers.ts";
import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  customType,
  date,
  index,
  integer,
  json,
  jsonb,
  numeric,
  pgTable,
  pgView,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { uuidv7 } from "./ids.ts";

// Tables that can be searched have a further column, `search`, that the database computes and only server/search.ts
// knows: no query reads it, none writes it.

const id = () => uuid().primaryKey().$defaultFn(uuidv7);
const moment = () => timestamp({ withTimezone: true, mode: "date" });
const createdAt = () => moment().notNull().defaultNow();
const cents = () => bigint({ mode: "number" });
const measure = () => numeric({ precision: 12, scale: 3, mode: "number" });
const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });

/** A column that holds one of a contract's values, and the database's own word for it. */
const oneOf = <V extends string>(schema: { options: readonly V[] }) =>
  text({ enum: schema.options as readonly [V, ...V[]] }).notNull();
const isOneOf = (name: string, column: AnyPgColumn, schema: { options: readonly string[] }) =>
  check(name, sql`${column} in (${sql.raw(schema.options.map((value) => `'${value}'`).join(", "))})`);

export const accounts = pgTable(
  "accounts",
  {
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
  },
  (table) => [
    uniqueIndex("accounts_username_key").on(sql`lower(${table.username})`),
    isOneOf("accounts_role_known", table.role, role),
  ],
);

export const sessions = pgTable(
  "sessions",
  {
    /** SHA-256 of the token, so that a stolen backup opens no door. */
    tokenHash: text().primaryKey(),
    /** Names the session to its owner. */
    id: uuid().notNull().defaultRandom(),
    accountId: uuid()
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    /** What signed in, in words, and from where. */
    device: text().notNull().default(""),
    address: text().notNull().default(""),
    /** The known device that it was opened on, by its token's hash. */
    knownDevice: text(),
    /** Sign-ins as this account that failed since the one before. */
    failuresBefore: integer().notNull().default(0),
    createdAt: createdAt(),
    lastUsedAt: createdAt(),
  },
  (table) => [uniqueIndex("sessions_id_key").on(table.id), index().on(table.accountId), index().on(table.lastUsedAt)],
);

/** What stands in for a code when the authenticator app is lost; a used one is gone. */
export const recoveryCodes = pgTable(
  "recovery_codes",
  {
    accountId: uuid()
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    /** SHA-256 of the code. */
    codeHash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.codeHash] })],
);

/** Browsers that an account has signed in from: guesses made elsewhere do not keep them waiting. */
export const knownDevices = pgTable(
  "known_devices",
  {
    /** SHA-256 of the token that the browser keeps. */
    tokenHash: text().notNull(),
    accountId: uuid()
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
    lastUsedAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.tokenHash] }),
    index().on(table.tokenHash),
    index().on(table.lastUsedAt),
  ],
);

/** Tries of the last hour that failed or are still running; a successful one clears its account and place. */
export const signInTries = pgTable(
  "sign_in_tries",
  {
    id: id(),
    username: text().notNull(),
    /** Where they come from: a network, a known device or a session. */
    address: text().notNull(),
    triedAt: createdAt(),
  },
  (table) => [index().on(table.username, table.address, table.triedAt), index().on(table.triedAt)],
);

/** What the pause before the next guess grows with. All strangers who try one username share a row. */
export const signInLimits = pgTable(
  "sign_in_limits",
  {
    guesser: text().primaryKey(),
    /** Tries that failed or are still running. */
    tries: integer().notNull().default(0),
    triedAt: createdAt(),
    /** In the strangers' row: failed sign-ins since the last that worked, whoever failed, and when the log was told. */
    failures: integer().notNull().default(0),
    toldAt: moment(),
  },
  (table) => [index().on(table.triedAt)],
);

/** Codes that were wrong, or are still being checked, whatever address they came from. */
export const codeTries = pgTable(
  "code_tries",
  {
    id: id(),
    accountId: uuid()
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    triedAt: createdAt(),
  },
  (table) => [index().on(table.accountId, table.triedAt), index().on(table.triedAt)],
);

/** Whoever sells for the business. What comes in through its keys is its own. */
export const shops = pgTable("shops", { id: id(), name: text().notNull(), createdAt: createdAt() });

/**
 * The shop that brought something in; null for what came from before shops were told apart. Without a reference:
 * every purchase would have to lock the shop's row, and shops are never deleted.
 */
const broughtBy = () => uuid();

/** Keys that shops call with. */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: id(),
    name: text().notNull(),
    /** Its first characters, to tell keys apart. */
    start: text().notNull(),
    /** SHA-256 of the key. */
    keyHash: text().notNull(),
    shopId: uuid()
      .notNull()
      .references(() => shops.id),
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
  },
  (table) => [
    uniqueIndex("api_keys_hash_key").on(table.keyHash),
    uniqueIndex("api_keys_name_key").on(sql`lower(${table.name})`).where(sql`${table.bounded}`),
  ],
);

export const customers = pgTable(
  "customers",
  {
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
  },
  (table) => [
    uniqueIndex("customers_discord_id_key").on(table.discordId),
    check("customers_balance_in_range", sql`${table.balanceCents} between 0 and 1000000000000`),
    index("customers_newest").on(table.createdAt, table.id),
    index("customers_unverified").on(table.createdAt, table.id).where(sql`${table.verifiedAt} is null`),
    index("customers_verified").on(table.createdAt, table.id).where(sql`${table.verifiedAt} is not null`),
    index("customers_with_custom_pricing").on(table.createdAt, table.id).where(sql`${table.customPricingEnabled}`),
  ],
);

export const labelTypes = pgTable(
  "label_types",
  {
    id: id(),
    name: text().notNull(),
    uid: text().notNull(),
    maxWeight: measure().notNull(),
    kind: oneOf(labelKind),
    active: boolean().notNull().default(true),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("label_types_uid_key").on(sql`lower(${table.uid})`),
    isOneOf("label_types_kind_known", table.kind, labelKind),
    check("label_types_max_weight_positive", sql`${table.maxWeight} > 0`),
  ],
);

const tier = () => ({
  id: id(),
  labelTypeId: uuid()
    .notNull()
    .references(() => labelTypes.id, { onDelete: "cascade" }),
  /** Covers weights above `fromWeight` up to and including `toWeight`. */
  fromWeight: measure().notNull(),
  toWeight: measure().notNull(),
  priceCents: cents().notNull(),
  createdAt: createdAt(),
});

/** That tiers of one list never overlap is an exclusion constraint, in the migration. */
export const priceTiers = pgTable("price_tiers", tier(), (table) => [
  check("price_tiers_bounds", sql`0 <= ${table.fromWeight} and ${table.fromWeight} < ${table.toWeight}`),
  check("price_tiers_price", sql`${table.priceCents} >= 0`),
]);

export const customPrices = pgTable(
  "custom_prices",
  {
    ...tier(),
    customerId: uuid()
      .notNull()
      .references(() => customers.id, { onDelete: "cascade" }),
  },
  (table) => [
    check("custom_prices_bounds", sql`0 <= ${table.fromWeight} and ${table.fromWeight} < ${table.toWeight}`),
    check("custom_prices_price", sql`${table.priceCents} >= 0`),
    index("custom_prices_of_label_type").on(table.labelTypeId, table.toWeight),
    index("custom_prices_of_customer").on(table.customerId, table.createdAt, table.id),
  ],
);

const addressColumns = {
  fromName: text().notNull(),
  fromStreet: text().notNull(),
  fromStreet2: text().notNull().default(""),
  fromCity: text().notNull(),
  fromState: text().notNull(),
  fromZip: text().notNull(),
  toName: text().notNull(),
  toStreet: text().notNull(),
  toStreet2: text().notNull().default(""),
  toCity: text().notNull(),
  toState: text().notNull(),
  toZip: text().notNull(),
};

/** A carrier's code as it can be compared: its digits, without 420 and a zip code before it. `codeIn` is the same. */
export const plainTracking = (tracking: AnyPgColumn) =>
  sql`regexp_replace(regexp_replace(${tracking}, '[^0-9]', '', 'g'), '^420[0-9]{5}([0-9]{4})?(?=9[0-9]{21}$)', '')`;

export const bulkOrders = pgTable(
  "bulk_orders",
  {
    id: id(),
    uuid: uuid().notNull().defaultRandom(),
    customerId: uuid()
      .notNull()
      .references(() => customers.id),
    shopId: broughtBy(),
    createdAt: createdAt(),
  },
  (table) => [
    index("bulk_orders_newest").on(table.createdAt, table.id),
    index("bulk_orders_of_customer").on(table.customerId, table.createdAt, table.id),
  ],
);

export const orders = pgTable(
  "orders",
  {
    id: id(),
    /** The number that customer and shop see. */
    uuid: uuid().notNull().defaultRandom(),
    customerId: uuid()
      .notNull()
      .references(() => customers.id),
    labelTypeId: uuid()
      .notNull()
      .references(() => labelTypes.id),
    bulkOrderId: uuid().references(() => bulkOrders.id),
    priceCents: cents().notNull(),
    weight: measure().notNull(),
    tracking: text().notNull().default(""),
    ...addressColumns,
    fromCompany: text().notNull().default(""),
    fromCountry: text().notNull(),
    toCompany: text().notNull().default(""),
    toCountry: text().notNull(),
    refundedAt: moment(),
    shopId: broughtBy(),
    createdAt: createdAt(),
    /** Why it cost what it did; null in orders from before this was kept. */
    tierFromWeight: measure(),
    tierToWeight: measure(),
    hasCustomPrice: boolean(),
    standardPriceCents: cents(),
  },
  (table) => [
    check("orders_price", sql`${table.priceCents} >= 0`),
    index("orders_newest").on(table.createdAt, table.id),
    index("orders_newest_active").on(table.createdAt, table.id).where(sql`${table.refundedAt} is null`),
    index("orders_newest_refunded").on(table.createdAt, table.id).where(sql`${table.refundedAt} is not null`),
    index("orders_of_customer").on(table.customerId, table.createdAt, table.id),
    index("orders_of_label_type").on(table.labelTypeId, table.createdAt, table.id),
    index("orders_tracking").on(plainTracking(table.tracking)),
    index("orders_of_bulk_order").on(table.bulkOrderId).where(sql`${table.bulkOrderId} is not null`),
  ],
);

/** What staff tell each other about an order: kept as it was written. */
export const orderNotes = pgTable(
  "order_notes",
  {
    id: id(),
    orderId: uuid()
      .notNull()
      .references(() => orders.id),
    text: text().notNull(),
    author: text().notNull(),
    authorId: uuid().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("order_notes_of_order").on(table.orderId, table.createdAt, table.id)],
);

export const trackingCodes = pgTable(
  "tracking_codes",
  {
    id: id(),
    code: text().notNull(),
    type: oneOf(trackingType),
    template: oneOf(trackingTemplate),
    usedAt: moment(),
    createdAt: createdAt(),
    /** Those registered together; the log names the same. Null for codes from before this was kept. */
    batchId: uuid(),
  },
  (table) => [
    uniqueIndex("tracking_codes_code_key").on(table.code),
    isOneOf("tracking_codes_type_known", table.type, trackingType),
    isOneOf("tracking_codes_template_known", table.template, trackingTemplate),
    index("tracking_codes_newest").on(table.createdAt, table.id),
    index("tracking_codes_left").on(table.type, table.createdAt, table.id).where(sql`${table.usedAt} is null`),
    index("tracking_codes_used").on(table.type, table.createdAt, table.id).where(sql`${table.usedAt} is not null`),
    index("tracking_codes_next").on(table.type, table.createdAt, table.code).where(sql`${table.usedAt} is null`),
  ],
);

/** Uploads live in the database, so that one backup holds everything. A file nobody refers to is swept up. */
export const files = pgTable(
  "files",
  {
    id: id(),
    name: text().notNull(),
    type: text().notNull(),
    size: integer().notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [index("files_unattached").on(table.createdAt).where(sql`${table.size} = 0`)],
);

export const fileChunks = pgTable(
  "file_chunks",
  {
    fileId: uuid()
      .notNull()
      .references(() => files.id, { onDelete: "cascade" }),
    position: integer().notNull(),
    data: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.position] })],
);

export const fedexOrders = pgTable(
  "fedex_orders",
  {
    id: id(),
    uuid: uuid().notNull().defaultRandom(),
    customerId: uuid()
      .notNull()
      .references(() => customers.id),
    /** A quote: it moves no balance. */
    priceCents: cents(),
    status: oneOf(fedexStatus).default("Pending"),
    note: text().notNull().default(""),
    fileId: uuid().references(() => files.id),
    ...addressColumns,
    weight: measure().notNull(),
    length: measure().notNull(),
    width: measure().notNull(),
    height: measure().notNull(),
    dimensionUnit: text().notNull(),
    weightUnit: text().notNull(),
    specialNotes: text().notNull().default(""),
    shopId: broughtBy(),
    createdAt: createdAt(),
  },
  (table) => [
    check("fedex_orders_price", sql`${table.priceCents} >= 0`),
    isOneOf("fedex_orders_status_known", table.status, fedexStatus),
    index("fedex_orders_newest").on(table.createdAt, table.id),
    index("fedex_orders_newest_of_status").on(table.status, table.createdAt, table.id),
    index("fedex_orders_of_customer").on(table.customerId, table.createdAt, table.id),
    index("fedex_orders_file").on(table.fileId),
  ],
);

export const invoices = pgTable(
  "invoices",
  {
    id: id(),
    customerId: uuid()
      .notNull()
      .references(() => customers.id),
    amountCents: cents().notNull(),
    paymentMethod: oneOf(paymentMethod),
    status: oneOf(invoiceStatus).default("pending"),
    hostedUrl: text().notNull().default(""),
    paidAt: moment(),
    shopId: broughtBy(),
    createdAt: createdAt(),
  },
  (table) => [
    check("invoices_amount", sql`${table.amountCents} > 0`),
    isOneOf("invoices_method_known", table.paymentMethod, paymentMethod),
    isOneOf("invoices_status_known", table.status, invoiceStatus),
    check("invoices_paid_at", sql`(${table.status} = 'paid') = (${table.paidAt} is not null)`),
    index("invoices_newest").on(table.createdAt, table.id),
    index("invoices_newest_of_status").on(table.status, table.createdAt, table.id),
    index("invoices_of_method").on(table.paymentMethod, table.createdAt, table.id),
    index("invoices_of_customer").on(table.customerId, table.createdAt, table.id),
  ],
);

const authorKind = () => text({ enum: authorKinds });

/** The ledger: one row per change of a balance. A customer's balance is the sum of their rows. */
export const transfers = pgTable(
  "transfers",
  {
    id: id(),
    customerId: uuid()
      .notNull()
      .references(() => customers.id),
    kind: oneOf(transferKind),
    amountCents: cents().notNull(),
    balanceAfterCents: cents().notNull(),
    /** The invoice, the order or bulk order bought, or the order refunded. */
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
    reverses: uuid().references((): AnyPgColumn => transfers.id),
    reversedBy: uuid().references((): AnyPgColumn => transfers.id),
  },
  (table) => {
    const isNoPurchase = sql`${table.kind} <> 'purchase'`;
    return [
      isOneOf("transfers_kind_known", table.kind, transferKind),
      check("transfers_balance_after", sql`${table.balanceAfterCents} >= 0`),
      check("transfers_reference", sql`(${table.kind} in ('adjustment', 'reversal')) = (${table.reference} is null)`),
      check("transfers_reversal", sql`(${table.kind} = 'reversal') = (${table.reverses} is not null)`),
      // One deposit per invoice, one purchase and one refund per order, one reversal per transfer, whatever the code does.
      uniqueIndex("transfers_standing").on(table.reference, table.kind).where(sql`${table.reversedBy} is null`),
      index("transfers_reversed").on(table.reference).where(sql`${table.reversedBy} is not null`),
      uniqueIndex("transfers_reversed_once").on(table.reverses).where(sql`${table.reverses} is not null`),
      uniqueIndex("transfers_numbered").on(table.customerId, table.number),
      index("transfers_dated").on(table.customerId, table.createdAt),
      index("transfers_of_kind").on(table.customerId, table.kind, table.number).where(isNoPurchase),
      index("transfers_newest").on(table.createdAt, table.id).where(isNoPurchase),
      index("transfers_newest_of_kind").on(table.kind, table.createdAt, table.id).where(isNoPurchase),
      index("transfers_by_account")
        .on(table.actorId, table.createdAt, table.id)
        .where(sql`${table.actorKind} = 'account'`),
      index("transfers_deposits_by_shop")
        .on(table.actorId, table.createdAt)
        .where(sql`${table.kind} = 'deposit' and ${table.actorKind} = 'shop'`),
    ];
  },
);

export const logs = pgTable(
  "logs",
  {
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
  },
  (table) => [
    isOneOf("logs_type_known", table.type, logType),
    index("logs_newest").on(table.createdAt, table.id),
    index("logs_newest_of_type").on(table.type, table.createdAt, table.id),
    index("logs_newest_of_actor").on(table.actorId, table.createdAt, table.id),
    index("logs_of_subject").on(table.subjectId, table.createdAt, table.id).where(sql`${table.subjectId} is not null`),
    index("logs_of_customer")
      .on(table.customerId, table.createdAt, table.id)
      .where(sql`${table.customerId} is not null`),
  ],
);

/** The business, in one row. */
export const settings = pgTable(
  "settings",
  {
    id: boolean().primaryKey().default(true),
    /** The zone that the counters' days are in. */
    timezone: text().notNull().default("UTC"),
    cashappId: text().notNull().default(""),
    imageFileId: uuid().references(() => files.id),
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
  },
  (table) => [check("settings_one_row", sql`${table.id}`)],
);

/** Answers to calls that came with an Idempotency-Key, written with the change they answer. */
export const idempotentReplies = pgTable(
  "idempotent_replies",
  {
    caller: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of method, path and body. */
    request: text().notNull(),
    /** As text, so that a repeat gets the very same bytes. */
    reply: json(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.caller, table.key] }), index().on(table.createdAt)],
);

/** How many rows of a kind there are on each business day, kept by triggers in the change's own transaction. */
export const counters = pgTable(
  "counters",
  {
    subject: text().notNull(),
    kind: text().notNull(),
    day: date({ mode: "string" }).notNull(),
    /** Concurrent writers add to different rows, so that they do not queue; settled ones have slot -1. */
    slot: smallint().notNull(),
    count: bigint({ mode: "number" }).notNull(),
    cents: cents().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.subject, table.kind, table.day, table.slot] }),
    index("counters_unsettled").on(table.subject, table.kind).where(sql`${table.slot} >= 0`),
  ],
);

/** The settled counters by month: adding up ten years of days for every list would show. */
export const settledMonths = pgTable(
  "settled_months",
  {
    subject: text().notNull(),
    kind: text().notNull(),
    /** Its first day. */
    month: date({ mode: "string" }).notNull(),
    count: bigint({ mode: "number" }).notNull(),
    cents: cents().notNull(),
  },
  (table) => [primaryKey({ columns: [table.subject, table.kind, table.month] })],
);

/** Everything that is counted, by month: what is settled, and beside it what is not. */
export const monthlyCounters = pgView("monthly_counters", {
  subject: text().notNull(),
  kind: text().notNull(),
  month: date({ mode: "string" }).notNull(),
  count: bigint({ mode: "number" }).notNull(),
  cents: cents().notNull(),
}).existing();

/** What is counted: SQL expressions over a row of the table. `keep_counters()` makes triggers of them. */
export const counted = pgTable(
  "counted",
  {
    subject: text().notNull(),
    table: text().notNull(),
    kind: text().notNull(),
    at: text().notNull(),
    cents: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.subject] })],
);
