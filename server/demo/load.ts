import { getTableColumns, inArray } from "drizzle-orm";
import { system, terminal } from "../accounts/audit.ts";
import { startChainAnew } from "../accounts/log-chain.ts";
import { generatePassword, hashPassword } from "../accounts/passwords.ts";
import type { Database } from "../db/database.ts";
import { withoutTimeLimit } from "../db/engine.ts";
import { insertRows } from "../db/insert-rows.ts";
import * as schema from "../db/schema.ts";
import { businessTables, makeBusiness } from "./business.ts";
import { addExampleShop, removeExampleShop } from "./example-shop.ts";

/** The shop's entries would hide those of operators, and take a third of the loading time. */
const plan = { days: 365, orders: 6000, customers: 400, logsShop: false };
const demoStaff = ["support.day", "support.night"];

/** Results about another business are meaningless. */
const unchecked = { booksCheckedAt: null, booksProblems: null, owedCents: null, lowCodes: [] };

/** Fills an empty database with the demo business, once; returns true when it did. */
export async function loadDemo(db: Database, now: Date): Promise<boolean> {
  const passwordHash = await hashPassword(generatePassword());
  return withoutTimeLimit(db).transaction(async (tx) => {
    const [settings] = await tx.select().from(schema.settings).for("update");
    const isEmpty = (await tx.$count(schema.customers)) + (await tx.$count(schema.labelTypes)) === 0;
    if (!isEmpty || settings?.demo !== null) return false;
    const batches = Map.groupBy(makeBusiness({ now, ...plan }), ([table]) => table);
    const sold = { shopId: await addExampleShop(tx) };
    for (const table of businessTables) {
      const isSold = "shopId" in getTableColumns(table);
      for (const [, rows] of batches.get(table) ?? [])
        await insertRows(tx, table, isSold ? rows.map((row) => ({ ...row, ...sold })) : rows);
    }
    const staff = demoStaff.map((username) => ({ username, role: "staff" as const, passwordHash }));
    await tx.insert(schema.accounts).values(staff).onConflictDoNothing();
    await tx.update(schema.settings).set({ demo: true, cashappId: "$footprint-demo", ...unchecked });
    // The demo's past may be older than what is already chained.
    await startChainAnew(tx, system, "Loaded the demo business");
    return true;
  });
}

/** All tables of a business, each before those it refers to. */
const business = [
  schema.statementLines,
  schema.statements,
  schema.statementMappings,
  schema.orderNotes,
  schema.approvals,
  schema.unusualEvents,
  schema.unusualLooks,
  schema.outbox,
  schema.events,
  schema.addressDays,
  schema.daySummaries,
  schema.scheduledPrices,
  ...[...businessTables].reverse(),
  schema.codeAlerts,
  schema.idempotentReplies,
  schema.paymentHandles,
  schema.files,
  schema.counters,
  schema.settledMonths,
  schema.customerMonths,
];

/**
 * Removes the demo business and everything entered into it; accounts made by hand stay. Returns false if there is none.
 */
export async function removeDemo(db: Database): Promise<boolean> {
  return withoutTimeLimit(db).transaction(async (tx) => {
    const [settings] = await tx.select().from(schema.settings).for("update");
    if (!settings?.demo) return false;
    await tx.update(schema.settings).set({ demo: false, cashappId: "", imageFileId: null, ...unchecked });
    await tx.delete(schema.accounts).where(inArray(schema.accounts.username, demoStaff));
    for (const table of business) await tx.delete(table);
    await removeExampleShop(tx);
    await startChainAnew(tx, terminal, "Removed the demo business");
    return true;
  });
}
