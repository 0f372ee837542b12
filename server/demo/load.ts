import { getTableColumns, getTableName, inArray, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { generatePassword, hashPassword } from "../accounts/passwords.ts";
import type { Database, Transaction } from "../db/database.ts";
import { unhurried } from "../db/engine.ts";
import * as schema from "../db/schema.ts";
import { demoBusiness } from "./business.ts";

const demoStaff = ["support.day", "support.night"];

/** Fills an empty database with the demo business, once; true when it did. */
export async function loadDemo(db: Database, now: Date): Promise<boolean> {
  const passwordHash = await hashPassword(generatePassword());
  return unhurried(db).transaction(async (tx) => {
    const [settings] = await tx.select().from(schema.settings).for("update");
    const isEmpty = (await tx.$count(schema.customers)) + (await tx.$count(schema.labelTypes)) === 0;
    if (!isEmpty || settings?.demo !== null) return false;
    for (const [table, rows] of demoBusiness(now)) await insertMany(tx, table, rows);
    const staff = demoStaff.map((username) => ({ username, role: "staff" as const, passwordHash }));
    await tx.insert(schema.accounts).values(staff).onConflictDoNothing();
    await tx.update(schema.settings).set({ demo: true, cashappId: "$footprint-demo" });
    return true;
  });
}

/** One statement per thousand rows, whatever the number of columns. */
async function insertMany(tx: Transaction, table: PgTable, rows: readonly object[]) {
  const keys = Object.keys(getTableColumns(table)).filter((key) => rows.some((row) => key in row));
  const columns = sql.raw(keys.map((key) => `"${snakeCase(key)}"`).join(", "));
  const name = sql.raw(getTableName(table));
  for (let start = 0; start < rows.length; start += 1000) {
    const slice = rows.slice(start, start + 1000).map((row) => {
      const values = new Map(Object.entries(row));
      return Object.fromEntries(keys.map((key) => [snakeCase(key), values.get(key) ?? null]));
    });
    const records = sql`jsonb_populate_recordset(null::${name}, ${JSON.stringify(slice)}::jsonb)`;
    await tx.execute(sql`insert into ${name} (${columns}) select ${columns} from ${records}`);
  }
}

const snakeCase = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** All that a business is made of; what refers to others stands before them. */
const business = [
  schema.logs,
  schema.transfers,
  schema.idempotentReplies,
  schema.trackingCodes,
  schema.customPrices,
  schema.priceTiers,
  schema.orders,
  schema.bulkOrders,
  schema.fedexOrders,
  schema.invoices,
  schema.files,
  schema.customers,
  schema.labelTypes,
  schema.counters,
  schema.settledMonths,
];

/** Takes away the demo business and what was entered into it; accounts made by hand stay. False: there is none. */
export async function removeDemo(db: Database): Promise<boolean> {
  return unhurried(db).transaction(async (tx) => {
    const [settings] = await tx.select().from(schema.settings).for("update");
    if (!settings?.demo) return false;
    await tx.update(schema.settings).set({ demo: false, cashappId: "", imageFileId: null });
    await tx.delete(schema.accounts).where(inArray(schema.accounts.username, demoStaff));
    for (const table of business) await tx.delete(table);
    return true;
  });
}
