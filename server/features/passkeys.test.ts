import { request as httpRequest } from "node:http";
import { passkeys } from "@footprint/contract/passkeys.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { website } from "@footprint/contract/website.ts";
import { eq, sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import { resetTwoStep } from "../accounts/accounts.ts";
import { hashToken } from "../accounts/sessions.ts";
import {
  passkeyChallenges,
  passkeys as passkeyTable,
  recoveryCodes,
  sessions,
  signInLimits,
  signInTries,
} from "../db/schema.ts";
import { tidy } from "../operations/housekeeping.ts";
import { panel, softPasskey } from "../testing/authenticator.ts";
import {
  addAccount,
  call,
  db,
  engine,
  fingerprint,
  logRows,
  password,
  origin as serverOrigin,
} from "../testing/server.ts";

const headers = { origin: panel };
type SoftPasskey = ReturnType<typeof softPasskey>;
type SignedIn = { token: string };

const begin = async (as: SignedIn) => (await call(as, passkeys.begin, { headers })).body.options;
const ask = async () => (await call("nobody", passkeys.ask, { headers })).body.options;

const add = async (as: SignedIn, key: SoftPasskey, name = "Laptop", replacesPassword = true) =>
  call(as, passkeys.add, { headers, body: { name, replacesPassword, passkey: key.create(await begin(as)) } });

/** An account with a passkey. */
async function addHolder(username = "maren", replacesPassword = true) {
  const account = await addAccount(username, "admin");
  const key = softPasskey();
  const { body } = await add(account, key, "Laptop", replacesPassword);
  return { ...account, key, recoveryCodes: body.recoveryCodes };
}

const signIn = (passkey: ReturnType<SoftPasskey["use"]>, origin = panel) =>
  call("nobody", passkeys.signIn, { headers: { origin }, body: { passkey } });

const withPassword = (extra: object = {}, username = "maren") =>
  call("nobody", session.login, { headers, body: { username, password, ...extra } });

const unknown = [401, { message: "This passkey is not known here. Sign in with your password." }];

test("a passkey is added, listed, renamed, used to sign in alone, and removed", async () => {
  const maren = await addAccount("maren", "staff");
  const elsewhere = { token: (await withPassword()).body.accessToken };
  const options = await begin(maren);
  expect(options).toMatchObject({
    rp: { id: "localhost", name: "Footprint" },
    user: { name: "maren" },
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const key = softPasskey();
  const added = await call(maren, passkeys.add, { headers, body: { name: "Laptop", passkey: key.create(options) } });
  expect([added.status, added.body.message]).toEqual([200, "Passkey Laptop added"]);
  // As the account's first second step it ends the sessions that were opened without one.
  expect(added.body.recoveryCodes).toHaveLength(10);
  expect((await call(elsewhere, session.access)).status).toBe(401);
  expect((await call(maren, session.access)).status).toBe(200);

  const second = await add(maren, softPasskey(), "Phone");
  expect(second.body.recoveryCodes).toEqual([]);
  const { passkeys: listed } = (await call(maren, passkeys.list)).body;
  expect(listed).toEqual([
    {
      _id: expect.any(String),
      name: "Laptop",
      replacesPassword: true,
      backedUp: false,
      createdAt: expect.any(String),
      lastUsedAt: null,
    },
    expect.objectContaining({ name: "Phone" }),
  ]);
  const params = { id: listed[0]?._id ?? "" };
  expect((await call(maren, passkeys.update, { params, body: { name: "Old laptop" } })).status).toBe(200);

  const signedIn = await signIn(key.use(await ask(), { userHandle: maren.id }));
  expect([signedIn.status, Object.keys(signedIn.body)]).toEqual([200, ["accessToken", "deviceToken"]]);
  expect((await call({ token: signedIn.body.accessToken }, session.access)).body.username).toBe("maren");
  expect((await call(maren, passkeys.list)).body.passkeys[0]).toMatchObject({
    name: "Old laptop",
    lastUsedAt: expect.any(String),
  });

  expect((await call(maren, passkeys.remove, { params })).body.message).toBe("Passkey Old laptop removed");
  const again = await signIn(key.use(await ask()));
  expect([again.status, again.body]).toEqual(unknown);
  expect((await logRows()).map(({ action }) => action)).toEqual([
    "maren signed in",
    "maren added the passkey Laptop",
    "maren added the passkey Phone",
    "maren changed the passkey Old laptop",
    "maren signed in with a passkey",
    "maren removed the passkey Old laptop",
  ]);
});

test("a passkey that is refused, since another account has it, leaves the account's sessions open", async () => {
  const { key } = await addHolder();
  const lena = await addAccount("lena", "staff");
  const elsewhere = { token: (await withPassword({}, "lena")).body.accessToken };
  const { status, body } = await add(lena, key);
  expect([status, body.message]).toEqual([409, "This passkey is registered already"]);
  expect((await call(elsewhere, session.access)).status).toBe(200);
});

test("with a passkey the password alone is not enough, and recovery codes go with the last second step", async () => {
  const maren = await addHolder();
  const asked = await withPassword();
  expect([asked.status, asked.body]).toEqual([
    401,
    { message: "Use a passkey, or enter a recovery code", codeRequired: true, passkeyAccepted: true },
  ]);
  expect((await withPassword({ passkey: maren.key.use(await ask()) })).status).toBe(200);
  expect((await withPassword({ code: maren.recoveryCodes[0] })).status).toBe(200);
  const wrong = await withPassword({ passkey: softPasskey().use(await ask()) });
  expect([wrong.status, wrong.body]).toEqual([
    401,
    { message: "The passkey was not accepted. Try again.", codeRequired: true, passkeyAccepted: true },
  ]);
  const wrongPassword = await withPassword({ password: "a guess", passkey: maren.key.use(await ask()) });
  expect([wrongPassword.status, wrongPassword.body]).toEqual([401, { message: "Wrong username or password" }]);

  const [own] = (await call(maren, passkeys.list)).body.passkeys;
  await call(maren, passkeys.remove, { params: { id: own?._id ?? "" } });
  expect(await db.$count(recoveryCodes)).toBe(0);
  expect((await withPassword()).status).toBe(200);
});

test("a passkey that comes after the password does not sign in alone", async () => {
  const maren = await addHolder("maren", false);
  const refused = await signIn(maren.key.use(await ask()));
  expect([refused.status, refused.body.message]).toEqual([
    401,
    "This passkey comes after the password. Enter your username and password first.",
  ]);
  expect((await withPassword({ passkey: maren.key.use(await ask()) })).status).toBe(200);
});

test("a challenge is good once, for a few minutes, and for what it was asked for", async () => {
  const maren = await addHolder();
  const answer = maren.key.use(await ask());
  expect((await signIn(answer)).status).toBe(200);
  expect((await signIn(answer)).status).toBe(401);
  // Also if the first answer was wrong.
  const asked = await ask();
  expect((await signIn(maren.key.use(asked, { isVerified: false }))).status).toBe(401);
  expect((await signIn(maren.key.use(asked))).status).toBe(401);
  expect((await signIn(maren.key.use({ challenge: "bm90IGFza2VkIGZvcg" }))).status).toBe(401);

  const old = await ask();
  await db.update(passkeyChallenges).set({ createdAt: sql`now() - interval '5 minutes 1 second'` });
  expect((await signIn(maren.key.use(old))).status).toBe(401);
  await tidy(engine);
  expect(await db.$count(passkeyChallenges)).toBe(0);
});

test("the challenge of a new passkey is its account's own, and no sign-in's", async () => {
  const maren = await addAccount("maren", "staff");
  const lena = await addAccount("lena", "staff");
  const adding = (as: SignedIn, passkey: ReturnType<SoftPasskey["create"]>) =>
    call(as, passkeys.add, { headers, body: { name: "Laptop", passkey } });
  const refused = await adding(lena, softPasskey().create(await begin(maren)));
  expect([refused.status, refused.body.message]).toEqual([400, "This passkey cannot be used here. Begin again."]);
  expect((await adding(lena, softPasskey().create(await ask()))).status).toBe(400);
  const answer = softPasskey().create(await begin(lena));
  expect((await adding(lena, answer)).status).toBe(200);
  expect((await adding(lena, answer)).status).toBe(400);
  const key = softPasskey();
  await add(maren, key);
  expect((await signIn(key.use(await begin(maren)))).status).toBe(401);
  // A passkey that belongs to somebody else is refused, even with a right answer.
  expect((await add(lena, key)).status).toBe(409);
});

test("a passkey opens nothing where it was used elsewhere, without its owner's hand, or by a copy of it", async () => {
  const maren = await addHolder();
  const { key } = maren;
  const evil = "https://localhost.evil.example";
  const tries: [string, Parameters<SoftPasskey["use"]>[1]][] = [
    ["signed for another origin", { origin: evil }],
    ["signed for another port of it", { origin: "http://localhost:1" }],
    ["without a finger, a face or a PIN", { isVerified: false }],
    ["as if it were new", { type: "webauthn.create" }],
    ["for somebody else", { userHandle: "019a0000-0000-7000-8000-000000000000" }],
  ];
  for (const [how, odd] of tries) {
    expect([how, (await signIn(key.use(await ask(), odd))).status]).toEqual([how, 401]);
    // Otherwise the next try would be refused as too fast.
    await db.delete(signInTries);
  }
  const foreign = await call("nobody", passkeys.signIn, {
    headers: { origin: evil },
    body: { passkey: key.use(await ask(), { origin: evil }) },
  });
  expect([foreign.status, foreign.body.message]).toEqual([
    400,
    "Passkeys work in the panel only, where it is opened under its name and not under an address",
  ]);
  expect((await call("nobody", passkeys.ask)).status).toBe(400);
  expect((await call("nobody", passkeys.ask, { headers: { origin: "http://127.0.0.1:7400" } })).status).toBe(400);

  expect((await signIn(key.use(await ask(), { counter: 50 }))).status).toBe(200);
  expect((await signIn(key.use(await ask(), { counter: 50 }))).status).toBe(401);
  await db.update(passkeyTable).set({ rpId: "panel.example.com" });
  expect((await signIn(key.use(await ask(), { counter: 60 }))).status).toBe(401);
});

test("a stranger learns nothing from passkeys, soon waits, and keeps nobody else waiting", async () => {
  const maren = await addHolder();
  const stranger = softPasskey();
  for (let guess = 0; guess < 5; guess++) {
    const refused = await signIn(stranger.use(await ask()));
    expect([refused.status, refused.body]).toEqual(unknown);
  }
  const waiting = await signIn(stranger.use(await ask()));
  expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  expect((await withPassword({ passkey: maren.key.use(await ask()) })).status).toBe(200);
  // A forged answer for an existing passkey gets the same refusal.
  const { id, rawId } = maren.key.use(await ask());
  const forged = await signIn({ ...stranger.use(await ask()), id, rawId });
  expect([forged.status, forged.body]).toEqual(unknown);
});

test("wrong passkeys of a network are forgotten when somebody there signs in with a right one", async () => {
  const { key } = await addHolder();
  for (let round = 0; round < 3; round++) {
    for (let tries = 0; tries < 4; tries++) expect((await signIn(softPasskey().use(await ask()))).status).toBe(401);
    expect((await signIn(key.use(await ask()))).status).toBe(200);
  }
  expect(await db.$count(signInTries)).toBe(0);
  expect((await db.select().from(signInLimits)).filter(({ tries }) => tries > 0)).toEqual([]);
});

test("nobody can fill the table of challenges, or keep others from asking", async () => {
  const { token } = await addAccount("maren", "staff");
  for (let count = 0; count < 12; count++) await begin({ token });
  expect(await db.$count(passkeyChallenges)).toBe(10);
  const [{ network } = { network: "" }] = await db.select().from(passkeyChallenges);
  await db
    .insert(passkeyChallenges)
    .values(Array.from({ length: 100 }, (_, number) => ({ challenge: `challenge ${number}`, network })));
  expect((await call("nobody", passkeys.ask, { headers })).status).toBe(200);
  expect((await call({ token }, passkeys.begin, { headers })).status).toBe(200);
  expect(await db.$count(passkeyChallenges)).toBe(110);
  await db.update(passkeyChallenges).set({ createdAt: sql`now() - interval '6 minutes'` });
  await ask();
  expect(await db.$count(passkeyChallenges)).toBe(11);
});

test("a secret that somebody else began with opens nothing once a passkey is the second step", async () => {
  const maren = await addAccount("maren", "admin");
  const { secret } = (await call(maren, session.beginTwoStep, { body: { password } })).body;
  await add(maren, softPasskey());
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const stolen = await withPassword({ code: totp.generate() });
  expect(stolen.status).toBe(401);
});

test("whoever turns codes off and keeps a passkey is told that it is still asked for", async () => {
  const maren = await addHolder();
  const { secret } = (await call(maren, session.beginTwoStep, { body: { password } })).body;
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  expect((await call(maren, session.confirmTwoStep, { body: { code } })).status).toBe(200);

  const body = { password, passkey: maren.key.use(await ask()) };
  const off = await call(maren, session.disableTwoStep, { headers, body });
  expect([off.status, off.body.message]).toEqual([200, "Codes are off; a passkey is still asked for"]);
  expect((await withPassword()).status).toBe(401);
  expect((await logRows()).map((row) => row.action)).toContain(
    "maren turned off codes for two-step sign-in and keeps a passkey",
  );
});

test("a passkey confirms that it is them, and only its owner", async () => {
  const maren = await addHolder();
  const lena = await addHolder("lena");
  await db.update(sessions).set({ confirmedAt: sql`now() - interval '31 minutes'` });
  const change = () => call(maren, website.updateLimits, { body: { staffCredit: 5 } });
  const confirm = (passkey: ReturnType<SoftPasskey["use"]>) =>
    call(maren, session.confirm, { headers, body: { passkey } });
  expect((await change()).status).toBe(403);
  const others = await confirm(lena.key.use(await ask()));
  expect([others.status, others.body.message]).toEqual([400, "The passkey was not accepted. Try again."]);
  expect((await change()).status).toBe(403);
  expect((await confirm(maren.key.use(await ask()))).status).toBe(200);
  expect((await change()).status).toBe(200);
  const neither = await call(maren, session.confirm, { body: {} });
  expect([neither.status, neither.body.message]).toEqual([400, "Enter your password"]);
});

test("a stolen session adds no passkey, and passkeys of others cannot be touched", async () => {
  const maren = await addHolder();
  const lena = await addAccount("lena", "admin");
  const [own] = (await call(maren, passkeys.list)).body.passkeys;
  const params = { id: own?._id ?? "" };
  expect((await call(lena, passkeys.remove, { params })).status).toBe(404);
  expect((await call(lena, passkeys.update, { params, body: { name: "Mine" } })).status).toBe(404);
  const answer = softPasskey().create(await begin(maren));
  await db
    .update(sessions)
    .set({ confirmedAt: sql`now() - interval '31 minutes'` })
    .where(eq(sessions.tokenHash, hashToken(maren.token)));
  const before = await fingerprint();
  expect((await call(maren, passkeys.begin, { headers })).status).toBe(403);
  expect((await call(maren, passkeys.add, { headers, body: { name: "Theirs", passkey: answer } })).status).toBe(403);
  expect((await call(maren, passkeys.remove, { params })).status).toBe(403);
  expect(await fingerprint()).toEqual(before);
});

test("a password is changed, and recovery codes are made, with a passkey in place of a code", async () => {
  const maren = await addHolder();
  const codes = await call(maren, session.newRecoveryCodes, {
    headers,
    body: { password, passkey: maren.key.use(await ask()) },
  });
  expect(codes.body.recoveryCodes).toHaveLength(10);
  const body = { oldPassword: password, newPassword: "another good password" };
  const asked = await call(maren, session.changePassword, { body });
  expect([asked.status, asked.body]).toMatchObject([400, { codeRequired: true, passkeyAccepted: true }]);
  const passkey = maren.key.use(await ask());
  expect((await call(maren, session.changePassword, { headers, body: { ...body, passkey } })).status).toBe(200);
});

test("who resets two-step sign-in removes the passkeys too", async () => {
  const maren = await addAccount("maren", "staff");
  const key = softPasskey();
  await add(maren, key);
  expect((await call("admin", staff.list)).body.staff).toMatchObject([{ username: "maren", twoStep: true }, {}]);
  expect((await call("admin", staff.resetTwoStep, { params: { id: maren.id } })).status).toBe(200);
  expect((await signIn(key.use(await ask()))).status).toBe(401);
  expect((await withPassword()).status).toBe(200);

  const lena = await addHolder("lena");
  expect(await resetTwoStep(db, "lena")).toBe("lena signs in with the password alone now");
  expect((await signIn(lena.key.use(await ask()))).status).toBe(401);
  expect((await withPassword({}, "lena")).status).toBe(200);
});

test("while strangers have to wait, the password together with a passkey gets through", async () => {
  const maren = await addHolder();
  await db.insert(signInLimits).values({ guesser: "name maren", tries: 10 });
  const waiting = await withPassword();
  expect([waiting.status, waiting.body]).toMatchObject([429, { codeRequired: true, passkeyAccepted: true }]);
  const forged = await withPassword({ passkey: softPasskey().use(await ask()) });
  expect([forged.status, Object.keys(forged.body)]).toEqual([429, Object.keys(waiting.body)]);
  const guessed = await withPassword({ password: "a guess", passkey: maren.key.use(await ask()) });
  expect(guessed.status).toBe(429);
  expect((await withPassword({ passkey: maren.key.use(await ask()) })).status).toBe(200);
});

test("a passkey is for the name that the panel was opened under, which is the server's own or an allowed one", async () => {
  const askAt = (host: string, origin: string) =>
    new Promise<[number, string | undefined]>((done, fail) => {
      const url = new URL(passkeys.ask.path, serverOrigin);
      const request = httpRequest(url, { method: "POST", headers: { host, origin } }, async (response) => {
        const { options } = JSON.parse(Buffer.concat(await response.toArray()).toString());
        done([response.statusCode ?? 0, options?.rpId]);
      });
      request.on("error", fail);
      request.end();
    });
  expect(await askAt("panel.example.com", "https://panel.example.com")).toEqual([200, "panel.example.com"]);
  expect(await askAt("api.example.com", "http://localhost:5173")).toEqual([200, "localhost"]);
  expect(await askAt("panel.example.com", "https://panel.example.com.evil.example")).toEqual([400, undefined]);
  expect(await askAt("panel.example.com", "null")).toEqual([400, undefined]);
});
