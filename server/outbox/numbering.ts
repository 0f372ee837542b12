import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { onCommit } from "../db/commits.ts";
import type { Database } from "../db/database.ts";
import { makeWaits } from "./waiting.ts";

const numberingLock = sql.raw("74000009");
/** So many at once: after a long silence others are heard of too. */
const batch = 1_000;
/** How long is gathered what this server commits, and how often all others are looked after. */
const gatheringMs = 50;
const lookEvery = 1_000;

/**
 * Moves what was committed from the outbox to the events, in one statement, which one server at a time runs. Whoever
 * changed something of a customer's could do so only after the change before it was committed: so whatever this sees, it
 * has seen what came before it. Positions are given while the lock is held: none is ever added below one that can be read.
 * How many is asked by `select`: knowing it beforehand, the database would plan anew every time.
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

/** Beyond this many nobody counts. */
const mostCounted = 1_000;

/** How much waits to be numbered, and for how long. */
export async function outboxFigures(db: Database) {
  const { rows } = await db.execute<{ waiting: number; seconds: number }>(sql`
    select (select count(*) from (select from outbox limit ${mostCounted}) as counted)::int as waiting,
      coalesce(greatest(extract(epoch from clock_timestamp() - (
        select created_at from outbox order by number limit 1
      )), 0), 0)::float8 as seconds`);
  return rows[0] as (typeof rows)[number];
}

/** Numbers all that was committed before it is called, whoever else is at it. */
export async function numberEverything(db: Database): Promise<void> {
  for (;;) {
    const { mine, numbered } = await numberOutbox(db);
    if (mine && numbered < batch) return;
    if (!mine) await pause(5);
  }
}

/** Forgets what happened more than 30 days ago, some at a time: others have the database in between. */
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

/** Calls with the newest position whenever there is something new to read. Returns how to stop. */
export function onNumbered(db: Database, listener: Listener): () => void {
  const all = listeners.get(db) ?? new Set();
  listeners.set(db, all.add(listener));
  return () => all.delete(listener);
}

export type Outbox = ReturnType<typeof openOutbox>;

/**
 * Numbers what happens, soon after it was committed here, and once a second what other servers left; and tells whoever
 * waits for it that there is more to read, whichever server numbered it.
 */
export function openOutbox(db: Database, onFailure: (error: unknown) => void) {
  const waits = makeWaits(db);
  let newest = 0;
  let isClosed = false;
  let isFailing = false;
  /** How long the last took: while a backup or an export runs the database cannot tidy up what was moved, and it grows. */
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
        // Another server is at it: what it makes readable is told here too.
        if (!found.mine) numberSoon();
        waits.note(found.newest);
        if (found.newest > newest) {
          newest = found.newest;
          for (const listener of listeners.get(db) ?? []) listener(newest);
        }
      }
      isFailing = false;
    } catch (error) {
      // Told once: it is tried again every second.
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
