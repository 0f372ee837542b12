import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type pg from "pg";
import type { Database } from "./database.ts";
import { databaseFailed, databaseIsAway, failureCode } from "./failures.ts";

/**
 * What a place to read at has: the same tables, how to ask it something small on a connection of its own, and how to end
 * all that is waited for there.
 */
type Place = { name: string; db: Database; ask(): Promise<void>; cut(): void; close(): Promise<void> };

/** READ_DATABASE_URL may name the primary too, which is nothing that somebody has to see to. */
type State = "used" | "left out" | "primary";
type Standby = Place & { state: State; why: string | undefined; behind: number; silentFor: number };

/**
 * Up to where the database's changes go, or a standby has followed them. Places can only be compared within the same
 * history of the same database: a promotion begins another, whose places the old primary may reach with changes that
 * nobody has any more.
 */
type Position = { database: string; history: string; place: bigint };

/** A standby that is a little behind is asked again after each of these, in milliseconds. */
const pauses = [0, 2, 4, 8, 16, 32];
/** How often each is looked at, whether it can be used. */
const lookEvery = 1_000;
/** After so many looks without an answer nothing is waited for there any more: what takes its time has no limit of its own. */
const mostSilentLooks = 3;

/** The position that a standby must have reached to answer what is being read, and who wants to know how far it has come. */
const needed = new AsyncLocalStorage<{ position: Position; tell?: (found: Position) => void }>();
const followed = new WeakMap<pg.PoolClient, Position>();

export type Standbys = ReturnType<typeof followStandbys>;

/**
 * Answers from standbys what may be read there. Nobody is shown less than anybody was answered or told of before,
 * whichever server asks: each time the primary says how far its changes go, which costs it next to nothing, and a standby
 * that has not come as far is not used. Nor is one that fails: the primary answers instead.
 */
export function followStandbys(primary: Database, open: (check: Check, checkAnew: Check) => Place[]) {
  const positionNow = oneForAllWhoAsk(() => positionOf(primary));
  const check: Check = async (client) => {
    const { position, tell } = needed.getStore() ?? { position: await positionNow() };
    await checkFollowed(client, position, tell);
  };
  /** What was true of a connection may not be any more: a standby can be promoted under it. */
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
    /** Each with how many bytes of changes it lacked when it was last looked at; NaN where it did not tell. */
    states: () => standbys.map(({ name, state, behind }) => ({ name, state, behind })),

    /** Whoever is refused is refused anywhere. */
    async read<T>(work: (db: Database) => Promise<T>, isRefusal: (error: unknown) => boolean): Promise<T> {
      const used = thoseUsed();
      const standby = used[turn++ % used.length];
      // Where the primary does not say, it will not answer either.
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
    // As an object, which is waited for only so long.
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

/** The number that PostgreSQL and its standbys share, and the name of the database in it. */
const whichDatabase = "system_identifier || '/' || current_database()";

/** What is answered before it is written, where the database was told so, counts as well. */
const writtenPosition = sql.raw(`select ${whichDatabase} as database,
    left(pg_walfile_name(place), 8) as history, (place - '0/0')::text as place
  from pg_control_system(), (select case current_setting('synchronous_commit')
    when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_lsn() end as place) as written`);

/** Asked anew each time: an address may lead to another PostgreSQL by now, such as one that a backup was restored into. */
async function positionOf(primary: Database): Promise<Position> {
  const { rows } = await primary.execute<{ database: string; history: string; place: string }>(writtenPosition);
  const [found] = rows;
  if (!found) throw new Error("the database did not tell how far its changes go");
  return { ...found, place: BigInt(found.place) };
}

type Followed = { is_standby: boolean; database: string; history: string; place: string | null };

/** Which history it follows is told at once to accounts with pg_monitor, to others with its next restart point. */
const followedPosition = `select is_standby, ${whichDatabase} as database,
  case when is_standby
    then lpad(upper(to_hex(coalesce((select received_tli from pg_stat_wal_receiver), timeline_id))), 8, '0')
    else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as history,
  (pg_last_wal_replay_lsn() - '0/0')::text as place
  from pg_control_system(), pg_control_checkpoint(), (select pg_is_in_recovery() as is_standby) as role`;
