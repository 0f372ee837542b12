import type { Database } from "../db/database.ts";
import { settings } from "../db/schema.ts";
import { tell } from "../outbox/outbox.ts";
import { type Runway, runways } from "./runway.ts";

/**
 * Writes an event for each type of codes that has become low. However many servers look, there is one event, and the
 * next only after there were enough codes in between.
 */
export async function tellOfLowCodes(db: Database, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    // Locked before counting, or an older count might overwrite a newer one.
    const [known] = await tx.select().from(settings).for("update");
    if (!known) throw new Error("the settings row is missing");
    const low = (await runways(tx, known, now)).filter(({ isLow }) => isLow);
    const wasLow = ({ type }: Runway) => known.lowCodes.includes(type);
    if (low.length === known.lowCodes.length && low.every(wasLow)) return;
    await tx.update(settings).set({ lowCodes: low.map(({ type }) => type) });
    const newlyLow = low.filter((runway) => !wasLow(runway));
    await tell(
      tx,
      ...newlyLow.map(({ type, left, alert }) => ({
        type: "codes.low" as const,
        data: { type, left, alert: alert.codes ?? 0 },
      })),
    );
  });
}
