import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import { type FootprintEvent, verifyWebhook, WebhookError, webhookEvents } from "./client.ts";

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
const secret = newSecret();

const eventOf = (id: string): FootprintEvent => ({ id, type: "test", timestamp: "2026-01-01T00:00:00.000Z", data: {} });

/** As Footprint sends it, signed by the specification's library. */
function sent(body: string, { secrets = [secret], id = "msg_1", at = new Date() } = {}) {
  const signature = secrets.map((each) => new Webhook(each).sign(id, at, body)).join(" ");
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return { headers: { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature }, body };
}

const requestOf = (id: string) =>
  new Request("https://shop.example.com/hooks", { method: "POST", ...sent(JSON.stringify(eventOf(id)), { id }) });

test("what the specification's library signs is taken, in every form that a body comes in", async () => {
  const body = JSON.stringify({ ...eventOf("1"), data: { name: "Zoë 📦" } });
  const { headers } = sent(body);
  const bytes = new TextEncoder().encode(body);
  const bodies = [body, bytes, new Response(bytes).body, Readable.from([bytes.subarray(0, 9), bytes.subarray(9)])];
  for (const each of bodies) expect(await verifyWebhook({ secret, headers, body: each })).toEqual(JSON.parse(body));
  expect(await verifyWebhook({ secret, headers: new Headers(headers), body })).toEqual(JSON.parse(body));
  // Some store secrets without their prefix.
  expect(await verifyWebhook({ secret: secret.slice("whsec_".length), headers, body })).toEqual(JSON.parse(body));
});

test("while a secret is being replaced, either of the two signatures will do", async () => {
  const body = JSON.stringify(eventOf("1"));
  const next = newSecret();
  const { headers } = sent(body, { secrets: [next, secret] });
  for (const each of [secret, next])
    expect(await verifyWebhook({ secret: each, headers, body })).toMatchObject({ id: "1" });
  await expect(verifyWebhook({ secret: newSecret(), headers, body })).rejects.toThrow(WebhookError);
});

test("whatever was changed, by however little, is refused, as the specification's library does", async () => {
  const body = JSON.stringify(eventOf("1"));
  const { headers } = sent(body);
  const signature = headers["webhook-signature"];
  const changed: { headers: Record<string, string>; body: string }[] = [
    { headers, body: `${body} ` },
    { headers, body: body.replace("test", "tesT") },
    { headers: { ...headers, "webhook-id": "msg_2" }, body },
    { headers: { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) }, body },
    ...["", "v1,", "v1", signature.slice(3), signature.replace("v1,", "v2,"), `${signature}x`, "v1,ä"].map((each) => ({
      headers: { ...headers, "webhook-signature": each },
      body,
    })),
    ...Object.keys(headers).map((name) => ({ headers: { ...headers, [name]: "" }, body })),
  ];
  for (const each of changed) {
    expect(() => new Webhook(secret).verify(each.body, each.headers)).toThrow();
    await expect(verifyWebhook({ secret, ...each })).rejects.toThrow(WebhookError);
  }
});

test("signatures of other versions beside the right one do no harm", async () => {
  const body = JSON.stringify(eventOf("1"));
  const { headers } = sent(body);
  const many = `v1a,abc v2,xyz v1,AAAA ${headers["webhook-signature"]}`;
  expect(await verifyWebhook({ secret, headers: { ...headers, "webhook-signature": many }, body })).toMatchObject({
    id: "1",
  });
});

test("a message may be five minutes old or ahead, and no more", async () => {
  const body = JSON.stringify(eventOf("1"));
  const at = new Date("2026-01-01T12:00:00Z");
  const verify = (seconds: number) =>
    verifyWebhook({ secret, ...sent(body, { at }), now: () => at.getTime() + seconds * 1000 });
  for (const seconds of [-300, -1, 0, 299, 300]) expect(await verify(seconds)).toMatchObject({ id: "1" });
  for (const seconds of [-301, 301, 86_400]) await expect(verify(seconds)).rejects.toThrow("too far from now");
  for (const timestamp of ["", "now", "-1", "1e9", "0x5", " 17"]) {
    const { headers } = sent(body, { at });
    await expect(
      verifyWebhook({ secret, headers: { ...headers, "webhook-timestamp": timestamp }, body }),
    ).rejects.toThrow(WebhookError);
  }
});

test("a malformed secret is the program's mistake, not the sender's", async () => {
  for (const none of [undefined, "", "whsec_", "whsec_not base64!"]) {
    await expect(verifyWebhook({ secret: none, ...sent("{}") })).rejects.toThrow(TypeError);
    await expect(webhookEvents({ secret: none }).receive(requestOf("1"))).rejects.toThrow(TypeError);
  }
});

test("a signed message is refused if it is not JSON or too long", async () => {
  await expect(verifyWebhook({ secret, ...sent("{") })).rejects.toThrow("not JSON");
  const flood = Readable.from(
    (function* () {
      for (;;) yield new Uint8Array(1024 * 1024);
    })(),
  );
  await expect(verifyWebhook({ secret, ...sent(""), body: flood })).rejects.toThrow("too long");
});

test("a body that is cut off is refused, and brings nobody down", async () => {
  const cut = Readable.from(
    (function* () {
      yield new Uint8Array(9);
      throw new Error("aborted");
    })(),
  );
  expect((await webhookEvents({ secret }).receive({ ...sent(""), body: cut })).status).toBe(400);
});

test("an event is answered only when the loop asks for the next one", async () => {
  const events = webhookEvents({ secret });
  const order: string[] = [];
  const answered = ["1", "2"].map(async (id) => {
    const { status } = await events.receive(requestOf(id));
    order.push(`${id} answered ${status}`);
  });
  const iterator = events[Symbol.asyncIterator]();
  for (const _ of ["1", "2"]) {
    const { value } = await iterator.next();
    order.push(`${value.id} taken`);
    await new Promise(setImmediate);
    order.push(`${value.id} done`);
  }
  const ended = iterator.return?.();
  await Promise.all([ended, answered[0]]);
  await answered[1];
  const first = order[0]?.[0] as string;
  const second = first === "1" ? "2" : "1";
  expect(order.indexOf(`${first} answered 204`)).toBeGreaterThan(order.indexOf(`${first} done`));
  // A loop that stopped at the second event did not finish it.
  expect(order).toContain(`${second} answered 503`);
});

test("an event whose processing failed is sent again, to the next loop", async () => {
  const events = webhookEvents({ secret });
  const work = async () => {
    for await (const event of events) throw new Error(`no room for ${event.id}`);
  };
  const [worked, failed] = await Promise.allSettled([work(), events.receive(requestOf("1"))]);
  expect(worked).toMatchObject({ reason: new Error("no room for 1") });
  expect(failed).toMatchObject({ value: { status: 503 } });
  // No loop is there to wait for.
  expect((await events.receive(requestOf("1"))).status).toBe(503);
  const seen: string[] = [];
  const ending = (async () => {
    for await (const event of events) {
      seen.push(event.id);
      if (event.id === "2") break;
    }
  })();
  expect((await events.receive(requestOf("1"))).status).toBe(204);
  expect((await events.receive(requestOf("2"))).status).toBe(503);
  await ending;
  expect(seen).toEqual(["1", "2"]);
});

test("a repeat of an unfinished event is not processed twice: both get the same answer", async () => {
  const events = webhookEvents({ secret });
  const verify = vi.spyOn(crypto.subtle, "verify");
  onTestFinished(() => verify.mockRestore());
  const answers = ["1", "1", "1"].map((id) => events.receive(requestOf(id)));
  const iterator = events[Symbol.asyncIterator]();
  expect((await iterator.next()).value.id).toBe("1");
  await vi.waitFor(
    () => expect(verify.mock.settledResults.map(({ type }) => type)).toEqual(answers.map(() => "fulfilled")),
    30_000,
  );
  await new Promise(setImmediate);
  const next = iterator.next();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([204, 204, 204]);
  const another = events.receive(requestOf("2"));
  expect((await next).value.id).toBe("2");
  await iterator.return?.();
  expect((await another).status).toBe(503);
});

test("an unsigned message is 400 and reaches nobody; a signal ends everything", async () => {
  const ending = new AbortController();
  const events = webhookEvents({ secret, signal: ending.signal });
  const seen: string[] = [];
  const work = (async () => {
    for await (const event of events) seen.push(event.id);
  })();
  const forged = new Request("https://shop.example.com/hooks", { method: "POST", body: JSON.stringify(eventOf("1")) });
  expect((await events.receive(forged)).status).toBe(400);
  expect((await events.receive(requestOf("2"))).status).toBe(204);
  ending.abort();
  await work;
  expect(seen).toEqual(["2"]);
  expect((await events.receive(requestOf("3"))).status).toBe(503);
});
