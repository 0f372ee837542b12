import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import type pg from "pg";
import type { Database } from "./database.ts";
import { databaseFailed, failureCode } from "./failures.ts";

/** What a place to read at has: the same tables, and how to ask it something small on a connection of its own. */
type Place = { name: string; db: Database; ask(): Promise<void>; close(): Promise<void> };
type Standby = Place & { isUsed: boolean };

/**
 * Up to where the database's changes go, or a standby has followed them. Places can only be compared within the same
 * history: a promotion begins another, whose places the old primary may reach with changes that nobody has any more.
 */
type Position = { history: string; place: bigint };

/** A standby that is a little behind is asked again after each of these, in milliseconds. */
const pauses = [0, 2, 4, 8, 16, 32];
/** How often each is looked at, whether it can be used. */
const lookEvery = 1_000;

/** The position that a standby must have reached to answer what is being read. */
const needed = new AsyncLocalStorage<Position>();
const followed = new WeakMap<pg.PoolClient, Position>();

export type Standbys = ReturnType<typeof followStandbys>;

/**
 * Answers from standbys what may be read there. Nobody is shown less than anybody was answered or told of before,
 * whichever server asks: each time the primary says how far its changes go, which costs it next to nothing, and a standby
 * that has not come as far is not used. Nor is one that fails: the primary answers instead.
 */
export function followStandbys(primary: Database, open: (check: Check, checkAnew: Check) => Place[]) {
  const positionNow = oneForAllWhoAsk(() => positionOf(primary));
  let database: Promise<string> | undefined;
  /** The number that a database and its standbys share. */
  const databaseNow = () => {
    database ??= databaseOf(primary);
    database.catch(() => {
      database = undefined;
    });
    return database;
  };
  const check: Check = async (client) => checkFollowed(client, needed.getStore() ?? (await positionNow()), databaseNow);
  /** What was true of a connection may not be any more: a standby can be promoted under it. */
  const checkAnew: Check = async (client) => {
    followed.delete(client);
    await check(client);
  };
  const standbys: Standby[] = open(check, checkAnew).map((place) => ({ ...place, isUsed: false }));
  const answered = { primary: 0, standby: 0 };
  let turn = 0;
  let report = (_line: string) => {};

  function use(standby: Standby) {
    if (!standby.isUsed) report(`reading from the standby ${standby.name}`);
    standby.isUsed = true;
  }

  function leaveOut(standby: Standby, error: unknown) {
    const why = error instanceof Unfit ? error.message : failureCode(error);
    if (standby.isUsed) report(`not reading from the standby ${standby.name}: ${why}`);
    standby.isUsed = false;
  }

  async function look(standby: Standby) {
    try {
      await needed.run(await positionNow(), standby.ask);
      use(standby);
    } catch (error) {
      leaveOut(standby, error);
    }
  }

  return {
    answered,
    used: () => standbys.filter(({ isUsed }) => isUsed).length,
    known: standbys.length,

    /** Whoever is refused is refused anywhere. */
    async read<T>(work: (db: Database) => Promise<T>, isRefusal: (error: unknown) => boolean): Promise<T> {
      const used = standbys.filter(({ isUsed }) => isUsed);
      const standby = used[turn++ % used.length];
      // Where the primary does not say, it will not answer either.
      const position = standby && (await positionNow().catch(() => undefined));
      if (standby && position)
        try {
          const result = await needed.run(position, () => work(standby.db));
          answered.standby++;
          return result;
        } catch (error) {
          if (isRefusal(error)) {
            answered.standby++;
            throw error;
          }
          // A statement that is at fault itself fails at the primary too.
          if (error instanceof Unfit || databaseFailed(error)) leaveOut(standby, error);
        }
      answered.primary++;
      return work(primary);
    },

    /** Begins to look at them, and tells which are used. Returns how to stop. */
    watch(tell: (line: string) => void) {
      report = tell;
      const looking = new Map<Standby, Promise<void>>();
      const lookAtAll = () => {
        for (const standby of standbys)
          if (!looking.has(standby))
            looking.set(
              standby,
              look(standby).finally(() => looking.delete(standby)),
            );
      };
      lookAtAll();
      const looks = setInterval(lookAtAll, lookEvery).unref();
      return async () => {
        clearInterval(looks);
        await Promise.all(looking.values());
      };
    },

    close: () => Promise.all(standbys.map(({ close }) => close())),
  };
}

/** Looks at a connection that is about to be used, and refuses it unless it has followed far enough. */
export type Check = (client: pg.PoolClient) => Promise<void>;

/** Why a standby cannot be used. */
class Unfit extends Error {}

async function checkFollowed(client: pg.PoolClient, position: Position, databaseNow: () => Promise<string>) {
  const hasFollowed = () => {
    const { history, place } = followed.get(client) ?? { history: "", place: -1n };
    return history === position.history && place >= position.place;
  };
  for (const pause of pauses) {
    if (hasFollowed()) return;
    if (pause > 0) await setTimeout(pause);
    // As an object, which is waited for only so long.
    const { rows } = await client.query<Followed>({ text: followedPosition });
    const [found] = rows;
    if (!found?.is_standby) throw new Unfit("it is no standby");
    if (found.database !== (await databaseNow())) throw new Unfit("it is a standby of another database");
    if (found.place === null) throw new Unfit("it does not tell how far it has followed");
    followed.set(client, { history: found.history, place: BigInt(found.place) });
  }
  if (!hasFollowed()) throw new Unfit("it lags behind");
}

/**
 * All who ask at about the same time get one answer, of a question that was put after each of them asked: an earlier one
 * may have missed what they were just told.
 */
function oneForAllWhoAsk<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const asked = ask();
      running = asked.catch(() => {});
      return asked;
    });
    return next;
  };
}

/** What is answered before it is written, where the database was told so, counts as well. */
const writtenPosition = sql.raw(`select left(pg_walfile_name(place), 8) as history, (place - '0/0')::text as place
  from (select case current_setting('synchronous_commit')
    when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_lsn() end as place) as written`);

async function positionOf(primary: Database): Promise<Position> {
  const found = await only<{ history: string; place: string }>(primary, writtenPosition);
  return { history: found.history, place: BigInt(found.place) };
}

const databaseOf = async (primary: Database) =>
  (await only<{ database: string }>(primary, sql`select system_identifier::text as database from pg_control_system()`))
    .database;

async function only<Row extends Record<string, unknown>>(db: Database, query: SQL): Promise<Row> {
  const { rows } = await db.execute<Row>(query);
  if (!rows[0]) throw new Error("the database did not tell how far its changes go");
  return rows[0];
}

type Followed = { is_standby: boolean; database: string; history: string; place: string | null };

/** Which history it follows is told at once to accounts with pg_monitor, to others with its next restart point. */
const followedPosition = `select pg_is_in_recovery() as is_standby, system_identifier::text as database,
  lpad(upper(to_hex(coalesce((select received_tli from pg_stat_wal_receiver), timeline_id))), 8, '0') as history,
  (pg_last_wal_replay_lsn() - '0/0')::text as place
  from pg_control_system(), pg_control_checkpoint()`;
