import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { sql } from "drizzle-orm";
import { drizzle as drizzlePostgres } from "drizzle-orm/node-postgres";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { drizzle as drizzleEmbedded } from "drizzle-orm/pglite";
import pg from "pg";
import { type Config, StartError, timeouts } from "../config.ts";
import { databaseIsAway } from "../errors.ts";
import { keepCopy, offerCopies, removeForgottenCopies, requestCopy } from "./folder-copies.ts";
import { lockFolder } from "./folder-lock.ts";
import { levelOf, migrate, nextLevel } from "./levels.ts";
import * as schema from "./schema.ts";

/** What both drivers return from `execute`. */
type Rows<Row> = { rows: Row[] };
interface RowsHKT extends PgQueryResultHKT {
  type: Rows<this["row"]>;
}

/** The one database type of the house; which engine stands behind it is nobody's concern. */
export type Database = PgDatabase<RowsHKT, typeof schema>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

export type Engine = { kind: "embedded" | "PostgreSQL"; db: Database; close(): Promise<void> };

const oldestPostgres = 15;
/** Any number that all Footprint servers agree on. */
export const migrationLock = 7400_0001;
const options = { schema, casing: "snake_case" as const };

type Place = Pick<Config, "databaseUrl" | "dataDir"> & Partial<Pick<Config, "timeouts">>;

/** Opens the database and brings its tables up to date. */
export async function openEngine({ databaseUrl, dataDir, ...patience }: Place): Promise<Engine> {
  if (!databaseUrl) return openFolder(dataDir);
  const engine = await connectPostgres(databaseUrl, patience.timeouts);
  try {
    await migrateInTurn(engine);
  } catch (error) {
    await engine.close();
    throw explained(error);
  }
  return engine;
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
    throw new StartError(
      `The database in ${folder} cannot be opened (${messageOf(error)}): restore a backup, or set DATA_DIR to another folder.`,
    );
  }
}

/** A folder of an older Footprint is copied before anything in it is changed. */
async function upgrade({ db, client }: EmbeddedEngine, folder: string) {
  const level = await levelOf(db);
  const next = level && nextLevel(level);
  if (!next) return db.transaction((tx) => migrate(tx));
  const copy = await keepCopy(client, folder, next);
  console.log(`Upgrading the database; as it was, it is kept in ${copy}`);
  try {
    await db.transaction((tx) => migrate(tx));
  } catch (error) {
    throw new StartError(
      `The database in ${folder} could not be upgraded (${messageOf(error)}) and is as it was: go on with the Footprint you had. Should that not open it, put ${copy} in the place of ${resolve(folder, "postgres")}.`,
    );
  }
}

type EmbeddedEngine = Engine & { client: PGlite };

/** An embedded database with its tables up to date, in memory or in a folder that nobody else uses. */
export async function openEmbedded(source: { dataDir?: string; loadDataDir?: Blob }): Promise<EmbeddedEngine> {
  const engine = await connectEmbedded(source);
  await engine.db.transaction((tx) => migrate(tx));
  return engine;
}

export async function connectEmbedded(
  source: { dataDir?: string; loadDataDir?: Blob },
  onClose: () => Promise<void> = async () => {},
): Promise<EmbeddedEngine> {
  const client = await PGlite.create({ ...source, extensions: { btree_gist, pg_trgm } });
  const db = drizzleEmbedded(client, options) as unknown as Database;
  const close = async () => {
    await client.close();
    await onClose();
  };
  return { kind: "embedded", db, client, close };
}

/** Opens the database to read it as it is, also beside a running server. */
export async function openToRead({ databaseUrl, dataDir }: Place): Promise<Engine> {
  if (databaseUrl) return connectPostgres(databaseUrl);
  const own = resolve(dataDir, "postgres");
  if (!existsSync(own)) throw new StartError(`There is no database in ${dataDir}: set DATA_DIR to the folder of one.`);
  const copy = await requestCopy(dataDir);
  if (copy) return connectEmbedded({ dataDir: copy.path }, copy.remove);
  const { release } = await lockFolder(dataDir);
  return connectEmbedded({ dataDir: own }, release);
}

export async function connectPostgres(
  connectionString: string,
  { connect, statement }: Config["timeouts"] = timeouts,
): Promise<Engine> {
  const pool = new pg.Pool({
    Client: clientsThatWait(statement + waitForRefusal),
    connectionString,
    application_name: "footprint",
    max: 20,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: connect,
    statement_timeout: statement,
    idle_in_transaction_session_timeout: 30_000,
  });
  // A connection that breaks is replaced at its next use. Without listeners it would end the process: the pool's
  // while it is idle, its own while somebody works on it, whose statement fails anyway.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  try {
    await refuseOldPostgres(pool);
  } catch (error) {
    await pool.end();
    throw explained(error);
  }
  const db = drizzlePostgres(pool, options) as unknown as Database;
  db.transaction = transactionsOf(pool);
  return { kind: "PostgreSQL", db, close: () => pool.end() };
}

/**
 * Drizzle's own takes a connection from the pool and never gives it back when BEGIN fails, as it does where the
 * database was just restarted: after twenty of those there is none left. This one gives it back however it ends.
 */
function transactionsOf(pool: pg.Pool): Database["transaction"] {
  const perClient = new WeakMap<pg.PoolClient, Database>();
  return async (work, config) => {
    const client = await pool.connect();
    let isBroken = false;
    try {
      const db = perClient.get(client) ?? (drizzlePostgres(client, options) as unknown as Database);
      perClient.set(client, db);
      return await db.transaction(work, config);
    } catch (error) {
      isBroken = databaseIsAway(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  };
}

/** How each statement is called on every connection that has prepared it. */
const statementNames = new Map<string, string>();
const mostStatements = 500;

/** The database ends a statement that takes too long by itself; one that does not even do that has gone away. */
const waitForRefusal = 1_000;

/**
 * Connections that give statements names, so that the database parses and plans each of them once, and that wait
 * only so long for an answer: a network that swallows everything would hold a caller for ever.
 */
function clientsThatWait(limit: number) {
  return class extends pg.Client {
    /** A transaction that has lifted the database's own limit has lifted this one too. */
    #isPatient = false;

    // biome-ignore lint/suspicious/noExplicitAny: the driver's own signature has a dozen forms
    override query(...args: any[]): any {
      const [query, values] = args;
      if (typeof query?.text === "string") {
        if (query.text === liftLimit) this.#isPatient = true;
        if (query.text === "commit" || query.text === "rollback") this.#isPatient = false;
        query.query_timeout = this.#isPatient ? 0 : query.text === "rollback" ? waitForRefusal : limit;
        if (isPreparable(query, values)) query.name = statementName(query.text);
      }
      return super.query(...(args as Parameters<pg.Client["query"]>));
    }
  };
}

/** A search is planned for what was typed; a statement of many rows is not likely to come again. */
function isPreparable(query: { text?: string; name?: string }, values: unknown): boolean {
  if (!Array.isArray(values) || values.length === 0 || query.name || !query.text) return false;
  return query.text.length < 4_000 && !/ (like|@@) /.test(query.text);
}

function statementName(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known || statementNames.size === mostStatements) return known;
  const name = `footprint_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

const liftLimit = "set local statement_timeout = 0";
/** For a transaction whose statements may take their time: none of them is ended for being slow. */
export const takeYourTime = sql.raw(liftLimit);

async function refuseOldPostgres(pool: pg.Pool) {
  const version = Number((await pool.query("show server_version_num")).rows[0].server_version_num);
  const major = Math.floor(version / 10_000);
  if (major < oldestPostgres)
    throw new StartError(`PostgreSQL ${major} is too old: Footprint needs PostgreSQL ${oldestPostgres} or newer.`);
}

/** Several servers may start at once: the first migrates, the others wait here and find it done. */
async function migrateInTurn({ db }: Engine) {
  await db.transaction(async (tx) => {
    await tx.execute(takeYourTime);
    await tx.execute(sql`select pg_advisory_xact_lock(${migrationLock})`);
    await migrate(tx);
  });
}

function explained(error: unknown): StartError {
  if (error instanceof StartError) return error;
  return new StartError(`PostgreSQL cannot be used (${messageOf(error)}): check that it runs, and DATABASE_URL.`);
}

/** The first line of the deepest cause: drivers wrap what went wrong in what they were doing. */
function messageOf(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause) deepest = deepest.cause;
  if (deepest instanceof AggregateError) deepest = deepest.errors[0];
  return String(deepest instanceof Error ? deepest.message || deepest.name : deepest).split("\n", 1)[0] ?? "";
}
