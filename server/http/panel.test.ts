import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerError } from "./errors.ts";
import { servePanel } from "./panel.ts";

const page = "<!doctype html><title>Footprint</title><p>The panel</p>";
const script = "console.log('the panel');".repeat(20);
const forever = "public, max-age=31536000, immutable";

let folder: string;
let app: FastifyInstance;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "footprint-panel-"));
  // A checkout may lie anywhere, even below a folder called assets.
  const panel = join(folder, "assets", "dist");
  await mkdir(join(panel, "assets"), { recursive: true });
  for (const [name, content] of Object.entries({ "index.html": page, "theme.js": script, "assets/a-1f.js": script })) {
    await writeFile(join(panel, name), content);
    await writeFile(join(panel, `${name}.br`), brotliCompressSync(content));
    await writeFile(join(panel, `${name}.gz`), gzipSync(content));
  }
  await writeFile(join(panel, "assets", "tiny-2f.js"), "1");
  app = Fastify();
  app.setErrorHandler(answerError);
  await servePanel(app, panel);
  origin = await app.listen({ port: 0, host: "127.0.0.1" });
});

afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(origin + path, { headers });
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    encoding: header("content-encoding"),
    type: header("content-type"),
    vary: header("vary"),
    caching: header("cache-control"),
    etag: header("etag") ?? "",
    text: await response.text(),
  };
}

test.for([
  ["/assets/a-1f.js", "application/javascript; charset=utf-8", script],
  ["/theme.js", "application/javascript; charset=utf-8", script],
  ["/", "text/html; charset=utf-8", page],
  ["/orders", "text/html; charset=utf-8", page],
] as const)("%s goes out as the browser takes it: brotli, gzip or plain", async ([path, type, text]) => {
  for (const [accepted, encoding] of [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["identity", null],
  ] as const) {
    const answer = await get(path, { "accept-encoding": accepted });
    expect(answer).toMatchObject({ status: 200, encoding, type, text, vary: "accept-encoding" });
  }
});

test("a file that does not shrink goes out plain, whatever is accepted", async () => {
  expect(await get("/assets/tiny-2f.js", { "accept-encoding": "br, gzip" })).toMatchObject({
    encoding: null,
    text: "1",
  });
});

test("only a file whose name holds its hash is kept forever", async () => {
  const caching = async (path: string) => (await get(path)).caching;
  expect(await caching("/assets/a-1f.js")).toBe(forever);
  for (const path of ["/", "/index.html", "/orders", "/theme.js"]) expect(await caching(path)).toBe("no-cache");
});

test.for(["/", "/orders", "/users/0198a1b2-0000-7000-8000-000000000000", "/theme.js"])(
  "who has %s already is told so",
  async (path) => {
    // As a browser asks again; plain fetch would say no-cache, which asks for the whole file.
    const headers = { "accept-encoding": "br", "cache-control": "max-age=0" };
    const { etag } = await get(path, headers);
    expect(await get(path, { ...headers, "if-none-match": etag })).toMatchObject({ status: 304, etag, text: "" });
    expect((await get(path, { ...headers, "if-none-match": 'W/"older"' })).status).toBe(200);
  },
);

test("the page is served at a search of two hundred letters of any script", async () => {
  const { status, headers } = await fetch(`${origin}/orders?${new URLSearchParams({ search: "荷".repeat(200) })}`);
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect((await fetch(`${origin}/${"a".repeat(1_000)}`)).status).toBe(404);
});

test("the page of an address can be asked about", async () => {
  const { status, headers } = await fetch(`${origin}/orders`, { method: "HEAD" });
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect((await fetch(`${origin}/orders`, { method: "POST" })).status).toBe(404);
});

test("an address with doubled slashes or characters that no file's name has is the panel's like any other", async () => {
  // Written by hand, since fetch turns a backslash into a slash.
  for (const path of ["//orders", "/orders//", "///", "/users/%00", "/users/%5C", "/orders\\"])
    expect([path, (await app.inject(path)).body]).toEqual([path, page]);
  for (const path of ["//api/v1/auth/admin-access", "//assets/a-1f.js", "//admin/nothing", "//.env", "//favicon.ico"])
    expect(await get(path)).toMatchObject({ status: 404, text: `{"message":"There is nothing at GET ${path}"}` });
});

test("a compressed file has no address of its own", async () => {
  expect((await get("/assets/a-1f.js.br")).status).toBe(404);
  expect((await get("/index.html.gz")).status).toBe(404);
});

test("a missing address below assets, api or admin, or one that looks like a file, is 404 instead of the page", async () => {
  const missing = ["/assets/old-0f.js", "/api/v1/nothing", "/api", "/admin/nothing", "/favicon.ico", "/wp-login.php"];
  for (const path of [...missing, "/.env", "/.well-known/security", "/users/list.json"]) {
    expect(await get(path)).toMatchObject({ status: 404, text: `{"message":"There is nothing at GET ${path}"}` });
  }
});

test("search engines are asked to stay away", async () => {
  expect(await get("/robots.txt")).toMatchObject({
    status: 200,
    type: "text/plain; charset=utf-8",
    text: "User-agent: *\nDisallow: /\n",
  });
});

test("a panel that is built anew while the server runs is served", async () => {
  const panel = join(folder, "assets", "dist");
  await writeFile(join(panel, "assets", "b-3f.js"), script);
  expect(await get("/assets/b-3f.js")).toMatchObject({ status: 200, text: script, caching: forever });
  await mkdir(join(panel, ".vite"));
  await writeFile(join(panel, ".vite", "manifest.json"), "{}");
  expect((await get("/.vite/manifest.json")).status).toBe(404);
});
