import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathOf } from "@footprint/contract/endpoint.ts";
import { session } from "@footprint/contract/session.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { type TOTP, URI } from "otpauth";
import { expect, test, vi } from "vitest";
import { readConfig, StartError } from "../config.ts";
import { openEngine } from "../db/engine.ts";
import {
  admin,
  books,
  emptyPostgres,
  ended,
  folder,
  migratedPostgres,
  putDatabase,
  run,
  signIn,
} from "../testing/program.ts";

/** The folders, from this one down, that other accounts may enter. */
async function openToOthers(path: string): Promise<string[]> {
  const found = (await stat(path)).mode & 0o077 ? [path] : [];
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) found.push(...(await openToOthers(join(path, entry.name))));
  return found;
}

/** Runs the program with a umask that opens everything to everybody. */
function runUnguarded(...start: Parameters<typeof run>) {
  const mask = process.umask(0);
  const started = run(...start);
  process.umask(mask);
  return started;
}

test("of many first starts at once one gets the folder, closes it to others, makes an admin, prints the password once and loads the demo", async () => {
  await chmod(folder, 0o777);
  const starts = await Promise.all(Array.from({ length: 3 }, () => runUnguarded({ DEMO: "" })));
  const [first, ...others] = starts.filter(({ output }) => output().includes("is ready at"));
  if (!first) throw new Error("none is ready");
  expect(others).toEqual([]);
  expect(first.output()).toContain("Loaded a demo business");
  expect(first.password()).toMatch(/^\w{5}-\w{5}-\w{5}-\w{5}$/);
  expect(await signIn(first.origin(), "admin", first.password())).toBe(200);
  expect(await openToOthers(folder)).toEqual([]);
  const kept = join(folder, "backups", "first.gz");
  const backup = await runUnguarded({}, "operations/backup/backup.ts", [kept]);
  expect([await backup.exit, backup.output()]).toEqual([0, expect.stringContaining("Backed up")]);
  expect((await stat(kept)).mode & 0o777).toBe(0o600);
  expect(await openToOthers(folder)).toEqual([]);

  const file = join(folder, "example-shop.json");
  const shop = JSON.parse(await readFile(file, "utf8"));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(shop.customers).toHaveLength(4);
  for (const { discordId, username } of shop.customers) {
    const asked = `${first.origin()}${storefront.orders.path}?discordId=${discordId}`;
    const answer = await fetch(asked, { headers: { authorization: `Bearer ${shop.key}` } });
    expect(await answer.json()).toMatchObject({ total: expect.toSatisfy((total) => total > 0) });
    const known = await fetch(first.origin() + pathOf(storefront.getCustomer, { discordId }), {
      headers: { authorization: `Bearer ${shop.key}` },
    });
    expect(await known.json()).toMatchObject({ customer: { username, isVerified: true, status: true } });
  }
  first.child.kill("SIGTERM");
  expect(await first.exit).toBe(0);
  expect((await books({})).output).toContain("The books balance.");

  // As an earlier version left it.
  const database = join(folder, "postgres");
  for (const name of await readdir(database, { recursive: true })) await chmod(join(database, name), 0o777);
  const second = await run({ DEMO: "" });
  expect(await openToOthers(folder)).toEqual([]);
  expect(second.password()).toBe("");
  expect(await signIn(second.origin(), "admin", first.password())).toBe(200);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual(shop);
  second.child.kill("SIGTERM");
  await second.exit;

  expect((await ended(run({}, "demo/remove.ts"))).output).toContain("The demo business is gone");
  expect(await stat(file).catch(({ code }) => code)).toBe("ENOENT");
  const third = await run({ DEMO: "" });
  expect(third.output()).not.toContain("Loaded a demo business");
  const refused = await fetch(third.origin() + storefront.paymentSettings.path, {
    headers: { authorization: `Bearer ${shop.key}` },
  });
  expect(refused.status).toBe(401);
  expect(await stat(file).catch(({ code }) => code)).toBe("ENOENT");
});

test("a second start in the same folder is refused and the first goes on; after kill -9 it opens at once with everything in it and beside it; SIGTERM lets running requests finish", async () => {
  await putDatabase();
  await mkdir(join(folder, "copy-of-contracts"));
  await writeFile(join(folder, "copy-letter.txt"), "Dear all");
  const elsewhere = await mkdtemp(join(tmpdir(), "footprint-elsewhere-"));
  await chmod(elsewhere, 0o755);
  await symlink(elsewhere, join(folder, "postgres-before-0001"));

  const first = await run({});
  const second = await run({});
  expect(await second.exit).toBe(1);
  expect(second.output()).toBe(
    `The data folder ${folder} is in use: stop the other Footprint, or set DATA_DIR to another folder.`,
  );
  expect(await signIn(first.origin(), "admin", first.password())).toBe(200);
  first.child.kill("SIGKILL");
  await first.exit;

  const { origin, child, exit } = await run({});
  expect(await readdir(folder)).toEqual(expect.arrayContaining(["copy-letter.txt", "copy-of-contracts"]));
  expect((await stat(elsewhere)).mode & 0o777).toBe(0o755);
  await rm(elsewhere, { recursive: true });
  const answers = Array.from({ length: 5 }, () => signIn(origin(), "admin", first.password()));
  await Promise.race(answers);
  child.kill("SIGTERM");
  expect(await Promise.all(answers)).toEqual([200, 200, 200, 200, 200]);
  expect(await exit).toBe(0);
});

test("a folder that others share, or own, is not taken for the data folder", async () => {
  const shared = join(folder, "shared");
  await mkdir(shared);
  await chmod(shared, 0o755);
  await writeFile(join(shared, "a letter"), "");
  await expect(openEngine({ databaseUrl: undefined, dataDir: shared })).rejects.toThrow(
    new StartError(
      `DATA_DIR ${shared} is open to others and holds more than Footprint's data: name a folder of its own, or close it (chmod 700).`,
    ),
  );
  expect((await stat(shared)).mode & 0o777).toBe(0o755);
  expect(await readdir(shared)).toEqual(["a letter"]);

  // Root can give a folder away; others use one of root's.
  const isRoot = process.getuid?.() === 0;
  const foreign = isRoot ? join(folder, "foreign") : "/usr";
  if (isRoot) {
    await mkdir(foreign);
    await chown(foreign, 65_534, 65_534);
  }
  await expect(openEngine({ databaseUrl: undefined, dataDir: foreign })).rejects.toThrow(
    new StartError(`DATA_DIR ${foreign} belongs to another account: name a folder of your own.`),
  );
});

test("a taken port is named, and nothing is lost by it; with SHUTDOWN_DELAY a server that is to stop says first that it is not ready, and goes on answering", async () => {
  const env = await migratedPostgres();
  const blocker = createServer().listen(0, "127.0.0.1");
  await once(blocker, "listening");
  const { port } = blocker.address() as { port: number };
  expect(await ended(run({ ...env, PORT: String(port) }))).toEqual({
    code: 1,
    output: `Port ${port} is taken: stop what uses it, or set PORT to another one.`,
  });
  blocker.close();

  const { origin, password, child, exit } = await run({ ...env, SHUTDOWN_DELAY: "600" });
  child.kill("SIGTERM");
  await vi.waitFor(async () => expect((await fetch(`${origin()}/readyz`)).status).toBe(503), { timeout: 60_000 });
  expect(await signIn(origin(), "admin", password())).toBe(200);
  // A second signal, from somebody who does not want to wait.
  child.kill("SIGTERM");
  expect(await exit).toBe(1);

  const brief = await run({ ...env, SHUTDOWN_DELAY: "1" });
  brief.child.kill("SIGTERM");
  expect(await brief.exit).toBe(0);
  expect(brief.output()).toMatch(/Stopping in 1 s …\nFinishing running requests …$/);
});

const refusals: [Record<string, string>, string][] = [
  [{ PORT: "70000" }, 'PORT is "70000": set it to a whole number up to 65535, or leave it out.'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    'OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318": set it to the address of an OTLP receiver, such as http://127.0.0.1:4318, or leave it out.',
  ],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": set it to one of http/json, or leave it out.',
  ],
  [
    { OTEL_TRACES_SAMPLER_ARG: "5" },
    'OTEL_TRACES_SAMPLER_ARG is "5": set it to a number from 0 to 1, or leave it out.',
  ],
  [{ DEMO: "yes" }, 'DEMO is "yes": set it to one of on, off, or leave it out.'],
  [{ ADMIN_PASSWORD: "short" }, "ADMIN_PASSWORD is not valid: set it to 8 to 128 characters, or leave it out."],
  [
    { BUSINESS_TIMEZONE: "Mars" },
    'BUSINESS_TIMEZONE is "Mars": set it to a zone such as UTC or America/Chicago, or leave it out.',
  ],
  // PostgreSQL reverses the sign of offsets, and reads short names differently.
  [
    { BUSINESS_TIMEZONE: "+05:30" },
    'BUSINESS_TIMEZONE is "+05:30": set it to a zone such as UTC or America/Chicago, or leave it out.',
  ],
  [
    { BUSINESS_TIMEZONE: "IST" },
    'BUSINESS_TIMEZONE is "IST": set it to a zone such as UTC or America/Chicago, or leave it out.',
  ],
  [
    { PANEL_ORIGINS: "panel" },
    'PANEL_ORIGINS is "panel": set it to an origin such as https://panel.example.com, or leave it out.',
  ],
  [
    { TRUST_PROXY: "10.0.0.1, face" },
    'TRUST_PROXY is "10.0.0.1, face": set it to the addresses of the proxies in front, such as 10.0.0.5 or 10.0.0.0/8, or leave it out.',
  ],
  [
    { TRUST_PROXY: "10.0.0.0/33" },
    'TRUST_PROXY is "10.0.0.0/33": set it to the addresses of the proxies in front, such as 10.0.0.5 or 10.0.0.0/8, or leave it out.',
  ],
  [
    { TRUST_PROXY: "on" },
    'TRUST_PROXY is "on": set it to the addresses of the proxies in front, such as 10.0.0.5 or 10.0.0.0/8, or leave it out.',
  ],
  [
    { TRUST_PROXY: "0.0.0.0/0" },
    'TRUST_PROXY is "0.0.0.0/0": set it to the addresses of the proxies in front, such as 10.0.0.5 or 10.0.0.0/8, or leave it out.',
  ],
  [
    { ADMIN_USERNAME: "System" },
    'ADMIN_USERNAME is "System": set it to 3 to 32 letters, digits, . _ or -, and not a name of the program\'s own such as system, or leave it out.',
  ],
  ...[
    "mysql://root:secret@db/x",
    "postgres://u:secret@first:5432,second:x/db",
    "postgres://u:secret@first,second/db?target_session_attrs=read-only",
  ].map((url): [Record<string, string>, string] => [
    { DATABASE_URL: url },
    "DATABASE_URL is not valid: set it to postgres://user:password@host:5432/database, or leave it out.",
  ]),
];

test("a bad variable is refused in words that name the mend", () => {
  for (const [env, message] of refusals) expect(() => readConfig(env)).toThrow(new StartError(message));
  const several = "postgres://u:secret@first:5432,[::1]:5433/db?sslmode=require&target_session_attrs=read-write";
  expect(readConfig({ DATABASE_URL: several }).databaseUrl).toBe(several);
});

test("a start that is refused says why in one line, and ends", async () => {
  expect(await ended(run({ DATABASE_URL: "postgres://u:secret@127.0.0.1:1/x" }))).toEqual({
    code: 1,
    output: "PostgreSQL cannot be used (connect ECONNREFUSED 127.0.0.1:1): check that it runs, and DATABASE_URL.",
  });
});

test("a PostgreSQL that is too old is refused", async () => {
  const server = createServer((socket) => {
    socket.once("data", () => {
      socket.write(Buffer.concat([message("R", "\0\0\0\0"), message("Z", "I")]));
      const column = "version\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0";
      socket.once("data", () =>
        socket.write(
          Buffer.concat([
            message("T", `\0\x01${column}`),
            message("D", "\0\x01\0\0\0\x06140011"),
            message("C", "SHOW\0"),
            message("Z", "I"),
          ]),
        ),
      );
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const opened = openEngine({ databaseUrl: `postgres://u@127.0.0.1:${port}/x`, dataDir: "" });
  await expect(opened).rejects.toThrow(
    new StartError("PostgreSQL 14 is too old: Footprint needs PostgreSQL 15 or newer."),
  );
  server.close();
});

/** A message of PostgreSQL's protocol. */
function message(type: string, text: string): Buffer {
  const body = Buffer.from(text, "latin1");
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

test("several servers may start at once on an empty PostgreSQL: one migrates, one makes the admin", async () => {
  const env = await emptyPostgres();
  const starts = await Promise.all([run(env), run(env), run(env)]);
  expect(starts.map(({ output }) => output())).toEqual(Array(3).fill(expect.stringContaining("is ready at")));

  const passwords = starts.map(({ password }) => password()).filter(Boolean);
  expect(passwords).toHaveLength(1);
  for (const { origin } of starts) expect(await signIn(origin(), "admin", passwords[0] ?? "")).toBe(200);
});

test("the terminal makes administrators, and resets passwords and the two-step sign-in of who lost the authenticator app", async () => {
  const env = await migratedPostgres();
  const passwordIn = ({ output }: { output: string }) => /with the password (\S+)/.exec(output)?.[1] ?? "";
  const created = await ended(run(env, "operations/admin.ts", ["create", "second"]));
  expect(created.code).toBe(0);
  expect(await admin(env, "create", "SECOND")).toEqual({
    code: 1,
    output: expect.stringMatching(/^The username SECOND is taken/),
  });
  expect(await admin(env, "create", "Terminal")).toEqual({
    code: 1,
    output: "The name Terminal is the program's own: choose another.",
  });
  const password = passwordIn(await admin(env, "reset-password", "second"));
  for (const task of ["reset-password", "reset-two-step"])
    expect((await admin(env, task, "nobody")).output).toMatch(/^There is no account nobody/);
  expect((await admin(env, "frobnicate")).output).toMatch(/^Usage:/);
  expect((await admin(env, "reset-two-step", "second")).output).toBe("second does not use two-step sign-in.");

  const server = await run(env);
  expect(server.password()).toBe("");
  expect(await signIn(server.origin(), "second", passwordIn(created))).toBe(401);
  const post = async ({ path }: { path: string }, body: object, token = "") => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const answer = await fetch(server.origin() + path, { method: "POST", headers, body: JSON.stringify(body) });
    return answer.json() as Promise<Record<string, string>>;
  };
  const { accessToken } = await post(session.login, { username: "second", password });
  const { uri = "" } = await post(session.beginTwoStep, { password }, accessToken);
  await post(session.confirmTwoStep, { code: (URI.parse(uri) as TOTP).generate() }, accessToken);
  expect(await signIn(server.origin(), "second", password)).toBe(401);

  expect(await admin(env, "reset-two-step", "SECOND")).toEqual({
    code: 0,
    output: "SECOND signs in with the password alone now",
  });
  expect(await signIn(server.origin(), "second", password)).toBe(200);
});

test("the first admin takes the configured name and password, of which an easy one is mentioned; the log names no secret and no person, however closely it looks", async () => {
  const password = "Password123";
  const env = { ADMIN_USERNAME: "owner", ADMIN_PASSWORD: password, LOG_LEVEL: "trace" };
  const { output, origin } = await run({ ...(await migratedPostgres()), ...env });
  expect(output()).toContain("ADMIN_PASSWORD is easy to guess: change it in Account Setting");
  // Under the name localhost the panel would call port 7400.
  expect(output()).toMatch(/is ready at http:\/\/127\.0\.0\.1:\d+ /);
  const send = async (path: string, token = "", body?: object, method = body ? "POST" : "GET") => {
    const answer = await fetch(origin() + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { "content-type": "application/json", "idempotency-key": "once" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const login = (password: string) => send(session.login.path, "", { username: "owner", password });
  await login("a wrong password");
  const { accessToken = "" } = (await login(password)).body;
  const { key = "" } = (await send(website.createApiKey.path, accessToken, { name: "Shop" })).body;
  const nadia = pathOf(storefront.putCustomer, { discordId: "772001" });
  const customer = { username: "Nadia Petrenko", email: "nadia@example.com" };
  expect((await send(nadia, key, customer, storefront.putCustomer.method)).status).toBe(200);
  expect((await send(`${users.list.path}?search=Nadia+Petrenko`, accessToken)).status).toBe(200);
  expect((await send(`${users.list.path}?limit=Nadia+Petrenko`, accessToken)).status).toBe(400);
  expect((await send("/api/v1/Nadia Petrenko", accessToken)).status).toBe(404);

  expect(output()).toContain(users.list.path);
  const people = ["Nadia Petrenko", "nadia@example.com", "772001"];
  for (const secret of [password, "a wrong password", ...people, accessToken, key]) {
    expect(secret).not.toBe("");
    expect(output()).not.toContain(secret);
  }
});
