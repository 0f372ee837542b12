import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { webhooks } from "@footprint/contract/webhooks.ts";
import { expect, onTestFinished, test } from "vitest";
import { receiver } from "../testing/receiver.ts";
import { call } from "../testing/server.ts";
import { isPublic } from "./addresses.ts";
import { type Sending, send } from "./sending.ts";

const hurried: Sending = { mayBePrivate: true, limits: { connect: 1_000, total: 1_000 } };
const patient: Sending = { mayBePrivate: true };
const post = (url: string, sending = patient) => send(url, { "webhook-id": "1" }, "{}", sending);

/** Answers every connection with these bytes only. */
async function speaker(speak: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => speak(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const notPublic = [
  ...["0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1", "169.254.169.254"],
  ...["172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1"],
  ...["198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"],
  ...["::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "::127.0.0.1", "::7f00:1", "64:ff9b::7f00:1"],
  ...["64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:53aa:64c::1", "2001:2::1", "2001:10::1"],
  ...["2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1"],
  ...["fe80::1%eth0", "2606:4700::1%eth0", "fec0::1", "ff02::1", "not an address", ""],
];

test.each(notPublic)("%s is no public address", (address) => expect(isPublic(address)).toBe(false));

test.each([
  "8.8.8.8",
  "1.1.1.1",
  "172.15.0.1",
  "172.32.0.1",
  "100.128.0.1",
  "192.0.1.1",
  "2606:4700:4700::1111",
  "2a00::1",
])("%s is a public address", (address) => expect(isPublic(address)).toBe(true));

const inside = [
  ...["http://127.0.0.1/", "http://localhost/", "https://LOCALHOST./", "http://shop.localhost/", "http://2130706433/"],
  ...["http://0x7f000001/", "http://0x7f.1/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.0.1./", "http://0/"],
  ...["http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[0:0:0:0:0:ffff:7f00:1]/", "http://[fe80::1]/"],
  ...["http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/", "http://database/"],
  ...["http://printer.local/", "http://10.0.0.1:8080/", "http://①②⑦.0.0.1/", "http://127。0。0。1/"],
  ...["http://127.0.0.1../", "http://localhost../"],
];

test.each(inside)("%s is refused as a webhook, and not sent to", async (url) => {
  const { status, body } = await call("admin", webhooks.create, { body: { url } });
  expect(status).toBe(400);
  expect(body.issues).toMatchObject([{ path: "body.url" }]);
  const resolve = async () => ["127.0.0.1"];
  const { problem } = await post(url, { mayBePrivate: false, resolve });
  expect(problem).toContain("own network");
});

test.each([
  "http://[fe80::1%25eth0]/",
  "ftp://shop.example.com/",
  "http://me:secret@shop.example.com/",
  "http:///x",
  "x",
])("%s is no address of a webhook", async (url) =>
  expect((await call("admin", webhooks.create, { body: { url } })).status).toBe(400),
);

test("an address that was public when it was saved is looked at again at every try", async () => {
  const created = await call("admin", webhooks.create, { body: { url: "https://shop.example.com/" } });
  const params = { id: created.body.webhook._id };
  const { status } = await call("admin", webhooks.update, { params, body: { url: "http://192.168.0.1/" } });
  expect(status).toBe(400);
});

test.each([[["127.0.0.1"]], [["8.8.8.8", "10.0.0.1"]], [["::1"]], [["::ffff:127.0.0.1"]], [["fe80::1%lo"]], [[]]])(
  "a name that leads to %j is not sent to",
  async (addresses) => {
    const shop = await receiver();
    const url = shop.url.replace("127.0.0.1", "shop.example.com");
    const { status, problem } = await post(url, { mayBePrivate: false, resolve: async () => addresses });
    expect(status).toBeNull();
    expect(problem).toMatch(/own network|no address/);
    expect(shop.received).toEqual([]);
  },
);

test("a name is looked up once: what it leads to afterwards does not matter", async () => {
  const shop = await receiver();
  const url = shop.url.replace("127.0.0.1", "shop.example.com");
  const answers = [["127.0.0.1"], ["127.0.0.2"]];
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return answers.shift() ?? [];
  };
  expect(await post(url, { mayBePrivate: true, resolve })).toMatchObject({ status: 200, answer: "ok" });
  expect(asked).toEqual(["shop.example.com"]);
  expect(shop.received[0]?.headers.host).toMatch(/^shop\.example\.com:/);
});

test("no proxy is asked, whatever the environment says", async () => {
  const proxy = await receiver();
  const shop = await receiver();
  const before = { ...process.env };
  onTestFinished(() => {
    process.env = before;
  });
  const place = proxy.url.replace("/hooks", "");
  process.env = { ...before, HTTP_PROXY: place, http_proxy: place, HTTPS_PROXY: place, NODE_USE_ENV_PROXY: "1" };
  expect(await post(shop.url)).toMatchObject({ status: 200 });
  expect(proxy.received).toEqual([]);
});

test("a redirect is not followed", async () => {
  const inside = await receiver();
  const shop = await receiver((response) => response.writeHead(307, { location: inside.url }).end());
  expect(await post(shop.url)).toMatchObject({ status: 307, problem: expect.stringContaining("not followed") });
  expect(inside.received).toEqual([]);
});

test("a port where nobody listens, a name that nobody has, and one that speaks no HTTP", async () => {
  const closed = await receiver();
  await closed.close();
  expect(await post(closed.url)).toMatchObject({ status: null, problem: "The connection was refused" });
  const resolve = async () => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }));
  expect(await post("http://nobody.example.com/", { ...patient, resolve })).toMatchObject({
    problem: "Its name was not found",
  });
  const odd = await speaker((socket) => socket.end("SSH-2.0-OpenSSH\r\n"));
  expect(await post(odd)).toMatchObject({ status: null, problem: "What it answered is not HTTP" });
  const silent = await speaker((socket) => socket.end());
  expect(await post(silent)).toMatchObject({ problem: "The connection was closed before an answer came" });
});

test("one that has no valid certificate is not sent to", async () => {
  const plain = await receiver();
  const { status, problem } = await post(plain.url.replace("http:", "https:"));
  expect(status).toBeNull();
  expect(problem).not.toBe("");
  expect(plain.received).toEqual([]);
});

test("a receiver that never answers, or sends the head letter by letter, is given up", async () => {
  const silent = await receiver(() => {});
  expect(await post(silent.url, hurried)).toMatchObject({ status: null, problem: "No whole answer within 1 seconds" });
  const trickling = await speaker((socket) => {
    const timer = setInterval(() => socket.write("H"), 50);
    socket.on("close", () => clearInterval(timer));
  });
  expect((await post(trickling, hurried)).status).toBeNull();
});

test("who is slow to look up or to connect to is given up", async () => {
  const sending = {
    ...hurried,
    limits: { connect: 100, total: 20_000 },
    resolve: () => new Promise<string[]>(() => {}),
  };
  expect(await post("http://slow.example.com/", sending)).toMatchObject({
    problem: "No connection within 0.1 seconds",
  });
});

test("a status of 2xx counts, whatever follows: an end too early, too late or never, or far too much", async () => {
  const early = await speaker((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"));
  expect(await post(early)).toMatchObject({ status: 200, answer: "short" });
  const more = await speaker((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nlong"));
  expect(await post(more)).toMatchObject({ status: 200, answer: "lo" });
  const endless = await receiver((response) => {
    response.write("still here");
  });
  expect(await post(endless.url, hurried)).toMatchObject({ status: 200, answer: "still here" });
  const trickling = await receiver((response) => {
    const timer = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(timer));
  });
  expect(await post(trickling.url, hurried)).toMatchObject({ status: 200 });
  const huge = await receiver((response) => {
    const piece = "x".repeat(16_384);
    const go = () => {
      while (response.write(piece));
      response.once("drain", go);
    };
    go();
  });
  const answered = await post(huge.url);
  expect(answered.status).toBe(200);
  expect(answered.answer).toBe("x".repeat(4_096));
});

test("an answer is kept as harmless text; what is compressed stays so", async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const packed = await receiver((response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
  const { status, answer } = await post(packed.url);
  expect(status).toBe(200);
  expect(answer.length).toBeLessThanOrEqual(4_096);
  expect(answer).not.toMatch(/[^\P{C}\n\t]/u);
  const odd = await receiver((response) => response.end("a\0b\u001b[31m\u202ec\r\nd\u2028"));
  expect((await post(odd.url)).answer).toBe("a\ufffdb\ufffd[31m\ufffdc\nd\ufffd");
  const latin = await receiver((response) =>
    response.setHeader("content-type", "text/plain; charset=iso-8859-1").end(Buffer.from([0x63, 0xe9])),
  );
  expect((await post(latin.url)).answer).toBe("cé");
  const unknown = await receiver((response) =>
    response.setHeader("content-type", "text/plain; charset=nonsense").end("fine"),
  );
  expect((await post(unknown.url)).answer).toBe("fine");
});

test("a receiver that switches protocols, or sends interim answers again and again, is given up at once", async () => {
  const switching = await speaker((socket) =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"),
  );
  expect(await post(switching)).toMatchObject({ status: null, problem: "It wants to speak something else than HTTP" });
  const announcing = await speaker((socket) => {
    const hints = "HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n".repeat(1_000);
    const go = () => {
      while (socket.write(hints));
      socket.once("drain", go);
    };
    go();
  });
  expect(await post(announcing)).toMatchObject({ status: null, problem: "It announces an answer again and again" });
  const polite = await speaker((socket) =>
    socket.end("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
  );
  expect(await post(polite)).toMatchObject({ status: 204 });
});

test("an answer with too long a head is none", async () => {
  const url = await speaker((socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`));
  expect(await post(url)).toMatchObject({ status: null, problem: "The head of its answer is too long" });
});
