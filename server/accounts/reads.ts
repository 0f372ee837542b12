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
  const lists = Object.values(result as Record<string, unknown>).filter(Array.isArray);
  const before = shown.get(actor.id) ?? 0;
  const rows = before + lists.reduce((sum, list) => sum + list.length, 0);
  shown.set(actor.id, rows);
  for (let level = worthKnowing; level <= rows; level *= 10) {
    if (before >= level) continue;
    const words = `${actor.username} read more than ${level.toLocaleString("en-US")} rows within an hour`;
    await recordRead(db, actor, "session", words, { after: { rows, lastList: call.path } });
  }
}
