import dns from "node:dns";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { pathOf } from "@footprint/contract/endpoint.ts";
import { events } from "@footprint/contract/events.ts";
import { session } from "@footprint/contract/session.ts";
import { users } from "@footprint/contract/users.ts";
import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { hashPassword } from "../accounts/passwords.ts";
import { openSession } from "../accounts/sessions.ts";
import { buildApp } from "../app.ts";
import { readConfig, timeouts } from "../config.ts";
import type { Database } from "../db/database.ts";
import { openEngine } from "../db/engine.ts";
import { accounts, customers } from "../db/schema.ts";
import { readEvents } from "../testing/follower.ts";
import { startPair } from "../testing/pair.ts";
import { folder, run } from "../testing/program.ts";
import { wireTo } from "../testing/wire.ts";

let pair: Awaited<ReturnType<typeof startPair>>;
let closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair.end());
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.reverse()) await close();
  closing = [];
});

const away = { status: 503, retryAfter: "5" };
const well = { status: 200, retryAfter: null };
const urlOf = (...ports: number[]) =>
  `postgres://postgres:postgres@${ports.map((port) => `localhost:${port}`)}/postgres?target_session_attrs=read-write`;

/** A server whose database is behind an address that can move, with a signed-in account and a customer. */
async function openShop(patience: Partial<typeof timeouts> = {}) {
  const wire = await wireTo(pair.primary.port);
  closing.push(wire.end);
  return { wire, ...(await openShopAt(urlOf(wire.port), patience)) };
}

async function openShopAt(databaseUrl: string, patience: Partial<typeof timeouts> = {}) {
  const limits = { ...timeouts, ...patience };
  const engine = await openEngine({ databaseUrl, dataDir: "", timeouts: limits });
  closing.push(engine.close);
  const config = { ...readConfig({ LOG_LEVEL: "silent" }), timeouts: limits };
  const app = await buildApp({ db: engine.db, config, now: () => new Date() });
  closing.push(() => app.close());
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  return { db: engine.db, origin, ...(await callsTo(origin, engine.db)) };
}

const patience = { timeout: 240_000, interval: 20 };

/** Asked again without a pause, servers would leave the databases little of the processor. */
const until = (ask: () => Promise<{ status: number }>, status = 200) =>
  vi.waitFor(async () => expect((await ask()).status).toBe(status), patience);

let shops = 0;

async function callsTo(origin: string, db: Database) {
  const name = `shop-${++shops}`;
  const [account] = await db
    .insert(accounts)
    .values({ username: name, role: "admin", passwordHash: await hashPassword("correct horse") })
    .returning();
  const [customer] = await db.insert(customers).values({ username: name, discordId: name }).returning();
  if (!account || !customer) throw new Error("not inserted");
  const authorization = `Bearer ${await openSession(db, account.id)}`;
  const ask = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(origin + path, {
      method,
      headers: { authorization, ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    await answer.text();
    return { status: answer.status, retryAfter: answer.headers.get("retry-after") };
  };
  return {
    customer,
    ready: () => ask("GET", "/readyz"),
    read: () => ask("GET", users.list.path),
    async follow() {
      const follower = readEvents(await fetch(origin + events.stream.path, { headers: { authorization } }));
      closing.push(follower.leave);
      return follower;
    },
    signIn: () => ask("POST", session.login.path, { username: name, password: "correct horse" }),
    addOne: (key: string) =>
      ask(
        users.addBalance.method,
        pathOf(users.addBalance, { id: customer.id }),
        { balance: 1 },
        { "idempotency-key": key },
      ),
  };
}

test("an address that leads to the standby is answered 503, and leaves nothing of it behind", async () => {
  const { wire, ready, read, signIn, addOne } = await openShop();
  expect(await Promise.all([ready(), read(), signIn(), addOne("before")])).toEqual(Array(4).fill(well));
  wire.lead(pair.standby);
  wire.tear();
  for (const call of [ready, read, signIn, () => addOne("meanwhile")]) expect(await call()).toEqual(away);
  wire.lead(pair.primary);
  expect(await Promise.all([ready(), read(), signIn(), addOne("after")])).toEqual(Array(4).fill(well));
});

test("connections that turn read-only in the middle of the day leave the pool", async () => {
  const { ready, read, signIn, addOne } = await openShop();
  // As many open connections as calls.
  expect(await Promise.all([read(), read(), read(), read(), read()])).toEqual(Array(5).fill(well));
  await pair.primary.query("alter system set default_transaction_read_only = on");
  await pair.primary.query("select pg_reload_conf()");
  try {
    await until(ready, 503);
    expect(await ready()).toEqual(away);
    // Reads would still succeed on an open connection, but none is left.
    for (const call of [signIn, () => addOne("read-only"), read]) expect(await call()).toEqual(away);
  } finally {
    await pair.primary.query("alter system reset default_transaction_read_only");
    await pair.primary.query("select pg_reload_conf()");
  }
  await until(ready);
  expect(await addOne("read-only")).toEqual(well);
});

test("a frozen database is answered 503: at once by the health check, and by calls when their time is over", async () => {
  expect(timeouts).toMatchObject({ ready: 2_000, statement: 5_000, connect: 5_000 });
  const { ready } = await openShop({ ready: 100, statement: 600_000, connect: 600_000 });
  const { read, addOne } = await openShop({ statement: 2_000, connect: 2_000 });
  expect(await addOne("before")).toEqual(well);
  const thaw = await pair.primary.freeze();
  try {
    expect(await Promise.all([ready(), read(), addOne("frozen")])).toEqual([away, away, away]);
  } finally {
    thaw();
  }
  await until(() => addOne("frozen"));
  await until(ready);
});

test("a database whose name or route is lost is answered 503, until it is found again", async () => {
  const { wire, read, addOne } = await openShop();
  const codes = ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH", "ENETDOWN"];
  for (const code of [...codes, "ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "EPIPE", "EADDRNOTAVAIL"]) {
    const failure = Object.assign(new Error(`getaddrinfo ${code} localhost`), { code, syscall: "getaddrinfo" });
    // biome-ignore lint/suspicious/noExplicitAny: the function has a dozen forms
    const lookup = vi.spyOn(dns, "lookup").mockImplementation(((...args: any[]) => args.at(-1)(failure)) as any);
    wire.tear();
    const answers = async () => {
      const given = await Promise.all([read(), addOne(code)]);
      return given.every(({ status }) => status === 503) || given;
    };
    expect.soft(await answers(), code).toBe(true);
    lookup.mockRestore();
  }
  expect(await addOne("after")).toEqual(well);
});

test("a statement that fails is logged with its code", async () => {
  const wire = await wireTo(pair.primary.port);
  closing.push(wire.end);
  const { origin, output } = await run({ DATABASE_URL: urlOf(wire.port), LOG_LEVEL: "error" });
  wire.lead(pair.standby);
  wire.tear();
  expect((await fetch(`${origin()}/readyz`)).status).toBe(503);
  await vi.waitFor(() => expect(output()).toContain('"code":"25006"'), 60_000);
  wire.lead({ port: 1 });
  expect((await fetch(`${origin()}/readyz`)).status).toBe(503);
  await vi.waitFor(() => expect(output()).toMatch(/"code":"(ECONN[A-Z]+|Connection terminated[a-z ]*)"/), 60_000);
});

test("a standby can be backed up, and is waited for by a server that starts", async () => {
  const env = { DATABASE_URL: urlOf(pair.standby.port) };
  const backup = await run(env, "operations/backup/backup.ts", [`${folder}/of-the-standby.gz`]);
  expect([await backup.exit, backup.output()]).toEqual([0, expect.stringMatching(/^Backed up/)]);
  const wire = await wireTo(pair.standby.port);
  closing.push(wire.end);
  const said = "Only a standby of PostgreSQL answers: waiting for one that takes changes …";
  const waiting = run({ DATABASE_URL: urlOf(wire.port) }, "main.ts", [], (output) => {
    if (output.includes(said)) wire.lead(pair.primary);
  });
  expect((await waiting).output()).toMatch(new RegExp(`^${said}\\n(.*\\n)*Footprint is ready at`));
  // A command at the terminal does not wait for it.
  const reset = await run(env, "operations/admin.ts", ["reset-password", "nobody"]);
  expect([await reset.exit, reset.output()]).toEqual([
    1,
    "PostgreSQL cannot be used (it takes no changes: it is a standby, or read-only): check that it runs, and DATABASE_URL.",
  ]);
});

test("of several hosts the one that takes changes is used, whatever their order and however many are gone", async () => {
  const { primary, standby } = pair;
  for (const ports of [
    [standby.port, primary.port],
    [1, primary.port],
    [1, standby.port, 2, primary.port],
  ]) {
    const { ready, read, addOne } = await openShopAt(urlOf(...ports));
    expect(await Promise.all([ready(), read(), addOne("one"), addOne("two")])).toEqual(Array(4).fill(well));
  }
  for (const ports of [
    [standby.port, 1],
    [1, standby.port],
  ])
    await expect(openShopAt(urlOf(...ports))).rejects.toThrow("it is a standby");
  await expect(openShopAt(urlOf(1, 2))).rejects.toThrow("ECONNREFUSED");
});

test("a host that never answers is waited for once, whoever looks for the database after that", async () => {
  let asked = 0;
  const silent = createServer(() => asked++).listen(0, "localhost");
  await once(silent, "listening");
  closing.push(async () => silent.close());
  const { port } = silent.address() as AddressInfo;
  const { ready, read, addOne, follow } = await openShopAt(urlOf(port, pair.primary.port), { connect: 2_000 });
  expect(await Promise.all([ready(), read(), addOne("one")])).toEqual(Array(3).fill(well));
  await follow();
  expect(asked).toBe(1);
});

test("panels on two servers hear of every change, also after the database was stopped and started", async () => {
  const [here, there] = [await openShop(), await openShop()];
  const followers = [await here.follow(), await there.follow()];
  const listeners = async () => {
    const [found] = await pair.primary.query(
      "select count(*)::int from pg_stat_activity where application_name = 'footprint events'",
    );
    return found?.count as number;
  };
  const untilBothListen = () => vi.waitFor(async () => expect(await listeners()).toBeGreaterThan(1), patience);
  const expectHeard = async (shop: typeof here, key: string) => {
    expect(await shop.addOne(key)).toEqual(well);
    for (const follower of followers)
      await follower.until(({ data }) =>
        Boolean(data.everything || [data.customers].flat().includes(shop.customer.id)),
      );
  };
  await untilBothListen();
  await expectHeard(here, "here");
  await expectHeard(there, "there");
  await pair.primary.server.stop();
  expect(await here.addOne("stopped")).toEqual(away);
  await pair.primary.start();
  for (const { ready } of [here, there]) await until(ready);
  // At once, since the servers may not hear each other yet.
  await expectHeard(here, "back-here");
  await expectHeard(there, "back-there");
  await untilBothListen();
});

// The last test of this file, since the primary does not come back.
test("in a switchover every call is answered 200 or 503, and each change that was asked for is made once", async () => {
  const behindBalancer = await openShop();
  const { wire } = behindBalancer;
  const severalHosts = urlOf(pair.primary.port, pair.standby.port);
  const shops = [behindBalancer, await openShopAt(severalHosts)];
  const answers: number[] = [];
  const asked = shops.map((): string[] => []);
  let isOver = false;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    const place = writer % shops.length;
    const { addOne, read } = shops[place] as (typeof shops)[number];
    for (let turn = 0; !isOver; turn++) {
      const key = `${writer}-${turn}`;
      asked[place]?.push(key);
      for (const call of [addOne(key), read()]) answers.push((await call).status);
      // Refused at once, they would leave the databases little of the processor.
      if (answers.at(-1) === 503) await wait(10);
    }
  });
  const seen = (status: number) => answers.filter((each) => each === status).length;
  const untilSeen = (status: number, times: number) =>
    vi.waitFor(() => expect(seen(status)).toBeGreaterThan(times), patience);
  await untilSeen(200, 20);
  // Like a load balancer that has not noticed yet, it leads to a server that is still a standby.
  wire.lead(pair.standby);
  await pair.primary.server.stop();
  await untilSeen(503, 20);
  // When this server starts, one of the two hosts is gone and the other is a standby.
  const late = run({ DATABASE_URL: severalHosts });
  await pair.standby.query("select pg_promote()");
  for (const { ready } of shops) await until(ready);
  expect((await late).output()).toContain("Footprint is ready at");
  const before = seen(200);
  await untilSeen(200, before + 20);
  isOver = true;
  await Promise.all(writers);
  expect(new Set(answers)).toEqual(new Set([200, 503]));

  for (const [place, { addOne, customer, db }] of shops.entries()) {
    for (const key of asked[place] ?? []) expect(await addOne(key)).toEqual(well);
    const [after] = await db.select().from(customers).where(eq(customers.id, customer.id));
    expect(after?.balanceCents).toBe((asked[place]?.length ?? 0) * 100);
    const { rows } = await db.execute(sql`select pg_is_in_recovery() as "isStandby"`);
    expect(rows).toEqual([{ isStandby: false }]);
  }
});
