import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { logs } from "@footprint/contract/logs.ts";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { chainLog } from "../../accounts/log-chain.ts";
import { type Engine, withoutTimeLimit } from "../../db/engine.ts";
import {
  archive,
  backup,
  books,
  look,
  migratedPostgres,
  openShop,
  place,
  restore,
  run,
} from "../../testing/program.ts";
import { writeProven } from "../backup/file.ts";

/** Generous for a busy machine: only what never comes is given up. */
const patience = { timeout: 240_000, interval: 100 };

const program = "operations/archive/archive.ts";

/** Rows of a month, a minute apart, with a link for every thousand. */
async function write({ db }: Pick<Engine, "db">, amount: number, from: string, first?: object) {
  await withoutTimeLimit(db).execute(sql`
    insert into logs (id, admin, type, action, before, after, created_at)
    select gen_random_uuid(), 'maren "ж" \\', 'pricing', E'Line 1\nline 2 of ' || n, '{"price": 1.50, "aa": [1e3, "\u2028 📦"], "z": null, "b": {}}',
      'null', ${from}::timestamptz + n * interval '60.000007 seconds' from generate_series(1, ${amount}::integer) as n`);
  if (first)
    await db.execute(sql`update logs set before = ${JSON.stringify(first)}::jsonb
      where id = (select id from logs where created_at > ${from} order by created_at limit 1)`);
  await chainLog(db);
}

/** Text as somebody may have written or pasted it. */
const note = 'A "quoted" \\ word\nand a second line \u{1b}[31m \u202e \u{1f468}\u200d\u{1f469} \u{e0001}';

/** The rows written by `write`, and how far archiving is. */
const stateOf = (env: { DATA_DIR: string } | { DATABASE_URL: string }) => look(env, stateIn);

async function stateIn({ db }: Pick<Engine, "db">) {
  await db.execute(sql`set timezone = 'UTC'`);
  const { rows } = await db.execute<{ entries: number; hash: string; links: string[] }>(sql`
    select count(*)::int as entries, md5(string_agg(to_jsonb(logs)::text, '' order by id)) as hash,
      (select array_agg(number || ':' || encode(hash, 'hex') order by number) from log_chain) as links
    from logs where action like 'Line%'`);
  const { rows: archives } = await db.execute<{ file: string; written: boolean; removed: number }>(sql`
    select file, sha256 is not null as written, removed_rows::int as removed from log_archives order by first_link`);
  return { ...(rows[0] as (typeof rows)[number]), archives };
}

/** Waits in one connection, since opening one for every look takes longer than the look. */
const untilState = (env: There, state: object) =>
  look(env, (engine) => vi.waitFor(async () => expect(await stateIn(engine)).toMatchObject(state), patience));

/** As if two minutes had passed since the killed server's last sign of life. */
const forgetWhoWasAtIt = (env: { DATABASE_URL: string }) =>
  look(env, ({ db }) => db.execute(sql`update log_archives set alive_at = '-infinity'`));

type There = { DATABASE_URL: string };

/** Runs the program until it waits for a lock, and kills it there. */
async function killedWhile(env: There & Record<string, string>, lock: string, isThere: () => Promise<unknown>) {
  await look(env, ({ db }) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
      await tx.execute(sql.raw(lock));
      const cwd = join(import.meta.dirname, "../..");
      const child = spawn(process.execPath, [program], { cwd, env: { ...process.env, ...env }, stdio: "ignore" });
      try {
        await vi.waitFor(async () => expect(await waiting(db)).toBe(1), patience);
        await vi.waitFor(isThere, patience);
      } finally {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    }),
  );
}

/** How many connections wait for a lock. */
async function waiting(db: Engine["db"]) {
  const isWaiting = sql`datname = current_database() and wait_event_type = 'Lock'`;
  return (await db.execute(sql`select from pg_stat_activity where ${isWaiting}`)).rows.length;
}

test("old log entries go to files once, whatever is killed; the chain continues, and they can be restored", {
  timeout: 900_000,
}, async () => {
  const there = await migratedPostgres();
  const out = place("archive");
  const env = { ...there, ARCHIVE_DIR: out, LOG_RETENTION: "400d" };
  await look(there, async (engine) => {
    await write(engine, 2500, "2024-01-02T00:00:00.123456Z");
    await write(engine, 300, "2024-02-01T00:00:00Z");
    await write(engine, 40, new Date(Date.now() - 20 * 86_400_000).toISOString());
  });
  const before = await stateOf(there);
  expect(before).toMatchObject({ entries: 2840, links: { length: 5 }, archives: [] });
  const [noted = ""] = before.links;

  // Killed while writing: the log stays, and the half-written file gets no name.
  await killedWhile(env, "lock table logs in access exclusive mode", async () =>
    expect(await readdir(out)).toEqual([expect.stringMatching(/^log-2024-01-.*\.unfinished$/)]),
  );
  const half = await stateOf(there);
  expect(half).toMatchObject({ entries: 2840, archives: [{ written: false, removed: 0 }] });
  expect(await archive(env)).toEqual({
    code: 1,
    output: "A server is at it, or was until two minutes ago: try again then.",
  });
  const january = half.archives[0]?.file ?? "";
  await writeFile(join(out, january), "what a disk may make of a file");
  await forgetWhoWasAtIt(there);

  // Killed while deleting: the file is complete, and some of its entries are still in the log.
  const second = `select id from logs order by created_at offset 1500 limit 1`;
  await killedWhile(env, `select from logs where id = (${second}) for update`, async () =>
    expect(await stateOf(there)).toMatchObject({ entries: 1840, archives: [{ written: true, removed: 1000 }] }),
  );
  expect((await stat(join(out, january))).mode & 0o777).toBe(0o600);
  expect(await books(there)).toEqual({ code: 0, output: expect.stringContaining("Archived log entries: 1,000") });
  await forgetWhoWasAtIt(there);

  // Several servers at once finish the part, each entry once.
  const shop = await openShop({ ...env, DEMO: "off" });
  await run(env);
  const done = [
    { file: january, written: true, removed: 2500 },
    { file: expect.stringMatching(/^log-2024-02-/), written: true, removed: 300 },
  ];
  await untilState(there, { entries: 40, archives: done });
  const listed = await shop.call(logs.list, { query: { status: "pricing" } });
  expect(listed.total).toBe(40);
  const told = await shop.call(logs.list, { query: { search: "Archived" } });
  expect(told.logs.map(({ action }) => action.split(" in ")[0])).toEqual([
    "Archived 300 entries of the log",
    "Archived 2,500 entries of the log",
  ]);

  // The files are searched and checked without the database.
  const found = await archive(env, "--search", "LINE 2 of", "--by", 'Maren "ж" \\', "--type", "pricing");
  const entries = found.output.split("\n").slice(0, -1);
  expect(new Set(entries.map((line) => JSON.parse(line).id)).size).toBe(2800);
  expect(found.output).toContain("2,800 found.");
  const some = await archive(env, "--search", "", "--from", "2024-01-03", "--to", "2024-01-03");
  expect(some.output).toContain("1,061 found.");
  const anchor = before.links[3] ?? "";
  expect(await archive({ ARCHIVE_DIR: out }, "--check", "--link", noted)).toEqual({
    code: 0,
    output: expect.stringContaining(`The archives are whole.\nArchived log entries: 2,800.`),
  });
  expect(await books(there, "--link", anchor)).toEqual({
    code: 0,
    output: expect.stringContaining("Archived log entries: 2,800, up to link 4 of 2024-02-01"),
  });
  expect(await books(there, "--link", noted)).toEqual({
    code: 1,
    output: expect.stringContaining(`The books balance.\n`),
  });

  // From a backup it continues on the other engine, where everything is restored.
  expect((await backup(there, place("kept.gz"))).code).toBe(0);
  const other = { DATA_DIR: place("there") };
  expect((await restore(other, place("kept.gz"))).output).toMatch(/The books balance\.$/);
  const february = (await readdir(out)).find((name) => name.startsWith("log-2024-02")) ?? "";
  expect((await archive(other, "--restore", join(out, january))).output).toContain(`Restore ${february} first`);
  const changed = gunzipSync(await readFile(join(out, february)))
    .toString()
    .replace("line 2 of 7", "line 2 of 8");
  await writeFile(join(out, "changed.gz"), gzipSync(changed));
  expect((await archive(other, "--restore", join(out, "changed.gz"))).output).toMatch(
    /^changed.gz: Log entry \S+ is not/,
  );
  for (const file of [february, january]) expect((await archive(other, "--restore", join(out, file))).code).toBe(0);
  expect(await stateOf(other)).toMatchObject({ entries: 2840, hash: before.hash, archives: [] });
  expect(await books(other, "--link", noted)).toEqual({
    code: 0,
    output: expect.stringContaining("The books balance."),
  });
  expect((await archive({ ...other, ARCHIVE_DIR: place("again"), LOG_RETENTION: "2y" })).code).toBe(0);
  for (const file of [january, february])
    expect(gunzipSync(await readFile(place(`again/${file}`)))).toEqual(gunzipSync(await readFile(join(out, file))));
  expect((await books(other)).code).toBe(0);
});

test("archives are searched for whatever stands in them, by whoever reads on or not", async () => {
  const there = await migratedPostgres();
  const env = { ...there, ARCHIVE_DIR: place("archive"), LOG_RETENTION: "400d" };
  await look(there, async (engine) => {
    await write(engine, 3000, "2024-01-01T00:00:00Z", { note });
    await write(engine, 1, new Date(Date.now() - 86_400_000).toISOString());
  });
  expect((await archive(env)).code).toBe(0);

  // Including text that JSON writes differently; and everything can be parsed again.
  const strange = await archive(env, "--search", 'a "quoted" \\ word\nand a second line');
  const [entry = "", said] = strange.output.split("\n");
  expect([JSON.parse(entry).before.note, said]).toEqual([note, "1 found."]);
  // A reader may stop early, like head.
  const cwd = join(import.meta.dirname, "../..");
  const child = spawn(process.execPath, [program, "--search", ""], { cwd, env: { ...process.env, ...env } });
  let complaint = "";
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  child.stdout.once("data", () => child.stdout.destroy());
  const [code] = await once(child, "close");
  expect({ code, complaint }).toEqual({ code: 0, complaint: "" });
});

test("archives are encrypted where backups are, and go on without what opens them; whoever has the key searches and restores", {
  timeout: 600_000,
}, async () => {
  const there = await migratedPostgres();
  const out = place("archive");
  const identity = await generateX25519Identity();
  const plain = { ...there, ARCHIVE_DIR: out, LOG_RETENTION: "400d" };
  const env = { ...plain, BACKUP_KEY: await identityToRecipient(identity) };
  await look(there, async (engine) => {
    await write(engine, 2500, "2024-01-01T00:00:00Z");
    await write(engine, 1, new Date(Date.now() - 86_400_000).toISOString());
  });
  const before = await stateOf(there);
  const second = `select id from logs order by created_at offset 1500 limit 1`;
  await killedWhile(env, `select from logs where id = (${second}) for update`, async () =>
    expect(await stateOf(there)).toMatchObject({ entries: 1501, archives: [{ written: true, removed: 1000 }] }),
  );
  const [name = ""] = await readdir(out);
  expect(name).toMatch(/^log-2024-01-.*\.gz\.age$/);
  const file = join(out, name);
  const written = await readFile(file);
  expect(written.toString("latin1", 0, 22)).toBe("age-encryption.org/v1\n");

  // Nothing more is deleted if the file differs from the one that was written; if it is the same, no key is needed.
  await forgetWhoWasAtIt(there);
  await writeFile(file, written.with(-1, (written.at(-1) ?? 0) ^ 1));
  expect((await archive(plain)).output).toContain("is not the archive that the database knows: nothing is deleted");
  expect(await stateOf(there)).toMatchObject({ entries: 1501, archives: [{ file: name, removed: 1000 }] });
  await writeFile(file, written);
  expect((await archive(plain)).code).toBe(0);
  expect(await stateOf(there)).toMatchObject({ entries: 1, archives: [{ file: name, removed: 2500 }] });

  const closed = { code: 1, output: expect.stringContaining("is encrypted: set BACKUP_IDENTITY") };
  expect(await archive(env, "--search", "line 2 of 7")).toEqual(closed);
  const opened = { ...plain, BACKUP_IDENTITY: identity };
  expect((await archive(opened, "--search", "line 2 of 77")).output).toContain("11 found.");
  expect((await archive(opened, "--check")).output).toContain("The archives are whole.");
  expect((await archive(opened, "--restore", file)).code).toBe(0);
  expect(await stateOf(there)).toMatchObject({ entries: 2501, hash: before.hash, archives: [] });

  // Archived again, now with a passphrase, the part is in another file and counts once.
  const phrase = { ...plain, BACKUP_PASSPHRASE: "correct horse battery" };
  expect((await archive(phrase)).code).toBe(0);
  expect(await readdir(out)).toEqual(Array(2).fill(expect.stringMatching(/^log-2024-01-.*\.gz\.age$/)));
  const both = { ...phrase, BACKUP_IDENTITY: identity };
  expect((await archive(both, "--search", "line 2 of 77")).output).toContain("11 found.");
  expect((await archive(both, "--check")).output).toContain("The archives are whole.\nArchived log entries: 2,500.");
  expect((await books(there)).code).toBe(0);
});

test("two that write the same file at once, as processes of containers with the same number may, do not disturb each other", async () => {
  async function* lines() {
    for (let line = 0; line < 1000; line++) yield `${JSON.stringify({ line })}\n`;
  }
  await Promise.all([1, 2, 3].map(() => writeProven(place("out/one.gz"), lines())));
  expect(await readdir(place("out"))).toEqual(["one.gz"]);
});
