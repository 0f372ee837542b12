import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import { inspect } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { Footprint, FootprintError, type Options } from "./client.ts";

type Asked = { method: string; url: string; headers: IncomingMessage["headers"]; body: string };
type Answer = (response: ServerResponse, asked: Asked) => unknown;

/** A server on this machine that gives these answers one after the other, and repeats the last. */
async function serverThat(...answers: Answer[]) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, headers, body });
    await answers[Math.min(asked.length, answers.length) - 1]?.(response, { method, url, headers, body });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const json = (status: number, body: unknown, headers = {}): Answer => {
  return (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};
const bought = json(201, { order: { tracking: "9400" }, balance: 1 });
const cut: Answer = (response) => response.socket?.destroy();
const silence: Answer = () => {};

/** A client that does not pause between tries, but records how long it would have. */
function clientOf(url: string, options: Partial<Options> = {}) {
  const pauses: number[] = [];
  const retried: FootprintError[] = [];
  const footprint = new Footprint({
    ...{ url, key: "secret-key", onRetry: (error) => retried.push(error) },
    pause: async (milliseconds, signal) => {
      pauses.push(milliseconds);
      signal?.throwIfAborted();
    },
    ...options,
  });
  return { footprint, pauses, retried };
}

const address = { Name: "A", Street: "1 Elm St", City: "Austin", State: "TX", Zip: "78701", Country: "US" };
const sides = (["from", "to"] as const).flatMap((side) =>
  Object.entries(address).map(([name, value]) => [side + name, value]),
);
const label = { discordId: "4711", labelType: "priority", weight: 2.5, ...Object.fromEntries(sides) } as Parameters<
  Footprint["createOrder"]
>[0];

/** The error that a call failed with. */
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => {
      expect(error).toBeInstanceOf(FootprintError);
      return error as FootprintError;
    },
  );

test("a purchase whose answer is cut off is sent again, the same with the same key", async () => {
  const { url, asked } = await serverThat(cut, cut, bought);
  const { footprint, pauses, retried } = clientOf(url);
  const reply = await footprint.createOrder(label);
  expect(reply).toMatchObject({ order: { tracking: "9400" }, balance: 1 });
  expect(new Set(asked.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  expect(asked.map(({ body }) => JSON.parse(body))).toEqual([label, label, label]);
  expect(asked[0]).toMatchObject({ method: "POST", url: "/api/v1/storefront/orders" });
  expect(asked[0]?.headers.authorization).toBe("Bearer secret-key");
  expect(retried.map(({ kind, status }) => [kind, status])).toEqual([
    ["unanswered", 0],
    ["unanswered", 0],
  ]);
  expect(pauses[0]).toBeGreaterThanOrEqual(250);
  expect(pauses[1]).toBeGreaterThanOrEqual(500);
  expect(pauses[1]).toBeLessThanOrEqual(1_000);
});

test("two purchases have two keys, and a key that is given is the one that is sent", async () => {
  const { url, asked } = await serverThat(bought);
  const { footprint } = clientOf(url);
  await footprint.createOrder(label);
  await footprint.createOrder(label);
  await footprint.createOrder(label, { idempotencyKey: "cart-17" });
  const keys = asked.map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe("cart-17");
});

test("path parameters go into the address, the rest into query or body, and undefined fields nowhere", async () => {
  const { url, asked } = await serverThat(json(200, {}));
  const { footprint } = clientOf(`${url}/behind/a/proxy/`);
  await footprint.getCustomer({ discordId: "a/../b ?" });
  await footprint.transfers({ discordId: "4711", limit: 5, from: undefined, kind: "refund" });
  await footprint.putCustomer({ discordId: "4711", username: "maren", email: undefined });
  await footprint.paymentSettings();
  expect(asked.map(({ method, url, body }) => [method, url, body])).toEqual([
    ["GET", "/behind/a/proxy/api/v1/storefront/customers/a%2F..%2Fb%20%3F", ""],
    ["GET", "/behind/a/proxy/api/v1/storefront/customers/4711/transfers?limit=5&kind=refund", ""],
    ["PUT", "/behind/a/proxy/api/v1/storefront/customers/4711", '{"username":"maren"}'],
    ["GET", "/behind/a/proxy/api/v1/storefront/payment-settings", ""],
  ]);
  await expect(footprint.getCustomer({ discordId: ".." })).rejects.toThrow("discordId is missing");
  await expect(footprint.getCustomer({ discordId: "" })).rejects.toThrow("discordId is missing");
});

test("a refusal is thrown at once, in the server's own words, and says that nothing was changed", async () => {
  const issues = [{ path: "weight", message: "A parcel weighs more than 0" }];
  const { url, asked } = await serverThat(
    json(402, { message: "The balance is $3.00 too small" }),
    json(400, { message: "weight: A parcel weighs more than 0", issues }),
  );
  const { footprint } = clientOf(url);
  const refused = await failureOf(footprint.createOrder(label, { idempotencyKey: "cart-17" }));
  expect(refused).toMatchObject({ kind: "refused", status: 402, message: "The balance is $3.00 too small" });
  expect(refused).toMatchObject({ isRetryable: false, mayBeDone: false, idempotencyKey: "cart-17", issues: [] });
  expect(await failureOf(footprint.createOrder(label))).toMatchObject({ status: 400, issues });
  expect(asked.length).toBe(2);
});

for (const status of [429, 500, 502, 503, 504])
  test(`${status} is tried again`, async () => {
    const { url, asked } = await serverThat(json(status, { message: "Later" }), bought);
    const { footprint, retried } = clientOf(url);
    await footprint.createOrder(label);
    expect(asked.length).toBe(2);
    expect(retried).toMatchObject([{ status, message: "Later" }]);
  });

test("it waits as long as Retry-After says, in seconds or until a moment, and a moment more", async () => {
  const soon = new Date(Date.now() + 40_000).toUTCString();
  const { url } = await serverThat(
    json(503, { message: "Later" }, { "retry-after": "7" }),
    json(429, { message: "Later" }, { "retry-after": soon }),
    json(429, { message: "Later" }, { "retry-after": "soon" }),
    bought,
  );
  const { footprint, pauses } = clientOf(url);
  await footprint.createOrder(label);
  const [inSeconds = 0, untilMoment = 0, unreadable = 0] = pauses;
  expect(inSeconds).toBeGreaterThanOrEqual(7_000);
  expect(inSeconds).toBeLessThanOrEqual(7_500);
  expect(untilMoment).toBeGreaterThan(1_000);
  expect(untilMoment).toBeLessThanOrEqual(40_500);
  expect(unreadable).toBeLessThanOrEqual(2_000);
});

test("a caller who should wait longer than a minute gets the error instead", async () => {
  const { url, asked } = await serverThat(json(429, { message: "Tomorrow" }, { "retry-after": "3600" }));
  const { footprint } = clientOf(url);
  const failure = await failureOf(footprint.createOrder(label));
  expect(failure).toMatchObject({ kind: "busy", retryAfter: 3600, isRetryable: true, mayBeDone: false });
  expect(asked.length).toBe(1);
});

test("it gives up after as many retries as were allowed, and says that nobody knows what became of it", async () => {
  const { url, asked } = await serverThat(cut, json(429, { message: "Later" }));
  const { footprint } = clientOf(url, { retries: 2 });
  const failure = await failureOf(footprint.createOrder(label));
  // The first try may have succeeded, whatever the last was told.
  expect(failure).toMatchObject({ status: 429, isRetryable: true, mayBeDone: true });
  expect(failure.idempotencyKey).toBe(asked[0]?.headers["idempotency-key"]);
  expect(asked.length).toBe(3);
  const read = await failureOf(footprint.getCustomer({ discordId: "4711" }, { retries: 0 }));
  expect(read).toMatchObject({ mayBeDone: false, idempotencyKey: undefined });
  expect(asked.length).toBe(4);
});

test("a server that never answers is given up in time, and tried again", async () => {
  const { url, asked } = await serverThat(silence, bought);
  // Whatever this machine's speed: a try that was too late is followed by another.
  const { footprint, retried } = clientOf(url, { timeout: 500, retries: 1_000 });
  expect(await footprint.createOrder(label)).toMatchObject({ balance: 1 });
  expect(new Set(asked.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  expect(retried[0]).toMatchObject({ kind: "unanswered", message: `${url} did not answer within 0.5 s` });
});

test("the time is over too where an answer begins and never ends", async () => {
  const endless: Answer = (response) => response.writeHead(200).write('{"customer":');
  const { url } = await serverThat(endless);
  const { footprint } = clientOf(url, { retries: 0 });
  const failure = await failureOf(footprint.getCustomer({ discordId: "4711" }, { timeout: 200 }));
  expect(failure).toMatchObject({ kind: "unanswered", message: `${url} did not answer within 0.2 s` });
});

test("a signal ends a call, retries and all, with its own reason", async () => {
  const { url, asked } = await serverThat(silence);
  const { footprint, retried } = clientOf(url);
  const ending = new AbortController();
  const call = footprint.createOrder(label, { signal: ending.signal });
  await expect.poll(() => asked.length, { timeout: 30_000 }).toBe(1);
  ending.abort(new Error("The customer left"));
  await expect(call).rejects.toThrow("The customer left");
  await expect(footprint.createOrder(label, { signal: ending.signal })).rejects.toThrow("The customer left");
  expect(asked.length).toBe(1);
  expect(retried).toEqual([]);
});

test("a signal ends the pause between two tries", async () => {
  const { url } = await serverThat(json(503, { message: "Later" }, { "retry-after": "50" }));
  const ending = new AbortController();
  const footprint = new Footprint({ url, key: "key", onRetry: () => ending.abort(new Error("Enough")) });
  await expect(footprint.createOrder(label, { signal: ending.signal })).rejects.toThrow("Enough");
});

test("nobody there is said plainly", async () => {
  const { footprint } = clientOf("http://127.0.0.1:1", { retries: 0 });
  const failure = await failureOf(footprint.createOrder(label));
  expect(failure).toMatchObject({ kind: "unanswered", status: 0, isRetryable: true });
  expect(failure.message).toMatch(/^http:\/\/127\.0\.0\.1:1 did not answer: /);
});

const garbage: Record<string, Answer> = {
  "a page": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome to nginx!</h1>"),
  "half of an answer": (response) => response.writeHead(200).end('{"order":{"tracking":'),
  nothing: (response) => response.writeHead(200).end(),
  "a list": json(200, []),
  null: json(200, null),
  "broken text": (response) => response.writeHead(200).end(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
};
for (const [name, answer] of Object.entries(garbage))
  test(`${name} instead of an answer is tried again, and not taken for one`, async () => {
    const { url, asked } = await serverThat(answer);
    const { footprint } = clientOf(url, { retries: 1 });
    const failure = await failureOf(footprint.createOrder(label));
    expect(failure).toMatchObject({ kind: "unreadable", status: 200, isRetryable: true, mayBeDone: true });
    expect(failure.message).toBe(`${url} answered 200 with something that is not Footprint's`);
    expect(asked.length).toBe(2);
  });

test("a refusal without a message of Footprint's says what answered how", async () => {
  const { url } = await serverThat((response) => response.writeHead(404).end("<h1>404 Not Found</h1>"));
  const { footprint } = clientOf(url);
  const failure = await failureOf(footprint.createOrder(label));
  expect(failure).toMatchObject({ kind: "refused", status: 404, message: `${url} answered 404, without a message` });
});

for (const status of [301, 302, 303, 307, 308])
  test(`a redirect (${status}) is not followed: the key goes nowhere else`, async () => {
    const elsewhere = await serverThat(bought);
    const { url, asked } = await serverThat((response) =>
      response.writeHead(status, { location: elsewhere.url }).end(),
    );
    const { footprint } = clientOf(url);
    const failure = await failureOf(footprint.createOrder(label));
    expect(failure).toMatchObject({ kind: "refused", status, isRetryable: false });
    expect(failure.message).toContain(`leads to ${elsewhere.url}`);
    expect(asked.length).toBe(1);
    expect(elsewhere.asked).toEqual([]);
  });

test("an answer without end is not read to its end", async () => {
  let sent = 0;
  const flood: Answer = (response) => {
    const megabyte = Buffer.alloc(1024 * 1024, " ");
    const endless = new Readable({
      read() {
        sent++;
        this.push(megabyte);
      },
    });
    pipeline(endless, response.writeHead(200), () => {});
  };
  const { url, asked } = await serverThat(flood);
  const { footprint } = clientOf(url, { timeout: 60_000 });
  const failure = await failureOf(footprint.createOrder(label));
  expect(failure).toMatchObject({ kind: "unreadable", isRetryable: false, mayBeDone: true });
  expect(failure.message).toBe(`${url} answered with more than 64 MB`);
  expect(sent).toBeGreaterThan(60);
  expect(sent).toBeLessThan(100);
  expect(asked.length).toBe(1);
});

test("the key is in no message and is not printed with the client", async () => {
  expect(() => new Footprint({ url: "http://localhost", key: "two\nlines" })).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining("lines") }),
  );
  expect(() => new Footprint({ url: "http://localhost", key: undefined })).toThrow("Give the API key");
  const { url } = await serverThat(cut);
  const { footprint } = clientOf(url, { retries: 0 });
  expect(inspect(footprint, { depth: 9, showHidden: true })).not.toContain("secret-key");
  expect(inspect(await failureOf(footprint.createOrder(label)), { depth: 9 })).not.toContain("secret-key");
  expect(JSON.stringify(footprint)).not.toContain("secret-key");
});

test("an address that is none is refused before anything is sent", () => {
  for (const url of [
    "localhost:7400",
    "ftp://localhost",
    "http://user:word@localhost",
    "http://localhost?x=1",
    "",
    undefined,
  ])
    expect(() => new Footprint({ url, key: "key" })).toThrow("Give the address of a Footprint");
});

test("events go on where they were, through answers that fail, until the signal ends them", async () => {
  const event = (id: string) => ({ id, type: "test", timestamp: "2026-01-01T00:00:00.000Z", data: {} });
  const page = (ids: string[], next: string) => json(200, { events: ids.map(event), next });
  const { url, asked } = await serverThat(page(["a", "b"], "12"), cut, page([], "15"), page(["c"], "16"), silence);
  const { footprint, pauses, retried } = clientOf(url, { retries: 0 });
  // Whatever time it takes here.
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now());
  onTestFinished(() => clock.mockRestore());
  const ending = new AbortController();
  const seen: string[][] = [];
  for await (const { id, next } of footprint.events({ after: "10", signal: ending.signal })) {
    seen.push([id, next]);
    if (id === "c") queueMicrotask(() => setImmediate(() => ending.abort()));
  }
  expect(seen).toEqual([
    ["a", "a"],
    ["b", "12"],
    ["c", "16"],
  ]);
  const afters = asked.map(({ url }) => new URL(url, "http://x").searchParams.get("after"));
  expect(afters.slice(0, 4)).toEqual(["10", "12", "12", "15"]);
  expect(asked[0]?.url).toContain("wait=25");
  expect(retried).toMatchObject([{ kind: "unanswered" }]);
  // One pause for the failed try, and one because the empty answer came at once.
  expect(pauses[1]).toBe(1_000);
});

test("a refusal ends the loop of events", async () => {
  const { url } = await serverThat(json(404, { message: "Nothing has the position 99 yet" }));
  const { footprint } = clientOf(url);
  const first = footprint.events({ after: "99" }).next();
  expect(await failureOf(first)).toMatchObject({ status: 404, message: "Nothing has the position 99 yet" });
});

test("a file comes with its name and type, and whole", async () => {
  const content = Buffer.from("%PDF-1.4 label");
  const { url } = await serverThat((response) =>
    response
      .writeHead(200, {
        "content-type": "application/pdf",
        "content-disposition": `attachment; filename="l_bel.pdf"; filename*=UTF-8''l%C3%A4bel.pdf`,
      })
      .end(content),
  );
  const { footprint } = clientOf(url);
  const file = await footprint.readFedexFile({ id: "1" });
  expect([file.name, file.type, file.size]).toEqual(["läbel.pdf", "application/pdf", content.length]);
  expect(Buffer.from(await file.arrayBuffer())).toEqual(content);
});

test.for([
  ["attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "passwd"],
  ["attachment; filename*=UTF-8''C%3A%5Clabels%5C..", "file"],
  [`attachment; filename="../label.pdf"`, "label.pdf"],
  [`attachment; filename="label.pdf"; filename*=UTF-8''%E0%A4`, "label.pdf"],
  ["attachment", "file"],
] as const)("a file that is sent as %s is called %s: no path, and no failure", async ([disposition, name]) => {
  const { url } = await serverThat((response) =>
    response.writeHead(200, { "content-disposition": disposition }).end("%PDF"),
  );
  expect((await clientOf(url).footprint.readFedexFile({ id: "1" })).name).toBe(name);
});
