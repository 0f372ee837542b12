import type { Endpoint } from "@footprint/contract/endpoint.ts";
import type { Database } from "../db/database.ts";
import type { Shop } from "./api-keys.ts";
import { recordRead } from "./audit.ts";
import type { Actor } from "./sessions.ts";

type Services = { db: Database; now: () => Date };

/** So many rows within an hour are worth an entry in the log, and every tenfold of them. */
const worthKnowing = 10_000;

/** The rows that each account was shown, by ten minutes. By server: reading a list should not cost a write. */
const shown = new Map<string, number[]>();
let tenMinutes = 0;
const kept = 6;

/** Tells the log of an account that reads far more than its work takes, once it does. */
export async function noteRead(
  { db, now }: Services,
  call: Endpoint,
  actor: Actor | Shop | undefined,
  result: unknown,
) {
  if (call.method !== "GET" || actor?.kind !== "account") return;
  moveOn(Math.floor(now().getTime() / 600_000));
  const lately = shown.get(actor.id) ?? [0];
  const before = lately.reduce((sum, rows) => sum + rows);
  const rows = before + rowsIn(result as object);
  lately.push((lately.pop() ?? 0) + rows - before);
  shown.set(actor.id, lately);
  for (let level = worthKnowing; level <= rows; level *= 10) {
    if (before >= level) continue;
    const words = `${actor.username} read more than ${level.toLocaleString("en-US")} rows within an hour`;
    await recordRead(db, actor, "session", words, { after: { rows, lastList: call.path } });
  }
}

/** Keeps the last hour: the ten minutes that are running, and five times ten before them. */
function moveOn(to: number) {
  // A clock that was set back begins anew.
  if (to < tenMinutes) {
    shown.clear();
    tenMinutes = to;
  }
  for (; tenMinutes < to; tenMinutes = Math.max(tenMinutes + 1, to - kept))
    for (const [id, lately] of shown) {
      lately.push(0);
      if (lately.length > kept) lately.shift();
      if (lately.every((rows) => rows === 0)) shown.delete(id);
    }
}

/** Those of a list or of several, one that was read by itself, and the orders inside of bulk orders. Figures are no rows. */
function rowsIn(result: object): number {
  const rows: { _id?: unknown; orders?: unknown }[] = Object.values(result)
    .flatMap((part) => part?.rows ?? part)
    .filter((row) => row?._id);
  return rows.reduce((sum, { orders }) => sum + 1 + (Array.isArray(orders) ? orders.length : 0), 0);
}
