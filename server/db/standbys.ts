import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type pg from "pg";
import type { Database } from "./database.ts";
import { databaseFailed, databaseIsAway, failureCode } from "./failures.ts";

/**
 * A database to read from: `ask` sends it a small query on a connection of its own, and `cut` ends everything that
 * waits for it.
 */
type Place = { name: string; db: Database; ask(): Promise<void>; cut(): void; close(): Promise<void> };

/** READ_DATABASE_URL may name the primary too, which is no cause for alarm. */
type State = "used" | "left out" | "primary";
type Standby = Place & { state: State; why: string | undefined; behind: number; silentFor: number };

/**
 * How far the database's changes go, or how far a standby has followed them. Places can only be compared within the
 * same history of the same database: a promotion begins a new history, and the old primary may reach the same places
 * with changes that were lost.
 */
type Position = { database: string; history: string; place: bigint };

/** Milliseconds after which a standby that is a little behind is asked again. */
const pauses = [0, 2, 4, 8, 16, 32];
/** Milliseconds between checks whether a standby can be used. */
const lookEvery = 1_000;
/** After this many checks without an answer, everything that waits for a standby is ended: long work has no timeout. */
const mostSilentLooks = 3;

/** The position that a standby must have reached to answer; `tell` is told how far it is. */
const needed = new AsyncLocalStorage<{ position: Position; tell?: (found: Position) => void }>();
const followed = new WeakMap<pg.PoolClient, Position>();

export type Standbys = ReturnType<typeof followStandbys>;

/**
 * Reads from standbys. An answer is never older than any answer or event that anybody got before, from any server: each
 * time the primary is asked how far its changes go, which costs it next to nothing, and a standby that is not as far is
 * not used. If one is not or fails, the primary answers instead.
 */
export function followStandbys(primary: Database, open: (check: Check, checkAnew: Check) => Place[]) {
  const positionNow = oneForAllWhoAsk(() => positionOf(primary));
  const check: Check = async (client) => {
    const { position, tell } = needed.getStore() ?? { position: await positionNow() };
    await checkFollowed(client, position, tell);
  };
  /** Ignores what is known of the connection: its standby may have been promoted since. */
  const checkAnew: Check = async (client) => {
    followed.delete(client);
    await check(client);
  };
  const standbys: Standby[] = open(check, checkAnew).map((place) => ({
    ...place,
    ...{ state: "left out", why: undefined, behind: Number.NaN, silentFor: 0 },
  }));
  const answered = { primary: 0, standby: 0 };
  let turn = 0;
  let report = (_line: string) => {};

  const thoseUsed = () => standbys.filter(({ state }) => state === "used");

  function use(standby: Standby) {
    if (standby.state !== "used") report(`reading from the standby ${standby.name}`);
    standby.state = "used";
    standby.why = undefined;
  }

  function leaveOut(standby: Standby, error: unknown) {
    const why = error instanceof Unfit ? error.message : failureCode(error);
    if (why !== standby.why) report(`not reading from the standby ${standby.name}: ${why}`);
    standby.state = error instanceof IsPrimary ? "primary" : "left out";
    standby.why = why;
  }

  async function look(standby: Standby) {
    try {
      const position = await positionNow();
      standby.behind = Number.NaN;
      const tell = (found: Position) => {
        standby.behind = isSameHistory(found, position)
          ? Math.max(0, Number(position.place - found.place))
          : Number.NaN;
      };
      await needed.run({ position, tell }, standby.ask);
      standby.silentFor = 0;
      use(standby);
    } catch (error) {
      leaveOut(standby, error);
      standby.silentFor = databaseIsAway(error) ? standby.silentFor + 1 : 0;
      if (standby.silentFor >= mostSilentLooks) standby.cut();
    }
  }

  return {
    answered,
    /** Each standby, and how many bytes of changes it lacked at its last check; NaN if it did not tell. */
    states: () => standbys.map(({ name, state, behind }) => ({ name, state, behind })),

    /** A refusal by `work` is final; any other error is tried again at the primary. */
    async read<T>(work: (db: Database) => Promise<T>, isRefusal: (error: unknown) => boolean): Promise<T> {
      const used = thoseUsed();
      const standby = used[turn++ % used.length];
      // If the primary does not tell its position, this read will fail there as well.
      const position = standby && (await positionNow().catch(() => undefined));
      if (standby && position)
        try {
          const result = await needed.run({ position }, () => work(standby.db));
          answered.standby++;
          return result;
        } catch (error) {
          if (isRefusal(error)) {
            answered.standby++;
            throw error;
          }
          // If the statement is wrong, it will fail at the primary too, and the standby stays in use.
          if (error instanceof Unfit || databaseFailed(error)) leaveOut(standby, error);
        }
      answered.primary++;
      return work(primary);
    },

    /** Begins to check the standbys, and reports which are used. Returns a function that stops it. */
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

/** Refuses a connection that is about to be used if its standby has not followed far enough. */
export type Check = (client: pg.PoolClient) => Promise<void>;

/** Why a standby cannot be used. */
class Unfit extends Error {}
class IsPrimary extends Unfit {}

const isSameHistory = (one: Position, other: Position) =>
  one.database === other.database && one.history === other.history;

async function checkFollowed(client: pg.PoolClient, position: Position, tell = (_: Position) => {}) {
  const hasFollowed = () => {
    const reached = followed.get(client);
    return reached && isSameHistory(reached, position) && reached.place >= position.place;
  };
  for (const pause of pauses) {
    if (hasFollowed()) return;
    if (pause > 0) await setTimeout(pause);
    // As an object, because only those have a timeout.
    const { rows } = await client.query<Followed>({ text: followedPosition });
    const [found] = rows;
    if (found?.database !== position.database) throw new Unfit("it is of another database");
    if (!found.is_standby)
      throw found.history === position.history
        ? new IsPrimary("it is the primary")
        : new Unfit("it follows the primary no more");
    if (found.place === null) throw new Unfit("it does not tell how far it has followed");
    const reached = { database: found.database, history: found.history, place: BigInt(found.place) };
    followed.set(client, reached);
    tell(reached);
  }
  if (!hasFollowed()) throw new Unfit("it lags behind");
}

/**
 * Gives all who ask at about the same time one answer, to a question put after each of them asked: an earlier answer
 * may be older than what they already know.
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

/** A number that PostgreSQL shares with its standbys, and the name of the database. */
const whichDatabase = "system_identifier || '/' || current_database()";

/** If the database was told to answer before it writes, changes not written yet count as well. */
const writtenPosition = sql.raw(`select ${whichDatabase} as database,
    left(pg_walfile_name(place), 8) as history, (place - '0/0')::text as place
  from pg_control_system(), (select case current_setting('synchronous_commit')
    when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_lsn() end as place) as written`);

/** Asks for the database each time too: the address may lead to another one by now, such as a restored backup. */
async function positionOf(primary: Database): Promise<Position> {
  const { rows } = await primary.execute<{ database: string; history: string; place: string }>(writtenPosition);
  const [found] = rows;
  if (!found) throw new Error("the database did not tell how far its changes go");
  return { ...found, place: BigInt(found.place) };
}

type Followed = { is_standby: boolean; database: string; history: string; place: string | null };

/** The history is up to date for accounts with pg_monitor; others see that of the last restart point. */
const followedPosition = `select is_standby, ${whichDatabase} as database,
  case when is_standby
    then lpad(upper(to_hex(coalesce((select received_tli from pg_stat_wal_receiver), timeline_id))), 8, '0')
    else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as history,
  (pg_last_wal_replay_lsn() - '0/0')::text as place
  from pg_control_system(), pg_control_checkpoint(), (select pg_is_in_recovery() as is_standby) as role`;
