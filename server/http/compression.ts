import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip, gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { whenTheThreadIsFree } from "./overload.ts";

/** Shorter replies fit into a packet as they are; those that hold a token or a key are among them. */
const minLength = 1024;
/** Longer ones are compressed beside the only thread, so that nobody waits for them. */
const maxLengthAtOnce = 64 * 1024;
const compress = promisify(gzip);
/** The lowest: a list of ten rows shrinks to a third for 0.2 ms, and more effort saves a tenth of that. */
const level = 1;

/**
 * Sends longer texts as gzip. Files pass as they are: they are streams, and have shrunk already. So do refusals:
 * what anybody can ask for is not worked on each time.
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

/** A long reply as it leaves, made in the caller's turn; a short one is compressed when it is sent. */
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
 * Serves a text that changes only with the program: made and compressed once, when somebody first asks for it, so that
 * no start waits for that. Who has it already is told so.
 */
export function serveText(app: FastifyInstance, path: string, type: string, make: () => string | Buffer) {
  let made: ReturnType<typeof packed> | undefined;
  app.get(path, async (request, reply) => {
    made ??= packed(make());
    const { hash, plain, compressed } = made;
    // Weak, since the compressed text has the same one.
    reply.header("cache-control", "no-cache").header("etag", `W/"${hash}"`);
    if (request.headers["if-none-match"]?.includes(`"${hash}"`)) return reply.code(304).send();
    // Anybody may ask for it, on as many connections as they like: they have one in each turn of the event loop.
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
