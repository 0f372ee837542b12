import type { EventType } from "@footprint/contract/outbox.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import type { Reader } from "./reading.ts";

/** How many calls may wait at once, of one shop and in all. */
const most = { each: 16, inAll: 1_000 };
const soonMs = 50;

type Waiting = Reader & { wake: () => void };
type News = { shop_id: string | null; is_shared: boolean; type: EventType };

/** Calls that wait for something to happen. One query looks for all of them, and wakes those whom it concerns. */
export function makeWaits(db: Database) {
  const waiting = new Set<Waiting>();
  /** The newest position, and up to which one was looked for those who wait. */
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
      // They find out for themselves.
      wakeAll();
    } finally {
      isLooking = false;
    }
  }

  return {
    /** Said whenever it was looked how far there is anything to read. */
    note(position: number) {
      newest = position;
      if (!isLooking) look();
    },

    /** Until something that may be the reader's has happened after a position, the time is over, or nobody waits for it. */
    async wait(reader: Reader, after: number, milliseconds: number, signal: AbortSignal): Promise<void> {
      if (isOver || signal.aborted) return;
      const own = [...waiting].filter(({ shopId }) => shopId === reader.shopId);
      if (own.length >= most.each || waiting.size >= most.inAll)
        throw refusal(503, "Too many calls wait for events already. Ask again without `wait`.", { retryAfter: 2 });
      // Nobody looked while nobody waited.
      if (waiting.size === 0 && !isLooking) looked = after;
      // It has read to the end, and there is more by now.
      const patience = newest > after ? Math.min(milliseconds, soonMs) : milliseconds;
      await new Promise<void>((done) => {
        const wake = () => {
          waiting.delete(one);
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          done();
        };
        const one = { ...reader, wake };
        const timer = setTimeout(wake, patience);
        signal.addEventListener("abort", wake);
        waiting.add(one);
      });
    },

    isOver: () => isOver,

    /** Nobody waits any more, nor from now on. */
    end() {
      isOver = true;
      wakeAll();
    },
  };
}

const concerns = ({ isBounded, shopId, types }: Reader, news: News) =>
  types.includes(news.type) && (!isBounded || news.shop_id === shopId || news.is_shared);
