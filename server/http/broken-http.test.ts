import { fedex } from "@footprint/contract/fedex.ts";
import { orders } from "@footprint/contract/orders.ts";
import { session } from "@footprint/contract/session.ts";
import { users } from "@footprint/contract/users.ts";
import fc from "fast-check";
import Fastify from "fastify";
import { beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { checkBooks } from "../money/books.ts";
import { addCustomer, addFedexOrder, addOrder } from "../testing/builders.ts";
import { boundary, formEnd, partStart, pdf } from "../testing/multipart.ts";
import { problemWith } from "../testing/refusals.ts";
import { call, db, fingerprint, tokenOf } from "../testing/server.ts";
import { converse } from "../testing/sockets.ts";
import { answerError } from "./errors.ts";

const runs = Number(process.env.BAD_INPUT_RUNS ?? 80);
const seed = Number(process.env.BAD_INPUT_SEED ?? 7400);

let ids: { customer: string; order: string; fedexOrder: string };

beforeEach(async () => {
  const customer = await addCustomer({ balance: 20 });
  const order = await addOrder({ customer });
  ids = { customer: customer.id, order: order.id, fedexOrder: (await addFedexOrder({ customer })).id };
});

const list = orders.list.path;
const authorization = () => `Authorization: Bearer ${tokenOf("admin")}`;

/** A request written by hand: its first line, the headers that every client sends, and these. */
const head = (line: string, ...headers: string[]) =>
  [line, "Host: localhost", "Connection: close", authorization(), ...headers, "", ""].join("\r\n");
const get = (path: string, ...headers: string[]) => head(`GET ${path} HTTP/1.1`, ...headers);
const addBalance = (...headers: string[]) =>
  head(
    `POST ${users.addBalance.path.replace(":id", ids.customer)} HTTP/1.1`,
    "Content-Type: application/json",
    ...headers,
  );
const updateFedex = (...headers: string[]) =>
  head(
    `POST ${fedex.update.path.replace(":id", ids.fedexOrder)} HTTP/1.1`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    ...headers,
  );
const chunked = "Transfer-Encoding: chunked";
const ten = '{"balance":10}';
const file = () => `${partStart('name="file"; filename="a.pdf"')}${pdf.toString("latin1")}`;

const broken: Record<string, () => string> = {
  "nothing but line ends": () => "\r\n\r\n\r\n",
  "a half line": () => "GET /api",
  "no end of the headers": () => addBalance().slice(0, -2),
  "another protocol": () => "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\xff\xfe",
  "the start of HTTP/2": () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "HTTP/9.9": () => head(`GET ${list} HTTP/9.9`),
  "an unknown method": () => head(`STEAL ${list} HTTP/1.1`),
  "a method in small letters": () => head(`get ${list} HTTP/1.1`),
  "a method that no call has": () => head(`PATCH ${list} HTTP/1.1`),
  TRACE: () => head(`TRACE ${list} HTTP/1.1`),
  "OPTIONS without an origin": () => head(`OPTIONS ${list} HTTP/1.1`),
  "OPTIONS of everything": () => head("OPTIONS * HTTP/1.1"),
  "no host": () => `GET ${list} HTTP/1.1\r\nConnection: close\r\n${authorization()}\r\n\r\n`,
  "two hosts": () => get(list, "Host: elsewhere"),
  "NUL in the path": () => get("/api/v1/\0"),
  "%00 in the path": () => get(`${users.read.path.replace(":id", "%00")}`),
  "%ff in the path": () => get(`${users.read.path.replace(":id", "%ff")}`),
  "a lone % in the path": () => get("/api/v1/%"),
  "bytes above ASCII in the path": () => get("/api/v1/\xff\xfe"),
  "dots in the path": () => get("/api/../../../etc/passwd"),
  "encoded dots in the path": () => get("/assets/..%2f..%2f..%2fetc%2fpasswd"),
  "a whole address": () => get("http://elsewhere.example/api/v1/x"),
  "an address of 100 kB": () => get(`${list}?search=${"x".repeat(100_000)}`),
  "a header of 100 kB": () => get(list, `X-Long: ${"x".repeat(100_000)}`),
  "3,000 headers": () => get(list, ...Array.from({ length: 3000 }, (_, index) => `X-${index}: y`)),
  "a header without a colon": () => get(list, "X-Broken"),
  "a header without a name": () => get(list, ": x"),
  "a space before the colon": () => get(list, "X-Broken : y"),
  "NUL in a header": () => get(list, "X-Broken: a\0b"),
  "a folded header": () => get(list, "X-Folded: a\r\n b"),
  "line ends without returns": () => get(list).replaceAll("\r\n", "\n"),
  "two tokens": () => get(list, "Authorization: Bearer other"),
  "a token of bytes above ASCII": () => get(list).replace(/Bearer \S+/, "Bearer \xff\xfe"),
  "another kind of token": () => get(list).replace("Bearer", "Basic"),
  "a body where none belongs": () =>
    `${head(`PUT ${orders.refund.path.replace(":id", "x")} HTTP/1.1`, "Content-Length: 3")}abc`,
  "a body cut short": () => `${addBalance("Content-Length: 1000")}${ten}`,
  "a body longer than it says": () => `${addBalance("Content-Length: 3")}${ten}`,
  "two lengths": () => `${addBalance("Content-Length: 14", "Content-Length: 15")}${ten}`,
  "a length and chunks": () => `${addBalance("Content-Length: 14", chunked)}${ten}`,
  "a length below zero": () => `${addBalance("Content-Length: -1")}${ten}`,
  "a length that is no number": () => `${addBalance("Content-Length: 1e1")}${ten}`,
  "a length beyond all numbers": () => `${addBalance("Content-Length: 99999999999999999999")}${ten}`,
  "a length of two gigabytes": () => `${addBalance("Content-Length: 2147483648")}${ten}`,
  "a chunk of no length": () => `${addBalance(chunked)}zz\r\n${ten}\r\n0\r\n\r\n`,
  "a chunk longer than it says": () => `${addBalance(chunked)}3\r\n${ten}\r\n0\r\n\r\n`,
  "chunks without an end": () => `${addBalance(chunked)}e\r\n${ten}\r\n`,
  "an unknown transfer encoding": () => `${addBalance("Transfer-Encoding: gzip", "Content-Length: 14")}${ten}`,
  "a body that only claims to be gzip and JSON": () =>
    `${addBalance("Content-Encoding: gzip", "Content-Length: 2")}\x1f\x8b`,
  "bytes that are no UTF-8": () => `${addBalance("Content-Length: 4")}"\xff\xfe"`,
  "two content types": () => `${addBalance("Content-Type: text/plain", "Content-Length: 1")}x`,
  "an expectation": () => `${addBalance("Expect: a miracle", "Content-Length: 1")}x`,
  "the expectation to go on": () => `${addBalance("Expect: 100-continue", "Content-Length: 1")}x`,
  "an upgrade": () => get("/nowhere/api", "Connection: Upgrade", "Upgrade: websocket"),
  "a form cut short": () => `${updateFedex("Content-Length: 1000")}${file()}`,
  "a form cut short in chunks": () => `${updateFedex(chunked)}10\r\n${file().slice(0, 16)}\r\n`,
  "a form without an end": () => `${updateFedex(`Content-Length: ${file().length}`)}${file()}`,
  "a form with an epilogue": () => `${updateFedex("Content-Length: 4")}\r\n\r\n${formEnd}`,
};

const isDone = ({ status }: { status: number }) => status < 300;

const problemsIn = (answers: Awaited<ReturnType<typeof converse>>) =>
  answers.filter((answer) => !isDone(answer)).flatMap((answer) => problemWith(answer) ?? []);

test("a malformed request is refused with a sentence or its connection is cut, and nothing changes", async () => {
  const before = await fingerprint();
  const sent = Object.entries(broken).map(async ([name, request]) => [name, problemsIn(await converse(request()))]);
  expect((await Promise.all(sent)).filter(([, problems]) => problems?.length)).toEqual([]);
  // The server notices a moment later that a sender hung up in the middle of a file.
  await vi.waitFor(async () => expect(await fingerprint()).toEqual(before), 10_000);
  expect((await call("admin", session.access)).status).toBe(200);
});

type Damage = { at: number; how: "overwrite" | "insert" | "remove" | "cut" | "repeat"; bytes: string };
const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.nat(1000),
  how: fc.constantFrom("overwrite", "overwrite", "insert", "remove", "cut", "repeat"),
  bytes: fc.oneof(
    fc.string({ unit: fc.integer({ max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 4 }),
    fc.constantFrom("\r\n", "\r\n\r\n", "\n", ":", " ", "\0", "9", "-", "%", '"', "{", "--"),
  ),
});

function damaged(text: string, { at, how, bytes }: Damage): string {
  const place = at % text.length;
  const [left, right] = [text.slice(0, place), text.slice(place)];
  if (how === "cut") return left || "x";
  if (how === "insert") return left + bytes + right;
  if (how === "repeat") return left + right.slice(0, 20) + right;
  return left + (how === "remove" ? "" : bytes) + right.slice(bytes.length || 1);
}

test("requests with a few bytes damaged never make the server fail", { timeout: 60_000 + runs * 100 }, async () => {
  const sound = () => [
    get(`${list}?page=1&search=a%20b`),
    `${addBalance("Content-Length: 14", "Idempotency-Key: one")}${ten}`,
    `${addBalance(chunked)}e\r\n${ten}\r\n0\r\n\r\n`,
    `${updateFedex(`Content-Length: ${(file() + formEnd).length}`)}${file()}${formEnd}`,
  ];
  const damages = fc.tuple(fc.nat(3), fc.array(damage, { minLength: 1, maxLength: 3 }));
  const property = fc.asyncProperty(fc.array(damages, { minLength: 1, maxLength: 20, size: "max" }), async (batch) => {
    const requests = batch.map(([which, list]) => list.reduce(damaged, sound()[which] as string));
    expect(problemsIn((await Promise.all(requests.map(converse))).flat())).toEqual([]);
  });
  await fc.assert(property, { seed, numRuns: Math.ceil(runs / 10) });
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a reply that does not fit its schema says nothing of the schema", async () => {
  const app = Fastify();
  app.setErrorHandler(answerError);
  app.get("/", () => z.encode(z.object({ price: z.number() }), { price: "free" } as never));
  const answer = await app.inject("/");
  expect([answer.statusCode, Object.keys(answer.json())]).toEqual([500, ["message"]]);
});
