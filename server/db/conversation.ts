import pg from "pg";
import type { Hosts } from "./hosts.ts";

type Place = { hosts: Hosts; connect: number };

export type Conversation = {
  /** Says something to all servers, this one included. Fails while there is no connection. */
  say(texts: string[]): Promise<void>;
  /** Since this time of performance.now() nothing can have been missed; undefined while there is no connection. */
  since(): number | undefined;
  end(): Promise<void>;
};

/** How often the connection is tried. A silent one is noticed after this and the timeout for connecting. */
const pingEvery = 5_000;
const pauses = { first: 250, longest: 10_000 };

/**
 * Listens to a channel of the database, on a connection of its own. A lost one is reopened until that succeeds:
 * databases restart, move to a standby, or are out of reach for a while.
 */
export function converse({ hosts, connect }: Place, channel: string, hear: (text: string) => void) {
  let client: pg.Client | undefined;
  let since: number | undefined;
  let pause = pauses.first;
  let ended = false;
  let retry: NodeJS.Timeout | undefined;

  const open = async () => {
    const url = hosts.current();
    const own = new pg.Client({
      connectionString: url,
      application_name: "footprint events",
      connectionTimeoutMillis: connect,
      query_timeout: connect,
      keepAlive: true,
    });
    client = own;
    const lose = () => {
      if (client !== own) return;
      client = since = undefined;
      // A connection that does not answer cannot be closed politely either.
      (own as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      if (ended) return;
      // At random, so that not all servers come back at the same moment.
      retry = setTimeout(open, pause * (0.5 + Math.random())).unref();
      pause = Math.min(pause * 2, pauses.longest);
    };
    own.on("error", lose).on("end", lose);
    own.on("notification", ({ payload }) => payload && hear(payload));
    try {
      await own.connect();
      // A standby refuses this.
      await own.query(`listen ${channel}`);
      if (client !== own) return;
      since = performance.now();
      pause = pauses.first;
    } catch {
      hosts.leave(url);
      lose();
    }
  };
  const ping = setInterval(() => {
    if (since) client?.query("select").catch(() => client?.emit("error", new Error("no answer")));
  }, pingEvery).unref();
  const opening = open();

  return {
    async say(texts) {
      if (!client || !since) throw new Error("not connected");
      await client.query("select pg_notify($1, text) from unnest($2::text[]) as text", [channel, texts]);
    },
    since: () => since,
    async end() {
      ended = true;
      clearInterval(ping);
      clearTimeout(retry);
      await opening;
      const last = client;
      client = undefined;
      await last?.end().catch(() => {});
    },
  } satisfies Conversation;
}
