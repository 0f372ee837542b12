// The floor: a bare Node server that sends one statement to the database (for a change, all statements of the call) and
// returns the rows to the client.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import pg from "pg";
import { passwordMatches } from "../../server/accounts/passwords.ts";
import { openFolder } from "../../server/db/engine.ts";
import { uuidv7 } from "../../server/db/ids.ts";
import type { Recording, Statement } from "./record.ts";

/** How requests of one call differ: the values of the first target are replaced by those of the next. */
export type Floor = Recording & {
  targets: Record<string, unknown>[];
  /** Values that are new in every request. */
  fresh: string[];
  /** Set for a call that checks a password, so that the floor checks it too. */
  password?: string | undefined;
};

const floors = new Map<string, Floor & { next: number }>();
process.on("message", ({ path, floor }: { path: string; floor: Floor }) => {
  // The first target was used up by the recording.
  floors.set(path, { ...floor, next: 1 });
  process.send?.("ready");
});

// The bench may be ended by any signal; then the floor ends too.
process.on("disconnect", () => process.exit());

type Query = (statement: Statement) => Promise<{ rows: unknown[] }>;
/** Runs work with a function that asks the database, in a transaction or not. */
const database = process.env.DATABASE_URL ? onPostgres(process.env.DATABASE_URL) : await onFolder(process.env.DATA_DIR);

function onPostgres(connectionString: string) {
  const pool = new pg.Pool({ connectionString, max: 20, application_name: "floor" });
  const names = new Map<string, string>();
  /** Prepared, except statements that the server does not prepare either. */
  const prepared = ({ text, values }: Statement) => {
    if (values.length === 0 || text.includes(" like ")) return { text, values };
    const name = names.get(text) ?? `floor_${names.size}`;
    names.set(text, name);
    return { name, text, values };
  };
  return async (isChange: boolean, work: (query: Query) => Promise<void>) => {
    if (!isChange) return work((statement) => pool.query(prepared(statement)));
    const client = await pool.connect();
    try {
      await work((statement) => client.query(prepared(statement)));
      client.release();
    } catch (error) {
      // Ends its transaction too, which would keep others waiting.
      client.release(true);
      throw error;
    }
  };
}

async function onFolder(folder = "") {
  const { client } = await openFolder(folder);
  return async (isChange: boolean, work: (query: Query) => Promise<void>) => {
    if (!isChange) return work(({ text, values }) => client.query(text, values));
    await client.transaction((tx) =>
      work(async ({ text, values }) => (text === "begin" || text === "commit" ? { rows: [] } : tx.query(text, values))),
    );
  };
}

async function run(path: string) {
  const floor = floors.get(path);
  if (!floor) throw new Error(`nothing is known of ${path}`);
  const vary = variation(floor);
  const isChange = floor.steps.some((step) => step.some(({ text }) => text.startsWith("begin")));
  const rows: unknown[] = [];
  await database(isChange, async (query) => {
    for (const step of floor.steps) {
      const results = await Promise.all(step.map(({ text, values }) => query({ text, values: values.map(vary) })));
      for (const result of results) rows.push(...result.rows);
    }
  });
  if (floor.password) {
    const account = rows.find((row) => (row as { password_hash?: string }).password_hash);
    if (!(await passwordMatches((account as { password_hash: string }).password_hash, floor.password)))
      throw new Error("the password does not match");
  }
  return rows;
}

function variation(floor: Floor & { next: number }): (value: unknown) => unknown {
  if (floor.targets.length === 0 && floor.fresh.length === 0) return (value) => value;
  // Every sign-in opens a session with its own token.
  const isTokenHash = (value: string) => floor.password !== undefined && /^[\w-]{43}$/.test(value);
  const first = floor.targets[0] ?? {};
  const target = floor.targets[floor.next++ % floor.targets.length] ?? {};
  const replaced = new Map<unknown, unknown>(Object.keys(first).map((field) => [first[field], target[field]]));
  for (const value of floor.fresh) replaced.set(value, uuidv7());
  const vary = (value: unknown): unknown => {
    // Several rows go to the database as one JSON text.
    if (typeof value === "string" && value.startsWith("[{"))
      return JSON.stringify(JSON.parse(value, (_, part) => vary(part)));
    if (replaced.has(value)) return replaced.get(value);
    if (typeof value === "string" && isTokenHash(value)) return randomBytes(32).toString("base64url");
    if (typeof value !== "string" || !isNewId(value, floor.since)) return value;
    const id = uuidv7();
    replaced.set(value, id);
    return id;
  };
  return vary;
}

/** A version 7 id that was made while the call was recorded. */
const isNewId = (value: string, since: number) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(value) && Number.parseInt(value.replace("-", "").slice(0, 12), 16) >= since;

const server = createServer(async (request, response) => {
  request.resume();
  try {
    const body = JSON.stringify(await run(request.url ?? ""));
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as { port: number }).port));
