import { fork } from "node:child_process";
import { mkdir, readdir, rm } from "node:fs/promises";
import { setPriority } from "node:os";
import { join, resolve } from "node:path";
import { and, desc, eq, isNotNull, isNull, lt, not, or, sql } from "drizzle-orm";
import { record, system } from "../../accounts/audit.ts";
import type { BackupKeys, Backups } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { uuidv7 } from "../../db/ids.ts";
import { backups } from "../../db/schema.ts";
import type { Made } from "./backup.ts";
import { removeUnfinished } from "./file.ts";
import { nameOf } from "./names.ts";

/**
 * In milliseconds: how often it is checked whether a backup is due, and how often a server making one gives a sign of
 * life.
 */
const lookEvery = 20_000;
/** A server without a sign of life for so many seconds is taken for dead. */
const silence = 120;
/** Seconds until a failed backup is tried again. */
const patience = 900;

/** Makes scheduled backups. With several servers on one database only one of them does. */
export function startBackups(
  db: Database,
  { every, ...kept }: Backups,
  keys: BackupKeys | undefined,
  { report, onFailure }: { report: (line: string) => void; onFailure: (error: unknown) => void },
) {
  const folder = resolve(kept.folder);
  const stopping = new AbortController();
  let working: Promise<void> | undefined;
  const look = () => {
    working ??= makeWhenDue()
      .catch(onFailure)
      .finally(() => {
        working = undefined;
      });
  };

  async function makeWhenDue() {
    const file = nameOf(new Date(), keys);
    const id = await claim(db, file, every);
    if (id) await make(id, file);
    await removeOld(db, folder, kept);
  }

  async function make(id: string, file: string) {
    const alive = setInterval(
      () =>
        void db
          .update(backups)
          .set({ aliveAt: sql`clock_timestamp()` })
          .where(isOwn(id))
          .catch(() => {}),
      lookEvery,
    );
    const made = await inOwnProcess(join(folder, file), stopping.signal).finally(() => clearInterval(alive));
    // Not a failure: another server makes it now, or this one after its restart.
    if (stopping.signal.aborted && "problem" in made)
      return void (await db.update(backups).set({ aliveAt: sql`'-infinity'` }).where(eq(backups.id, id)));
    const problem = "problem" in made ? made.problem : made.balanced ? "" : "Its books do not balance";
    const isKept = await db.transaction(async (tx) => {
      const { rows = null, bytes = null, balanced = null } = "problem" in made ? {} : made;
      const ended = await tx
        .update(backups)
        .set({ rows, bytes, balanced, problem, endedAt: sql`clock_timestamp()` })
        .where(isOwn(id))
        .returning({ id: backups.id });
      if (ended.length === 0) return false;
      await record(
        tx,
        system,
        "website",
        problem ? `The backup ${file} failed: ${problem}` : `Made the backup ${file} and restored it for a check`,
        {
          after: { file, rows, bytes },
        },
      );
      return true;
    });
    // It was taken for dead, so another one is made instead.
    if (!isKept) return;
    if (problem) onFailure(new Error(`the backup ${file} failed: ${problem}`));
    else report(`backed up to ${join(folder, file)}, and restored for a check`);
  }

  const looks = setInterval(look, Math.min(lookEvery, (every * 1000) / 4));
  look();
  return async () => {
    clearInterval(looks);
    stopping.abort();
    await working;
  };
}

const ago = (seconds: number) => sql`clock_timestamp() - ${seconds} * interval '1 second'`;
const isSilent = sql`(ended_at is null and alive_at <= ${ago(silence)})`;
/** A server that was taken for dead stays so for this backup, even if it only stood still. */
const isOwn = (id: string) => and(eq(backups.id, id), not(isSilent));

/** The id of a backup that this server is to make; undefined if none is due or another server is making it. */
async function claim(db: Database, file: string, every: number): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${backupsLock})`);
    // A start time in the future means that the clock was set back.
    const { rows } = await tx.execute(sql`
      select from backups
      where case
        when ended_at is null then alive_at > ${ago(silence)}
        when balanced is null then ended_at between ${ago(Math.min(every, patience))} and clock_timestamp()
        else begun_at between ${ago(every)} and clock_timestamp() end`);
    if (rows.length > 0) return undefined;
    const id = uuidv7();
    await tx.insert(backups).values({ id, file });
    return id;
  });
}

const backupsLock = 7400_0011;

/** In a separate process with low priority, since the server has callers. Returns the result. */
function inOwnProcess(path: string, stopped: AbortSignal): Promise<Made | { problem: string }> {
  return new Promise((done) => {
    const child = fork(new URL("./backup.ts", import.meta.url), ["--check", path], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      signal: stopped,
      killSignal: "SIGKILL",
    });
    if (child.pid) setPriority(child.pid, 10);
    let made: Made | undefined;
    let said = "";
    child.stderr?.on("data", (data) => {
      said = (said + data).slice(0, 2_000);
    });
    child.on("message", (message: Made) => {
      made = message;
    });
    child.on("error", (error) => {
      said ||= error.message;
    });
    child.once("close", (code) => {
      const problem = said.trim().split("\n")[0] || `It ended with ${code}`;
      done(made ?? { problem });
    });
  });
}

/**
 * Of the backups that servers made, keeps the last of so many days and weeks, and all of the last day. What failed, or
 * was left by a server that ended, goes once a newer one was restored.
 */
async function removeOld(db: Database, folder: string, { days, weeks }: Pick<Backups, "days" | "weeks">) {
  const made = await db
    .select({ file: backups.file, at: backups.begunAt })
    .from(backups)
    .where(and(isNotNull(backups.endedAt), isNotNull(backups.balanced)))
    .orderBy(desc(backups.begunAt));
  const kept = new Set([
    ...made.filter(({ at }) => at.getTime() > Date.now() - 86_400_000),
    ...lastOfEach(made, days, ({ at }) => at.toISOString().slice(0, 10)),
    ...lastOfEach(made, weeks, ({ at }) => String(Math.floor((at.getTime() / 86_400_000 + 3) / 7))),
  ]);
  const newest = made[0]?.at ?? new Date(0);
  const useless = await db
    .select({ file: backups.file })
    .from(backups)
    .where(and(isNull(backups.balanced), or(isNotNull(backups.endedAt), isSilent), lt(backups.begunAt, newest)));
  const old = new Set([...made.filter((each) => !kept.has(each)), ...useless].map(({ file }) => file));
  for (const { file } of kept) old.delete(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder))
    if (old.has(nameBefore(name))) await rm(join(folder, name), { force: true });
  await removeUnfinished(folder);
}

/** The name that an unfinished or unfit file would have had. */
const nameBefore = (name: string) => name.replace(/\.(unfit|[0-9a-f]{8}\.unfinished)$/, "");

/** The first item of each of so many spans, in the given order. */
function lastOfEach<T>(made: T[], amount: number, spanOf: (one: T) => string): T[] {
  const firsts = new Map<string, T>();
  for (const one of made) if (!firsts.has(spanOf(one))) firsts.set(spanOf(one), one);
  return [...firsts.values()].slice(0, amount);
}
