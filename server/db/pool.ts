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
 * Statements end after `statement` milliseconds; with 0 they may take their time. `check` looks at a connection each time
 * that somebody is about to use it.
 */
type Limits = {
  max: number;
  connect: number;
  statement: number;
  mayBeReadOnly: boolean;
  /** Behind a pooler each transaction may be on another connection: nothing can be set or prepared for the next one. */
  isPooled?: boolean;
  check?: (client: pg.PoolClient) => Promise<void>;
};

export function openPool(
  hosts: Hosts,
  { max, connect, statement, mayBeReadOnly, isPooled = false, check }: Limits,
): pg.Pool {
  // As text: the driver leaves a 0 out, and a limit of the account's own would hold.
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
  // A connection that breaks is replaced at its next use. Without listeners it would end the process: the pool's
  // while it is idle, its own while somebody works on it, whose statement fails anyway.
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

/** Ends all connections without taking leave: whatever is waited for on them fails at once. */
export function cutOff(pool: pg.Pool) {
  for (const client of opened.get(pool) ?? []) connectionOf(client).stream.destroy();
}

/** Where the database is not at one of its hosts, it is looked for at the others before anybody is told. */
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
        // That one of them is a standby tells more than that another is gone.
        if (!databaseIsAway(error) || failures.length >= this.hosts.amount) throw failures.find(isReadOnly) ?? error;
      }
    }
  }
}

/**
 * PostgreSQL thinks that a search takes long. Compiled, it takes up to a second instead of ten milliseconds; divided
 * among processes, which have to be started, seven milliseconds instead of a fraction of one. What may take its time is
 * divided.
 */
const settingsFor = (statement: number) => [
  "set_config('jit', 'off', false)",
  ...(statement > 0 ? ["set_config('max_parallel_workers_per_gather', '0', false)"] : []),
];

/** An address may lead to a standby while its primary changes: what is read there is old, and nothing can be written. */
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

/** Where one connection turned out to be read-only, others of its age lead to the same server. */
function dropIdle(pool: pg.Pool) {
  for (let left = pool.idleCount; left > 0; left--)
    pool.connect().then(
      (client) => client.release(true),
      () => {},
    );
}

/** Work on a connection of its own, which comes back to the pool however it ends, or leaves it if it is of no use. */
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

/** The database ends a statement that takes too long by itself; one that does not even do that has gone away. */
const waitForRefusal = 500;

/**
 * Connections to where the database is now, that give statements names, so that it parses and plans each of them once,
 * and that wait only so long for an answer: a network that swallows everything would hold a caller for ever.
 */
function clientsOf(hosts: Hosts, limit: number, isPooled: boolean) {
  return class extends pg.Client {
    readonly url: string;
    private readonly named = new Recent<string>(mostStatements);
    private names = 0;
    constructor(config: pg.ClientConfig = {}) {
      const url = hosts.current();
      // Statements are sent without waiting for the answers of those before them, where their sender does not.
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
        // A copy: the same query is sent on other connections, where it has another name.
        if (!isPooled && !query.name && isPreparable(query.text, values, query.comesAgain))
          args[0] = { ...query, name: this.nameOf(query.text) };
      }
      const ended = tracing?.statement(query?.text ?? String(query));
      if (ended) tellEnd(args, ended);
      const answer: unknown = super.query(...(args as Parameters<pg.Client["query"]>));
      if (ended && answer instanceof Promise) answer.then(() => ended(), ended);
      // Who has waited in vain for one answer need not wait for that of a ROLLBACK as well.
      if (answer instanceof Promise) answer.catch((error) => void (isSilence(error) && this.end()));
      if (!(answer instanceof Promise)) return answer;
      if (query?.text === "commit") return answer.then(refuseRollback);
      return this.answerBehindBegin(query?.text, answer);
    }

    private begun: Promise<unknown> | undefined;

    /** A BEGIN that nobody waits for is refused, where it is, by the answer to what comes behind it. */
    private answerBehindBegin(text: string | undefined, answer: Promise<unknown>): Promise<unknown> {
      const { begun } = this;
      this.begun = beginsWithLooks(text) ? answer : undefined;
      if (!this.begun) return begun ? Promise.all([answer, begun]).then(([one]) => one) : answer;
      answer.catch(() => {});
      return Promise.resolve();
    }

    /** No name is used twice: one that is closed may still be on its way. */
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

/** So the database answers the COMMIT of a transaction of which a statement had failed. */
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

/** Said to the database together with the statement that is sent next. */
function forgetStatement(client: pg.ClientBase, name: string) {
  const connection = connectionOf(client);
  connection.close({ type: "S", name });
  delete connection.parsedStatements[name];
}

/** What is sent before anybody waits leaves with one write: a write costs more than most statements. */
function corkForNow(client: pg.ClientBase) {
  const { stream } = connectionOf(client);
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** What was sent leaves now, while whoever sent it goes on. */
export function sendOff(client: pg.ClientBase) {
  const { stream } = connectionOf(client);
  while (stream.writableCorked > 0) stream.uncork();
}

/** The pool gives a function to call with the answer; others are given a promise. */
function tellEnd(args: unknown[], ended: (failure?: unknown) => void) {
  const callback = args.at(-1);
  if (typeof callback !== "function") return;
  args[args.length - 1] = (failure: unknown, ...answer: unknown[]) => {
    ended(failure);
    callback(failure, ...answer);
  };
}

const isSilence = (error: Error) => error.message === "Query read timeout";
