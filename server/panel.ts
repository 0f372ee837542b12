import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import serveStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { refusal } from "./errors.ts";

const built = fileURLToPath(new URL("../web/dist", import.meta.url));

/** The panel's files, and its page for every address that is the panel's own. */
export async function servePanel(app: FastifyInstance, folder = built) {
  const hasPage = existsSync(`${folder}/index.html`);
  if (hasPage) {
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
    const wantsPage = /^(GET|HEAD)$/.test(request.method) && !/^\/(api|admin|assets)\//.test(request.url);
    if (hasPage && wantsPage) return reply.sendFile("index.html");
    throw refusal(404, `There is nothing at ${request.method} ${request.url.split("?", 1)[0]}`);
  });
}
