import { createHash, randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { orders } from "@footprint/contract/orders.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { sql } from "drizzle-orm";
import pg from "pg";
import { expect, inject, test, vi } from "vitest";
import { seed } from "../../../bench/seed.ts";
import { earlierPostgres } from "../../testing/earlier/earlier.ts";
import {
  backup,
  books,
  emptyPostgres,
  ended,
  fingerprints,
  folder,
  look,
  migratedPostgres,
  openShop,
  place,
  putDatabase,
  restore,
  run,
} from "../../testing/program.ts";
import { checkBackup, fillFrom } from "./fill.ts";

const inFolder = (name: string) => ({ DATA_DIR: place(name) });

/** An empty database whose account has no other rights. */
async function ownPostgres() {
  const name = `owner_${randomBytes(8).toString("hex")}`;
  const server = new URL(inject("postgresUrl") ?? "");
  const superuser = new pg.Client(`${server}/postgres`);
  await superuser.connect();
  await superuser.query(`create role ${name} login password 'secret'`);
  await superuser.query(`create database ${name} owner ${name}`);
  await superuser.end();
  server.username = name;
  server.password = "secret";
  return { DATABASE_URL: `${server}/${name}` };
}

/** Enough rows for several pieces of a backup, with what belongs to them. */
const sold = 800;

const oddities = Buffer.concat([
  Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
  Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  randomBytes(400_000),
]);

test("a business moves from the embedded engine to PostgreSQL and back, and every table is the same", {
  timeout: 300_000,
}, async () => {
  const here = inFolder("here");
  await putDatabase(here.DATA_DIR);
  await seed({ databaseUrl: undefined, dataDir: here.DATA_DIR }, { orders: sold });
  const there = await ownPostgres();
  const back = inFolder("back");
  const { call, child, exit } = await openShop({ ...here, DEMO: "off" });
  await expectBackupWhileBusy(here, call);

  const form = new FormData();
  form.append("image", new Blob([oddities]), "odd \u{1f4e6}.png");
  await call(website.updateCashapp, { form });
  await call(website.createApiKey, { body: { name: '\u2028 "quoted" \\ {} [] 📦 \t' } });
  await expectForgottenCopyRemoved(here.DATA_DIR);
  // A running server changes things by itself, which would differ from the backup.
  child.kill("SIGTERM");
  await exit;
  const first = await backup(here, place("first.gz"));
  expect(first.output).toMatch(/^Backed up [\d,]+ rows to \S+first\.gz \([\d.]+ MB\)$/);

  expect(await restore(there, place("first.gz"))).toEqual(restored);
  const rows = await fingerprints(here);
  expect(rows).toMatchObject({ orders: { rows: sold }, file_chunks: { rows: 2 }, settings: { rows: 1 } });
  expect(await fingerprints(there)).toEqual(rows);

  expect((await backup(there, place("second.gz"))).code).toBe(0);
  expect(await restore(back, place("second.gz"))).toEqual(restored);
  expect(await fingerprints(back)).toEqual(rows);
});

test("on PostgreSQL a backup is taken while changes go on, and so does trade in the restored copy", async () => {
  const source = await migratedPostgres();
  await seed({ databaseUrl: source.DATABASE_URL, dataDir: "" }, { orders: sold });
  const { call } = await openShop({ ...source, DEMO: "off" });
  const target = await expectBackupWhileBusy(source, call);

  const shop = await openShop({ ...target, DEMO: "off" });
  const [order] = (await shop.call(orders.list, { query: { status: "Active", limit: "1" } })).orders;
  await shop.call(orders.refund, { params: { id: order?._id ?? "" } });
  const { total } = await shop.call(orders.list, { query: { search: order?.user.username ?? "", status: "Refunded" } });
  expect(total).toBeGreaterThan(0);
  expect((await shop.call(dashboard.books)).balanced).toBe(true);
});

const restored = { code: 0, output: expect.stringMatching(/^Restored the backup of .*\nThe books balance\.$/) };

/**
 * Backs up and restores while somebody writes: everything answered before the backup began is there, and the books
 * balance.
 */
async function expectBackupWhileBusy(
  source: { DATA_DIR: string } | { DATABASE_URL: string },
  call: Awaited<ReturnType<typeof openShop>>["call"],
) {
  const { users: found } = await call(users.list, { query: { limit: "1" } });
  const { _id } = found[0] as { _id: string };
  let answered = 0;
  let stop = false;
  const writer = (async () => {
    while (!stop) {
      await call(users.addBalance, { params: { id: _id }, body: { balance: 0.01 } });
      answered++;
      // Without a pause it would leave the backup little of the processor.
      await wait(10);
    }
  })();
  await vi.waitFor(() => expect(answered).toBeGreaterThan(5), 20_000);
  const before = answered;
  const { code, output } = await backup(source, place("busy.gz"));
  const after = answered;
  stop = true;
  await writer;

  expect([code, output]).toEqual([0, expect.stringContaining("Backed up")]);
  expect(after).toBeGreaterThan(before);
  const target = await emptyPostgres();
  expect(await restore(target, place("busy.gz"))).toEqual(restored);
  const kept = await look(target, async ({ db }) => {
    const { rows } = await db.execute<{ count: number }>(
      sql`select count(*)::int as count from transfers where amount_cents = 1 and customer_id = ${_id}`,
    );
    return rows[0]?.count ?? 0;
  });
  expect(kept).toBeGreaterThanOrEqual(before);
  expect(kept).toBeLessThanOrEqual(answered);
  return target;
}

/** A server clears away what a killed backup leaves behind. */
async function expectForgottenCopyRemoved(dataDir: string) {
  const socket = connect(join(dataDir, "lock"));
  socket.write("copy\n");
  const { copy } = JSON.parse(await new Promise<string>((done) => socket.once("data", (data) => done(String(data)))));
  expect(existsSync(join(dataDir, copy, "PG_VERSION"))).toBe(true);
  socket.destroy();
  await vi.waitFor(() => expect(existsSync(join(dataDir, copy))).toBe(false), 60_000);
}

test("a database of a newer Footprint is left alone", async () => {
  const newer = await migratedPostgres();
  await look(newer, ({ db }) =>
    db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 9999999999999)`),
  );
  const words = "The database belongs to a newer Footprint: use that version of it, or a newer one.";
  expect(await ended(run(newer))).toEqual({ code: 1, output: words });
  expect(await backup(newer, place("newer.gz"))).toEqual({ code: 1, output: words });
  expect(await readdir(folder)).toEqual([]);
});

test("a file that is not a whole, unchanged backup is refused before anything is written", async () => {
  const old = await earlierPostgres();
  await backup(old, place("good.gz"));
  const good = await readFile(place("good.gz"));
  const text = gunzipSync(good).toString();
  const files: Record<string, Buffer | string> = {
    "cut short": good.subarray(0, good.length / 2),
    "without its end": good.subarray(0, good.length - 9),
    "one byte changed": Buffer.from(good.map((byte, index) => (index === 200 ? byte ^ 1 : byte))),
    "a balance changed": gzipSync(text.replace('"4294"', '"9294"')),
    "a row left out": gzipSync(text.replace(/^\[.*"Old Mary".*\n/m, "")),
    "without its proof": gzipSync(text.replace(/\{"sha256".*\n/, "")),
    "lines after its proof": gzipSync(`${text}[]\n`),
    "no JSON": gzipSync("hello\n"),
    "another program's": "hello",
    empty: "",
  };
  const refused = (name: string) =>
    `${place(name)} is not a complete backup, or was changed since: nothing was restored. Use another one.`;
  for (const [name, content] of Object.entries(files)) {
    await writeFile(place(name), content);
    await expect(checkBackup(place(name)), name).rejects.toThrow(refused(name));
  }
  await writeFile(place("newer"), sealed(text.replace("0009_whole_numbers", "9999_wonders")));
  await expect(checkBackup(place("newer"))).rejects.toThrow(
    `${place("newer")} was made by a newer Footprint (9999_wonders): restore it with that version, or a newer one.`,
  );
  await writeFile(place("older"), sealed(text.replace("0009_whole_numbers", "0008_beginnings")));
  await expect(checkBackup(place("older"))).rejects.toThrow(
    `${place("older")} was made by a Footprint that is too old (0008_beginnings): restore it with that version.`,
  );
  await writeFile(place("other"), sealed('{"greeting":"hello"}\n'));
  await expect(checkBackup(place("other"))).rejects.toThrow("is not a backup of Footprint: nothing was restored.");

  const target = { ...(await emptyPostgres()), ...inFolder("never") };
  expect(await restore(target, place("a row left out"))).toEqual({ code: 1, output: refused("a row left out") });
  expect(await restore(target, place("missing"))).toEqual({
    code: 1,
    output: `${place("missing")} cannot be read (ENOENT): name the file of a backup.`,
  });
  expect(await fingerprints(target)).toEqual({});

  const { DATA_DIR } = target;
  expect((await restore({ DATA_DIR }, place("cut short"))).code).toBe(1);
  expect(existsSync(DATA_DIR)).toBe(false);
});

/** The same file with another content and a valid proof. */
function sealed(text: string) {
  const content = text.replace(/\{"sha256".*\n/, "");
  return gzipSync(`${content}{"sha256":"${createHash("sha256").update(content).digest("hex")}"}\n`);
}

/** A backup with an additional row and a valid proof. */
function withRow(text: string, table: string, values: Record<string, string>) {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`{"table":"${table}",`));
  const { columns } = JSON.parse(lines[start] ?? "") as { columns: string[] };
  lines.splice(start + 1, 0, JSON.stringify(columns.map((name) => values[name] ?? null)));
  const end = lines.findIndex((line) => line.startsWith('{"rows":'));
  const { rows } = JSON.parse(lines[end] ?? "");
  lines[end] = JSON.stringify({ rows: { ...rows, [table]: rows[table] + 1 } });
  return lines.join("\n");
}

test("a restored file holds data only: nothing in it is run, and nobody is signed in by it", async () => {
  const source = await migratedPostgres();
  const accountId = randomUUID();
  await look(source, ({ db }) =>
    db.execute(
      sql`insert into accounts (id, username, password_hash, role) values (${accountId}, 'someone', 'x', 'staff')`,
    ),
  );
  await backup(source, place("good.gz"));
  const good = gunzipSync(await readFile(place("good.gz"))).toString();
  const counted = await look(source, ({ db }) => db.execute(sql`select * from counted order by subject`));

  const run = {
    subject: "burglary",
    table: "accounts",
    kind: "'x'",
    at: "created_at",
    cents: "lo_create(7400)::bigint",
  };
  const now = "2026-01-01 00:00:00+00";
  const burglary = withRow(withRow(good, "counted", run), "sessions", {
    token_hash: "known to the burglar",
    id: randomUUID(),
    account_id: accountId,
    device: "",
    address: "",
    created_at: now,
    last_used_at: now,
  });
  await writeFile(place("burglary.gz"), sealed(burglary));
  const target = await emptyPostgres();
  expect(await restore(target, place("burglary.gz"))).toEqual(restored);
  // A change of timezone recounts everything.
  await openShop({ ...target, DEMO: "off", BUSINESS_TIMEZONE: "Europe/Paris" }).then(({ child }) => child.kill());
  await look(target, async ({ db }) => {
    expect((await db.execute(sql`select * from counted order by subject`)).rows).toEqual(counted.rows);
    expect((await db.execute(sql`select oid from pg_largeobject_metadata`)).rows).toEqual([]);
    expect((await db.execute(sql`select from sessions where token_hash like 'known%'`)).rows).toEqual([]);
  });
});

test("no name is a command to the terminal, whether the books are checked or a backup is restored", async () => {
  const source = await migratedPostgres();
  await look(source, ({ db }) =>
    db.execute(sql`
      insert into customers (id, discord_id, username, balance_cents)
      values (${randomUUID()}, '4711', ${"\u001b]0;hello\u0007\u202e"}, 500)`),
  );
  const named = "\ufffd]0;hello\ufffd\ufffd has a balance of $5.00, but their transfers add up to $0.00";
  expect(await books(source)).toEqual({
    code: 1,
    output: `${named}\nThe books do not balance.\nNo log entry is chained yet.`,
  });
  await backup(source, place("wild.gz"));
  const { code, output } = await restore(await emptyPostgres(), place("wild.gz"));
  expect([code, output.split("\n")[0]]).toEqual([1, named]);
});

test("a file that is whole, but not what a backup looks like, is refused and leaves nothing", async () => {
  const source = await earlierPostgres();
  await backup(source, place("good.gz"));
  const good = gunzipSync(await readFile(place("good.gz"))).toString();
  const noBackup = "is not a backup of Footprint: nothing was restored.";
  const unfit = "The backup does not fit the tables of its version: nothing was restored.";
  const files: [string, string, string][] = [
    ["words for the terminal", good.replace(/"takenAt":"[^"]*"/, '"takenAt":"\\u001b]0;hello"'), noBackup],
    ["a level for the terminal", good.replace("0009_whole_numbers", "\\u001b]0;hello"), noBackup],
    ["a thousand sections", good.replace("\n", `\n${"{}\n".repeat(1000)}`), noBackup],
    ["a line that fills the memory", withRow(good, "logs", { action: "x".repeat(65_000_000) }), noBackup],
    [
      "another table",
      good.replace('{"table":"logs"', '{"table":"pg_authid"').replace('"logs":', '"pg_authid":'),
      unfit,
    ],
    ["SQL for a name", good.replace('"discord_id"', '"discord_id\\") select 1; drop table orders; --"'), unfit],
    [
      "a row that belongs to nobody",
      withRow(good, "transfers", {
        id: randomUUID(),
        customer_id: randomUUID(),
        kind: "adjustment",
        amount_cents: "1",
        balance_after_cents: "1",
        actor: "x",
        created_at: "2026-01-01 00:00:00+00",
      }),
      "holds a row that the database does not accept (23503): nothing was restored.",
    ],
  ];
  const target = await emptyPostgres();
  for (const [name, text, words] of files) {
    await writeFile(place(name), sealed(text));
    const filled = look(target, async ({ db }) => fillFrom(db, place(name), await checkBackup(place(name))));
    await expect(filled, name).rejects.toThrow(words);
    expect(await fingerprints(target), name).toEqual({});
  }
});

test("a backup replaces no file, and a restore no database", async () => {
  const source = await earlierPostgres();
  expect((await backup(source, place("good.gz"))).code).toBe(0);
  const good = await readFile(place("good.gz"));
  expect(await backup(source, place("good.gz"))).toEqual({
    code: 1,
    output: `${place("good.gz")} exists already: name another file.`,
  });
  expect(await readFile(place("good.gz"))).toEqual(good);

  const before = await fingerprints(source);
  expect(await restore(source, place("good.gz"))).toEqual({
    code: 1,
    output: "The database is not empty: create another one and set DATABASE_URL to it. Nothing was restored.",
  });
  expect(await fingerprints(source)).toEqual(before);

  await mkdir(join(place("full"), "postgres"), { recursive: true });
  expect(await restore(inFolder("full"), place("good.gz"))).toEqual({
    code: 1,
    output: `${join(place("full"), "postgres")} holds a database already: move it away, or set DATA_DIR to another folder. Nothing was restored.`,
  });
});

test("the commands say what they need", async () => {
  const nowhere = inFolder("nowhere");
  expect(await backup(nowhere, "a", "b")).toEqual({ code: 1, output: "Usage: npm run backup -- [--check] [FILE]" });
  expect(await restore(nowhere)).toEqual({ code: 1, output: "Usage: npm run restore -- FILE" });
  expect(await backup(nowhere, place("a.gz"))).toEqual({
    code: 1,
    output: `There is no database in ${nowhere.DATA_DIR}: set DATA_DIR to the folder of one.`,
  });
  expect(await backup(await emptyPostgres(), place("a.gz"))).toEqual({
    code: 1,
    output: "The database is empty: there is nothing to back up.",
  });
  expect(await readdir(folder)).toEqual([]);
});
