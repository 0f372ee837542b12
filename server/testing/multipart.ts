import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { type Endpoint, pathOf } from "@footprint/contract/endpoint.ts";
import { origin, tokenOf } from "./server.ts";

/** The first bytes of each kind of file, and a few more. */
export const pdf = Buffer.from("%PDF-1.7\n% a label\n");
export const png = Buffer.from("\x89PNG\r\n\x1a\n and pixels", "latin1");

export function formWith(fields: Record<string, string | Blob>, filename = "label.pdf"): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, filename);
  }
  return form;
}

export const boundary = "----footprint";

/** The headers of a handwritten part. */
export const partStart = (disposition: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
export const formEnd = `\r\n--${boundary}--\r\n`;

/** A request whose body the test writes itself, byte by byte if needed. */
export function openRequest(endpoint: Endpoint, id: string, headers: Record<string, string | number> = {}) {
  const request = httpRequest(origin + pathOf(endpoint, { id }), {
    method: endpoint.method,
    headers: {
      authorization: `Bearer ${tokenOf("admin")}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      ...headers,
    },
  });
  // A cut connection is a result here, not a failure.
  request.on("error", () => {});
  return request;
}

const gigabyte = 1024 ** 3;

/**
 * Sends a beginning and then filler, up to a gigabyte or until the server cuts the connection, whatever it answers
 * meanwhile.
 */
export async function pour(
  endpoint: Endpoint,
  id: string,
  start: string | Buffer,
  headers: Record<string, string> = {},
) {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  socket.on("error", () => {});
  const closed = new Promise((done) => socket.once("close", done));
  const all = {
    host: "localhost",
    authorization: `Bearer ${tokenOf("admin")}`,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${endpoint.method} ${pathOf(endpoint, { id })} HTTP/1.1\r\n${lines.join("")}\r\n`);
  const filler = Buffer.alloc(256 * 1024, "x");
  const framed = (data: Buffer) =>
    headers["content-length"]
      ? data
      : Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from("\r\n")]);
  if (start.length > 0) socket.write(framed(Buffer.from(start)));
  let written = 0;
  while (written < gigabyte && !socket.destroyed) {
    written += filler.length;
    if (!socket.write(framed(filler)))
      await Promise.race([new Promise((drained) => socket.once("drain", drained)), closed]);
  }
  socket.destroy();
  return { written, status: Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]), answer };
}

export async function answerOf(request: ClientRequest) {
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, body: JSON.parse(text) as { message: string } };
}
