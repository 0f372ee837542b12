import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fedexStatuses } from "@footprint/contract/fedex.ts";
import { invoiceStatuses } from "@footprint/contract/invoices.ts";
import { trackingType } from "@footprint/contract/tracking.ts";
import { eq, sql } from "drizzle-orm";
import pg from "pg";
import { afterEach, expect, inject, test } from "vitest";
import { seed } from "../../bench/seed.ts";
import type { Database } from "../db/database.ts";
import { openEngine } from "../db/engine.ts";
import { uuidv7 } from "../db/ids.ts";
import * as schema from "../db/schema.ts";
import { countOf, countsByKind, type Subject } from "../lists/counters.ts";
import { checkBooks } from "../money/books.ts";
import { buy, lookAtOffers } from "../money/purchases.ts";
import { withCheckDigit } from "../money/tracking-codes.ts";
import { someAddresses } from "../testing/builders.ts";

const now = new Date("2026-03-01T12:00:00Z");

// For tests that do not depend on the engine: starting the command and opening folders takes long.
const onPostgres = test.runIf(inject("postgresUrl"));

onPostgres("the command says what it needs", async () => {
  const usage = "Usage: npm run seed -- --orders N";
  expect(await Promise.all([said([]), said(["--orders", "many"])])).toEqual([usage, usage]);
});

test("a seeded business is complete, its books balance, and trade goes on in it", async () => {
  // With so many orders there is one of every kind, which is the same on both engines.
  const isEveryKindThere = Boolean(inject("postgresUrl"));
  const orders = isEveryKindThere ? 2000 : 400;
  const empty = await emptyDatabase();
  const before = await inside(empty, definitions);
  await seed(empty, { orders, now });

  await inside(empty, async (db) => {
    expect(await definitions(db)).toEqual(before);
    expect(await checkBooks(db)).toMatchObject({ balanced: true, problems: [] });
    expect(await faults(db)).toEqual({});
    const codes = await db.select({ code: schema.trackingCodes.code }).from(schema.trackingCodes);
    expect(codes.filter(({ code }) => code !== withCheckDigit(code.slice(0, 21)))).toEqual([]);
    if (isEveryKindThere) await expectEveryKind(db);
    const { discordId, code } = await readyToBuy(db);
    const purchase = { ...someAddresses, ...someMore, labelType: "priority", weight: 1 };
    const shop = { id: null, username: "shop", shopId: uuidv7() };
    const wanted = { discordId, purchases: [purchase], asBulk: false };
    const [bought] = await db.transaction(async (tx) =>
      buy(tx, await lookAtOffers(tx, [wanted]), { ...shop, kind: "shop" }),
    );
    expect(bought).toMatchObject({ orders: [{ order: { tracking: code } }] });
    expect(await countOf(db, { subject: "orders" })).toBe(orders + 1);
    expect(await checkBooks(db)).toMatchObject({ balanced: true });
  });
}, 120_000);

async function expectEveryKind(db: Database) {
  expect(await kinds(db, "orders")).toEqual(["Active", "Refunded"]);
  expect(await kinds(db, "orders by label type")).toHaveLength(7);
  expect(await kinds(db, "customers")).toEqual(["new", "verified"]);
  expect(await kinds(db, "fedex orders")).toEqual([...fedexStatuses].sort());
  expect(await kinds(db, "invoices")).toEqual([...invoiceStatuses].sort());
  expect(await db.$count(schema.transfers, eq(schema.transfers.kind, "reversal"))).toBe(2);
  expect(await db.$count(schema.bulkOrders)).toBe(20);
  expect(await db.$count(schema.customPrices)).toBeGreaterThan(0);
}

onPostgres("the same number of orders at the same moment is the same business", async () => {
  const [one, other] = [await emptyDatabase(), await emptyDatabase()];
  for (const empty of [one, other]) await seed(empty, { orders: 300, now });
  expect(await inside(one, fingerprints)).toEqual(await inside(other, fingerprints));
});

onPostgres("a database that is not empty stays as it is", async () => {
  const target = await emptyDatabase();
  const before = await inside(target, async (db) => {
    await db.insert(schema.customers).values({ username: "maren", discordId: "4711" });
    return definitions(db);
  });
  const refused = "The database already holds customers; seed an empty one.";
  await expect(seed(target, { orders: 10 })).rejects.toThrow(refused);
  await inside(target, async (db) => {
    expect(await definitions(db)).toEqual(before);
    expect(await db.$count(schema.customers)).toBe(1);
    expect(await db.$count(schema.orders)).toBe(0);
  });
});

/** The command's output when it refuses. */
function said(args: string[]): Promise<string> {
  const program = new URL("../../bench/seed.ts", import.meta.url).pathname;
  const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS };
  return new Promise((done) =>
    execFile(process.execPath, [program, ...args], { env }, (error, _, words) =>
      done(error ? words.trim() : "no error"),
    ),
  );
}

type Target = Parameters<typeof seed>[0];
let cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const remove of cleanUp) await remove();
  cleanUp = [];
});

/** Another database on the tested engine. */
async function emptyDatabase(): Promise<Target> {
  const server = inject("postgresUrl");
  if (!server) {
    const dataDir = await mkdtemp(join(tmpdir(), "footprint-seed-"));
    cleanUp.push(() => rm(dataDir, { recursive: true }));
    await cp(inject("embeddedFolder") ?? "", join(dataDir, "postgres"), { recursive: true });
    return { databaseUrl: undefined, dataDir };
  }
  const name = `seed_${randomBytes(8).toString("hex")}`;
  const owner = new pg.Client(`${server}/postgres`);
  await owner.connect();
  await owner.query(`create database ${name} template template`);
  cleanUp.push(async () => {
    await owner.query(`drop database ${name}`);
    await owner.end();
  });
  return { databaseUrl: `${server}/${name}`, dataDir: "" };
}

async function inside<T>(target: Target, look: (db: Database) => Promise<T>): Promise<T> {
  const engine = await openEngine(target);
  try {
    return await look(engine.db);
  } finally {
    await engine.close();
  }
}

/** Everything besides the rows: indexes, constraints, triggers and whether they are enabled. */
async function definitions(db: Database) {
  const { rows } = await db.execute<{ definition: string }>(sql`
    select indexdef as definition from pg_indexes where schemaname = 'public'
    union all
    select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || ' ' || convalidated::text
    from pg_constraint where connamespace = 'public'::regnamespace
    union all
    select pg_get_triggerdef(oid) || ' ' || tgenabled::text from pg_trigger where not tgisinternal
    order by definition`);
  return rows.map(({ definition }) => definition);
}

/** Numbers of rows that a running business would not have. */
async function faults(db: Database) {
  const counts: Record<string, ReturnType<typeof sql>> = {
    "order at another price": sql`from orders join customers on customers.id = customer_id
      left join price_tiers list on list.label_type_id = orders.label_type_id
        and list.from_weight < weight and weight <= list.to_weight
      left join custom_prices own on own.customer_id = customers.id and own.label_type_id = orders.label_type_id
        and own.from_weight < weight and weight <= own.to_weight
      where orders.price_cents is distinct from coalesce(own.price_cents, list.price_cents)`,
    "order of who could not buy": sql`from orders join customers on customers.id = customer_id
      where not active or verified_at is null or verified_at > orders.created_at`,
    "order without its code": sql`from orders join label_types on label_types.id = label_type_id
      left join tracking_codes on code = tracking and type = uid and used_at = orders.created_at
      where (uid in (${sql.join(
        trackingType.options.map((type) => sql`${type}`),
        sql`, `,
      )})) <> (code is not null)`,
    "code without its order": sql`from tracking_codes left join orders on tracking = code
      where (used_at is null) <> (orders.id is null)`,
    "customer who is listed as another": sql`from customers where has_balance <> (balance_cents > 0)`,
    "bulk order of another size": sql`from (select count(*) as size from bulk_orders
      left join orders on bulk_order_id = bulk_orders.id group by bulk_orders.id) bulks where size not between 5 and 20`,
    "transfer from another balance": sql`from (select *, coalesce(lag(balance_after_cents) over (
        partition by customer_id order by created_at, id), 0) as balance_before_cents from transfers) moved
      where balance_before_cents + amount_cents <> balance_after_cents`,
    "transfer without its log row": sql`from transfers
      left join orders on orders.id = reference left join bulk_orders on bulk_orders.id = reference
      left join logs on logs.created_at = transfers.created_at and logs.admin = actor
        and (reference is null or position(coalesce(orders.uuid, bulk_orders.uuid, reference)::text in action) > 0)
        and (reason = '' or (position(reason in action) > 0 and after->>'reason' = reason))
        and (after->>'balance')::numeric = balance_after_cents / 100.0
      where logs.id is null`,
    "row of another moment": sql`from (
        select id, created_at from customers union all select id, created_at from orders
        union all select id, created_at from bulk_orders union all select id, created_at from fedex_orders
        union all select id, created_at from invoices union all select id, created_at from tracking_codes
        union all select id, created_at from transfers union all select id, created_at from logs) stored
      where created_at not between ${now}::timestamptz - interval '733 days' and ${now}::timestamptz
        or ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
          <> floor(extract(epoch from created_at) * 1000)`,
  };
  const found: Record<string, number> = {};
  for (const [name, from] of Object.entries(counts)) {
    const { rows } = await db.execute<{ count: number }>(sql`select count(*)::int as count ${from}`);
    if (rows[0]?.count !== 0) found[name] = rows[0]?.count ?? Number.NaN;
  }
  return found;
}

const kinds = async (db: Database, subject: Subject) => Object.keys(await countsByKind(db, subject)).sort();

const someMore = {
  fromCompany: "",
  fromStreet2: "",
  fromCountry: "United States",
  toCompany: "",
  toStreet2: "",
  toCountry: "United States",
};

/** A customer with money, and the code that the next Priority label gets. */
async function readyToBuy(db: Database) {
  const { rows } = await db.execute<{ discord_id: string; code: string }>(sql`
    select discord_id, (select code from tracking_codes where type = 'priority' and used_at is null
                        order by created_at, code limit 1) as code
    from customers order by balance_cents desc limit 1`);
  return { discordId: rows[0]?.discord_id ?? "", code: rows[0]?.code };
}

/** One fingerprint per table. */
async function fingerprints(db: Database) {
  const { rows } = await db.execute(sql`
    select (select md5(string_agg(orders::text, '' order by id)) from orders) as orders,
      (select md5(string_agg(transfers::text, '' order by id)) from transfers) as transfers,
      (select md5(string_agg(tracking_codes::text, '' order by id)) from tracking_codes) as codes,
      (select md5(string_agg(logs::text, '' order by id)) from logs) as logs`);
  return rows[0];
}
