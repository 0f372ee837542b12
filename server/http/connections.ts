import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { Socket } from "node:net";
import { isPlaceOfWork, networkOfCaller } from "./overload.ts";

type Options = {
  http?: ServerOptions;
  keepAliveTimeout?: number;
  requestTimeout?: number;
  connectionTimeout?: number;
};

/** Where a request comes from. */
type AddressOf = (request: IncomingMessage) => string;

/** The server that Fastify would make, except for when it begins requests. */
export const answerOneByOne =
  (addressOf: AddressOf) =>
  (answer: RequestListener, options: Options): Server => {
    const turns = byTurns();
    const server = createServer(options.http ?? {}, oneByOne(answer, turns, addressOf));
    server.on("connection", turns.noteConnection);
    server.keepAliveTimeout = options.keepAliveTimeout ?? server.keepAliveTimeout;
    server.requestTimeout = options.requestTimeout ?? server.requestTimeout;
    return server.setTimeout(options.connectionTimeout ?? 0);
  };

/** A body in this many pieces of this few bytes is sent only to keep the server busy. */
const tinyPieces = { pieces: 250, bytes: 512 };
/** The most that a stranger may send. Of longer bodies the beginning is enough to refuse them. */
const mostOfStrangers = 16 * 1024;

/**
 * Tells when a request is complete. Each piece of a body costs the same, whatever its size, so a megabyte in single
 * bytes would cost as much as hundreds of megabytes, and is refused. A stranger's request is begun only when complete:
 * if thousands were begun and their senders all hung up, everybody would wait while each of them is ended. A caller
 * with a token is looked up by the head, and may send more.
 */
function whenWhole(request: IncomingMessage, begin: () => void) {
  const { method, headers } = request;
  let pieces = 0;
  let bytes = 0;
  let isBegun = headers.authorization !== undefined || method === "GET" || method === "HEAD";
  const push = request.push.bind(request);
  request.push = (piece, encoding) => {
    pieces++;
    bytes += piece?.length ?? 0;
    if (pieces > tinyPieces.pieces && bytes < pieces * tinyPieces.bytes) request.destroy();
    const goesOn = push(piece, encoding);
    if (!isBegun && (piece === null || bytes > mostOfStrangers)) {
      isBegun = true;
      begin();
    }
    return goesOn;
  };
  if (isBegun) begin();
}

/**
 * Node accepts one connection in each turn of the event loop. So turns are kept short, and nobody waits long to
 * connect: a turn begins only so many requests, and networks take turns, however many connections each has.
 */
const mostInATurn = 4;
/** While new connections come in, no request is begun, for at most so many turns. */
const mostTurnsWithout = { atWork: 5, strangers: 50 };

type Waiting = { isGone: () => boolean; begin: () => void };

/** Networks where people are signed in come first; everybody else gets the rest of a turn, at least one place. */
function byTurns() {
  const atWork = ringOf(mostTurnsWithout.atWork);
  const strangers = ringOf(mostTurnsWithout.strangers);
  let isPlanned = false;
  let hasAccepted = false;
  const nextTurn = () => {
    const begun = atWork.begin(mostInATurn - (strangers.isEmpty() ? 0 : 1), hasAccepted);
    strangers.begin(mostInATurn - begun, hasAccepted);
    hasAccepted = false;
    isPlanned = !atWork.isEmpty() || !strangers.isEmpty();
    if (isPlanned) setImmediate(nextTurn);
  };
  const wait = (network: string, request: Waiting) => {
    (isPlaceOfWork(network) ? atWork : strangers).add(network, request);
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(nextTurn);
  };
  return {
    noteConnection() {
      hasAccepted = true;
    },
    /** Not in the turn that read the request: a caller who hung up right after it is noticed in the next turn. */
    begin: (network: string, request: Waiting) => void setImmediate(wait, network, request),
  };
}

function ringOf(mostTurnsWithout: number) {
  const waiting = new Map<string, Waiting[]>();
  let turnsWithout = 0;
  return {
    isEmpty: () => waiting.size === 0,
    add(network: string, request: Waiting) {
      const own = waiting.get(network);
      if (own) own.push(request);
      else waiting.set(network, [request]);
    },
    /** Begins at most one request per network, up to `most`; returns how many. */
    begin(most: number, hasAccepted: boolean): number {
      const isDue = !hasAccepted || turnsWithout === mostTurnsWithout;
      turnsWithout = isDue ? 0 : turnsWithout + 1;
      let begun = 0;
      let left = isDue ? waiting.size : 0;
      for (const [network, own] of waiting) {
        if (left-- === 0 || begun === most) break;
        const next = firstStillThere(own);
        // Moves the network behind all others.
        waiting.delete(network);
        if (own.length > 0) waiting.set(network, own);
        if (!next) continue;
        begun++;
        next.begin();
      }
      return begun;
    },
  };
}

/** Callers who are gone take nobody's turn. */
function firstStillThere(requests: Waiting[]): Waiting | undefined {
  const place = requests.findIndex((request) => !request.isGone());
  return requests.splice(0, place < 0 ? requests.length : place + 1)[place];
}

/** A connection with more waiting requests is cut: browsers do not pipeline, and hardly any program does. */
const mostAhead = 16;

/**
 * Node hands out all requests that have arrived on a connection, and keeps their answers until the first is read. Here
 * the next one begins only when the previous answer has left, so a connection has one answer at a time in memory.
 */
function oneByOne(answer: RequestListener, turns: ReturnType<typeof byTurns>, addressOf: AddressOf): RequestListener {
  const ahead = new WeakMap<Socket, Turn[]>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    // Everything that takes part in an answer listens for its end; for files that is more than ten listeners.
    response.setMaxListeners(30);
    // These requests have no body on purpose, and nobody reads on once they are answered.
    if (request.method === "GET" || request.method === "HEAD")
      response.once("finish", () => request.complete || socket.destroySoon());
    const network = networkOfCaller(addressOf(request));
    const begin = () => {
      response.once("close", () => {
        const next = socket.destroyed ? undefined : ahead.get(socket)?.shift();
        // All other connections have a turn in between.
        if (next) turns.begin(next.network, next);
        else ahead.delete(socket);
      });
      answer(request, response);
    };
    const turn = { network, isGone: () => socket.destroyed, begin };
    whenWhole(request, () => {
      const waiting = ahead.get(socket);
      if (!waiting) {
        ahead.set(socket, []);
        turns.begin(network, turn);
      } else if (waiting.push(turn) > mostAhead) cut(socket);
    });
  };
}

type Turn = Waiting & { network: string };

/** Tells Node's parser that the following bytes are not HTTP. */
const otherProtocol = 2;

/**
 * Even after a connection is destroyed, Node makes requests of everything it had read, which can be thousands. There is
 * no public way to stop it; if this internal one disappears, such connections are only slow.
 */
function cut(socket: Socket & { parser?: { onIncoming: () => number } | null }) {
  const { parser } = socket;
  socket.destroy();
  if (parser) parser.onIncoming = () => otherProtocol;
}
