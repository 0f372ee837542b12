import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";

/** Shorter replies fit into a packet as they are; those that hold a token or a key are among them. */
const minLength = 1024;

/**
 * Sends longer texts as gzip. The lowest level: a list of ten rows shrinks to a third for 0.2 ms, and more effort
 * saves a tenth of that. Files pass as they are: they are streams, and have shrunk already.
 */
export function compressReplies(app: FastifyInstance) {
  app.addHook("onSend", async (request, reply, payload) => {
    const isText = typeof payload === "string";
    if (payload && !isText) return payload;
    reply.header("vary", [reply.getHeader("vary") ?? [], "accept-encoding"].flat().join(", "));
    if (!isText || payload.length < minLength || !acceptsGzip(request.headers["accept-encoding"])) return payload;
    reply.header("content-encoding", "gzip");
    return gzipSync(payload, { level: 1 });
  });
}

const acceptsGzip = (accepted = "") => /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted);

/** Serves a text that changes only with the program: who has it already is told so. */
export function serveText(app: FastifyInstance, path: string, type: string, text: string) {
  const hash = createHash("sha256").update(text).digest("base64url");
  app.get(path, (request, reply) => {
    // Weak, since the compressed text has the same one.
    reply.header("cache-control", "no-cache").header("etag", `W/"${hash}"`);
    if (request.headers["if-none-match"]?.includes(`"${hash}"`)) return reply.code(304).send();
    return reply.type(type).send(text);
  });
}
