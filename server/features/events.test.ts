import { once } from "node:events";
import { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { events, shownBy } from "@footprint/contract/events.ts";
import { orders } from "@footprint/contract/orders.ts";
import { download } from "@footprint/contract/schemas.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { users } from "@footprint/contract/users.ts";
import { views } from "@footprint/contract/views.ts";
import { eq, sql } from "drizzle-orm";
import { afterEach, expect, inject, test, vi } from "vitest";
import { record, system } from "../accounts/audit.ts";
import { hashToken } from "../accounts/sessions.ts";
import { buildApp, features } from "../app.ts";
import { readConfig } from "../config.ts";
import { uuidv7 } from "../db/ids.ts";
import { logs, sessions } from "../db/schema.ts";
import { addCustomer, addOrder } from "../testing/builders.ts";
import { follow, names, tells } from "../testing/follower.ts";
import { addAccount, call, db, origin, tokenOf } from "../testing/server.ts";

const onPostgres = test.skipIf(inject("embeddedDump"));

let followers: { leave: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(followers.map((follower) => follower.leave()));
  followers = [];
  vi.restoreAllMocks();
});

async function followed(...as: Parameters<typeof follow>) {
  const follower = await follow(...as);
  followers.push(follower);
  return follower;
}

const addBalance = (customer: { id: string }) =>
  call("staff", users.addBalance, { params: { id: customer.id }, body: { balance: 1 } });

test("every change is told to all followers on every server, as ids without data", async () => {
  const order = await addOrder({ price: 12.5 });
  const all = [await followed("admin"), await followed("admin"), await followed("staff"), await followed("staff")];
  expect(all[0]?.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(all[0]?.headers.get("cache-control")).toBe("no-store");
  expect(all[0]?.headers.get("x-accel-buffering")).toBe("no");
  for (const follower of all) expect(await follower.next()).toEqual({ event: "hello", data: {} });
  // Both servers have told everything before this.
  for (const customer of [await addCustomer(), await addCustomer()]) {
    await addBalance(customer);
    for (const follower of all) await follower.until(names("customers", customer.id));
  }

  await call("staff", orders.refund, { params: { id: order.id } });

  const told = await Promise.all(all.map((follower) => follower.until(names("orders", order.id))));
  const seenByStaff = {
    orders: [order.id],
    customers: [order.customerId],
    transfers: [order.customerId],
    bulkOrders: true,
    queues: true,
    approvals: true,
  };
  const seenByAdmins = { ...seenByStaff, dashboard: true, logs: true, tracking: true };
  expect(told.map(({ data }) => data)).toEqual([seenByAdmins, seenByAdmins, seenByStaff, seenByStaff]);
});

test("a changed balance is told to readers of orders, which show it", async () => {
  const follower = await followed("staff");
  const customer = await addCustomer();
  await addBalance(customer);
  expect((await follower.until(names("customers", customer.id))).data.orders).toBe(true);
});

onPostgres(
  "a message from another version, or a stranger, ends no server: everything is told to be stale",
  async () => {
    const follower = await followed("staff");
    const later = { logged: { id: uuidv7(), type: "website", actorKind: null, subjectKind: "webhook" } };
    for (const word of ["hello", "null", '{"from":"x"}', JSON.stringify({ from: "x", said: [{ later: 1 }, later] })]) {
      await db.execute(sql`select pg_notify('footprint', ${word})`);
      await follower.until(({ data }) => data.everything === true);
    }
    const { customerId: id } = await addOrder();
    await addBalance({ id });
    await follower.until(names("customers", id));
  },
);

test("uncommitted changes are told to nobody", async () => {
  const [undone, done] = [await addCustomer(), await addCustomer()];
  const follower = await followed("admin");
  const about = { kind: "customer", id: undone.id } as const;
  await expect(
    db.transaction(async (tx) => {
      await record(tx, system, "user", "Changed a customer", { about });
      throw new Error("and then not");
    }),
  ).rejects.toThrow("and then not");
  await addBalance(done);
  await follower.until(tells("customers", done.id));
  expect(JSON.stringify(follower.heard)).not.toContain(undone.id);
});

test("changes that a killed server did not tell are found in the log", async () => {
  const customer = await addCustomer();
  const all = [await followed("staff"), await followed("staff")];
  await db.insert(logs).values({
    admin: "killed",
    type: "user",
    action: "Changed a customer",
    subjectKind: "customer",
    subjectId: customer.id,
  });
  for (const follower of all) await follower.until(tells("customers", customer.id));
});

onPostgres("servers that lost their connection to each other find it again, and miss nothing", async () => {
  const customers = [await addCustomer(), await addCustomer(), await addCustomer()];
  const all = [await followed("staff"), await followed("staff")];
  for (const customer of customers) {
    const { rows } = await db.execute<{ ended: boolean }>(sql`
      select pg_terminate_backend(pid) as ended from pg_stat_activity
      where datname = current_database() and application_name = 'footprint events'`);
    expect(rows.every(({ ended }) => ended)).toBe(true);
    await addBalance(customer);
    for (const follower of all) await follower.until(tells("customers", customer.id));
  }
});

test("a change that begins before one follows and ends after is not missed", async () => {
  const customer = await addCustomer();
  await addBalance(customer);
  const all = [await followed("staff"), await followed("staff")];
  for (const follower of all) await follower.until(tells("customers", customer.id));
});

test("too many ids to name are told as their kind", async () => {
  const follower = await followed("staff");
  await db.transaction(async (tx) => {
    for (let place = 0; place < 150; place++)
      await record(tx, system, "user", "Changed a customer", { about: { kind: "customer", id: uuidv7() } });
  });
  const { data } = await follower.until((told) => told.data.customers === true);
  expect(data.transfers).toBe(true);
});

test("a stream ends with its session: signed out, ended from elsewhere, deleted, or not used for long", async () => {
  const addFollower = async (name: string) => {
    const account = await addAccount(name, "staff");
    return { account, follower: await followed(account) };
  };
  const [leaver, deleted, ended, idle] = [
    await addFollower("leaver"),
    await addFollower("deleted"),
    await addFollower("ended"),
    await addFollower("idle"),
  ];
  await call(leaver.account, session.logout);
  await leaver.follower.ended();

  await call("admin", staff.delete, { params: { id: deleted.account.id } });
  await deleted.follower.ended();

  const [own] = (await call(ended.account, session.sessions)).body.sessions;
  await call(ended.account, session.endSession, { params: { id: own?._id ?? "" } });
  await ended.follower.ended();

  const ofIdle = eq(sessions.accountId, idle.account.id);
  await db.update(sessions).set({ lastUsedAt: sql`now() - interval '13 hours'` }).where(ofIdle);
  await db.transaction((tx) => record(tx, { ...system, id: idle.account.id }, "session", "Something", {}));
  await idle.follower.ended();
});

test("following events does not count as use: an otherwise unused session still ends", async () => {
  const account = await addAccount("away", "staff");
  const tenMinutesAgo = new Date(Date.now() - 600_000);
  const isTheirs = eq(sessions.tokenHash, hashToken(account.token));
  await db.update(sessions).set({ lastUsedAt: tenMinutesAgo }).where(isTheirs);
  await followed(account, { "x-unattended": "1" });
  await call(account, views.list, { query: { screen: "orders" }, headers: { "x-unattended": "1" } });
  const [unused] = await db.select().from(sessions).where(isTheirs);
  expect(unused?.lastUsedAt).toEqual(tenMinutesAgo);
  await call(account, views.list, { query: { screen: "orders" } });
  const [used] = await db.select().from(sessions).where(isTheirs);
  expect(used?.lastUsedAt.getTime()).toBeGreaterThan(tenMinutesAgo.getTime());
});

test("changes of an account's sessions are told to that account only", async () => {
  const account = await addAccount("told", "staff");
  const [told, told2, other] = [await followed(account), await followed(account), await followed("staff")];
  await db.transaction((tx) => record(tx, { ...system, id: account.id }, "session", "Something", {}));
  for (const follower of [told, told2]) await follower.until(({ data }) => data.sessions === true);
  const customer = await addCustomer();
  await addBalance(customer);
  await other.until(tells("customers", customer.id));
  expect(other.heard.filter(({ data }) => data.sessions)).toEqual([]);
});

test("an account with more than twenty streams loses the oldest", async () => {
  const account = await addAccount("many", "staff");
  // On one server, since another allows twenty of its own.
  const open = () =>
    fetch(origin + events.stream.path, { headers: { authorization: `Bearer ${account.token}` } }).then((answer) =>
      answer.body?.pipeThrough(new TextDecoderStream()).getReader(),
    );
  const oldest = await open();
  const rest = [];
  for (let place = 0; place < 20; place++) rest.push(await open());
  let text = "";
  for (let read = await oldest?.read(); !read?.done; read = await oldest?.read()) text += read?.value;
  expect(text).toMatch(/retry: 300000\n\n$/);
  // None of them takes a place from calls.
  expect((await call(account, session.access)).status).toBe(200);
  for (const reader of rest) {
    const { value } = (await reader?.read()) ?? {};
    expect(value).toContain("event: hello");
    await reader?.cancel();
  }
});

test("a reader who takes nothing is cut off, and the others are not", async () => {
  const [slow, quick] = [await addAccount("slow", "staff"), await addAccount("quick", "staff")];
  const reader = await followed(quick);
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).on("error", () => {});
  socket.write(`GET ${events.stream.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${slow.token}\r\n\r\n`);
  await once(socket, "data");
  socket.pause();
  const closed = new Promise((done) => socket.once("close", done));
  // As if more were unread than the system buffers for a reader.
  const { localPort } = socket;
  vi.spyOn(ServerResponse.prototype, "writableLength", "get").mockImplementation(function (this: ServerResponse) {
    return this.socket?.remotePort === localPort ? 1_000_000 : 0;
  });
  const customer = await addCustomer();
  await addBalance(customer);
  await reader.until(tells("customers", customer.id));
  socket.resume();
  await closed;
});

test("a server that stops ends its streams at once", async () => {
  const app = await buildApp({ db, config: readConfig({ LOG_LEVEL: "silent" }), now: () => new Date() });
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const answer = await fetch(address + events.stream.path, {
    headers: { authorization: `Bearer ${tokenOf("staff")}` },
  });
  const [text] = await Promise.all([answer.text(), app.close()]);
  expect(text).toContain("event: hello");
});

test("everybody who has the same record open sees the others, until they close it or their tab dies", async () => {
  const [ada, ben] = [await addAccount("ada", "staff"), await addAccount("ben", "staff")];
  const adas = await followed(ada);
  const thing = uuidv7();
  const tabs = { ada: uuidv7(), ben: uuidv7() };
  const has = async (account: typeof ada, tab: string, open: string | null) =>
    (await call(account, events.setPresence, { body: { tab, open } })).body.others;
  const isTold = () => adas.until(names("presence", thing));
  const sees = async (...others: object[]) => {
    // Asked twice, once on each server.
    for (let times = 0; times < 2; times++)
      await vi.waitFor(async () => expect(await has(ada, tabs.ada, thing)).toEqual(others), 60_000);
  };
  const bensTabHas = async (open: string | null) => {
    // Repeated, as panels do, since a message between two servers may get lost.
    const again = setInterval(() => void has(ben, tabs.ben, open), 2_000);
    await has(ben, tabs.ben, open);
    await isTold();
    await sees(...(open ? [{ _id: ben.id, username: "ben" }] : []));
    clearInterval(again);
  };

  await sees();
  await bensTabHas(thing);
  await bensTabHas(null);
  await bensTabHas(thing);
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, "now").mockImplementation(() => now() + 20_000);
  for (let times = 0; times < 2; times++) await has(ada, tabs.ada, thing);
  later.mockImplementation(() => now() + 30_000);
  await isTold();
  await sees();
});

test("suspended, deleted and signed-out accounts have nothing open any more, and the others are told", async () => {
  const reader = await addAccount("reader", "staff");
  const readers = await followed(reader);
  const thing = uuidv7();
  const has = async (account: typeof reader, tab: string) =>
    (await call(account, events.setPresence, { body: { tab, open: thing } })).body.others;
  const leave = {
    suspended: ({ id }: typeof reader) => call("admin", staff.suspend, { params: { id }, body: { reason: "" } }),
    deleted: ({ id }: typeof reader) => call("admin", staff.delete, { params: { id } }),
    gone: (account: typeof reader) => call(account, session.logout),
  };
  const tab = uuidv7();
  await has(reader, tab);
  for (const [name, end] of Object.entries(leave)) {
    const account = await addAccount(name, "staff");
    await has(account, uuidv7());
    await readers.until(tells("presence", thing));
    // Asked twice, once on each server.
    const isThere = async () => expect(await has(reader, tab)).toEqual([{ _id: account.id, username: name }]);
    for (let times = 0; times < 2; times++) await vi.waitFor(isThere, 60_000);
    expect((await end(account)).status).toBe(200);
    await readers.until(tells("presence", thing));
    const isGone = async () => expect(await has(reader, tab)).toEqual([]);
    for (let times = 0; times < 2; times++) await vi.waitFor(isGone, 60_000);
  }
});

test("whatever is read has a kind that tells when it is stale", () => {
  const reads = Object.values(features)
    .flatMap(({ feature }) => Object.values(feature) as Endpoint[])
    .filter(({ method, access, reply }) => method === "GET" && reply !== download && /staff|admin/.test(access))
    .map(({ path }) => path);
  const beginnings = Object.values(shownBy).flat();
  const unknown = reads.filter((path) => !beginnings.some((beginning) => path.startsWith(beginning)));
  expect(unknown).toEqual(["/api/v1/admin/search", "/api/v1/events"]);
});
