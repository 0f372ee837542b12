import { logs } from "@footprint/contract/logs.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { eq, sql } from "drizzle-orm";
import { Secret, TOTP, URI } from "otpauth";
import { beforeEach, expect, test } from "vitest";
import { accounts, codeTries, recoveryCodes, signInTries } from "../db/schema.ts";
import { meetAt } from "../testing/races.ts";
import { addAccount, call, db, logRows, password, setClock } from "../testing/server.ts";

const noon = "2026-11-14T12:00:10Z";
beforeEach(() => setClock(noon));

/** The code that an app shows so many half minutes after noon. */
const codeOf = (secret: string, step = 0) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.parse(noon) + step * 30_000 });

const notTheCode = (secret: string) => {
  const near = [-1, 0, 1].map((step) => codeOf(secret, step));
  return ["000000", "111111", "222222", "333333"].find((code) => !near.includes(code)) ?? "";
};

const signIn = (username: string, code?: string, secret = password) =>
  call("nobody", session.login, { body: { username, password: secret, ...(code !== undefined && { code }) } });

const begin = async (as: { token: string }) => (await call(as, session.beginTwoStep, { body: { password } })).body;

/** An account with two-step sign-in, whose code of noon is already used. */
async function addProtected(username = "maren", role: "admin" | "staff" = "staff") {
  const account = await addAccount(username, role);
  const { secret } = await begin(account);
  const { body } = await call(account, session.confirmTwoStep, { body: { code: codeOf(secret) } });
  return { ...account, secret, recoveryCodes: body.recoveryCodes };
}

const asked = { message: "Enter the code from your authenticator app", codeRequired: true };
const wrongCode = { message: "The code is wrong or was used before", codeRequired: true };

test("a secret counts once a code has confirmed it", async () => {
  const maren = await addAccount("maren", "staff");
  const { secret, uri } = await begin(maren);
  expect(URI.parse(uri)).toMatchObject({
    issuer: "Footprint",
    label: "maren",
    algorithm: "SHA1",
    digits: 6,
    period: 30,
  });
  expect(URI.parse(uri).secret.base32).toBe(secret);
  expect(Secret.fromBase32(secret).bytes).toHaveLength(20);
  expect((await call(maren, session.twoStep)).body).toEqual({ onSince: null, recoveryCodesLeft: 0 });
  expect((await signIn("maren")).status).toBe(200);

  const refused = await call(maren, session.confirmTwoStep, { body: { code: notTheCode(secret) } });
  expect([refused.status, refused.body.message]).toEqual([400, wrongCode.message]);
  expect((await signIn("maren")).status).toBe(200);

  const { status, body } = await call(maren, session.confirmTwoStep, { body: { code: codeOf(secret) } });
  expect([status, Object.keys(body)]).toEqual([200, ["recoveryCodes"]]);
  expect(new Set(body.recoveryCodes).size).toBe(10);
  expect((await call(maren, session.twoStep)).body).toEqual({
    onSince: expect.stringMatching(/Z$/),
    recoveryCodesLeft: 10,
  });

  const withoutCode = await signIn("maren");
  expect([withoutCode.status, withoutCode.body]).toEqual([401, asked]);
  expect((await signIn("maren", "")).body).toEqual(asked);
  const withCode = await signIn("maren", codeOf(secret, 1));
  expect([withCode.status, Object.keys(withCode.body)]).toEqual([200, ["accessToken", "deviceToken"]]);
  expect(await logRows()).toMatchObject(
    ["began to set up two-step sign-in", "signed in", "signed in", "turned on two-step sign-in", "signed in"].map(
      (what) => ({ admin: "maren", type: "session", action: `maren ${what}` }),
    ),
  );
});

test("a code in wide digits is right, and one in other scripts is wrong", async () => {
  const { secret } = await addProtected();
  for (const code of ["١٢٣٤٥٦", "12345é", "１２３４５é"]) {
    const { status, body } = await signIn("maren", code);
    expect([status, body], code).toEqual([401, wrongCode]);
  }
  const wide = codeOf(secret, 1).replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
  expect((await signIn("maren", wide)).status).toBe(200);
});

test("beginning again replaces the secret that was not confirmed", async () => {
  const maren = await addAccount("maren", "staff");
  const first = await begin(maren);
  const second = await begin(maren);
  const code = (secret: string) => ({ body: { code: codeOf(secret) } });
  expect((await call(maren, session.confirmTwoStep, code(first.secret))).status).toBe(400);
  expect((await call(maren, session.confirmTwoStep, code(second.secret))).status).toBe(200);
});

test("a secret is given for the password only, and not while two-step sign-in is on", async () => {
  const wrong = await call("staff", session.beginTwoStep, { body: { password: "not the password" } });
  expect([wrong.status, wrong.body.message]).toEqual([400, "The password is wrong"]);

  const maren = await addProtected();
  const again = await call(maren, session.beginTwoStep, { body: { password } });
  expect([again.status, again.body.message]).toEqual([409, "Two-step sign-in is on already"]);
  const confirmed = await call(maren, session.confirmTwoStep, { body: { code: codeOf(maren.secret, 1) } });
  expect(confirmed.status).toBe(409);
  expect((await signIn("maren", codeOf(maren.secret, 1))).status).toBe(200);
});

test("there is nothing to confirm before a secret was asked for", async () => {
  const answer = await call("staff", session.confirmTwoStep, { body: { code: "123456" } });
  expect([answer.status, answer.body.message]).toEqual([409, "Begin to set up two-step sign-in first"]);
});

test("two confirmations at once: one gets the recovery codes", async () => {
  const maren = await addAccount("maren", "staff");
  const { secret } = await begin(maren);
  const confirm = () => call(maren, session.confirmTwoStep, { body: { code: codeOf(secret) } });
  const answers = await meetAt(accounts, maren, () => [confirm(), confirm()]);
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
  const [codes] = answers.flatMap((answer) => answer.body.recoveryCodes ?? []);
  expect((await signIn("maren", codes)).status).toBe(200);
});

test("turning it on ends the account's other sessions and keeps this one", async () => {
  const here = await addAccount("maren", "staff");
  const elsewhere = { token: (await signIn("maren")).body.accessToken };
  const { secret } = await begin(here);
  expect((await call(elsewhere, session.access)).status).toBe(200);
  await call(here, session.confirmTwoStep, { body: { code: codeOf(secret) } });
  expect((await call(here, session.access)).status).toBe(200);
  expect((await call(elsewhere, session.access)).status).toBe(401);
});

test("a sign-in at the moment when two-step sign-in is turned on leaves no session without a code", async () => {
  const maren = await addAccount("maren", "staff");
  const { secret } = await begin(maren);
  await meetAt(accounts, maren, (): Promise<{ status: number }>[] => [
    call(maren, session.confirmTwoStep, { body: { code: codeOf(secret) } }),
    ...Array.from({ length: 3 }, () => signIn("maren")),
  ]);
  expect((await call(maren, session.sessions)).body.sessions).toMatchObject([{ current: true }]);
});

test("without the right password, nothing tells whether two-step sign-in is on", async () => {
  await addProtected();
  await addAccount("tomas", "staff");
  for (const code of [undefined, "000000"]) {
    const [on, off] = [await signIn("maren", code, "wrong"), await signIn("tomas", code, "wrong")];
    expect([on.status, on.body]).toEqual([401, { message: "Wrong username or password" }]);
    expect([off.status, off.body]).toEqual([on.status, on.body]);
  }
  expect(await db.$count(codeTries)).toBe(0);
});

test("an account without two-step sign-in needs no code, and a code does not disturb it", async () => {
  const answer = await signIn("staff", "000000");
  expect([answer.status, Object.keys(answer.body)]).toEqual([200, ["accessToken", "deviceToken"]]);
});

test("a code is taken once, and none that is older", async () => {
  const { secret } = await addProtected();
  expect((await signIn("maren", codeOf(secret))).body).toEqual(wrongCode);
  expect((await signIn("maren", codeOf(secret, 1))).status).toBe(200);
  for (const step of [1, 0, -1]) {
    const replay = await signIn("maren", codeOf(secret, step));
    expect([replay.status, replay.body]).toEqual([401, wrongCode]);
  }
  setClock("2026-11-14T12:00:40Z");
  expect((await signIn("maren", codeOf(secret, 2))).status).toBe(200);
});

test("of two sign-ins at once with the same code, one is refused", async () => {
  const maren = await addProtected();
  const use = (code: string | undefined) =>
    meetAt(accounts, maren, () => [signIn("maren", code), signIn("maren", code)]);
  for (const code of [codeOf(maren.secret, 1), maren.recoveryCodes[0]]) {
    expect((await use(code)).map((answer) => answer.status).sort()).toEqual([200, 401]);
  }
});

test.for([
  [-2, 401],
  [-1, 200],
  [0, 200],
  [1, 200],
  [2, 401],
] as const)("a clock that is %i half minutes off gets %i", async ([step, status]) => {
  const { id, secret } = await addProtected();
  await db.update(accounts).set({ totpLastStep: null }).where(eq(accounts.id, id));
  expect((await signIn("maren", codeOf(secret, step))).status).toBe(status);
});

test("a recovery code stands in for a code once, however it is typed", async () => {
  const maren = await addProtected();
  const [first = "", second = ""] = maren.recoveryCodes;
  expect(first).toMatch(/^([a-z2-9]{5}-){4}[a-z2-9]{5}$/);
  expect((await signIn("maren", first)).status).toBe(200);
  expect((await signIn("maren", first)).body).toEqual(wrongCode);
  expect((await signIn("maren", ` ${second.toUpperCase().replaceAll("-", " ")} `)).status).toBe(200);
  expect((await call(maren, session.twoStep)).body.recoveryCodesLeft).toBe(8);
  expect((await logRows()).at(-1)).toMatchObject({ type: "session", action: "maren signed in with a recovery code" });
  expect((await signIn("staff", second)).status).toBe(200);
});

test("recovery codes are the account's own", async () => {
  await addProtected();
  const tomas = await addProtected("tomas");
  expect((await signIn("maren", tomas.recoveryCodes[0])).status).toBe(401);
  expect((await signIn("tomas", tomas.recoveryCodes[0])).status).toBe(200);
});

test("being asked for the code is no failure", async () => {
  const { secret } = await addProtected();
  for (let tries = 0; tries < 8; tries++) expect((await signIn("maren")).body).toEqual(asked);
  expect((await signIn("maren", codeOf(secret, 1))).status).toBe(200);
});

test("a wrong code counts like a wrong password, and asking in between forgets nothing", async () => {
  const { secret } = await addProtected();
  for (let tries = 0; tries < 5; tries++) {
    expect((await signIn("maren", notTheCode(secret))).body).toEqual(wrongCode);
    if (tries < 4) expect((await signIn("maren")).body).toEqual(asked);
  }
  const sixth = await signIn("maren", codeOf(secret, 1));
  expect([sixth.status, Object.keys(sixth.body)]).toEqual([429, ["message"]]);
  await db.update(signInTries).set({ triedAt: sql`now() - interval '61 seconds'` });
  expect((await signIn("maren", codeOf(secret, 1))).status).toBe(200);
  expect(await db.$count(signInTries)).toBe(0);
});

/** Makes all earlier tries come from another address. */
const moveAway = () => db.update(signInTries).set({ address: "198.51.100.7" });

test("ten wrong codes in ten minutes, wherever they come from, and the eleventh is told to wait", async () => {
  const { secret, recoveryCodes } = await addProtected();
  for (let tries = 0; tries < 10; tries++) {
    expect((await signIn("maren", notTheCode(secret))).status).toBe(401);
    await moveAway();
  }
  for (const code of [codeOf(secret, 1), recoveryCodes[0]]) {
    const refused = await signIn("maren", code);
    expect([refused.status, refused.body]).toEqual([
      429,
      { message: "Too many wrong codes. Wait 10 minutes and try again." },
    ]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(590);
    await moveAway();
  }
  // Only somebody with the password is told.
  expect((await signIn("maren", "000000", "wrong")).body).toEqual({ message: "Wrong username or password" });
  await moveAway();

  await db.update(codeTries).set({ triedAt: sql`now() - interval '601 seconds'` });
  expect((await signIn("maren", codeOf(secret, 1))).status).toBe(200);
});

test("many wrong codes at once do not slip through", async () => {
  const { id, secret } = await addProtected();
  await db.insert(codeTries).values(Array.from({ length: 8 }, () => ({ accountId: id })));
  const answers = await Promise.all(Array.from({ length: 5 }, () => signIn("maren", notTheCode(secret))));
  expect(answers.filter((answer) => answer.status === 401).length).toBeLessThanOrEqual(2);
  expect(answers.every((answer) => answer.status === 401 || answer.status === 429)).toBe(true);
});

test("a stranger without the password cannot use up the codes that may be wrong", async () => {
  const { secret } = await addProtected();
  for (let tries = 0; tries < 12; tries++) {
    expect((await signIn("maren", notTheCode(secret), "wrong")).status).toBe(tries < 10 ? 401 : 429);
    await moveAway();
  }
  expect(await db.$count(codeTries)).toBe(0);
  expect((await signIn("maren", codeOf(secret, 1))).status).toBe(200);
});

test.for(["code", "recovery code"] as const)("it is turned off with password and %s", async (kind) => {
  const maren = await addProtected();
  const code = kind === "code" ? codeOf(maren.secret, 1) : (maren.recoveryCodes[0] ?? "");
  const disable = (body: { password: string; code: string }) => call(maren, session.disableTwoStep, { body });

  const wrongPassword = await disable({ password: "wrong", code });
  expect([wrongPassword.status, wrongPassword.body.message]).toEqual([400, "The password is wrong"]);
  const replayed = await disable({ password, code: codeOf(maren.secret) });
  const { message } = wrongCode;
  expect([replayed.status, replayed.body]).toEqual([400, { message, issues: [{ path: "body.code", message }] }]);
  expect((await signIn("maren")).body).toEqual(asked);

  const { status, body } = await disable({ password, code });
  expect([status, body]).toEqual([200, { message: "Two-step sign-in is off" }]);
  expect((await signIn("maren")).status).toBe(200);
  expect((await call(maren, session.twoStep)).body).toEqual({ onSince: null, recoveryCodesLeft: 0 });
  const [row] = await db.select().from(accounts).where(eq(accounts.id, maren.id));
  expect(row).toMatchObject({ totpSecret: null, totpConfirmedAt: null, totpLastStep: null });
  expect((await logRows()).map((row) => row.action)).toContain("maren turned off two-step sign-in");
  const again = await disable({ password, code });
  expect([again.status, again.body.message]).toEqual([409, "Two-step sign-in is not on"]);
});

test("turning it off ends the account's other sessions and keeps this one", async () => {
  const here = await addProtected();
  const elsewhere = { token: (await signIn("maren", here.recoveryCodes[0])).body.accessToken };
  const body = { password, code: codeOf(here.secret, 1) };
  expect((await call(here, session.disableTwoStep, { body })).status).toBe(200);
  expect((await call(here, session.access)).status).toBe(200);
  expect((await call(elsewhere, session.access)).status).toBe(401);
});

test("where it is on, a password is changed with a code", async () => {
  const maren = await addProtected();
  const change = (code?: string) =>
    call(maren, session.changePassword, {
      body: { oldPassword: password, newPassword: "a much better secret", ...(code !== undefined && { code }) },
    });
  const message = "Enter the code from your authenticator app";
  for (const none of [undefined, "", " "]) {
    const { status, body } = await change(none);
    expect([status, body]).toEqual([400, { message, issues: [{ path: "body.code", message }], codeRequired: true }]);
  }
  const wrong = await change(notTheCode(maren.secret));
  expect([wrong.status, wrong.body.issues?.[0]?.path]).toEqual([400, "body.code"]);
  expect((await signIn("maren")).body).toEqual(asked);

  const code = codeOf(maren.secret, 1);
  expect((await change(code)).status).toBe(200);
  const again = await signIn("maren", code, "a much better secret");
  expect([again.status, again.body]).toEqual([401, wrongCode]);
  expect((await signIn("maren", maren.recoveryCodes[0], "a much better secret")).status).toBe(200);
});

test("codes cannot be guessed by changing the password", async () => {
  const maren = await addProtected();
  const body = { oldPassword: password, newPassword: "a much better secret" };
  const change = (code: string) => call(maren, session.changePassword, { body: { ...body, code } });
  for (let tries = 0; tries < 10; tries++) expect((await change(notTheCode(maren.secret))).status).toBe(400);
  expect((await change(codeOf(maren.secret, 1))).status).toBe(429);
});

test("wrong codes of a signed-in session are counted too: it cannot guess its way to turning it off", async () => {
  const maren = await addProtected();
  const disable = (code: string) => call(maren, session.disableTwoStep, { body: { password, code } });
  for (let tries = 0; tries < 10; tries++) {
    expect((await disable(notTheCode(maren.secret))).status).toBe(400);
    await moveAway();
  }
  expect((await disable(codeOf(maren.secret, 1))).status).toBe(429);
  expect((await logRows()).at(-1)?.action).toMatch(
    / as maren .*, the last with the right password and a wrong code in an open session$/,
  );
  const [last] = (await call(maren, session.signIns)).body.signIns;
  expect(last).toMatchObject({ outcome: "wrong code", whileSignedIn: true, session: { current: true } });
});

test("a wrong code changes nothing: the account's other sessions go on", async () => {
  const maren = await addProtected();
  const elsewhere = await signIn("maren", codeOf(maren.secret, 1));
  const code = notTheCode(maren.secret);
  const body = { oldPassword: password, newPassword: "a much better secret", code };
  expect((await call(maren, session.disableTwoStep, { body: { password, code } })).status).toBe(400);
  expect((await call(maren, session.changePassword, { body })).status).toBe(400);
  expect((await call({ token: elsewhere.body.accessToken }, session.access)).status).toBe(200);
});

test("new recovery codes take the place of the old", async () => {
  const maren = await addProtected();
  const body = { password, code: codeOf(maren.secret, 1) };
  const answer = await call(maren, session.newRecoveryCodes, { body });
  expect(answer.status).toBe(200);
  expect(answer.body.recoveryCodes).toHaveLength(10);
  expect((await signIn("maren", maren.recoveryCodes[0])).status).toBe(401);
  expect((await signIn("maren", answer.body.recoveryCodes[0])).status).toBe(200);
  expect((await call(maren, session.newRecoveryCodes, { body })).status).toBe(400);
  expect((await logRows()).map((row) => row.action)).toContain("maren made new recovery codes");
});

test("an administrator sees who has it and can reset it, which ends the account's sessions", async () => {
  const maren = await addProtected();
  const listed = await call("admin", staff.list);
  expect(listed.body.staff.map((member) => [member.username, member.twoStep])).toEqual([
    ["maren", true],
    ["staff", false],
  ]);

  const reset = () => call("admin", staff.resetTwoStep, { params: { id: maren.id } });
  const { status, body } = await reset();
  expect([status, body]).toEqual([200, { message: "maren signs in with the password alone now" }]);
  expect((await call(maren, session.access)).status).toBe(401);
  expect((await signIn("maren")).status).toBe(200);
  expect(await db.$count(recoveryCodes)).toBe(0);
  expect((await call("admin", staff.list)).body.staff.map((member) => member.twoStep)).toEqual([false, false]);
  expect(await logRows()).toContainEqual(
    expect.objectContaining({ admin: "admin", type: "staff", action: "Reset two-step sign-in of maren" }),
  );
  const again = await reset();
  expect([again.status, again.body.message]).toEqual([409, "maren does not use two-step sign-in"]);
});

test("staff cannot reset it, administrators can for each other, and nobody for themselves", async () => {
  const maren = await addProtected();
  const boss = await addProtected("boss", "admin");
  expect((await call("staff", staff.resetTwoStep, { params: { id: maren.id } })).status).toBe(403);
  expect((await call(boss, staff.resetTwoStep, { params: { id: boss.id } })).status).toBe(409);
  expect((await signIn("maren")).body).toEqual(asked);
  expect((await signIn("boss")).body).toEqual(asked);
  expect((await call("admin", staff.resetTwoStep, { params: { id: boss.id } })).status).toBe(200);
  expect((await signIn("boss")).status).toBe(200);
});

test("no secret and no code stands in a log or in the staff list", async () => {
  const { secret, recoveryCodes } = await addProtected();
  await signIn("maren", recoveryCodes[0]);
  const said = JSON.stringify([(await call("admin", logs.list)).body, (await call("admin", staff.list)).body]);
  for (const hidden of [secret, ...recoveryCodes]) expect(said).not.toContain(hidden);
  expect(JSON.stringify(await db.select().from(accounts))).not.toContain(recoveryCodes[1]);
});
