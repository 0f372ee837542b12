import type { authorKinds, logType, subjectKinds } from "@footprint/contract/logs.ts";
import { and, desc, eq, ne } from "drizzle-orm";
import { noteFact, withoutWaiting } from "../db/commits.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { insertion } from "../db/insert-rows.ts";
import { accounts, logs } from "../db/schema.ts";
import { type Happening, telling } from "../outbox/outbox.ts";

/** Who makes a change. `kind` and `id` identify them; names can be chosen, changed and reused. */
export type Author = { kind: (typeof authorKinds)[number]; id: string | null; username: string };

/** The program itself, or somebody at its terminal. */
export const system: Author = { kind: "system", id: null, username: "system" };
export const terminal: Author = { kind: "terminal", id: null, username: "terminal" };

/** What a log row is about and, if somebody else is concerned, which customer. */
export type About = { kind: (typeof subjectKinds)[number]; id: string; customerId?: string };

/** The contents of a log row, as `record` takes them. */
export type LogEntry = Rest<Rest<Parameters<typeof record>>>;

type Change = { before?: unknown; after?: unknown; about?: About; events?: Happening[] | undefined };

/** Writes the one log row that every change leaves, and its events, in the change's own transaction. */
export const record = (
  tx: Transaction,
  author: Author,
  type: (typeof logType.options)[number],
  action: string,
  change: Change = {},
): Promise<void> => recordEach(tx, author, [[type, action, change]]);

/** The same for several changes of one author. */
export async function recordEach(tx: Transaction, author: Author, entries: LogEntry[]): Promise<void> {
  const { username: admin, kind: actorKind, id: actorId } = author;
  const rows = entries.map(([type, action, { about, before = null, after = null } = {}]) => ({
    ...{ id: uuidv7(), actorKind, actorId, type, ...logged(about) },
    ...{ admin, action, before, after },
  }));
  const happenings = entries.flatMap(([, , change]) => change?.events ?? []);
  const written = insertion(logs, rows);
  // One statement for both, so that a purchase does not wait for the database twice.
  await withoutWaiting(tx, happenings.length > 0 ? telling(happenings, written) : written);
  for (const { id, type, subjectKind, subjectId, customerId } of rows)
    noteFact(tx, { logged: { id, actorKind, actorId, type, subjectKind, subjectId, customerId } });
}

/** Translated to the columns of the log. */
export const logged = (about?: About) => ({
  subjectKind: about?.kind ?? null,
  subjectId: about?.id ?? null,
  customerId: about?.kind === "customer" ? about.id : (about?.customerId ?? null),
});

/** Logs something that was only read but is worth knowing: a download, or very many rows. */
export const recordRead = (db: Database, ...entry: Rest<Parameters<typeof record>>) =>
  db.transaction((tx) => record(tx, ...entry));

/**
 * The author that a query's `by` names: an account's current name or, for a deleted account or a shop, its last one.
 */
export async function askedAuthor(db: Database, id: string | undefined) {
  if (!id) return null;
  const [account] = await db.select({ username: accounts.username }).from(accounts).where(eq(accounts.id, id));
  const [entry] = account
    ? []
    : await db
        .select({ username: logs.admin })
        .from(logs)
        .where(and(eq(logs.actorId, id), ne(logs.actorKind, "system")))
        .orderBy(desc(logs.createdAt), desc(logs.id))
        .limit(1);
  const username = account?.username ?? entry?.username;
  return username === undefined ? null : { _id: id, username };
}

type Rest<P> = P extends [unknown, ...infer R] ? R : never;
