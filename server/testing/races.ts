import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import type { customers, customPrices, labelTypes } from "../db/schema.ts";
import { db } from "./house.ts";

/** Makes calls truly meet: while the row is held they come as far as they get, then all go on at once. */
export async function meetAt<T>(
  table: typeof customers | typeof customPrices | typeof labelTypes,
  { id }: { id: string },
  start: () => Promise<T>[],
): Promise<T[]> {
  const { calls } = await db.transaction(async (tx) => {
    await tx.select({ id: table.id }).from(table).where(eq(table.id, id)).for("update");
    const calls = start();
    await sleep(300);
    // Wrapped: the transaction must end before they can.
    return { calls };
  });
  return Promise.all(calls);
}
