import { pathOf } from "@footprint/contract/endpoint.ts";
import { users } from "@footprint/contract/users.ts";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { buildApp } from "../app.ts";
import { readConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { webhooks } from "../db/schema.ts";
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

test("metrics tell what waits to be sent to webhooks, since when, and which are paused", async () => {
  const app = await appWith({ env: { METRICS_KEY: metricsKey } });
  const figures = async (): Promise<number[]> => {
    const { body } = await app.inject({ url: "/metrics", headers: { authorization: `Bearer ${metricsKey}` } });
    const figure = (name: string) => Number(new RegExp(`^footprint_webhook${name} (.*)$`, "m").exec(body)?.[1]);
    const asked = ["_waiting", "_oldest_seconds", 's_paused{by="itself"}', 's_paused{by="hand"}'].map(figure);
    // A busy database is not waited for.
    return asked.some(Number.isNaN) ? figures() : asked;
  };
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

test("what is logged of a failed query says where, never what was in it", async () => {
  const failed = await db.execute(sql`select ${"alice's secret"}::int`).catch((error) => error);
  expect(failed.stack).toContain("alice's secret");
  const logged = JSON.stringify(describeError(failed));
  expect(logged).not.toContain("alice");
  expect(logged).toContain("::int");
  expect(logged).toContain("22P02");
});
