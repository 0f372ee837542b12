import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { generatePassword, isCommonPassword } from "../accounts/passwords.ts";
import { sessions, signInTries } from "../db/schema.ts";
import { addAccount, call, db, logRows, password } from "../testing/server.ts";

const signIn = (username: string, secret = password, headers = {}) =>
  call("nobody", session.login, { body: { username, password: secret }, headers });

const windowsChrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

test("signing in gives a token that opens the panel's calls", async () => {
  const { status, body } = await signIn("admin");
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(["accessToken", "deviceToken"]);

  const access = await call({ token: body.accessToken }, session.access);
  expect(access.body).toEqual({ role: "admin", username: "admin", mustFirst: null, timezone: "UTC", demo: false });
  expect(await logRows()).toMatchObject([{ admin: "admin", type: "session", action: "admin signed in" }]);
});

test("a sign-in stands in the log with device and address", async () => {
  await signIn("staff", password, { "user-agent": windowsChrome });
  expect(await logRows()).toMatchObject([
    { action: "staff signed in", before: null, after: { device: "Chrome on Windows", address: "127.0.0.1" } },
  ]);
});

test("the username counts regardless of case", async () => {
  expect((await signIn("  ADMIN ")).status).toBe(200);
});

test("the token is not kept in the database", async () => {
  const { body } = await signIn("admin");
  const rows = await db.select().from(sessions);
  expect(JSON.stringify(rows)).not.toContain(body.accessToken);
});

test("a wrong password and an unknown username get the same answer", async () => {
  const wrong = await signIn("admin", "not the password");
  const unknown = await signIn("nobody", "not the password");
  expect(wrong.status).toBe(401);
  expect(unknown.status).toBe(401);
  expect(unknown.body).toEqual(wrong.body);
  expect(wrong.body).toEqual({ message: "Wrong username or password" });
});

test("after five failures within a minute the sixth is told to wait, also with the right password", async () => {
  const failures = await Promise.all(Array.from({ length: 5 }, () => signIn("admin", "wrong")));
  expect(failures.map((failure) => failure.status)).toEqual([401, 401, 401, 401, 401]);

  const sixth = await signIn("admin");
  expect(sixth.status).toBe(429);
  expect(Number(sixth.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await signIn("staff")).status).toBe(200);

  await db.update(signInTries).set({ triedAt: sql`now() - interval '61 seconds'` });
  expect((await signIn("admin")).status).toBe(200);
});

test("many tries at once do not slip through", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => signIn("admin", "wrong")));
  expect(answers.filter((answer) => answer.status === 401).length).toBeLessThanOrEqual(5);
  expect(answers.every((answer) => answer.status === 401 || answer.status === 429)).toBe(true);
});

test("a successful sign-in forgets the failures before it", async () => {
  for (let round = 0; round < 2; round++) {
    for (let tries = 0; tries < 4; tries++) await signIn("admin", "wrong");
    expect((await signIn("admin")).status).toBe(200);
  }
});

test("signing out ends the session on the server", async () => {
  const { body } = await signIn("staff");
  expect((await call({ token: body.accessToken }, session.logout)).body).toEqual({ message: "Signed out" });
  const after = await call({ token: body.accessToken }, session.access);
  expect(after.status).toBe(401);
  expect(after.body.message).toBe("Sign in to continue");
});

test.for([
  ["12 hours without use", { lastUsedAt: sql`now() - interval '12 hours 1 second'` }],
  ["7 days in any case", { createdAt: sql`now() - interval '7 days 1 second'` }],
] as const)("a session ends after %s", async ([, change]) => {
  const account = await addAccount("maren", "staff");
  expect((await call(account, session.access)).status).toBe(200);
  await db.update(sessions).set(change).where(eq(sessions.accountId, account.id));
  expect((await call(account, session.access)).status).toBe(401);
});

test("use keeps a session alive", async () => {
  const account = await addAccount("maren", "staff");
  const mine = eq(sessions.accountId, account.id);
  await db.update(sessions).set({ lastUsedAt: sql`now() - interval '11 hours'` }).where(mine);
  await call(account, session.access);
  const [row] = await db
    .select({ fresh: sql<boolean>`${sessions.lastUsedAt} > now() - interval '1 minute'` })
    .from(sessions)
    .where(mine);
  expect(row?.fresh).toBe(true);
});

test("changing the password ends the account's other sessions and keeps this one", async () => {
  const here = await addAccount("maren", "staff");
  const elsewhere = { token: (await signIn("maren")).body.accessToken };
  const change = { oldPassword: password, newPassword: "a much better secret" };

  const { status, body } = await call(here, session.changePassword, { body: change });
  expect([status, body]).toEqual([200, { message: "Password changed" }]);
  expect((await call(here, session.access)).status).toBe(200);
  expect((await call(elsewhere, session.access)).status).toBe(401);
  expect((await signIn("maren")).status).toBe(401);
  expect((await signIn("maren", change.newPassword)).status).toBe(200);
  expect(await logRows()).toContainEqual(
    expect.objectContaining({ admin: "maren", type: "session", action: "maren changed their password" }),
  );
});

test("a wrong old password is 400, so that the operator is not thrown out", async () => {
  const body = { oldPassword: "not the password", newPassword: "a much better secret" };
  const answer = await call("staff", session.changePassword, { body });
  const message = "The old password is wrong";
  expect([answer.status, answer.body]).toEqual([400, { message, issues: [{ path: "body.oldPassword", message }] }]);
});

const tooEasy = "This password is too easy to guess. Choose another one.";

test.for([
  ["too short", "1234567", "A password has at least 8 characters"],
  ["too long", "x".repeat(129), "A password has at most 128 characters"],
  ["common", "Password123", tooEasy],
  ["leaked often", "Mercedes1", tooEasy],
  ["of this product", "Footprint2026!", tooEasy],
  ["one letter repeated", "aaaaaaaaaaaa", tooEasy],
  ["one letter repeated to the end", "a".repeat(128), tooEasy],
  ["a word with digits for letters", "Passw0rd!", tooEasy],
  ["a season and a year", "Winter2026", tooEasy],
  ["a season, a year and marks", "Summer2025!!", tooEasy],
  ["a month and a year", "November2026", tooEasy],
  ["a leaked one with marks", "P@ssw0rd123!", tooEasy],
  ["a walk over the keyboard", "zaq12wsxcde3", tooEasy],
  ["a row of the keyboard", "qwertyuiop[]", tooEasy],
  ["a date", "15.11.2026", tooEasy],
  ["the username and a year", "Staff-2026!", tooEasy],
  ["a word of the trade and a year", "Reseller2026!", tooEasy],
] as const)("a new password that is %s is refused", async ([, newPassword, message]) => {
  const answer = await call("staff", session.changePassword, { body: { oldPassword: password, newPassword } });
  expect([answer.status, answer.body]).toEqual([400, { message, issues: [{ path: "body.newPassword", message }] }]);
});

test.for([
  "kx8$vQ2m",
  "kx8$vQ2!",
  "correct horse battery",
  "\u00e4\u00f6\u00fc-Zug nach Bremen",
  "Qz7#mT2p".repeat(16),
])("the new password %j is taken", async (newPassword) => {
  const maren = await addAccount("maren", "staff");
  const answer = await call(maren, session.changePassword, { body: { oldPassword: password, newPassword } });
  expect(answer.status).toBe(200);
});

test("no generated password is ever too easy", () => {
  const easy = Array.from({ length: 50 }, generatePassword).filter((made) => isCommonPassword(made, "maren"));
  expect(easy).toEqual([]);
});

test("two password changes at once: one wins, the other is told", async () => {
  const answers = await Promise.all(
    ["first new secret", "second new secret"].map((newPassword) =>
      call("staff", session.changePassword, { body: { oldPassword: password, newPassword } }),
    ),
  );
  expect(answers.filter((answer) => answer.status === 200).length).toBe(1);
});

test.for([
  "",
  "Bearer",
  "Bearer x",
  "Basic YWRtaW46YWRtaW4=",
  `Bearer ${"x".repeat(43)}`,
  `Bearer ${"x".repeat(5000)}`,
])("the authorization header %j opens nothing", async (authorization) => {
  const answer = await call("nobody", staff.list, { headers: { authorization } });
  expect(answer.status).toBe(401);
});

test("an account sees its own open sessions, the last used first: device, address and which one this is", async () => {
  const here = await addAccount("maren", "staff");
  const mine = eq(sessions.accountId, here.id);
  await db.update(sessions).set({ lastUsedAt: sql`now() - interval '2 hours'`, device: "curl" }).where(mine);
  await signIn("maren", password, { "user-agent": windowsChrome });
  const ended = [
    { lastUsedAt: sql`now() - interval '12 hours 1 second'` },
    { createdAt: sql`now() - interval '7 days 1 second'` },
  ];
  for (const [number, times] of ended.entries())
    await db.insert(sessions).values({ accountId: here.id, tokenHash: `ended ${number}`, ...times });

  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  const { status, body } = await call(here, session.sessions);
  expect(status).toBe(200);
  // This call used the session last.
  expect(body.sessions).toEqual([
    {
      _id: expect.any(String),
      device: "curl",
      address: "",
      createdAt: time,
      lastUsedAt: time,
      failuresBefore: 0,
      newDevice: expect.any(Boolean),
      current: true,
    },
    {
      _id: expect.any(String),
      device: "Chrome on Windows",
      address: "127.0.0.1",
      createdAt: time,
      lastUsedAt: time,
      failuresBefore: 0,
      newDevice: expect.any(Boolean),
      current: false,
    },
  ]);
});

test("signing out one session ends its token at once and leaves the others", async () => {
  const here = await addAccount("maren", "staff");
  const elsewhere = { token: (await signIn("maren", password, { "user-agent": windowsChrome })).body.accessToken };
  const { sessions: open } = (await call(elsewhere, session.sessions)).body;
  const id = open.find((one) => one.current)?._id ?? "";

  const { status, body } = await call(here, session.endSession, { params: { id } });
  expect([status, body]).toEqual([200, { message: "Session signed out" }]);
  expect((await call(elsewhere, session.access)).status).toBe(401);
  expect((await call(here, session.sessions)).body.sessions).toMatchObject([{ current: true }]);
  expect((await logRows()).at(-1)).toMatchObject({
    admin: "maren",
    type: "session",
    action: "maren signed out their session on Chrome on Windows (127.0.0.1)",
  });
  const again = await call(here, session.endSession, { params: { id } });
  expect([again.status, again.body.message]).toEqual([404, "This session has ended already"]);
});

test("nobody can sign out another account's session, not even an administrator", async () => {
  const maren = await addAccount("maren", "staff");
  const id = (await call(maren, session.sessions)).body.sessions[0]?._id ?? "";
  for (const other of ["staff", "admin"] as const)
    expect((await call(other, session.endSession, { params: { id } })).status).toBe(404);
  expect((await call(maren, session.access)).status).toBe(200);
  expect(await logRows()).toEqual([]);
});

test.for([
  [windowsChrome, "Chrome on Windows"],
  [`${windowsChrome} Edg/142.0.0.0`, "Edge on Windows"],
  [`${windowsChrome} OPR/120.0.0.0`, "Opera on Windows"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
    "Safari on macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1",
    "Chrome on iPhone",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
    "Samsung Internet on Android",
  ],
  ["Mozilla/5.0 (X11; Linux aarch64) AppleWebKit/537.36 HeadlessChrome/142.0.0.0 Safari/537.36", "Chrome on Linux"],
  ["curl/8.14.1", "curl"],
  ["Mozilla/5.0", "Unknown device"],
  ["<script>alert(1)</script>".repeat(30), "<script>alert(1)<"],
  ["x".repeat(5000), "x".repeat(40)],
  ["\u00e9\u00e8", "Unknown device"],
] as const)("who signs in as %s is listed as %s", async ([userAgent, device]) => {
  const { body } = await signIn("staff", password, { "user-agent": userAgent });
  const { sessions: open } = (await call({ token: body.accessToken }, session.sessions)).body;
  expect(open.find((one) => one.current)?.device).toBe(device);
});
