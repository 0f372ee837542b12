import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type Endpoint, type Input, pathOf, type Reply } from "@footprint/contract/endpoint.ts";
import { session } from "@footprint/contract/session.ts";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, inject } from "vitest";
import { connectEmbedded, connectPostgres, type Engine } from "../db/engine.ts";
import { copyDatabase } from "./postgres-server.ts";

/** The program's data folder by default; a new one for every test. */
export let folder: string;
let running: ChildProcess[] = [];
const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
/** These programs run briefly, so compiling the embedded engine again for speed would take longer than it saves. */
const quickly = ["--liftoff-only"];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "footprint-start-"));
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  running = [];
  await rm(folder, { recursive: true });
});
afterAll(() => terminal?.child.kill());

const serverFolder = dirname(import.meta.dirname);
/** The program's default environment in tests. Loading the demo business takes longer than the rest of a start. */
const surroundings = (env: Record<string, string>) => ({
  ...{ PATH, NODE_COMPILE_CACHE, NODE_OPTIONS },
  ...{ PORT: "0", DATA_DIR: folder, LOG_LEVEL: "silent", DEMO: "off" },
  ...env,
});

/** Runs the program until it is ready or has ended. */
export async function run(
  env: Record<string, string>,
  script = "main.ts",
  args: string[] = [],
  onOutput = (_output: string) => {},
) {
  const child = spawn(process.execPath, [...quickly, script, ...args], {
    cwd: serverFolder,
    env: surroundings(env),
  });
  running.push(child);
  let output = "";
  const exit = once(child, "close").then(([code]) => code as number | null);
  const ready = new Promise<void>((done) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      onOutput(output);
      if (output.includes("is ready at") && output.endsWith("\n")) done();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
  });
  await Promise.race([ready, exit]);
  return {
    child,
    exit,
    output: () => output.trim(),
    password: () => /with the password (\S+)/.exec(output)?.[1] ?? "",
    origin: () => /is ready at (\S+)/.exec(output)?.[1] ?? "",
  };
}

export async function signIn(origin: string, username: string, password: string) {
  const response = await fetch(origin + session.login.path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  return response.status;
}

/** A new, empty database on the real PostgreSQL. */
export const emptyPostgres = () => createPostgres("template0");

/** The same with tables, as after a first start; making them takes longer than the rest of a start. */
export const migratedPostgres = () => createPostgres("template");

/** The same for the embedded engine, in this test's folder or another; making one takes as long as three starts. */
export const putDatabase = (into = folder) =>
  cp(inject("embeddedFolder") as string, join(into, "postgres"), { recursive: true });

async function createPostgres(original: string) {
  return { DATABASE_URL: await copyDatabase(inject("postgresUrl") as string, original) };
}

export async function ended(start: ReturnType<typeof run>) {
  const { exit, output } = await start;
  return { code: await exit, output: output() };
}

/** A file or folder of this test. */
export const place = (name: string) => join(folder, name);

let terminal: ReturnType<typeof openTerminal> | undefined;

function openTerminal() {
  const child = spawn(process.execPath, [...quickly, "testing/terminal.ts"], {
    cwd: serverFolder,
    env: surroundings({}),
    stdio: ["pipe", "pipe", "inherit"],
  });
  return { child, answers: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

/** Runs a command in a shared terminal. Tests of starting and ending use `run` instead. */
async function type(script: string, env: Record<string, string>, args: string[]) {
  terminal ??= openTerminal();
  const typed = JSON.stringify({ script, args, env: surroundings(env) });
  terminal.child.stdin.write(`${Buffer.from(typed).toString("base64")}\n`);
  const { value } = await terminal.answers.next();
  if (!value) throw new Error(`the terminal was closed by ${script}`);
  return JSON.parse(Buffer.from(value, "base64").toString()) as { code: number; output: string };
}

const command =
  (script: string) =>
  (env: Record<string, string>, ...args: string[]) =>
    type(script, env, args);

export const backup = command("operations/backup/backup.ts");
export const restore = command("operations/backup/restore.ts");
export const archive = command("operations/archive/archive.ts");
export const books = command("operations/print-books.ts");
export const admin = command("operations/admin.ts");

export const adminPassword = "open sesame, please";
type Sent = { params?: Record<string, string>; query?: Record<string, string>; body?: object; form?: FormData };

/** A server with the demo business and a call to it as its administrator. */
export async function openShop(env: Record<string, string>) {
  const server = await run({ DEMO: "on", ADMIN_PASSWORD: adminPassword, ...env });
  let token = "";
  async function call<E extends Endpoint>(endpoint: E, input: Input<E> & { form?: FormData } = {} as never) {
    const { params, query, body, form } = input as Sent;
    const search = query ? `?${new URLSearchParams(query)}` : "";
    const response = await fetch(server.origin() + pathOf(endpoint, params) + search, {
      method: endpoint.method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { "content-type": "application/json" }),
      },
      body: form ?? (body ? JSON.stringify(body) : null),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as Reply<E>;
  }
  token = (await call(session.login, { body: { username: "admin", password: adminPassword } })).accessToken;
  return { ...server, call };
}

/** A fingerprint of each table's rows. Sessions, known devices and sign-in tries are left out, as backups do. */
export async function fingerprints(env: { DATA_DIR: string } | { DATABASE_URL: string }) {
  return look(env, async ({ db }) => {
    await db.execute(sql`set timezone = 'UTC'`);
    const { rows: tables } = await db.execute<{ name: string }>(sql`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname not in ('sessions', 'known_devices', 'sign_in_tries', 'sign_in_limits')
        -- Housekeeping adds to these at any moment; the books compare their contents.
        and relname not in ('counters', 'settled_months', 'log_chain', 'outbox', 'events') order by 1`);
    const found: Record<string, unknown> = {};
    for (const { name } of tables) {
      const { rows } = await db.execute(sql`
        select count(*)::int as rows, md5(string_agg(row::text, '' order by row::text collate "C")) as hash
        from ${sql.identifier(name)} as row`);
      found[name] = rows[0];
    }
    return found;
  });
}

export async function look<T>(
  env: { DATA_DIR: string } | { DATABASE_URL: string },
  at: (engine: Engine) => Promise<T>,
) {
  const engine =
    "DATABASE_URL" in env
      ? await connectPostgres(env.DATABASE_URL)
      : await connectEmbedded({ dataDir: join(env.DATA_DIR, "postgres") });
  try {
    return await at(engine);
  } finally {
    await engine.close();
  }
}
