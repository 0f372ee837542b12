import type { Endpoint } from "@footprint/contract/endpoint.ts";
import type { Database } from "../db/database.ts";
import type { Shop } from "./api-keys.ts";
import type { Actor } from "./sessions.ts";

type Services = { db: Database; now: () => Date };

import { recordRead } from "./audit.ts";

/** So many rows within an hour are worth an entry in the log, and every tenfold of them. */
const worthKnowing = 10_000;

/** How many rows each account was shown since the hour began. By server: reading a list should not cost a write. */
const shown = new Map<string, number>();
let hour = 0;

/** Tells the log of an account that reads far more than its work takes, once it does. */
export async function noteRead(
  { db, now }: Services,
  call: Endpoint,
  actor: Actor | Shop | undefined,
  result: unknown,
) {
  if (call.method !== "GET" || actor?.kind !== "account") return;
  const thisHour = Math.floor(now().getTime() / 3_600_000);
  if (thisHour !== hour) shown.clear();
  hour = thisHour;
  const before = shown.get(actor.id) ?? 0;
  const rows = before + rowsIn(result as object);
  shown.set(actor.id, rows);
  for (let level = worthKnowing; level <= rows; level *= 10) {
    if (before >= level) continue;
    const words = `${actor.username} read more than ${level.toLocaleString("en-US")} rows within an hour`;
    await recordRead(db, actor, "session", words, { after: { rows, lastList: call.path } });
  }
}

/** Those of a list, one that was read by itself, and the orders inside of bulk orders. Figures are no rows. */
function rowsIn(result: object): number {
  const rows: { _id?: unknown; orders?: unknown }[] = Object.values(result)
    .flat()
    .filter((row) => row?._id);
  return rows.reduce((sum, { orders }) => sum + 1 + (Array.isArray(orders) ? orders.length : 0), 0);
}
