import type { IncomingMessage, ServerResponse } from "node:http";
import { isRefusal, refusal } from "./refusal.ts";

/** A bulk purchase of 500 labels is the largest body. */
const mostBytes = 1024 * 1024;

const headers = {
  "content-security-policy":
    "default-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

export function setSecurityHeaders(response: ServerResponse) {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/**
 * Changes must come from one of this shop's pages: browsers send the origin, and no other site's form can send JSON.
 */
export function refuseForeign({ method, headers: sent }: IncomingMessage) {
  if (method === "GET" || method === "HEAD") return;
  const isOwn = sent.origin === undefined || URL.parse(sent.origin)?.host === sent.host;
  const site = sent["sec-fetch-site"];
  if (!isOwn || (site !== undefined && site !== "same-origin"))
    throw refusal(403, "failed", "This was not sent by a page of this shop");
  if (!/^application\/json\s*(;|$)/i.test(sent["content-type"] ?? "")) throw refusal(415, "failed", "Send JSON");
}

/** Refuses host names that others have pointed at this server. */
export function refuseStrangeHost({ headers: sent, socket }: IncomingMessage) {
  const isLoopback = /^(::1|(::ffff:)?127\.)/.test(socket.localAddress ?? "");
  const name = URL.parse(`http://${sent.host}`)?.hostname ?? "";
  if (isLoopback && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(name))
    throw refusal(421, "failed", "Open the shop as localhost");
}

export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw refusal(413, "input", "That is more than the shop takes at once");
    chunks.push(chunk);
  }
  if (size === 0) return {};
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw refusal(400, "input", "Send a JSON object");
}

export function cookieOf({ headers: sent }: IncomingMessage, name: string): string | undefined {
  for (const part of (sent.cookie ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name) return value;
  }
  return undefined;
}

export function sendJson(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

export function sendRefusal(response: ServerResponse, error: unknown) {
  const told = isRefusal(error) ? error : refusal(500, "failed", "Something went wrong in the shop. Try again.");
  if (!isRefusal(error)) console.error(error);
  if (response.headersSent) return void response.destroy();
  const { status, code, message, issues, retryAfter, price, mayBeDone } = told;
  if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
  // The unread rest would be taken for the next request.
  if (status === 413) response.setHeader("connection", "close");
  sendJson(response, status, { code, message, issues, retryAfter, price, mayBeDone });
}
