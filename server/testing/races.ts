import { eq, sql } from "drizzle-orm";
import { inject } from "vitest";
import type { Database } from "../db/database.ts";
import type {
  accounts,
  codeBatches,
  customers,
  customPrices,
  fedexOrders,
  labelTypes,
  settings,
} from "../db/schema.ts";
import { db } from "./server.ts";

/** As many as one account may run at once: further calls would not reach the row yet. */
const mostWaiting = 10;

/**
 * Makes calls really meet: they queue up for a held row, then all continue at once. What they hold while waiting can be
 * examined.
 */
export async function meetAt<T>(
  table:
    | typeof accounts
    | typeof codeBatches
    | typeof customers
    | typeof customPrices
    | typeof fedexOrders
    | typeof labelTypes
    | typeof settings,
  { id }: { id: string | boolean },
  start: () => Promise<T>[],
  meanwhile: (tx: Database) => Promise<unknown> = async () => {},
  /** Calls that are made together wait as one. */
  waitAsOne = 1,
): Promise<T[]> {
  const { calls } = await db.transaction(async (tx) => {
    await tx.select({ id: table.id }).from(table).where(eq(table.id, id)).for("update");
    const calls = start();
    // On the embedded engine, with one connection, the calls wait for the transaction itself.
    if (!inject("embeddedDump")) await untilTheyWait(tx, Math.min(calls.length - waitAsOne + 1, mostWaiting), calls);
    await meanwhile(tx);
    // Wrapped: the transaction must end before the calls can.
    return { calls };
  });
  return Promise.all(calls);
}

/** Waits until so many statements wait for a lock; answered calls count as well, if calls are given. */
export async function untilTheyWait(tx: Database, count: number, calls: Promise<unknown>[] = []): Promise<void> {
  let answered = 0;
  for (const call of calls) {
    const end = () => answered++;
    call.then(end, end);
  }
  const patience = Date.now() + 30_000;
  for (let waiting = 0; waiting + answered < count; waiting = await waitingForLocks(tx))
    if (Date.now() > patience) throw new Error(`${waiting} wait for a lock and ${answered} are answered, of ${count}`);
}

/** As the lock table tells it: what an activity waits for is shown until it has noticed that it has the lock. */
export async function waitingForLocks(tx: Database): Promise<number> {
  // Without this the database would know no newer connections throughout the transaction.
  await tx.execute(sql`select pg_stat_clear_snapshot()`);
  const { rows } = await tx.execute<{ count: number }>(
    sql`select count(distinct pid)::int as count from pg_locks join pg_stat_activity using (pid)
        where datname = current_database() and not granted`,
  );
  return rows[0]?.count ?? 0;
}
