import type { Endpoint } from "@footprint/contract/endpoint.ts";
import type { Database } from "../db/database.ts";
import type { Shop } from "./api-keys.ts";
import { recordRead } from "./audit.ts";
import type { Actor } from "./sessions.ts";

type Services = { db: Database; now: () => Date };

/** So many rows within an hour are worth an entry in the log, and every tenfold of them. */
const worthKnowing = 10_000;
/** So many of an account's rows are remembered; beyond, whatever is shown counts, so that nobody fills the memory. */
const mostRemembered = 20_000;
const hour = 3_600_000;

/** Rows by the call and their id, and how many were shown beyond those. */
type Shown = { rows: Set<string>; more: number };

/** What each account was shown, by ten minutes. By server: reading a list should not cost a write. */
const shown = new Map<string, Shown[]>();
let tenMinutes = 0;
const kept = 6;

/**
 * Tells the log of an account that reads far more than its work takes, once it does. A panel that follows what others do
 * reads the same rows again and again, and every new one. So a row counts once within the hour, and not at all within
 * its first hour: whoever takes the business away needs the others.
 */
export async function noteRead(
  { db, now }: Services,
  call: Endpoint,
  actor: Actor | Shop | undefined,
  result: unknown,
) {
  if (call.method !== "GET" || actor?.kind !== "account") return;
  moveOn(Math.floor(now().getTime() / 600_000));
  const lately = shown.get(actor.id) ?? [{ rows: new Set(), more: 0 }];
  shown.set(actor.id, lately);
  const before = countOf(lately);
  const newest = lately.at(-1) as Shown;
  let remembered = lately.reduce((sum, { rows }) => sum + rows.size, 0);
  for (const { _id, createdAt } of rowsIn(result as object)) {
    if (createdAt instanceof Date && createdAt.getTime() > now().getTime() - hour) continue;
    const row = `${call.path} ${_id}`;
    if (lately.some(({ rows }) => rows.has(row))) continue;
    if (remembered++ < mostRemembered) newest.rows.add(row);
    else newest.more++;
  }
  const rows = countOf(lately);
  for (let level = worthKnowing; level <= rows; level *= 10) {
    if (before >= level) continue;
    const words = `${actor.username} read more than ${level.toLocaleString("en-US")} rows within an hour`;
    await recordRead(db, actor, "session", words, { after: { rows, lastList: call.path } });
  }
}

const countOf = (lately: Shown[]) => lately.reduce((sum, { rows, more }) => sum + rows.size + more, 0);

/** Keeps the last hour: the ten minutes that are running, and five times ten before them. */
function moveOn(to: number) {
  // A clock that was set back begins anew.
  if (to < tenMinutes) {
    shown.clear();
    tenMinutes = to;
  }
  for (; tenMinutes < to; tenMinutes = Math.max(tenMinutes + 1, to - kept))
    for (const [id, lately] of shown) {
      lately.push({ rows: new Set(), more: 0 });
      if (lately.length > kept) lately.shift();
      if (countOf(lately) === 0) shown.delete(id);
    }
}

type Row = { _id?: unknown; createdAt?: unknown; orders?: unknown };

/** Those of a list or of several, one that was read by itself, and the orders inside of bulk orders. Figures are no rows. */
function rowsIn(result: object): Row[] {
  const rows: Row[] = Object.values(result)
    .flatMap((part) => part?.rows ?? part)
    .filter((row) => row?._id);
  return rows.flatMap((row) => [row, ...(Array.isArray(row.orders) ? (row.orders as Row[]) : [])]);
}
