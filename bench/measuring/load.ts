import { Agent, request as httpRequest } from "node:http";

/** One request of a run, ready to be sent. */
export type Request = {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** What it changes, where it changes something. */
  target?: Record<string, unknown>;
};

export type Figures = { perSecond: number; p50: number; p99: number };

type Limits = { connections: number; milliseconds: number; requests: number };

/** Sends requests over so many connections, each waiting for its answer, until time or requests are used up. */
export async function load(origin: string, next: () => Request, limits: Limits): Promise<Figures> {
  const agent = new Agent({ keepAlive: true, maxSockets: limits.connections });
  const times: number[] = [];
  const since = performance.now();
  const end = since + limits.milliseconds;
  let left = limits.requests;
  const connection = async () => {
    while (left-- > 0 && performance.now() < end) {
      const request = next();
      const sent = performance.now();
      const { status, text } = await answer(agent, origin, request);
      times.push(performance.now() - sent);
      if (status >= 300) throw new Error(`${request.method} ${request.path} answered ${status}: ${text}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: limits.connections }, connection));
  } finally {
    agent.destroy();
  }
  const seconds = (performance.now() - since) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}

function answer(agent: Agent, origin: string, { method, path, headers, body }: Request) {
  return new Promise<{ status: number; text: string }>((done, fail) => {
    const sent = httpRequest(origin + path, { agent, method, headers: headers ?? {} }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const status = response.statusCode ?? 0;
        done({ status, text: status >= 300 ? Buffer.concat(chunks).toString().slice(0, 300) : "" });
      });
      response.on("error", fail);
    });
    sent.on("error", fail);
    sent.end(body);
  });
}
