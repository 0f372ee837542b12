import type { Endpoint } from "@footprint/contract/endpoint.ts";
import type { Database } from "../db/database.ts";
import type { Shop } from "./api-keys.ts";
import { recordRead } from "./audit.ts";
import type { Actor } from "./sessions.ts";

type Services = { db: Database; now: () => Date };

/** This many rows within an hour are logged, and every tenfold of it. */
const loggedFrom = 10_000;
/** Beyond this many remembered rows of an account every row counts, so that nobody fills the memory. */
const mostRemembered = 20_000;
const hour = 3_600_000;

/** Rows by call and id, and how many were shown after the limit was reached. */
type Shown = { rows: Set<string>; more: number };

/** What each account was shown, in steps of ten minutes. Kept per server: reading a list should not cost a write. */
const shown = new Map<string, Shown[]>();
let tenMinutes = 0;
const kept = 6;

/**
 * Logs when an account reads far more than its work needs. A panel that stays open reads the same rows again and again,
 * and every new one. So each row counts once an hour, and not at all while it is less than an hour old: somebody who
 * copies the business needs the older rows.
 */
export async function noteRead(
  { db, now }: Services,
  call: Endpoint,
  actor: Actor | Shop | undefined,
  result: unknown,
) {
  if (call.method !== "GET" || actor?.kind !== "account") return;
  dropOlderSteps(Math.floor(now().getTime() / 600_000));
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
  for (let level = loggedFrom; level <= rows; level *= 10) {
    if (before >= level) continue;
    const words = `${actor.username} read more than ${level.toLocaleString("en-US")} rows within an hour`;
    await recordRead(db, actor, "session", words, { after: { rows, lastList: call.path } });
  }
}

const countOf = (lately: Shown[]) => lately.reduce((sum, { rows, more }) => sum + rows.size + more, 0);

/** Keeps the current ten minutes and the five before them. */
function dropOlderSteps(to: number) {
  // A clock that was set back starts over.
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

/** The rows of lists, single rows, and orders inside bulk orders. Figures are not rows. */
function rowsIn(result: object): Row[] {
  const rows: Row[] = Object.values(result)
    .flatMap((part) => part?.rows ?? part)
    .filter((row) => row?._id);
  return rows.flatMap((row) => [row, ...(Array.isArray(row.orders) ? (row.orders as Row[]) : [])]);
}
