import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { logs } from "@footprint/contract/logs.ts";
import { generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption";
import { sql } from "drizzle-orm";
import pg from "pg";
import { expect, test, vi } from "vitest";
import {
  admin,
  adminPassword,
  backup,
  emptyPostgres,
  look,
  migratedPostgres,
  openShop,
  place,
  putDatabase,
  restore,
  run,
} from "../../testing/program.ts";

/** Generous for a busy machine: only what never comes is given up. */
const patience = { timeout: 240_000, interval: 250 };

test("servers back up by themselves: one of them, encrypted, restored for a check; what is old goes", {
  timeout: 600_000,
}, async () => {
  const there = await migratedPostgres();
  const identity = await generateX25519Identity();
  const env = {
    ...there,
    ...{ BACKUP_EVERY: "1h", BACKUP_KEEP: "1d0w", BACKUP_DIR: place("out") },
    ...{ BACKUP_KEY: await identityToRecipient(identity), DEMO: "off" },
  };
  const shop = await openShop(env);
  await run(env);
  const made = async () => (await readdir(place("out"))).filter((name) => name.endsWith(".gz.age"));
  const shown = async () => (await shop.call(dashboard.attention)).backup;
  const whole = { takenAt: expect.any(String), isLate: false, problem: "" };
  await vi.waitFor(async () => expect(await shown()).toEqual(whole), patience);
  const [first = ""] = await made();
  expect(await made()).toEqual([first]);

  const file = join(place("out"), first);
  expect((await readFile(file, "latin1")).startsWith("age-encryption.org/v1\n")).toBe(true);
  const closed = { code: 1, output: expect.stringContaining("is encrypted: set BACKUP_IDENTITY") };
  expect(await restore({ DATA_DIR: place("none") }, file)).toEqual(closed);
  const another = { DATA_DIR: place("none"), BACKUP_IDENTITY: await generateX25519Identity() };
  expect(await restore(another, file)).toEqual(closed);
  expect(await restore({ ...(await emptyPostgres()), BACKUP_IDENTITY: identity }, file)).toEqual({
    code: 0,
    output: expect.stringMatching(/The books balance\.$/),
  });

  const byHand = "footprint-2020-01-01T000000Z.gz";
  await writeFile(join(place("out"), byHand), "");
  await look(there, ({ db }) => db.execute(sql`update backups set begun_at = begun_at - interval '8 days'`));
  await vi.waitFor(async () => expect(await made()).toEqual([expect.not.stringContaining(first)]), patience);
  expect(await readdir(place("out"))).toContain(byHand);
  expect(await shown()).toEqual(whole);
  const { logs: told } = await shop.call(logs.list, { query: { search: "backup" } });
  expect(told.map(({ admin, action }) => [admin.username, action.replace(/footprint-\S+/, "it")])).toEqual(
    Array(2).fill(["system", "Made the backup it and restored it for a check"]),
  );
  const left = await look(there, ({ db }) =>
    db.execute(sql`select from pg_database where datname like 'footprint_check_%'`),
  );
  expect(left.rows).toEqual([]);
});

test("a backup that fails is told of", { timeout: 600_000 }, async () => {
  await putDatabase();
  await writeFile(place("taken"), "a file where a folder should be");
  const shop = await openShop({ DEMO: "off", BACKUP_EVERY: "1d", BACKUP_DIR: place("taken") });
  await vi.waitFor(
    async () =>
      expect((await shop.call(dashboard.attention)).backup).toEqual({
        ...{ takenAt: null, isLate: true },
        problem: expect.stringContaining("cannot be written"),
      }),
    patience,
  );
  const { logs: told } = await shop.call(logs.list, { query: { search: "backup" } });
  expect(told).toMatchObject([{ admin: { username: "system" }, action: expect.stringContaining("cannot be written") }]);
});

test("a backup is checked beside its own database, also where the address does not name that or somebody else left one behind", {
  timeout: 600_000,
}, async () => {
  const { DATABASE_URL } = await emptyPostgres();
  const owner = new pg.Client(DATABASE_URL);
  await owner.connect();
  const name = new URL(DATABASE_URL).pathname.slice(1);
  const forgotten = `footprint_check_1_${name}`;
  try {
    // Account and database have the same name, so the address may leave the latter out.
    await owner.query(`create role ${name} login createdb password 'its own'`);
    await owner.query(`alter database ${name} owner to ${name}`);
    await owner.query(`create database ${forgotten}`);
    const { host } = new URL(DATABASE_URL);
    const env = { DATABASE_URL: `postgres://${name}:its%20own@${host}` };
    expect((await admin(env, "create", "second")).code).toBe(0);
    const made = backup(env, "--check", place("kept.gz"));
    await vi.waitFor(async () => {
      const { rows } = await owner.query(
        `select from pg_database where datname like 'footprint_check_%' and pg_get_userbyid(datdba) = '${name}'`,
      );
      expect(rows).toHaveLength(1);
    }, patience);
    expect(await made).toEqual({ code: 0, output: expect.stringMatching(/the books balance\.$/) });
    expect(await readdir(place("."))).toEqual(["kept.gz"]);
  } finally {
    await owner.query(`drop database ${forgotten}`);
    await owner.end();
  }
});

test("a passphrase closes and opens; what was changed since is refused, and so is half a key", {
  timeout: 600_000,
}, async () => {
  const there = await migratedPostgres();
  const file = place("closed.gz.age");
  const phrase = { BACKUP_PASSPHRASE: "correct horse battery" };
  expect(await backup({ ...there, ...phrase }, "--check", file)).toEqual({
    code: 0,
    output: expect.stringMatching(/MB, encrypted\)\nRestored for a check: the books balance\.$/),
  });
  const damaged = await readFile(file);
  // Tests stretch passphrases to a 256th of the product's cost, which is 2^18.
  expect(damaged.toString("latin1", 0, 80)).toMatch(/^-> scrypt \S+ 10$/m);
  damaged[damaged.length - 40] = (damaged.at(-40) ?? 0) ^ 1;
  await writeFile(place("damaged.gz.age"), damaged);
  expect(await restore({ DATA_DIR: place("new"), ...phrase }, place("damaged.gz.age"))).toEqual({
    code: 1,
    output: expect.stringContaining("is not a complete backup, or was changed since"),
  });
  expect((await restore({ ...(await emptyPostgres()), ...phrase }, file)).code).toBe(0);

  const key = await identityToRecipient(await generateHybridIdentity());
  expect((await backup({ ...there, BACKUP_KEY: key }, "--check", place("later.gz.age"))).code).toBe(0);
  const half = { BACKUP_KEY: key.slice(0, 100) };
  expect((await backup({ ...there, ...half }, place("half.gz.age"))).output).toBe(
    "BACKUP_KEY is not a whole key of the age format: copy it again.",
  );
});

test("what servers that end leave of a backup goes once a newer one is made; one that only stood still does not count", {
  timeout: 600_000,
}, async () => {
  const { DATABASE_URL } = await migratedPostgres();
  const owner = new pg.Client(DATABASE_URL);
  await owner.connect();
  const env = { DATABASE_URL, BACKUP_EVERY: "1h", BACKUP_DIR: place("out"), ADMIN_PASSWORD: adminPassword };
  const files = () => readdir(place("out")).catch(() => [] as string[]);
  /** Runs a server until its backup is written; the check has to wait for the lock. */
  const untilChecking = async () => {
    const before = await files();
    const server = await run(env);
    await vi.waitFor(async () => {
      const whole = (await files()).filter((name) => name.endsWith(".gz"));
      expect(whole).toHaveLength(before.length + 1);
    }, patience);
    return server;
  };
  // A check begins by creating a database.
  await owner.query("begin; set local idle_in_transaction_session_timeout = 0; lock table pg_database in share mode");
  const stopped = await untilChecking();
  stopped.child.kill("SIGTERM");
  expect(await stopped.exit).toBe(0);
  const still = await untilChecking();
  still.child.kill("SIGSTOP");
  await look(env, ({ db }) => db.execute(sql`update backups set alive_at = alive_at - interval '1 hour'`));
  const left = await files();
  expect(left).toHaveLength(2);
  await owner.query("commit");
  await owner.end();

  const shop = await openShop({ ...env, DEMO: "off" });
  const made = () =>
    shop
      .call(logs.list, { query: { search: "Made the backup" } })
      .then((answer) => answer.logs.map(({ action }) => action));
  await vi.waitFor(async () => expect(await made()).toHaveLength(1), patience);
  still.child.kill("SIGCONT");
  await vi.waitFor(async () => {
    const now = await files();
    expect(now).toHaveLength(1);
    expect(left).not.toContain(now[0]);
  }, patience);
  still.child.kill("SIGTERM");
  await still.exit;
  expect(await made()).toHaveLength(1);
});
