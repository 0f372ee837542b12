import { AsyncLocalStorage } from "node:async_hooks";
import type pg from "pg";
import type { Database } from "./database.ts";
import { withConnection } from "./pool.ts";

/** The connection that a piece of work holds until it ends, and the queries it has asked for that are not sent yet. */
type Held = { pool: pg.Pool; client: pg.PoolClient | undefined; refused?: unknown; unsent: unknown[] };

const held = new AsyncLocalStorage<Held>();
const runs = new WeakMap<Database, <T>(work: (held: Held) => Promise<T>) => Promise<T>>();

/** Sends statements on the connection that the sender holds, or on any of the pool. */
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

/** The queries that the holder of a connection has asked for and not sent yet; undefined if none is held. */
export function unsentOn(db: object): unknown[] | undefined {
  const own = held.getStore();
  return own?.client && !own.refused && own.pool === pools.get(db as Database) ? own.unsent : undefined;
}

export function letSendTogether(db: Database, pool: pg.Pool) {
  pools.set(db, pool);
  runs.set(db, (work) => {
    const holding = held.getStore();
    if (holding?.pool === pool && holding.client) return work(holding);
    return withConnection(pool, async (client) => {
      const own: Held = { pool, client, unsent: [] };
      try {
        return await held.run(own, () => work(own));
      } finally {
        own.client = undefined;
      }
    });
  });
}

/** Sends all statements of a piece of work on one connection, without waiting for the answers to earlier ones. */
export function onOneConnection<T>(db: Database, work: () => Promise<T>): Promise<T> {
  const run = runs.get(db);
  return run ? run(work) : work();
}

/** Whether statements can be sent before earlier ones are answered. On the embedded engine they cannot. */
export const canSendTogether = (db: Database) => runs.has(db);

/**
 * Does two things at once on one connection, and sends what both ask together. If `first` refuses, the result of
 * `second` does not count, and it can ask nothing more.
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
