import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../dist", import.meta.url));
const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

type File = { type: string; etag: string; cache: string; plain: Buffer; br?: Buffer; gzip?: Buffer };

/** The built page, read once: a new build needs a restart. */
export function pageFiles(folder = built) {
  if (!existsSync(join(folder, "index.html"))) return undefined;
  const files = new Map<string, File>();
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = types[extname(path)];
    if (!type) continue;
    const read = (ending: string) =>
      existsSync(join(folder, path + ending)) ? readFileSync(join(folder, path + ending)) : undefined;
    const plain = readFileSync(join(folder, path));
    const [br, gzip] = [read(".br"), read(".gz")];
    files.set(`/${path.replaceAll("\\", "/")}`, {
      type,
      plain,
      ...(br && { br }),
      ...(gzip && { gzip }),
      etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 16)}"`,
      // Names below assets contain a hash of the content.
      cache: path.startsWith("assets") ? "public, max-age=31536000, immutable" : "no-cache",
    });
  }

  /** A file, or the page for every address that is the page's own. */
  return (path: string, request: IncomingMessage, response: ServerResponse): boolean => {
    const file = files.get(path) ?? (extname(path) === "" ? files.get("/index.html") : undefined);
    if (!file) return false;
    const accepted = String(request.headers["accept-encoding"] ?? "");
    const way = (["br", "gzip"] as const).find((name) => file[name] && accepted.includes(name));
    response.setHeader("etag", file.etag).setHeader("cache-control", file.cache).setHeader("vary", "accept-encoding");
    if (request.headers["if-none-match"] === file.etag) {
      response.writeHead(304).end();
      return true;
    }
    if (way) response.setHeader("content-encoding", way);
    const content = (way && file[way]) ?? file.plain;
    response.writeHead(200, { "content-type": file.type, "content-length": content.length });
    response.end(request.method === "HEAD" ? undefined : content);
    return true;
  };
}
