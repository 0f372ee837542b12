import { and, asc, eq, gt, isNull, lte, notInArray, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { webhookDeliveries as deliveries, events, webhooks } from "../db/schema.ts";
import { onNumbered } from "../outbox/numbering.ts";
import {
  type Delivery,
  endDeliveries,
  hasSucceeded,
  isResting,
  lockWebhook,
  makeDeliveries,
  recordTries,
  type Tried,
  type Webhook,
} from "./deliveries.ts";
import { hasNews, hasRested, type Lease, takeLease, webhooksWithWork } from "./leases.ts";
import { type Sending, send } from "./sending.ts";
import { bodyOf, headersOf, secretsOf } from "./signing.ts";

/** Lanes of a webhook that are sent at once, whatever other webhooks do. */
const atOnce = 8;
/** How often due deliveries are looked for, in milliseconds; sooner if this server knows of new events. */
const lookEvery = 500;
const lookAtClockEvery = 30_000;
/** How long deliveries under way may take when the server stops. */
const shutdownMs = 2_000;
/** Statements of all webhooks at once, since the connections are for calls. */
const statementsAtOnce = 3;

/** Tries since the start, by outcome. */
export const tried = { delivered: 0, failed: 0 };

/** Sends events to the webhooks, along with any number of other servers on the same database. */
export function startDelivering(db: Database, sending: Sending, onFailure: (error: unknown) => void) {
  const holder = uuidv7();
  const bell = makeBell();
  const hurry = new AbortController();
  const inTurn = turns(statementsAtOnce);
  const attended = new Map<string, { bell: typeof bell; done: Promise<void> }>();
  let isStopped = false;
  let hasFailed = false;
  /** Reports a failure once, and again only after a success, since a database that is away stays away for a while. */
  const report = (error: unknown) => {
    if (!hasFailed) onFailure(error);
    hasFailed = true;
  };

  const look = async () => {
    for (const id of await inTurn(() => webhooksWithWork(db, holder)))
      if (!attended.has(id) && !isStopped) {
        const own = makeBell();
        const done = sendDue(id, own)
          .catch(report)
          .finally(() => attended.delete(id));
        attended.set(id, { bell: own, done });
      }
  };

  /** Sends to one webhook until nothing is left to send. */
  const sendDue = async (id: string, own: typeof bell) => {
    const lease = await inTurn(() => takeLease(db, id, holder));
    if (!lease) return;
    const underWay = new Map<string, Promise<void>>();
    // One at a time, since they change the same lanes.
    const ownTurn = turns(1);
    const write = <T>(work: () => Promise<T>) => ownTurn(() => inTurn(work));
    const recordTry = gathered<Tried>(write, (all) => db.transaction((tx) => recordTries(tx, id, all)));
    let failure: unknown;
    try {
      while (!isStopped && !lease.lost.aborted && !failure) {
        // Started before looking, so that news during the look is noticed.
        const waiting = own.wait(lookEvery);
        const { due, hasNews } = await write(() => lookAt(db, id, holder, [...underWay.keys()]));
        for (const each of due)
          underWay.set(
            each.delivery.id,
            sendOne(each, lease, write, recordTry)
              .catch((error) => {
                failure = error;
              })
              .finally(() => {
                underWay.delete(each.delivery.id);
                own.ring();
              }),
          );
        const made = hasNews ? await write(() => makeDeliveries(db, id, holder)) : 0;
        if (made === 0 && underWay.size === 0) break;
        if (made === 0) await waiting;
      }
    } finally {
      await Promise.all(underWay.values());
      await inTurn(() => lease.release());
    }
    if (failure) throw failure;
  };

  const sendOne = async (due: Due, lease: Lease, write: InTurn, recordTry: (tried: Tried) => Promise<void>) => {
    const { webhook, delivery, data, now, wasProbe } = due;
    if (!data) return write(() => forget(db, delivery));
    const { id, eventId, type, eventAt } = delivery;
    const body = bodyOf({ id: eventId, type, createdAt: eventAt, data });
    const headers = headersOf(secretsOf(webhook, now), eventId, now, body);
    const abandoned = AbortSignal.any([lease.lost, hurry.signal]);
    const answer = await send(webhook.url, headers, body, sending, abandoned);
    // Another server sends it again.
    if (abandoned.aborted && answer.status === null) return;
    tried[hasSucceeded(answer) ? "delivered" : "failed"]++;
    await recordTry({ id, wasProbe, outcome: { ...answer, url: webhook.url, headers } });
  };

  let clockLookedAt = Number.NEGATIVE_INFINITY;
  const run = async () => {
    while (!isStopped) {
      const waiting = bell.wait(lookEvery);
      try {
        if (performance.now() - clockLookedAt > lookAtClockEvery) {
          await inTurn(() => noticeClock(db));
          clockLookedAt = performance.now();
        }
        await look();
        hasFailed = false;
      } catch (error) {
        report(error);
      }
      await waiting;
    }
  };
  const running = run();
  const wake = () => {
    bell.ring();
    for (const { bell: own } of attended.values()) own.ring();
  };
  const stopHearing = onNumbered(db, wake);
  return {
    async stop() {
      isStopped = true;
      stopHearing();
      wake();
      const impatience = setTimeout(() => hurry.abort(), shutdownMs);
      await running;
      await Promise.all([...attended.values()].map(({ done }) => done));
      clearTimeout(impatience);
    },
  };
}

type Due = {
  webhook: Webhook;
  delivery: Delivery;
  /** Null if the event is no longer kept. */
  data: Record<string, unknown> | null;
  now: Date;
  /** The one delivery that is tried while the webhook rests. */
  wasProbe: boolean;
};

/**
 * What can be sent now, besides what is under way: one delivery per lane, or a single one if everything fails; and
 * whether there are events without deliveries.
 */
async function lookAt(
  db: Database,
  id: string,
  holder: string,
  underWay: string[],
): Promise<{ due: Due[]; hasNews: boolean }> {
  const limit = atOnce - underWay.length;
  if (limit <= 0) return { due: [], hasNews: false };
  const [held] = await db
    .select({ webhook: webhooks, hasRested, hasNews, now: sql`clock_timestamp()`.mapWith(webhooks.createdAt) })
    .from(webhooks)
    .where(
      and(
        ...[eq(webhooks.id, id), eq(webhooks.holder, holder), gt(webhooks.heldUntil, sql`clock_timestamp()`)],
        ...[isNull(webhooks.pausedAt), isNull(webhooks.deletedAt)],
      ),
    );
  if (!held) return { due: [], hasNews: false };
  const { webhook, now } = held;
  const wasProbe = isResting(webhook);
  if (wasProbe && (!held.hasRested || underWay.length > 0)) return { due: [], hasNews: held.hasNews };
  const rows = await db
    .select({ delivery: deliveries, data: events.data })
    .from(deliveries)
    .leftJoin(events, eq(events.id, deliveries.eventId))
    .where(
      and(
        ...[eq(deliveries.webhookId, id), eq(deliveries.isFirst, true)],
        wasProbe ? undefined : lte(deliveries.nextTryAt, sql`now()`),
        underWay.length > 0 ? notInArray(deliveries.id, underWay) : undefined,
      ),
    )
    .orderBy(asc(deliveries.nextTryAt), asc(deliveries.number))
    .limit(wasProbe ? 1 : limit);
  return { due: rows.map((row) => ({ ...row, webhook, now, wasProbe })), hasNews: held.hasNews };
}

const forget = (db: Database, { id, webhookId }: Delivery) =>
  db.transaction(async (tx) => {
    await lockWebhook(tx, webhookId);
    const [delivery] = await tx
      .select()
      .from(deliveries)
      .where(and(eq(deliveries.id, id), eq(deliveries.state, "waiting")));
    if (delivery) await endDeliveries(tx, webhookId, [delivery], "failed", "Its event is kept no longer");
  });

/** A try in the future would wait for very long, because the clock was set back: it is due now. */
async function noticeClock(db: Database) {
  await db
    .update(deliveries)
    .set({ nextTryAt: sql`'epoch'` })
    .where(and(eq(deliveries.isFirst, true), gt(deliveries.nextTryAt, sql`now()`), gt(deliveries.triedAt, sql`now()`)));
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Limits how much is done at once; the rest waits. */
function turns(most: number): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) await new Promise<void>((begin) => waiting.push(begin));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Work that arrives before its turn is done together with what is already waiting. */
function gathered<T>(inTurn: InTurn, work: (all: T[]) => Promise<void>) {
  let waiting: T[] = [];
  let done = Promise.resolve();
  return (one: T): Promise<void> => {
    if (waiting.push(one) === 1)
      done = inTurn(() => {
        const all = waiting;
        waiting = [];
        return work(all);
      });
    return done;
  };
}

/** Wakes waiters before their time is over. */
function makeBell() {
  const waiting = new Set<() => void>();
  return {
    wait: (milliseconds: number) =>
      new Promise<void>((go) => {
        const end = () => {
          clearTimeout(timer);
          waiting.delete(end);
          go();
        };
        const timer = setTimeout(end, milliseconds);
        waiting.add(end);
      }),
    ring() {
      for (const end of waiting) end();
    },
  };
}
