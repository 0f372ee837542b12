import { setTimeout } from "node:timers/promises";
import { and, eq, isNull, sql } from "drizzle-orm";
import { StartError } from "../config.ts";
import type { Database, Transaction } from "../db/database.ts";
import { withoutTimeLimit } from "../db/engine.ts";
import { logArchives } from "../db/schema.ts";
import { record, system, terminal } from "./audit.ts";
import { type ChainLine, followChain, type LinkLine } from "./chain-lines.ts";
import { linkHash, linkText, rowText } from "./log-chain.ts";

// The database's part in archiving the log: finding the next part, reading its lines, deleting and restoring it.

/** Any number that all Footprint servers agree on. */
const archiveLock = sql.raw("74000012");

/** After so many seconds without a sign of life, a server that was archiving is taken for dead. */
const silence = 120;
export const sayEvery = 20_000;

/** Rows that are read or deleted at a time, so that others can use the database in between. */
const batch = 1000;

export type Part = typeof logArchives.$inferSelect;

const isAlive = sql`alive_at between clock_timestamp() - ${sql.raw(String(silence))} * interval '1 second' and clock_timestamp()`;

/**
 * The oldest month of the log that is not archived yet, or a part that a server left half done. `ending` is for the
 * file's name. Undefined if no month is due, or another server is archiving.
 */
export async function claimPart(db: Database, keep: string, ending: string): Promise<Part | undefined> {
  return withoutTimeLimit(db).transaction(async (tx) => {
    const { rows } = await tx.execute<{ mine: boolean }>(sql`select pg_try_advisory_xact_lock(${archiveLock}) as mine`);
    if (!rows[0]?.mine) return undefined;
    const [begun] = await tx
      .select({ part: logArchives, isAlive: sql<boolean>`${isAlive}` })
      .from(logArchives)
      .where(sql`removed_link < last_link`);
    if (begun?.isAlive) return undefined;
    if (begun?.part.sha256) {
      await sayAlive(tx, begun.part);
      return begun.part;
    }
    // Only half a file was written for it. By now another part may be due.
    await tx.delete(logArchives).where(isNull(logArchives.sha256));
    const next = await nextPart(tx, keep, ending);
    const [part] = next ? await tx.insert(logArchives).values(next).returning() : [];
    return part;
  });
}

/** Whether a part is being archived, or was left half done. */
export const hasBegunPart = async (db: Database) =>
  (await db.select().from(logArchives).where(sql`removed_link < last_link`)).length > 0;

export const sayAlive = (db: Database | Transaction, { file }: Part) =>
  db.update(logArchives).set({ aliveAt: sql`clock_timestamp()` }).where(eq(logArchives.file, file));

/** Lets other servers continue with it at once. */
export const leavePart = (db: Database, { file }: Part) =>
  db.update(logArchives).set({ aliveAt: sql`'-infinity'` }).where(eq(logArchives.file, file));

async function nextPart(tx: Transaction, keep: string, ending: string) {
  const { rows } = await tx.execute<{ first: number; month: string | null; isDue: boolean; chained: number }>(sql`
    select first::float8 as first, to_char(until_at at time zone 'UTC', 'YYYY-MM') as month,
      coalesce(until_at < date_trunc('month', (now() - ${keep}::interval) at time zone 'UTC') at time zone 'UTC', false) as "isDue",
      (select coalesce(max(number), 0) from log_chain)::float8 as chained
    from (select coalesce(max(last_link), 0) + 1 as first from log_archives) next
    left join log_chain on number = first`);
  const { first = 1, month = null, isDue = false, chained = 0 } = rows[0] ?? {};
  if (!month && chained > first) throw new StartError(`Link ${first} of the log's chain is missing: check the books`);
  if (!month || !isDue) return undefined;
  const { rows: ends } = await tx.execute<{ last: number; rows: number; hash: string }>(sql`
    select number::float8 as last, encode(hash, 'hex') as hash,
      (total - coalesce((select total from log_chain where number = ${first} - 1), 0))::float8 as rows
    from log_chain where number = (
      select min(number) - 1 from log_chain
      where number > ${first} and until_at >= (${month} || '-01 00:00Z')::timestamptz + interval '1 month')`);
  const [end] = ends;
  // Until the chain is past the month, the month may get more rows.
  if (!end) return undefined;
  const { last, rows: amount, hash } = end;
  const file = `log-${month}-${hash.slice(0, 8)}${ending}`;
  return { file, firstLink: first, lastLink: last, rows: amount, removedLink: first - 1 };
}

/** The hash of a link in hex; empty for number 0. */
export async function hashOfLink(db: Database | Transaction, number: number): Promise<string> {
  const { rows } = await db.execute<{ hash: string }>(
    sql`select encode(hash, 'hex') as hash from log_chain where number = ${number}`,
  );
  return rows[0]?.hash ?? "";
}

/** The lines of a part, each compared with the chain. */
export async function* linesOfPart(hurried: Database, part: Part, isStopped: () => boolean): AsyncGenerator<string> {
  const db = withoutTimeLimit(hurried);
  const chain = followChain({ number: part.firstLink - 1, hash: await hashOfLink(db, part.firstLink - 1) });
  for (let after = part.firstLink - 1; after < part.lastLink; ) {
    const begun = performance.now();
    const { rows: links } = await db.execute<{ number: number; text: string; rows: (string | null)[] }>(sql`
      select link.number::float8 as number, ${linkText(sql`previous.hash`)} as text, (
        select array_agg(found.text order by place) from unnest(link.ids) with ordinality as listed (id, place)
        left join lateral (select ${rowText} as text from logs where logs.id = listed.id) found on true) as rows
      from log_chain link left join log_chain previous on previous.number = link.number - 1
      where link.number > ${after} and link.number <= ${part.lastLink} and ${isOfBatch(after)}
      order by link.number`);
    if (links.length === 0) throw new StartError(`Link ${after + 1} of the log's chain is missing: check the books`);
    for (const { number, text, rows } of links) {
      after = number;
      for (const line of [text, ...rows]) yield chain.take(line ?? "").text;
    }
    if (isStopped()) throw new StartError("The server stops: it is written another time.");
    await setTimeout(performance.now() - begun);
  }
  if (chain.reached()?.hash !== (await hashOfLink(db, part.lastLink)))
    throw new StartError(`Link ${part.lastLink} of the log's chain was rewritten: check the books`);
}

/** The first rows after a link, but always whole links. */
const isOfBatch = (after: number) => sql`(link.number = ${after} + 1 or link.total <=
  coalesce((select total from log_chain where number = ${after}), 0) + ${batch})`;

/**
 * Marks the file as complete, so that it replaces the rows. Returns false if another server took over or was faster.
 */
export async function completePart(db: Database, { file }: Part, sha256: string): Promise<boolean> {
  const completed = await db
    .update(logArchives)
    .set({ sha256 })
    .where(and(eq(logArchives.file, file), isNull(logArchives.sha256)))
    .returning({ file: logArchives.file });
  return completed.length > 0;
}

/** Deletes the rows of a completed part, some at a time. Several servers may do this at once. */
export async function removePart(db: Database, { file }: Part, isStopped: () => boolean): Promise<void> {
  for (let isDone = false; !isDone && !isStopped(); ) {
    const begun = performance.now();
    isDone = await withoutTimeLimit(db).transaction((tx) => removeSome(tx, file));
    await setTimeout(performance.now() - begun);
  }
}

async function removeSome(tx: Transaction, file: string): Promise<boolean> {
  const [part] = await tx.select().from(logArchives).where(eq(logArchives.file, file)).for("update");
  if (!part?.sha256 || part.removedLink >= part.lastLink) return true;
  const { removedLink: after, firstLink, lastLink } = part;
  const { rows } = await tx.execute<{ until: number; held: number }>(sql`
    select max(number)::float8 as until,
      (max(total) - coalesce((select total from log_chain where number = ${after}), 0))::float8 as held
    from log_chain link where number > ${after} and number <= ${lastLink} and ${isOfBatch(after)}`);
  const { until = lastLink, held = 0 } = rows[0] ?? {};
  const { rows: removed } = await tx.execute(sql`
    delete from logs where id = any(array(
      select unnest(ids) from log_chain where number > ${after} and number <= ${until})) returning id`);
  if (removed.length !== held)
    throw new StartError(`Log entries of link ${until} or before are missing: check the books`);
  // The next link follows on the last one that was deleted.
  await tx.execute(sql`delete from log_chain where number >= ${firstLink} and number < ${until}`);
  const removedRows = part.removedRows + removed.length;
  await tx
    .update(logArchives)
    .set({ removedLink: until, removedRows, aliveAt: sql`clock_timestamp()` })
    .where(eq(logArchives.file, file));
  if (until < lastLink) return false;
  await record(tx, system, "website", `Archived ${removedRows.toLocaleString("en")} entries of the log in ${file}`, {
    after: { file, entries: removedRows, links: [firstLink, lastLink], sha256: part.sha256 },
  });
  return true;
}

/** Restores an archive, completely or not at all. Archives are restored newest first, as the chain requires. */
export async function restorePart(db: Database, file: string, lines: AsyncIterable<ChainLine>): Promise<number> {
  return withoutTimeLimit(db).transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${archiveLock})`);
    const { rows } = await tx.execute<{ file: string }>(
      sql`select file from log_archives order by last_link desc limit 1`,
    );
    if (rows[0]?.file !== file)
      throw new StartError(
        rows[0] ? `Restore ${rows[0].file} first: what is newer comes first.` : "Nothing of this log is archived.",
      );
    const [part] = await tx.select().from(logArchives).where(eq(logArchives.file, file)).for("update");
    if (!part || part.removedLink < part.lastLink)
      throw new StartError(`${file} is still being archived: its entries are in the database.`);
    let restored = 0;
    let held: string[] = [];
    const flush = async () => {
      if (held.length > 0) restored += await restoreLines(tx, held);
      held = [];
    };
    for await (const { text, link, row } of lines) {
      if (link && link.number !== part.lastLink) await insertLink(tx, link);
      if (row) held.push(text);
      if (held.length === batch) await flush();
    }
    await flush();
    if (restored !== part.removedRows) throw changed(file);
    await tx.delete(logArchives).where(eq(logArchives.file, file));
    await record(tx, terminal, "website", `Restored ${restored.toLocaleString("en")} entries of the log from ${file}`, {
      after: { file, entries: restored },
    });
    return restored;
  });
}

const changed = (file: string) => new StartError(`${file} does not fit this log: nothing was restored.`);

/** Seconds since 1970, to the microsecond. */
const momentOf = (seconds: ReturnType<typeof sql>) =>
  sql`timestamptz 'epoch' + ((${seconds})::numeric * 1000000)::bigint * interval '1 microsecond'`;

async function restoreLines(tx: Transaction, lines: string[]): Promise<number> {
  const value = (place: number) => sql.raw(`line->>${place}`);
  const { rows } = await tx.execute<{ text: string }>(sql`
    insert into logs (id, admin, actor_kind, actor_id, type, action, before, after, created_at, subject_kind, subject_id, customer_id)
    select (${value(0)})::uuid, ${value(1)}, ${value(2)}, (${value(3)})::uuid, ${value(4)}, ${value(5)}, (${value(6)})::jsonb,
      (${value(7)})::jsonb, ${momentOf(value(8))}, ${value(9)}, (${value(10)})::uuid, (${value(11)})::uuid
    from json_array_elements(${`[${lines.join(",")}]`}::json) as line
    returning ${rowText} as text`);
  const there = new Set(rows.map(({ text }) => text));
  if (!lines.every((line) => there.has(line))) throw new StartError("An entry could not be restored as it was.");
  return rows.length;
}

async function insertLink(tx: Transaction, link: LinkLine) {
  const { number, untilAt, untilId, late, ids, hashes, total, chainedAt, hash, hashBefore } = link;
  const { rows } = await tx.execute<{ hash: string }>(sql`
    insert into log_chain as link (number, until_at, until_id, late, ids, hashes, total, chained_at, hash)
    values (${number}, ${momentOf(sql`${untilAt}::text`)}, ${untilId}::uuid, ${late}, ${sql.param(ids)}::uuid[],
      decode(${hashes}, 'hex'), ${total}, ${momentOf(sql`${chainedAt}::text`)}, decode(${hash}, 'hex'))
    returning encode(${linkHash(sql`decode(${hashBefore}, 'hex')`)}, 'hex') as hash`);
  if (rows[0]?.hash !== hash) throw new StartError(`Link ${number} could not be restored as it was.`);
}
