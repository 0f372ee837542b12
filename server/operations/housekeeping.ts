import { setImmediate } from "node:timers/promises";
import { and, eq, is, lt, not, or, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { oldestKeptTry } from "../accounts/guessing.ts";
import { oldestKeptDevice } from "../accounts/known-devices.ts";
import { idleLimit, lifetimeLimit } from "../accounts/sessions.ts";
import { type Engine, withoutTimeLimit } from "../db/engine.ts";
import * as schema from "../db/schema.ts";
import {
  accounts,
  codeTries,
  files,
  idempotentReplies,
  knownDevices,
  sessions,
  signInLimits,
  signInTries,
} from "../db/schema.ts";
import { checkBooksHourly } from "../money/books.ts";
import { endClaims } from "../money/fedex-claims.ts";

const minute = 60_000;
const hour = 60 * minute;

/**
 * Clears away what has ended and checks the books, soon and then every hour, so that no call has to; ends claims every
 * minute. Returns how to stop.
 */
export function startHousekeeping(engine: Engine, onFailure: (error: unknown) => void): () => Promise<void> {
  let running = Promise.resolve();
  const run = () => {
    running = tidy(engine)
      .then(() => checkBooksHourly(engine.db))
      .catch(onFailure);
  };
  let ending = Promise.resolve();
  const claims = setInterval(() => {
    ending = endClaims(engine.db).catch(onFailure);
  }, minute);
  // Whoever has just started has callers waiting.
  const first = setTimeout(run, minute);
  const others = setInterval(run, hour);
  return async () => {
    clearTimeout(first);
    clearInterval(others);
    clearInterval(claims);
    await running;
    await ending;
  };
}

/** Any number of servers may do this at once. */
export async function tidy({ db: hurried, kind }: Pick<Engine, "db" | "kind">): Promise<void> {
  const db = withoutTimeLimit(hurried);
  await db.delete(idempotentReplies).where(lt(idempotentReplies.createdAt, sql`now() - interval '7 days'`));
  await db.delete(sessions).where(or(lt(sessions.lastUsedAt, idleLimit), lt(sessions.createdAt, lifetimeLimit)));
  await db.delete(signInTries).where(lt(signInTries.triedAt, oldestKeptTry));
  await db.delete(knownDevices).where(lt(knownDevices.lastUsedAt, oldestKeptDevice));
  await clearLimits(db);
  await db.delete(codeTries).where(lt(codeTries.triedAt, sql`now() - interval '10 minutes'`));
  // What a crash left behind: received, never attached.
  await db.delete(files).where(and(eq(files.size, 0), lt(files.createdAt, sql`now() - interval '1 hour'`)));
  await db.execute(sql`call fold_counters()`);
  // PostgreSQL does this by itself; the embedded engine has nobody who would.
  if (kind !== "embedded") return;
  for (const table of tables) {
    await db.execute(sql`vacuum (analyze) ${table}`);
    // It shares the process with everybody who waits for an answer: their turn.
    await setImmediate();
  }
}

/** After a day tries do not count; but an account is still to be told of those that failed. */
async function clearLimits(db: Engine["db"]) {
  const isAccount = sql`exists (select from ${accounts} where 'name ' || lower(${accounts.username}) = ${signInLimits.guesser})`;
  const isOld = lt(signInLimits.triedAt, oldestKeptDevice);
  await db
    .delete(signInLimits)
    .where(and(lt(signInLimits.triedAt, sql`now() - interval '1 day'`), or(isOld, not(isAccount))));
}

const tables = Object.values(schema).filter((value) => is(value, PgTable));
