import { createHook } from "node:async_hooks";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";
import { fedex } from "@footprint/contract/fedex.ts";
import { orders } from "@footprint/contract/orders.ts";
import { session } from "@footprint/contract/session.ts";
import { expect, test } from "vitest";
import { addCustomer, addFedexOrder, addLabelType, addOrder } from "../testing/builders.ts";
import { formWith, pdf } from "../testing/multipart.ts";
import { call, origin, password, send, tokenOf } from "../testing/server.ts";

const acceptingAll = { "accept-encoding": "gzip, deflate, br, zstd", origin: "http://localhost:5173" };

test("a list goes out as gzip to clients that take it, and is kept by nobody", async () => {
  for (let count = 0; count < 10; count++) await addOrder();
  const answer = await call("staff", orders.list, { headers: acceptingAll });
  expect(answer.body.orders).toHaveLength(10);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-encoding": "gzip",
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    vary: "Origin, accept-encoding",
  });
  for (const accepted of ["identity", "br", "gzip;q=0, br", "gzip; q=0.000"]) {
    const plain = await call("staff", orders.list, { headers: { "accept-encoding": accepted } });
    expect([accepted, plain.headers.get("content-encoding")]).toEqual([accepted, null]);
    expect(plain.body).toEqual(answer.body);
    expect(plain.headers.get("vary")).toContain("accept-encoding");
  }
});

test("a refusal is not compressed: anybody could ask for it without end", async () => {
  const answer = await fetch(`${origin}/api/${"x".repeat(5_000)}`, { headers: acceptingAll });
  expect([answer.status, answer.headers.get("content-encoding")]).toEqual([404, null]);
});

test("a long answer is compressed too", async () => {
  const labelType = await addLabelType();
  const customer = await addCustomer();
  for (let count = 0; count < 100; count++) await addOrder({ customer, labelType, fromStreet: "x".repeat(600) });
  const answer = await call("staff", orders.list, { query: { limit: 100 }, headers: acceptingAll });
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  expect(answer.body.orders).toHaveLength(100);
});

test("a reply with a token is never compressed: its length tells nothing", async () => {
  const answer = await call("nobody", session.login, { body: { username: "admin", password }, headers: acceptingAll });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-encoding")).toBeNull();
});

test("a file is sent as it was received", async () => {
  const { id } = await addFedexOrder();
  const content = Buffer.concat([pdf, Buffer.alloc(5000, "compressible ")]);
  await call("staff", fedex.update, { params: { id }, form: formWith({ file: new Blob([content]) }) });
  const answer = await send("staff", fedex.file, { params: { id }, headers: acceptingAll });
  expect(answer.headers.get("content-encoding")).toBeNull();
  expect(answer.headers.get("content-length")).toBe(String(content.length));
  expect(Buffer.from(await answer.bytes()).equals(content)).toBe(true);
});

test.for([
  ["/api/openapi.json", "application/json; charset=utf-8"],
  ["/api/docs", "text/html; charset=utf-8"],
] as const)("%s is compressed, and 304 to clients that have it already", async ([path, type]) => {
  const answer = await fetch(origin + path, { headers: acceptingAll });
  const etag = answer.headers.get("etag") ?? "";
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-encoding": "gzip",
    "content-type": type,
    "cache-control": "no-cache",
  });
  const text = await answer.text();
  expect(text.length).toBeGreaterThan(10_000);
  // Compressed better than a reply is, because it is done once and not for this caller.
  expect(Number(answer.headers.get("content-length"))).toBeLessThan(gzipSync(text, { level: 1 }).length);
  expect(await (await fetch(origin + path, { headers: { "accept-encoding": "identity" } })).text()).toBe(text);

  const again = await fetch(origin + path, { headers: { ...acceptingAll, "if-none-match": etag } });
  expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
  expect(again.headers.get("vary")).toBe(answer.headers.get("vary"));
  const older = await fetch(origin + path, { headers: { ...acceptingAll, "if-none-match": 'W/"older"' } });
  expect(older.status).toBe(200);
});

/** How often something was compressed for this caller. */
async function compressionsFor(path: string, headers: Record<string, string> = {}): Promise<number> {
  let compressions = 0;
  const hook = createHook({
    init(_, type) {
      if (type === "ZLIB") compressions++;
    },
  }).enable();
  const [answer] = (await once(get(origin + path, { headers: { ...acceptingAll, ...headers } }), "response")) as [
    IncomingMessage,
  ];
  await answer.toArray();
  hook.disable();
  return compressions;
}

test("public answers are compressed once, not for each caller", async () => {
  for (let count = 0; count < 10; count++) await addOrder();
  expect(await compressionsFor(orders.list.path, { authorization: `Bearer ${tokenOf("staff")}` })).toBe(1);
  const open = ["/", "/orders", "/robots.txt", "/api/docs", "/api/openapi.json", `/api/${"x".repeat(5_000)}`];
  for (const path of open) {
    // The first caller's request compresses it for all.
    await compressionsFor(path);
    expect([path, await compressionsFor(path)]).toEqual([path, 0]);
  }
});
