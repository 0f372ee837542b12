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

/** Node's server as the framework would make it, but for when requests are begun. */
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

/** So many pieces of a body, of so few bytes each, are sent by nobody but to keep the server busy with them. */
const crumbs = { pieces: 250, bytes: 512 };
/** What a stranger may send. Of more, the beginning is enough to refuse it. */
const mostOfStrangers = 16 * 1024;

/**
 * Tells when a request is whole. Each piece of a body costs the same, whatever its size: a megabyte in single bytes would
 * take as long as hundreds do, and is refused.
 *
 * A stranger's request is not begun before: thousands that were, and whose senders all hang up, end at the same moment,
 * and everybody waits while that is told to each. Whoever brings a token is looked up by the head, and may send more.
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
    if (pieces > crumbs.pieces && bytes < pieces * crumbs.bytes) request.destroy();
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
 * Node takes one new connection in each turn of the event loop. So that nobody waits long for theirs, a turn stays
 * short: so many requests are begun in it, and networks take turns, however many connections each has.
 */
const mostInATurn = 4;
/** While connections come in, no request is begun, for so many turns at most. */
const mostTurnsWithout = { atWork: 5, strangers: 50 };

type Waiting = { isGone: () => boolean; begin: () => void };

/** Those where people are signed in come first; what is left of a turn, one place at least, is for everybody else. */
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
    /** Not in the turn that has read the request: who hung up right behind it is seen to be gone in the next. */
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
    /** One request of each network, and not of more than so many; answers how many. */
    begin(most: number, hasAccepted: boolean): number {
      const isDue = !hasAccepted || turnsWithout === mostTurnsWithout;
      turnsWithout = isDue ? 0 : turnsWithout + 1;
      let begun = 0;
      let left = isDue ? waiting.size : 0;
      for (const [network, own] of waiting) {
        if (left-- === 0 || begun === most) break;
        const next = firstStillThere(own);
        // Behind all the others.
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

/** Those who are gone take nobody's turn. */
function firstStillThere(requests: Waiting[]): Waiting | undefined {
  const place = requests.findIndex((request) => !request.isGone());
  return requests.splice(0, place < 0 ? requests.length : place + 1)[place];
}

/** Beyond so many that wait on one connection it is cut: no browser sends ahead, and hardly any program. */
const mostAhead = 16;

/**
 * Node hands out all the requests that have arrived on a connection, and keeps their answers until the first is taken.
 * Here the next one is begun when the answer before it has left: a connection has one answer at a time in memory.
 */
function oneByOne(answer: RequestListener, turns: ReturnType<typeof byTurns>, addressOf: AddressOf): RequestListener {
  const ahead = new WeakMap<Socket, Turn[]>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    // Whatever takes part in an answer listens for its end; where that is a file's, these are more than ten.
    response.setMaxListeners(30);
    // Nobody means to send a body with these: once they are answered, nobody reads on.
    if (request.method === "GET" || request.method === "HEAD")
      response.once("finish", () => request.complete || socket.destroySoon());
    const network = networkOfCaller(addressOf(request));
    const begin = () => {
      response.once("close", () => {
        const next = socket.destroyed ? undefined : ahead.get(socket)?.shift();
        // All other connections have their turn in between.
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

/** What tells Node's parser that what follows is no HTTP. */
const otherProtocol = 2;

/**
 * Of a connection that is destroyed, Node still makes requests and answers of all that it has read with the last one,
 * which are thousands of small ones. It has no public way to stop; where this one is gone, they are only slow.
 */
function cut(socket: Socket & { parser?: { onIncoming: () => number } | null }) {
  const { parser } = socket;
  socket.destroy();
  if (parser) parser.onIncoming = () => otherProtocol;
}
