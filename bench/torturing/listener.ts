import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Event, eventType, outbox as outboxCalls } from "@footprint/contract/outbox.ts";
import { session } from "@footprint/contract/session.ts";
import { webhooks } from "@footprint/contract/webhooks.ts";
import { asc } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import type { Database } from "../../server/db/database.ts";
import { events, outbox, transfers } from "../../server/db/schema.ts";
import type { Random } from "../../server/demo/random.ts";
import type { Call } from "../calls.ts";
import { must } from "./business.ts";

/** The longest pause between two received events, however long the receiver was away before. */
const hearingMs = 120_000;
/** How long it is up, and how long down, in milliseconds. */
const spell = [500, 8_000] as const;

type Listener = Awaited<ReturnType<typeof openListener>>;

/** A shop that gets every event by webhook, and is down half of the time in every possible way. */
export async function openListener(random: Random, onTrouble: (finding: string) => void) {
  /** Event ids in the order of their first arrival. */
  const heard = new Set<string>();
  let isUp = true;
  let isOver = false;
  let webhook: Webhook | undefined;

  async function hear(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (!isUp && random.chance(0.4)) return response.writeHead(random.pick([500, 503, 302, 404])).end("Not now");
    if (!isUp && random.chance(0.5)) return request.socket.destroy();
    try {
      webhook?.verify(body, request.headers as Record<string, string>);
    } catch (error) {
      onTrouble(`A webhook's signature is wrong: ${(error as Error).message}`);
    }
    heard.add((JSON.parse(body) as Event).id);
    // Received, but the answer is lost.
    if (!isUp) return request.socket.destroy();
    response.writeHead(204).end();
  }

  const server = createServer((request, response) => void hear(request, response).catch(() => {}));
  await once(server.listen(0, "127.0.0.1"), "listening");
  void (async () => {
    while (!isOver) {
      await wait(random.between(...spell), undefined, { ref: false });
      isUp = isOver || !isUp;
    }
  })();

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    verifyWith(secret: string) {
      webhook = new Webhook(secret);
    },
    heard: () => heard.size,
    hasHeard: (id: string) => heard.has(id),
    /** From now on it stays up. */
    stayUp() {
      isOver = true;
      isUp = true;
    },
    close() {
      isOver = true;
      server.closeAllConnections();
      server.close();
    },
    /** Compares what was received with what happened. */
    async account(db: Database): Promise<string[]> {
      const findings: string[] = [];
      const left = await db.$count(outbox);
      if (left > 0) findings.push(`${left} events were never numbered`);
      const happened = await db.select().from(events).orderBy(asc(events.position));
      // Events for administrators only are sent to no webhook.
      const missed = happened.filter(({ id, type }) => !heard.has(id) && eventType.safeParse(type).success);
      if (missed.length > 0)
        findings.push(`${missed.length} of ${happened.length} events were not heard, the first ${missed[0]?.type}`);
      findings.push(...outOfOrder(happened, [...heard]), ...(await untold(db, happened)));
      return findings;
    },
  };
}

/** A webhook for all events from now on. */
export async function openWebhook(admin: Call, listener: Listener, password: string) {
  const { webhook, secret } = await must(admin, webhooks.create, { body: { url: listener.url } });
  listener.verifyWith(secret);
  return {
    /** The listener is up again; everything it missed now reaches it. */
    async hearAll(shop: Call) {
      listener.stayUp();
      await must(admin, session.confirm, { body: { password } });
      await must(admin, webhooks.resume, { params: { id: webhook._id } });
      let after: string | undefined;
      let heard = 0;
      let hearsSince = performance.now();
      while (performance.now() < hearsSince + hearingMs) {
        const { events, next } = await must(shop, outboxCalls.pull, { query: { ...(after && { after }) } });
        if (events.length === 0) return;
        if (events.every(({ id }) => listener.hasHeard(id))) after = next;
        else await wait(100);
        if (listener.heard() > heard) hearsSince = performance.now();
        heard = listener.heard();
      }
    },
  };
}

type Happened = typeof events.$inferSelect;

/** For each customer, later events must not have arrived first. */
function outOfOrder(happened: Happened[], heard: string[]): string[] {
  const byId = new Map(happened.map((event) => [event.id, event]));
  const last = new Map<string | null, number>();
  return heard.flatMap((id) => {
    const event = byId.get(id);
    if (!event) return [];
    const before = last.get(event.customerId) ?? 0;
    last.set(event.customerId, event.position);
    return event.position < before ? [`Event ${event.position} (${event.type}) was heard after ${before}`] : [];
  });
}

/** Every transfer has one event, in the order of the customer's transfers. */
async function untold(db: Database, happened: Happened[]): Promise<string[]> {
  const moved = await db
    .select({ id: transfers.id, customerId: transfers.customerId })
    .from(transfers)
    .orderBy(asc(transfers.number));
  const told = happened
    .filter(({ type }) => type === "balance.changed")
    .map(({ customerId, data }) => ({ customerId, id: (data as { transfer: { _id: string } }).transfer._id }));
  const [is, should] = [told, moved].map((rows) => Map.groupBy(rows, ({ customerId }) => customerId));
  return [...(should?.keys() ?? [])].flatMap((customerId) => {
    const [one, other] = [is, should].map((rows) =>
      rows
        ?.get(customerId)
        ?.map(({ id }) => id)
        .join(),
    );
    return one === other ? [] : [`The balance of ${customerId} was told of as ${one} instead of ${other}`];
  });
}
