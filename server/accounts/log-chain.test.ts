import { dashboard } from "@footprint/contract/dashboard.ts";
import { logs as contract } from "@footprint/contract/logs.ts";
import { type SQL, sql } from "drizzle-orm";
import { expect, inject, test as onBothEngines, vi } from "vitest";
import type { Database } from "../db/database.ts";
import { openEngine } from "../db/engine.ts";
import { logChain, logs, settings } from "../db/schema.ts";
import { checkBooks } from "../money/books.ts";
import { call, db } from "../testing/server.ts";
import { chainLog, lateRows, linkHash, rowHash } from "./log-chain.ts";

/** For what both engines do alike. Whether they compute the same hashes is tested by log-chain.program.test.ts. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

/** Chains up to this moment, since nobody else is writing. */
const chain = (distance = "0 seconds", by = db) => chainLog(by, { distance });

const problems = async () => (await call("admin", dashboard.books)).body.problems;
const allProblems = async (...noted: { number: number; hash: string }[]) =>
  (await checkBooks(db, { wholeLog: true, noted })).problems;
const newest = async () => (await call("admin", contract.chain)).body;

/** Writes rows in the past, a second apart. */
async function write(amount: number, from = "2026-03-01T12:00:00Z") {
  await db.execute(sql`
    insert into logs (id, admin, actor_kind, type, action, before, after, created_at)
    select gen_random_uuid(), 'maren', 'account', 'user', 'Changed ' || n, '{"b": 1.50, "a": null}', jsonb_build_object('n', n),
      ${from}::timestamptz + n * interval '1 second' from generate_series(1, ${amount}::integer) as n`);
}

/** Three links, for rows 1 to 3, 4 to 6 and 7 to 9. Returns the rows' ids, oldest first. */
async function writeThreeLinks() {
  for (const minute of ["00", "01", "02"]) {
    await write(3, `2026-03-01T12:${minute}:00Z`);
    await chain();
  }
  return (await db.select({ id: logs.id }).from(logs).orderBy(logs.createdAt)).map(({ id }) => id);
}

/** Each row of the log is in exactly one link. */
async function expectAllChained() {
  const { rows } = await db.execute(sql`
    select logs.id, count(chained.id)::int as times from logs
    full join (select unnest(ids) as id from log_chain) chained on chained.id = logs.id
    group by logs.id having logs.id is null or count(chained.id) <> 1`);
  expect(rows).toEqual([]);
  expect(await allProblems()).toEqual([]);
}

onBothEngines("log entries from before there was a chain are chained, a thousand rows in a link", async () => {
  expect(await newest()).toEqual({ link: null, chained: 0, waiting: 0 });
  await write(2500);
  expect(await newest()).toEqual({ link: null, chained: 0, waiting: 2500 });
  expect(await problems()).toEqual([]);
  await chain();
  const links = await db.select().from(logChain).orderBy(logChain.number);
  expect(links.map(({ number, ids, total }) => [number, ids.length, total])).toEqual([
    [1, 1000, 1000],
    [2, 1000, 2000],
    [3, 500, 2500],
  ]);
  const hash = Buffer.from(links[2]?.hash ?? []).toString("hex");
  const link = { number: 3, hash, chainedAt: expect.any(String) };
  expect(await newest()).toEqual({ link, chained: 2500, waiting: 0 });
  await chain();
  expect(await newest()).toMatchObject({ link: { number: 3 } });
  await expectAllChained();
});

test("rows of this minute wait, since a transaction may still write beside them", async () => {
  await db.transaction((tx) => tx.insert(logs).values({ admin: "maren", type: "user", action: "Just now" }));
  await chainLog(db);
  // All links: an earlier test may have written its last row late.
  expect(await newest()).toMatchObject({ link: null, waiting: await db.$count(logs) });
});

onBothEngines("whatever many writers write while servers chain gets into the chain once", async () => {
  await onTwoServers(async (servers) => {
    let isEnough = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      while (!isEnough)
        await db
          .transaction(async (tx) => {
            const entry = { admin: "maren", type: "user" as const };
            await tx.insert(logs).values({ ...entry, action: `First of ${writer}` });
            await tx.insert(logs).values({ ...entry, action: `Second of ${writer}` });
            if (Math.random() < 0.1) tx.rollback();
          })
          .catch(ignoreRollback);
    });
    while (!isEnough) {
      await Promise.all(servers.map((server) => chain("1 second", server)));
      isEnough = (await db.$count(logChain)) >= 4;
    }
    await Promise.all(writers);
    await Promise.all(servers.map((server) => chain("0 seconds", server)));
    await chain();
  });
  await expectAllChained();
});

test("a row of a transaction that takes long is waited for", async () => {
  await onTwoServers(async ([, other = db]) => {
    await other.transaction(async (tx) => {
      await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
      await tx.insert(logs).values({ admin: "maren", type: "user", action: "Takes long" });
      await write(2);
      await db.insert(logs).values({ admin: "maren", type: "user", action: "Begun later" });
      await chain();
      expect(await newest()).toMatchObject({ chained: 2, waiting: 1 });
    });
    // Transactions of others are waited for too.
    await vi.waitFor(
      async () => {
        await chain();
        expect(await newest()).toMatchObject({ chained: 4, waiting: 0 });
      },
      { timeout: 120_000, interval: 100 },
    );
  });
  await expectAllChained();
});

onBothEngines("servers that chain at once make one chain", async () => {
  await write(3500);
  await onTwoServers(async (servers) => {
    await Promise.all([...servers, ...servers].map((server) => chain("0 seconds", server)));
  });
  await chain();
  expect(await db.$count(logChain)).toBe(4);
  await expectAllChained();
});

test("chaining that was cut off continues where it was", async () => {
  await write(2500);
  await db.execute(sql`alter table log_chain add constraint cut_off check (number < 3)`);
  try {
    await expect(chain()).rejects.toThrow();
    expect(await newest()).toMatchObject({ link: { number: 2 }, waiting: 500 });
  } finally {
    await db.execute(sql`alter table log_chain drop constraint cut_off`);
  }
  await chain();
  expect(await newest()).toMatchObject({ link: { number: 3 }, waiting: 0 });
  await expectAllChained();
});

const entry = (id: string | undefined, what: string, link: number) =>
  ({
    changed: `Log entry ${id} was changed after it had been chained (link ${link})`,
    missing: `Log entry ${id} is missing (link ${link} of its chain)`,
    added: `Log entry ${id} was added after its time had been chained (link ${link})`,
  })[what];
const added = "01900000-0000-7000-8000-000000000000";
const swapped = (column: string, a: string | undefined, b: string | undefined) =>
  sql.raw(`update logs set ${column} = (select other.${column} from logs other
    where other.id = case logs.id when '${a}' then '${b}'::uuid else '${a}'::uuid end) where id in ('${a}', '${b}')`);

/** A change to the rows, and what the books say about it; both get the rows' ids. */
type Tampering = [what: string, how: (ids: string[]) => SQL, said: (ids: string[]) => (string | undefined)[]];

const changes = [
  ...["admin = 'other'", "action = 'x'", "before = null", `after = '{"n": 4.0}'`, "actor_kind = null"],
  ...["type = 'staff'", "actor_id = id", "subject_kind = 'order', subject_id = id", "customer_id = id"],
];

test.for<Tampering>([
  [
    "each column that was changed",
    (ids) => {
      const rows = changes.map((change, place) => `update logs set ${change} where id = '${ids[place]}';`);
      return sql.raw(`do $$ begin ${rows.join(" ")} end $$`);
    },
    (ids) => ids.map((id, place) => entry(id, "changed", 1 + Math.floor(place / 3))),
  ],
  [
    "a row that was taken away",
    (ids) => sql`delete from logs where id = ${ids[4]}`,
    (ids) => [entry(ids[4], "missing", 2)],
  ],
  [
    "a row that was added",
    () => sql`insert into logs (id, admin, type, action, created_at)
      values (${added}, 'maren', 'user', 'Never happened', '2026-03-01T12:01:02.5Z')`,
    () => [entry(added, "added", 2)],
  ],
  [
    "a row that was added before all others",
    () => sql`insert into logs (id, admin, type, action, created_at)
      values (${added}, 'maren', 'user', 'Never happened', '2020-03-01T12:01:02.5Z')`,
    () => [entry(added, "added", 1)],
  ],
  [
    "a row at another time",
    (ids) => sql`update logs set created_at = '2026-03-01T12:00:01.5Z' where id = ${ids[4]}`,
    (ids) => [entry(ids[4], "changed", 2)],
  ],
  [
    "rows that were swapped",
    (ids) => swapped("action", ids[3], ids[5]),
    (ids) => [entry(ids[3], "changed", 2), entry(ids[5], "changed", 2)],
  ],
  [
    "the times of rows that were swapped",
    (ids) => swapped("created_at", ids[1], ids[4]),
    (ids) => [entry(ids[1], "changed", 1), entry(ids[4], "changed", 2)],
  ],
  [
    "a link that was changed",
    () => sql`update log_chain set chained_at = chained_at - interval '1 day' where number = 2`,
    () => ["Link 2 of the log's chain does not follow from the one before: it was rewritten"],
  ],
  [
    "a row that was changed in the link too",
    (ids) => sql`with changed as (delete from logs where id = ${ids[3]})
      update log_chain set ids = ids[2:], hashes = substring(hashes from 33), total = total - 1 where number = 2`,
    () => ["Link 2 of the log's chain does not follow from the one before: it was rewritten"],
  ],
  [
    "a link that was taken away",
    () => sql`delete from log_chain where number = 2`,
    () => ["Link 2 of the log's chain is missing"],
  ],
  [
    "links that were taken away at the end",
    () => sql`delete from log_chain where number > 1`,
    () => ["The log's chain was cut off after link 1: it went on to link 3"],
  ],
])("the books name %s", async ([, tampering, said]) => {
  const ids = await writeThreeLinks();
  expect(await problems()).toEqual([]);
  await db.execute(tampering(ids));
  expect(await allProblems()).toEqual(said(ids));
  // With so few links a partial check sees it as well, and keeps reporting it.
  expect(await problems()).toEqual(said(ids));
  await write(3, "2026-03-02T12:00:00Z");
  await chain();
  const later = said(ids).map((sentence) => sentence?.replace("cut off after link 1", "cut off after link 2"));
  expect(await problems()).toEqual(later);
});

test("a link that was made anew does not fit the one after it", async () => {
  const ids = await writeThreeLinks();
  const moved = (sign: "+" | "-") =>
    sql.raw(
      `update logs set created_at = created_at ${sign} interval '100 years' where id in ('${ids.slice(6).join("', '")}')`,
    );
  await db.execute(sql`create table kept_link as select * from log_chain where number = 3`);
  try {
    await db.execute(moved("+"));
    await db.execute(sql`delete from log_chain where number > 1`);
    await db.execute(sql`update logs set action = 'Nothing happened' where id = ${ids[4]}`);
    await chain();
    await db.execute(moved("-"));
    await db.execute(sql`insert into log_chain select * from kept_link`);
  } finally {
    await db.execute(sql`drop table kept_link`);
  }
  expect(await allProblems()).toEqual([
    "Link 3 of the log's chain does not follow from the one before: it was rewritten",
  ]);
});

test("a chain that was made anew from the middle on is unmasked by a link that was noted", async () => {
  const ids = await writeThreeLinks();
  const { link } = await newest();
  if (!link) throw new Error("there are three");
  await db.execute(sql`delete from log_chain where number > 1`);
  await db.execute(sql`update logs set action = 'Nothing happened' where id = ${ids[4]}`);
  await chain();
  await write(3, "2026-03-02T12:00:00Z");
  await chain();
  expect(await allProblems()).toEqual([]);
  expect(await allProblems(link)).toEqual(["The log's chain was rewritten: link 3 is not the one that it was"]);
  const further = { ...link, number: 4 };
  expect(await allProblems(further)).toEqual(["The log's chain was cut off after link 3: it went on to link 4"]);
});

test("an entry of the past that was added with a late link of its own is unmasked by a link that was noted", async () => {
  await writeThreeLinks();
  const { link: noted } = await newest();
  if (!noted) throw new Error("there are three");
  await db.execute(sql`insert into logs (id, admin, type, action, created_at)
    values (${added}, 'maren', 'user', 'Never happened', '2026-03-01T12:01:02.5Z')`);
  await db.execute(sql`
    insert into log_chain select link.*, ${linkHash(sql`(select hash from log_chain where number = 3)`)} from (
      select number + 1 as number, until_at, until_id, true as late, array[${added}::uuid] as ids,
        (select ${rowHash} from logs where id = ${added}) as hashes, total + 1 as total, now() as chained_at
      from log_chain where number = 3) link`);
  await write(3, "2026-03-02T12:00:00Z");
  await chain();
  // A clock that was set back looks the same.
  expect(await allProblems()).toEqual([]);
  expect(await lateRows(db)).toEqual({ rows: 1, links: [4] });
  const { link: since } = await newest();
  expect(await allProblems(since ?? noted)).toEqual([]);
  const said = (number: number) =>
    `Log entry ${added} came into the time before link ${number} after that was noted (late link 4): by hand, or while the clock was set back`;
  expect(await allProblems(noted)).toEqual([said(3)]);
  // A link does not vouch for the time after its own entries.
  const [first, second] = await db.select().from(logChain).orderBy(logChain.number).limit(2);
  const hex = (link = first) => ({ number: link?.number ?? 0, hash: Buffer.from(link?.hash ?? []).toString("hex") });
  expect(await allProblems(hex(first))).toEqual([]);
  expect(await allProblems(hex(second))).toEqual([said(2)]);
});

test("a broken link is checked again, and forgotten once it is repaired", async () => {
  const ids = await writeThreeLinks();
  await db.execute(sql`update logs set action = 'x' || action where id = ${ids[0]}`);
  const said = [entry(ids[0], "changed", 1)];
  expect(await problems()).toEqual(said);
  expect((await db.select().from(settings))[0]).toMatchObject({ chainNumber: 3, chainBroken: [1] });
  await db.execute(sql`update logs set action = substring(action from 2) where id = ${ids[0]}`);
  expect(await problems()).toEqual([]);
  expect((await db.select().from(settings))[0]).toMatchObject({ chainNumber: 3, chainBroken: [] });
});

test("rows that are written while the clock is behind the chain get into it too", async () => {
  await db
    .insert(logs)
    .values({ admin: "a", type: "user", action: "Tomorrow", createdAt: sql`now() + interval '20 hours'` });
  // The clock was a day ahead and has been corrected.
  await chain("-1 day");
  await db.insert(logs).values({ admin: "a", type: "user", action: "Today" });
  const late: object[] = [];
  await chainLog(db, { distance: "0 seconds", onLate: (link) => late.push(link) });
  await chain();
  expect(late).toEqual([{ number: 2, rows: 1, total: 2 }]);
  expect(await newest()).toMatchObject({ link: { number: 2 }, chained: 2, waiting: 0 });
  await expectAllChained();
  await db.insert(logs).values({ admin: "a", type: "user", action: "Just before it catches up" });
  await chain("-21 hours");
  await expectAllChained();
  await db.execute(sql`update logs set action = 'x' where action = 'Today'`);
  expect(await allProblems()).toEqual([expect.stringMatching(/^Log entry .* was changed .*\(link 2\)$/)]);
});

onBothEngines("hashes are the same in every timezone", async () => {
  await write(3);
  await chain();
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local timezone = 'Asia/Kathmandu'`);
    await tx.execute(sql`set local datestyle = 'German'`);
    expect((await checkBooks(tx as unknown as Database, { wholeLog: true })).problems).toEqual([]);
  });
});

/** On PostgreSQL on two servers with the same database; the embedded engine has only one. */
async function onTwoServers(work: (servers: Database[]) => Promise<void>) {
  const url = inject("postgresUrl");
  if (!url) return work([db, db]);
  const { rows } = await db.execute<{ name: string }>(sql`select current_database() as name`);
  const other = await openEngine({ databaseUrl: `${url}/${rows[0]?.name}`, dataDir: "" });
  try {
    await work([db, other.db]);
  } finally {
    await other.close();
  }
}

function ignoreRollback(error: unknown) {
  if (!(error instanceof Error) || error.message !== "Rollback") throw error;
}
