import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { session } from "@footprint/contract/session.ts";
import pg from "pg";
import { afterEach, beforeEach, inject } from "vitest";

/** Where the program keeps its data, unless told otherwise. A new one for every test. */
export let folder: string;
let running: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "footprint-start-"));
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  running = [];
  await rm(folder, { recursive: true });
});

/** Runs the program until it is ready or has ended. */
export async function run(env: Record<string, string>, script = "main.ts", args: string[] = []) {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: dirname(import.meta.dirname),
    // The demo business takes longer to load than all the rest of a start.
    env: { PATH: process.env.PATH, PORT: "0", DATA_DIR: folder, LOG_LEVEL: "silent", DEMO: "off", ...env },
  });
  running.push(child);
  let output = "";
  const exit = once(child, "close").then(([code]) => code as number | null);
  const ready = new Promise<void>((done) => {
    const read = (chunk: Buffer) => {
      output += chunk;
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
export async function emptyPostgres() {
  const name = `start_${randomBytes(8).toString("hex")}`;
  const owner = new pg.Client(`${inject("postgresUrl")}/postgres`);
  await owner.connect();
  await owner.query(`create database ${name}`);
  await owner.end();
  return { DATABASE_URL: `${inject("postgresUrl")}/${name}` };
}
