import type { logType } from "@footprint/contract/logs.ts";
import type { Transaction } from "./db/engine.ts";
import { logs } from "./db/schema.ts";

/** Writes the one log row that every change leaves, in the change's own transaction. */
export async function record(
  tx: Transaction,
  actor: { username: string },
  type: (typeof logType.options)[number],
  action: string,
  change: { before?: unknown; after?: unknown } = {},
): Promise<void> {
  await tx.insert(logs).values({ admin: actor.username, type, action, ...change });
}
