import { createHash } from "node:crypto";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, sql } from "drizzle-orm";
import type { Transaction } from "../db/database.ts";
import { logs } from "../db/schema.ts";

type Fields = Record<string, unknown>;

/** The versions that an edit started from, from `If-Match`; undefined if any will do. */
export type Seen = readonly string[] | undefined;

/** A text that changes with these fields, and is the same again when a change is undone. */
export const versionOf = (fields: Fields): string =>
  createHash("sha256").update(JSON.stringify(fields)).digest("base64url").slice(0, 16);

/**
 * Refuses an edit that started from an older state. Call it with the row locked, so that of two edits at once the
 * second sees the first. `shown` is for fields that are shown otherwise than they are compared.
 */
export async function refuseIfChanged(tx: Transaction, seen: Seen, id: string, fields: Fields, shown = fields) {
  const version = versionOf(fields);
  if (!seen || seen.includes(version)) return;
  const last = await lastChange(tx, id, Object.keys(fields));
  throw refusal(409, `${last?.admin ?? "Somebody"} changed this meanwhile: look at it again`, {
    conflict: {
      version,
      current: JSON.parse(JSON.stringify(shown)),
      changedBy: last?.admin ?? null,
      changedAt: last?.createdAt.toISOString() ?? null,
    },
  });
}

/** Told only when they are replaced, since a new file may have the same name. */
const files = new Set(["file", "image"]);

/** Entries that are searched: sign-ins, claims and downloads are among them. */
const mostEntries = 100;

/** The newest log entry about a change of one of these fields, found by the index of subjects alone. */
async function lastChange(tx: Transaction, id: string, names: string[]) {
  const rows = await tx
    .select()
    .from(logs)
    .where(and(sql`${logs.subjectId} = any(${sql.param([id])}::uuid[])`, sql`${logs.subjectId} is not null`))
    .orderBy(sql`${logs.subjectId} desc, ${logs.createdAt} desc, ${logs.id} desc`)
    .limit(mostEntries);
  return rows.find(({ before, after }) => {
    if (!before || !after || "claimedBy" in (after as Fields)) return false;
    const [was, is] = [before as Fields, after as Fields];
    const differs = (name: string) => files.has(name) || JSON.stringify(was[name]) !== JSON.stringify(is[name]);
    return names.some((name) => name in is && differs(name));
  });
}
