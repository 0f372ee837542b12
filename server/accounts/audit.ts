import type { authorKinds, logType } from "@footprint/contract/logs.ts";
import type { Database, Transaction } from "../db/database.ts";
import { logs } from "../db/schema.ts";

/** Who makes a change. The id and the kind tell who it was; names may be chosen, changed and reused. */
export type Author = { kind: (typeof authorKinds)[number]; id: string | null; username: string };

/** The program itself, and whoever sits at its terminal. */
export const system: Author = { kind: "system", id: null, username: "system" };
export const terminal: Author = { kind: "terminal", id: null, username: "terminal" };

/** What a log row says, as `record` takes it. */
export type LogEntry = Rest<Rest<Parameters<typeof record>>>;

/** Writes the one log row that every change leaves, in the change's own transaction. */
export async function record(
  tx: Transaction,
  author: Author,
  type: (typeof logType.options)[number],
  action: string,
  change: { before?: unknown; after?: unknown } = {},
): Promise<void> {
  await tx
    .insert(logs)
    .values({ admin: author.username, actorKind: author.kind, actorId: author.id, type, action, ...change });
}

/** The same for what is only read, but worth knowing: a download, or very many rows. */
export const recordRead = (db: Database, ...entry: Rest<Parameters<typeof record>>) =>
  db.transaction((tx) => record(tx, ...entry));

type Rest<P> = P extends [unknown, ...infer R] ? R : never;
