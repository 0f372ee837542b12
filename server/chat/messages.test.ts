import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChatProvider } from "@footprint/contract/notices.ts";
import { staff } from "@footprint/contract/staff.ts";
import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { timeouts } from "../config.ts";
import { accounts, chatMessages, chats, customers } from "../db/schema.ts";
import { addInvoice } from "../testing/builders.ts";
import { addEvent, addNewcomer, happened } from "../testing/events.ts";
import { addAccount, call, chatThrough, db, logRows, moveBusinessTo } from "../testing/server.ts";
import { sendMessages } from "./messages.ts";

type Heard = { path: string; authorization: string | undefined; body: Record<string, unknown> };

/** A provider on this machine, and the calls it received. */
let heard: Heard[] = [];
let answer: (asked: Heard, response: ServerResponse) => void | Promise<void>;
const fine = (_: Heard, response: ServerResponse) => void response.end('{"ok":true,"id":"1"}');
const saying =
  (status: number, text: string, headers = {}) =>
  (_: Heard, response: ServerResponse) =>
    void response.writeHead(status, headers).end(text);

const provider = createServer(async (request: IncomingMessage, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const asked = {
    path: request.url ?? "",
    authorization: request.headers.authorization,
    body: JSON.parse(body) as Heard["body"],
  };
  heard.push(asked);
  await answer(asked, response);
});

const token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
let config: ReturnType<typeof chatThrough>;
async function through(name: ChatProvider) {
  if (!provider.listening) await once(provider.listen(0, "127.0.0.1"), "listening");
  const { port } = provider.address() as AddressInfo;
  config = {
    ...chatThrough({ provider: name, token, api: `http://127.0.0.1:${port}` }),
    panelOrigins: ["https://panel.example"],
  };
}

beforeEach(async () => {
  heard = [];
  answer = fine;
  await through("telegram");
});
afterEach(() => provider.closeAllConnections());

const round = () => sendMessages(db, config);
const textsOf = () => heard.map(({ body }) => String(body.text ?? body.content));
const messages = () => db.select().from(chatMessages).orderBy(chatMessages.createdAt, chatMessages.id);

/** An account that gets messages from now on. */
async function addListener(
  username: string,
  role: "admin" | "staff" = "staff",
  set: Partial<typeof accounts.$inferInsert> = {},
) {
  const account = await addAccount(username, role);
  await db
    .update(accounts)
    .set({ chatId: `chat of ${username}`, notificationAccess: true, ...set })
    .where(eq(accounts.id, account.id));
  await round();
  return account;
}

const calmFor = (minutes: number) =>
  db.update(chats).set({ messagedAt: sql`clock_timestamp() - make_interval(mins => ${minutes})` });
const makeDue = () =>
  db
    .update(chatMessages)
    .set({ nextTryAt: sql`clock_timestamp() - interval '1 second'` })
    .where(eq(chatMessages.state, "waiting"));

test("several notices are sent in one message, with links into the panel", async () => {
  await addListener("maren");
  const [alice, bob] = [await addNewcomer({ username: "alice" }), await addNewcomer({ username: "bob" })];
  const invoice = await addInvoice({ customer: alice });
  await happened.newcomer(alice, 31);
  await happened.newcomer(bob, 5);
  await happened.invoice(invoice, alice, 4);
  await round();
  await round();
  expect(heard).toEqual([
    {
      path: `/bot${token}/sendMessage`,
      authorization: undefined,
      body: {
        chat_id: "chat of maren",
        link_preview_options: { is_disabled: true },
        text: [
          "2 new customers\n• bob\n• alice\nVerify: https://panel.example/new-users",
          `A new invoice: $50.00 of alice by Cash App\nLook for the deposit: https://panel.example/invoices?view=${invoice.id}`,
        ].join("\n\n"),
      },
    },
  ]);
  expect(await messages()).toMatchObject([
    { state: "sent", tries: 1, outcomes: [{ status: 200, answer: '{"ok":true,"id":"1"}' }] },
  ]);
});

test("a database that goes away fails a round after all that was sent has been answered, and nothing else", async () => {
  await addListener("ann");
  await addListener("ben");
  await happened.newcomer(await addNewcomer(), 31);
  let left = 1;
  const leaving = new Proxy(db, {
    get(target, name) {
      if (name !== "transaction" || left-- > 0) return Reflect.get(target, name);
      return async () => {
        throw new Error("the database is away");
      };
    },
  });
  await expect(sendMessages(leaving, config)).rejects.toThrow("the database is away");
  expect(heard).toHaveLength(1);
});

test("messages gather notices for half a minute, then for an hour, except urgent ones", async () => {
  await addListener("boss", "admin");
  await happened.newcomer(await addNewcomer(), 20);
  await round();
  expect(heard).toEqual([]);
  await happened.newcomer(await addNewcomer(), 31);
  await round();
  expect(heard).toHaveLength(1);
  await happened.newcomer(await addNewcomer(), 31);
  await calmFor(59);
  await round();
  expect(heard).toHaveLength(1);
  await happened.unbalanced(31);
  await round();
  expect(textsOf()[1]).toBe(
    "The books do not balance: 2 problems\nOpen the books: https://panel.example/\n\n" +
      `A new customer: ${(await db.select().from(customers).orderBy(customers.createdAt, customers.id)).at(-1)?.username}\n` +
      `Verify: https://panel.example/new-users?search=${(await db.select().from(customers).orderBy(customers.createdAt, customers.id)).at(-1)?.id}`,
  );
  // The next urgent one waits for a minute.
  await happened.setting("payment-handle", 40);
  await round();
  expect(heard).toHaveLength(2);
  await calmFor(1);
  await round();
  expect(heard).toHaveLength(3);
  await happened.newcomer(await addNewcomer(), 31);
  await calmFor(61);
  await round();
  expect(heard).toHaveLength(4);
});

test("a customer's name cannot format, mention or link anything", async () => {
  const username = "*bold* @everyone https://evil.example/x t.me/evil <@1> [a](b) /start #tag";
  const customer = await addNewcomer({ username });
  await addListener("maren");
  await happened.newcomer(customer, 31);
  await round();
  const [telegram] = textsOf();
  expect(telegram).not.toMatch(/evil\.example|t\.me|:\/\/evil|@everyone|\/start|#tag/);
  expect(telegram?.replaceAll("\u2060", "")).toContain(username);
  expect(heard[0]?.body.parse_mode).toBeUndefined();

  await through("discord");
  await db.update(accounts).set({ chatId: "4711" }).where(eq(accounts.chatId, "chat of maren"));
  await happened.newcomer(customer, 31);
  await calmFor(61);
  await round();
  expect(heard[1]).toMatchObject({
    path: "/channels/4711/messages",
    authorization: `Bot ${token}`,
    body: { allowed_mentions: { parse: [] }, flags: 4 },
  });
  expect(textsOf()[1]).toContain(
    "\\*bold\\* \\@everyone https\\:\\/\\/evil\\.example\\/x t\\.me\\/evil \\<\\@1\\> \\[a\\]\\(b\\) \\/start \\#tag",
  );
});

test("on Discord a person is written to as well as a channel", async () => {
  await through("discord");
  answer = ({ path }, response) => {
    if (path === "/channels/815/messages") response.writeHead(404).end('{"code":10003}');
    else if (path === "/users/@me/channels") response.end('{"id":"99"}');
    else response.end('{"id":"1"}');
  };
  await addListener("maren", "staff", { chatId: "815" });
  await happened.newcomer(await addNewcomer(), 31);
  await round();
  expect(heard.map(({ path }) => path)).toEqual([
    "/channels/815/messages",
    "/users/@me/channels",
    "/channels/99/messages",
  ]);
  expect(heard[1]?.body).toEqual({ recipient_id: "815" });
  expect(await messages()).toMatchObject([{ state: "sent" }]);
});

test("a staff account hears of nothing that is for administrators, not even once it has become one", async () => {
  const maren = await addListener("maren");
  await happened.unbalanced(40);
  await happened.setting("payment-handle", 40);
  await happened.paused(40);
  await round();
  expect(heard).toEqual([]);
  await call("admin", staff.changeRole, { params: { id: maren.id }, body: { role: "admin" } });
  await round();
  expect(heard).toEqual([]);

  // Conversely, a waiting message is written anew for what the account may see now.
  answer = saying(500, "down");
  await happened.unbalanced(40);
  await round();
  expect(textsOf()).toEqual([expect.stringContaining("books")]);
  await db.update(accounts).set({ role: "staff" }).where(eq(accounts.id, maren.id));
  await makeDue();
  await happened.newcomer(await addNewcomer({ username: "carol" }), 31);
  answer = fine;
  await round();
  expect(textsOf()).toHaveLength(2);
  expect(textsOf()[1]).toContain("carol");
  expect(textsOf()[1]).not.toContain("books");
});

test("an account that is suspended, or without access or chat id, gets no messages, not even later", async () => {
  const suspended = await addListener("suspended");
  await addListener("without access", "admin", { notificationAccess: false });
  await addListener("without chat", "admin", { chatId: "" });
  await db.update(accounts).set({ suspendedAt: sql`now()` }).where(eq(accounts.id, suspended.id));
  await happened.newcomer(await addNewcomer(), 31);
  await round();
  await db.update(accounts).set({ suspendedAt: null, notificationAccess: true, chatId: "chat" });
  await round();
  await round();
  expect(heard).toEqual([]);
});

test("an account gets messages of the chosen kinds, but not about things already dealt with", async () => {
  const { id } = await addListener("maren");
  const saved = await call("admin", staff.update, { params: { id }, body: { messageKinds: ["invoices"] } });
  expect(saved.status).toBe(200);
  const customer = await addNewcomer({ username: "alice" });
  const [paid, open] = [
    await addInvoice({ customer, status: "paid", paidAt: new Date() }),
    await addInvoice({ customer }),
  ];
  await happened.newcomer(customer, 31);
  await happened.invoice(paid, customer, 31);
  await round();
  expect(heard).toEqual([]);
  await happened.invoice(open, customer, 31);
  await round();
  expect(textsOf()).toEqual([expect.stringMatching(/^A new invoice: .*\n.*$/)]);
});

/** A timezone in which it is about this hour now. */
function whereItIs(hour: number): string {
  const away = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
  return away === 0 ? "Etc/UTC" : `Etc/GMT${away > 0 ? "-" : "+"}${Math.abs(away)}`;
}

test("there are no messages in quiet hours; what happens then comes afterwards in one message", async () => {
  const { id } = await addListener("boss", "admin");
  const quiet = (from: string, to: string) =>
    call("admin", staff.update, { params: { id }, body: { quietHours: { from, to } } });
  await moveBusinessTo(whereItIs(2));
  await quiet("22:00", "07:00");
  await happened.newcomer(await addNewcomer(), 31);
  await happened.unbalanced(31);
  await round();
  expect(heard).toEqual([]);
  await quiet("00:30", "06:00");
  await round();
  expect(heard).toEqual([]);
  await moveBusinessTo(whereItIs(12));
  await quiet("22:00", "07:00");
  await round();
  expect(textsOf()).toEqual([expect.stringMatching(/books(.|\n)*new customer/)]);
  const same = await quiet("07:00", "07:00");
  expect([same.status, same.body.issues?.[0]?.path]).toEqual([400, "body.quietHours.to"]);
});

test("a message that the provider refuses is tried again with growing pauses, or when it asks for", async () => {
  await addListener("maren");
  await happened.newcomer(await addNewcomer(), 31);
  const nextIn = async () => {
    const { rows } = await db.execute<{ seconds: number }>(sql`
      select extract(epoch from next_try_at - clock_timestamp())::float8 as seconds from chat_messages where state = 'waiting'`);
    return rows[0]?.seconds ?? Number.NaN;
  };
  answer = saying(500, "broken");
  await round();
  await round();
  expect(heard).toHaveLength(1);
  expect(await nextIn()).toBeLessThanOrEqual(10);
  answer = saying(429, '{"ok":false,"parameters":{"retry_after":1800}}');
  await makeDue();
  await round();
  expect(await nextIn()).toBeGreaterThan(1_000);
  answer = saying(429, "slow down", { "retry-after": "3600" });
  await makeDue();
  await round();
  expect(await nextIn()).toBeGreaterThan(3_000);
  // A status of 200 with a body that refuses.
  answer = saying(200, '{"ok":false}');
  await makeDue();
  await round();
  // An answer of 200 from somebody else.
  answer = saying(200, "<html>Sign in to this network</html>");
  await makeDue();
  await round();
  // A huge answer, a redirect, and no answer.
  answer = (_, response) => void response.writeHead(403).end(`${token} ${"x".repeat(1_000_000)}`);
  await makeDue();
  await round();
  answer = saying(302, "", { location: "http://127.0.0.1:1/elsewhere" });
  await makeDue();
  await round();
  answer = () => {};
  config = { ...config, timeouts: { ...timeouts, chat: 200 } };
  await makeDue();
  await round();
  answer = (_, response) => void response.destroy();
  await makeDue();
  await round();
  const [message] = await messages();
  expect(message?.outcomes.map(({ status }) => status)).toEqual([500, 429, 429, 200, 200, 403, 302, null, null]);
  expect(message?.outcomes[7]?.answer).toBe("No answer in time");
  expect(message?.outcomes[8]?.answer).toMatch(/^No connection/);
  expect(JSON.stringify(message)).not.toContain(token);
  expect(message?.outcomes[5]?.answer).toHaveLength(500);
  answer = fine;
  await makeDue();
  await round();
  expect(await messages()).toMatchObject([{ state: "sent", tries: 10, nextTryAt: null }]);
});

test("after three days a message is given up, and the next begins with what happened since", async () => {
  await addListener("maren");
  await happened.newcomer(await addNewcomer({ username: "early" }), 31);
  answer = saying(403, "blocked by the user");
  await round();
  await makeDue();
  await db.update(chatMessages).set({ createdAt: sql`now() - interval '73 hours'` });
  await happened.newcomer(await addNewcomer({ username: "late" }), 31);
  answer = fine;
  await round();
  expect(heard).toHaveLength(1);
  expect(await messages()).toMatchObject([{ state: "failed", outcomes: [{ answer: "blocked by the user" }] }]);
  await calmFor(61);
  await round();
  expect(textsOf()[1]).toMatch(/^A new customer: late\n/);
});

test("a message of which is not known whether it arrived is sent again, and counted once", async () => {
  await addListener("maren");
  await happened.newcomer(await addNewcomer(), 31);
  let release = () => {};
  answer = async (_, response) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    response.end('{"ok":true,"id":"1"}');
  };
  const killed = round();
  await expect.poll(() => heard.length).toBe(1);
  // While this server has the message, another one has nothing to do.
  await round();
  expect(heard).toHaveLength(1);
  await db.update(chatMessages).set({ leasedUntil: sql`clock_timestamp() - interval '1 second'` });
  answer = fine;
  await round();
  expect(heard).toHaveLength(2);
  release();
  await killed;
  expect(await messages()).toMatchObject([{ state: "sent", tries: 2, outcomes: [{ status: 200 }] }]);
  await calmFor(61);
  await round();
  expect(heard).toHaveLength(2);
});

test("of many servers at once, one sends a message", async () => {
  await addListener("maren");
  await addListener("boss", "admin");
  await happened.newcomer(await addNewcomer(), 31);
  await Promise.all(Array.from({ length: 6 }, round));
  expect(heard.map(({ body }) => body.chat_id).sort()).toEqual(["chat of boss", "chat of maren"]);
  expect(await messages()).toHaveLength(2);
});

test("a clock that was set back holds no message up", async () => {
  await addListener("maren");
  await happened.newcomer(await addNewcomer(), -7_200);
  await calmFor(-7_200);
  answer = saying(500, "");
  await round();
  await db.update(chatMessages).set({ nextTryAt: sql`now() + interval '3 days'` });
  answer = fine;
  await round();
  expect(await messages()).toMatchObject([{ state: "sent", tries: 2 }]);
});

test("a busy hour is one message that fits", async () => {
  await through("discord");
  await addListener("boss", "admin", { chatId: "1" });
  for (let place = 0; place < 40; place++) {
    await happened.newcomer(await addNewcomer({ username: `${"customer ".repeat(6)}${place}` }), 31);
    await addEvent({
      type: "unusual.noticed",
      data: { event: { _id: crypto.randomUUID(), rule: "spend", words: "w".repeat(300) } },
      secondsAgo: 31,
    });
    await happened.paused(31);
  }
  await round();
  const [text] = textsOf();
  expect(heard).toHaveLength(1);
  expect(text?.length).toBeLessThan(2_000);
  expect(text).toContain("40 new customers");
  expect(text).toContain("40 unusual events");
});

test("a test message shows what the provider itself answered, and is on record", async () => {
  const maren = await addAccount("maren", "staff");
  const params = { id: maren.id };
  const ask = (as: Parameters<typeof call>[0] = "admin") => call(as, staff.testMessage, { params });
  expect((await ask()).body.message).toBe("maren has no chat id yet");
  await call("admin", staff.update, { params, body: { chatId: "4711" } });
  answer = saying(400, '{"ok":false,"description":"Bad Request: chat not found"}');
  expect((await ask()).body).toEqual({
    message: "The test message was not sent",
    sent: false,
    status: 400,
    answer: '{"ok":false,"description":"Bad Request: chat not found"}',
  });
  answer = fine;
  expect((await ask(maren)).body).toMatchObject({ sent: true, status: 200 });
  expect((await ask("staff")).status).toBe(403);
  expect(heard.map(({ body }) => body.chat_id)).toEqual(["4711", "4711"]);
  const { body } = await call("admin", staff.messages, { params });
  expect(body.provider).toBe("telegram");
  expect(body.messages.map(({ state, isTest }) => [state, isTest])).toEqual([
    ["sent", true],
    ["failed", true],
  ]);
  expect((await logRows()).slice(-2).map(({ admin, action }) => [admin, action])).toEqual([
    ["admin", "Could not send a test message to maren"],
    ["maren", "Sent a test message to maren"],
  ]);
  chatThrough(undefined);
  expect(await ask()).toMatchObject({ status: 409, body: { message: expect.stringContaining("CHAT_PROVIDER") } });
  expect((await call("admin", staff.messages, { params })).body.provider).toBeNull();
});
