import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip, gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { whenTheThreadIsFree } from "./overload.ts";

/** Shorter replies fit into one packet; those that hold a token or key are among them. */
const minLength = 1024;
/** Longer replies are compressed off the main thread, so that nobody waits for them. */
const maxLengthAtOnce = 64 * 1024;
const compress = promisify(gzip);
/**
 * The lowest level: a list of ten rows shrinks to a third in 0.2 ms, and more effort would save only a tenth of that.
 */
const level = 1;

/**
 * Sends longer texts as gzip. Files are streams that are already compressed, so they pass unchanged. Refusals are not
 * compressed either, so that strangers cannot make the server work.
 */
export function compressReplies(app: FastifyInstance) {
  app.addHook("onSend", async (request, reply, payload) => {
    const isText = typeof payload === "string";
    if (payload && !isText) return payload;
    varyByEncoding(reply);
    if (!isText || payload.length < minLength || payload.length > maxLengthAtOnce) return payload;
    if (reply.statusCode >= 400 || !acceptsGzip(request)) return payload;
    reply.header("content-encoding", "gzip");
    return gzipSync(payload, { level });
  });
}

/** Compresses a long reply in the caller's turn; a short one is compressed when it is sent. */
export async function compressLong(request: FastifyRequest, reply: FastifyReply, text: string) {
  if (text.length <= maxLengthAtOnce || !acceptsGzip(request)) return text;
  const compressed = await compress(text, { level });
  varyByEncoding(reply.header("content-encoding", "gzip"));
  return compressed;
}

function varyByEncoding(reply: FastifyReply) {
  reply.header("vary", [reply.getHeader("vary") ?? [], "accept-encoding"].flat().join(", "));
}

const acceptsGzip = ({ headers }: FastifyRequest) =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(headers["accept-encoding"] ?? ""));

/**
 * Serves a text that changes only with the program. It is made and compressed when first asked for, so that no start
 * waits for it. Browsers that have it already get 304.
 */
export function serveText(app: FastifyInstance, path: string, type: string, make: () => string | Buffer) {
  let made: ReturnType<typeof packed> | undefined;
  app.get(path, async (request, reply) => {
    made ??= packed(make());
    const { hash, plain, compressed } = made;
    // Weak, since the compressed text has the same ETag.
    reply.header("cache-control", "no-cache").header("etag", `W/"${hash}"`);
    if (request.headers["if-none-match"]?.includes(`"${hash}"`)) return reply.code(304).send();
    // Anybody may ask for this on any number of connections, so only one is sent in each turn of the event loop.
    await whenTheThreadIsFree(undefined, request, reply, () => {});
    varyByEncoding(reply.type(type));
    if (!acceptsGzip(request)) return reply.send(plain);
    return reply.header("content-encoding", "gzip").send(compressed);
  });
}

function packed(text: string | Buffer) {
  const plain = Buffer.from(text);
  return { hash: createHash("sha256").update(text).digest("base64url"), plain, compressed: gzipSync(plain) };
}
