import type { ServerResponse } from "node:http";
import type { Stale } from "@footprint/contract/events.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import type { Role } from "@footprint/contract/session.ts";
import { type Actor, livingSessions } from "../accounts/sessions.ts";
import type { Database } from "../db/database.ts";
import { addAll, nothingStale, type Staleness, told, visibleTo } from "./staleness.ts";

type Stream = { account: string; role: Role; tokenHash: string; response: ServerResponse };

const limits = {
  perAccount: 20,
  perServer: 4_000,
  /** Most unread bytes that wait for a reader. */
  unread: 64 * 1024,
};
const heartbeat = 15_000;
/** After how many milliseconds a reader whose stream has ended should return; later if it had too many streams. */
const retryMs = { usually: 2_000, oneTooMany: 300_000 };
/** A new reader is told of recent changes too, since it may have read the data just before them. */
const recently = 10_000;

/** How long a reader may take to read the end of its stream. */
const closingMs = 5_000;

/** Open streams, for the metrics. */
export let openStreams = 0;

/**
 * The readers of this server's events. Each costs one connection, but no place in a queue and no database connection.
 */
export function makeStreams(db: Database) {
  // Oldest first.
  const streams = new Set<Stream>();
  const recent: { at: number; staleness: Staleness }[] = [];
  let isClosing = false;
  let number = 0;
  const event = (name: string, data: object) => `id: ${++number}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const stale = (data: Stale | undefined) => (data ? event("stale", data) : "");

  function write(stream: Stream, text: string) {
    if (!text || stream.response.writableEnded) return;
    stream.response.write(text);
    if (stream.response.writableLength > limits.unread) stream.response.destroy();
  }

  /** Destroys the connection as well, since a reader who is gone does not read the end. */
  function end(stream: Stream, lastWords = "") {
    forget(stream);
    stream.response.end(lastWords);
    setTimeout(() => stream.response.destroy(), closingMs).unref();
  }
  function forget(stream: Stream) {
    if (streams.delete(stream)) openStreams--;
  }

  /** Ends the streams of ended sessions, for some accounts or all, and notes changed roles. */
  async function check(accounts?: ReadonlySet<string>) {
    const checked = [...streams].filter(({ account }) => !accounts || accounts.has(account));
    if (checked.length === 0) return;
    const living = await livingSessions(
      db,
      checked.map(({ tokenHash }) => tokenHash),
    );
    for (const stream of checked) {
      const role = living.get(stream.tokenHash);
      if (role) stream.role = role;
      else end(stream);
    }
  }
  function forgetOld() {
    while (recent[0] && recent[0].at < performance.now() - recently) recent.shift();
  }
  // If the database does not answer, the next check will do.
  const checkNow = (accounts?: ReadonlySet<string>) => void check(accounts).catch(() => {});

  const beats = setInterval(() => {
    for (const stream of streams) write(stream, ":\n\n");
    checkNow();
  }, heartbeat).unref();

  return {
    count: () => streams.size,

    open({ id: account, role, tokenHash }: Actor, response: ServerResponse, headers: Record<string, string>) {
      if (isClosing || streams.size >= limits.perServer)
        throw refusal(503, "Too many panels are open on this server", { retryAfter: 30 });
      const own = [...streams].filter((stream) => stream.account === account);
      if (own[0] && own.length >= limits.perAccount) end(own[0], `retry: ${retryMs.oneTooMany}\n\n`);
      const stream = { account, role, tokenHash, response };
      streams.add(stream);
      openStreams++;
      response.on("error", () => {}).once("close", () => forget(stream));
      response.writeHead(200, headers);
      forgetOld();
      const before = nothingStale();
      for (const { staleness } of recent) addAll(before, staleness);
      write(stream, `retry: ${retryMs.usually}\n${event("hello", {})}${stale(visibleTo(role, before))}`);
    },

    /** Tells everybody what became stale, and accounts what is only theirs. */
    deliver(staleness: Staleness) {
      forgetOld();
      recent.push({ at: performance.now(), staleness });
      const texts = { admin: stale(visibleTo("admin", staleness)), staff: stale(visibleTo("staff", staleness)) };
      for (const stream of streams) {
        const own = stale(told(staleness.accounts.get(stream.account), stream.role));
        write(stream, texts[stream.role] + own);
      }
      if (staleness.accounts.size > 0) checkNow(new Set(staleness.accounts.keys()));
    },

    /** No reader may delay a server that stops. */
    end() {
      isClosing = true;
      clearInterval(beats);
      for (const stream of streams) end(stream);
    },
  };
}
