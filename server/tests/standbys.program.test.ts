import { setTimeout as wait } from "node:timers/promises";
import { type Endpoint, pathOf } from "@footprint/contract/endpoint.ts";
import { events } from "@footprint/contract/events.ts";
import { session } from "@footprint/contract/session.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { features } from "../app.ts";
import { openEngine } from "../db/engine.ts";
import { mayReadFromStandby } from "../http/standbys.ts";
import { readEvents } from "../testing/follower.ts";
import { startPair } from "../testing/pair.ts";
import { run } from "../testing/program.ts";

let pair: Awaited<ReturnType<typeof startPair>>;
beforeAll(async () => {
  pair = await startPair({ isSynchronous: false });
});
afterAll(() => pair.end());

const urlOf = (...ports: number[]) =>
  `postgres://postgres:postgres@${ports.map((port) => `127.0.0.1:${port}`)}/postgres`;
const account = { username: "admin", password: "open sesame, please" };
const metricsKey = "standbys-metrics-key-0123456789";
const patience = { timeout: 60_000, interval: 50 };

/** A server that reads from the standby; its list also names the primary and a host that is gone. */
async function openServer(env: Record<string, string> = {}) {
  const server = await run({
    DATABASE_URL: urlOf(pair.primary.port),
    READ_DATABASE_URL: urlOf(pair.primary.port, pair.standby.port, 1),
    ADMIN_PASSWORD: account.password,
    METRICS_KEY: metricsKey,
    ...env,
  });
  const metric = async (name: string) => {
    const answer = await fetch(`${server.origin()}/metrics`, { headers: { authorization: `Bearer ${metricsKey}` } });
    const line = (await answer.text()).split("\n").find((text) => text.startsWith(`${name} `));
    return Number(line?.split(" ").at(-1));
  };
  const answeredBy = async () => ({
    primary: await metric('footprint_reads_total{from="primary"}'),
    standby: await metric('footprint_reads_total{from="standby"}'),
  });
  return {
    origin: server.origin(),
    output: server.output,
    used: () => metric('footprint_standbys{state="used"}'),
    answeredBy,
    /** A standby that lags for a moment, as on a busy machine, is left out for a while; asked again, it answers. */
    untilStandbyAnswers: (ask: () => Promise<void>) =>
      vi.waitFor(async () => {
        const before = await answeredBy();
        await ask();
        expect(await answeredBy()).toEqual({ ...before, standby: before.standby + 1 });
      }, patience),
  };
}

test("a standby is read from only for the database that it follows, and one that falls silent holds nobody up", async () => {
  // Another business beside this one, whose standby has followed as far but belongs to somebody else.
  await pair.primary.query("create database other");
  const otherUrl = urlOf(pair.primary.port).replace(/postgres$/, "other");
  await (await openEngine({ databaseUrl: otherUrl, dataDir: "" })).close();
  const misled = await openServer({
    READ_DATABASE_URL: urlOf(pair.standby.port).replace(/postgres$/, "other"),
    LOG_LEVEL: "info",
  });
  const left = `not reading from the standby 127.0.0.1:${pair.standby.port}: it is of another database`;
  await vi.waitFor(() => expect(misled.output()).toContain(left), patience);
  expect(await misled.used()).toBe(0);

  // Long work is not waited for when its caller is gone, and signing out takes effect at once.
  const server = await openServer();
  await vi.waitFor(async () => expect(await server.used()).toBe(1), patience);
  const json = { "content-type": "application/json" };
  const signedIn = await fetch(server.origin + session.login.path, {
    ...{ method: "POST", headers: json, body: JSON.stringify(account) },
  });
  const authorization = `Bearer ${((await signedIn.json()) as { accessToken: string }).accessToken}`;
  const ask = async ({ method, path }: Endpoint) =>
    (await fetch(server.origin + path, { method, headers: { authorization } })).status;
  await server.untilStandbyAnswers(async () => expect(await ask(users.export)).toBe(200));
  const before = await server.answeredBy();
  const thaw = await pair.standby.freeze();
  try {
    expect(await ask(users.export)).toBe(200);
    expect(await server.answeredBy()).toEqual({ ...before, primary: before.primary + 1 });
  } finally {
    thaw();
  }
  await vi.waitFor(async () => expect(await server.used()).toBe(1), patience);
  expect(await ask(users.list)).toBe(200);
  await pair.standby.query("select pg_wal_replay_pause()");
  expect(await ask(session.logout)).toBe(200);
  expect([await ask(users.list), await ask(users.export)]).toEqual([401, 401]);
  await pair.standby.query("select pg_wal_replay_resume()");
});

test("lists are read from a standby that has all that was answered, and from the primary otherwise", async () => {
  const servers = [await openServer({ DEMO: "on" }), await openServer()] as const;
  const [here, there] = servers;
  const untilUsed = (many: number) =>
    vi.waitFor(async () => expect([await here.used(), await there.used()]).toEqual([many, many]), patience);
  const body = JSON.stringify(account);
  const json = { "content-type": "application/json" };
  const signedIn = await fetch(here.origin + session.login.path, { method: "POST", headers: json, body });
  let authorization = `Bearer ${((await signedIn.json()) as { accessToken: string }).accessToken}`;
  const send = (
    server: typeof here,
    call: Endpoint,
    { params = {}, query = {}, body = undefined as object | undefined },
  ) =>
    fetch(`${server.origin}${pathOf(call, params)}?${new URLSearchParams(query)}`, {
      method: call.method,
      headers: { authorization, ...(body && json) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const firstOf = async (server: typeof here, query = {}) => {
    const answer = await send(server, users.list, { query });
    expect(answer.status).toBe(200);
    const [first] = ((await answer.json()) as { users: { _id: string; discordId: string; balance: number }[] }).users;
    if (!first) throw new Error("nobody is there");
    return first;
  };
  await untilUsed(1);

  // Every call that may be read there, to the last byte: none of them tries to change anything.
  const customer = await firstOf(here, { sort: "asc" });
  const known = { discordId: customer.discordId, q: "an" };
  const calls: Endpoint[] = Object.values(features).flatMap(({ feature }) => Object.values(feature));
  const key = await send(here, website.createApiKey, { body: { name: "Shop" } });
  const asAccount = authorization;
  const asShop = `Bearer ${((await key.json()) as { key: string }).key}`;
  const reading = calls.filter(mayReadFromStandby);
  const paths = reading.map(({ path }) => path);
  for (const some of ["/dashboard/books", "/admin/search", "/orders/read", "/orders/read/export", "/storefront/orders"])
    expect(paths).toContainEqual(expect.stringMatching(`${some}$`));
  for (const none of [/\/read\/:id$/, /api-keys/, /sign-ins/, /sessions/, /storefront\/(events|label-types)/])
    expect(paths).not.toContainEqual(expect.stringMatching(none));
  for (const call of reading) {
    authorization = call.access === "storefront" ? asShop : asAccount;
    await there.untilStandbyAnswers(async () => {
      const answer = await send(there, call, {
        params: { id: customer._id, discordId: customer.discordId },
        query: Object.fromEntries(Object.entries(known).filter(([name]) => call.query && name in call.query.shape)),
        ...(call.body && { body: { ids: [customer._id] } }),
      });
      expect([200, 404], `${call.path}: ${await answer.text()}`).toContain(answer.status);
    });
  }
  authorization = asAccount;

  // Whatever was answered, or told by an event, is found on both servers.
  let { balance } = customer;
  const addOne = async (server: typeof here) => {
    const answer = await send(server, users.addBalance, { params: { id: customer._id }, body: { balance: 1 } });
    expect(answer.status).toBe(200);
    balance++;
  };
  const balanceAt = async (server: typeof here) => (await firstOf(server, { ids: customer._id })).balance;
  for (const [one, other] of [servers, servers.toReversed(), servers, servers.toReversed()] as (typeof servers)[]) {
    await addOne(one);
    expect(await balanceAt(other)).toBe(balance);
  }
  const follower = readEvents(await fetch(there.origin + events.stream.path, { headers: { authorization } }));
  await addOne(here);
  await follower.until(({ data }) => Boolean(data.everything || [data.customers].flat().includes(customer._id)));
  expect(await balanceAt(there)).toBe(balance);
  await follower.leave();

  // A standby that stands still is not used once it lacks something.
  await untilUsed(1);
  await pair.standby.query("select pg_wal_replay_pause()");
  const untilNow = await there.answeredBy();
  for (const [one, other] of [servers, servers.toReversed()] as (typeof servers)[]) {
    await addOne(one);
    for (const each of [other, one, other]) expect(await balanceAt(each)).toBe(balance);
  }
  expect((await there.answeredBy()).primary).toBeGreaterThan(untilNow.primary);
  await untilUsed(0);
  await pair.standby.query("select pg_wal_replay_resume()");
  await untilUsed(1);
  const resumed = await here.answeredBy();
  await vi.waitFor(async () => {
    expect(await balanceAt(here)).toBe(balance);
    expect((await here.answeredBy()).standby).toBeGreaterThan(resumed.standby);
  }, patience);

  // A standby that dies fails no call, and is used again when it is back.
  let isOver = false;
  const readers = servers.map(async (server) => {
    let calls = 0;
    for (; !isOver; calls++) {
      expect(await balanceAt(server)).toBe(balance);
      // Without a pause they would leave the databases little of the processor.
      await wait(10);
    }
    return calls;
  });
  await pair.standby.server.stop();
  await untilUsed(0);
  await pair.standby.start();
  await untilUsed(1);
  // A promoted standby no longer follows anything.
  await pair.standby.query("select pg_promote()");
  await untilUsed(0);
  isOver = true;
  for (const calls of await Promise.all(readers)) expect(calls).toBeGreaterThan(0);
  await addOne(here);
  expect(await balanceAt(there)).toBe(balance);
});
