import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { type Author, type LogEntry, recordRead } from "./audit.ts";

type Attempt = { author: Author; entry: LogEntry };

const attempts = new WeakMap<Error, Attempt>();

/** A refusal that others should know of: whoever makes its change into nothing writes the entry. */
export function onRecord<E extends Error>(error: E, author: Author, entry: LogEntry): E {
  attempts.set(error, { author, entry });
  return error;
}

/** So many of an account are written within ten minutes, and the same one once: nobody fills the log with them. */
const mostWritten = 20;

/** Writes what was tried and refused, in a transaction of its own: that of the change has come to nothing. */
export async function recordAttempt(db: Database, error: unknown): Promise<void> {
  const refused = error instanceof Error ? (attempts.get(error) ?? attempts.get(error.cause as Error)) : undefined;
  if (!refused) return;
  const { author, entry } = refused;
  const { rows } = await db.execute<{ all: number; same: number }>(sql`
    select count(*)::integer as all, (count(*) filter (where action = ${entry[1]}))::integer as same
    from logs where actor_id = ${author.id} and created_at > now() - interval '10 minutes'
      and starts_with(action, ${wasRefused})`);
  if ((rows[0]?.same ?? 0) > 0 || (rows[0]?.all ?? 0) >= mostWritten) return;
  await recordRead(db, author, ...entry);
}

/** How such an entry begins. */
export const wasRefused = "Was refused to ";
