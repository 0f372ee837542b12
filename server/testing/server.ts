import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Endpoint, type Input, pathOf, type Reply } from "@footprint/contract/endpoint.ts";
import type { Role } from "@footprint/contract/session.ts";
import { getTableName, is, type SQL, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { inject } from "vitest";
import { hashPassword } from "../accounts/passwords.ts";
import { hashToken, openSession } from "../accounts/sessions.ts";
import { buildApp } from "../app.ts";
import { type Config, readConfig, timeouts } from "../config.ts";
import type { Database } from "../db/database.ts";
import { type Engine, openEmbedded, openEngine } from "../db/engine.ts";
import { uuidv7 } from "../db/ids.ts";
import * as schema from "../db/schema.ts";
import { workOneByOne } from "../http/overload.ts";
import { adoptTimezone } from "../lists/counters.ts";
import { noteCalls, noteWhatIsAskedBesides } from "./asked-besides.ts";
import { copyDatabase } from "./postgres-server.ts";

/** A running server on an empty database; on PostgreSQL with a second one beside it. */
export let engine: Engine;
export let db: Database;
export let origin: string;

export const password = "correct horse battery";
const passwordHash = hashPassword(password);

/** The business's clock; a test may set it. */
let clock = new Date();
export function setClock(time: string) {
  clock = new Date(time);
}

const config: Config = readConfig({ LOG_LEVEL: "silent" });

/** Allows webhook receivers on this machine. */
export function allowPrivateWebhooks() {
  config.webhookPrivate = true;
}

/** The business moves to another timezone. */
export async function moveBusinessTo(timezone: string) {
  config.timezone = timezone;
  await adoptTimezone(db, timezone);
}

/** Sends messages through this bot, or none. */
export function chatThrough(chat: Config["chat"]): Config {
  config.chat = chat;
  return config;
}

let tokens: Record<Role, string>;

let origins: string[] = [];

/** Once per worker: its files share server and database, which is emptied before every test. */
export async function startServer() {
  if (db) return;
  const postgresUrl = inject("postgresUrl");
  const databaseUrl = postgresUrl && (await copyDatabase(postgresUrl, "template"));
  engine = databaseUrl ? await openPatient(databaseUrl) : await emptyEmbedded();
  db = engine.db;
  if (engine.kind === "embedded") workOneByOne();
  origin = await serve(engine);
  origins = databaseUrl ? [origin, await serve(await openPatient(databaseUrl))] : [origin];
}

/** The address that tests call from. */
const here = "127.0.0.1";

/** No test fails because the machine is slow. */
async function openPatient(databaseUrl: string): Promise<Engine> {
  const patience = { ...timeouts, connect: 60_000, statement: 60_000 };
  const opened = await openEngine({ databaseUrl, dataDir: "", timeouts: patience });
  noteWhatIsAskedBesides(opened.db);
  return opened;
}

async function serve({ db }: Engine): Promise<string> {
  const app = await buildApp({ db, config, now: () => clock }, noteCalls);
  // Client and server share a thread: after a long test the server would hang up just as the next call is sent.
  app.server.keepAliveTimeout = 0;
  return app.listen({ port: 0, host: here });
}

/** Calls alternate between servers, so whatever one of them must know has to come from the database. */
function nextOrigin(): string {
  origins.push(origins.shift() as string);
  return origins[0] as string;
}

const tables = Object.values(schema)
  .filter((value) => is(value, PgTable))
  .map(getTableName)
  .filter((name) => name !== "counted");

/**
 * In one statement, since every test begins with it. Faster than TRUNCATE on small tables; in replica mode the database
 * skips triggers and references.
 */
export async function emptyDatabase() {
  resetSettings();
  const token = () => randomBytes(32).toString("base64url");
  tokens = { admin: token(), staff: token() };
  const hash = await passwordHash;
  const accounts = Object.entries(tokens).map(([role, token]) => {
    const id = uuidv7();
    return `insert into accounts (id, username, password_hash, role) values ('${id}', '${role}', '${hash}', '${role}');
      insert into sessions (token_hash, account_id, confirmed_in) values ('${hashToken(token)}', '${id}', '${here}');`;
  });
  await db.execute(
    sql.raw(`do $all$ begin
      set local session_replication_role = replica;
      ${tables.map((name) => `delete from ${name};`).join(" ")}
      set local session_replication_role = origin;
      insert into settings default values;
      ${accounts.join(" ")}
    end $all$`),
  );
}

function resetSettings() {
  clock = new Date();
  config.timezone = "UTC";
  config.webhookPrivate = false;
  config.chat = undefined;
}

/** The statement that restores the kept rows. */
let kept: SQL | undefined;

/** Before every test: an empty database, or the kept rows. */
export async function beginAnew() {
  if (!kept) return emptyDatabase();
  resetSettings();
  await db.execute(kept);
}

/** From now on each test begins with the current rows, until they are forgotten; faster than building them anew. */
export async function keepRows() {
  const { rows } = await db.execute<{ name: string; columns: string }>(sql`
    select table_name as name, string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER' and table_name = any(${sql.param(tables)}) group by 1`);
  const copied = rows.map(({ name }) => `create table kept.${name} as table ${name};`);
  await db.execute(sql.raw(`create schema kept; ${copied.join(" ")}`));
  const put = rows.map(
    ({ name, columns }) =>
      `delete from ${name}; insert into ${name} (${columns}) overriding system value select ${columns} from kept.${name};`,
  );
  kept = sql.raw(`do $all$ begin set local session_replication_role = replica; ${put.join(" ")} end $all$`);
}

export async function forgetRows() {
  kept = undefined;
  await db.execute(sql`drop schema kept cascade`);
}

async function emptyEmbedded(): Promise<Engine> {
  return openEmbedded({ loadDataDir: new Blob([await readFile(inject("embeddedDump") ?? "")]) });
}

/** An account with an open session. Its password is `password`. */
export async function addAccount(username: string, role: Role) {
  const [account] = await db
    .insert(schema.accounts)
    .values({ username, role, passwordHash: await passwordHash })
    .returning();
  if (!account) throw new Error("not inserted");
  return { ...account, token: await openSession(db, account.id, { confirmedIn: here }) };
}

/** The caller: one of the two standing accounts, a token, or nobody. */
type Caller = Role | "nobody" | { token: string };

export const tokenOf = (as: Caller) => (as === "nobody" ? undefined : typeof as === "string" ? tokens[as] : as.token);

/** A form is sent as multipart instead of JSON. */
type Sent<E extends Endpoint> = Input<E> & { headers?: Record<string, string>; form?: FormData };

/** Makes a call over HTTP, as any client would. */
export async function call<E extends Endpoint>(as: Caller, endpoint: E, input: Sent<E> = {} as never) {
  const response = await send(as, endpoint, input);
  type Failure = { message: string; issues: { path: string; message: string }[] };
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply<E> & Failure };
}

/** The same for calls that answer with a file. */
export async function send<E extends Endpoint>(as: Caller, endpoint: E, input: Sent<E> = {} as never) {
  const { params, query, body, form, headers } = input as {
    params?: Record<string, string>;
    query?: Record<string, string>;
    body?: unknown;
    form?: FormData;
    headers?: Record<string, string>;
  };
  const search = query ? `?${new URLSearchParams(query)}` : "";
  const token = tokenOf(as);
  const address = nextOrigin() + pathOf(endpoint, params) + search;
  const request = () =>
    fetch(address, {
      method: endpoint.method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        // Packing and unpacking every answer would only cost time.
        "accept-encoding": "identity",
        ...headers,
      },
      ...(form ? { body: form } : body !== undefined && { body: JSON.stringify(body) }),
    });
  return request().catch((error: { cause?: { code?: string } }) => {
    // A connection may be closed just as it is reused: then nothing was answered, and the call is repeated.
    if (error.cause?.code === "UND_ERR_SOCKET") return request();
    throw error;
  });
}

/** When somebody was last seen, and the last result of the books: reading may change these. */
const fleeting = [
  ...["last_used_at", "last_seen_at", "books_checked_at", "books_problems", "owed_cents"],
  ...["chain_number", "chain_hash", "chain_broken"],
];

/** A hash of everything else in the database, table by table. */
export async function fingerprint(): Promise<Record<string, string>> {
  const lasting = tables.filter((name) => !["sign_in_tries", "sign_in_limits", "outbox", "events"].includes(name));
  const hashes = lasting.map(
    (name) => sql`(select md5(string_agg(line, '' order by line)) from
      (select (to_jsonb(${sql.identifier(name)}) - ${sql.param(fleeting)}::text[])::text as line from ${sql.identifier(name)}) as lines)
      as ${sql.identifier(name)}`,
  );
  // Events are numbered a moment later, whoever calls.
  hashes.push(sql`(select md5(string_agg(id::text, '' order by id)) from
    (select id from outbox union select id from events) as told) as told`);
  const { rows } = await db.execute<Record<string, string>>(sql`select ${sql.join(hashes, sql`, `)}`);
  return rows[0] ?? {};
}

/** The log, oldest first. */
export async function logRows() {
  return db
    .select({
      admin: schema.logs.admin,
      type: schema.logs.type,
      action: schema.logs.action,
      before: schema.logs.before,
      after: schema.logs.after,
    })
    .from(schema.logs)
    .orderBy(schema.logs.createdAt, schema.logs.id);
}
