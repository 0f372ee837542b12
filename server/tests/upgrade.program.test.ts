import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { orders } from "@footprint/contract/orders.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { sql } from "drizzle-orm";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { connectEmbedded } from "../db/engine.ts";
import { migrate } from "../db/migrations.ts";
import { earlierBackup, earlierFolder, earlierPostgres } from "../testing/earlier/earlier.ts";
import { freePort } from "../testing/postgres-server.ts";
import { emptyPostgres, ended, folder, look, migratedPostgres, openShop, run } from "../testing/program.ts";

type Place = Parameters<typeof look>[0];

/** The structure of all tables, as text. */
async function structureOf(place: Place): Promise<string[]> {
  return look(place, async ({ db }) => {
    const { rows } = await db.execute<{ part: string }>(sql`
      with own as (select oid from pg_class where relnamespace = 'public'::regnamespace)
      select format('column %s.%s %s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull,
          attgenerated, pg_get_expr(adbin, adrelid)) as part
        from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attrelid in (table own) and attnum > 0 and not attisdropped
      union all select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
        from pg_constraint where conrelid in (table own)
      union all select format('index %s %s', pg_get_indexdef(indexrelid), indisvalid) from pg_index where indrelid in (table own)
      union all select format('trigger %s', pg_get_triggerdef(oid))
        from pg_trigger where tgrelid in (table own) and not tgisinternal
      union all select format('function %s', pg_get_functiondef(oid)) from pg_proc
        where pronamespace = 'public'::regnamespace and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
      union all select format('counted %s', counted) from counted
      order by 1`);
    return rows.map(({ part }) => part);
  });
}

/** The values of every table, in the columns of the earlier version. */
async function valuesOf(place: Place) {
  const header = gunzipSync(await readFile(earlierBackup))
    .toString()
    .matchAll(/^\{"table":"(\w+)","columns":(.*)\}$/gm);
  const tables = [...header].filter(([, name]) => !["sessions", "sign_in_tries"].includes(name ?? ""));
  return look(place, async ({ db }) => {
    const values: Record<string, unknown> = {};
    for (const [, name = "", list = ""] of tables) {
      const columns = (JSON.parse(list) as string[]).filter((column) => !/search$/.test(column));
      const { rows } = await db.execute(
        sql`select ${sql.raw(columns.map((column) => `"${column}"`).join(", "))} from ${sql.identifier(name)} order by 1, 2`,
      );
      values[name] = rows;
    }
    return values;
  });
}

/** Checks what an owner would check: nothing is lost, and everything works. Returns the program's output on the way. */
async function expectWhole(place: Place, before: Record<string, unknown>) {
  const { call, child, exit, output } = await openShop({ ...place, DEMO: "off" });
  expect((await call(dashboard.books)).problems).toEqual([]);
  expect((await call(orders.list, { query: { search: "old mary" } })).total).toBe(4);
  expect((await call(orders.list, { query: { status: "Refunded" } })).total).toBe(1);
  const customers = before.customers as { balance_cents: unknown }[];
  const withBalance = customers.filter((row) => Number(row.balance_cents) > 0).length;
  expect((await call(users.list, { query: { withBalance: "true" } })).total).toBe(withBalance);
  expect((await call(users.list, { query: { withBalance: "false" } })).total).toBe(customers.length - withBalance);
  child.kill("SIGTERM");
  await exit;
  const after = await valuesOf(place);
  // Sign-ins are logged and counted; what is counted is up to the migrations.
  for (const changed of ["logs", "counters", "settled_months", "counted"]) after[changed] = before[changed];
  expect(after).toEqual(before);
  return output();
}

test("a database of an earlier version is brought up to date on PostgreSQL, says so, and loses nothing", async () => {
  // Disabled new customers are counted differently since.
  const earlier = await earlierPostgres("update customers set active = false where username = 'newcomer'");
  const before = await valuesOf(earlier);
  expect(Object.values(before).flat().length).toBeGreaterThan(60);
  const output = await expectWhole(earlier, before);
  expect(output).toMatch(/^Upgrading the database: 0010_search\n(.+\n)*.*0013_indexes: 2 of 13\n/);
  expect(await structureOf(earlier)).toEqual(await structureOf(await migratedPostgres()));
});

test("a backup of an earlier version is restored as it was, then brought up to date", async () => {
  const before = await valuesOf(await earlierPostgres());
  const target = await emptyPostgres();
  expect(await ended(run(target, "operations/backup/restore.ts", [earlierBackup]))).toMatchObject({ code: 0 });
  await expectWhole(target, before);
  expect(await structureOf(target)).toEqual(await structureOf(await migratedPostgres()));
});

// Longer than others, since it starts an embedded engine eight times.
test("a folder of an earlier version is copied before it is upgraded, and stays as it was where that fails", {
  timeout: 300_000,
}, async () => {
  const here = { DATA_DIR: folder };
  const copy = join(folder, "postgres-before-0010");
  const inTheWay = "function search_keys(names text, codes text)";
  await earlierFolder(folder, `create ${inTheWay} returns tsvector language sql return null;`);
  const before = await valuesOf(here);
  const failed = await ended(run({}));
  expect(failed).toEqual({
    code: 1,
    output: expect.stringContaining("already exists with same argument types) and is as it was"),
  });
  expect(failed.output).toContain(`put ${copy} in the place of ${join(folder, "postgres")}`);
  expect(await valuesOf(here)).toEqual(before);

  await look(here, ({ db }) => db.execute(sql.raw(`drop ${inTheWay}`)));
  for (const name of ["postgres-before-0001", "postgres-before-0002"]) await mkdir(join(folder, name));
  const output = await expectWhole(here, before);
  expect(output).toContain(`Upgrading the database; as it was, it is kept in ${copy}`);
  expect(output).toContain("Upgrading the database: 0013_indexes");
  expect((await readdir(folder)).sort()).toEqual(["postgres", "postgres-before-0002", "postgres-before-0010"]);

  // The earlier version would continue with the copy.
  const kept = await connectEmbedded({ dataDir: copy });
  const { rows } = await kept.db.execute(sql`
    select (select count(*)::int from orders) as orders, (select count(*)::int from drizzle.__drizzle_migrations) as steps`);
  await kept.close();
  expect(rows).toEqual([{ orders: 4, steps: 10 }]);
});

test.for([
  ["one key", "", true],
  [
    "several keys",
    "insert into api_keys (id, name, start, key_hash) values (gen_random_uuid(), 'Corner shop', 'fp_', 'x')",
    false,
  ],
] as const)("keys of an earlier database with %s go on seeing everything", async ([, further, isOwned]) => {
  const earlier = await earlierPostgres(further);
  const read = async (query: string) => (await look(earlier, ({ db }) => db.execute(sql.raw(query)))).rows;
  const { call } = await openShop({ ...earlier, DEMO: "off" });
  const { keys } = await call(website.listApiKeys);
  expect(keys).toHaveLength(isOwned ? 1 : 2);
  // An answer that was stored under the key's id is now stored under its shop's.
  for (const key of keys) expect(key).toMatchObject({ isBounded: false, shop: { name: "Corner shop", _id: key._id } });
  // Only with a single key is it known whose everything is; later things belong to nobody by default.
  const owner = isOwned ? keys[0]?._id : null;
  for (const table of ["customers", "orders"])
    expect(await read(`select distinct shop_id from ${table}`)).toEqual([{ shop_id: owner }]);
  await read("insert into customers (id, username, discord_id) values (gen_random_uuid(), 'Later', '2')");
  expect(await read("select shop_id from customers where discord_id = '2'")).toEqual([{ shop_id: null }]);
});

test("codes that were registered before batches were kept have the one that the log tells of, and label types their codes", async () => {
  const env = await emptyPostgres();
  const batch = "0198a1b2-0000-7000-8000-000000000001";
  await look(env, ({ db }) => db.transaction((tx) => migrate(tx, "0025_log_chain")));
  const run = async (query: string) => (await look(env, ({ db }) => db.execute(sql.raw(query)))).rows;
  for (const [uid, kind] of [
    ["Ground_OZ", "usps"],
    ["other", "usps"],
    ["express", "shipv2"],
  ])
    await run(`insert into label_types (id, name, uid, max_weight, kind)
      values (gen_random_uuid(), '${uid}', '${uid}', 10, '${kind}')`);
  await run(`insert into tracking_codes (id, code, type, template, used_at, batch_id, created_at) values
    (gen_random_uuid(), '9001', 'priority', 'evs', null, null, '2026-01-01Z'),
    (gen_random_uuid(), '9002', 'priority', 'evs', '2026-02-03Z', '${batch}', '2026-02-01Z'),
    (gen_random_uuid(), '9003', 'priority', 'evs', null, '${batch}', '2026-02-01Z')`);
  await run(`insert into logs (id, admin, actor_kind, type, action, after, subject_kind, subject_id) values
    (gen_random_uuid(), 'maren', 'account', 'tracking', 'Registered 5 priority codes',
      '{"amount": 5, "first": "9001", "last": "9005"}', 'tracking codes', '${batch}')`);
  await look(env, ({ db }) => db.transaction((tx) => migrate(tx)));
  expect(await run("select id, first, last, amount, actor, note from code_batches")).toEqual([
    { id: batch, first: "9001", last: "9005", amount: 5, actor: "maren", note: "" },
  ]);
  expect(await run("select uid, codes from label_types order by lower(uid)")).toEqual([
    { uid: "express", codes: null },
    { uid: "Ground_OZ", codes: "ground_oz" },
    { uid: "other", codes: null },
  ]);
  // The counters equal the rows, compared as the books do.
  const counted = (from: string) => `select subject, kind, day::text, sum(count)::int as count from ${from}
    where subject like '%code%' group by 1, 2, 3 order by 1, 2, 3`;
  const counts = await run(counted("actual_counters()"));
  expect(counts.length).toBe(7);
  expect(await run(counted("counters"))).toEqual(counts);
});

test("a database from before the earliest that can be upgraded is left alone", async () => {
  const older = await earlierPostgres("delete from drizzle.__drizzle_migrations where id > 5");
  expect(await ended(run(older))).toEqual({
    code: 1,
    output: "The database belongs to a Footprint that is too old to upgrade from: use that version of it.",
  });
});

test("an upgrade waits for who reads a table without holding others up, and a server starts on tables that were only added to", async () => {
  const env = await emptyPostgres();
  await look(env, ({ db }) => db.transaction((tx) => migrate(tx, "0035_webhooks")));
  const [reader, caller] = [new pg.Client(env.DATABASE_URL), new pg.Client(env.DATABASE_URL)];
  await Promise.all([reader.connect(), caller.connect()]);
  try {
    // Like a backup, which reads for minutes.
    await reader.query("begin; select from accounts");
    let said = "";
    const upgrading = run(env, "main.ts", [], (output) => {
      said = output;
    });
    const waiting = "0036_notices: waiting for whoever uses its tables";
    await vi.waitFor(() => expect(said).toContain(waiting), { timeout: 60_000 });
    await caller.query("set statement_timeout = '5s'");
    await caller.query("select from accounts");
    await reader.query("commit");
    expect((await upgrading).output()).toContain("is ready at");

    const step = (hash: string, at: number) =>
      caller.query(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('${hash}', ${at})`);
    await step("9998_more expand", 9e15);
    expect((await run(env)).output()).toContain("is ready at");
    await step("9999_less contract", 9e15 + 1);
    expect(await ended(run(env))).toEqual({ code: 1, output: expect.stringContaining("belongs to a newer Footprint") });
  } finally {
    await Promise.all([reader.end(), caller.end()]);
  }
});

test("indexes are built while others write, and an upgrade that was cut off goes on at the next start", async () => {
  const env = await emptyPostgres();
  await look(env, ({ db }) => db.transaction((tx) => migrate(tx, "0012_shops")));
  const [holder, writer] = [new pg.Client(env.DATABASE_URL), new pg.Client(env.DATABASE_URL)];
  await Promise.all([holder.connect(), writer.connect()]);
  const write = "insert into logs (id, admin, type, action) values (gen_random_uuid(), 'a', 'user', 'b')";
  const waiting = () =>
    vi.waitFor(
      async () => {
        const { rows } = await writer.query(`select pid from pg_stat_activity
          where datname = current_database() and query like '%INDEX CONCURRENTLY%logs_search%' and wait_event_type = 'Lock'`);
        expect(rows).toHaveLength(1);
        return rows[0].pid as number;
      },
      { timeout: 60_000 },
    );
  try {
    // A slow change: building an index of the table waits for it.
    await holder.query(`begin; ${write}`);
    const firstPort = String(await freePort());
    const cutOff = run({ ...env, PORT: firstPort });
    const pid = await waiting();
    // It reports its progress before it can answer anything else.
    const ask = async (path: string, port = firstPort) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return [answer.status, await answer.json()];
    };
    const message = expect.stringMatching(/^This server is starting. Upgrading .*: 0013_indexes: \d+ of \d+$/);
    const index = { index: "logs_search", table: "logs", phase: "waiting for writers before build" };
    const progress = { ...index, unit: "transactions", done: 0, total: 1 };
    expect(await ask("/readyz")).toEqual([503, { message, indexes: [progress] }]);
    expect(await ask("/healthz")).toEqual([200, { status: "alive" }]);
    expect(await ask(orders.list.path)).toEqual([503, { message }]);
    // Writers to the table do not wait meanwhile.
    await writer.query("set lock_timeout = '10s'");
    await writer.query(write);
    await writer.query(`select pg_terminate_backend(${pid})`);
    expect((await ended(cutOff)).code).toBe(1);
    const { rows } = await writer.query("select indisvalid from pg_index where indexrelid = 'logs_search'::regclass");
    expect(rows).toEqual([{ indisvalid: false }]);

    const again = run(env);
    await waiting();
    // A second server that starts meanwhile is in nobody's way.
    const port = String(await freePort());
    const another = run({ ...env, PORT: port });
    await vi.waitFor(async () => {
      const { rows } = await writer.query(
        "select from pg_stat_activity where query like '%advisory_lock%' and pid <> pg_backend_pid()",
      );
      expect(rows.length).toBeGreaterThan(0);
    }, 60_000);
    const waits = "This server is starting. Waiting for another server, which upgrades the database";
    expect(await ask("/readyz", port)).toEqual([503, { message: waits, indexes: [] }]);
    await holder.query("commit");
    for (const server of [again, another]) expect((await server).output()).toContain("is ready at");
    expect(await ask("/readyz", port)).toEqual([200, { status: "ready" }]);
  } finally {
    await Promise.all([holder.end(), writer.end()]);
  }
  expect(await structureOf(env)).toEqual(await structureOf(await migratedPostgres()));
});
