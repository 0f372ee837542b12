import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { type SQL, sql } from "drizzle-orm";
import { drizzle as drizzlePostgres } from "drizzle-orm/node-postgres";
import { PgDialect } from "drizzle-orm/pg-core";
import { drizzle as drizzleEmbedded } from "drizzle-orm/pglite";
import type pg from "pg";
import { type Config, StartError, timeouts } from "../config.ts";
import { beginningWithLooks, committingBehind, tellingCommits } from "./commits.ts";
import { type Conversation, converse } from "./conversation.ts";
import type { Database, Transaction } from "./database.ts";
import { openFiles } from "./embedded-files.ts";
import { keepPrepared } from "./embedded-statements.ts";
import { isReadOnly } from "./failures.ts";
import { keepCopy, offerCopies, removeForgottenCopies, requestCopy } from "./folder-copies.ts";
import { lockFolder } from "./folder-lock.ts";
import { type Hosts, hostsOf, urlsOf } from "./hosts.ts";
import { isExpanded, migrate, migrateBesideOthers, nextVersion, versionOf } from "./migrations.ts";
import { letSendTogether, senderFor } from "./one-connection.ts";
import { cutOff, openPool, sendOff, withConnection } from "./pool.ts";
import { followStandbys, type Standbys } from "./standbys.ts";
import { tracing } from "./tracing.ts";

export type Engine = { kind: "embedded" | "PostgreSQL"; db: Database; close(): Promise<void> };

/** Any number, the same for all Footprint servers. */
const migrationLock = sql.raw("74000001");
// Without the tables: nobody uses Drizzle's own way to ask for them, and it would be made anew for every transaction.
const options = { casing: "snake_case" as const };
const dialect = new PgDialect({ casing: options.casing });

type Place = Pick<Config, "databaseUrl" | "dataDir"> &
  Partial<Pick<Config, "readDatabaseUrl" | "directDatabaseUrl" | "timeouts">>;

/** What a starting server is doing, and the indexes that it or another server is building. */
export type Progress = { at: string; indexes?: () => Promise<IndexBuild[]> };

/** Opens the database and brings its tables up to date. If only a standby answers, a server waits for the primary. */
export async function openEngine(
  { databaseUrl, readDatabaseUrl, directDatabaseUrl, dataDir, ...patience }: Place,
  { waitsForPrimary = false, tell = (_: Progress) => {} } = {},
): Promise<Engine> {
  if (!databaseUrl) return openFolder(dataDir);
  const connect = () => connectPostgres(databaseUrl, patience.timeouts, { directUrl: directDatabaseUrl });
  const engine = await (waitsForPrimary ? untilItTakesChanges(connect, tell) : connect());
  try {
    await migrateInTurn(engine.slow, tell);
  } catch (error) {
    await engine.close();
    throw explained(error);
  }
  return readDatabaseUrl ? withStandbys(engine, readDatabaseUrl, patience.timeouts) : engine;
}

/** A standby is about to be promoted, or the primary to come back. */
async function untilItTakesChanges<T>(connect: () => Promise<T>, tell: (progress: Progress) => void): Promise<T> {
  const at = "Only a standby of PostgreSQL answers: waiting for one that takes changes";
  for (let tries = 1; ; tries++) {
    try {
      return await connect();
    } catch (error) {
      if (!isReadOnly(error)) throw error;
      if (tries === 1) console.log(`${at} …`);
      tell({ at });
      await setTimeout(1_000);
    }
  }
}

export async function openFolder(folder: string): Promise<EmbeddedEngine> {
  const lock = await lockFolder(folder);
  let engine: EmbeddedEngine | undefined;
  try {
    await removeForgottenCopies(folder);
    engine = await connectEmbedded({ dataDir: resolve(folder, "postgres") }, lock.release);
    await upgrade(engine, folder);
    offerCopies(lock, folder, engine.client);
    return engine;
  } catch (error) {
    await (engine?.close() ?? lock.release());
    if (error instanceof StartError) throw error;
    const why = messageOf(error);
    const remedy = /no space left/i.test(why)
      ? "make room on its disk"
      : "restore a backup, or set DATA_DIR to another folder";
    throw new StartError(`The database in ${folder} cannot be opened (${why}): ${remedy}.`);
  }
}

/** Copies the folder of an older Footprint before anything in it is changed. */
async function upgrade({ db, client }: EmbeddedEngine, folder: string) {
  const version = await versionOf(db);
  const next = version && nextVersion(version);
  if (!next) return db.transaction((tx) => migrate(tx));
  const copy = await keepCopy(client, folder, next);
  console.log(`Upgrading the database; as it was, it is kept in ${copy}`);
  try {
    await db.transaction((tx) => migrate(tx, undefined, reportUpgrade));
  } catch (error) {
    throw new StartError(
      `The database in ${folder} could not be upgraded (${messageOf(error)}) and is as it was: go on with the Footprint you had. Should that not open it, put ${copy} in the place of ${resolve(folder, "postgres")}.`,
    );
  }
}

type EmbeddedEngine = Engine & { client: PGlite };
type EmbeddedSource = { dataDir: string } | { loadDataDir: Blob };

/** An embedded database with its tables up to date, in memory or in a folder that nobody else uses. */
export async function openEmbedded(source: EmbeddedSource): Promise<EmbeddedEngine> {
  const engine = await connectEmbedded(source);
  await engine.db.transaction((tx) => migrate(tx));
  return engine;
}

export async function connectEmbedded(
  source: EmbeddedSource,
  onClose: () => Promise<void> = async () => {},
): Promise<EmbeddedEngine> {
  const extensions = { btree_gist, pg_trgm };
  const client = await ("dataDir" in source
    ? openFiles(source.dataDir, { extensions })
    : PGlite.create({ ...source, extensions }));
  giveOthersTheirTurn(client);
  keepPrepared(client);
  if (tracing) traceStatements(client);
  const db = drizzleEmbedded(client, options) as unknown as Database;
  const transaction = db.transaction.bind(db);
  // Statements reach this engine at once, so there is nothing to gain by sending BEGIN with others.
  db.transaction = tellingCommits(db, (work, config) =>
    transaction(work, config === beginningWithLooks ? undefined : config),
  );
  const close = async () => {
    await client.close();
    await onClose();
  };
  return { kind: "embedded", db, client, close };
}

/**
 * This engine answers within the process, without a turn of the event loop: a chain of awaited statements would let
 * nothing else happen. Every statement passes here, also those of a transaction.
 */
function giveOthersTheirTurn(client: PGlite) {
  const runAlone = client._runExclusiveQuery.bind(client);
  client._runExclusiveQuery = (statement) =>
    runAlone(async () => {
      await setImmediate();
      return statement();
    });
}

/** Reports every statement for tracing. */
function traceStatements(client: PGlite) {
  const told = (query: PGlite["query"]): PGlite["query"] =>
    function tell(text, ...rest) {
      const ended = tracing?.statement(text);
      const answer = query(text, ...rest);
      if (ended) answer.then(() => ended(), ended);
      return answer as never;
    };
  client.query = told(client.query.bind(client));
  const transaction = client.transaction.bind(client);
  client.transaction = (work) =>
    transaction((tx) => {
      tx.query = told(tx.query.bind(tx));
      return work(tx);
    });
}

/** Opens the database for reading, without migrating it, also while a server runs on it. */
export async function openToRead({ databaseUrl, directDatabaseUrl, dataDir }: Place): Promise<Engine> {
  // A standby will do, and has more time.
  if (databaseUrl) return connectPostgres(directDatabaseUrl ?? databaseUrl, timeouts, { mayBeReadOnly: true });
  const own = resolve(dataDir, "postgres");
  if (!existsSync(own)) throw new StartError(`There is no database in ${dataDir}: set DATA_DIR to the folder of one.`);
  const copy = await requestCopy(dataDir);
  if (copy) return connectEmbedded({ dataDir: copy.path }, copy.remove);
  const { release } = await lockFolder(dataDir);
  return connectEmbedded({ dataDir: own }, release);
}

/** Milliseconds for a standby to accept a connection and to answer a check: the primary can answer instead. */
const standbyPatience = { connect: 1_000, statement: 2_000 };

/** The same engine, with standbys to read from. */
function withStandbys(
  engine: Engine,
  readDatabaseUrl: string,
  { connect: longest, statement }: Config["timeouts"] = timeouts,
): Engine {
  const connect = Math.min(longest, standbyPatience.connect);
  const standbys = followStandbys(engine.db, (check, checkAnew) =>
    urlsOf(readDatabaseUrl).map((url) => {
      const hosts = hostsOf(url);
      const limits = { connect, check, mayBeReadOnly: true };
      const calls = openPool(hosts, { ...limits, statement, max: connections.calls });
      const slow = openPool(hosts, { ...limits, statement: 0, max: connections.slow });
      const questions = openPool(hosts, {
        ...limits,
        check: checkAnew,
        statement: standbyPatience.statement,
        max: 1,
      });
      const db = readingAt(calls, engine.db);
      longWork.set(db, readingAt(slow, withoutTimeLimit(engine.db)));
      slowPools.set(db, slow);
      return {
        name: new URL(url).host,
        db,
        async ask() {
          await questions.query({ text: "select" });
        },
        cut: () => cutOff(slow),
        async close() {
          await Promise.all([calls.end(), slow.end(), questions.end()]);
        },
      };
    }),
  );
  standbysOf.set(engine.db, standbys);
  const close = async () => {
    await Promise.all([engine.close(), standbys.close()]);
  };
  return { ...engine, close };
}

/** Reads from a standby. Any other transaction, such as one that writes a log row, goes to the primary. */
function readingAt(pool: pg.Pool, primary: Database): Database {
  const db = databaseOf(pool);
  const read = db.transaction;
  db.transaction = (work, config) =>
    config?.accessMode === "read only" ? read(work, config) : primary.transaction(work, config);
  return db;
}

/** The standbys of a database, if there are any to read from. */
export const standbysOf = new WeakMap<Database, Standbys>();

/** Calls share many connections; long work has a few of its own, so that no call waits for it. */
const connections = { calls: 20, slow: 4 };

export async function connectPostgres(
  connectionString: string,
  { connect, statement }: Config["timeouts"] = timeouts,
  { mayBeReadOnly = false, directUrl = undefined as string | undefined } = {},
): Promise<Engine & { slow: pg.Pool }> {
  const limits = { connect, mayBeReadOnly };
  const isPooled = directUrl !== undefined;
  const found = hostsOf(connectionString);
  const calls = openPool(found, { ...limits, isPooled, statement, max: connections.calls });
  // Whatever lasts longer than a transaction bypasses the pooler: listening, cursors, the lock for migrations.
  const hosts = directUrl ? hostsOf(directUrl) : found;
  const slow = openPool(hosts, { ...limits, statement: 0, max: connections.slow });
  const close = async () => {
    await Promise.all([calls.end(), slow.end()]);
  };
  try {
    await calls.query("select");
  } catch (error) {
    await close();
    throw explained(error);
  }
  const db = databaseOf(calls);
  longWork.set(db, databaseOf(slow));
  slowPools.set(db, slow);
  pools.set(db, { calls, slow });
  listeningPlaces.set(db, { hosts, connect });
  return { kind: "PostgreSQL", db, slow, close };
}

/**
 * Drizzle's own transaction never returns its connection to the pool if BEGIN fails, as after a restart of the
 * database: after twenty such failures no connection would be left. This one always returns it.
 */
function databaseOf(pool: pg.Pool): Database {
  const perClient = new WeakMap<pg.PoolClient, Database>();
  const db = drizzlePostgres(senderFor(pool) as unknown as pg.Pool, options) as unknown as Database;
  letSendTogether(db, pool);
  db.transaction = tellingCommits(db, (work, config) =>
    withConnection(pool, (client) => {
      const own = perClient.get(client) ?? (drizzlePostgres(client, options) as unknown as Database);
      perClient.set(client, own);
      const send = (statement: SQL) => {
        const { sql: text, params } = dialect.sqlToQuery(statement);
        const answer = client.query({ text }, params);
        sendOff(client);
        return answer;
      };
      return committingBehind(send, own.transaction.bind(own), work, config);
    }),
  );
  return db;
}

const pools = new WeakMap<Database, Record<string, pg.Pool>>();

/** Each pool's connections to PostgreSQL, and how many wait for one. Empty on the embedded engine. */
export const connectionsOf = (db: Database) =>
  Object.entries(pools.get(db) ?? {}).map(([pool, { totalCount, idleCount, waitingCount }]) => ({
    pool,
    ...{ used: totalCount - idleCount, idle: idleCount, waiting: waitingCount },
  }));

const longWork = new WeakMap<Database, Database>();

/** The same database for long work: there no statement is ended for being slow. */
export const withoutTimeLimit = (db: Database) => longWork.get(db) ?? db;

const slowPools = new WeakMap<Database, pg.Pool>();

/** The same on a connection for the caller alone until it is released. The embedded engine has only one connection. */
export async function ownConnection(db: Database): Promise<{ db: Database; release: (failure?: Error) => void }> {
  const pool = slowPools.get(db);
  if (!pool) return { db, release() {} };
  const client = await pool.connect();
  return {
    db: drizzlePostgres(client, options) as unknown as Database,
    release: (failure) => client.release(failure),
  };
}

const listeningPlaces = new WeakMap<Database, { hosts: Hosts; connect: number }>();

/** Talks with the other servers on this database. An embedded one has no others. */
export function talkWithOthers(db: Database, channel: string, hear: (text: string) => void): Conversation | undefined {
  const place = listeningPlaces.get(db);
  return place && converse(place, channel, hear);
}

/** If several servers start at once, the first migrates, and the others wait and find it done. */
async function migrateInTurn(pool: pg.Pool, tell: (progress: Progress) => void) {
  const indexes = () => indexBuilds(pool);
  await withConnection(pool, async (client) => {
    const connection = drizzlePostgres(client, options) as unknown as Database;
    tell({ at: "Waiting for another server, which upgrades the database", indexes });
    await waitForMigrations(connection, sql`pg_try_advisory_lock`);
    tell({ at: "Looking at the database", indexes });
    const progress = setInterval(() => reportIndexes(pool), 10_000);
    try {
      // An old server that restarts while others have already been replaced by newer ones.
      if (await isExpanded(connection)) return;
      const isNew = (await versionOf(connection)) === undefined;
      await migrateBesideOthers(connection, (line) => {
        if (!isNew) reportUpgrade(line);
        tell({ at: `Upgrading the database: ${line}`, indexes });
      });
    } finally {
      clearInterval(progress);
      await connection.execute(sql`select pg_advisory_unlock(${migrationLock})`).catch(() => {});
    }
  });
}

/**
 * Takes the lock for changing the tables. It tries again and again rather than waiting in one statement: the building
 * of an index waits for all statements under way, and would wait for the one that waits for it.
 */
export async function waitForMigrations(
  db: Database | Transaction,
  tryLock = sql`pg_try_advisory_xact_lock`,
): Promise<void> {
  for (;;) {
    const { rows } = await db.execute<{ mine: boolean }>(sql`select ${tryLock}(${migrationLock}) as mine`);
    if (rows[0]?.mine) return;
    await setTimeout(100);
  }
}

const reportUpgrade = (line: string) => console.log(`Upgrading the database: ${line}`);

/** An index being built, and how far: in blocks or rows, or in transactions that it waits for. */
type IndexBuild = { index: string; table: string; phase: string; unit: string; done: number; total: number };

async function indexBuilds(pool: pg.Pool): Promise<IndexBuild[]> {
  const { rows } = await pool.query<IndexBuild>(`
    select index_relid::regclass::text as index, relid::regclass::text as table, phase, unit, done::float, total::float
    from pg_stat_progress_create_index, lateral (
      select 'transactions' as unit, lockers_done as done, lockers_total as total where phase like 'waiting %'
      union all select 'rows', tuples_done, tuples_total where phase like '% tuples %'
      union all select 'blocks', blocks_done, blocks_total where phase not like 'waiting %' and phase not like '% tuples %'
    ) as progress
    where datname = current_database()`);
  return rows;
}

/** Reports progress, since an index of a large table takes minutes. */
async function reportIndexes(pool: pg.Pool) {
  for (const { index, phase, unit, done, total } of await indexBuilds(pool).catch(() => []))
    reportUpgrade(`${index}: ${phase}${total ? `, ${done} of ${total} ${unit}` : ""}`);
}

function explained(error: unknown): StartError {
  if (error instanceof StartError) return error;
  const message = `PostgreSQL cannot be used (${messageOf(error)}): check that it runs, and DATABASE_URL.`;
  return new StartError(message, { cause: error });
}

/** The first line of the innermost cause: drivers wrap errors in their own. */
function messageOf(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause) deepest = deepest.cause;
  if (deepest instanceof AggregateError) deepest = deepest.errors[0];
  return String(deepest instanceof Error ? deepest.message || deepest.name : deepest).split("\n", 1)[0] ?? "";
}
