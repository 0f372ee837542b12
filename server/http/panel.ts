import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import serveStatic from "@fastify/static";
import { refusal } from "@footprint/contract/refusal.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { serveText } from "./compression.ts";

const built = fileURLToPath(new URL("../../web/dist", import.meta.url));

/** The panel's files, and its page for every address that is the panel's own. */
export async function servePanel(app: FastifyInstance, folder = built) {
  serveText(app, "/robots.txt", "text/plain; charset=utf-8", () => "User-agent: *\nDisallow: /\n");
  const hasPage = existsSync(`${folder}/index.html`);
  if (hasPage) {
    // What is too long for the name of a file would be forbidden instead of not found.
    app.addHook("onRequest", async (request) => {
      if (request.routeOptions.url === "/*" && request.url.length > 1_000) throw nothingAt(request);
    });
    await app.register(serveStatic, {
      root: folder,
      // The build left a .br and a .gz beside whatever shrinks; they have no addresses of their own.
      preCompressed: true,
      dotfiles: "ignore",
      allowedPath: (path) => !/\.(br|gz)$/.test(path),
      cacheControl: false,
      setHeaders(reply, path) {
        // Below assets/ a name holds its content's hash; everything else is asked for again, by its ETag.
        const forever = path.startsWith(`${folder}/assets/`);
        reply.header("cache-control", forever ? "public, max-age=31536000, immutable" : "no-cache");
      },
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const [path = ""] = request.url.split("?", 1);
    const wantsPage = /^(GET|HEAD)$/.test(request.method) && isAddressOfPanel(path);
    if (hasPage && wantsPage && request.method === "HEAD")
      return reply.type("text/html; charset=utf-8").header("cache-control", "no-cache").send();
    if (hasPage && wantsPage) return reply.sendFile("index.html");
    throw nothingAt(request);
  });
}

const nothingAt = ({ method, url }: FastifyRequest) =>
  refusal(404, `There is nothing at ${method} ${url.split("?", 1)[0]}`);

/** What is called like a file, or has a fixed meaning elsewhere, is not found rather than taken for a screen. */
const isAddressOfPanel = (path: string) => !/^\/(api|assets)(\/|$)|^\/admin\/|^\/\.|\.[a-z][a-z0-9]*$/i.test(path);
