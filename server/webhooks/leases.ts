import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { webhooks } from "../db/schema.ts";

/** Only one server at a time sends to a webhook: for so many seconds, and renewed before they have passed. */
const seconds = 15;
const renewedEvery = 5_000;
/** By its own monotonic clock a server stops a little before others may take over. */
const lasts = (seconds - 2) * 1000;

export type Lease = {
  /** Aborted when another server may send. */
  lost: AbortSignal;
  release: () => Promise<void>;
};

const until = sql`clock_timestamp() + ${seconds} * interval '1 second'`;

/** The lease is free, expired, or longer than any can be because the clock was set back. */
const isFree = (holder: string): SQL => sql`(holder is null or holder = ${holder} or held_until < clock_timestamp()
  or held_until > ${until})`;

/**
 * Webhooks with something to do that no other server is serving. If everything fails, nothing is done until the webhook
 * has rested, and then only its first delivery is tried, so dead receivers do not make events more expensive.
 */
export async function webhooksWithWork(db: Database, holder: string): Promise<string[]> {
  const hasFirst = (due: SQL) =>
    sql`exists (select from webhook_deliveries where webhook_id = webhooks.id and is_first ${due})`;
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from webhooks
    where deleted_at is null and paused_at is null and ${isFree(holder)} and (
      (retry_at is null and (${hasNews} or ${hasFirst(sql`and next_try_at <= now()`)}))
      or (${hasRested} and (${hasNews} or ${hasFirst(sql``)})))
    order by id`);
  return rows.map(({ id }) => id);
}

/** There are events without deliveries. */
export const hasNews = sql<boolean>`exists (select from events where events.position > webhooks.position)`;

/** A failure in the future means that the clock was set back. */
export const hasRested = sql<boolean>`(retry_at <= now() or failed_at > now())`;

export async function takeLease(db: Database, id: string, holder: string): Promise<Lease | undefined> {
  const lost = new AbortController();
  let ending: NodeJS.Timeout | undefined;
  const take = async (where: SQL) => {
    const since = performance.now();
    const taken = await db
      .update(webhooks)
      .set({ holder, heldUntil: until })
      .where(and(eq(webhooks.id, id), where, sql`deleted_at is null and paused_at is null`))
      .returning({ id: webhooks.id });
    if (taken.length === 0 || lost.signal.aborted) return false;
    clearTimeout(ending);
    ending = setTimeout(() => lost.abort(), since + lasts - performance.now());
    return true;
  };
  if (!(await take(isFree(holder)))) return undefined;
  // A lease that cannot be renewed ends by itself.
  const renewing = setInterval(
    () => take(sql`holder = ${holder} and held_until > clock_timestamp()`).catch(() => {}),
    renewedEvery,
  );
  return {
    lost: lost.signal,
    async release() {
      clearInterval(renewing);
      clearTimeout(ending);
      await db
        .update(webhooks)
        .set({ holder: null, heldUntil: null })
        .where(and(eq(webhooks.id, id), eq(webhooks.holder, holder)));
    },
  };
}
