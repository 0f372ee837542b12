import { createHook } from "node:async_hooks";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { type Endpoint, pathOf } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { type Role, session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { website } from "@footprint/contract/website.ts";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createKey } from "../accounts/api-keys.ts";
import { buildApp, features } from "../app.ts";
import { readConfig } from "../config.ts";
import { uuidv7 } from "../db/ids.ts";
import { apiKeys, sessions } from "../db/schema.ts";
import { addFedexOrder, someAddresses } from "../testing/builders.ts";
import { formWith } from "../testing/multipart.ts";
import { addAccount, call, db, logRows, origin, password, send } from "../testing/server.ts";

const doors: Endpoint[] = Object.values(features)
  .flatMap(({ feature }) => Object.values(feature) as Endpoint[])
  .filter(({ access }) => access !== "public");

// Nonsense on purpose: a caller who is not let in is not listened to.
const nonsense = { params: { id: "nonsense", discordId: "nonsense", type: "nonsense", day: "nonsense" } };

const otherCase = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

type Sent = { headers?: Record<string, string>; query?: Record<string, string> };

/** Credentials that must not work; `forShops` for calls that take a shop's key. */
const attempts: Record<string, (forShops: boolean) => Promise<Sent>> = {
  "the token of a deleted account": async () => {
    const { id, token } = await newcomer("staff");
    await call("admin", staff.delete, { params: { id } });
    return bearer(token);
  },
  "a token that was signed out": async () => {
    const account = await newcomer();
    await call(account, session.logout);
    return bearer(account.token);
  },
  "a token unused for 12 hours": async () => {
    const { id, token } = await newcomer();
    await db
      .update(sessions)
      .set({ lastUsedAt: sql`now() - interval '12 hours 1 second'` })
      .where(eq(sessions.accountId, id));
    return bearer(token);
  },
  "a token of 7 days ago": async () => {
    const { id, token } = await newcomer();
    await db
      .update(sessions)
      .set({ createdAt: sql`now() - interval '7 days 1 second'` })
      .where(eq(sessions.accountId, id));
    return bearer(token);
  },
  "the key of a deleted shop": async () => {
    const key = await newKey();
    await db.delete(apiKeys);
    return bearer(key);
  },
  "a credential of the other kind": async (forShops) => bearer(await (forShops ? adminToken() : newKey())),
  "what the database keeps of a credential": async (forShops) => {
    await good(forShops);
    const [key] = await db.select().from(apiKeys);
    const [open] = await db.select().from(sessions);
    return bearer((forShops ? key?.keyHash : open?.tokenHash) ?? "");
  },
  "a credential in other letters": async (forShops) => bearer(otherCase(await good(forShops))),
  "a credential and a bit": async (forShops) => bearer(`${await good(forShops)}A`),
  "most of a credential": async (forShops) => bearer((await good(forShops)).slice(0, -1)),
  "two credentials": async (forShops) => bearer(`${await good(forShops)}, Bearer ${await good(forShops)}`),
  "another scheme": async (forShops) => ({ headers: { authorization: `Token ${await good(forShops)}` } }),
  "a user and password": async () => ({ headers: { authorization: `Basic ${btoa(`admin:${password}`)}` } }),
  "a credential without a scheme": async (forShops) => ({ headers: { authorization: await good(forShops) } }),
  "a credential in the query": async (forShops) => {
    const credential = await good(forShops);
    return { query: { access_token: credential, token: credential, authorization: `Bearer ${credential}` } };
  },
  "a credential in the cookie alone": async (forShops) => ({
    headers: { cookie: `footprint=${await good(forShops)}` },
  }),
  "a credential in other headers": async (forShops) => {
    const credential = await good(forShops);
    return {
      headers: { "x-api-key": credential, "proxy-authorization": `Bearer ${credential}`, "x-access-token": credential },
    };
  },
};

let made = 0;
const newcomer = (role: Role = "admin") => addAccount(`somebody-${made++}`, role);
const adminToken = async () => (await newcomer()).token;
const newKey = () => db.transaction((tx) => createKey(tx, { name: uuidv7() }));
let known: { forShops: boolean; credential: string } | undefined;

/** A credential that works. */
async function good(forShops: boolean) {
  if (known?.forShops !== forShops) known = { forShops, credential: await (forShops ? newKey() : adminToken()) };
  return known.credential;
}

test.for(Object.entries(attempts))("%s opens nothing", async ([, attempt]) => {
  for (const forShops of [false, true]) {
    known = undefined;
    const sent = await attempt(forShops);
    const logged = (await logRows()).length;
    const own = doors.filter(({ access }) => (access === "storefront") === forShops);
    const answers = await Promise.all(own.map((door) => call("nobody", door, { ...nonsense, ...sent } as never)));
    const message = forShops ? "Send a valid API key" : "Sign in to continue";
    expect(answers.map(({ status, body }) => [status, body])).toEqual(own.map(() => [401, { message }]));
    expect(await logRows()).toHaveLength(logged);

    known = undefined;
    const door: Endpoint = forShops ? storefront.paymentSettings : session.access;
    expect((await call("nobody", door, bearer(await good(forShops)) as never)).status).toBe(200);
  }
});

test("a stranger is answered before anything of the body has arrived", async () => {
  const answers = doors
    .filter(({ method }) => method !== "GET" && method !== "DELETE")
    .map(async (door) => {
      const request = httpRequest(origin + pathOf(door, nonsense.params), {
        method: door.method,
        headers: { "content-type": "application/json", "content-length": 1000, authorization: "Bearer nobody" },
      });
      request.on("error", () => {});
      request.flushHeaders();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      request.destroy();
      return response.statusCode;
    });
  expect(new Set(await Promise.all(answers))).toEqual(new Set([401]));
});

/** Signs in from another address of this machine, as from another machine. */
async function signInFrom(
  localAddress: string,
  username: string,
  secret: string,
  headers: Record<string, string> = {},
) {
  const request = httpRequest(origin + session.login.path, {
    method: "POST",
    localAddress,
    headers: { "content-type": "application/json", ...headers },
  });
  request.end(JSON.stringify({ username, password: secret }));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test("who invents addresses in X-Forwarded-For is counted as one", async () => {
  const forwarded = (place: number) => ({
    "x-forwarded-for": `198.51.100.${place}`,
    forwarded: `for=198.51.100.${place}`,
  });
  for (let place = 1; place <= 5; place++)
    expect(await signInFrom("127.0.0.1", "admin", "wrong", forwarded(place))).toBe(401);
  expect(await signInFrom("127.0.0.1", "admin", "wrong", forwarded(6))).toBe(429);
});

test("nobody is locked out from elsewhere", async () => {
  for (let tries = 0; tries < 7; tries++) await signInFrom("127.0.0.2", "admin", "wrong");
  expect(await signInFrom("127.0.0.2", "admin", password)).toBe(429);
  expect(await signInFrom("127.0.0.1", "admin", password)).toBe(200);
});

/** How often a password was hashed or checked meanwhile: these are the only unnamed jobs for other threads. */
async function hashingsDuring(work: () => Promise<unknown>): Promise<number> {
  let hashings = 0;
  const hook = createHook({
    init(_, type) {
      if (type === "undefined") hashings++;
    },
  }).enable();
  await work();
  hook.disable();
  return hashings;
}

test("an unknown username costs as much work as a wrong password, and gets the same answer to the byte", async () => {
  const answers: unknown[] = [];
  const signIn = (username: string) => async () => {
    const response = await send("nobody", session.login, { body: { username, password: "not the password" } });
    const headers = [...response.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
    answers.push([response.status, headers, await response.text()]);
  };
  expect(await hashingsDuring(signIn("admin"))).toBe(1);
  expect(await hashingsDuring(signIn("nimda"))).toBe(1);
  expect(answers[1]).toEqual(answers[0]);
});

/** Every kind of answer that the server gives. */
const answers: Record<string, () => Promise<Response>> = {
  "a list": () => send("admin", staff.list),
  "a sign-in": () => send("nobody", session.login, { body: { username: "admin", password } }),
  "a stranger": () => send("nobody", staff.list),
  "someone without the right": () => send("staff", staff.list),
  nonsense: () => send("admin", staff.delete, { params: { id: "nonsense" } }),
  "no JSON": () =>
    fetch(origin + session.login.path, { method: "POST", headers: { "content-type": "application/json" }, body: "{" }),
  "another type": () =>
    fetch(origin + session.login.path, { method: "POST", headers: { "content-type": "text/xml" }, body: "<a/>" }),
  "too much": () =>
    fetch(origin + session.login.path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `"${"x".repeat(2_000_000)}"`,
    }),
  "no such call": () => fetch(`${origin}/api/v1/nothing`),
  "no such asset": () => fetch(`${origin}/assets/nothing.js`),
  "no such method": () => fetch(origin + staff.list.path, { method: "PATCH" }),
  "an address that is none": () => fetch(`${origin}/%zz`),
  "a preflight": () =>
    fetch(origin + staff.list.path, {
      method: "OPTIONS",
      headers: { origin: "http://localhost:5173", "access-control-request-method": "GET" },
    }),
  "the panel": () => fetch(origin),
  "the API's description": () => fetch(`${origin}/api/openapi.json`),
  "the API's page": () => fetch(`${origin}/api/docs`),
  "a file": async () => {
    const { id } = await addFedexOrder();
    await call("admin", fedex.update, { params: { id }, form: formWith({ file: new Blob(["%PDF-1.7\n"]) }) });
    return send("admin", fedex.file, { params: { id } });
  },
  "an image": async () => {
    await call("admin", website.updateCashapp, { form: formWith({ image: new Blob(["GIF89a"]) }) });
    const { body } = await call("admin", website.getCashapp);
    return fetch(origin + body.cashapp.image);
  },
};

const fixed = {
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": expect.stringContaining("camera=()"),
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

test.for(Object.entries(answers))("the answer to %s tells browsers what they may not do", async ([name, answer]) => {
  const response = await answer();
  await response.body?.cancel();
  const headers = Object.fromEntries(response.headers);
  expect(headers).toMatchObject(fixed);
  expect(headers["cross-origin-resource-policy"]).toBe(name === "an image" ? "cross-origin" : "same-origin");
  expect(headers).not.toHaveProperty("server");
  expect(headers).not.toHaveProperty("x-powered-by");
  expect(headers).not.toHaveProperty("set-cookie");

  const policy = new Map(
    headers["content-security-policy"]?.split(";").map((rule) => {
      const [directive = "", ...sources] = rule.trim().split(/\s+/);
      return [directive, sources];
    }),
  );
  expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
  const scripts = policy.get("script-src") ?? policy.get("default-src");
  const isPanel = !["a file", "an image", "an address that is none"].includes(name);
  expect(scripts).toEqual([isPanel ? "'self'" : "'none'"]);
  expect(policy.get("frame-src")).toEqual(isPanel ? ["blob:"] : undefined);
});

test.for<[string, string, boolean]>([
  ["http://localhost:5173", "development", true],
  ["http://localhost", "development", true],
  ["https://panel.example.com", "development", true],
  ["https://panel.example.com", "production", true],
  ["http://localhost:5173", "production", false],
  ["http://panel.example.com", "production", false],
  ["https://panel.example.com:8443", "production", false],
  ["https://panel.example.com.evil.com", "production", false],
  ["https://evil-panel.example.com", "production", false],
  ["https://panelxexample.com", "production", false],
  ["null", "production", false],
  ["null", "development", false],
  ["http://localhost.evil.com", "development", false],
  ["http://localhost:5173.evil.com", "development", false],
  ["http://evil.com/http://localhost:5173", "development", false],
  ["http://evillocalhost:5173", "development", false],
  ["http://localhost:5173\u0000.evil.com", "development", false],
  ["http://127.0.0.1:5173", "development", false],
  ["file://localhost", "development", false],
])("a page of %s in %s is let in: %s", async ([page, mode, allowed]) => {
  const config = readConfig({ NODE_ENV: mode, PANEL_ORIGINS: "https://panel.example.com", LOG_LEVEL: "silent" });
  const app = await buildApp({ db, config, now: () => new Date() });
  for (const method of ["GET", "OPTIONS"] as const) {
    const { headers } = await app.inject({
      method,
      url: staff.list.path,
      headers: { origin: page, "access-control-request-method": "GET" },
    });
    expect(headers["access-control-allow-origin"]).toBe(allowed ? page : undefined);
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
    expect(String(headers.vary).toLowerCase()).toContain("origin");
  }
  await app.close();
});

test.for<[string, string, string]>([
  ["a page that is also a GIF", "GIF89a/*<html><script>alert(1)</script>*/=1;", "image/gif"],
  ["a page that is also a PDF", "%PDF-1.7\n<html><script>alert(1)</script></html>", "application/pdf"],
])("%s is sent as what its first bytes say, to be saved and not run", async ([, content, type]) => {
  const { id } = await addFedexOrder();
  const form = formWith({ file: new Blob([content], { type: "text/html" }) }, "page.html");
  expect((await call("admin", fedex.update, { params: { id }, form })).status).toBe(200);
  const { headers } = await send("admin", fedex.file, { params: { id } });
  expect(headers.get("content-type")).toBe(type);
  expect(headers.get("content-disposition")).toMatch(/^attachment;/);
  expect(headers.get("content-security-policy")).toContain("sandbox");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test.for([
  "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
  "<?xml version='1.0'?><svg/>",
  "%PDF-1.7",
  "<html>GIF89a",
])("the image that everybody may see is never %j", async (content) => {
  const form = formWith({ image: new Blob([content], { type: "image/png" }) }, "qr.png");
  expect((await call("admin", website.updateCashapp, { form })).status).toBe(415);
  expect((await call("admin", website.getCashapp)).body.cashapp.image).toBe(null);
});

test.for(["=1+1", "+1", "-1", "@SUM(1)", "=cmd|' /C calc'!A0"])(
  "a tracking code cannot be %j, which a spreadsheet would compute when it is pasted",
  async (tracking) => {
    const body = {
      ...someAddresses,
      fromCountry: "US",
      toCountry: "US",
      labelType: "any",
      discordId: "any",
      weight: 1,
    };
    const { status, body: answer } = await call({ token: await newKey() }, storefront.createOrder, {
      headers: { "idempotency-key": "any" },
      body: { ...body, tracking },
    });
    expect([status, answer.issues]).toEqual([
      400,
      [{ path: "body.tracking", message: expect.stringContaining("begins with a letter or a digit") }],
    ]);
  },
);

test.for([
  { TRUST_PROXY: "0.0.0.0/1, 128.0.0.0/1" },
  { TRUST_PROXY: "2000::/3" },
  { TRUST_PROXY: "::ffff:0.0.0.0/97" },
  { TRUST_PROXY: "0:0:0:0:0:ffff:0:0/97" },
  { TRUST_PROXY: "::/16" },
  { PANEL_ORIGINS: "https://*.example.com" },
  { API_HOST: "https://a;script-src" },
  { API_HOST: "https://*" },
])("%j is refused: it would trust more than one meant", (env) => {
  expect(() => readConfig(env)).toThrow(`${Object.keys(env)[0]} is "`);
});

test("networks and hosts of one's own are taken", () => {
  const own = { TRUST_PROXY: "10.0.0.0/8, fd00::/16, ::1", API_HOST: "https://[::1]:7400" };
  expect(readConfig(own)).toMatchObject({ trustProxy: own.TRUST_PROXY, apiHost: own.API_HOST });
});
