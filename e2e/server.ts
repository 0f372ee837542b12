import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectNode, root, runNode } from "../scripts/process.mjs";
import { copyDatabase, startPostgres } from "../server/testing/postgres-server.ts";

export const adminAccount = { username: "admin", password: "admin of the tests" };

/** An administrator with an open session that was last confirmed more than half an hour ago. */
export const awayAccount = {
  username: "away-admin",
  password: "admin who was away",
  token: "away-away-away-away-away-away-away-away-awa",
};

export type Server = {
  /** As 127.0.0.1, since on localhost the panel would call port 7400. */
  url: string;
  stop(): Promise<void>;
};

export const newFolder = () => mkdtemp(join(tmpdir(), "footprint-e2e-"));

/** The database with the seed's business. */
const seed = "seed";

/** Starts a PostgreSQL with the seed's business, which is made once and copied for every server. */
export async function startPostgresWithSeed() {
  const { url, stop } = await startPostgres(seed);
  const { code, output } = await runNode(["e2e/seed.ts"], {
    env: { PATH: process.env.PATH, DATABASE_URL: `${url}/${seed}` },
  });
  if (code !== 0) throw new Error(`The seed failed:\n${output}`);
  return { url, stop };
}

/** Starts the product as its users do, on a free port, with a copy of the seed's business. */
export async function startSeededServer(settings: Record<string, string> = {}): Promise<Server> {
  return startServer({ DATABASE_URL: await copyDatabase(process.env.TEST_POSTGRES ?? "", seed), ...settings });
}

/** The same, embedded and empty unless the settings say otherwise. */
export async function startServer(settings: Record<string, string>): Promise<Server> {
  const dataDir = await newFolder();
  const child = spawn(projectNode(), ["server/main.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      PORT: "0",
      DATA_DIR: dataDir,
      DEMO: "off",
      LOG_LEVEL: "warn",
      ADMIN_USERNAME: adminAccount.username,
      ADMIN_PASSWORD: adminAccount.password,
      ...settings,
    },
  });
  const port = await readyPort(child);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await end(child);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

/** Reads the port from the server's output. */
export function readyPort(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const listen = (data: Buffer) => {
      said += data;
      const port = /ready at http:\/\/[^\s:]+:(\d+)/.exec(said)?.[1];
      if (port) resolve(port);
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The server ended with code ${code} before it was ready:\n${said}`)));
  });
}
