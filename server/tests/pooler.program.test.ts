import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { type Endpoint, pathOf } from "@footprint/contract/endpoint.ts";
import { events } from "@footprint/contract/events.ts";
import { orders } from "@footprint/contract/orders.ts";
import { session } from "@footprint/contract/session.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { someAddresses } from "../testing/add.ts";
import { readEvents } from "../testing/follower.ts";
import { startPooler } from "../testing/pooler.ts";
import { freePort } from "../testing/postgres-server.ts";
import { emptyPostgres, ended, folder, place, run } from "../testing/program.ts";

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

/** Fewer connections than a single server would like. */
const size = 3;

type Pooler = { url: string; leaks: Set<string> };

async function standIn(databaseUrl: string): Promise<Pooler> {
  const pooler = await startPooler(databaseUrl, size);
  closing.push(pooler.end);
  return pooler;
}

const pgbouncer = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find(existsSync);

async function realOne(databaseUrl: string): Promise<Pooler> {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const own = await freePort();
  // If root starts it, it runs under another account.
  await chmod(folder, 0o755);
  await writeFile(
    place("pgbouncer.ini"),
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${size}
`,
  );
  const account = process.getuid?.() === 0 ? ["-u", "postgres"] : [];
  const child: ChildProcess = spawn(pgbouncer as string, [...account, place("pgbouncer.ini")]);
  closing.push(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  for await (const line of child.stderr ?? []) if (String(line).includes("process up")) break;
  const url = new URL(databaseUrl);
  url.port = String(own);
  return { url: url.href, leaks: new Set() };
}

const account = { username: "admin", password: "open sesame, please" };

test.each([
  { pooler: "what stands in for PgBouncer", start: standIn },
  ...(pgbouncer ? [{ pooler: "PgBouncer itself", start: realOne }] : []),
])("servers leave nothing behind on the connections of $pooler, and lose nothing there", async ({ start }) => {
  const { DATABASE_URL } = await emptyPostgres();
  const { url, leaks } = await start(DATABASE_URL);
  const env = { DATABASE_URL: url, DIRECT_DATABASE_URL: DATABASE_URL, ADMIN_PASSWORD: account.password };
  const servers = [await run({ ...env, DEMO: "on" }), await run(env)] as const;
  let turn = 0;
  let authorization = "";
  const send = (call: Endpoint, { params = {}, query = {}, body = undefined as object | undefined } = {}) =>
    fetch(`${servers[turn++ % 2]?.origin()}${pathOf(call, params)}?${new URLSearchParams(query)}`, {
      method: call.method,
      headers: {
        authorization,
        "idempotency-key": `pooled-${turn}`,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const ask = async (...sent: Parameters<typeof send>) => {
    const answer = await send(...sent);
    const text = await answer.text();
    expect(answer.status, `${sent[0].path}: ${text}`).toBeLessThan(300);
    return text;
  };
  authorization = `Bearer ${JSON.parse(await ask(session.login, { body: account })).accessToken}`;
  const [customer] = JSON.parse(await ask(users.list, { query: { sort: "asc" } })).users;
  const { key } = JSON.parse(await ask(website.createApiKey, { body: { name: "Shop" } }));
  const followed = await fetch(servers[0].origin() + events.stream.path, { headers: { authorization } });
  const follower = readEvents(followed);

  const one = { params: { id: customer._id }, body: { balance: 1 } };
  const asOperator = authorization;
  const parcel = { ...someAddresses, discordId: customer.discordId, labelType: "none", weight: 1 };
  const order = async () => {
    authorization = `Bearer ${key}`;
    const answer = send(storefront.createOrder, { body: { ...parcel, fromCountry: "US", toCountry: "US" } });
    authorization = asOperator;
    expect((await answer).status).toBe(404);
  };
  const rounds = 15;
  await Promise.all(
    Array.from({ length: rounds }, async () => {
      await Promise.all([ask(users.addBalance, one), ask(users.addBalance, one), order(), order()]);
      await Promise.all([ask(users.list), ask(orders.list, { query: { search: "an" } }), ask(dashboard.attention)]);
    }),
  );
  await ask(users.export);
  await follower.until(({ data }) => Boolean(data.everything || [data.customers].flat().includes(customer._id)));
  await follower.leave();
  const [now] = JSON.parse(await ask(users.list, { query: { ids: customer._id } })).users;
  expect(now.balance).toBe(customer.balance + 2 * rounds);
  for (const { child, exit } of servers) {
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
  }
  const books = await ended(run(env, "operations/print-books.ts"));
  expect(books.output).toContain("The books balance.");
  expect([...leaks]).toEqual([]);
});

test("the stand-in for PgBouncer notices state that lasts longer than a transaction", async () => {
  const { DATABASE_URL } = await emptyPostgres();
  const { url, leaks } = await standIn(DATABASE_URL);
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of [
    ...["set statement_timeout = 1000", "listen something", "select pg_advisory_lock(7)", "prepare it as select"],
    ...["create temporary table kept ()", "declare held cursor with hold for select"],
  ])
    await client.query(statement);
  await client.query({ name: "named", text: "select $1::int", values: [1] });
  // Within a transaction anything is allowed.
  await client.query("begin; set local lock_timeout = 1; select pg_advisory_xact_lock(8)");
  await client.query("rollback");
  await client.end();
  const noticed = [...leaks].join();
  for (const kind of ["set statement_timeout", "listening to something", "locked 7", "prepared it", "prepared named"])
    expect(noticed).toContain(kind);
  for (const kind of ["temporary kept", "cursor held"]) expect(noticed).toContain(kind);
  expect(noticed).not.toMatch(/lock_timeout|locked 8/);
  const refused = new pg.Client({ connectionString: url, statement_timeout: 1000 });
  await expect(refused.connect()).rejects.toThrow("unsupported startup parameter: statement_timeout");
});
