import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { accountsIn, sessionsIn } from "./server/accounts.ts";
import { calls, openCalls, type Shop } from "./server/calls.ts";
import { readConfig, StartError } from "./server/config.ts";
import { pageFiles } from "./server/files.ts";
import { connect } from "./server/footprint.ts";
import {
  readBody,
  refuseForeign,
  refuseStrangeHost,
  sendJson,
  sendRefusal,
  setSecurityHeaders,
} from "./server/http.ts";
import { startLive } from "./server/live.ts";
import { refusal } from "./server/refusal.ts";
import { signingIn, whoAsks } from "./server/signing-in.ts";
import { openStorage } from "./server/storage.ts";

// Whatever the shop writes can be read by its own account only.
process.umask(0o077);

type Found = { name: string; params: Record<string, string> };

/** The call that a method and path name, with the path's parameters. */
function find(names: string[], method: string, path: string): Found | undefined {
  const asked = `${method} ${path}`.split("/");
  for (const name of names) {
    const parts = name.split("/");
    if (parts.length !== asked.length) continue;
    const params: Record<string, string> = {};
    const fits = parts.every((part, index) => {
      const value = asked[index] ?? "";
      if (!part.startsWith(":")) return part === value;
      params[part.slice(1)] = value;
      return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
    });
    if (fits) return { name, params };
  }
  return undefined;
}

async function answer(shop: Shop, request: IncomingMessage, response: ServerResponse, url: URL) {
  const method = request.method ?? "GET";
  refuseForeign(request);
  const discordId = whoAsks(shop, request);
  const found = (table: object) => find(Object.keys(table), method, url.pathname);

  const body = method === "GET" ? {} : await readBody(request);
  const visit = { shop, query: url.searchParams, body, request, response };

  const signing = found(signingIn);
  if (signing) return signingIn[signing.name as keyof typeof signingIn](visit);
  const open = found(openCalls);
  if (open) return openCalls[open.name as keyof typeof openCalls]({ ...visit, discordId, params: open.params });

  if (!discordId) throw refusal(401, "signed-out", "Sign in first.");
  if (method === "GET" && url.pathname === "/api/live") return void shop.live.open(discordId, response);
  const call = found(calls);
  if (!call) throw refusal(404, "missing", `There is nothing at ${method} ${url.pathname}`);
  return calls[call.name as keyof typeof calls]({ ...visit, discordId, params: call.params });
}

async function start() {
  const config = readConfig(process.env);
  const serveFile = pageFiles();
  if (!serveFile) throw new StartError("The shop's page is not built: start it with `npm run shop`.");
  const storage = openStorage(config.dataDir);
  const connection = connect(config);
  const shop: Shop = {
    connection,
    storage,
    accounts: accountsIn(storage),
    sessions: sessionsIn(storage),
    live: startLive(connection, storage),
  };

  const server = createServer(async (request, response) => {
    setSecurityHeaders(response);
    try {
      refuseStrangeHost(request);
      const url = URL.parse(request.url ?? "/", "http://shop");
      if (!url) throw refusal(400, "input", "This is no address");
      if (!/^\/api(\/|$)/.test(url.pathname)) {
        const isReading = request.method === "GET" || request.method === "HEAD";
        if (isReading && serveFile(url.pathname, request, response)) return;
        throw refusal(404, "missing", `There is nothing at ${request.method} ${url.pathname}`);
      }
      const body = await answer(shop, request, response, url);
      // Files and streams have already been answered.
      if (body !== undefined) sendJson(response, 200, body);
    } catch (error) {
      sendRefusal(response, error);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(config.port, config.host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new StartError(`Port ${config.port} is taken: stop what uses it, or set SHOP_PORT to another one.`);
  });
  await connection.start();

  const { port } = server.address() as { port: number };
  console.log(`The shop is ready at http://${port === 7500 ? "localhost" : "127.0.0.1"}:${port}`);
  const says = {
    ready: `It sells with the Footprint at ${config.url}.`,
    unreachable: `There is no Footprint at ${config.url} yet: start one with \`npm start\`. The shop goes on by itself.`,
    "no-key": `It has no API key: set FOOTPRINT_KEY, or start Footprint with its demo business, which writes ${config.demoFile}.`,
    "key-refused": `The Footprint at ${config.url} does not accept the shop's API key.`,
  };
  const say = () => console.log(says[connection.standing]);
  say();
  connection.onChange(say);

  let stopping = false;
  const stop = async () => {
    // A second signal does not wait.
    if (stopping) process.exit(1);
    stopping = true;
    connection.stop();
    await shop.live.stop();
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeIdleConnections();
    });
    storage.close();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}

start().catch((error) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
});
