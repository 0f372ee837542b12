import { randomInt } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/database.ts";
import { withoutTimeLimit } from "../db/engine.ts";
import { settings } from "../db/schema.ts";
import { linkHash, linkSize, rowHash } from "./log-chain.ts";

/** A link that somebody noted elsewhere, with its hash in hex. */
export type NotedLink = { number: number; hash: string };

/** Links compared by a partial check: new ones, and some of the others. */
const newLinks = 1000;
const olderLinks = 50;

/** Links compared in one statement. */
const chunk = 32;

/** Enough to see what is wrong. */
const mostFaults = 50;

/**
 * Compares the log with its chain, and each link with the previous one: either all links, or the new ones, those that
 * were broken at the last check, and a few others at random.
 */
export async function checkChain(
  hurried: Database,
  { wholeLog = false, noted = [] }: { wholeLog?: boolean; noted?: NotedLink[] },
) {
  const db = withoutTimeLimit(hurried);
  const [kept] = await db.select().from(settings);
  const seen = kept?.chainNumber && kept.chainHash ? { number: kept.chainNumber, hash: kept.chainHash } : undefined;
  const end = await lastNumber(db);
  const { number: start, until: isThere } = await beginningOfChain(db);
  const rewritten: string[] = [];
  for (const link of seen ? [...noted, seen] : noted) rewritten.push(...(await checkNoted(db, link, end)));
  for (const { number } of noted) rewritten.push(...(await addedBefore(db, number)));
  if (start > 0 && !isThere)
    rewritten.push(`Link ${start} of the log's chain, which follows on the archives, is missing`);
  rewritten.push(...(await addedToArchived(db, start)));

  const first = wholeLog ? start + 1 : Math.max(start, Math.min(seen?.number ?? 0, end)) + 1;
  const last = wholeLog ? end : Math.min(end, first - 1 + newLinks);
  const others = first > start + 1 ? Array.from({ length: olderLinks }, () => randomInt(start + 1, first)) : [];
  const again = (kept?.chainBroken ?? []).filter((number) => number > start && number < first);
  const faults: Fault[] = [];
  const older = [...new Set([...again, ...others])].sort((a, b) => a - b);
  for (let at = 0; at < older.length; at += chunk) faults.push(...(await checkLinks(db, older.slice(at, at + chunk))));
  let checked = first - 1;
  while (checked < last && faults.length < mostFaults) {
    const length = Math.min(chunk, last - checked);
    faults.push(
      ...(await checkLinks(
        db,
        Array.from({ length }, (_, place) => checked + 1 + place),
      )),
    );
    checked += length;
  }
  const hash = await hashAt(db, checked);
  // What was archived meanwhile was checked by the archiving.
  const { number: startNow } = await beginningOfChain(db);
  const left = faults.filter(({ link }) => link > startNow);
  return {
    problems: [...rewritten, ...sentences(left)].slice(0, mostFaults),
    broken: [...new Set(left.map(({ link }) => link))].slice(0, mostFaults),
    // If a link has changed, the links after it must not become the reference.
    reached: hash && rewritten.length === 0 && checked >= (seen?.number ?? 0) ? { number: checked, hash } : undefined,
  };
}

/** Stores where the next check continues. */
export async function keepChainCheck(tx: Transaction, { broken, reached }: ChainCheck): Promise<void> {
  await tx.update(settings).set({ chainBroken: broken });
  // The chain may have been restarted meanwhile.
  if (!reached || (await hashAt(tx, reached.number)) !== reached.hash) return;
  await tx.update(settings).set({ chainNumber: reached.number, chainHash: reached.hash });
}
type ChainCheck = Pick<Awaited<ReturnType<typeof checkChain>>, "broken" | "reached">;

/** The last link whose rows are archived, from which the chain in the database continues; number 0 if none are. */
export async function beginningOfChain(db: Database) {
  const { rows } = await db.execute<{ number: number; rows: number; until: string | null }>(sql`
    select number::float8 as number, removed::float8 as rows,
      to_char((select until_at from log_chain where log_chain.number = archived.number) at time zone 'UTC', 'YYYY-MM-DD') as until
    from (select coalesce(max(removed_link), 0) as number, coalesce(sum(removed_rows), 0) as removed from log_archives) archived`);
  return rows[0] ?? { number: 0, rows: 0, until: null };
}

async function lastNumber(db: Database) {
  const { rows } = await db.execute<{ last: number }>(
    sql`select coalesce(max(number), 0)::float8 as last from log_chain`,
  );
  return rows[0]?.last ?? 0;
}

async function hashAt(db: Database | Transaction, number: number) {
  const { rows } = await db.execute<{ hash: string }>(
    sql`select encode(hash, 'hex') as hash from log_chain where number = ${number}`,
  );
  return rows[0]?.hash;
}

async function checkNoted(db: Database, { number, hash }: NotedLink, end: number): Promise<string[]> {
  const found = await hashAt(db, number);
  if (found === hash) return [];
  if (found) return [`The log's chain was rewritten: link ${number} is not the one that it was`];
  return number > end ? [`The log's chain was cut off after link ${end}: it went on to link ${number}`] : [];
}

/**
 * Entries that late links added to the time before a noted link. A clock that was set back does that, and so can
 * anybody who writes to the database. The chain cannot tell these apart, but the entries were not there when the link
 * was noted.
 */
async function addedBefore(db: Database, number: number): Promise<string[]> {
  const { rows } = await db.execute<{ id: string; link: number }>(sql`
    select logs.id, added.link::float8 as link
    from log_chain noted, (select number as link, unnest(ids) as id from log_chain where late and number > ${number}) added
    join logs on logs.id = added.id
    where noted.number = ${number} and (logs.created_at, logs.id) <= (noted.until_at, noted.until_id)
    order by link, logs.created_at limit ${mostFaults}`);
  return rows.map(
    ({ id, link }) =>
      `Log entry ${id} came into the time before link ${number} after that was noted (late link ${link}): by hand, or while the clock was set back`,
  );
}

/** After archiving, only rows of late links are left in the archived time. */
async function addedToArchived(db: Database, start: number): Promise<string[]> {
  if (start === 0) return [];
  const { rows } = await db.execute<{ id: string }>(sql`
    select logs.id from log_chain archived
    join logs on (logs.created_at, logs.id) <= (archived.until_at, archived.until_id)
    where archived.number = ${start}
      and not exists (select from log_chain where late and number > ${start} and logs.id = any(ids))
    order by logs.created_at, logs.id limit ${mostFaults}`);
  return rows.map(({ id }) => `Log entry ${id} was added to a time that is archived (up to link ${start})`);
}

type Fault = { link: number; what: "lost" | "forged" | "changed" | "missing" | "added"; id?: string };

/** The log rows that a link should hold. One more than that is read, which is enough to see that there are too many. */
const rowsOfLink = sql`(
  (select id, created_at, ${rowHash} as hash from logs
    where not link.late and (created_at, id) <= (link.until_at, link.until_id) and (created_at, id) >
      (coalesce(previous.until_at, '-infinity'), coalesce(previous.until_id, '00000000-0000-0000-0000-000000000000'))
    order by created_at, id limit ${sql.raw(String(linkSize + mostFaults))})
  union all
  (select id, created_at, ${rowHash} from logs where link.late and id = any(link.ids)))`;

async function checkLinks(db: Database, numbers: number[]): Promise<Fault[]> {
  const { rows } = await db.execute<{
    number: number;
    has: boolean;
    follows: boolean;
    whole: boolean;
    same: boolean;
  }>(sql`
    select asked.number::float8 as number, link.number is not null as has,
      previous.number is not null or asked.number = 1 as follows, link.hash = ${linkHash(sql`previous.hash`)} as whole,
      (found.ids, found.hashes) is not distinct from (link.ids, link.hashes) as same
    from unnest(${sql.param(numbers)}::bigint[]) as asked (number)
    left join log_chain link on link.number = asked.number
    left join log_chain previous on previous.number = asked.number - 1
    left join lateral (
      select array_agg(id order by created_at, id) as ids, string_agg(hash, '' order by created_at, id) as hashes
      from ${rowsOfLink} as rows
    ) found on true
    order by 1`);
  const faults: Fault[] = [];
  for (const { number, has, follows, whole, same } of rows) {
    if (!has) faults.push({ link: number, what: "lost" });
    // Without the previous link there is nothing to compare it with.
    else if (!follows) faults.push({ link: number - 1, what: "lost" });
    else {
      if (!same) faults.push(...(await compareRows(db, number)));
      if (!whole) faults.push({ link: number, what: "forged" });
    }
  }
  return faults;
}

/** Which rows of a link differ from what it says. */
async function compareRows(db: Database, number: number): Promise<Fault[]> {
  const { rows } = await db.execute<{ id: string; what: "changed" | "missing" | "added" }>(sql`
    select coalesce(listed.id, found.id) as id,
      case when listed.id is null then 'added'
        when found.id is not null or exists (select from logs where logs.id = listed.id) then 'changed'
        else 'missing' end as what
    from (
      select listed.id, place, substring(hashes from (place - 1)::integer * 32 + 1 for 32) as hash
      from log_chain, unnest(ids) with ordinality as listed (id, place) where number = ${number}
    ) listed
    full join (
      select rows.* from log_chain link left join log_chain previous on previous.number = link.number - 1
      cross join lateral ${rowsOfLink} as rows where link.number = ${number}
    ) found on found.id = listed.id
    where listed.hash is distinct from found.hash
      and not (listed.id is null and exists (select from log_chain where late and found.id = any(ids)))
    order by place, created_at limit ${mostFaults}`);
  return rows.map(({ id, what }) => ({ link: number, what, id }));
}

function sentences(faults: Fault[]): string[] {
  const changed = new Set(faults.flatMap(({ what, id }) => (what === "changed" ? [id] : [])));
  // A row whose time was changed is an extra one in one link and missing from another.
  const told = faults.filter(({ what, id }) => what !== "added" || !changed.has(id));
  const said = told
    .toSorted((a, b) => a.link - b.link)
    .map(({ link, what, id }) => {
      if (what === "lost") return `Link ${link} of the log's chain is missing`;
      if (what === "forged")
        return `Link ${link} of the log's chain does not follow from the one before: it was rewritten`;
      if (what === "added") return `Log entry ${id} was added after its time had been chained (link ${link})`;
      if (what === "missing") return `Log entry ${id} is missing (link ${link} of its chain)`;
      return `Log entry ${id} was changed after it had been chained (link ${link})`;
    });
  return [...new Set(said)];
}
