import { AsyncLocalStorage } from "node:async_hooks";
import type pg from "pg";
import type { Database } from "./database.ts";
import { withConnection } from "./pool.ts";

/** The connection that a piece of work has for itself, until it ends, and what it has asked for that was not sent yet. */
type Held = { pool: pg.Pool; client: pg.PoolClient | undefined; refused?: unknown; asked: unknown[] };

const held = new AsyncLocalStorage<Held>();
const runs = new WeakMap<Database, <T>(work: (held: Held) => Promise<T>) => Promise<T>>();

/** Where statements are sent: to any connection of the pool, or to the one that whoever sends them holds. */
export const senderFor = (pool: pg.Pool) => ({
  query(...args: Parameters<pg.Pool["query"]>): unknown {
    const own = held.getStore();
    if (own?.pool !== pool) return pool.query(...args);
    if (own.refused) return Promise.reject(own.refused);
    if (!own.client) return pool.query(...args);
    return own.client.query(...args);
  },
});

const pools = new WeakMap<Database, pg.Pool>();

/** What whoever holds a connection has asked for and not sent yet; undefined where nobody does. */
export function askedOn(db: object): unknown[] | undefined {
  const own = held.getStore();
  return own?.client && !own.refused && own.pool === pools.get(db as Database) ? own.asked : undefined;
}

export function letSendTogether(db: Database, pool: pg.Pool) {
  pools.set(db, pool);
  runs.set(db, (work) => {
    const holding = held.getStore();
    if (holding?.pool === pool && holding.client) return work(holding);
    return withConnection(pool, async (client) => {
      const own: Held = { pool, client, asked: [] };
      try {
        return await held.run(own, () => work(own));
      } finally {
        own.client = undefined;
      }
    });
  });
}

/** All that a piece of work sends goes by one connection, without waiting for the answers of what it sent before. */
export function onOneConnection<T>(db: Database, work: () => Promise<T>): Promise<T> {
  const run = runs.get(db);
  return run ? run(work) : work();
}

/** Whether statements can be sent without waiting for the answers of those before them; the embedded engine cannot. */
export const canSendTogether = (db: Database) => runs.has(db);

/**
 * Does two things at once on one connection. What `first` asks goes out together with what `second` asks, and nothing
 * that `second` has found counts where `first` refuses: it is told no more from then on.
 */
export async function sendTogether<A, B>(
  db: Database,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<{ first: A; second: () => B }> {
  const run = runs.get(db);
  if (!run) throw new Error("nothing can be sent together here");
  return run(async (own) => {
    const asked = first().catch((error) => {
      own.refused = error;
      throw error;
    });
    const [one, other] = await Promise.allSettled([asked, second()]);
    if (one.status === "rejected") throw one.reason;
    return {
      first: one.value,
      second() {
        if (other.status === "rejected") throw other.reason;
        return other.value;
      },
    };
  });
}
