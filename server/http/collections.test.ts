import { crc32 } from "node:zlib";
import { type Endpoint, pathOf } from "@footprint/contract/endpoint.ts";
import { outbox } from "@footprint/contract/outbox.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers } from "../db/schema.ts";
import { openShop } from "../testing/selling.ts";
import { db, origin } from "../testing/server.ts";
import { collectionPaths } from "./openapi.ts";

type Field = { key: string; value: string; disabled?: boolean };
type Item = {
  name: string;
  request: {
    method: string;
    header: Field[];
    url: { raw: string; host: string[]; path: string[]; query: Field[]; variable: Field[] };
    body?: { mode: string; raw: string };
  };
};
type Collection = { info: { name: string; schema: string }; item: Item[]; variable: Field[]; auth: unknown };

const calls: Record<string, Endpoint> = { ...storefront, ...outbox };
const sent = (fields: Field[]) => fields.filter(({ disabled }) => !disabled);

async function postman() {
  const answer = await fetch(origin + collectionPaths.postman);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  return (await answer.json()) as Collection;
}

/** The files in a ZIP file without compression, each found through the directory at its end. */
function unzip(bytes: Buffer): Record<string, string> {
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  const files: Record<string, string> = {};
  let place = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    expect(bytes.readUInt32LE(place)).toBe(0x02014b50);
    const [sum, size, nameSize] = [
      bytes.readUInt32LE(place + 16),
      bytes.readUInt32LE(place + 24),
      bytes.readUInt16LE(place + 28),
    ];
    const head = bytes.readUInt32LE(place + 42);
    expect(bytes.readUInt32LE(head)).toBe(0x04034b50);
    const begin = head + 30 + nameSize;
    const content = bytes.subarray(begin, begin + size);
    expect(crc32(content)).toBe(sum);
    files[bytes.toString("utf8", place + 46, place + 46 + nameSize)] = content.toString();
    place += 46 + nameSize;
  }
  expect(place).toBe(end);
  return files;
}

async function bruno() {
  const answer = await fetch(origin + collectionPaths.bruno);
  expect(answer.headers.get("content-type")).toBe("application/zip");
  return unzip(Buffer.from(await answer.arrayBuffer()));
}

/** The blocks of a Bruno file, each with its lines; nothing else is between them. */
function blocksIn(text: string): Record<string, string[]> {
  const block = /^([\w:]+) (?:\{\n(.*?)^\}|\[\n(.*?)^\])\n/gms;
  expect(text.replace(block, "").trim()).toBe("");
  return Object.fromEntries(
    Array.from(text.matchAll(block), ([, name, lines, items]) => [
      name,
      (lines ?? items ?? "")
        .split("\n")
        .filter(Boolean)
        .map((line) => line.replace(/^ {2}/, "")),
    ]),
  );
}

test("the Postman collection has every call of a shop's, as version 2.1 writes them", async () => {
  const { info, item, variable, auth } = await postman();
  expect(info.schema).toBe("https://schema.getpostman.com/json/collection/v2.1.0/collection.json");
  expect(variable.map(({ key }) => key)).toEqual(["host", "key"]);
  expect(auth).toEqual({ type: "bearer", bearer: [{ key: "token", value: "{{key}}", type: "string" }] });
  expect(item.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort());
  for (const { name, request } of item) {
    const call = calls[name] as Endpoint;
    const { method, url, header, body } = request;
    expect([method, `/${url.path.join("/")}`]).toEqual([call.method, call.path]);
    expect(url.host).toEqual(["{{host}}"]);
    const query = sent(url.query).map(({ key, value }) => `${key}=${value}`);
    expect(url.raw).toBe(`{{host}}${call.path}${query.length > 0 ? `?${query.join("&")}` : ""}`);
    expect(url.query.map(({ key }) => key)).toEqual(Object.keys(call.query?.shape ?? {}));
    expect(url.variable.map(({ key }) => key)).toEqual(Object.keys(call.params?.shape ?? {}));
    expect(sent(header).some(({ key }) => key === "Idempotency-Key")).toBe(call.idempotent === "required");
    if (call.body) expect(call.body.safeParse(JSON.parse(body?.raw ?? "")).error).toBeUndefined();
    else expect(body).toBeUndefined();
  }
});

test("every request of the Postman collection does what it says", async () => {
  const { key } = await openShop({ customer: { discordId: "somebody", username: "somebody" } });
  const { item } = await postman();
  const statuses: Record<string, number> = {};
  for (const { name, request } of item) {
    const { method, header, url, body } = request;
    const params = Object.fromEntries(url.variable.map(({ key, value }) => [key, value || uuidv7()]));
    const query = new URLSearchParams(sent(url.query).map(({ key, value }): [string, string] => [key, value]));
    const headers = sent(header).map(({ key, value }): [string, string] => [key, value.replace("{{$guid}}", uuidv7())]);
    const answer = await fetch(`${origin}${pathOf(calls[name] as Endpoint, params)}?${query}`, {
      method,
      headers: [...headers, ["authorization", `Bearer ${key}`]],
      ...(body && { body: body.raw }),
    });
    statuses[name] = answer.status;
    // The first request creates a customer. Staff verify them, and they pay.
    if (name === "putCustomer")
      await db
        .update(customers)
        .set({ verifiedAt: new Date(), balanceCents: 5_000 })
        .where(eq(customers.discordId, "4711"));
  }
  const expected = Object.entries(calls).map(([name, call]) => [
    name,
    "id" in (call.params?.shape ?? {}) ? 404 : (call.status ?? 200),
  ]);
  expect(statuses).toEqual(Object.fromEntries(expected));
});

test("the Bruno folder has the same requests", async () => {
  const { item } = await postman();
  const { "bruno.json": described = "", "collection.bru": shared = "", ...files } = await bruno();
  expect(JSON.parse(described)).toMatchObject({ version: "1", type: "collection" });
  expect(blocksIn(shared)).toEqual({ auth: ["mode: bearer"], "auth:bearer": ["token: {{key}}"] });
  const { "environments/Footprint.bru": environment = "", ...requests } = files;
  expect(blocksIn(environment)).toEqual({ vars: ["host: http://localhost:7400"], "vars:secret": ["key"] });
  expect(Object.keys(requests)).toEqual(item.map(({ name }) => `${name}.bru`));
  for (const [place, { name, request }] of item.entries()) {
    const { method, url, body } = request;
    const blocks = blocksIn(requests[`${name}.bru`] ?? "");
    expect(blocks.meta).toEqual([`name: ${name}`, "type: http", `seq: ${place + 1}`]);
    const mode = body ? "json" : "none";
    expect(blocks[method.toLowerCase()]).toEqual([`url: ${url.raw}`, `body: ${mode}`, "auth: inherit"]);
    const lines = (fields: Field[]) =>
      fields.map(({ key, value, disabled }) => `${disabled ? "~" : ""}${key}: ${value}`);
    expect(blocks["params:query"] ?? []).toEqual(lines(url.query));
    expect(blocks["params:path"] ?? []).toEqual(lines(url.variable));
    expect(blocks["body:json"]?.join("\n")).toBe(body?.raw);
  }
});

test("the API's page leads to both", async () => {
  const page = await (await fetch(`${origin}/api/docs`)).text();
  for (const path of Object.values(collectionPaths)) expect(page).toContain(`href="${path}" download`);
});
