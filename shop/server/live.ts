import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { FootprintError, type FootprintEvent } from "@footprint/client";
import type { Connection } from "./footprint.ts";
import type { Storage } from "./storage.ts";

/** The kinds of data that a page shows, and fetches again when they change. */
export type Topic = "me" | "orders" | "fedex" | "invoices" | "transfers" | "prices" | "payment";

const gatherFor = 150;
const beatEvery = 20_000;
const mostPages = 8;

type Page = { discordId: string; response: ServerResponse; stale: Set<Topic> };

/** Which data of a customer an event is about; without a customer, everybody's. */
function about(event: FootprintEvent): { discordId: string | undefined; topics: Topic[] } | undefined {
  switch (event.type) {
    case "order.created":
    case "order.refunded":
    case "bulk-order.created":
      return { discordId: event.data.customer.discordId, topics: ["orders"] };
    case "invoice.created":
    case "invoice.paid":
    case "invoice.reversed":
      return { discordId: event.data.customer.discordId, topics: ["invoices"] };
    case "fedex-order.created":
    case "fedex-order.changed":
      return { discordId: event.data.customer.discordId, topics: ["fedex"] };
    case "customer.created":
    case "customer.verified":
    case "customer.changed":
      return { discordId: event.data.customer.discordId, topics: ["me", "prices"] };
    case "balance.changed":
      return { discordId: event.data.customer.discordId, topics: ["me", "transfers"] };
    case "price.changed":
      return { discordId: event.data.customer?.discordId, topics: ["prices"] };
    case "settings.changed":
      return event.data.setting === "payment-handle" ? { discordId: undefined, topics: ["payment"] } : undefined;
    default:
      return undefined;
  }
}

/** Follows Footprint's events once for all, and tells each open page what is stale for its customer. */
export function startLive(connection: Connection, storage: Storage) {
  const pages = new Set<Page>();
  const find = storage.prepare("SELECT next FROM heard WHERE key = ?");
  const keep = storage.prepare(
    "INSERT INTO heard (key, next) VALUES (?, ?) ON CONFLICT DO UPDATE SET next = excluded.next",
  );
  const forget = storage.prepare("DELETE FROM heard WHERE key = ?");
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const send = ({ response }: Page, event: string, data: unknown) =>
    void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

  function flush() {
    timer = undefined;
    for (const page of pages) {
      if (page.stale.size > 0) send(page, "stale", [...page.stale]);
      page.stale.clear();
    }
  }

  function tell(discordId: string | undefined, topics: Topic[]) {
    for (const page of pages)
      if (discordId === undefined || page.discordId === discordId) for (const topic of topics) page.stale.add(topic);
    timer ??= setTimeout(flush, gatherFor);
  }

  async function hear() {
    while (!stopped.signal.aborted) {
      const { client, key } = connection;
      if (client && key && connection.standing === "ready") await follow(client, key);
      else await changed();
    }
  }

  /** As long as Footprint answers and accepts this key. */
  async function follow(client: NonNullable<Connection["client"]>, key: string) {
    const name = createHash("sha256").update(key).digest("base64url");
    const ending = new AbortController();
    // After a new key, or when Footprint is back, the growing pauses must not go on.
    const stop = connection.onChange(() => {
      if (connection.client !== client || connection.standing === "ready") ending.abort();
    });
    try {
      const after = (find.get(name) as { next: string } | undefined)?.next;
      const signal = AbortSignal.any([stopped.signal, ending.signal]);
      for await (const event of client.events({ after, signal })) {
        const found = about(event);
        if (found) tell(found.discordId, found.topics);
        keep.run(name, event.next);
      }
    } catch (error) {
      // The last event is no longer kept: begin with the oldest.
      if (error instanceof FootprintError && error.status === 404) forget.run(name);
      else if (!(error instanceof FootprintError)) console.error(error);
      await changed();
    } finally {
      stop();
    }
  }

  /** Waits until the connection changes, or for a moment. */
  function changed() {
    return new Promise<void>((resolve) => {
      const stop = connection.onChange(go);
      const waiting = setTimeout(go, 2_000);
      stopped.signal.addEventListener("abort", go, { once: true });
      function go() {
        clearTimeout(waiting);
        stop();
        stopped.signal.removeEventListener("abort", go);
        resolve();
      }
    });
  }

  const beat = setInterval(() => {
    for (const { response } of pages) response.write(": here\n\n");
  }, beatEvery).unref();
  const stopTelling = connection.onChange(() => {
    for (const page of pages) send(page, "standing", connection.standing);
  });
  const hearing = hear();

  return {
    tell,
    /** Keeps an answer open, and sends events on it. */
    open(discordId: string, response: ServerResponse) {
      const others = [...pages].filter((page) => page.discordId === discordId);
      if (others.length >= mostPages) others[0]?.response.end();
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      });
      const page: Page = { discordId, response, stale: new Set() };
      response.on("close", () => pages.delete(page));
      pages.add(page);
      response.write("retry: 1000\n\n");
      send(page, "standing", connection.standing);
    },
    async stop() {
      stopped.abort();
      clearInterval(beat);
      clearTimeout(timer);
      stopTelling();
      for (const { response } of pages) response.end();
      await hearing;
    },
  };
}

export type Live = ReturnType<typeof startLive>;
