import type { Database } from "../db/database.ts";
import { settings } from "../db/schema.ts";
import { tell } from "../outbox/outbox.ts";
import { type Runway, runways } from "./runway.ts";

/**
 * Tells of codes that have become low, once: any number of servers may look, and it is told again only after there were
 * enough in between.
 */
export async function tellOfLowCodes(db: Database, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    // The lock comes first: who looked earlier must not be the one that is believed.
    const [known] = await tx.select().from(settings).for("update");
    if (!known) throw new Error("the settings row is missing");
    const low = (await runways(tx, known, now)).filter(({ isLow }) => isLow);
    const isKnown = ({ type }: Runway) => known.lowCodes.includes(type);
    if (low.length === known.lowCodes.length && low.every(isKnown)) return;
    await tx.update(settings).set({ lowCodes: low.map(({ type }) => type) });
    const newly = low.filter((runway) => !isKnown(runway));
    await tell(
      tx,
      ...newly.map(({ type, left, alert }) => ({
        type: "codes.low" as const,
        data: { type, left, alert: alert.codes ?? 0 },
      })),
    );
  });
}
