import { setTimeout } from "node:timers/promises";
import { desc, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { withoutTimeLimit } from "../db/engine.ts";
import { settledUntil } from "../db/horizon.ts";
import { logArchives, logChain, settings } from "../db/schema.ts";
import { type Author, record } from "./audit.ts";

// Each link of the chain seals the log rows that follow those of the previous link. The database computes the hashes,
// but with the program's own SQL, so changing functions in the database does not change what is compared.

/** Most rows in a link. */
export const linkSize = 1000;

/** Any number that all Footprint servers agree on. */
const chainLock = sql.raw("74000006");

const hashOf = (text: SQL) => sql`sha256(convert_to(${text}, 'UTF8'))`;

/**
 * A log row as one line, the same on both engines, in every timezone and after a restore. If the log gets a new column,
 * it may be written only for rows that have a value in it: all others must keep their hash.
 */
export const rowText = sql`json_build_array(id, admin, actor_kind, actor_id, type, action, before::text, after::text,
  extract(epoch from created_at)::text, subject_kind, subject_id, customer_id)::text`;

/** The same for a row `link`, with the previous link's hash. */
export const linkText = (hashBefore: SQL) =>
  sql`json_build_array(coalesce(encode(${hashBefore}, 'hex'), ''), link.number, extract(epoch from link.until_at)::text, link.until_id, link.late,
    link.ids, encode(link.hashes, 'hex'), link.total, extract(epoch from link.chained_at)::text)::text`;

/** SHA-256 of a log row or a link. */
export const rowHash = hashOf(rowText);
export const linkHash = (hashBefore: SQL) => hashOf(linkText(hashBefore));

type Chaining = {
  /** How far the chain stays behind the clock, so that a clock set back by less does no harm. */
  distance?: string;
  onProgress?: (chained: number) => void;
  onLate?: (link: Link) => void;
  isStopped?: () => boolean;
};

/**
 * Adds the new log rows to the chain, link by link, each in its own transaction. Only one server at a time does; others
 * return at once.
 */
export async function chainLog(
  db: Database,
  { distance = "1 minute", onProgress = () => {}, onLate = () => {}, isStopped = () => false }: Chaining = {},
): Promise<void> {
  for (const takeRows of [takeLateRows, takeNextRows]) {
    let taken = linkSize;
    while (taken === linkSize && !isStopped()) {
      const begun = performance.now();
      const link = await withoutTimeLimit(db).transaction(async (tx) => {
        const end = await endOfChain(tx, distance);
        return end && takeRows(tx, end, db);
      });
      taken = link?.rows ?? 0;
      if (link && takeRows === takeLateRows) onLate(link);
      if (!link || taken < linkSize) continue;
      onProgress(link.total);
      // There is more to do. Others get the database for as long as this took.
      await setTimeout(performance.now() - begun);
    }
  }
}

type Link = { number: number; rows: number; total: number };
type End = Awaited<ReturnType<typeof endOfChain>> & {};

/**
 * The last link, and the moment before which no row can be added any more. Undefined while another server is chaining.
 */
async function endOfChain(tx: Transaction, distance: string) {
  const { rows: locks } = await tx.execute<{ mine: boolean }>(
    sql`select pg_try_advisory_xact_lock(${chainLock}) as mine`,
  );
  if (!locks[0]?.mine) return undefined;
  const horizon = await settledUntil(tx, distance);
  const { rows: links } = await tx.execute<{ number: string; at: string; id: string; total: string; hash: string }>(
    sql`select number, until_at::text as at, until_id as id, total, encode(hash, 'hex') as hash
        from log_chain order by number desc limit 1`,
  );
  const last = links[0] ?? {
    number: 0,
    at: "-infinity",
    id: "00000000-0000-0000-0000-000000000000",
    total: 0,
    hash: "",
  };
  return { ...last, horizon };
}

function takeNextRows(tx: Transaction, end: End) {
  const { at, id, horizon } = end;
  return addLink(
    tx,
    end,
    sql`(created_at, id) > (${at}::timestamptz, ${id}::uuid) and created_at < ${horizon}::timestamptz`,
  );
}

/** Databases whose clock was behind the chain when this process last looked. */
const wasBehind = new WeakSet<Database>();

/**
 * After the clock was set back, rows get a time that the chain has already passed. They are chained late: while the
 * clock is behind, and once more when it has caught up. At any other time such a row was added by hand.
 */
async function takeLateRows(tx: Transaction, end: End, db: Database) {
  const { at, id, horizon } = end;
  const { rows } = await tx.execute<{ behind: boolean }>(
    sql`select ${at}::timestamptz > ${horizon}::timestamptz as behind`,
  );
  const isBehind = rows[0]?.behind ?? false;
  if (!isBehind && !wasBehind.has(db)) return undefined;
  const aDayAgo = sql`${horizon}::timestamptz - interval '1 day'`;
  const link = await addLink(
    tx,
    end,
    sql`created_at > ${aDayAgo} and created_at < ${horizon}::timestamptz
      and (created_at, id) <= (${at}::timestamptz, ${id}::uuid) and not exists (
        select from (select unnest(ids) as id from log_chain where until_at > ${aDayAgo} offset 0) chained
        where chained.id = logs.id)`,
    { late: true },
  );
  if (isBehind) wasBehind.add(db);
  else if (link?.rows !== linkSize) wasBehind.delete(db);
  return link;
}

/** Adds a link over the first of these rows, if there are any. */
async function addLink(tx: Transaction, end: End, areTaken: SQL, { late = false } = {}) {
  // After a late link the chain continues at the time where it was.
  const untilAt = late ? sql`${end.at}::timestamptz` : sql`max(created_at)`;
  const untilId = late ? sql`${end.id}::uuid` : sql`(array_agg(id order by created_at desc, id desc))[1]`;
  const { rows } = await tx.execute<Link>(sql`
    insert into log_chain (number, until_at, until_id, late, ids, hashes, total, chained_at, hash)
    select link.*, ${linkHash(sql`decode(${end.hash}, 'hex')`)}
    from (
      select ${end.number}::bigint + 1 as number, ${untilAt} as until_at, ${untilId} as until_id, ${late}::boolean as late,
        array_agg(id order by created_at, id) as ids, string_agg(hash, '' order by created_at, id) as hashes,
        ${end.total}::bigint + count(*) as total, now() as chained_at
      from (select id, created_at, ${rowHash} as hash from logs where ${areTaken} order by created_at, id limit ${linkSize}) taken
      having count(*) > 0
    ) link
    returning number::float8 as number, cardinality(ids) as rows, total::float8 as total`);
  return rows[0];
}

/** The newest link, how many rows are chained, and how many are waiting. */
export async function newestLink(db: Database) {
  const [link] = await db
    .select({ number: logChain.number, hash: logChain.hash, chainedAt: logChain.chainedAt, total: logChain.total })
    .from(logChain)
    .orderBy(desc(logChain.number))
    .limit(1);
  const { rows } = await db.execute<{ logged: number }>(sql`
    select (select coalesce(sum(count), 0) from monthly_counters where subject = 'logs')::float8
      + (select coalesce(sum(removed_rows), 0) from log_archives)::float8 as logged`);
  const chained = link?.total ?? 0;
  return {
    link: link ? { ...link, hash: Buffer.from(link.hash).toString("hex") } : null,
    chained,
    waiting: Math.max(0, (rows[0]?.logged ?? 0) - chained),
  };
}

/** How many rows late links hold, and which links these are. */
export async function lateRows(db: Database): Promise<{ rows: number; links: number[] }> {
  const { rows } = await db.execute<{ rows: number; links: number[] }>(sql`
    select coalesce(sum(cardinality(ids)), 0)::float8 as rows, coalesce(array_agg(number::float8 order by number), '{}') as links
    from log_chain where late`);
  return rows[0] ?? { rows: 0, links: [] };
}

/** For replacing the whole log. The new chain's links have other hashes than any link noted before. */
export async function startChainAnew(tx: Transaction, author: Author, why: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${chainLock})`);
  const removed = await tx.delete(logChain).returning({ number: logChain.number });
  await tx.delete(logArchives);
  await tx.update(settings).set({ chainNumber: null, chainHash: null, chainBroken: null });
  if (removed.length > 0) await record(tx, author, "website", `${why}: the log's chain begins anew`);
}
