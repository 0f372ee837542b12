import { approvals } from "@footprint/contract/approvals.ts";
import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { type Endpoint, type Input, pathOf } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { orders } from "@footprint/contract/orders.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { eq, sql } from "drizzle-orm";
import { expect, inject, test, vi } from "vitest";
import { hashToken, openSession } from "../accounts/sessions.ts";
import { accounts, apiKeys, customers, files, sessions, settings } from "../db/schema.ts";
import { addCustomer, addFedexOrder, addLabelType, addOrder, balanceOf, someAddresses } from "../testing/builders.ts";
import { boundary, formEnd, partStart, pdf } from "../testing/multipart.ts";
import { untilTheyWait, waitingForLocks } from "../testing/races.ts";
import { addAccount, call, db, fingerprint, password } from "../testing/server.ts";
import { holdBack } from "../testing/sockets.ts";

type Request = { call: Endpoint; params?: Record<string, string>; body: object | Buffer };

function onTheWire({ token }: { token: string }, { call, params = {}, body }: Request): Buffer {
  const content = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const type = Buffer.isBuffer(body) ? `multipart/form-data; boundary=${boundary}` : "application/json";
  const head = [
    `${call.method} ${pathOf(call, params)} HTTP/1.1`,
    "host: localhost",
    "connection: close",
    `authorization: Bearer ${token}`,
    `content-type: ${type}`,
    `content-length: ${content.length}`,
    ...(call.idempotent ? ["idempotency-key: held-back"] : []),
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), content]);
}

/** Everything except files, which arrive with a request and are deleted when it is refused. */
async function changeable() {
  const { files, file_chunks, ...rest } = await fingerprint();
  return rest;
}

/** Sends a request except for its last byte, runs `meanwhile`, then sends the last byte. */
async function lastByteAfter(caller: { token: string }, request: Request, meanwhile: () => Promise<unknown>) {
  await db.update(apiKeys).set({ lastUsedAt: null });
  await db.update(sessions).set({ lastUsedAt: sql`now() - interval '1 hour'` });
  const held = holdBack(onTheWire(caller, request));
  // A caller who was let in was noted as seen just now.
  await vi.waitFor(async () => {
    const seenKeys = await db.$count(apiKeys, sql`last_used_at > now() - interval '1 minute'`);
    const seenSessions = await db.$count(sessions, sql`last_used_at > now() - interval '1 minute'`);
    expect(seenKeys + seenSessions).toBe(1);
  });
  await meanwhile();
  const before = await changeable();
  const { status, text } = await held.finish();
  expect(await changeable()).toEqual(before);
  expect(await db.$count(files)).toBe(0);
  return [status, JSON.parse(text).message];
}

async function addShop(name = "Main shop") {
  const { body } = await call("admin", website.createApiKey, { body: { name } });
  const { keys } = (await call("admin", website.listApiKeys)).body;
  return { token: body.key, id: keys.find((key) => key.name === name)?._id as string };
}

async function aPurchase(): Promise<Request> {
  const customer = await addCustomer({ balance: 20 });
  await addLabelType({ uid: "saver", tiers: [[0, 5, 7.45]] });
  const parcel = { labelType: "saver", weight: 1, ...someAddresses, fromCountry: "US", toCountry: "US" };
  return { call: storefront.createOrder, body: { discordId: customer.discordId, ...parcel } };
}

const requests: Record<string, () => Promise<Request>> = {
  refund: async () => ({ call: orders.refund, params: { id: (await addOrder()).id }, body: {} }),
  "added balance": async () => ({
    call: users.addBalance,
    params: { id: (await addCustomer()).id },
    body: { balance: 5 },
  }),
  "uploaded file": async () => ({
    call: fedex.update,
    params: { id: (await addFedexOrder()).id },
    body: Buffer.concat([Buffer.from(partStart('name="file"; filename="label.pdf"')), pdf, Buffer.from(formEnd)]),
  }),
};

test("a shop whose key is deleted before the last byte of its purchase buys nothing", async () => {
  const shop = await addShop();
  const refused = await lastByteAfter(shop, await aPurchase(), () =>
    call("admin", website.deleteApiKey, { params: { id: shop.id } }),
  );
  expect(refused).toEqual([401, "Send a valid API key"]);
});

test.for([
  ["deleted", 401, (id: string) => call("admin", website.deleteApiKey, { params: { id } })],
  ["expired", 401, (id: string) => restrict(id, { expiresAt: "2001-01-01T00:00:00Z" })],
  ["kept to other addresses", 403, (id: string) => restrict(id, { addresses: ["10.0.0.1"] })],
  ["left without the scope", 403, (id: string) => restrict(id, { scopes: ["customers"] })],
] as const)("a shop whose key is %s before the last byte is told no price", async ([, status, end]) => {
  const shop = await addShop();
  const { discordId } = await addCustomer();
  await addLabelType({ uid: "saver", tiers: [[0, 5, 7.45]] });
  const request = { call: storefront.quote, body: { discordId, labelType: "saver", weight: 1 } };
  const [answered] = await lastByteAfter(shop, request, () => end(shop.id));
  expect(answered).toBe(status);
});

const restrict = (id: string, body: Input<typeof website.updateApiKey>["body"]) =>
  call("admin", website.updateApiKey, { params: { id }, body: body ?? {} });

test("a confirmation that grows old before the last byte changes no payment handle", async () => {
  const colleague = await addAccount("colleague", "admin");
  const refused = await lastByteAfter(colleague, { call: website.updateCashapp, body: { cashappId: "$theirs" } }, () =>
    db.update(sessions).set({ confirmedAt: sql`now() - interval '31 minutes'` }),
  );
  expect(refused).toEqual([403, "Confirm that it is you, and try again"]);
});

test.skipIf(inject("embeddedDump"))(
  "a confirmation that grows old while the change waits for its turn deletes no API key",
  async () => {
    const shop = await addShop();
    const { calls } = await db.transaction(async (tx) => {
      await tx.select().from(sessions).for("update");
      const deleted = call("admin", website.deleteApiKey, { params: { id: shop.id } });
      await untilTheyWait(tx, 1);
      await tx.update(sessions).set({ confirmedAt: sql`now() - interval '31 minutes'` });
      return { calls: [deleted] };
    });
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([403]);
    expect((await call("admin", website.listApiKeys)).body.keys).toHaveLength(1);
  },
);

test("a caller signed out before the last byte does not learn whether a password is right", async () => {
  const colleague = await addAccount("colleague", "staff");
  const body = { oldPassword: "a guess", newPassword: "another good password" };
  const refused = await lastByteAfter(colleague, { call: session.changePassword, body }, () =>
    call(colleague, session.logout),
  );
  expect(refused).toEqual([401, "Sign in to continue"]);
});

test.for(Object.keys(requests))(
  "the %s of an account that is deleted before the last byte changes nothing",
  async (name) => {
    const colleague = await addAccount("colleague", "staff");
    const refused = await lastByteAfter(colleague, (await requests[name]?.()) as Request, () =>
      call("admin", staff.delete, { params: { id: colleague.id } }),
    );
    expect(refused).toEqual([401, "Sign in to continue"]);
  },
);

test("signing out, a new password and expiry end what was begun before them", async () => {
  const colleague = await addAccount("colleague", "staff");
  const endings: Record<string, (caller: { token: string }) => Promise<unknown>> = {
    "signing out": (caller) => call(caller, session.logout),
    "a new password": async () =>
      call({ token: await openSession(db, colleague.id) }, session.changePassword, {
        body: { oldPassword: password, newPassword: "another good password" },
      }),
    expiry: () => db.update(sessions).set({ lastUsedAt: sql`now() - interval '13 hours'` }),
  };
  for (const [name, end] of Object.entries(endings)) {
    const caller = { token: await openSession(db, colleague.id) };
    const refused = await lastByteAfter(caller, (await requests["added balance"]?.()) as Request, () => end(caller));
    expect(refused, name).toEqual([401, "Sign in to continue"]);
  }
});

test("an administrator who becomes staff before the last byte does nothing that is for administrators", async () => {
  const former = await addAccount("former", "admin");
  const request = { call: website.createApiKey, body: { name: "Last deed" } };
  const refused = await lastByteAfter(former, request, () =>
    db.update(accounts).set({ role: "staff" }).where(eq(accounts.id, former.id)),
  );
  expect(refused).toEqual([403, "Only administrators may do this"]);
});

test("a caller who must set up two-step sign-in by the time of the last byte can do nothing else first", async () => {
  const colleague = await addAccount("colleague", "staff");
  const refused = await lastByteAfter(colleague, (await requests["added balance"]?.()) as Request, () =>
    db.update(settings).set({ twoStepRequired: "everybody" }),
  );
  expect(refused).toEqual([403, "Set up two-step sign-in first"]);
});

test.skipIf(inject("embeddedDump"))("a key is not deleted while a purchase with it is under way", async () => {
  const shop = await addShop();
  const { call: buying, body } = await aPurchase();
  const [customer] = await db.select().from(customers);
  const { calls } = await db.transaction(async (tx) => {
    await tx.select().from(customers).for("update");
    const bought = call(shop, buying, { body, headers: { "idempotency-key": "1" } } as never);
    await untilTheyWait(tx, 1);
    const deleted = call("admin", website.deleteApiKey, { params: { id: shop.id } });
    await untilTheyWait(tx, 2, [deleted]);
    expect(await waitingForLocks(tx)).toBe(2);
    return { calls: [bought, deleted] };
  });
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([201, 200]);
  expect(await balanceOf(customer as { id: string })).toBe(12.55);
});

test
  .skipIf(inject("embeddedDump"))
  .for([
    "an account that is deleted",
    "a session that its owner ends",
    "a session from before a new password",
    "a key that is deleted",
  ])("%s does nothing more, however many changes it has under way", async (ending) => {
  const colleague = await addAccount("colleague", "staff");
  const shop = await addShop();
  const customer = await addCustomer();
  const isKey = ending.startsWith("a key");
  const change = () =>
    isKey
      ? call(shop, storefront.putCustomer, { params: { discordId: "1" }, body: { username: "Changed" } })
      : call(colleague, users.addBalance, { params: { id: customer.id }, body: { balance: 1 } });
  const owner = { token: await openSession(db, colleague.id) };
  const [stolen] = await db
    .select()
    .from(sessions)
    .where(eq(sessions.tokenHash, hashToken(colleague.token)));
  const end = (): Promise<{ status: number }> => {
    if (isKey) return call("admin", website.deleteApiKey, { params: { id: shop.id } });
    if (ending.startsWith("an account")) return call("admin", staff.delete, { params: { id: colleague.id } });
    if (ending.includes("owner")) return call(owner, session.endSession, { params: { id: stolen?.id ?? "" } });
    const newPassword = "a sentence nobody else would think of";
    return call(owner, session.changePassword, { body: { oldPassword: password, newPassword } });
  };
  expect((await change()).status).toBe(200);
  const { ended } = await db.transaction(async (tx) => {
    // As an ongoing change does.
    await tx.execute(
      isKey
        ? sql`select from api_keys where id = ${shop.id} for key share`
        : sql`select from sessions where token_hash = ${stolen?.tokenHash} for key share`,
    );
    const ended = end();
    await untilTheyWait(tx, 1);
    expect((await change()).status).toBe(401);
    return { ended };
  });
  expect((await ended).status).toBe(200);
  expect(await balanceOf(customer)).toBe(isKey ? 0 : 1);
});

test("an account's own sessions can all be ended by several of them at once", async () => {
  const colleague = await addAccount("colleague", "staff");
  const others = [await openSession(db, colleague.id), await openSession(db, colleague.id)];
  const body = { oldPassword: password, newPassword: "another good password" };
  const answers = await Promise.all([
    ...[colleague.token, ...others].map((token) => call({ token }, session.changePassword, { body })),
    call({ token: colleague.token }, session.logout),
    call({ token: colleague.token }, session.logout),
  ]);
  expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
});

test.for<[string, (token: string, id: string) => Promise<unknown>]>([
  ["signs out", (token) => call({ token }, session.logout)],
  ["is suspended", (_, id) => db.update(accounts).set({ suspendedAt: new Date() }).where(eq(accounts.id, id))],
  ["loses the session", (token) => db.delete(sessions).where(eq(sessions.tokenHash, hashToken(token)))],
])("who reads a list and %s reads no other, nor is told what is wrong with the next", async ([, end]) => {
  const { token, id } = await addAccount("reader", "admin");
  const reads = [orders.list, staff.list, dashboard.orders] as Endpoint[];
  const statuses = async () => {
    const answers = await Promise.all(reads.map((endpoint) => call({ token }, endpoint)));
    const wrong = await call({ token }, orders.list, { query: { limit: 0 } });
    return [...answers, wrong].map(({ status }) => status);
  };
  await statuses();
  expect(await statuses()).toEqual([200, 200, 200, 400]);
  await end(token, id);
  expect(await statuses()).toEqual([401, 401, 401, 401]);
});

test.for([dashboard.trends, bulkOrders.list] as Endpoint[])(
  "who has lost the session is not told what colleagues are told at that moment ($path)",
  async (endpoint) => {
    const [stays, leaves] = [await addAccount("stays", "admin"), await addAccount("leaves", "admin")];
    for (const known of [stays, leaves]) expect((await call(known, endpoint)).status).toBe(200);
    await db.delete(sessions).where(eq(sessions.tokenHash, hashToken(leaves.token)));
    const callers = [stays, leaves, leaves, stays, stays, leaves, stays];
    const answers = await Promise.all(callers.map((caller) => call(caller, endpoint)));
    expect(answers.map(({ status }) => status)).toEqual(callers.map((caller) => (caller === stays ? 200 : 401)));
  },
);

test("an administrator who becomes staff reads what staff may read, from the next call on", async () => {
  await call("admin", website.updateLimits, { body: { approvals: true, staffCredit: 10 } });
  const { id: customer } = await addCustomer();
  await call("staff", users.addBalance, { params: { id: customer }, body: { balance: 11, reason: "A gesture" } });
  const { token, id } = await addAccount("deputy", "admin");
  const asked = async () => (await call({ token }, approvals.list)).body.approvals.length;
  const become = (role: "admin" | "staff") => db.update(accounts).set({ role }).where(eq(accounts.id, id));
  expect([await asked(), await asked()]).toEqual([1, 1]);
  await become("staff");
  expect(await asked()).toBe(0);
  expect((await call({ token }, staff.list)).status).toBe(403);
  await become("admin");
  expect(await asked()).toBe(1);
  expect((await call({ token }, staff.list)).status).toBe(200);
});

test("a caller who must set up two-step sign-in since their last list cannot read another one", async () => {
  const { token } = await addAccount("reader", "admin");
  for (const status of [200, 200]) expect((await call({ token }, orders.list)).status).toBe(status);
  await db.update(settings).set({ twoStepRequired: "everybody" });
  const { status, body } = await call({ token }, orders.list);
  expect([status, body]).toMatchObject([403, { twoStepRequired: true }]);
});
