import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { settingsId } from "@footprint/contract/logs.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { website } from "@footprint/contract/website.ts";
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { hashToken } from "../accounts/sessions.ts";
import { buildApp, features } from "../app.ts";
import { readConfig } from "../config.ts";
import { sessions } from "../db/schema.ts";
import { formWith, png } from "../testing/multipart.ts";
import { addAccount, call, db, fingerprint, logRows, password, send, tokenOf } from "../testing/server.ts";
import { validInput } from "../testing/valid-input.ts";

const calls: Endpoint[] = Object.values(features).flatMap(({ feature }) => Object.values(feature));
const sensitive = calls.filter((call) => call.sensitive);

const makeOld = (as: Parameters<typeof tokenOf>[0] = "admin") =>
  db
    .update(sessions)
    .set({ confirmedAt: sql`now() - interval '31 minutes'` })
    .where(eq(sessions.tokenHash, hashToken(tokenOf(as) ?? "")));

const confirm = (as: Parameters<typeof call>[0] = "admin", secret = password) =>
  call(as, session.confirm, { body: { password: secret } });

const asked = [403, { message: "Confirm that it is you, and try again", confirmationRequired: true }];

/** Calls that need no confirmation: confirming itself, ending sessions, and messages to people who get them anyway. */
const harmless: Endpoint[] = [session.confirm, session.logout, session.endSession, staff.testMessage];

test("every call that changes where money goes, who may do what, or how to sign in needs a fresh confirmation or the password", () => {
  const changes = calls.filter(
    ({ method, path, access }) =>
      method !== "GET" &&
      (access === "staff" || access === "admin") &&
      !path.endsWith("/export") &&
      /^\/api\/v1\/(website|admin\/staff|auth)\/|^\/admin\//.test(path),
  );
  const ownPassword = /"(password|oldPassword)"/;
  const takesPassword = ({ path, body }: Endpoint) =>
    !path.includes("/staff/") &&
    body &&
    ownPassword.test(JSON.stringify(z.toJSONSchema(body, { io: "input" }).required));
  const forgotten = changes.filter((call) => !call.sensitive && !takesPassword(call) && !harmless.includes(call));
  expect(forgotten.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  expect(sensitive).toEqual(
    expect.arrayContaining([
      website.updateCashapp,
      website.updateLimits,
      website.createApiKey,
      website.updateApiKey,
      website.deleteApiKey,
      staff.create,
      staff.update,
      staff.resetTwoStep,
      staff.delete,
    ]),
  );
});

const somebody = { params: { id: "019a0000-0000-7000-8000-000000000000" }, query: {} };

test.for(sensitive)(
  "$method $path is refused half an hour after the sign-in, until it is confirmed",
  async (endpoint) => {
    await makeOld();
    const before = await fingerprint();
    for (const body of [undefined, {}, { nonsense: true }]) {
      const refused = await call("admin", endpoint, { ...somebody, body } as never);
      expect([refused.status, refused.body]).toEqual(asked);
    }
    expect(await fingerprint()).toEqual(before);
    expect((await confirm()).status).toBe(200);
    expect((await call("admin", endpoint, { ...somebody, body: {} } as never)).status).not.toBe(403);
  },
);

test("no other call changes accounts, passkeys, keys or settings for an old session, whatever it sends", async () => {
  const maren = await addAccount("maren", "staff");
  await call("admin", website.createApiKey, { body: { name: "Corner shop" } });
  const [key] = (await call("admin", website.listApiKeys)).body.keys;
  await makeOld();
  const kept = async () => {
    const { accounts, passkeys, recovery_codes, api_keys, shops, settings } = await fingerprint();
    return { accounts, passkeys, recovery_codes, api_keys, shops, settings };
  };
  const before = await kept();
  const others = calls.filter(
    (one) =>
      one.method !== "GET" &&
      (one.access === "staff" || one.access === "admin") &&
      !one.sensitive &&
      one !== session.logout,
  );
  const ids = [maren.id, key?._id ?? "", settingsId];
  for (const endpoint of others)
    for (const id of endpoint.params ? ids : ids.slice(0, 1)) {
      const known = { id: ids, username: ["maren"] };
      const [body, query] = [endpoint.body, endpoint.query].map(
        (schema) => schema && fc.sample(validInput(schema, known), { numRuns: 1, seed: 16 })[0],
      );
      await send("admin", endpoint, { params: { id }, query: query ?? {}, body } as never).then((reply) =>
        reply.text(),
      );
    }
  expect(await kept()).toEqual(before);
  expect(others.length).toBeGreaterThan(30);
});

test("a stolen session cannot change where money goes, by hand or with an image", async () => {
  await call("admin", website.updateCashapp, { body: { cashappId: "$ours" } });
  await makeOld();
  const handle = await call("admin", website.updateCashapp, { body: { cashappId: "$theirs" } });
  expect([handle.status, handle.body]).toEqual(asked);
  const form = formWith({ cashappId: "$theirs", image: new Blob([png]) }, "theirs.png");
  const image = await call("admin", website.updateCashapp, { form });
  expect([image.status, image.body]).toEqual(asked);
  expect((await call("admin", website.getCashapp)).body.cashapp).toMatchObject({ cashappId: "$ours", image: null });

  expect((await confirm()).body).toEqual({ message: "Confirmed" });
  expect((await call("admin", website.updateCashapp, { form })).status).toBe(200);
  expect((await call("admin", website.getCashapp)).body.cashapp.cashappId).toBe("$theirs");
  expect((await logRows()).map(({ admin, type, action }) => [admin, type, action]).slice(1, 2)).toEqual([
    ["admin", "session", "admin confirmed that it is them"],
  ]);
});

test("confirming is for the session that does it, and for half an hour", async () => {
  const first = await addAccount("maren", "admin");
  const second = {
    token: (await call("nobody", session.login, { body: { username: "maren", password } })).body.accessToken,
  };
  await makeOld(first);
  await makeOld(second);
  await confirm(first);
  const change = (as: { token: string }) => call(as, website.updateLimits, { body: { staffCredit: 5 } });
  expect((await change(first)).status).toBe(200);
  expect((await change(second)).status).toBe(403);
  await db.update(sessions).set({ confirmedAt: sql`now() - interval '29 minutes'` });
  expect((await change(second)).status).toBe(200);
  await db.update(sessions).set({ confirmedAt: sql`now() - interval '30 minutes 1 second'` });
  expect((await change(first)).status).toBe(403);
});

test("a token that was carried off to another network changes nothing there until its owner says so", async () => {
  const app = await buildApp({ db, config: readConfig({ LOG_LEVEL: "silent" }), now: () => new Date() });
  onTestFinished(() => app.close());
  const ask = async (remoteAddress: string, { method, path: url }: Endpoint, payload: object, token = "") => {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    const answer = await app.inject({ method, url, payload, remoteAddress, headers });
    return { status: answer.statusCode, body: answer.json() };
  };
  const login = await ask("203.0.113.7", session.login, { username: "admin", password });
  const token = login.body.accessToken;
  const change = (address: string) => ask(address, website.updateCashapp, { cashappId: "$somebody" }, token);
  const before = await fingerprint();
  for (const address of ["198.51.100.9", "127.0.0.1", "2001:db8::7"])
    expect(Object.values(await change(address)), address).toEqual(asked);
  expect(await fingerprint()).toEqual(before);
  expect((await change("203.0.113.7")).status).toBe(200);

  expect((await ask("2001:db8:1:2::1", session.confirm, { password }, token)).status).toBe(200);
  expect((await change("2001:db8:1:2::99")).status).toBe(200);
  expect((await change("2001:db8:1:3::1")).status).toBe(403);
  expect((await change("203.0.113.7")).status).toBe(403);
});

test("guessing the password in a stolen session soon has to wait, and the owner does not", async () => {
  const owner = await addAccount("maren", "admin");
  const stolen = {
    token: (await call("nobody", session.login, { body: { username: "maren", password } })).body.accessToken,
  };
  await makeOld(stolen);
  for (let guess = 0; guess < 5; guess++) {
    const wrong = await confirm(stolen, "a guess");
    expect([wrong.status, wrong.body.issues]).toEqual([
      400,
      [{ path: "body.password", message: "The password is wrong" }],
    ]);
  }
  expect((await confirm(stolen)).status).toBe(429);
  expect((await call(stolen, website.updateLimits, { body: { staffCredit: 5 } })).status).toBe(403);
  expect((await confirm(owner)).status).toBe(200);
  expect((await call("nobody", session.login, { body: { username: "maren", password } })).status).toBe(200);
});

test("guesses in a stolen session stand with the failed sign-ins, for the owner, administrators and the log", async () => {
  const owner = await addAccount("maren", "staff");
  const stolen = {
    token: (await call("nobody", session.login, { body: { username: "maren", password } })).body.accessToken,
  };
  // Another person's guess does not keep the session's own out of the log.
  await call("nobody", session.login, { body: { username: "maren", password: "a guess" } });
  const headers = { "user-agent": "curl/8" };
  const guess = { password: "a guess" };
  await call(stolen, session.confirm, { headers, body: guess });
  await call(stolen, session.confirm, { headers, body: guess });
  await call(stolen, session.changePassword, {
    headers,
    body: { oldPassword: "a guess", newPassword: "mine from now" },
  });

  const wrong = { outcome: "wrong password", device: "curl", whileSignedIn: true, session: { current: false } };
  const own = (await call(owner, session.signIns)).body.signIns;
  expect(own).toMatchObject([wrong, wrong, wrong, { whileSignedIn: false, session: null }, { outcome: "signed in" }]);
  expect((await call(stolen, session.signIns)).body.signIns[0]).toMatchObject({ session: { current: true } });
  const { guessedAt } = (await call("admin", staff.list)).body;
  expect(guessedAt).toEqual([{ _id: owner.id, username: "maren", failedSignIns: 4, addresses: 2 }]);
  expect((await logRows()).map(({ action }) => action)).toEqual([
    "maren signed in",
    "1 failed sign-in as maren from 1 address",
    "2 failed sign-ins as maren from 2 addresses, the last in an open session",
  ]);
  expect((await call("admin", staff.signIns, { params: { id: owner.id } })).body.signIns[0]).toMatchObject(wrong);

  const { body } = await call("nobody", session.login, { body: { username: "maren", password } });
  const open = (await call({ token: body.accessToken }, session.sessions)).body.sessions;
  expect(open.find(({ current }) => current)?.failuresBefore).toBe(4);
});
