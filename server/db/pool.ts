import type { Socket } from "node:net";
import pg from "pg";
import { StartError } from "../config.ts";
import { beginsWithLooks, hasFailed } from "./commits.ts";
import { databaseIsAway, isReadOnly, readOnly } from "./failures.ts";
import type { Hosts } from "./hosts.ts";
import { isPreparable, mostStatements, Recent } from "./statements.ts";
import { tracing } from "./tracing.ts";

const oldestPostgres = 15;

/**
 * Statements end after `statement` milliseconds, or with 0 never. `check` is called each time a connection is about to
 * be used.
 */
type Limits = {
  max: number;
  connect: number;
  statement: number;
  mayBeReadOnly: boolean;
  /** Behind a pooler each transaction may get another connection, so nothing can be set or prepared in advance. */
  isPooled?: boolean;
  check?: (client: pg.PoolClient) => Promise<void>;
};

export function openPool(
  hosts: Hosts,
  { max, connect, statement, mayBeReadOnly, isPooled = false, check }: Limits,
): pg.Pool {
  // As text: the driver would leave out a 0, and a limit set for the account would apply.
  const limits = { statement_timeout: String(statement) as never, idle_in_transaction_session_timeout: 30_000 };
  const pool = new PoolOfHosts(hosts, check, {
    Client: clientsOf(hosts, statement && statement + waitForRefusal, isPooled),
    application_name: "footprint",
    max,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: connect,
    ...(!isPooled && limits),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    onConnect: (client) =>
      makeReady(client, mayBeReadOnly, isPooled ? [] : settingsFor(statement)).catch((error) => {
        hosts.leave((client as Found).url);
        throw error;
      }),
  });
  // A broken connection is replaced at its next use. Without listeners its error would end the process: the pool's
  // listener is for idle connections, their own for those in use, whose statement fails anyway.
  pool.on("error", () => {});
  const clients = new Set<pg.PoolClient>();
  opened.set(pool, clients);
  pool.on("connect", (client) => clients.add(client.on("error", () => {})));
  pool.on("remove", (client) => clients.delete(client));
  pool.on("release", (error) => {
    if (error && isReadOnly(error)) dropIdle(pool);
  });
  return pool;
}

type Found = pg.ClientBase & { url: string };

const opened = new WeakMap<pg.Pool, Set<pg.PoolClient>>();

/** Cuts all connections, so that whatever waits for an answer on them fails at once. */
export function cutOff(pool: pg.Pool) {
  for (const client of opened.get(pool) ?? []) connectionOf(client).stream.destroy();
}

/** A pool that tries all hosts of a database before it fails. */
class PoolOfHosts extends pg.Pool {
  private readonly hosts: Hosts;
  private readonly check: Limits["check"];
  constructor(hosts: Hosts, check: Limits["check"], options: pg.PoolConfig) {
    super(options);
    this.hosts = hosts;
    this.check = check;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own signature has two forms
  override connect(callback?: any): any {
    const found = this.check ? this.findFit(this.check) : this.find();
    if (!callback) return found;
    found.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    );
  }

  private async findFit(check: NonNullable<Limits["check"]>): Promise<pg.PoolClient> {
    const client = await this.find();
    try {
      await check(client);
      return client;
    } catch (error) {
      client.release(databaseIsAway(error));
      throw error;
    }
  }

  private async find(): Promise<pg.PoolClient> {
    const failures: unknown[] = [];
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        failures.push(error);
        // "It is a standby" says more than "it is gone".
        if (!databaseIsAway(error) || failures.length >= this.hosts.amount) throw failures.find(isReadOnly) ?? error;
      }
    }
  }
}

/**
 * PostgreSQL overestimates searches. Compiling one takes up to a second, where running it takes ten milliseconds;
 * starting parallel processes takes seven milliseconds, where it takes a fraction of one. Only long work runs in
 * parallel.
 */
const settingsFor = (statement: number) => [
  "set_config('jit', 'off', false)",
  ...(statement > 0 ? ["set_config('max_parallel_workers_per_gather', '0', false)"] : []),
];

/** Refuses standbys, unless they are wanted. During a failover an address may lead to one. */
async function makeReady(client: pg.ClientBase, mayBeReadOnly: boolean, settings: string[]) {
  const { rows } = await client.query<{ version: string; is_read_only: boolean }>({
    text: `select ${[
      "current_setting('server_version_num') as version",
      "pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is_read_only",
      ...settings,
    ].join()}`,
  });
  const [server] = rows;
  const major = Math.floor(Number(server?.version) / 10_000);
  if (major < oldestPostgres)
    throw new StartError(`PostgreSQL ${major} is too old: Footprint needs PostgreSQL ${oldestPostgres} or newer.`);
  if (server?.is_read_only && !mayBeReadOnly)
    throw Object.assign(new Error("it takes no changes: it is a standby, or read-only"), { code: readOnly });
}

/** If one connection turns out to be read-only, others of its age lead to the same server. */
function dropIdle(pool: pg.Pool) {
  for (let left = pool.idleCount; left > 0; left--)
    pool.connect().then(
      (client) => client.release(true),
      () => {},
    );
}

/** Works on a connection of its own, which always returns to the pool, or is thrown away if it is broken. */
export async function withConnection<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    if (databaseIsAway(error)) failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}

/** Milliseconds. The database itself ends statements that take too long; if it does not, it is gone. */
const waitForRefusal = 500;

/**
 * Connections to the current host. They name statements, so that the database parses and plans each of them once, and
 * wait for an answer only so long, or a network that drops everything would hold a caller for ever.
 */
function clientsOf(hosts: Hosts, limit: number, isPooled: boolean) {
  return class extends pg.Client {
    readonly url: string;
    private readonly named = new Recent<string>(mostStatements);
    private names = 0;
    constructor(config: pg.ClientConfig = {}) {
      const url = hosts.current();
      // Statements are sent at once, unless their sender waits for earlier answers.
      super({ ...config, pipeline: true, connectionString: url });
      this.url = url;
    }

    // biome-ignore lint/suspicious/noExplicitAny: the driver's own signature has two forms
    override connect(callback?: any): any {
      return super.connect((error: Error) => {
        if (error) hosts.leave(this.url);
        callback(error, this);
      });
    }

    // biome-ignore lint/suspicious/noExplicitAny: the driver's own signature has a dozen forms
    override query(...args: any[]): any {
      const [query, values] = args;
      corkForNow(this);
      if (typeof query?.text === "string") {
        query.query_timeout = limit;
        // A copy, because on other connections the same query has another name.
        if (!isPooled && !query.name && isPreparable(query.text, values, query.comesAgain))
          args[0] = { ...query, name: this.nameOf(query.text) };
      }
      const ended = tracing?.statement(query?.text ?? String(query));
      if (ended) whenCalledBack(args, ended);
      const answer: unknown = super.query(...(args as Parameters<pg.Client["query"]>));
      if (ended && answer instanceof Promise) answer.then(() => ended(), ended);
      // After one timeout, nobody should have to wait for the ROLLBACK to time out as well.
      if (answer instanceof Promise) answer.catch((error) => void (isSilence(error) && this.end()));
      if (!(answer instanceof Promise)) return answer;
      if (query?.text === "commit") return answer.then(refuseRollback);
      return this.answerBehindBegin(query?.text, answer);
    }

    private begun: Promise<unknown> | undefined;

    /** Nobody waits for such a BEGIN: if it is refused, the next statement fails with its error. */
    private answerBehindBegin(text: string | undefined, answer: Promise<unknown>): Promise<unknown> {
      const { begun } = this;
      this.begun = beginsWithLooks(text) ? answer : undefined;
      if (!this.begun) return begun ? Promise.all([answer, begun]).then(([one]) => one) : answer;
      answer.catch(() => {});
      return Promise.resolve();
    }

    /** No name is used twice, since closing the old one may still be under way. */
    private nameOf(text: string): string {
      const known = this.named.get(text);
      if (known) return known;
      const name = `footprint_${this.names++}`;
      const dropped = this.named.add(text, name);
      if (dropped) forgetStatement(this, dropped);
      return name;
    }
  };
}

/** If a statement of a transaction had failed, the database answers its COMMIT with ROLLBACK. */
function refuseRollback(answer: pg.QueryResult): pg.QueryResult {
  if (answer.command !== "ROLLBACK") return answer;
  throw Object.assign(new Error("the transaction had failed, and was rolled back"), { code: hasFailed });
}

type Connection = {
  stream: Socket;
  close(statement: { type: "S"; name: string }): void;
  parsedStatements: Record<string, string>;
};
const connectionOf = (client: pg.ClientBase) => (client as unknown as { connection: Connection }).connection;

/** Sent to the database together with the next statement. */
function forgetStatement(client: pg.ClientBase, name: string) {
  const connection = connectionOf(client);
  connection.close({ type: "S", name });
  delete connection.parsedStatements[name];
}

/** Collects what is sent within this turn for one write, since a write costs more than most statements. */
function corkForNow(client: pg.ClientBase) {
  const { stream } = connectionOf(client);
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Writes out now what was sent, without waiting for the end of the turn. */
export function sendOff(client: pg.ClientBase) {
  const { stream } = connectionOf(client);
  while (stream.writableCorked > 0) stream.uncork();
}

/** The pool passes a callback for the answer; others get a promise. */
function whenCalledBack(args: unknown[], ended: (failure?: unknown) => void) {
  const callback = args.at(-1);
  if (typeof callback !== "function") return;
  args[args.length - 1] = (failure: unknown, ...answer: unknown[]) => {
    ended(failure);
    callback(failure, ...answer);
  };
}

const isSilence = (error: Error) => error.message === "Query read timeout";
