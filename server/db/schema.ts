import { sql } from "drizzle-orm";
import { boolean, check, index, jsonb, pgTable, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { uuidv7 } from "../ids.ts";

const id = () => uuid().primaryKey().$defaultFn(uuidv7);
const moment = () => timestamp({ withTimezone: true, mode: "date" });
const createdAt = () => moment().notNull().defaultNow();

export const accounts = pgTable(
  "accounts",
  {
    id: id(),
    username: text().notNull(),
    passwordHash: text().notNull(),
    role: text({ enum: ["admin", "staff"] }).notNull(),
    chatId: text().notNull().default(""),
    notificationAccess: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("accounts_username_key").on(sql`lower(${table.username})`),
    check("accounts_role_known", sql`${table.role} in ('admin', 'staff')`),
  ],
);

export const sessions = pgTable(
  "sessions",
  {
    /** SHA-256 of the token, so that a stolen backup opens no door. */
    tokenHash: text().primaryKey(),
    accountId: uuid()
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
    lastUsedAt: createdAt(),
  },
  (table) => [index().on(table.accountId), index().on(table.lastUsedAt)],
);

/** Sign-in tries that failed or are still running; a successful one clears its account and address. */
export const signInTries = pgTable(
  "sign_in_tries",
  {
    id: id(),
    username: text().notNull(),
    address: text().notNull(),
    triedAt: createdAt(),
  },
  (table) => [index().on(table.username, table.address, table.triedAt), index().on(table.triedAt)],
);

export const logTypes = [
  "balance",
  "refund",
  "user",
  "pricing",
  "label",
  "tracking",
  "staff",
  "fedex",
  "invoice",
  "website",
  "session",
] as const;

export const logs = pgTable(
  "logs",
  {
    id: id(),
    /** The actor's name at the time: the log stays true after an account is renamed or deleted. */
    admin: text().notNull(),
    type: text({ enum: logTypes }).notNull(),
    action: text().notNull(),
    before: jsonb(),
    after: jsonb(),
    createdAt: createdAt(),
  },
  (table) => [index().on(table.createdAt, table.id)],
);
