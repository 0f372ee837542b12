import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { eq, type Logger, NoopLogger, sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { buildApp } from "../app.ts";
import { readConfig } from "../config.ts";
import { accounts, codeTries, knownDevices, signInLimits, signInTries } from "../db/schema.ts";
import { tidy } from "../operations/housekeeping.ts";
import { addAccount, call, db, engine, logRows, password } from "../testing/server.ts";

type Sent = { username?: string; password?: string; code?: string; deviceToken?: string };
let app: Awaited<ReturnType<typeof buildApp>>;

beforeAll(async () => {
  const config = readConfig({ LOG_LEVEL: "silent", TRUST_PROXY: "10.0.0.0/8, ::ffff:192.0.2.9" });
  app = await buildApp({ db, config, now: () => new Date() });
});
afterAll(() => app.close());

/** Signs in from any address. */
async function signInFrom(remoteAddress: string, sent: Sent = {}, headers: Record<string, string> = {}) {
  const payload = { username: "admin", password, ...sent };
  const answer = await app.inject({ method: "POST", url: session.login.path, remoteAddress, payload, headers });
  return { status: answer.statusCode, body: answer.json(), retryAfter: Number(answer.headers["retry-after"]) };
}

const wrong = { password: "not the password" };
let places = 0;
/** An unused address. */
const elsewhere = () => `198.51.${Math.floor(++places / 250)}.${(places % 250) + 1}`;
const guess = (sent: Sent = {}) => signInFrom(elsewhere(), { ...wrong, ...sent });

async function attack(times: number, sent: Sent = {}) {
  for (let tries = 0; tries < times; tries++) await guess(sent);
}

const past = (interval: string) => sql`now() - ${interval}::interval`;
const letPass = (interval: string) => db.update(signInLimits).set({ triedAt: past(interval) });
const withoutNumbers = (value: unknown) => JSON.stringify(value).replace(/\d+/g, "N");

test("guesses at one account are refused after ten, however many addresses they come from", async () => {
  const statuses = [];
  for (let tries = 0; tries < 14; tries++) statuses.push((await guess()).status);
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(4).fill(429)]);

  const refused = await signInFrom(elsewhere());
  expect(refused.status).toBe(429);
  expect(refused.retryAfter).toBeGreaterThan(0);
  expect(refused.retryAfter).toBeLessThanOrEqual(60);
  expect(withoutNumbers(refused.body)).toBe(
    withoutNumbers({
      message:
        "Too many failed sign-ins. Wait 60 seconds, use a device that you have signed in on before, or enter a code from your authenticator app.",
      codeRequired: true,
      passkeyAccepted: true,
    }),
  );
  expect((await signInFrom(elsewhere(), { username: "staff" })).status).toBe(200);
});

test("many guesses at once from many addresses do not slip through", async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => guess()));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
});

test("each failure after that doubles the pause, up to about an hour; a quiet day forgets them", async () => {
  await attack(10);
  const waits: number[] = [];
  for (let round = 0; round < 8; round++) {
    expect((await guess()).status).toBe(429);
    await letPass("65 minutes");
    expect((await guess()).status).toBe(401);
    waits.push((await guess()).retryAfter);
  }
  expect(waits.map((seconds) => Math.ceil(seconds / 60))).toEqual([2, 4, 8, 16, 32, 64, 64, 64]);
  await letPass("25 hours");
  expect((await guess()).status).toBe(401);
  expect((await guess()).status).toBe(401);
});

test("a username that does not exist is treated the same", async () => {
  const run = async (username: string) => {
    const answers = [];
    for (let tries = 0; tries < 12; tries++) answers.push(await guess({ username }));
    answers.push(await guess({ username, code: "000000" }));
    return withoutNumbers(answers);
  };
  expect(await run("nimda")).toBe(await run("admin"));
});

test("the database is asked the same for a username that does not exist", async () => {
  const asked = async (username: string, sent: Sent = {}) => {
    const statements: string[] = [];
    const log = vi.spyOn(NoopLogger.prototype as Logger, "logQuery");
    log.mockImplementation((statement) => {
      // Leaves out the statements that run every second in the background.
      if (!/\b(outbox|events)\b/.test(statement)) statements.push(statement.replace(/^(release|rollback to)/, "end"));
    });
    await guess({ username, ...sent });
    log.mockRestore();
    return statements;
  };
  const first = await asked("admin");
  expect(first.length).toBeGreaterThan(5);
  expect(await asked("nimda")).toEqual(first);
  expect(await asked("nimda")).toEqual(await asked("admin"));
  await addProtected("maren");
  for (const username of ["admin", "nimda", "maren"]) await attack(12, { username });
  const withCode = await asked("maren", { code: "000000" });
  expect(await asked("nimda", { code: "000000" })).toEqual(withCode);
  expect(await asked("admin", { code: "000000" })).toEqual(withCode);
  const { rows } = await db.execute(sql`select action from logs where action like '%nimda%'`);
  expect(rows).toEqual([]);
});

test("a device that signed in before gets through, without the pause of strangers", async () => {
  const { deviceToken } = (await signInFrom("203.0.113.1")).body;
  await attack(12);
  expect((await signInFrom("203.0.113.1")).status).toBe(429);
  const known = await signInFrom(elsewhere(), { deviceToken });
  expect([known.status, known.body.deviceToken]).toEqual([200, deviceToken]);
  // The guesser has gained nothing by it.
  expect((await guess()).status).toBe(429);
});

test("a known device gets through even where the guesser shares its address", async () => {
  const { deviceToken } = (await signInFrom("203.0.113.1")).body;
  for (let tries = 0; tries < 7; tries++) await signInFrom("203.0.113.1", wrong);
  expect((await signInFrom("203.0.113.1")).status).toBe(429);
  expect((await signInFrom("203.0.113.1", { deviceToken })).status).toBe(200);
});

test("a device is known to the account that signed in on it, and to each of several", async () => {
  const { deviceToken } = (await signInFrom("203.0.113.1", { username: "staff" })).body;
  await attack(12);
  expect((await signInFrom("203.0.113.1", { deviceToken })).status).toBe(429);
  expect((await signInFrom("203.0.113.1", { deviceToken: "x".repeat(43) })).status).toBe(429);

  await letPass("1 hour");
  expect((await signInFrom("203.0.113.1", { deviceToken })).body.deviceToken).toBe(deviceToken);
  await attack(12);
  await attack(12, { username: "staff" });
  expect((await signInFrom(elsewhere(), { deviceToken })).status).toBe(200);
  expect((await signInFrom(elsewhere(), { deviceToken, username: "staff" })).status).toBe(200);
});

test("a stolen device token is no way around the ceiling: it has one of its own", async () => {
  const { deviceToken } = (await signInFrom("203.0.113.1")).body;
  const statuses = [];
  for (let tries = 0; tries < 12; tries++) {
    statuses.push((await guess({ deviceToken })).status);
    await db.update(signInTries).set({ triedAt: past("61 seconds") });
  }
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  expect((await signInFrom(elsewhere())).status).toBe(200);
});

test("a device token is not kept in the database, and one that the server did not make is not taken over", async () => {
  const own = "x".repeat(43);
  const { deviceToken } = (await signInFrom("203.0.113.1", { deviceToken: own })).body;
  expect(deviceToken).toMatch(/^[\w-]{43}$/);
  expect(deviceToken).not.toBe(own);
  expect(JSON.stringify(await db.select().from(knownDevices))).not.toContain(deviceToken);
});

test("a changed password ends the other known devices and keeps the one it was changed on", async () => {
  const here = (await signInFrom("203.0.113.1", { username: "staff" })).body;
  const there = (await signInFrom("203.0.113.2", { username: "staff" })).body;
  const body = { oldPassword: password, newPassword: "a much better secret" };
  expect((await call({ token: here.accessToken }, session.changePassword, { body })).status).toBe(200);
  await attack(12, { username: "staff" });
  const again = { username: "staff", password: body.newPassword };
  expect((await signInFrom(elsewhere(), { ...again, deviceToken: there.deviceToken })).status).toBe(429);
  expect((await signInFrom(elsewhere(), { ...again, deviceToken: here.deviceToken })).status).toBe(200);
});

test("a device is forgotten after 90 days without use, and beyond twenty of an account", async () => {
  const { deviceToken } = (await signInFrom("203.0.113.1")).body;
  await db.update(knownDevices).set({ lastUsedAt: past("90 days 1 minute") });
  await attack(12);
  expect((await signInFrom(elsewhere(), { deviceToken })).status).toBe(429);
  await tidy(engine);
  expect(await db.$count(knownDevices)).toBe(0);

  await letPass("25 hours");
  for (let device = 0; device < 22; device++) await signInFrom(elsewhere());
  expect(await db.$count(knownDevices)).toBe(20);
});

const codeOf = (secret: string, stepsAhead = 0) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + stepsAhead * 30_000 });

async function addProtected(username: string) {
  const account = await addAccount(username, "staff");
  const { secret } = (await call(account, session.beginTwoStep, { body: { password } })).body;
  const usedCode = codeOf(secret);
  const { body } = await call(account, session.confirmTwoStep, { body: { code: usedCode } });
  return { ...account, secret, usedCode, recoveryCodes: body.recoveryCodes };
}

test("the right password with a right code gets through the pause, and everything less is told the same", async () => {
  const maren = await addProtected("maren");
  const as = { username: "maren" };
  await attack(12, as);
  const answers = [
    await signInFrom(elsewhere(), as),
    await signInFrom(elsewhere(), { ...as, code: "000000" }),
    await signInFrom(elsewhere(), { ...as, ...wrong, code: codeOf(maren.secret, 1) }),
    await signInFrom(elsewhere(), { ...as, ...wrong, code: "000000" }),
  ];
  // The code limit does not tell either that the password was right.
  await db.insert(codeTries).values(Array.from({ length: 10 }, () => ({ accountId: maren.id })));
  answers.push(await signInFrom(elsewhere(), { ...as, code: codeOf(maren.secret, 1) }));
  await db.delete(codeTries);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
  expect(new Set(answers.map(({ body }) => withoutNumbers(body))).size).toBe(1);

  expect((await signInFrom(elsewhere(), { ...as, code: codeOf(maren.secret, 1) })).status).toBe(200);
  expect((await signInFrom(elsewhere(), { ...as, code: maren.recoveryCodes[0] ?? "" })).status).toBe(200);
  expect((await guess(as)).status).toBe(429);
});

test("in a pause no password is looked at without a right code", async () => {
  const maren = await addProtected("maren");
  const as = { username: "maren" };
  await attack(12, as);
  // Checking this password would throw.
  await db.update(accounts).set({ passwordHash: "unreadable" }).where(eq(accounts.id, maren.id));
  for (const code of ["000000", "aaaaa-aaaaa", maren.usedCode])
    expect((await signInFrom(elsewhere(), { ...as, code })).status, code).toBe(429);
  const reached = [codeOf(maren.secret, 1), maren.recoveryCodes[0] ?? ""];
  for (const code of reached) expect((await signInFrom(elsewhere(), { ...as, code })).status, code).toBe(500);
  await db.update(accounts).set({ passwordHash: maren.passwordHash }).where(eq(accounts.id, maren.id));
  for (const code of reached) expect((await signInFrom(elsewhere(), { ...as, code })).status, code).toBe(200);
});

test("somebody with a right code but no password has ten tries within ten minutes of a pause", async () => {
  const maren = await addProtected("maren");
  const as = { username: "maren" };
  await attack(12, as);
  for (let tries = 0; tries < 10; tries++)
    expect((await guess({ ...as, code: maren.recoveryCodes[0] ?? "" })).status).toBe(429);
  expect(await db.$count(codeTries)).toBe(10);
  const right = { ...as, code: maren.recoveryCodes[0] ?? "" };
  expect((await signInFrom(elsewhere(), right)).status).toBe(429);
  await db.update(codeTries).set({ triedAt: past("11 minutes") });
  const { accessToken } = (await signInFrom(elsewhere(), right)).body;
  const { sessions } = (await call({ token: accessToken }, session.sessions)).body;
  expect(sessions.find((one) => one.current)?.failuresBefore).toBe(20);
});

test.for([
  ["an address", () => "203.0.113.7", "203.0.113.70"],
  ["a network of IPv6", (count: number) => `2001:db8:7:${count}::1`, "2001:db8:8::1"],
] as const)("in a pause %s can try five codes within an hour", async ([, place, elsewhere]) => {
  const maren = await addProtected("maren");
  const as = { username: "maren" };
  const right = { ...as, code: codeOf(maren.secret, 1) };
  await attack(12, as);
  for (let count = 0; count < 8; count++) {
    expect((await signInFrom(place(count), { ...as, code: "000000" })).status).toBe(429);
    await db.update(signInTries).set({ triedAt: past("2 minutes") });
  }
  expect((await signInFrom(place(9), right)).status).toBe(429);
  expect((await signInFrom(elsewhere, right)).status).toBe(200);
  await db.update(signInTries).set({ triedAt: past("61 minutes") });
  expect((await signInFrom(place(9), { ...as, code: maren.recoveryCodes[0] ?? "" })).status).toBe(200);
});

test("an owner who gets through a pause leaves it as long for everybody else", async () => {
  const maren = await addProtected("maren");
  const as = { username: "maren" };
  await attack(10, as);
  for (let tries = 0; tries < 4; tries++) await signInFrom("203.0.113.1", { ...as, code: "000000" });
  expect((await signInFrom("203.0.113.1", { ...as, code: codeOf(maren.secret, 1) })).status).toBe(200);
  expect((await guess(as)).status).toBe(429);
});

test("a code does not help an account that has no second step", async () => {
  await attack(12);
  expect((await signInFrom(elsewhere(), { code: "000000" })).status).toBe(429);
});

test("a sign-in during which the database goes away is no failed one", async () => {
  const maren = await addProtected("maren");
  const right = { username: "maren", code: codeOf(maren.secret, 1) };
  await db.execute(sql`create function go_away() returns trigger language plpgsql as
    $$ begin raise exception 'shutting down' using errcode = '57P01'; end $$`);
  await db.execute(sql`create trigger go_away before insert on known_devices for each row execute function go_away()`);
  try {
    for (let tries = 0; tries < 12; tries++) expect((await signInFrom("203.0.113.1", right)).status).toBe(503);
  } finally {
    await db.execute(sql`drop function go_away cascade`);
  }
  expect((await signInFrom("203.0.113.1", right)).status).toBe(200);
  expect([await db.$count(signInTries), await db.$count(codeTries)]).toEqual([0, 0]);
});

test("the owner's own typing errors are forgotten when they sign in; a guesser's are not", async () => {
  for (let round = 0; round < 4; round++) {
    for (let tries = 0; tries < 4; tries++) await signInFrom("203.0.113.1", wrong);
    expect((await signInFrom("203.0.113.1")).status).toBe(200);
  }
  await attack(9);
  expect((await signInFrom("203.0.113.1")).status).toBe(200);
  await attack(1);
  expect((await guess()).status).toBe(429);
});

test("guesses at the old password through an open session have a ceiling too", async () => {
  const { accessToken } = (await signInFrom("203.0.113.1", { username: "staff" })).body;
  const statuses = [];
  for (let tries = 0; tries < 12; tries++) {
    const { statusCode } = await app.inject({
      method: "POST",
      url: session.changePassword.path,
      remoteAddress: elsewhere(),
      headers: { authorization: `Bearer ${accessToken}` },
      payload: { oldPassword: "not the password", newPassword: "a much better secret" },
    });
    statuses.push(statusCode);
    await db.update(signInTries).set({ triedAt: past("61 seconds") });
  }
  expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
  expect((await signInFrom(elsewhere(), { username: "staff" })).status).toBe(200);
});

test.for([
  ["one network of IPv6", ["2001:db8:1:2::1", "2001:db8:1:2:ffff:0:0:9", "2001:DB8:1:2::7"], "2001:db8:1:2:5::", true],
  ["two networks of IPv6", ["2001:db8:1:2::1"], "2001:db8:1:3::1", false],
  ["IPv4 written as IPv6", ["::ffff:203.0.113.5", "203.0.113.5"], "::ffff:cb00:7105", true],
  ["two addresses of IPv4 written as IPv6", ["::ffff:203.0.113.5"], "::ffff:203.0.113.6", false],
] as const)("five tries a minute: %s", async ([, before, next, isOne]) => {
  for (let tries = 0; tries < 5; tries++) await signInFrom(before[tries % before.length] ?? "", wrong);
  expect((await signInFrom(next, wrong)).status).toBe(isOne ? 429 : 401);
});

/** The address shown in the account's own list of sessions. */
async function seenFrom(remoteAddress: string, headers: Record<string, string>) {
  const { accessToken } = (await signInFrom(remoteAddress, { username: "staff" }, headers)).body;
  const { sessions } = (await call({ token: accessToken }, session.sessions)).body;
  return sessions.find((one) => one.current)?.address;
}

test.for([
  ["10.1.2.3", "203.0.113.7", "203.0.113.7"],
  ["::ffff:10.1.2.3", "203.0.113.7", "203.0.113.7"],
  ["192.0.2.9", "203.0.113.7", "203.0.113.7"],
  ["10.1.2.3", "198.51.100.1, 203.0.113.7, 10.9.9.9", "203.0.113.7"],
  ["10.1.2.3", "203.0.113.7:51234", "203.0.113.7"],
  ["10.1.2.3", "[2001:db8::5]:443", "2001:db8::5"],
  ["10.1.2.3", '"[2001:DB8::5]"', "2001:db8::5"],
  ["10.1.2.3", "203.0.113.7, 10.9.9.9:8080", "203.0.113.7"],
  ["10.1.2.3", "::ffff:203.0.113.7", "203.0.113.7"],
  ["10.1.2.3", "<script>alert(1)</script>", "10.1.2.3"],
  ["10.1.2.3", "203.0.113.7, unknown", "10.1.2.3"],
  ["10.1.2.3", "203.0.113.7, garbage, 10.9.9.9", "10.9.9.9"],
  ["10.1.2.3", "999.1.1.1", "10.1.2.3"],
  ["10.1.2.3", ",,,", "10.1.2.3"],
  ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["203.0.113.9", "10.1.2.3", "203.0.113.9"],
] as const)("a call from %s that was forwarded for %j comes from %s", async ([from, forwarded, address]) => {
  expect(await seenFrom(from, { "x-forwarded-for": forwarded })).toBe(address);
});

test("failed sign-ins stand in the log: the first of an hour, and each that begins a pause", async () => {
  await signInFrom("203.0.113.1", { ...wrong, username: "Admin" }, { "user-agent": "curl/8" });
  await signInFrom("203.0.113.1", wrong);
  await attack(20);
  await attack(20, { username: "nobody" });
  expect(await logRows()).toMatchObject([
    {
      admin: "system",
      type: "session",
      action: "1 failed sign-in as admin from 1 address",
      after: { failures: 1, addresses: ["203.0.113.1"], device: "curl" },
    },
    { action: "10 failed sign-ins as admin from 9 addresses", after: { failures: 10 } },
  ]);
  await letPass("1 hour");
  await attack(20);
  expect((await logRows()).at(-1)?.action).toBe("11 failed sign-ins as admin from 10 addresses");
  expect(await logRows()).toHaveLength(3);
});

test("a right password with a wrong code is told apart in the log", async () => {
  await addProtected("maren");
  await signInFrom("203.0.113.1", { username: "maren", code: "000000" });
  expect((await logRows()).at(-1)?.action).toBe(
    "1 failed sign-in as maren from 1 address, the last with the right password and a wrong code",
  );
});

test("administrators see who is being guessed at, administrators included", async () => {
  const maren = await addAccount("maren", "staff");
  await attack(3, { username: "maren" });
  await attack(12);
  await attack(2, { username: "nobody" });
  const { body } = await call("admin", staff.list);
  expect(body.staff.map((member) => [member.username, member.failedSignIns])).toEqual([
    ["maren", 3],
    ["staff", 0],
  ]);
  expect(body.guessedAt).toEqual([
    { _id: expect.any(String), username: "admin", failedSignIns: 10, addresses: 10 },
    { _id: maren.id, username: "maren", failedSignIns: 3, addresses: 3 },
  ]);
  await db.update(signInTries).set({ triedAt: past("61 minutes") });
  expect((await call("admin", staff.list)).body.guessedAt).toEqual([]);
});

test("a sign-in tells how many sign-ins failed since the last one", async () => {
  await signInFrom("203.0.113.1");
  await attack(3);
  const first = (await signInFrom("203.0.113.1")).body;
  const second = (await signInFrom("203.0.113.1")).body;
  const failuresBefore = async (token: string) =>
    (await call({ token }, session.sessions)).body.sessions.find((one) => one.current)?.failuresBefore;
  expect(await failuresBefore(first.accessToken)).toBe(3);
  expect(await failuresBefore(second.accessToken)).toBe(0);
});

test("traces of guessing are cleared away, except failed sign-ins that the account is told of", async () => {
  await attack(1);
  await attack(1, { username: "nobody" });
  await letPass("25 hours");
  await db.update(signInTries).set({ triedAt: past("61 minutes") });
  await tidy(engine);
  expect(await db.$count(signInTries)).toBe(0);
  expect((await db.select().from(signInLimits)).map(({ guesser }) => guesser)).toEqual(["name admin"]);
  await letPass("91 days");
  await tidy(engine);
  expect(await db.$count(signInLimits)).toBe(0);
});

test("a reset password lets everybody try again", async () => {
  await attack(12);
  const { resetPassword } = await import("../accounts/accounts.ts");
  const said = await resetPassword(db, "admin");
  const fresh = / password (\S+) /.exec(said ?? "")?.[1] ?? "";
  expect((await signInFrom(elsewhere(), { password: fresh })).status).toBe(200);
  expect(await db.$count(knownDevices, eq(knownDevices.tokenHash, ""))).toBe(0);
});
