import { and, eq, sql } from "drizzle-orm";
import type { Database } from "./db/engine.ts";
import { counters, settings } from "./db/schema.ts";

/** How many rows of a counted subject there are, of one kind or of all. Never looks at the rows. */
export async function countOf(db: Database, subject: string, kind?: string): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`coalesce(sum(${counters.count}), 0)`.mapWith(Number) })
    .from(counters)
    .where(and(eq(counters.subject, subject), kind === undefined ? undefined : eq(counters.kind, kind)));
  return row?.count ?? 0;
}

/** How many rows of each kind of a subject there are. */
export async function countsByKind(db: Database, subject: string): Promise<Record<string, number>> {
  const rows = await db
    .select({ kind: counters.kind, count: sql<number>`sum(${counters.count})`.mapWith(Number) })
    .from(counters)
    .where(eq(counters.subject, subject))
    .groupBy(counters.kind);
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

/** The counters' days are business days: where the business moved to another timezone, they are counted anew. */
export async function adoptTimezone(db: Database, timezone: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [current] = await tx.select().from(settings).for("update");
    if (current?.timezone === timezone) return;
    await tx.update(settings).set({ timezone });
    await tx.execute(sql`set local statement_timeout = 0`);
    await tx.execute(sql`call recount()`);
  });
}
