import type { EventType } from "@footprint/contract/outbox.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import type { Reader } from "./reading.ts";

/** How many calls may wait at once, per shop and in all. */
const most = { each: 16, inAll: 1_000 };
const soonMs = 50;

type Waiting = Reader & { key: string; wake: () => void };
type News = { shop_id: string | null; is_shared: boolean; type: EventType };

/** Calls that wait for an event. One query serves all of them, and wakes those it concerns. */
export function makeWaits(db: Database) {
  const waiting = new Set<Waiting>();
  /** The newest position, and the position up to which waiting calls were checked. */
  let newest = 0;
  let looked = 0;
  let isLooking = false;
  let isOver = false;
  const wakeAll = () => {
    for (const { wake } of [...waiting]) wake();
  };

  async function look() {
    isLooking = true;
    try {
      while (waiting.size > 0 && newest > looked) {
        const until = newest;
        const { rows } = await db.execute<News>(sql`
          select distinct shop_id, shop_id is null and customer_id is null as is_shared, type from events
          where position > ${looked} and position <= ${until}`);
        looked = until;
        for (const each of [...waiting]) if (rows.some((news) => concerns(each, news))) each.wake();
      }
    } catch {
      // They look for themselves.
      wakeAll();
    } finally {
      isLooking = false;
    }
  }

  return {
    /** Called whenever the newest readable position was read. */
    note(position: number) {
      newest = position;
      if (!isLooking) look();
    },

    /**
     * Waits until the reader may have an event after a position, the key may have become another, the time is over, or
     * the caller is gone.
     */
    async wait(key: string, reader: Reader, after: number, milliseconds: number, signal: AbortSignal): Promise<void> {
      if (isOver || signal.aborted) return;
      const own = [...waiting].filter(({ shopId }) => shopId === reader.shopId);
      if (own.length >= most.each || waiting.size >= most.inAll)
        throw refusal(503, "Too many calls wait for events already. Ask again without `wait`.", { retryAfter: 2 });
      // Nobody looked while nobody waited.
      if (waiting.size === 0 && !isLooking) looked = after;
      // The call has read to the end, and there is more by now.
      const patience = newest > after ? Math.min(milliseconds, soonMs) : milliseconds;
      await new Promise<void>((done) => {
        const wake = () => {
          waiting.delete(one);
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          done();
        };
        const one = { ...reader, key, wake };
        const timer = setTimeout(wake, patience);
        signal.addEventListener("abort", wake);
        waiting.add(one);
      });
    },

    /** A key was changed or deleted: whoever waits with it looks again. */
    wake(key: string) {
      for (const each of [...waiting]) if (each.key === key) each.wake();
    },

    isOver: () => isOver,

    /** Wakes all waiting calls; later ones do not wait. */
    end() {
      isOver = true;
      wakeAll();
    },
  };
}

const concerns = ({ isBounded, shopId, types }: Reader, news: News) =>
  types.includes(news.type) && (!isBounded || news.shop_id === shopId || news.is_shared);
