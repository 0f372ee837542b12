import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { pathOf } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { orders } from "@footprint/contract/orders.ts";
import { website } from "@footprint/contract/website.ts";
import { sql } from "drizzle-orm";
import { beforeEach, expect, inject, test, vi } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { fileChunks, files } from "../db/schema.ts";
import { addFedexOrder } from "../testing/builders.ts";
import { answerOf, boundary, formEnd, formWith, openRequest, partStart, pdf, png, pour } from "../testing/multipart.ts";
import { call, db, logRows, origin, send, tokenOf } from "../testing/server.ts";

const megabyte = 1024 * 1024;
const chunked = { "transfer-encoding": "chunked" };
const stored = async () => [await db.$count(files), await db.$count(fileChunks)];
/** The default second is short for a busy machine. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, 10_000);
const hash = (data: Uint8Array) => createHash("sha256").update(data).digest("hex");

/** Sending and answering are the same on both engines; storing is tested on both. */
const onOneEngine = test.skipIf(inject("embeddedDump"));

let order: { id: string };
beforeEach(async () => {
  order = await addFedexOrder();
});

const upload = (content: Uint8Array<ArrayBuffer>, filename?: string) =>
  call("staff", fedex.update, { params: { id: order.id }, form: formWith({ file: new Blob([content]) }, filename) });
const download = () => send("staff", fedex.file, { params: { id: order.id } });

/** Sends a raw body and returns status and message. */
async function sendRaw(body: string | Buffer, headers: Record<string, string> = {}) {
  const request = openRequest(fedex.update, order.id, headers);
  const answer = answerOf(request);
  request.end(body);
  const { status, body: reply } = await answer;
  return [status, reply.message];
}

test("a file of many pieces comes back byte for byte", async () => {
  const content = Buffer.concat([pdf, randomBytes(10 * megabyte - pdf.length - 7)]);
  expect((await upload(content)).status).toBe(200);
  expect(await db.$count(fileChunks)).toBeGreaterThan(10);
  const answer = await download();
  expect(answer.headers.get("content-length")).toBe(String(content.length));
  expect(hash(await answer.bytes())).toBe(hash(content));
});

onOneEngine("a file of exactly the limit is taken, one byte more is 413", async () => {
  const most = Buffer.concat([pdf, Buffer.alloc(10 * megabyte - pdf.length)]);
  expect((await upload(most)).status).toBe(200);
  const kept = await stored();
  const { status, body } = await upload(Buffer.concat([most, Buffer.alloc(1)]));
  expect([status, body]).toEqual([413, { message: "A file has at most 10 MB" }]);
  expect(await stored()).toEqual(kept);
});

const startOfFile = Buffer.concat([Buffer.from(partStart('name="file"; filename="a.pdf"')), pdf]);

onOneEngine.for<[string, string | Buffer, Record<string, string>?]>([
  ["file", startOfFile],
  ["file that says so beforehand", startOfFile, { "content-length": String(2 * 1024 * megabyte) }],
  ["text field", partStart('name="note"')],
  ["part header", `--${boundary}\r\nX: `],
  ["part that is no field", `--${boundary}\r\nX: y\r\n\r\n`],
  ["preamble", ""],
  ["epilogue", partStart('name="note"') + formEnd],
])("an endless %s is refused without reading it to the end", async ([, start, length = chunked]) => {
  const { written, status, answer } = await pour(fedex.update, order.id, start, length);
  expect([status, answer]).toEqual([413, expect.stringContaining('{"message":"A file has at most 10 MB"}')]);
  expect(written).toBeLessThan(80 * megabyte);
  expect(await stored()).toEqual([0, 0]);
  expect(await logRows()).toEqual([]);
});

onOneEngine("a stranger's endless body is cut off too", async () => {
  const { written, status } = await pour(fedex.update, order.id, "", { ...chunked, authorization: "Bearer nobody" });
  expect(status).toBe(401);
  expect(written).toBeLessThan(80 * megabyte);
});

onOneEngine.for<[string, string]>([
  ["application/pdf", "%PDF-1.4\n"],
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff\xe0"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF\x10\0\0\0WEBPVP8 "],
])("a file is %s by its first bytes, whatever it is called", async ([type, start]) => {
  expect((await upload(Buffer.from(start, "latin1"), "page.html")).status).toBe(200);
  expect((await download()).headers.get("content-type")).toBe(type);
});

onOneEngine.for([
  "<html><script>alert(1)</script>",
  "<svg xmlns='http://www.w3.org/2000/svg'/>",
  "MZ\x90\0",
  " %PDF-1.4",
  "RIFF\x10\0\0\0WAVEfmt ",
  "%",
])("a file that begins with %j is 415, also when it is called label.pdf", async (start) => {
  const { status, body } = await upload(Buffer.from(start, "latin1"));
  expect([status, body]).toEqual([415, { message: "The file must be one of PDF, PNG, JPEG, WEBP, GIF" }]);
  expect(await stored()).toEqual([0, 0]);
});

onOneEngine("an empty file is 400; a file field left empty is no file", async () => {
  const { status, body } = await upload(Buffer.alloc(0));
  expect([status, body]).toEqual([400, { message: "The file is empty" }]);
  const unchosen = partStart('name="file"; filename=""') + formEnd;
  expect(await sendRaw(unchosen)).toEqual([200, "Order updated"]);
  expect(await sendRaw(`${partStart('name="note"')}hello\r\n${unchosen}`)).toEqual([200, "Order updated"]);
  expect(await stored()).toEqual([0, 0]);
});

onOneEngine("one file only, in the field that is meant for it", async () => {
  const two = formWith({ file: new Blob([pdf]) });
  two.append("file", new Blob([pdf]), "second.pdf");
  const twice = await call("staff", fedex.update, { params: { id: order.id }, form: two });
  expect([twice.status, twice.body]).toEqual([400, { message: "Send one file only" }]);
  const form = formWith({ picture: new Blob([pdf]) });
  const misplaced = await call("staff", fedex.update, { params: { id: order.id }, form });
  expect([misplaced.status, misplaced.body]).toEqual([400, { message: "Send the file as file" }]);
  expect(await stored()).toEqual([0, 0]);
});

const notAForm = "The form is not valid multipart data";
const wholeFile = Buffer.concat([startOfFile, randomBytes(megabyte)]);

test.for<[string, string | Buffer]>([
  ["in a file", wholeFile],
  ["after a file", Buffer.concat([wholeFile, Buffer.from(`\r\n--${boundary}`)])],
  ["in a later field", Buffer.concat([wholeFile, Buffer.from(`\r\n${partStart('name="note"')}hello`)])],
  ["in a header", `--${boundary}\r\nContent-Disp`],
  ["in a field", `${partStart('name="note"')}hello`],
  ["before it began", "nothing like a form"],
])("a form that ends %s is 400", async ([, body]) => {
  expect(await sendRaw(body)).toEqual([400, notAForm]);
  expect(await stored()).toEqual([0, 0]);
});

onOneEngine("a form without a boundary is 400, an empty one changes nothing", async () => {
  expect(await sendRaw(startOfFile, { "content-type": "multipart/form-data" })).toEqual([400, notAForm]);
  expect(await sendRaw("")).toEqual([200, "Order updated"]);
});

onOneEngine("a nameless file of bytes is a file", async () => {
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  expect(await sendRaw(Buffer.concat([Buffer.from(part), pdf, Buffer.from(formEnd)]))).toEqual([200, "Order updated"]);
  expect((await download()).headers.get("content-disposition")).toContain('filename="file.pdf"');
});

onOneEngine("too many fields, or one too long, is 413", async () => {
  const many = Array.from({ length: 21 }, (_, n) => `${partStart(`name="f${n}"`)}x\r\n`).join("");
  expect(await sendRaw(many + formEnd)).toEqual([413, "The form has too many fields"]);
  const long = `${partStart('name="note"')}${"x".repeat(17_000)}${formEnd}`;
  expect(await sendRaw(long)).toEqual([413, "note is too long"]);
  const noted = await sendRaw(`${partStart('name="note"')}${"x".repeat(2001)}${formEnd}`);
  expect(noted).toEqual([400, "note must have at most 2000 characters"]);
});

onOneEngine.for(["__proto__", "constructor", "toString"])("a field called %s does no harm", async (name) => {
  const [status] = await sendRaw(`${partStart(`name="${name}"`)}{"polluted":true}${formEnd}`);
  expect(status).toBe(400);
  const form = formWith({ [`x${name}`]: "x", note: "fine" });
  expect((await call("staff", fedex.update, { params: { id: order.id }, form })).status).toBe(200);
  const file = Buffer.concat([Buffer.from(partStart(`name="${name}"; filename="a.pdf"`)), pdf, Buffer.from(formEnd)]);
  expect((await sendRaw(file))[0]).toBe(400);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test("an upload that is broken off leaves nothing behind", async () => {
  const request = openRequest(fedex.update, order.id);
  request.write(wholeFile);
  await eventually(async () => expect(await db.$count(fileChunks)).toBeGreaterThan(1));
  request.destroy();
  await eventually(async () => expect(await stored()).toEqual([0, 0]));
  expect(await logRows()).toEqual([]);
});

test("a refused change keeps no file", async () => {
  const form = () => formWith({ file: new Blob([pdf]), status: "Lost" });
  expect((await call("staff", fedex.update, { params: { id: order.id }, form: form() })).status).toBe(400);
  const unknown = await call("staff", fedex.update, {
    params: { id: uuidv7() },
    form: formWith({ file: new Blob([pdf]) }),
  });
  expect(unknown.status).toBe(404);
  const forbidden = await call("staff", website.updateCashapp, { form: formWith({ image: new Blob([png]) }) });
  expect(forbidden.status).toBe(403);
  expect(await stored()).toEqual([0, 0]);
});

test("while one sender pauses in the middle of an upload, everybody else is answered", async () => {
  const request = openRequest(fedex.update, order.id);
  const answer = answerOf(request);
  request.write(wholeFile);
  await eventually(async () => expect(await db.$count(fileChunks)).toBeGreaterThan(1));
  expect((await call("staff", fedex.list)).body.docs[0]?.file).toBe(null);
  const meanwhile = await call("staff", fedex.update, { params: { id: order.id }, body: { note: "meanwhile" } });
  expect(meanwhile.status).toBe(200);
  request.end(formEnd);
  expect((await answer).status).toBe(200);
  expect((await (await download()).bytes()).length).toBe(pdf.length + megabyte);
});

test("two uploads to one order at once: one file stays", async () => {
  const answers = await Promise.all([upload(pdf, "one.pdf"), upload(pdf, "two.pdf"), upload(pdf, "three.pdf")]);
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  expect(await stored()).toEqual([1, 1]);
});

onOneEngine.for<[string, string, string]>([
  ["label.pdf", 'filename="label.pdf"', "label.pdf"],
  ["evil.html", 'filename="evil.pdf"', "evil.pdf"],
  ["Label.PDF", 'filename="Label.PDF"', "Label.PDF"],
  ["label.pdf.exe", 'filename="label.pdf.pdf"', "label.pdf.pdf"],
  ["photo.png", 'filename="photo.pdf"', "photo.pdf"],
  ["parcel 12.5", 'filename="parcel 12.5.pdf"', "parcel 12.5.pdf"],
  ["../../etc/passwd", 'filename="passwd.pdf"', "passwd.pdf"],
  ["C:\\fakepath\\label.pdf", 'filename="label.pdf"', "label.pdf"],
  ['a"; filename=evil.exe; x="', 'filename="a_22; filename=evil.exe; x=_22.pdf"', "a%22; filename=evil.exe; x=%22.pdf"],
  ["Größe 箱 🚚.pdf", 'filename="Gr__e _ __.pdf"', "Größe 箱 🚚.pdf"],
  ["it's (50%) *.pdf", 'filename="it\'s (50_) _.pdf"', "it's (50%) _.pdf"],
  ["invoice\u202Efdp.exe", 'filename="invoice_fdp.pdf"', "invoice_fdp.pdf"],
  ["a\r\nSet-Cookie: x=1", "filename=", "a%0D%0ASet-Cookie_ x=1.pdf"],
  [".htaccess", 'filename="htaccess.pdf"', "htaccess.pdf"],
  ["..", 'filename="file.pdf"', "file.pdf"],
  [`x${"🚚".repeat(300)}.pdf`, 'filename="', `${"🚚".repeat(116)}.pdf`],
])("a file called %j is harmless to download", async ([name, ascii, whole]) => {
  expect((await upload(pdf, name)).status).toBe(200);
  const { status, headers } = await download();
  expect(status).toBe(200);
  const disposition = headers.get("content-disposition") ?? "";
  expect(disposition).toMatch(/^attachment; filename="[^"\\\r\n]*"; filename\*=UTF-8''[\w!#$&+\-.^`|~%]+$/);
  expect(disposition).toContain(ascii);
  expect(decodeURIComponent(disposition.replace(/^.*''/, ""))).toBe(whole);
  expect(headers.get("set-cookie")).toBe(null);
  expect((await call("staff", fedex.list)).body.docs[0]?.file?.name).toBe(whole);
});

onOneEngine("a picture keeps an ending of its own type", async () => {
  const photo = Buffer.from("\xff\xd8\xff\xe0", "latin1");
  for (const name of ["photo.jpeg", "photo.jpg"]) {
    await upload(photo, name);
    expect((await download()).headers.get("content-disposition")).toContain(`filename="${name}"`);
  }
});

onOneEngine("a file that was stored with any name is downloaded with its type's ending", async () => {
  await upload(pdf, "label.pdf");
  await db.update(files).set({ name: "evil.html" });
  expect((await download()).headers.get("content-disposition")).toContain('filename="evil.pdf"; filename*=');
});

onOneEngine("quotes that a client escapes its own way are harmless too", async () => {
  const start = partStart('name="file"; filename="a\\"; x=\\"b.pdf"');
  expect((await sendRaw(Buffer.concat([Buffer.from(start), pdf, Buffer.from(formEnd)])))[0]).toBe(200);
  expect((await download()).headers.get("content-disposition")).toContain('filename="a_; x=_b.pdf";');
});

onOneEngine("a download is neither run, guessed at, nor kept", async () => {
  await upload(pdf);
  const { headers } = await download();
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
  expect(headers.get("cache-control")).toBe("private, no-store");
});

test("a file that lost a piece breaks off instead of seeming whole", async () => {
  await upload(Buffer.concat([pdf, randomBytes(megabyte)]));
  await db.delete(fileChunks).where(sql`${fileChunks.position} = 2`);
  await expect(download().then((answer) => answer.bytes())).rejects.toThrow();
});

test("a file whose first piece cannot be read is a failure like any other", async () => {
  await upload(pdf);
  await db.delete(fileChunks);
  const answer = await download();
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { message: expect.stringContaining("Something went wrong on our side") },
  ]);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toBe(null);
});

onOneEngine("a file is not read for a HEAD request, which calls do not answer", async () => {
  await upload(pdf);
  const headers = { authorization: `Bearer ${tokenOf("staff")}` };
  const answer = await fetch(origin + pathOf(fedex.file, { id: order.id }), { method: "HEAD", headers });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
});

onOneEngine.for([
  { "content-encoding": "gzip" },
  { "content-encoding": "br, identity" },
  { "transfer-encoding": "gzip, chunked" },
])("what says that it is compressed is refused: %o", async (headers) => {
  const json = { authorization: `Bearer ${tokenOf("staff")}`, "content-type": "application/json", ...headers };
  const sent = request(origin + pathOf(orders.refund, { id: uuidv7() }), { method: "PUT", headers: json });
  sent.end("{}");
  const [answer] = await once(sent, "response");
  expect([answer.statusCode, JSON.parse(await text(answer))]).toEqual([
    415,
    { message: "Send the request without compression" },
  ]);
});

onOneEngine("a call that takes no file refuses a form", async () => {
  const { status, body } = await call("staff", orders.refund, {
    params: { id: uuidv7() },
    form: formWith({ file: new Blob([pdf]) }),
  });
  expect([status, body]).toEqual([415, { message: "Send the request as application/json" }]);
});
