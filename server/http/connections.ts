import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { Socket } from "node:net";

type Options = {
  http?: ServerOptions;
  keepAliveTimeout?: number;
  requestTimeout?: number;
  connectionTimeout?: number;
};

/** Node's server as the framework would make it, but for what happens to requests that are sent ahead. */
export function answerOneByOne(answer: RequestListener, options: Options): Server {
  const server = createServer(options.http ?? {}, oneByOne(answer));
  server.keepAliveTimeout = options.keepAliveTimeout ?? server.keepAliveTimeout;
  server.requestTimeout = options.requestTimeout ?? server.requestTimeout;
  return server.setTimeout(options.connectionTimeout ?? 0);
}

/** So many pieces of a body, of so few bytes each, are sent by nobody but to keep the server busy with them. */
const crumbs = { pieces: 250, bytes: 512 };

/** Each piece costs the same, whatever its size: a megabyte in single bytes would take as long as hundreds do. */
function refuseCrumbs(request: IncomingMessage) {
  let pieces = 0;
  let bytes = 0;
  const push = request.push.bind(request);
  request.push = (piece, encoding) => {
    pieces++;
    bytes += piece?.length ?? 0;
    if (pieces > crumbs.pieces && bytes < pieces * crumbs.bytes) request.destroy();
    return push(piece, encoding);
  };
}

/**
 * Node takes one new connection in each turn of the event loop. So that nobody waits long for theirs, a turn stays
 * short: so many requests are begun in it, and addresses take turns, however many connections each has.
 */
const mostInATurn = 4;

function byTurns(): (address: string, begin: () => void) => void {
  const waiting = new Map<string, (() => void)[]>();
  let begun = 0;
  const nextTurn = () => {
    begun = 0;
    for (const [address, own] of waiting) {
      if (begun === mostInATurn) break;
      const begin = own.shift();
      // Behind all the others.
      waiting.delete(address);
      if (own.length > 0) waiting.set(address, own);
      begun++;
      begin?.();
    }
    if (begun > 0) setImmediate(nextTurn);
  };
  return (address, begin) => {
    if (begun === 0) setImmediate(nextTurn);
    if (begun < mostInATurn && waiting.size === 0) {
      begun++;
      return begin();
    }
    const own = waiting.get(address);
    if (own) own.push(begin);
    else waiting.set(address, [begin]);
  };
}

/** Beyond so many that wait on one connection it is cut: no browser sends ahead, and hardly any program. */
const mostAhead = 64;

/**
 * Node hands out all the requests that have arrived on a connection, and keeps their answers until the first is taken.
 * Here the next one is begun when the answer before it has left: a connection has one answer at a time in memory.
 */
function oneByOne(answer: RequestListener): RequestListener {
  const ahead = new WeakMap<Socket, (() => void)[]>();
  const inItsTurn = byTurns();
  return (request, response) => {
    const { socket } = request;
    // What was read with the request that was one too many is parsed all the same.
    if (socket.destroyed) return;
    refuseCrumbs(request);
    // Whatever takes part in an answer listens for its end; where that is a file's, these are more than ten.
    response.setMaxListeners(30);
    // Nobody means to send a body with these: once they are answered, nobody reads on.
    if (request.method === "GET" || request.method === "HEAD")
      response.once("finish", () => request.complete || socket.destroySoon());
    const from = socket.remoteAddress ?? "";
    const begin = () => {
      // Gone while it waited.
      if (socket.destroyed) return;
      response.once("close", () => {
        const next = socket.destroyed ? undefined : ahead.get(socket)?.shift();
        // All other connections have their turn in between.
        if (next) setImmediate(inItsTurn, from, next);
        else ahead.delete(socket);
      });
      answer(request, response);
    };
    const waiting = ahead.get(socket);
    if (!waiting) {
      ahead.set(socket, []);
      inItsTurn(from, begin);
    } else if (waiting.push(begin) > mostAhead) socket.destroy();
  };
}
