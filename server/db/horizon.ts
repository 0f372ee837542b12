import { sql } from "drizzle-orm";
import type { Transaction } from "./database.ts";

/**
 * The moment before which no more rows can appear. A row's time is the begin of its transaction or later, and all
 * transactions that began before the oldest running one have ended. Minus `distance`, since clocks may be set back.
 */
export async function settledUntil(tx: Transaction, distance: string): Promise<string> {
  const { rows } = await tx.execute<{ horizon: string }>(sql`
    select (least(clock_timestamp(), min(xact_start)) - ${distance}::interval)::text as horizon from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`);
  return rows[0]?.horizon ?? "-infinity";
}
