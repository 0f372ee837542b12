import { mkdir } from "node:fs/promises";
import { pathOf } from "@footprint/contract/endpoint.ts";
import { users } from "@footprint/contract/users.ts";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { buildApp } from "../app.ts";
import { readConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { backups, settings, webhooks } from "../db/schema.ts";
import { addCustomer } from "../testing/builders.ts";
import { addEvent } from "../testing/events.ts";
import { call, db, origin, tokenOf } from "../testing/server.ts";
import { describeError } from "./logging.ts";

const metricsKey = "a-key-that-only-this-test-knows";
const appWith = (other: { db?: Database; env?: Record<string, string> }) =>
  buildApp({ db: other.db ?? db, config: readConfig({ LOG_LEVEL: "silent", ...other.env }), now: () => new Date() });

test("health is asked without a session: alive, and ready for calls", async () => {
  const answers = await Promise.all(["/healthz", "/readyz"].map((path) => fetch(origin + path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([{ status: "alive" }, { status: "ready" }]);
});

test("a server whose tables were moved on by a newer one is alive, but not ready", async () => {
  await db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9e15::bigint)`);
  try {
    const answer = await fetch(`${origin}/readyz`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await answer.json()).toEqual({
      message: expect.stringContaining("tables are not those of this version: restart this server"),
    });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  } finally {
    await db.execute(sql`delete from drizzle.__drizzle_migrations where hash = 'newer'`);
  }
});

test("beside newer servers that have only added to the tables, a server is ready until something is taken away", async () => {
  const ready = async () => (await fetch(`${origin}/readyz`)).status;
  const step = (hash: string) =>
    db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, 9e15::bigint)`);
  try {
    await step("newer expand");
    expect(await ready()).toBe(200);
    await step("newer contract");
    expect(await ready()).toBe(503);
  } finally {
    await db.execute(sql`delete from drizzle.__drizzle_migrations where hash like 'newer %'`);
  }
});

test("metrics are there for whoever has the key, count calls by path, and name nobody", async () => {
  const app = await appWith({ env: { METRICS_KEY: metricsKey } });
  const customer = await addCustomer({ username: "somebody" });
  await app.inject({
    method: users.addBalance.method,
    url: pathOf(users.addBalance, { id: customer.id }),
    headers: { authorization: `Bearer ${tokenOf("staff")}` },
    payload: { balance: 5 },
  });
  const metrics = (key?: string) =>
    app.inject({ url: "/metrics", headers: key ? { authorization: `Bearer ${key}` } : {} });
  expect((await metrics()).statusCode).toBe(401);
  expect((await metrics("another key")).statusCode).toBe(401);
  const { statusCode, body, headers } = await metrics(metricsKey);
  expect(statusCode).toBe(200);
  expect(headers["content-type"]).toContain("text/plain");
  expect(body).toContain(
    `footprint_call_seconds_count{method="${users.addBalance.method}",path="${users.addBalance.path}",status="200"} 1`,
  );
  expect(body).toContain("nodejs_eventloop_lag_seconds");
  expect(body).toMatch(/^footprint_event_streams \d+$/m);
  expect(body).not.toContain(customer.id);
  expect(body).not.toContain("somebody");
});

test("strangers cannot make the metrics grow, whatever they ask for", async () => {
  const app = await appWith({ env: { METRICS_KEY: metricsKey } });
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const series = async () => {
    const { body } = await app.inject({ url: "/metrics", headers: { authorization: `Bearer ${metricsKey}` } });
    return body.match(/^footprint_call_seconds_count.*?}/gm);
  };
  const ask = async (name: string) => {
    for (const path of ["", "api/v1/", "api/v1/admin/users/read/", "assets/", "api/docs/", "metrics/", "%00", "..%2f"])
      for (const method of ["GET", "PUT", "PROPFIND", "OPTIONS", `${name.replaceAll(/\W/g, "")}X`])
        await fetch(`${address}/${path}${name}?${name}=${name}`, { method, headers: { host: name, origin: name } });
  };
  // Every kind of answer has one, including answers about it.
  for (const name of ["first", "first%22%7D", "first%0a", "%ff", "a".repeat(2000)]) await ask(name);
  await series();
  const before = await series();
  for (const name of ["second", "third%22%7D", "fourth%0a", "%fe", "b".repeat(2001)]) await ask(name);
  expect(await series()).toEqual(before);
  await app.close();
});

/** Reads these metrics of a separate server again and again. */
async function watch(names: string[], env: Record<string, string> = {}) {
  const app = await appWith({ env: { METRICS_KEY: metricsKey, ...env } });
  return async function figures(): Promise<(number | undefined)[]> {
    const { body } = await app.inject({ url: "/metrics", headers: { authorization: `Bearer ${metricsKey}` } });
    // A busy database is not waited for.
    if (!body.includes("footprint_ready 1")) return figures();
    const found = names.map((name) => body.split("\n").find((line) => line.startsWith(`footprint_${name} `)));
    return found.map((line) => (line ? Number(line.split(" ")[1]) : undefined));
  };
}

test("metrics tell what waits to be sent to webhooks, since when, and which are paused", async () => {
  const figures = await watch([
    ...["webhook_waiting", "webhook_oldest_seconds"],
    ...['webhooks_paused{by="itself"}', 'webhooks_paused{by="hand"}'],
  ]);
  expect(await figures()).toEqual([0, 0, 0, 0]);
  const values = { url: "https://shop.example.com/hooks", secret: "whsec_", position: 0 };
  await db.insert(webhooks).values([
    { ...values, events: ["codes.low"] },
    { ...values, pausedAt: sql`now()` },
    { ...values, pausedAt: sql`now()`, pausedByItself: true },
  ]);
  await addEvent({ type: "books.unbalanced", data: {}, secondsAgo: 900 });
  expect(await figures()).toEqual([0, 0, 1, 1]);
  await addEvent({ type: "codes.low", data: {}, secondsAgo: 600 });
  await addEvent({ type: "codes.low", data: {} });
  const [waiting, seconds, ...paused] = await figures();
  expect([waiting, ...paused]).toEqual([2, 1, 1]);
  expect(seconds).toBeGreaterThanOrEqual(600);
  expect(seconds).toBeLessThan(900);
});

test("metrics tell what waits to be numbered, and what the books said last", async () => {
  const figures = await watch(["outbox_waiting", "books_problems", "books_checked_timestamp_seconds"]);
  expect(await figures()).toEqual([0, 0, Number.NaN]);
  const checkedAt = new Date("2026-01-02T03:04:05Z");
  await db.update(settings).set({ booksCheckedAt: checkedAt, booksProblems: ["one", "another"] });
  expect(await figures()).toEqual([0, 2, checkedAt.getTime() / 1000]);
});

test("metrics tell of the last backup that passed its check, and of nothing where none are made", async () => {
  const names = ["backup_every_seconds", "backup_taken_timestamp_seconds", "backup_failed"];
  const figures = await watch(names, { BACKUP_EVERY: "6h" });
  expect(await figures()).toEqual([21_600, 0, 0]);
  const at = (hour: number) => new Date(Date.UTC(2026, 0, 2, hour));
  const row = (hour: number, balanced: boolean | null, problem: string) => ({
    ...{ id: uuidv7(), file: "", begunAt: at(hour), endedAt: at(hour), balanced, problem },
  });
  await db.insert(backups).values(row(3, true, ""));
  expect(await figures()).toEqual([21_600, at(3).getTime() / 1000, 0]);
  await db.insert(backups).values(row(9, null, "no room"));
  expect(await figures()).toEqual([21_600, at(3).getTime() / 1000, 1]);
  expect(await (await watch(names))()).toEqual([undefined, undefined, undefined]);
});

test("metrics of a server that has lost its database tell so, and all that it knows without", async () => {
  const away = new Proxy(db, { get: () => () => Promise.reject(new Error("away")) });
  const app = await appWith({ db: away, env: { METRICS_KEY: metricsKey, BACKUP_EVERY: "6h" } });
  const { statusCode, body } = await app.inject({
    url: "/metrics",
    headers: { authorization: `Bearer ${metricsKey}` },
  });
  expect(statusCode).toBe(200);
  expect(body).toContain("footprint_ready 0\n");
  expect(body).toMatch(/^footprint_backup_taken_timestamp_seconds nan$/im);
  expect(body).toMatch(/^process_resident_memory_bytes \d+$/m);
});

test("without a key there are no metrics", async () => {
  const app = await appWith({});
  expect((await app.inject({ url: "/metrics", headers: { authorization: "Bearer x" } })).statusCode).toBe(404);
});

test("every answer carries its number, and a failure of ours tells it to the operator", async () => {
  const well = await call("staff", users.list);
  expect(well.headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/);
  const broken = new Proxy(db, {
    get: () => {
      throw new Error("broken");
    },
  });
  const app = await appWith({ db: broken });
  const failed = await app.inject({ url: users.list.path, headers: { authorization: `Bearer ${tokenOf("staff")}` } });
  expect(failed.statusCode).toBe(500);
  expect(failed.json().message).toContain(failed.headers["x-request-id"]);
});

test("a failed query is logged with its place, never with its values", async () => {
  const failed = await db.execute(sql`select ${"alice's secret"}::int`).catch((error) => error);
  expect(failed.stack).toContain("alice's secret");
  const logged = JSON.stringify(describeError(failed));
  expect(logged).not.toContain("alice");
  expect(logged).toContain("::int");
  expect(logged).toContain("22P02");
});

test("a folder that cannot be written to is logged as such", async () => {
  const failed = await mkdir("/dev/null/archive").catch((error) => error);
  expect(describeError(failed).message).toBe("ENOTDIR: not a directory, mkdir '/dev/null/archive'");
});
