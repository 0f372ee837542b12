import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { sessions, signInTries } from "../db/schema.ts";
import { addAccount, call, db, logRows, password } from "../testing/house.ts";

const signIn = (username: string, secret = password) =>
  call("nobody", session.login, { body: { username, password: secret } });

test("signing in gives a token that opens the panel's calls", async () => {
  const { status, body } = await signIn("admin");
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(["accessToken"]);

  const access = await call({ token: body.accessToken }, session.access);
  expect(access.body).toEqual({ role: "admin", username: "admin", timezone: "UTC", demo: false });
  expect(await logRows()).toMatchObject([{ admin: "admin", type: "session", action: "admin signed in" }]);
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
  expect([answer.status, answer.body.message]).toEqual([400, "The old password is wrong"]);
});

test.for([
  ["too short", "1234567", "A password has at least 8 characters"],
  ["too long", "x".repeat(129), "A password has at most 128 characters"],
  ["common", "Password123", "This password is too easy to guess. Choose another one."],
  ["one letter repeated", "aaaaaaaaaaaa", "This password is too easy to guess. Choose another one."],
] as const)("a new password that is %s is refused", async ([, newPassword, message]) => {
  const answer = await call("staff", session.changePassword, { body: { oldPassword: password, newPassword } });
  expect([answer.status, answer.body.message]).toEqual([400, message]);
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
