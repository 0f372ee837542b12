import { setImmediate } from "node:timers/promises";
import { and, eq, is, lt, not, or, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { oldestKeptTry } from "../accounts/guessing.ts";
import { oldestKeptDevice } from "../accounts/known-devices.ts";
import { chainLog, newestLink } from "../accounts/log-chain.ts";
import { oldestChallenge } from "../accounts/passkeys.ts";
import { idleLimit, lifetimeLimit } from "../accounts/sessions.ts";
import { oldestKeptSignIn } from "../accounts/sign-ins.ts";
import { forgetMessages } from "../chat/messages.ts";
import { onCommit } from "../db/commits.ts";
import { type Engine, withoutTimeLimit } from "../db/engine.ts";
import * as schema from "../db/schema.ts";
import {
  accounts,
  codeTries,
  files,
  idempotentReplies,
  knownDevices,
  passkeyChallenges,
  sessions,
  signInLimits,
  signIns,
  signInTries,
} from "../db/schema.ts";
import { tellOfLowCodes } from "../lists/low-codes.ts";
import { endRequests } from "../money/approvals.ts";
import { checkBooksHourly } from "../money/books.ts";
import { endClaims } from "../money/fedex-claims.ts";
import { makeScheduledChanges } from "../money/prices/schedule.ts";
import { forgetPayers } from "../money/statements/lines.ts";
import { keepSummaries } from "../money/summaries.ts";
import { lookForUnusual } from "../money/unusual-look.ts";
import { forgetEvents } from "../outbox/numbering.ts";
import { clearDeliveries } from "../webhooks/deliveries.ts";

const minute = 60_000;
const hour = 60 * minute;

/**
 * The background work. Within a second: search keys of changed rows are merged into the indexes. Within some seconds:
 * scheduled prices change. Every minute: claims and requests expire, low codes are reported, the log is chained. Every
 * two minutes: unusual events and daily summaries. Soon after the start and then every hour: clearing up, and checking
 * the books. Returns a function that stops it.
 */
export function startHousekeeping(
  engine: Engine,
  onFailure: (error: unknown) => void,
  report: (line: string) => void,
): () => Promise<void> {
  let isStopped = false;
  let running = Promise.resolve();
  const run = () => {
    running = tidy(engine)
      .then(() => checkBooksHourly(engine.db))
      .then(() => reportChain(engine.db, report))
      .catch(onFailure);
  };
  let ending = Promise.resolve();
  const claims = setInterval(() => {
    ending = endClaims(engine.db)
      .then(() => endRequests(engine.db))
      .then(() => tellOfLowCodes(engine.db, new Date()))
      .catch(onFailure);
  }, minute);
  let pricing: Promise<void> | undefined;
  const changePrices = () => {
    pricing ??= makeScheduledChanges(engine.db)
      .catch(onFailure)
      .finally(() => {
        pricing = undefined;
      });
  };
  // Changes that became due while no server ran.
  changePrices();
  const prices = setInterval(changePrices, 5_000);
  let chaining: Promise<void> | undefined;
  const chain = setInterval(() => {
    const onProgress = every(10_000, () => reportChain(engine.db, report).catch(onFailure));
    // After an upgrade of a large business it takes longer than a minute.
    chaining ??= chainLog(engine.db, { onProgress, onLate: reportLate(report), isStopped: () => isStopped })
      .catch(onFailure)
      .finally(() => {
        chaining = undefined;
      });
  }, minute);
  let looking: Promise<void> | undefined;
  const look = setInterval(() => {
    looking ??= lookForUnusual(engine.db, { isStopped: () => isStopped })
      .then(() => keepSummaries(engine.db))
      .catch(onFailure)
      .finally(() => {
        looking = undefined;
      });
  }, 2 * minute);
  let isChanged = true;
  const stopListening = onCommit(engine.db, () => {
    isChanged = true;
  });
  let merging: Promise<void> | undefined;
  const merge = setInterval(() => {
    if (!isChanged || merging) return;
    isChanged = false;
    merging = mergeKeys(engine.db)
      .catch(onFailure)
      .finally(() => {
        merging = undefined;
      });
  }, 1_000);
  // A server that has just started has callers waiting.
  const first = setTimeout(run, minute);
  const others = setInterval(run, hour);
  return async () => {
    clearTimeout(first);
    clearInterval(others);
    clearInterval(claims);
    clearInterval(prices);
    clearInterval(chain);
    clearInterval(look);
    clearInterval(merge);
    stopListening();
    isStopped = true;
    await running;
    await ending;
    await pricing;
    await chaining;
    await looking;
    await merging;
  };
}

/** Whoever keeps the program's output has the newest link in a place out of the database's reach. */
async function reportChain(db: Engine["db"], report: (line: string) => void) {
  const { link, chained, waiting } = await newestLink(db);
  if (link) report(`log chained up to link ${link.number}:${link.hash}, ${chained} entries, ${waiting} waiting`);
}

/** A late link that no server reported was made by somebody else. */
const reportLate =
  (report: (line: string) => void) =>
  ({ number, rows }: { number: number; rows: number }) =>
    report(`the clock was set back: log chained late in link ${number}, ${rows} entries`);

/** Does something when asked, but not more often than this. */
function every(milliseconds: number, work: () => void): () => void {
  let last = performance.now();
  return () => {
    if (performance.now() - last < milliseconds) return;
    last = performance.now();
    work();
  };
}

/**
 * New search keys wait in a list until they are merged into an index, many at once. A purchase that fills this list has
 * to merge it, which takes as long as a dozen purchases; and every search reads the whole list.
 */
export async function mergeKeys(db: Engine["db"]): Promise<void> {
  await withoutTimeLimit(db).execute(sql`
    select gin_clean_pending_list(oid) from pg_class
    where relam = (select oid from pg_am where amname = 'gin') and relnamespace = current_schema()::regnamespace
      and pg_has_role(relowner, 'usage')`);
}

/** Safe on any number of servers at once. */
export async function tidy({ db: hurried, kind }: Pick<Engine, "db" | "kind">): Promise<void> {
  const db = withoutTimeLimit(hurried);
  await db.delete(idempotentReplies).where(lt(idempotentReplies.createdAt, sql`now() - interval '7 days'`));
  await db.delete(sessions).where(or(lt(sessions.lastUsedAt, idleLimit), lt(sessions.createdAt, lifetimeLimit)));
  await db.delete(signInTries).where(lt(signInTries.triedAt, oldestKeptTry));
  await db.delete(signIns).where(lt(signIns.createdAt, oldestKeptSignIn));
  await db.delete(knownDevices).where(lt(knownDevices.lastUsedAt, oldestKeptDevice));
  await clearLimits(db);
  await db.delete(codeTries).where(lt(codeTries.triedAt, sql`now() - interval '10 minutes'`));
  await db.delete(passkeyChallenges).where(lt(passkeyChallenges.createdAt, oldestChallenge));
  // Left by a crash: received, but never attached.
  await db.delete(files).where(and(eq(files.size, 0), lt(files.createdAt, sql`now() - interval '1 hour'`)));
  await forgetPayers(db);
  await forgetMessages(db);
  await forgetEvents(db);
  await clearDeliveries(db);
  await db.execute(sql`call fold_counters()`);
  // PostgreSQL does this by itself; the embedded engine does not.
  if (kind !== "embedded") return;
  for (const table of tables) {
    await db.execute(sql`vacuum (analyze) ${table}`);
    // The engine shares the process with callers, so they get a turn.
    await setImmediate();
  }
}

/** After a day tries no longer count, but accounts are still told of failed ones. */
async function clearLimits(db: Engine["db"]) {
  const isAccount = sql`exists (select from ${accounts} where 'name ' || lower(${accounts.username}) = ${signInLimits.guesser})`;
  const isOld = lt(signInLimits.triedAt, oldestKeptDevice);
  await db
    .delete(signInLimits)
    .where(and(lt(signInLimits.triedAt, sql`now() - interval '1 day'`), or(isOld, not(isAccount))));
}

const tables = Object.values(schema).filter((value) => is(value, PgTable));
