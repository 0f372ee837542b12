import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { onCommit } from "../db/commits.ts";
import type { Database } from "../db/database.ts";
import { makeWaits } from "./waiting.ts";

const numberingLock = sql.raw("74000009");
/** Events numbered at once, so that after a long pause others are read meanwhile. */
const batch = 1_000;
/** How long this server's commits are gathered, and how often all others are looked for. */
const gatheringMs = 50;
const lookEvery = 1_000;

/**
 * Moves committed events from the outbox to the events table, in one statement that only one server runs at a time. Two
 * changes of one customer follow each other, so when this sees the second it has seen the first. Positions are given
 * under the lock, so none is ever added below one that can already be read. The limit comes by `select`: if the
 * database knew it beforehand, it would plan anew every time.
 */
export async function numberOutbox(db: Database) {
  const { rows } = await db.execute<{ mine: boolean; numbered: number; newest: number }>(sql`
    with turn as materialized (
      select pg_try_advisory_xact_lock(${numberingLock}) as mine
    ), next as materialized (
      select number from outbox where (select mine from turn) order by number limit (select ${batch}::int)
    ), taken as (
      delete from outbox using next where outbox.number = next.number
      returning outbox.number, id, type, customer_id, shop_id, data, created_at
    ), numbered as (
      insert into events (id, type, customer_id, shop_id, data, created_at)
      select id, type, customer_id, shop_id, data, created_at from taken order by number
      returning position
    )
    select (select mine from turn) as mine, (select count(*) from numbered)::int as numbered,
      coalesce(greatest((select max(position) from numbered), (select max(position) from events)), 0)::float8 as newest`);
  return rows[0] as (typeof rows)[number];
}

/** Counted up to this many. */
const mostCounted = 1_000;

/** How many events wait to be numbered, and for how long. */
export async function outboxFigures(db: Database) {
  const { rows } = await db.execute<{ waiting: number; seconds: number }>(sql`
    select (select count(*) from (select from outbox limit ${mostCounted}) as counted)::int as waiting,
      coalesce(greatest(extract(epoch from clock_timestamp() - (
        select created_at from outbox order by number limit 1
      )), 0), 0)::float8 as seconds`);
  return rows[0] as (typeof rows)[number];
}

/** Numbers everything that was committed before the call, even if another server is at it. */
export async function numberEverything(db: Database): Promise<void> {
  for (;;) {
    const { mine, numbered } = await numberOutbox(db);
    if (mine && numbered < batch) return;
    if (!mine) await pause(5);
  }
}

/** Deletes events older than 30 days, some at a time, so that others get the database in between. */
export async function forgetEvents(db: Database): Promise<void> {
  for (let forgotten = batch; forgotten === batch; ) {
    const begun = performance.now();
    const { rows } = await db.execute(sql`
      with old as materialized (
        select position from events where created_at < now() - interval '30 days' order by created_at limit ${batch}
      )
      delete from events using old where events.position = old.position returning events.position`);
    forgotten = rows.length;
    if (forgotten === batch) await pause(performance.now() - begun);
  }
}

type Listener = (newest: number) => void;
const listeners = new WeakMap<Database, Set<Listener>>();

/** Calls the listener with the newest position whenever there are new events. Returns a function that stops it. */
export function onNumbered(db: Database, listener: Listener): () => void {
  const all = listeners.get(db) ?? new Set();
  listeners.set(db, all.add(listener));
  return () => all.delete(listener);
}

export type Outbox = ReturnType<typeof openOutbox>;

/**
 * Numbers events soon after they are committed here, and once a second those of other servers. Wakes readers when there
 * are new events, whichever server numbered them.
 */
export function openOutbox(db: Database, onFailure: (error: unknown) => void) {
  const waits = makeWaits(db);
  let newest = 0;
  let isClosed = false;
  let isFailing = false;
  /**
   * How long the last run took: during a backup or export the database cannot clean up after moved rows, and numbering
   * gets slower.
   */
  let took = 0;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function numberAll() {
    try {
      for (let left = true; left && !isClosed; ) {
        const begun = performance.now();
        const found = await numberOutbox(db);
        took = performance.now() - begun;
        left = found.numbered === batch;
        // Another server is numbering; its events are announced here too.
        if (!found.mine) numberSoon();
        waits.note(found.newest);
        if (found.newest > newest) {
          newest = found.newest;
          for (const listener of listeners.get(db) ?? []) listener(newest);
        }
      }
      isFailing = false;
    } catch (error) {
      // Reported once, since it is retried every second.
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  }

  function number() {
    clearTimeout(timer);
    timer = undefined;
    if (running || isClosed) return;
    running = numberAll().finally(() => {
      running = undefined;
    });
  }

  const numberSoon = () => {
    timer ??= setTimeout(() => (running ? running.then(number) : number()), Math.max(gatheringMs, took)).unref();
  };
  const stopListening = onCommit(db, numberSoon);
  const looks = setInterval(number, lookEvery).unref();

  return {
    wait: waits.wait,
    wakeKey: waits.wake,
    endWaits: waits.end,
    isClosing: waits.isOver,

    async close() {
      isClosed = true;
      stopListening();
      clearInterval(looks);
      clearTimeout(timer);
      await running;
    },
  };
}
