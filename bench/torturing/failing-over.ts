import { execFile } from "node:child_process";
import { chown, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import type { Random } from "../../server/demo/random.ts";
import { member } from "../../server/testing/pair.ts";
import { end, freePort, processesOf } from "../processes.ts";

type Member = ReturnType<typeof member>;

/** How a primary ends: killed with all its processes, stopped in order, or frozen while the standby takes over. */
const ends = ["kill", "stop", "freeze"] as const;

/** How long a frozen primary holds what was sent to it. */
const frozenMs = 8_000;

/**
 * A primary and its synchronous standby, which swap roles; every answered change is on both. This code plays the part
 * of Patroni: it promotes the standby, makes the other anew, and lets commits wait for a standby only while there is
 * one.
 */
export async function databasePair(folder: string, random: Random) {
  const [one, other] = [await freePort(), await freePort()];
  const following = (port: number) => [
    "-c",
    `primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=postgres`,
  ];
  const make = (name: string, port: number, followed: number) => ({
    ...member(join(folder, name), port, [...following(followed), "-c", "max_connections=300"]),
    folder: join(folder, name),
  });
  let [primary, standby] = [make("first", one, other), make("second", other, one)];
  await primary.server.initialise();
  await primary.start();
  await primary.query("create database footprint");
  await follow();

  /** Makes the standby anew from a copy of the primary's files, and waits until it has caught up. */
  async function follow() {
    await rm(standby.folder, { recursive: true, force: true });
    const client = new pg.Client(urlOf(primary));
    await client.connect();
    try {
      await client.query("select pg_backup_start('standby', true)");
      // Files come and go during the copy.
      await copy(primary.folder, standby.folder);
      const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
      await writeAsOwner(standby.folder, "backup_label", rows[0]?.labelfile ?? "");
    } finally {
      await client.end();
    }
    await writeAsOwner(standby.folder, "standby.signal", "");
    await standby.start();
    await waitForStandby(true);
  }

  async function waitForStandby(isAwaited: boolean) {
    await primary.query(
      isAwaited ? "alter system set synchronous_standby_names = '*'" : "alter system reset synchronous_standby_names",
    );
    await primary.query("select pg_reload_conf()");
    const patience = AbortSignal.timeout(120_000);
    while (
      isAwaited &&
      (await primary.query("select from pg_stat_replication where sync_state = 'sync'")).length === 0
    ) {
      if (patience.aborted) throw new Error("the standby does not follow its primary");
      await wait(50);
    }
  }

  async function endPrimary() {
    const processes = await processesOf(await primary.postmaster());
    const how = random.pick(ends);
    if (how === "stop") await primary.server.stop();
    if (how === "kill") for (const pid of processes) end(pid);
    if (how !== "freeze") return async () => {};
    await primary.freeze();
    return async () => {
      await wait(frozenMs);
      for (const pid of processes) end(pid);
      for (const pid of await processesOf(processes[0] as number)) end(pid);
    };
  }

  return {
    /** Names all hosts; the program has to find the one that takes changes. */
    url: `postgres://postgres:postgres@127.0.0.1:${one},127.0.0.1:${other}/footprint`,
    async killAndRestart() {
      const endWhatIsLeft = await endPrimary();
      await standby.query("select pg_promote()");
      [primary, standby] = [standby, primary];
      await waitForStandby(false);
      await endWhatIsLeft();
      await follow();
    },
    async stop() {
      for (const { server } of [standby, primary]) await server.stop().catch(() => {});
    },
  };
}

const urlOf = ({ port }: Pick<Member, "port">) => `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;

/** If root starts it, PostgreSQL runs under another account. */
async function writeAsOwner(folder: string, name: string, text: string) {
  const { uid, gid } = await stat(folder);
  await writeFile(join(folder, name), text);
  await chown(join(folder, name), uid, gid);
}

async function copy(from: string, to: string) {
  const script = `cp -a "$0" "$1" 2>/dev/null; rm -f "$1"/postmaster.pid "$1"/postmaster.opts "$1"/pg_replslot/*; test -f "$1"/PG_VERSION`;
  await promisify(execFile)("sh", ["-c", script, from, to]);
}
