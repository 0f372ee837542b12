import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** One request of a run, ready to be sent. */
export type Request = {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** The target, if it changes something. */
  target?: Record<string, unknown>;
};

export type Figures = { perSecond: number; p50: number; p99: number };

type Limits = { connections: number; milliseconds: number; requests: number };

/**
 * Sends requests over so many connections, each waiting for its answer, until time or requests are used up. Like
 * pgbench it shares the machine with what it measures, so it works as little as possible: Node's own client takes three
 * times as long for a request.
 */
export async function load(origin: string, next: () => Request, limits: Limits): Promise<Figures> {
  const { hostname, port, host } = new URL(origin);
  const times: number[] = [];
  const since = performance.now();
  const end = since + limits.milliseconds;
  let left = limits.requests;
  const connection = async () => {
    const socket = connect(Number(port), hostname);
    try {
      await once(socket.setNoDelay(true), "connect");
      while (left-- > 0 && performance.now() < end) {
        const request = next();
        const sent = performance.now();
        const { status, text } = await answer(socket, written(host, request));
        times.push(performance.now() - sent);
        if (status >= 300) throw new Error(`${request.method} ${request.path} answered ${status}: ${text}`);
      }
    } finally {
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: limits.connections }, connection));
  const seconds = (performance.now() - since) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}

function written(host: string, { method, path, headers = {}, body = "" }: Request): string {
  const length = body ? { "content-length": Buffer.byteLength(body) } : {};
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

function answer(socket: Socket, request: string): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    let received: Buffer = Buffer.alloc(0);
    const end = () => socket.off("data", read).off("error", fail).off("close", closed);
    const closed = () => fail(new Error(`the connection was closed after ${received.length} bytes of an answer`));
    const read = (chunk: Buffer) => {
      received = received.length > 0 ? Buffer.concat([received, chunk]) : chunk;
      const head = received.indexOf("\r\n\r\n");
      if (head < 0 || !isWhole(received, head)) return;
      end();
      const status = Number(received.toString("latin1", 9, 12));
      done({ status, text: status >= 300 ? received.toString("utf8", head + 4, head + 304) : "" });
    };
    socket.on("data", read).on("error", fail).on("close", closed);
    socket.write(request);
  });
}

/** No answer is followed by another one, and no JSON ends like the last chunk of a chunked answer. */
function isWhole(received: Buffer, head: number): boolean {
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString("latin1", 0, head))?.[1];
  return length ? received.length >= head + 4 + Number(length) : received.subarray(-7).equals(lastPiece);
}
const lastPiece = Buffer.from("\r\n0\r\n\r\n");
