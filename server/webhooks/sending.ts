import { Resolver, lookup as systemLookup } from "node:dns/promises";
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { type Tracing, tracing } from "../db/tracing.ts";
import { hostOf, isInside, isPublic } from "./addresses.ts";

export type Answer = { status: number | null; problem: string; duration: number; answer: string };

export type Sending = {
  /** Allows receivers in the server's own network. */
  mayBePrivate: boolean;
  /** Looks a name up; tests use names of their own. */
  resolve?: (host: string) => Promise<string[]>;
  /** Time limits in milliseconds; tests are less patient. */
  limits?: { connect: number; total: number };
};

const patience = { connect: 5_000, total: 15_000 };

/** How much of an answer is kept, and how much is read. */
const kept = 4 * 1024;
const mostRead = 64 * 1024;
const mostHeaders = 16 * 1024;
/** Most interim answers (1xx), since each costs time of the thread that serves everybody. */
const mostAnnouncements = 10;

/** Why there was no answer, in words for the operator. */
class Failed extends Error {}

/**
 * Sends a request and returns the outcome; it never throws. The address is looked up here, checked, and connected to,
 * so that no second look-up can lead elsewhere. Each request has its own connection and uses no proxy. A status of 2xx
 * counts, whatever follows it; the rest of the answer is only for people to read.
 */
export async function send(
  url: string,
  headers: Record<string, string>,
  body: string,
  sending: Sending,
  signal?: AbortSignal,
): Promise<Answer> {
  const since = performance.now();
  const { connect, total } = sending.limits ?? patience;
  const ending = new AbortController();
  const end = (why: string) => ending.abort(new Failed(why));
  const timers = [
    setTimeout(() => end(`No whole answer within ${inSeconds(total)}`), total),
    setTimeout(() => end(`No connection within ${inSeconds(connect)}`), connect),
  ];
  const onConnected = () => clearTimeout(timers[1]);
  const onAbort = () => end("The server stopped while it was sent");
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  let traced: ReturnType<Tracing["sending"]> | undefined;
  const done = (answer: Omit<Answer, "duration">) => {
    traced?.end(answer);
    return { ...answer, duration: Math.round(performance.now() - since) };
  };
  try {
    const target = new URL(url);
    traced = tracing?.sending(target.host);
    const addresses = await unlessEnded(addressesOf(target, sending), ending.signal);
    const response = await post(
      target,
      addresses,
      { ...headers, ...traced?.headers },
      body,
      ending.signal,
      onConnected,
    );
    const status = response.statusCode ?? 0;
    const answer = await readBeginning(response);
    return done({
      status,
      problem: isRedirect(status) ? "Redirects are not followed: give the final address" : "",
      answer,
    });
  } catch (error) {
    return done({ status: null, problem: wordsOf(ending.signal.aborted ? ending.signal.reason : error), answer: "" });
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    ending.abort();
  }
}

const inSeconds = (milliseconds: number) => `${milliseconds / 1000} seconds`;

const isRedirect = (status: number) => status >= 300 && status < 400;

/** For work that cannot be cancelled, which is simply no longer waited for. */
const unlessEnded = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const ended = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  ended.catch(() => {});
  return Promise.race([work, ended]);
};

/** The addresses of a URL, all of them public unless the own network is allowed. */
async function addressesOf(url: URL, { mayBePrivate, resolve }: Sending): Promise<string[]> {
  if (!mayBePrivate && isInside(url)) throw new Failed(insideProblem);
  const host = hostOf(url);
  if (isIP(host)) return [host];
  const look = resolve ?? (mayBePrivate ? asTheSystem : byNameServers);
  const addresses = await look(host);
  if (addresses.length === 0) throw new Failed("Its name has no address");
  // One private address is enough to refuse: public names have none.
  if (!mayBePrivate && !addresses.every(isPublic)) throw new Failed(insideProblem);
  return addresses;
}

export const insideProblem = "It leads into the server's own network, which WEBHOOK_PRIVATE would have to allow";

/** By Node's own resolver, not the system's few threads, which a slow name server would block for everybody. */
async function byNameServers(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  const failed = found.find((each) => each.status === "rejected");
  if (addresses.length === 0 && failed) throw failed.reason;
  return addresses;
}

/** The own network has names that only the system knows. */
async function asTheSystem(host: string): Promise<string[]> {
  return (await systemLookup(host, { all: true })).map(({ address }) => address);
}

function post(
  url: URL,
  addresses: string[],
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
  onConnected: () => void,
): Promise<IncomingMessage> {
  const isTls = url.protocol === "https:";
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup = ((_host, options, answer) => {
    if (options.all) answer(null, found);
    else answer(null, found[0]?.address ?? "", found[0]?.family ?? 4);
  }) as LookupFunction;
  const agent = isTls ? new TlsAgent({ keepAlive: false }) : new PlainAgent({ keepAlive: false });
  return new Promise((resolve, reject) => {
    const call = (isTls ? tlsRequest : plainRequest)(url, {
      ...{ method: "POST", agent, lookup, signal, maxHeaderSize: mostHeaders },
      headers: { ...headers, "content-length": Buffer.byteLength(body), "accept-encoding": "identity" },
    });
    call.on("socket", (socket) => socket.once(isTls ? "secureConnect" : "connect", onConnected));
    call.on("response", resolve);
    call.on("error", reject);
    let announced = 0;
    call.on("information", () => {
      if (++announced > mostAnnouncements) call.destroy(new Failed("It announces an answer again and again"));
    });
    // Without these handlers the request would never end.
    call.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Failed("It wants to speak something else than HTTP"));
    });
    call.on("close", () => reject(new Failed(reasons["ECONNRESET|EPIPE"])));
    call.end(body);
  });
}

/** The beginning of an answer, however it ends. */
async function readBeginning(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let read = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      if (read < kept) pieces.push(piece.subarray(0, kept - read));
      read += piece.length;
      if (read > mostRead) break;
    }
  } catch {
    // It broke off; what was read so far is used.
  }
  response.destroy();
  return asText(Buffer.concat(pieces), response.headers["content-type"] ?? "");
}

/** Decodes the text, without invisible characters and those that change the direction of writing. */
function asText(bytes: Buffer, contentType: string): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  return decoderOf(charset)
    .decode(bytes)
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, "\ufffd");
}

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof Failed) return error.message;
  const { code, errors, message } = error as { code?: string; errors?: { code?: string }[]; message?: string };
  const known = code ?? errors?.[0]?.code ?? "";
  const words = Object.entries(reasons).find(([pattern]) => new RegExp(`^(${pattern})$`).test(known))?.[1];
  return words ?? (known ? `It failed (${known})` : `It failed (${message ?? "for no known reason"})`);
}

/** By the error codes of the system and Node. */
const reasons: Record<string, string> = {
  ECONNREFUSED: "The connection was refused",
  "ENOTFOUND|ENODATA|ESERVFAIL|EAI_\\w+|ENONAME": "Its name was not found",
  "ETIMEOUT|ETIMEDOUT": "It could not be reached in time",
  "ECONNRESET|EPIPE": "The connection was closed before an answer came",
  "EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL": "There is no way to its address",
  HPE_HEADER_OVERFLOW: "The head of its answer is too long",
  "HPE_\\w+": "What it answered is not HTTP",
  EPROTO: "It does not speak TLS as is asked for",
  "ERR_TLS_\\w+|CERT_\\w+|UNABLE_TO_\\w+|DEPTH_ZERO_\\w+|SELF_SIGNED_\\w+": "Its certificate is not valid",
};
