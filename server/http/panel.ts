import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import serveStatic from "@fastify/static";
import { refusal } from "@footprint/contract/refusal.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { serveText } from "./compression.ts";

const built = fileURLToPath(new URL("../../web/dist", import.meta.url));

/** The panel's files, and its page for every address that belongs to the panel. */
export async function servePanel(app: FastifyInstance, folder = built) {
  serveText(app, "/robots.txt", "text/plain; charset=utf-8", () => "User-agent: *\nDisallow: /\n");
  const hasPage = existsSync(`${folder}/index.html`);
  if (hasPage) {
    // What cannot be a file's name would be 403 instead of 404.
    app.addHook("onRequest", async (request, reply) => {
      if (request.routeOptions.url !== "/*") return;
      if (pathOf(request).length > 1_000) throw nothingAt(request);
      if (/\/\/|\\|%5c|%00/i.test(pathOf(request))) {
        reply.callNotFound();
        return reply;
      }
    });
    await app.register(serveStatic, {
      root: folder,
      // The build writes a .br and a .gz beside every file that shrinks; they have no addresses of their own.
      preCompressed: true,
      dotfiles: "ignore",
      allowedPath: (path) => !/\.(br|gz)$/.test(path),
      cacheControl: false,
      setHeaders(reply, path) {
        // Names below assets/ contain a hash of the content; everything else is checked again by its ETag.
        const forever = path.startsWith(`${folder}/assets/`);
        reply.header("cache-control", forever ? "public, max-age=31536000, immutable" : "no-cache");
        // Not by origin, as other answers do: browsers send one with imports, and would ask again for what they have.
        reply.header("vary", "accept-encoding");
      },
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const wantsPage = /^(GET|HEAD)$/.test(request.method) && isAddressOfPanel(pathOf(request));
    if (hasPage && wantsPage && request.method === "HEAD")
      return reply.type("text/html; charset=utf-8").header("cache-control", "no-cache").send();
    if (hasPage && wantsPage) return reply.sendFile("index.html");
    throw nothingAt(request);
  });
}

const pathOf = ({ url }: FastifyRequest) => url.split("?", 1)[0] ?? "";

const nothingAt = (request: FastifyRequest) => refusal(404, `There is nothing at ${request.method} ${pathOf(request)}`);

/** Names that look like files, or have a fixed meaning, are 404 instead of a screen. */
const isAddressOfPanel = (path: string) => !/^\/+(api|assets)(\/|$)|^\/+admin\/|^\/+\.|\.[a-z][a-z0-9]*$/i.test(path);
