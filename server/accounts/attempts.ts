import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { type Author, type LogEntry, recordRead } from "./audit.ts";

type Attempt = { author: Author; entry: LogEntry };

const attempts = new WeakMap<Error, Attempt>();

/** Marks a refusal that belongs in the log. Whoever catches the error after the rollback writes the entry. */
export function toBeLogged<E extends Error>(error: E, author: Author, entry: LogEntry): E {
  attempts.set(error, { author, entry });
  return error;
}

/** Per account and ten minutes; a repeated entry is written once. So nobody can fill the log with refusals. */
const mostWritten = 20;

/** Writes what was tried and refused, in its own transaction, because the change's own was rolled back. */
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

/** The beginning of each such entry. */
export const wasRefused = "Was refused to ";
