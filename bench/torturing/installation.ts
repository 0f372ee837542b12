import { cp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openEngine } from "../../server/db/engine.ts";
import type { Random } from "../../server/demo/random.ts";
import { databaseProcess, type Life, type Server, serverProcess, temporaryFolder } from "../processes.ts";
import { databasePair } from "./failing-over.ts";

/** `failover` is PostgreSQL too: a primary and a standby that take each other's place. */
export const engines = ["embedded", "postgres", "failover"] as const;

async function openDatabase(engine: (typeof engines)[number], folder: string, random: Random) {
  if (engine === "embedded") return undefined;
  return engine === "failover" ? databasePair(folder, random) : databaseProcess(folder);
}

/** These servers live briefly, so compiling the embedded engine again for speed would take longer than it saves. */
const flags = ["--liftoff-only"];

/** A server that ends by itself this often will not start again. */
const mostTroubles = 10;

type Wish = {
  adminPassword: string;
  /** An embedded database with its tables; without it, the first start takes long to make them. */
  emptyFolder: string | undefined;
  random: Random;
  onTrouble(finding: string): void;
};

/**
 * The program on its own empty database. On PostgreSQL it runs twice, so that a call may be repeated at one server
 * while the other is still busy with it.
 */
export async function openInstallation(
  engine: (typeof engines)[number],
  { adminPassword, emptyFolder, random, onTrouble }: Wish,
) {
  const folder = await temporaryFolder();
  if (emptyFolder) await cp(emptyFolder, join(folder.path, "postgres"), { recursive: true });
  const database = await openDatabase(engine, folder.path, random);
  const databaseUrl = database?.url;
  const env = {
    ADMIN_PASSWORD: adminPassword,
    WEBHOOK_PRIVATE: "on",
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: folder.path }),
  };
  let closing = false;
  let troubles = 0;
  /** When the database was last started; Infinity while it is killed and recovers. */
  let databaseIsBack = 0;

  const servers = Array.from({ length: database ? 2 : 1 }, () => {
    const onEnd = (lastWords: string, { since, wasReady }: Life) => {
      // Without its database a server may refuse to start, but a running one must never end.
      if (wasReady || since > databaseIsBack) {
        troubles++;
        onTrouble(`A server ended by itself: ${lastWords}`);
      }
      if (!closing && troubles < mostTroubles) void server.start();
    };
    const server: Server = serverProcess(env, onEnd, { flags });
    return server;
  });

  async function ready(server: Server) {
    const patience = AbortSignal.timeout(120_000);
    while (!server.origin()) {
      if (patience.aborted || troubles === mostTroubles) throw new Error("a server does not start any more");
      await wait(10);
    }
  }

  return {
    servers,
    hasDatabase: database !== undefined,
    origins: () => servers.map((server) => server.origin()).filter((origin) => origin !== undefined),
    ready,
    async start() {
      for (const server of servers) void server.start();
      await Promise.all(servers.map(ready));
    },
    async killServer(server: Server) {
      await server.kill();
      void server.start();
    },
    async killDatabase() {
      databaseIsBack = Number.POSITIVE_INFINITY;
      await database?.killAndRestart();
      databaseIsBack = performance.now();
    },
    /** Kills everything a last time and opens the rows, as the next start would find them. */
    async openRows() {
      closing = true;
      for (const server of servers) await server.kill();
      await database?.killAndRestart();
      return openEngine({ databaseUrl, dataDir: folder.path });
    },
    /** What a server logged about the failed call with this number. */
    cause: (number: string) => servers.map((server) => server.cause(number)).find(Boolean),
    async close() {
      closing = true;
      for (const server of servers) {
        await server.kill();
        server.forget();
      }
      await database?.stop();
      await folder.remove();
    },
  };
}

export type Installation = Awaited<ReturnType<typeof openInstallation>>;
