import { fedex } from "@footprint/contract/fedex.ts";
import { logs } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { users } from "@footprint/contract/users.ts";
import { views } from "@footprint/contract/views.ts";
import { website } from "@footprint/contract/website.ts";
import { eq, inArray, sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, inject, test as onBothEngines } from "vitest";
import { resetPassword } from "../accounts/accounts.ts";
import { hashToken, openSession } from "../accounts/sessions.ts";
import { accounts, knownDevices, sessions, settings, signInLimits, signIns, signInTries } from "../db/schema.ts";
import { addCustomer, addFedexOrder, balanceOf } from "../testing/builders.ts";
import { meetAt, untilTheyWait } from "../testing/races.ts";
import { addAccount, call, db, logRows, password } from "../testing/server.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

const signIn = (username: string, secret = password, more: { code?: string; deviceToken?: string } = {}) =>
  call("nobody", session.login, { body: { username, password: secret, ...more } });

const codeOf = (secret: string) => TOTP.generate({ secret: Secret.fromBase32(secret) });

/** Turns two-step sign-in on for an account. */
async function protect(as: "admin" | "staff" | { token: string }) {
  const { secret } = (await call(as, session.beginTwoStep, { body: { password } })).body;
  expect((await call(as, session.confirmTwoStep, { body: { code: codeOf(secret) } })).status).toBe(200);
}

const paramsOf = ({ id }: { id: string }) => ({ params: { id } });
const ownId = async () => (await db.select().from(accounts).where(eq(accounts.username, "admin")))[0]?.id ?? "";

test("a password that an administrator resets is shown once, opens nothing but its own change, and ends all sessions", async () => {
  const maren = await addAccount("maren", "staff");
  const { deviceToken } = (await signIn("maren")).body;
  for (let tries = 0; tries < 3; tries++) await signIn("maren", "wrong");
  const { status, body } = await call("admin", staff.resetPassword, paramsOf(maren));
  expect([status, body.message]).toEqual([200, "maren has a new password"]);
  expect((await call(maren, session.access)).status).toBe(401);
  expect(await db.$count(sessions, eq(sessions.accountId, maren.id))).toBe(0);
  expect(await db.$count(knownDevices, eq(knownDevices.accountId, maren.id))).toBe(0);
  expect(await db.$count(signInLimits, eq(signInLimits.guesser, "name maren"))).toBe(0);
  expect((await call("admin", staff.read, paramsOf(maren))).body.member.passwordTemporary).toBe(true);
  expect((await signIn("maren")).status).toBe(401);

  const token = (await signIn("maren", body.password, { deviceToken })).body.accessToken;
  const as = { token };
  const refused = await call(as, orders.list);
  expect([refused.status, refused.body]).toEqual([
    403,
    { message: "Change your password first", passwordChangeRequired: true },
  ]);
  expect((await call(as, session.access)).body).toMatchObject({ username: "maren", mustFirst: "password" });
  for (const denied of [session.sessions, session.twoStep, session.signIns, logs.own] as const)
    expect((await call(as, denied as typeof session.sessions)).status).toBe(403);
  expect((await call(as, staff.list)).body).toMatchObject({ passwordChangeRequired: true });

  const change = (newPassword: string) =>
    call(as, session.changePassword, { body: { oldPassword: body.password, newPassword } });
  const same = await change(body.password);
  expect([same.status, same.body.issues[0]?.path]).toEqual([400, "body.newPassword"]);
  expect((await change("a sentence of my own")).status).toBe(200);
  expect((await call(as, session.access)).body.mustFirst).toBe(null);
  expect((await call(as, orders.list)).status).toBe(200);
  expect((await signIn("maren", "a sentence of my own")).status).toBe(200);
  const actions = (await logRows()).map(({ action }) => action);
  expect(actions).toContain("Reset the password of maren");
  expect(JSON.stringify(await logRows())).not.toContain(body.password);
});

onBothEngines("of two simultaneous resets of one password, one gets it and the other is refused", async () => {
  const maren = await addAccount("maren", "staff");
  const other = await addAccount("beate", "admin");
  const bothReset = (input: Parameters<typeof call<typeof staff.resetPassword>>[2]) => () => [
    call("admin", staff.resetPassword, input),
    call(other, staff.resetPassword, input),
  ];
  const asSeen = { ...paramsOf(maren), body: { passwordTemporary: false } };
  const rounds = [await meetAt(accounts, maren, bothReset(asSeen))];
  // The embedded engine does nothing at once, so the second call, which names no state, resets it again.
  if (!inject("embeddedDump")) rounds.push(await meetAt(accounts, maren, bothReset(paramsOf(maren))));
  for (const answers of rounds) {
    const [done, refused] = answers.sort((a, b) => a.status - b.status);
    expect([done?.status, refused?.status, refused?.body]).toEqual([
      200,
      409,
      { message: "maren got another password meanwhile: look at the account again" },
    ]);
  }
  expect((await signIn("maren", rounds.at(-1)?.[0]?.body.password)).status).toBe(200);
  // A caller who saw that the password was already replaced may replace it again.
  expect((await call("admin", staff.resetPassword, asSeen)).status).toBe(409);
  const seen = { ...paramsOf(maren), body: { passwordTemporary: true } };
  expect((await call("admin", staff.resetPassword, seen)).status).toBe(200);
});

test("the terminal says that an account with a new password is suspended", async () => {
  const maren = await addAccount("maren", "staff");
  expect(await resetPassword(db, "maren")).toMatch(/^maren can sign in with the password \S+ /);
  await call("admin", staff.suspend, { ...paramsOf(maren), body: {} });
  const said = await resetPassword(db, "maren");
  expect(said).toMatch(
    /^maren has the password \S+ .* once an administrator has resumed the account: it is suspended$/,
  );
  const password = / password (\S+) /.exec(said ?? "")?.[1];
  expect((await signIn("maren", password)).status).toBe(403);
  await call("admin", staff.resume, { ...paramsOf(maren), body: {} });
  expect((await signIn("maren", password)).status).toBe(200);
});

test("who must change the password first may sign out", async () => {
  const maren = await addAccount("maren", "staff");
  const { body } = await call("admin", staff.resetPassword, paramsOf(maren));
  const token = (await signIn("maren", body.password)).body.accessToken;
  expect((await call({ token }, session.logout)).status).toBe(200);
});

test("a suspended account is signed out at once, cannot sign in, and keeps what it has until it is resumed", async () => {
  const maren = await addAccount("maren", "staff");
  await call(maren, views.create, { body: { screen: "orders", name: "Mine", query: "status=Active" } });
  const order = await addFedexOrder({});
  await call(maren, fedex.claim, paramsOf(order));

  const suspended = await call("admin", staff.suspend, { ...paramsOf(maren), body: { reason: "Left her badge" } });
  expect([suspended.status, suspended.body]).toEqual([200, { message: "maren is suspended" }]);
  expect((await call(maren, session.access)).status).toBe(401);
  const wrong = await signIn("maren", "wrong");
  expect([wrong.status, wrong.body]).toEqual([401, { message: "Wrong username or password" }]);
  const right = await signIn("maren");
  expect([right.status, right.body]).toEqual([403, { message: "This account is suspended" }]);
  const again = await call("admin", staff.suspend, { ...paramsOf(maren), body: {} });
  expect([again.status, again.body.message]).toEqual([409, "maren is suspended already"]);
  expect((await call("admin", staff.read, paramsOf(maren))).body.member).toMatchObject({
    suspendedAt: expect.stringMatching(/Z$/),
    suspendedBecause: "Left her badge",
  });

  const resumed = await call("admin", staff.resume, { ...paramsOf(maren), body: { reason: "Found it" } });
  expect([resumed.status, resumed.body]).toEqual([200, { message: "maren may sign in again" }]);
  expect((await call("admin", staff.resume, { ...paramsOf(maren), body: {} })).status).toBe(409);
  expect((await call(maren, session.access)).status).toBe(401);
  const token = (await signIn("maren")).body.accessToken;
  expect((await call({ token }, views.list, { query: { screen: "orders" } })).body.views).toMatchObject([
    { own: true },
  ]);
  const claimed = (await call({ token }, fedex.read, paramsOf(order))).body;
  expect(JSON.stringify(claimed)).toContain("maren");
  expect((await logRows()).filter(({ type }) => type === "staff")).toMatchObject([
    { action: "Suspended maren: Left her badge", after: { suspended: true, reason: "Left her badge" } },
    { action: "Resumed maren: Found it", after: { suspended: false } },
  ]);
});

test("the right password of a suspended account uses up no tries, and its owner is always told why", async () => {
  const maren = await addAccount("maren", "staff");
  await call("admin", staff.suspend, { ...paramsOf(maren), body: {} });
  for (let tries = 0; tries < 8; tries++) expect((await signIn("maren")).status).toBe(403);
  expect(await db.$count(signInTries)).toBe(0);
});

onBothEngines("a sign-in at the moment of the suspension gets no session", async () => {
  const maren = await addAccount("maren", "staff");
  const { signingIn } = await db.transaction(async (tx) => {
    await tx.select().from(accounts).where(eq(accounts.id, maren.id)).for("update");
    const signingIn = signIn("maren");
    // On the embedded engine, with one connection, the call waits for this whole transaction.
    if (!inject("embeddedDump")) await untilTheyWait(tx, 1);
    await tx.update(accounts).set({ suspendedAt: sql`now()` }).where(eq(accounts.id, maren.id));
    return { signingIn };
  });
  expect((await signingIn).status).toBe(inject("embeddedDump") ? 403 : 409);
  expect(await db.$count(sessions, eq(sessions.accountId, maren.id))).toBe(1);
});

test.for(["suspend", "resetPassword", "changeRole", "endSessions"] as const)(
  "%s ends an account for every change that begins from then on, and waits for the one under way",
  async (act) => {
    const maren = await addAccount("maren", "staff");
    const customer = await addCustomer();
    const change = () => call(maren, users.addBalance, { params: { id: customer.id }, body: { balance: 1 } });
    expect((await change()).status).toBe(200);
    const bodies = { suspend: {}, resetPassword: undefined, changeRole: { role: "admin" }, endSessions: {} };
    const { ended } = await db.transaction(async (tx) => {
      // As an ongoing change does.
      await tx.execute(sql`select from sessions where token_hash = ${hashToken(maren.token)} for key share`);
      const ended = call("admin", staff[act], { ...paramsOf(maren), body: bodies[act] } as never);
      await untilTheyWait(tx, 1);
      expect((await change()).status).toBe(401);
      return { ended };
    });
    expect((await ended).status).toBe(200);
    expect(await balanceOf(customer)).toBe(1);
  },
);

test("a role is changed both ways, and ends the account's sessions", async () => {
  const maren = await addAccount("maren", "staff");
  const change = (role: "admin" | "staff") => call("admin", staff.changeRole, { ...paramsOf(maren), body: { role } });
  const up = await change("admin");
  expect([up.status, up.body]).toEqual([200, { message: "maren is an administrator now" }]);
  expect((await call(maren, session.access)).status).toBe(401);
  expect((await change("admin")).status).toBe(409);
  const token = (await signIn("maren")).body.accessToken;
  expect((await call({ token }, staff.list)).status).toBe(200);
  expect((await change("staff")).body.message).toBe("maren is a staff account now");
  expect((await call({ token }, staff.list)).status).toBe(401);
  expect((await logRows()).filter(({ type }) => type === "staff")).toMatchObject([
    { action: "Made maren an administrator", before: { role: "staff" }, after: { role: "admin" } },
    { action: "Made maren a staff account" },
  ]);
});

test("nobody can remove their own account, so an administrator always remains", async () => {
  const id = await ownId();
  const own = { params: { id } };
  const acts = [
    call("admin", staff.delete, own),
    call("admin", staff.suspend, { ...own, body: {} }),
    call("admin", staff.changeRole, { ...own, body: { role: "staff" } }),
    call("admin", staff.resetPassword, own),
    call("admin", staff.resetTwoStep, own),
    call("admin", staff.endSessions, { ...own, body: {} }),
  ];
  for (const { status, body } of await Promise.all<{ status: number; body: { message: string } }>(acts))
    expect([status, body.message]).toEqual([409, "Do this to your own account in Account Setting, or ask a colleague"]);
  expect((await call("admin", session.access)).body.role).toBe("admin");
});

const ableAdmins = () => db.$count(accounts, sql`${accounts.role} = 'admin' and ${accounts.suspendedAt} is null`);

onBothEngines("of two administrators who remove each other at once, exactly one succeeds", async () => {
  const acts = ["delete", "suspend", "changeRole"] as const;
  const bodies = { delete: undefined, suspend: {}, changeRole: { role: "staff" } };
  for (const mine of acts)
    for (const theirs of acts) {
      const [one, other] = [
        await addAccount(`one.${mine}.${theirs}`, "admin"),
        await addAccount(`other.${mine}.${theirs}`, "admin"),
      ];
      const act = (by: { token: string }, name: (typeof acts)[number], whom: { id: string }) =>
        call(by, staff[name], { ...paramsOf(whom), body: bodies[name] } as never);
      const before = await ableAdmins();
      const { answers } = await db.transaction(async (tx) => {
        await tx
          .select()
          .from(accounts)
          .where(inArray(accounts.id, [one.id, other.id]))
          .for("update");
        const answers = [act(one, mine, other), act(other, theirs, one)];
        if (!inject("embeddedDump")) await untilTheyWait(tx, 2);
        return { answers };
      });
      expect((await Promise.all(answers)).map(({ status }) => status).sort(), `${mine} against ${theirs}`).toEqual([
        200, 401,
      ]);
      expect(await ableAdmins()).toBe(before - 1);
    }
});

onBothEngines("one administrator remains, however many remove each other at once", async () => {
  const names = ["a", "b", "c", "d"];
  const crew = await Promise.all(names.map((name) => addAccount(`crew.${name}`, "admin")));
  await db.delete(accounts).where(eq(accounts.username, "admin"));
  const acts = crew.flatMap((by) =>
    crew.filter((whom) => whom !== by).map((whom) => call(by, staff.suspend, { ...paramsOf(whom), body: {} })),
  );
  const statuses = (await Promise.all(acts)).map(({ status }) => status);
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
  expect(await ableAdmins()).toBeGreaterThan(0);
  expect(await ableAdmins()).toBeLessThan(names.length);
});

test("administrators see an account's open sessions, and end one or all of them", async () => {
  const maren = await addAccount("maren", "staff");
  const phone = { token: await openSession(db, maren.id, { device: "Safari on iPhone", address: "203.0.113.7" }) };
  const open = async () => (await call("admin", staff.sessions, paramsOf(maren))).body.sessions;
  const [first] = (await open()).filter(({ device }) => device === "Safari on iPhone");
  expect(first).toMatchObject({ address: "203.0.113.7", current: false, lastUsedAt: expect.stringMatching(/Z$/) });
  expect(await open()).toHaveLength(2);

  const one = await call("admin", staff.endSessions, { ...paramsOf(maren), body: { session: first?._id ?? "" } });
  expect([one.status, one.body.message]).toEqual([200, "maren is signed out on Safari on iPhone (203.0.113.7)"]);
  expect((await call(phone, session.access)).status).toBe(401);
  expect((await call(maren, session.access)).status).toBe(200);
  const again = await call("admin", staff.endSessions, { ...paramsOf(maren), body: { session: first?._id ?? "" } });
  expect(again.status).toBe(404);

  const all = await call("admin", staff.endSessions, { ...paramsOf(maren), body: {} });
  expect([all.status, all.body.message]).toEqual([200, "maren is signed out everywhere"]);
  expect((await call(maren, session.access)).status).toBe(401);
  expect((await call("admin", staff.endSessions, { ...paramsOf(maren), body: {} })).status).toBe(404);
  expect((await logRows()).map(({ action }) => action)).toEqual([
    "Signed maren out on Safari on iPhone (203.0.113.7)",
    "Signed maren out everywhere",
  ]);
});

test("an account was last seen when it last called, also after it signed out", async () => {
  const maren = await addAccount("maren", "staff");
  const lastSeen = async () => (await call("admin", staff.read, paramsOf(maren))).body.member.lastSeenAt;
  expect(await lastSeen()).toBe(null);
  await db.update(sessions).set({ lastUsedAt: sql`now() - interval '2 minutes'` });
  await call(maren, session.access);
  const seen = await lastSeen();
  expect(seen).toMatch(/Z$/);
  await call(maren, session.logout);
  expect(await lastSeen()).toBe(seen);
});

test("two-step sign-in can be required of administrators or of everybody, by one who has it", async () => {
  const demand = (twoStepRequired: "nobody" | "administrators" | "everybody") =>
    call("admin", staff.updateTwoStepRequired, { body: { twoStepRequired } });
  const own = await demand("administrators");
  expect([own.status, own.body.message]).toEqual([409, "Turn on two-step sign-in for your own account first"]);
  expect((await demand("nobody")).status).toBe(200);
  await protect("admin");
  const boss = await addAccount("boss", "admin");
  expect((await demand("administrators")).body.message).toBe("Two-step sign-in is required of administrators");
  expect((await call("admin", staff.twoStepRequired)).body).toEqual({
    twoStepRequired: "administrators",
    without: { administrators: 1, staff: 1 },
  });

  expect((await call("staff", orders.list)).status).toBe(200);
  const refused = await call(boss, orders.list);
  expect([refused.status, refused.body]).toEqual([
    403,
    { message: "Set up two-step sign-in first", twoStepRequired: true },
  ]);
  expect((await call(boss, session.access)).body).toMatchObject({ mustFirst: "two-step" });
  expect((await call(boss, website.createApiKey, { body: { name: "Behind the back" } })).status).toBe(403);
  expect((await call(boss, session.changePassword, { body: { oldPassword: password, newPassword: "x" } })).status).toBe(
    403,
  );
  await protect(boss);
  expect((await call(boss, session.access)).body.mustFirst).toBe(null);
  expect((await call(boss, orders.list)).status).toBe(200);

  expect((await demand("everybody")).status).toBe(200);
  expect((await call("staff", orders.list)).status).toBe(403);
  const token = (await signIn("staff")).body.accessToken;
  expect((await call({ token }, orders.list)).body).toMatchObject({ twoStepRequired: true });
  expect((await demand("nobody")).status).toBe(200);
  expect((await call({ token }, orders.list)).status).toBe(200);
  expect((await logRows()).filter(({ type }) => type === "website")).toMatchObject([
    { before: { twoStepRequired: "nobody" }, after: { twoStepRequired: "administrators" } },
    { action: "Required two-step sign-in of everybody" },
    { action: "Required two-step sign-in of nobody" },
  ]);
});

test("a temporary password comes before the second step", async () => {
  await db.update(settings).set({ twoStepRequired: "everybody" });
  await db.update(accounts).set({ passwordTemporary: true }).where(eq(accounts.username, "staff"));
  expect((await call("staff", session.access)).body.mustFirst).toBe("password");
  const body = { oldPassword: password, newPassword: "a sentence of my own" };
  expect((await call("staff", session.changePassword, { body })).status).toBe(200);
  expect((await call("staff", session.access)).body.mustFirst).toBe("two-step");
});

test("sign-ins are kept with device, address and outcome, for their owner and for administrators", async () => {
  const maren = await addAccount("maren", "staff");
  const headers = { "user-agent": "Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/130.0" };
  const from = (secret: string, more = {}) =>
    call("nobody", session.login, { body: { username: "Maren", password: secret, ...more }, headers });
  await from("wrong");
  const first = (await from(password)).body;
  await from(password, { deviceToken: first.deviceToken });
  await protect(maren);
  await from(password, { deviceToken: first.deviceToken, code: "000000" });
  await call("admin", staff.suspend, { ...paramsOf(maren), body: {} });
  await from(password);
  const { body } = await call("admin", staff.signIns, paramsOf(maren));
  expect(body.total).toBe(5);
  expect(body.signIns.map(({ outcome, newDevice }) => [outcome, newDevice])).toEqual([
    ["suspended", false],
    ["wrong code", false],
    ["signed in", false],
    ["signed in", true],
    ["wrong password", false],
  ]);
  expect(body.signIns[0]).toEqual({
    _id: expect.any(String),
    outcome: "suspended",
    whileSignedIn: false,
    device: "Firefox on Windows",
    address: "127.0.0.1",
    newDevice: false,
    session: null,
    createdAt: expect.stringMatching(/Z$/),
  });
  expect((await call("admin", staff.signIns, { ...paramsOf(maren), query: { page: 2, limit: 2 } })).body).toMatchObject(
    {
      signIns: [{ outcome: "signed in" }, { outcome: "signed in" }],
      totalPages: 3,
    },
  );
  expect((await call("staff", session.signIns)).body.signIns).toEqual([]);
});

test("an account's other sessions learn of a sign-in on a new device, and can end it", async () => {
  const here = await addAccount("maren", "staff");
  const there = { token: (await signIn("maren")).body.accessToken };
  const { sessions: open } = (await call(here, session.sessions)).body;
  expect(open.filter(({ current }) => !current)).toMatchObject([{ newDevice: true }]);
  const [seen] = (await call(here, session.signIns)).body.signIns;
  expect(seen).toMatchObject({ newDevice: true, session: { current: false } });
  expect((await call(there, session.signIns)).body.signIns[0]).toMatchObject({ session: { current: true } });
  await call(here, session.endSession, { params: { id: seen?.session?._id ?? "" } });
  expect((await call(there, session.access)).status).toBe(401);
  expect((await call(here, session.signIns)).body.signIns[0]).toMatchObject({ newDevice: true, session: null });
});

test("guessing fills no disk: at most twenty failures of an account are stored in an hour, and none of unknown names", async () => {
  for (let tries = 0; tries < 30; tries++) {
    await signIn("staff", "wrong");
    await signIn("nobody.at.all", "wrong");
    await db.delete(signInTries);
    await db.update(signInLimits).set({ tries: 0 });
  }
  expect(await db.$count(signIns)).toBe(20);
  await db.update(signIns).set({ createdAt: sql`now() - interval '61 minutes'` });
  await signIn("staff", "wrong");
  expect(await db.$count(signIns)).toBe(21);
});

test("an account sees what it did itself to accounts and settings, and neither sign-ins nor what others did", async () => {
  await addAccount("boss", "admin");
  await signIn("boss", "wrong");
  const boss = { token: (await signIn("boss")).body.accessToken };
  const elsewhere = { token: (await signIn("boss")).body.accessToken };
  await call(boss, views.create, { body: { screen: "orders", name: "Mine", query: "status=Active" } });
  const customer = await addCustomer();
  await call(boss, users.addBalance, { params: { id: customer.id }, body: { balance: 1 } });
  await call(boss, website.createApiKey, { body: { name: "Corner shop" } });
  await call("admin", website.createApiKey, { body: { name: "Other shop" } });
  const { sessions: open } = (await call(elsewhere, session.sessions)).body;
  await call(boss, session.endSession, { params: { id: open.find(({ current }) => current)?._id ?? "" } });
  await call(boss, session.confirm, { body: { password } });
  const { body } = await call(boss, logs.own);
  expect([body.total, body.logs.map(({ action }) => action)]).toEqual([
    3,
    [
      "boss confirmed that it is them",
      expect.stringMatching(/^boss signed out their session on /),
      "Created the API key Corner shop",
    ],
  ]);
  expect((await call("staff", logs.own)).body.logs).toEqual([]);
});
