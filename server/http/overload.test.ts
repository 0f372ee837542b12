import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { pathOf } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { orders } from "@footprint/contract/orders.ts";
import { search as everything } from "@footprint/contract/search.ts";
import { session } from "@footprint/contract/session.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { sql } from "drizzle-orm";
import type { FastifyInstance } from "fastify";
import { afterEach, expect, inject, test, vi } from "vitest";
import { buildApp } from "../app.ts";
import { readConfig, timeouts } from "../config.ts";
import { openEngine, withoutTimeLimit } from "../db/engine.ts";
import { addCustomer, addFedexOrder, addLabelType, balanceOf } from "../testing/builders.ts";
import { formWith, pdf } from "../testing/multipart.ts";
import { untilTheyWait, waitingForLocks } from "../testing/races.ts";
import { addAccount, call, db, tokenOf } from "../testing/server.ts";
import { once as onceEach, openShop, parcel } from "../testing/transfers.ts";
import { wireTo } from "../testing/wire.ts";

const isEmbedded = Boolean(inject("embeddedDump"));
/** Connections are handled the same on both engines. */
const onOneEngine = test.skipIf(isEmbedded);
const metricsKey = "a-key-that-only-this-test-knows";
let closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

/** Another server, on the tests' database or a given one. */
async function serve(other: { db?: typeof db; patience?: Partial<typeof timeouts> } = {}) {
  const config = { ...readConfig({ LOG_LEVEL: "silent" }), metricsKey, timeouts: { ...timeouts, ...other.patience } };
  const app = await buildApp({ db: other.db ?? db, config, now: () => new Date() });
  closing.push(() => app.close());
  return { app, origin: await app.listen({ port: 0, host: "127.0.0.1" }) };
}

/** Blocks a table until the work is done. The result is wrapped, since it may only end afterwards. */
async function whileHeld<T>(table: string, work: () => Promise<T>): Promise<T> {
  const { result } = await db.transaction(async (tx) => {
    await tx.execute(sql.raw(`lock table ${table}`));
    return { result: await work() };
  });
  return result;
}

/** Starts many calls at once, and waits until so many of them were answered. */
async function flood(amount: number, start: () => Promise<Answer>, { untilAnswered }: { untilAnswered: number }) {
  const early: Answer[] = [];
  const all: Promise<Answer>[] = [];
  await new Promise<void>((done, fail) => {
    for (let index = 0; index < amount; index++) {
      const answer = start();
      all.push(answer);
      answer.then((given) => early.push(given) === untilAnswered && done(), fail);
    }
  });
  return { early: early.slice(0, untilAnswered), all };
}
type Answer = { status: number; headers: Headers; body: unknown };

const refused = { status: 503, body: { message: "Too much is going on at the moment. Try again in a few seconds." } };
const refusedOf = async (answers: Promise<Answer>[]) =>
  (await Promise.all(answers)).filter(({ body }) => (body as { message?: string }).message === refused.body.message);
const statuses = async (answers: Promise<Answer>[]) => (await Promise.all(answers)).map(({ status }) => status);

test("a flood of searches is refused at once and money still moves; then everything is as before", async () => {
  const customer = await addCustomer();
  let asked = 0;
  const search = () =>
    asked++ % 2
      ? call("staff", everything.find, { query: { q: "anything" } })
      : call("staff", orders.list, { query: { search: "anything" } });
  expect((await search()).status).toBe(200);
  const { early, all } = await whileHeld("orders", async () => {
    const flooded = await flood(200, search, { untilAnswered: 72 });
    // The embedded engine has one connection, which this test holds.
    if (!isEmbedded) {
      const added = await call("admin", users.addBalance, { params: { id: customer.id }, body: { balance: 5 } });
      expect(added.status).toBe(200);
    }
    return flooded;
  });
  for (const answer of early) expect(answer).toMatchObject(refused);
  for (const answer of early) expect(answer.headers.get("retry-after")).toBe("2");
  expect(new Set(await statuses(all))).toEqual(new Set([200, 503]));
  expect((await search()).status).toBe(200);
});

test.runIf(isEmbedded)(
  "an operator's call waits for one bulk order of a shop, not for one with each of its steps",
  async () => {
    const customer = await addCustomer({ balance: 100_000 });
    await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 4]] });
    const shop = await openShop();
    let sold = 0;
    const sell = async () => {
      const body = { discordId: customer.discordId, orders: Array(200).fill(parcel) };
      const { status } = await call(shop, storefront.createBulkOrder, { body, ...onceEach() });
      sold++;
      return status;
    };
    expect(await sell()).toBe(201);
    const bulks = Array.from({ length: 14 }, sell);
    await vi.waitFor(() => expect(sold).toBeGreaterThan(1), { timeout: 60_000, interval: 1 });
    const before = sold;
    // Calls that ask the database one thing after the other.
    for (let read = 0; read < 5; read++)
      expect((await call("staff", users.read, { params: { id: customer.id } })).status).toBe(200);
    expect(sold - before).toBeLessThan(7);
    expect(new Set(await Promise.all(bulks))).toEqual(new Set([201]));
  },
);

test.skipIf(isEmbedded)("those who search a lot leave places for everything else", async () => {
  const customer = await addCustomer();
  const [one, other] = [await addAccount("maren", "staff"), await addAccount("oskar", "staff")];
  const search = (as: { token: string }) => call(as, orders.list, { query: { search: "anything" } });
  expect([(await search(one)).status, (await search(other)).status]).toEqual([200, 200]);
  const { all } = await whileHeld("orders", async () => {
    let asked = 0;
    const flooded = await flood(100, () => search(asked++ % 2 ? one : other), { untilAnswered: 74 });
    const added = await call("admin", users.addBalance, { params: { id: customer.id }, body: { balance: 5 } });
    expect(added.status).toBe(200);
    return flooded;
  });
  expect(await refusedOf(all)).toHaveLength(74);
});

onOneEngine("a flood of any calls is refused before it fills the memory", async () => {
  expect((await call("staff", orders.list)).status).toBe(200);
  const { early, all } = await whileHeld("orders", () =>
    flood(300, () => call("staff", orders.list), { untilAnswered: 172 }),
  );
  for (const answer of early) expect(answer).toMatchObject(refused);
  expect(await refusedOf(all)).toHaveLength(172);
});

test("a flood of sign-ins is refused before it fills the processors", async () => {
  const guess = { body: { username: "admin", password: "a guess" } };
  const { early, all } = await whileHeld("sign_in_tries", () =>
    flood(100, () => call("nobody", session.login, guess), { untilAnswered: 77 }),
  );
  for (const answer of early) expect(answer).toMatchObject(refused);
  const answers = await statuses(all);
  expect(await refusedOf(all)).toHaveLength(77);
  // Calls counted at the same moment may each take the others for earlier ones.
  expect(answers.filter((status) => status === 401).length).toBeLessThanOrEqual(5);
});

test("whoever went away while waiting leaves the place to others", async () => {
  const { origin } = await serve();
  const headers = { authorization: `Bearer ${tokenOf("staff")}` };
  const search = (signal?: AbortSignal) =>
    fetch(`${origin}${orders.list.path}?search=anything`, { headers, ...(signal && { signal }) });
  const waiting = async (amount: number) => {
    while ((await figure(origin, "footprint_calls_in_flight")) !== amount + 1);
  };
  expect((await search()).status).toBe(200);

  const { first, second } = await whileHeld("orders", async () => {
    const impatient = new AbortController();
    const first = Array.from({ length: 3 }, () => search());
    await waiting(3);
    if (!isEmbedded) await untilTheyWait(db, 3);
    const gone = Array.from({ length: 8 }, () => search(impatient.signal).catch(() => "gone"));
    await waiting(11);
    impatient.abort();
    await Promise.all(gone);
    await waiting(3);
    const second = Array.from({ length: 8 }, () => search());
    await waiting(11);
    return { first, second };
  });
  for (const answer of [...first, ...second]) expect((await answer).status).toBe(200);
});

// The embedded engine has one connection, so a single list cannot be blocked there.
test.skipIf(isEmbedded)("whoever went away is not searched for any further", async () => {
  const { origin } = await serve();
  const headers = { authorization: `Bearer ${tokenOf("staff")}` };
  const listed = () => fetch(`${origin}${pathOf(users.list)}?search=anything`, { headers });
  expect((await listed()).status).toBe(200);
  const impatient = new AbortController();
  await whileHeld("bulk_orders", async () => {
    const gone = await whileHeld("orders", async () => {
      // As many as one account may run at once.
      const found = Array.from({ length: 3 }, () =>
        fetch(`${origin}${pathOf(everything.find)}?q=anything`, { headers, signal: impatient.signal }).catch(
          () => "gone",
        ),
      );
      await untilTheyWait(db, 3);
      impatient.abort();
      while ((await figure(origin, "footprint_calls_in_flight")) !== 1);
      return Promise.all(found);
    });
    expect(gone).toEqual(["gone", "gone", "gone"]);
    expect((await listed()).status).toBe(200);
    expect(await waitingForLocks(db)).toBe(0);
  });
});

async function figure(origin: string, name: string): Promise<number> {
  const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${metricsKey}` } });
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(await answer.text())?.[1]);
}

onOneEngine("thousands of idle connections are in nobody's way", async () => {
  const { app, origin } = await serve();
  const idle = await Promise.all(Array.from({ length: 2_000 }, () => connected(app)));
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  for (const socket of idle) socket.destroy();
});

onOneEngine("a client that trickles its request in is cut off", async () => {
  const { app } = await serve({ patience: { headers: 100, request: 200 } });
  const head = await connected(app);
  head.write("GET /healthz HTTP/1.1\r\nhost: trickle\r\n");
  const body = await connected(app);
  body.write("POST /api/v1/auth/admin-login HTTP/1.1\r\nhost: trickle\r\n");
  body.write('content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"username"');
  for (const socket of [head, body]) {
    socket.resume();
    await once(socket, "close");
  }
});

onOneEngine("a client that does not take its answers is cut off", async () => {
  const { id } = await addFedexOrder();
  const form = formWith({ file: new Blob([pdf, Buffer.alloc(9_000_000)]) });
  expect((await call("staff", fedex.update, { params: { id }, form })).status).toBe(200);
  const { app } = await serve({ patience: { inactivity: 200 } });
  const socket = await connected(app);
  const head = `authorization: Bearer ${tokenOf("staff")}\r\nhost: stuffed\r\n\r\n`;
  socket.write(`GET ${pathOf(fedex.file, { id })} HTTP/1.1\r\n${head}`.repeat(4));
  while ((await connectionsOf(app)) > 0) await setImmediate();
  socket.destroy();
});

async function connected(app: FastifyInstance): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  return socket;
}

const connectionsOf = (app: FastifyInstance) =>
  new Promise<number>((done, fail) => app.server.getConnections((error, count) => (error ? fail(error) : done(count))));

/** A network between a server and the tests' PostgreSQL that can swallow everything, or break. */
async function network(patience: Partial<typeof timeouts> = {}) {
  const { rows } = await db.execute<{ name: string }>(sql`select current_database() as name`);
  const target = new URL(`${inject("postgresUrl")}/${rows[0]?.name}`);
  const wire = await wireTo(Number(target.port));
  closing.push(() => wire.end());
  target.port = String(wire.port);
  const engine = await openEngine({
    databaseUrl: target.href,
    dataDir: "",
    timeouts: { ...timeouts, ...patience },
  });
  closing.push(() => engine.close());
  return {
    ...(await serve({ db: engine.db })),
    db: engine.db,
    swallow: wire.swallow,
    tear: wire.tear,
  };
}

async function addFive(origin: string, { id }: { id: string }) {
  const answer = await fetch(origin + pathOf(users.addBalance, { id }), {
    method: users.addBalance.method,
    headers: {
      authorization: `Bearer ${tokenOf("staff")}`,
      "content-type": "application/json",
      "idempotency-key": "five-once",
    },
    body: JSON.stringify({ balance: 5 }),
  });
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), body: await answer.json() };
}

const away = {
  status: 503,
  retryAfter: "5",
  body: { message: expect.stringContaining("The database does not answer at the moment. Try again shortly.") },
};

test.skipIf(isEmbedded)("a database that does not answer is a clear 503, and heals by itself", async () => {
  const customer = await addCustomer();
  const { origin, swallow } = await network({ connect: 3_000, statement: 500 });
  swallow(true);
  expect(await addFive(origin, customer)).toEqual(away);
  expect((await fetch(`${origin}/readyz`)).status).toBe(503);
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  swallow(false);
  while ((await addFive(origin, customer)).status !== 200);
  expect(await balanceOf(customer)).toBe(5);
});

test.skipIf(isEmbedded)(
  "a database that falls silent in the middle of a change costs an answer, and no money",
  async () => {
    const customer = await addCustomer();
    const { origin, swallow } = await network({ connect: 3_000, statement: 500 });
    await whileHeld("customers", async () => {
      const answer = addFive(origin, customer);
      await untilTheyWait(db, 1);
      swallow(true);
      expect(await answer).toEqual(away);
    });
    swallow(false);
    // PostgreSQL may take a moment to notice that the caller is gone, and to roll back.
    while ((await addFive(origin, customer)).status !== 200);
    expect(await balanceOf(customer)).toBe(5);
  },
);

test.skipIf(isEmbedded)("connections that break in the middle of a call heal without a restart", async () => {
  const customer = await addCustomer();
  const { origin, tear } = await network();
  await whileHeld("customers", async () => {
    const answer = addFive(origin, customer);
    await untilTheyWait(db, 1);
    tear();
    expect(await answer).toEqual(away);
  });
  while ((await addFive(origin, customer)).status !== 200);
  expect(await balanceOf(customer)).toBe(5);
});

test.skipIf(isEmbedded)("a statement that takes too long is ended, except where it may take its time", async () => {
  const { db: impatient } = await network({ statement: 500 });
  const slowly = sql`select pg_sleep(2)`;
  await expect(impatient.execute(slowly)).rejects.toThrow();
  await withoutTimeLimit(impatient).execute(slowly);
});

test.skipIf(isEmbedded)("when the database goes away, whoever waits is told with the first", async () => {
  const { origin, tear } = await network();
  const signIn = async () => {
    const answer = await fetch(origin + session.login.path, {
      method: session.login.method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "nobody", password: "a guess" }),
    });
    return { status: answer.status, retryAfter: answer.headers.get("retry-after"), body: await answer.json() };
  };
  const answers = await whileHeld("sign_in_tries", async () => {
    const all = Array.from({ length: 12 }, signIn);
    while ((await figure(origin, "footprint_calls_in_flight")) !== 13);
    await untilTheyWait(db, 3);
    tear();
    return { all };
  });
  expect(await Promise.all(answers.all)).toEqual(Array(12).fill(away));
});

test.skipIf(isEmbedded)("when the database goes away, so are those who are worked for together", async () => {
  const { discordId, ...customer } = await addCustomer({ balance: 200 });
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 4]] });
  const { token } = await openShop();
  const { origin, tear } = await network();
  const sell = async () => {
    const { headers } = onceEach();
    const answer = await fetch(origin + storefront.createOrder.path, {
      method: storefront.createOrder.method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ discordId, ...parcel }),
    });
    return { status: answer.status, retryAfter: answer.headers.get("retry-after"), body: await answer.json() };
  };
  const { all } = await whileHeld("customers", async () => {
    const all = Array.from({ length: 40 }, sell);
    await untilTheyWait(db, 1);
    while ((await figure(origin, "footprint_calls_in_flight")) !== 41);
    tear();
    return { all };
  });
  expect(await Promise.all(all)).toEqual(Array(40).fill(away));
  expect(await balanceOf(customer)).toBe(200);
  expect((await sell()).status).toBe(201);
});

test.skipIf(isEmbedded)("a call that gets no connection fails alone, and whoever waits is served", async () => {
  const { origin, db: engine } = await network({ connect: 2_000 });
  const signIn = () =>
    fetch(origin + session.login.path, {
      method: session.login.method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "nobody", password: "a guess" }),
    });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let taken = 0;
  const holders = Array.from({ length: 20 }, () =>
    engine.transaction(async (tx) => {
      await tx.execute(sql`select`);
      taken++;
      await released;
    }),
  );
  while (taken < 20) await setImmediate();
  const answers = Array.from({ length: 12 }, signIn);
  expect((await Promise.race(answers)).status).toBe(503);
  release();
  await Promise.all(holders);
  const given = (await Promise.all(answers)).map(({ status }) => status);
  // Three had begun.
  expect(given.filter((status) => status === 503).length).toBeLessThanOrEqual(3);
});

test.skipIf(isEmbedded)(
  "a call that the database has no room for fails alone, and whoever waits is served",
  async () => {
    const { id } = await addCustomer({ username: "large" });
    await db.execute(sql`create function no_room() returns trigger language plpgsql as
    $$ begin raise exception 'out of shared memory' using errcode = '53200'; end $$`);
    closing.push(() => db.execute(sql`drop function no_room cascade`));
    await db.execute(sql`create trigger no_room before update on customers for each row
    when (old.username = 'large') execute function no_room()`);
    const { origin } = await serve();
    const headers = { authorization: `Bearer ${tokenOf("staff")}` };
    const list = () => fetch(origin + orders.list.path, { headers });
    expect((await list()).status).toBe(200);
    const { large, others } = await whileHeld("customers", async () => {
      // As many as one account may run at once.
      const large = Array.from({ length: 10 }, () => addFive(origin, { id }));
      await untilTheyWait(db, 10);
      const others = Array.from({ length: 10 }, list);
      while ((await figure(origin, "footprint_calls_in_flight")) !== 21);
      return { large, others };
    });
    expect(await Promise.all(large)).toEqual(Array(10).fill(away));
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  },
);

test.skipIf(isEmbedded)("a file that the database does not hand out in time is a clear 503", async () => {
  const { id } = await addFedexOrder();
  await call("staff", fedex.update, { params: { id }, form: formWith({ file: new Blob([pdf]) }) });
  const { origin } = await network({ statement: 500 });
  const headers = { authorization: `Bearer ${tokenOf("staff")}` };
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  const answer = await whileHeld("file_chunks", () => fetch(origin + pathOf(fedex.file, { id }), { headers }));
  process.off("warning", note);
  expect(warnings).toEqual([]);
  expect({
    status: answer.status,
    retryAfter: answer.headers.get("retry-after"),
    body: await answer.json(),
  }).toEqual(away);
  expect(answer.headers.get("content-disposition")).toBe(null);
});
