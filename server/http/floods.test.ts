import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { type Endpoint, pathOf } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { orders } from "@footprint/contract/orders.ts";
import { session } from "@footprint/contract/session.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { sql } from "drizzle-orm";
import { afterEach, expect, inject, test, vi } from "vitest";
import { buildApp } from "../app.ts";
import { readConfig } from "../config.ts";
import { uuidv7 } from "../db/ids.ts";
import { addCustomer, addFedexOrder, addOrder } from "../testing/builders.ts";
import { boundary, formWith, openRequest, pdf, png } from "../testing/multipart.ts";
import { untilTheyWait, waitingForLocks } from "../testing/races.ts";
import { addAccount, call, db, origin, password, tokenOf } from "../testing/server.ts";

const isEmbedded = Boolean(inject("embeddedDump"));
/** Connections behave the same on both engines. */
const onOneEngine = test.skipIf(isEmbedded);
const someToken = "A".repeat(43);

let lines: Socket[] = [];
afterEach(() => {
  for (const line of lines) line.destroy();
  lines = [];
});

/** A connection that sends these bytes, then sends nothing more and reads nothing. */
async function lineWith(bytes: string, to = origin): Promise<Socket> {
  const line = connect(Number(new URL(to).port), "127.0.0.1").on("error", () => {});
  lines.push(line);
  await once(line, "connect");
  await new Promise((sent) => line.write(bytes, sent));
  return line;
}

/** Being cut off while sending is an error to the sender. */
const untilCut = (line: Socket) => new Promise((cut) => line.resume().once("close", cut));

const head = ({ method, path }: Pick<Endpoint, "method" | "path">, query = "", ...headers: string[]) =>
  [`${method} ${path}${query} HTTP/1.1`, "Host: localhost", ...headers, "", ""].join("\r\n");
const get = (path: `/${string}`) => head({ method: "GET", path });
const bearer = (token: string | undefined) => `Authorization: Bearer ${token}`;

/** What operators do all day still works. */
async function expectBusinessAsUsual() {
  const order = await addOrder();
  const refunded = await call("staff", orders.refund, { params: { id: order.id } });
  const signedIn = await call("nobody", session.login, { body: { username: "admin", password } });
  const searched = await call("staff", orders.list, { query: { search: "anything" } });
  expect([refunded.status, signedIn.status, searched.status]).toEqual([200, 200, 200]);
}

onOneEngine("a line full of requests whose answers nobody takes stands in nobody's way", async () => {
  await lineWith(get("/api/openapi.json").repeat(200) + get(orders.list.path).repeat(260));
  await lineWith(get("/api/docs").repeat(200) + head(session.login, "", "Content-Length: 0").repeat(260));
  await lineWith(get("/api/openapi.json").repeat(20) + head(session.login, "", "Content-Length: 0").repeat(40));
  await lineWith(get("/api/openapi.json").repeat(20) + get(`${website.image.path.replace(":id", uuidv7())}` as "/"));
  await expectBusinessAsUsual();
});

onOneEngine.for([
  ["single bytes by a stranger", users.addBalance, "application/json", "nobody", 1],
  ["single bytes by an account", fedex.update, `multipart/form-data; boundary=${boundary}`, "staff", 1],
  ["pieces of a few bytes by an account", fedex.update, `multipart/form-data; boundary=${boundary}`, "staff", 65],
] as const)("a body that is sent in %s is cut off", async ([, endpoint, type, role, size]) => {
  const { id } = await addFedexOrder();
  const path = pathOf(endpoint, { id }) as "/";
  const headers = [`Content-Type: ${type}`, "Transfer-Encoding: chunked", bearer(tokenOf(role))];
  const line = await lineWith(head({ ...endpoint, path }, "", ...headers));
  const closed = untilCut(line);
  line.write(`${size.toString(16)}\r\n${"a".repeat(size)}\r\n`.repeat(1_000));
  await closed;
});

onOneEngine.for(["/healthz", "/", "/api/openapi.json", orders.list.path] as const)(
  "whoever asks for %s and sends a body with it is answered, and not read any further",
  async (path) => {
    const line = await lineWith(head({ method: "GET", path }, "", "Transfer-Encoding: chunked"));
    const [answer] = await once(line.setEncoding("latin1"), "data");
    expect(answer).toMatch(/^HTTP\/1.1 \d{3}/);
    await untilCut(line);
  },
);

onOneEngine("a line that is sent far ahead of its answers is cut, and nothing is made of the rest", async () => {
  const app = await buildApp({ db, config: readConfig({ LOG_LEVEL: "silent" }), now: () => new Date() });
  let begun = 0;
  app.server.on("request", () => begun++);
  const own = await app.listen({ port: 0, host: "127.0.0.1" });
  await untilCut(await lineWith(get("/healthz").repeat(1_000), own));
  expect(begun).toBeLessThan(100);
  await app.close();
});

onOneEngine("requests that were sent ahead are answered one after another, in order", async () => {
  const line = await lineWith(`${get("/healthz")}${get("/nowhere.txt")}${get("/api/v1/nowhere")}`);
  let text = "";
  for await (const data of line) {
    text += data;
    if (text.match(/HTTP\/1.1/g)?.length === 3) break;
  }
  expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 404"]);
});

onOneEngine(
  "thousands of requests that were begun and never finished stand in nobody's way",
  {
    timeout: 60_000,
  },
  async () => {
    const length = "Content-Length: 100";
    const json = "Content-Type: application/json";
    const halves = [
      head(session.login, "", json, length),
      `${head(session.login, "", json, "Transfer-Encoding: chunked")}5\r\n{"use\r\n`,
      head(orders.list, "?search=anything", length),
      head(orders.list, "?search=anything", length, bearer(someToken)),
      head(storefront.createOrder, "", json, length, bearer(`fp_${someToken}`)),
      head(session.login, "", json, length, "Expect: 100-continue"),
      head({ method: "POST", path: "/nowhere" }, "", json, length),
      `POST ${session.login.path} HTTP/1.1\r\nHost: loc`,
    ];
    for (let round = 0; round < 250; round++) await Promise.all(halves.map((half) => lineWith(half)));
    await expectBusinessAsUsual();
  },
);

onOneEngine("a stranger's request is not begun before it has arrived completely", async () => {
  const app = await buildApp({ db, config: readConfig({ LOG_LEVEL: "silent" }), now: () => new Date() });
  let begun = 0;
  app.addHook("onRequest", async () => void begun++);
  const own = await app.listen({ port: 0, host: "127.0.0.1" });
  const body = '{"username":"nobody"}';
  const json = "Content-Type: application/json";
  const halves = [`Content-Length: ${body.length}`, `Content-Length: ${body.length}`, "Transfer-Encoding: chunked"];
  const all = await Promise.all(halves.map((length) => lineWith(head(session.login, "", json, length), own)));
  const [line] = all as [Socket];
  // After these calls the server has seen them.
  for (let count = 0; count < 5; count++) await fetch(`${own}/healthz`);
  expect(begun).toBe(5);
  line.write(body);
  expect(String(await once(line, "data"))).toMatch(/^HTTP\/1.1 400/);
  expect(begun).toBe(6);
  for (const each of all) each.destroy();
  await fetch(`${own}/healthz`);
  expect(begun).toBe(7);
  await app.close();
});

onOneEngine("a stranger's body is small, or refused before it is kept", async () => {
  for (const path of [session.login.path, "/nowhere"] as const) {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(origin + path, { method: "POST", headers, body: `"${"x".repeat(100_000)}"` });
    expect([path, answer.status]).toEqual([path, 413]);
  }
});

/** Blocks a table (on the embedded engine, everything) until the work is done. */
async function whileHeld<T>(table: string, work: () => Promise<T>): Promise<T> {
  const { result } = await db.transaction(async (tx) => {
    await tx.execute(sql.raw(`lock table ${table}`));
    return { result: await work() };
  });
  return result;
}

const shopKey = async (name = "Main shop") => (await call("admin", website.createApiKey, { body: { name } })).body.key;

test.skipIf(isEmbedded).for<[string, string, (image: string) => Promise<unknown>]>([
  ["of sign-ins", "sign_in_tries", () => call("nobody", session.login, { body: { username: "x", password: "x" } })],
  ["of unknown keys", "api_keys", () => call({ token: `fp_${someToken}` }, storefront.paymentSettings)],
  ["for the image", "file_chunks", (image) => fetch(origin + image)],
  ["for the state of the server", "drizzle.__drizzle_migrations", () => fetch(`${origin}/readyz`)],
])("a flood %s leaves the database to operators", async ([, table, start]) => {
  const paid = [await addOrder(), await addOrder()];
  await call("admin", website.updateCashapp, { form: formWith({ image: new Blob([png]) }) });
  const image = (await call("admin", website.getCashapp)).body.cashapp.image ?? "";
  expect([(await fetch(origin + image)).status, (await call("staff", session.access)).status]).toEqual([200, 200]);
  const { flood } = await whileHeld(table, async () => {
    const flood = Array.from({ length: 100 }, () => start(image));
    // One by one, so that both servers take their turn.
    for (const { id } of paid) expect((await call("staff", orders.refund, { params: { id } })).status).toBe(200);
    return { flood };
  });
  await Promise.all(flood);
});

const isRefused = ({ body }: { body: { message: string } }) => body.message?.startsWith("Too much is going on");

async function untilRefused(amount: number, answers: Promise<{ body: { message: string } }>[]) {
  let refused = 0;
  await new Promise<void>((done) => {
    for (const answer of answers) answer.then((given) => isRefused(given) && ++refused === amount && done());
  });
}

test("an account that floods is refused, and its colleagues are not", async () => {
  const { token } = await addAccount("flooder", "staff");
  const order = await addOrder();
  const list = () => call({ token }, bulkOrders.list);
  const refund = () => call("staff", orders.refund, { params: { id: order.id } });
  expect((await list()).status).toBe(200);
  const { flood, refunded } = await whileHeld("bulk_orders", async () => {
    const flood = Array.from({ length: 200 }, list);
    await untilRefused(72, flood);
    const refunded = refund();
    // The embedded engine does one thing at a time and is blocked.
    if (!isEmbedded) await refunded;
    return { flood, refunded };
  });
  expect((await refunded).status).toBe(200);
  expect((await Promise.all(flood)).filter(isRefused)).toHaveLength(72);
  expect((await list()).status).toBe(200);
});

test("a shop that floods stops neither the panel nor other shops", async () => {
  const token = await shopKey();
  const other = await shopKey("Other shop");
  const { discordId } = await addCustomer();
  const order = await addOrder();
  const read = () => call({ token }, storefront.labelTypes, { query: { discordId } });
  const ask = () =>
    Promise.all([
      call("staff", orders.refund, { params: { id: order.id } }),
      call({ token: other }, storefront.paymentSettings),
    ]);
  expect((await read()).status).toBe(200);
  const { flood, others } = await whileHeld("price_tiers", async () => {
    const flood = Array.from({ length: 200 }, read);
    await untilRefused(72, flood);
    const others = ask();
    // The embedded engine does one thing at a time and is blocked.
    if (!isEmbedded) await others;
    return { flood, others };
  });
  expect((await others).map(({ status }) => status)).toEqual([200, 200]);
  expect((await Promise.all(flood)).filter(isRefused)).toHaveLength(72);
});

test.skipIf(isEmbedded)("all keys of a shop together have one shop's places, and its bodies wait unread", async () => {
  const token = await shopKey();
  const [{ shop } = { shop: { _id: "" } }] = (await call("admin", website.listApiKeys)).body.keys;
  const second = (await call("admin", website.createApiKey, { body: { name: "Second", shop: shop._id } })).body.key;
  const other = await shopKey("Other shop");
  const rename = (token: string, body: object) =>
    call({ token }, storefront.putCustomer, { params: { discordId: "1" }, body: body as { username: string } });
  for (const key of [token, second]) expect((await rename(key, { username: "Mary" })).status).toBe(200);
  expect((await call({ token: other }, storefront.paymentSettings)).status).toBe(200);

  let isRead = false;
  const { flood, broken } = await whileHeld("customers", async () => {
    const flood = Array.from({ length: 24 }, (_, count) =>
      rename(count % 2 ? token : second, { username: `${count}` }),
    );
    await untilTheyWait(db, 8);
    const broken = rename(token, { nothing: "of use" }).then(({ status }) => {
      isRead = true;
      return status;
    });
    // Others are answered before and after it has arrived.
    for (let count = 0; count < 5; count++)
      expect((await call({ token: other }, storefront.paymentSettings)).status).toBe(200);
    expect([isRead, await waitingForLocks(db)]).toEqual([false, 8]);
    return { flood, broken };
  });
  expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(await broken).toBe(400);
});

test.skipIf(isEmbedded)("what an account uploads is stored a little at a time", async () => {
  const { id } = await addFedexOrder();
  const upload = () => call("staff", fedex.update, { params: { id }, form: formWith({ file: new Blob([pdf]) }) });
  const { uploads } = await whileHeld("file_chunks", async () => {
    const uploads = Array.from({ length: 12 }, upload);
    await untilTheyWait(db, 2);
    await expectBusinessAsUsual();
    expect(await waitingForLocks(db)).toBe(2);
    return { uploads };
  });
  for (const { status } of await Promise.all(uploads)) expect(status).toBe(200);
});

test.skipIf(isEmbedded)("an account's calls for several rows are worked on a few rows at a time", async () => {
  const ids = [(await addCustomer()).id];
  const disable = () => call("staff", users.setStatusOfSeveral, { body: { ids, status: false, reason: "" } });
  const { calls } = await whileHeld("customers", async () => {
    const calls = Array.from({ length: 12 }, disable);
    await untilTheyWait(db, 3);
    for (let count = 0; count < 5; count++) expect((await call("staff", session.access)).status).toBe(200);
    expect(await waitingForLocks(db)).toBe(3);
    return { calls };
  });
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
});

test.runIf(isEmbedded)("between the rows of calls for several, what others ask for comes in", async () => {
  const ids: string[] = [];
  for (let count = 1; count <= 40; count++) ids.push((await addCustomer({ discordId: `${count}` })).id);
  const done = async () => {
    const { rows } = await db.execute<{ done: number }>(
      sql`select count(*)::int as done from customers where not active`,
    );
    return rows[0]?.done ?? 0;
  };
  const calls = [0, 1, 2].map((part) => {
    const own = ids.filter((_, place) => place % 3 === part);
    return call("staff", users.setStatusOfSeveral, { body: { ids: own, status: false, reason: "" } });
  });
  while ((await done()) === 0);
  const before = await done();
  expect((await call("admin", orders.list)).status).toBe(200);
  expect((await done()) - before).toBeLessThanOrEqual(4);
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
});

onOneEngine("an account that begins many calls and finishes none is in its own way only", async () => {
  const { token } = await addAccount("flooder", "staff");
  const customer = await addCustomer();
  expect((await call({ token }, session.access)).status).toBe(200);
  const path = pathOf(users.addBalance, { id: customer.id }) as "/";
  const half = head({ method: "POST", path }, "", bearer(token), "Content-Type: application/json", "Content-Length: 9");
  for (let count = 0; count < 150; count++) await lineWith(half);
  await vi.waitFor(async () => {
    const own = await call({ token }, session.access);
    expect([own.status, own.headers.get("retry-after")]).toEqual([503, "2"]);
  }, 60_000);
  await expectBusinessAsUsual();
});

test("uploads that trickle in hold no place and no connection to the database", async () => {
  const { id } = await addFedexOrder();
  const uploads = Array.from({ length: 40 }, () => {
    const request = openRequest(fedex.update, id, { "content-length": 1000 });
    request.write(`--${boundary}\r\n`);
    return request;
  });
  await expectBusinessAsUsual();
  // The uploader can do other things meanwhile.
  expect((await call("admin", orders.list)).status).toBe(200);
  for (const request of uploads) request.destroy();
});

test("however many statements one caller has, others are answered between them", async () => {
  let isAnswered = false;
  const health = fetch(`${origin}/healthz`).then(() => {
    isAnswered = true;
  });
  for (let count = 0; count < 3_000 && !isAnswered; count++) await db.execute(sql`select`);
  expect(isAnswered).toBe(true);
  await health;
});

test.skipIf(isEmbedded)("an account that downloads all it can leaves the database to others", async () => {
  const { id } = await addFedexOrder();
  await call("staff", fedex.update, { params: { id }, form: formWith({ file: new Blob([pdf]) }) });
  const { token } = await addAccount("flooder", "staff");
  const headers = { authorization: `Bearer ${token}` };
  const paid = [await addOrder(), await addOrder()];
  const { downloads } = await whileHeld("file_chunks", async () => {
    const downloads = Array.from({ length: 60 }, () => fetch(origin + pathOf(fedex.file, { id }), { headers }));
    await untilTheyWait(db, 1);
    // One by one, so that both servers take their turn.
    for (const { id } of paid) expect((await call("staff", orders.refund, { params: { id } })).status).toBe(200);
    expect(await waitingForLocks(db)).toBe(1);
    return { downloads };
  });
  for (const download of await Promise.all(downloads)) expect((await download.bytes()).length).toBe(pdf.length);
});

/** A server that trusts the X-Forwarded-For that it is sent. */
async function serveBehindProxy(onBegin: (address: string) => void = () => {}) {
  const config = { ...readConfig({ LOG_LEVEL: "silent", TRUST_PROXY: "127.0.0.1" }) };
  const app = await buildApp({ db, config, now: () => new Date() });
  app.addHook("onRequest", async ({ address }) => onBegin(address));
  const behindProxy = await app.listen({ port: 0, host: "127.0.0.1" });
  const signIn = async (address: string, username: string) => {
    const answer = await fetch(behindProxy + session.login.path, {
      method: session.login.method,
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      body: JSON.stringify({ username, password }),
    });
    return { status: answer.status, body: (await answer.json()) as { message: string } };
  };
  const workAt = (address: string) =>
    fetch(behindProxy + session.access.path, {
      headers: { authorization: `Bearer ${tokenOf("staff")}`, "x-forwarded-for": address },
    });
  return { app, behindProxy, signIn, workAt };
}

test("two networks that flood sign-in keep nobody else out", async () => {
  const { app, signIn } = await serveBehindProxy();
  const { first, second, owner } = await whileHeld("sign_in_tries", async () => {
    const first = Array.from({ length: 60 }, () => signIn("203.0.113.7", "nobody"));
    await untilRefused(37, first);
    // One customer of a provider has all networks with these 48 bits.
    const second = Array.from({ length: 60 }, (_, index) => signIn(`2001:db8:7:${index}::1`, "nobody"));
    await untilRefused(76, [...first, ...second]);
    const owner = signIn("198.51.100.4", "admin");
    return { first, second, owner };
  });
  expect((await owner).status).toBe(200);
  expect((await Promise.all(second)).filter(isRefused).length).toBeGreaterThanOrEqual(39);
  await Promise.all(first);
  await app.close();
});

onOneEngine("many networks that flood sign-in do not come before who has not had a turn yet", async () => {
  const { app, signIn } = await serveBehindProxy();
  const answered: string[] = [];
  const note = (who: string, answer: ReturnType<typeof signIn>) =>
    answer.then((given) => {
      if (!isRefused(given)) answered.push(who);
      return given;
    });
  const { flood, owner } = await whileHeld("sign_in_tries", async () => {
    const flood = Array.from({ length: 120 }, (_, index) =>
      note("flood", signIn(`203.0.113.${index % 8}`, `nobody ${index}`)),
    );
    await untilRefused(16, flood);
    const owner = note("owner", signIn("198.51.100.4", "admin"));
    await untilRefused(17, [...flood, owner]);
    return { flood, owner };
  });
  expect((await owner).status).toBe(200);
  await Promise.all(flood);
  expect(answered).toHaveLength(104);
  // Four were already being worked on, and three run beside it.
  expect(answered.indexOf("owner")).toBeLessThan(22);
  await app.close();
});

onOneEngine("where people are at work, nobody queues with strangers to sign in", async () => {
  const { app, signIn, workAt } = await serveBehindProxy();
  expect((await workAt("198.51.100.4")).status).toBe(200);
  const { strangers, atWork } = await whileHeld("sign_in_tries", async () => {
    const strangers = Array.from({ length: 60 }, (_, index) => signIn(`203.0.113.${index}`, `nobody ${index}`));
    await untilTheyWait(db, 4);
    const atWork = signIn("198.51.100.4", "admin");
    await untilTheyWait(db, 5);
    return { strangers, atWork };
  });
  expect((await atWork).status).toBe(200);
  await Promise.all(strangers);
  await app.close();
});

onOneEngine("networks that come back again and again do not keep others waiting for their second turn", async () => {
  const { app, signIn } = await serveBehindProxy();
  let rounds = 0;
  const comeBack = async (network: number) => {
    for (let round = 0; round < 20; round++, rounds++)
      await signIn(`203.0.113.${network}`, `nobody ${network} ${round}`);
  };
  const { flood, office } = await whileHeld("sign_in_tries", async () => {
    const flood = Array.from({ length: 8 }, (_, network) => comeBack(network));
    await untilTheyWait(db, 4);
    return { flood, office: Array.from({ length: 5 }, () => signIn("198.51.100.4", "admin")) };
  });
  for (const { status } of await Promise.all(office)) expect(status).toBe(200);
  expect(rounds).toBeLessThan(100);
  await Promise.all(flood);
  await app.close();
});

onOneEngine("for a list with thousands of faults only the first wrong entry is reported", async () => {
  const token = await shopKey();
  const bulkOrder = (orders: unknown[]) =>
    call({ token }, storefront.createBulkOrder, {
      body: { discordId: "1", orders } as never,
      headers: { "idempotency-key": "wrong" },
    });
  for (const orders of [Array(500).fill({}), Array(300_000).fill({})]) {
    const { status, body } = await bulkOrder(orders);
    expect([status, new Set(body.issues.map(({ path }) => path.split(".")[2]))]).toEqual([400, new Set(["0"])]);
  }
  const nonsense = Array(10_000).fill(0) as never;
  const refunds = await call("staff", orders.refundSeveral, { body: { ids: nonsense, reason: "" } });
  expect([refunds.status, refunds.body.issues.filter(({ path }) => path.startsWith("body.ids"))]).toEqual([
    400,
    [{ path: "body.ids.0", message: expect.any(String) }],
  ]);
});

test("one account's answers are written one in each turn of the event loop, however much it reads", async () => {
  let turn = 0;
  let isCounting = true;
  const countTurns = () => {
    turn++;
    if (isCounting) setImmediate(countTurns);
  };
  const written: number[] = [];
  const write = JSON.stringify;
  const spy = vi.spyOn(JSON, "stringify").mockImplementation((...args: Parameters<typeof write>) => {
    if (args[0]?.orders) written.push(turn);
    return write(...args);
  });
  const { reads } = await whileHeld("orders", async () => {
    // Each asks for another page, since the same page would be asked for only once.
    const reads = Array.from({ length: 30 }, (_, place) => call("staff", orders.list, { query: { page: place + 1 } }));
    if (!isEmbedded) await untilTheyWait(db, 10);
    return { reads };
  });
  countTurns();
  for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
  isCounting = false;
  spy.mockRestore();
  expect(written).toHaveLength(30);
  // One that is late in its turn may be counted with the next.
  const inOneTurn = Map.groupBy(written, (at) => at).values();
  expect(Math.max(...[...inOneTurn].map((all) => all.length))).toBeLessThanOrEqual(2);
});

test.skipIf(isEmbedded)("a shop that hangs up as soon as it is looked up leaves the database to others", async () => {
  const token = await shopKey();
  expect((await call({ token }, storefront.paymentSettings)).status).toBe(200);
  await whileHeld("api_keys", async () => {
    for (let count = 0; count < 40; count++) {
      const line = await lineWith(head(storefront.paymentSettings, "", bearer(token)));
      // After this call the server has seen it.
      await fetch(`${origin}/healthz`);
      line.destroy();
    }
    await expectBusinessAsUsual();
    // All that came since then share the next look-up.
    expect(await waitingForLocks(db)).toBe(1);
  });
});

onOneEngine("few requests begin in one turn of the event loop, however many connections ask at once", async () => {
  const app = await buildApp({ db, config: readConfig({ LOG_LEVEL: "silent" }), now: () => new Date() });
  let turn = 0;
  let isCounting = true;
  const countTurns = () => {
    turn++;
    if (isCounting) setImmediate(countTurns);
  };
  const begun: number[] = [];
  app.addHook("onRequest", async () => void begun.push(turn));
  const port = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
  countTurns();
  const lines = Array.from({ length: 100 }, () => connect(port, "127.0.0.1"));
  for (const line of lines) line.write(get("/robots.txt"));
  await Promise.all(lines.map((line) => once(line, "data")));
  begun.length = 0;
  for (const line of lines) line.write("GET /robots.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await Promise.all(lines.map((line) => once(line.resume(), "close")));
  isCounting = false;
  await app.close();
  expect(begun).toHaveLength(100);
  // One that is counted late is counted with the next turn.
  const inOneTurn = Map.groupBy(begun, (at) => at).values();
  expect(Math.max(...[...inOneTurn].map((all) => all.length))).toBeLessThanOrEqual(8);
});

onOneEngine.for<[string, string, (index: number) => string]>([
  ["people at work come before strangers, however many networks these have", "work", (index) => `203.0.113.${index}`],
  ["one network of strangers does not keep another waiting", "198.51.100.9", () => "203.0.113.7"],
  ["nor does one with many addresses", "198.51.100.9", (index) => `2001:db8:7:${index}::1`],
])("behind a proxy, %s", async ([, from, flooderAt]) => {
  const begun: string[] = [];
  const { app, behindProxy, workAt } = await serveBehindProxy((address) => begun.push(address));
  const office = from === "work" ? "198.51.100.4" : from;
  if (from === "work") expect((await workAt(office)).status).toBe(200);
  begun.length = 0;
  const flooders = Array.from({ length: 200 }, (_, index) => flooderAt(index));
  const lines = await Promise.all([...flooders, office].map(() => lineWith("", behindProxy)));
  [...flooders, office].forEach((address, index) => {
    lines[index]?.write(head({ method: "GET", path: "/robots.txt" }, "", `X-Forwarded-For: ${address}`));
  });
  await Promise.all(lines.map((line) => once(line, "data")));
  expect(begun).toHaveLength(201);
  expect(begun.indexOf(office)).toBeLessThan(100);
  await app.close();
});

onOneEngine("those who have hung up take nobody's turn", async () => {
  let turns = 0;
  let isCounting = true;
  const countTurns = () => {
    turns++;
    if (isCounting) setImmediate(countTurns);
  };
  const stays = "198.51.100.9";
  const { app, behindProxy } = await serveBehindProxy((address) => {
    if (address === stays) isCounting = false;
  });
  const ask = (address: string) => head({ method: "GET", path: "/robots.txt" }, "", `X-Forwarded-For: ${address}`);
  const line = await lineWith("", behindProxy);
  const gone = await Promise.all(Array.from({ length: 400 }, () => lineWith("", behindProxy)));
  // New connections come before all requests.
  for (const each of [line, ...gone]) each.write(ask("203.0.113.7"));
  await Promise.all([line, ...gone].map((each) => once(each, "data")));
  gone.forEach((each, index) => {
    each.write(ask(`203.0.${index >> 8}.${index & 255}`));
  });
  // By now the server has read them.
  await new Promise(setImmediate);
  for (const each of gone) each.resetAndDestroy();
  line.write(ask(stays));
  countTurns();
  await once(line, "data");
  // With four in each turn it would be a hundred.
  expect(turns).toBeLessThan(50);
  await app.close();
});

test("a caller who hangs up right after the request costs no work, and counts as no failure", async () => {
  const token = await shopKey();
  const app = await buildApp({ db, config: readConfig({ LOG_LEVEL: "silent" }), now: () => new Date() });
  const failures: unknown[] = [];
  let begun = 0;
  app.addHook("onRequest", async (request) => {
    begun++;
    request.log.error = (failure: unknown) => failures.push(failure);
  });
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const headers = { authorization: `Bearer ${token}` };
  const read = () => fetch(address + storefront.paymentSettings.path, { headers });
  expect((await read()).status).toBe(200);
  for (let count = 0; count < 10; count++) {
    const line = connect(Number(new URL(address).port), "127.0.0.1").on("error", () => {});
    await once(line, "connect");
    // It arrives when nobody is there any more.
    line.write(head(storefront.paymentSettings, "", bearer(token)));
    line.resetAndDestroy();
  }
  expect((await read()).status).toBe(200);
  expect([begun, failures]).toEqual([2, []]);
  await app.close();
});

test.skipIf(isEmbedded)("a check of the books is one for all who ask, and takes no places from others", async () => {
  const { token } = await addAccount("second", "admin");
  const { checks } = await whileHeld("tracking_codes", async () => {
    const checks = Array.from({ length: 40 }, (_, index) => call(index % 4 < 2 ? "admin" : { token }, dashboard.books));
    // One by each of the two servers.
    await untilTheyWait(db, 2);
    await expectBusinessAsUsual();
    expect(await waitingForLocks(db)).toBe(2);
    return { checks };
  });
  for (const { status, body } of await Promise.all(checks)) expect([status, body.balanced]).toEqual([200, true]);
});
