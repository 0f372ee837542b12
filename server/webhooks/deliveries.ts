import { type EventType, eventTypes } from "@footprint/contract/outbox.ts";
import { and, asc, eq, gt, inArray, isNull, sql } from "drizzle-orm";
import { record, system } from "../accounts/audit.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { prepared } from "../db/prepared.ts";
import { webhookDeliveries as deliveries, events, webhooks, webhookTries } from "../db/schema.ts";

export type Webhook = typeof webhooks.$inferSelect;
export type Delivery = typeof deliveries.$inferSelect;

/** The outcome of a try. */
export type Outcome = {
  url: string;
  headers: Record<string, string>;
  status: number | null;
  problem: string;
  /** In milliseconds. */
  duration: number;
  answer: string;
};

export const hasSucceeded = ({ status }: { status: number | null }) => status !== null && status >= 200 && status < 300;

/** The lane for events about no customer. */
export const noCustomer = "00000000-0000-0000-0000-000000000000";

/** Deliveries made at a time. */
const batch = 500;

/** Seconds until the next try, longer after more failures. */
const pauses = [2, 10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800];
/** If everything fails, one delivery is tried at these pauses, a minute at most, so that recovery is noticed. */
const rests = [1, 2, 5, 10, 20, 30, 60];
/** The last pause repeats. */
const pauseAfter = (failures: number, seconds: readonly number[]) =>
  seconds[Math.min(failures, seconds.length) - 1] ?? 0;

/** So many lanes have to fail, without a success, for the whole webhook to rest. */
const restsAfter = 5;
export const isResting = ({ failures }: Pick<Webhook, "failures">) => failures >= restsAfter;

/**
 * A webhook is paused when a delivery has failed for three days and at least so many times: a clock that was set
 * forward, or stopped servers, are not the receiver's fault.
 */
const patience = sql`interval '3 days'`;
const leastTries = 15;

/**
 * Locks a webhook, before anything else of it is changed. So only one transaction at a time changes its lanes, and each
 * sees the previous one's changes.
 */
export async function lockWebhook(tx: Transaction, id: string): Promise<Webhook | undefined> {
  const [webhook] = await tx
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, id), isNull(webhooks.deletedAt)))
    .for("no key update");
  return webhook;
}

/** The types that a webhook gets; never those for staff only. */
export const typesOf = ({ events }: Pick<Webhook, "events">): readonly EventType[] =>
  events.length > 0 ? events : eventTypes;

/** Makes deliveries for events since the last time; returns how many events it has looked at. */
export async function makeDeliveries(db: Database, id: string, holder: string): Promise<number> {
  return db.transaction(async (tx) => {
    const webhook = await lockWebhook(tx, id);
    if (!webhook || webhook.holder !== holder || webhook.pausedAt) return 0;
    const happened = await tx
      .select(eventColumns)
      .from(events)
      .where(gt(events.position, webhook.position))
      .orderBy(asc(events.position))
      .limit(batch);
    const last = happened.at(-1);
    if (!last) return 0;
    const types = new Set<string>(typesOf(webhook));
    await addDeliveries(
      tx,
      id,
      happened.filter(({ type }) => types.has(type)),
    );
    await tx.update(webhooks).set({ position: last.position }).where(eq(webhooks.id, id));
    return happened.length;
  });
}

/** The columns that a delivery is made from. */
export const eventColumns = {
  position: events.position,
  id: events.id,
  type: events.type,
  customerId: events.customerId,
  createdAt: events.createdAt,
};

type Happened = Pick<typeof events.$inferSelect, "id" | "type" | "customerId" | "createdAt">;

/** Adds deliveries at the end of their lanes, in this order. Call it with the webhook locked. Returns the new ids. */
export async function addDeliveries(
  tx: Transaction,
  webhookId: string,
  happened: Happened[],
  resentBy: string | null = null,
): Promise<string[]> {
  if (happened.length === 0) return [];
  const column = <T>(of: (event: Happened) => T) => sql.param(happened.map(of));
  const ids = happened.map(() => uuidv7());
  // A lane has a first delivery exactly while anything waits in it. The limit makes PostgreSQL ask lane by lane, under
  // every plan.
  await tx.execute(sql`
    insert into webhook_deliveries
      (id, webhook_id, lane, is_first, event_id, type, event_at, state, resent_by, created_at)
    select id, ${webhookId}, lane,
      place = min(place) over (partition by lane) and (
        select true from webhook_deliveries as known
        where known.webhook_id = ${webhookId} and known.lane = happened.lane and known.is_first limit 1) is null,
      event_id, type, event_at, 'waiting', ${resentBy}, clock_timestamp()
    from unnest(${sql.param(ids)}::uuid[], ${column(({ customerId }) => customerId ?? noCustomer)}::uuid[],
      ${column(({ id }) => id)}::uuid[], ${column(({ type }) => type)}::text[],
      ${column(({ createdAt }) => createdAt.toISOString())}::timestamptz[])
      with ordinality as happened (id, lane, event_id, type, event_at, place)
    order by place`);
  return ids;
}

/** A delivery that was tried, and the outcome. */
export type Tried = { id: string; wasProbe: boolean; outcome: Outcome };

/** Stores the outcomes of tries, and when the next ones are due. Deliveries that were ended meanwhile stay ended. */
export async function recordTries(tx: Transaction, webhookId: string, all: Tried[]): Promise<void> {
  const webhook = await lockWebhook(tx, webhookId);
  if (!webhook) return;
  const ids = all.map(({ id }) => id);
  const known = await tx.select().from(deliveries).where(inArray(deliveries.id, ids));
  const tried = all.flatMap(({ id, ...one }) => {
    const delivery = known.find((each) => each.id === id);
    return delivery ? [{ ...one, delivery }] : [];
  });
  await addTries(tx, tried);
  for (const { delivery, outcome, wasProbe } of tried)
    if (!hasSucceeded(outcome) && delivery.state === "waiting") await retryLater(tx, delivery, outcome, wasProbe);
  const delivered = tried.filter(({ outcome }) => hasSucceeded(outcome)).map(({ delivery }) => delivery);
  if (delivered.length === 0) return;
  await endDeliveries(tx, webhookId, delivered, "delivered");
  await tx
    .update(webhooks)
    .set({ ...notFailing, lastDeliveredAt: sql`clock_timestamp()` })
    .where(eq(webhooks.id, webhookId));
  if (isResting(webhook)) await tryAllNow(tx, webhookId, { failures: 0 });
}

const notFailing = { failures: 0, failingSince: null, failedAt: null, retryAt: null };

/** Stores the tries, and the last outcome in each delivery. */
export async function addTries(
  tx: Transaction,
  tried: { delivery: Pick<Delivery, "id" | "tries">; outcome: Outcome }[],
): Promise<void> {
  if (tried.length === 0) return;
  await tx.insert(webhookTries).values(
    tried.map(({ delivery, outcome }) => ({
      ...{ ...outcome, deliveryId: delivery.id, number: delivery.tries + 1 },
      at: sql`clock_timestamp() - ${outcome.duration} * interval '1 millisecond'`,
    })),
  );
  const column = <T>(of: (each: (typeof tried)[number]) => T) => sql.param(tried.map(of));
  await tx.execute(sql`
    update webhook_deliveries as delivery
    set tries = delivery.tries + 1, status = tried.status, problem = tried.problem, duration = tried.duration,
      tried_at = clock_timestamp(), first_tried_at = coalesce(delivery.first_tried_at, clock_timestamp())
    from unnest(${column(({ delivery }) => delivery.id)}::uuid[], ${column(({ outcome }) => outcome.status)}::int[],
      ${column(({ outcome }) => outcome.problem)}::text[], ${column(({ outcome }) => outcome.duration)}::int[])
      as tried (id, status, problem, duration)
    where delivery.id = tried.id`);
}

/** Makes the next delivery of each lane the first. */
export async function endDeliveries(
  tx: Transaction,
  webhookId: string,
  ended: Pick<Delivery, "id" | "lane" | "isFirst">[],
  state: "delivered" | "failed",
  problem?: string,
): Promise<void> {
  const ids = ended.map(({ id }) => id);
  await tx
    .update(deliveries)
    .set({ state, isFirst: false, ...(problem !== undefined && { problem }) })
    .where(inArray(deliveries.id, ids));
  const lanes = ended.filter(({ isFirst }) => isFirst).map(({ lane }) => lane);
  if (lanes.length === 0) return;
  await tx.execute(sql`
    update webhook_deliveries set is_first = true
    where id = any(array(
      select (select id from webhook_deliveries
        where webhook_id = ${webhookId} and lane = ended.lane and state = 'waiting' order by number limit 1)
      from unnest(${sql.param(lanes)}::uuid[]) as ended (lane)))`);
}

async function retryLater(tx: Transaction, delivery: Delivery, outcome: Outcome, wasProbe: boolean) {
  // As the previous failure left it.
  const webhook = await lockWebhook(tx, delivery.webhookId);
  if (!webhook) return;
  const failures = delivery.failures + 1;
  const inSeconds = (seconds: number) => sql`clock_timestamp() + ${seconds} * interval '1 second'`;
  const [tried] = await tx
    .update(deliveries)
    .set({ failures, nextTryAt: inSeconds(pauseAfter(failures, pauses)) })
    .where(eq(deliveries.id, delivery.id))
    .returning({ isOld: sql<boolean>`${deliveries.firstTriedAt} < clock_timestamp() - ${patience}` });
  const all = await failuresOfAll(tx, webhook, wasProbe);
  const [now] = await tx
    .update(webhooks)
    .set({
      failures: all,
      failingSince: sql`coalesce(${webhooks.failingSince}, clock_timestamp())`,
      failedAt: sql`clock_timestamp()`,
      ...(isResting({ failures: all }) && { retryAt: inSeconds(pauseAfter(all - restsAfter + 1, rests)) }),
    })
    .where(eq(webhooks.id, webhook.id))
    .returning({ isOld: sql<boolean>`${webhooks.failingSince} < clock_timestamp() - ${patience}` });
  const isInVain = (tried?.isOld && failures >= leastTries) || (now?.isOld && all >= leastTries);
  if (outcome.status === 410) await pauseByItself(tx, webhook, "The receiver answered 410 Gone");
  else if (isInVain) await pauseByItself(tx, webhook, "It was tried for three days in vain");
}

/**
 * Deliveries that were under way when a webhook began to rest do not count; nor does a single lane that fails again and
 * again.
 */
async function failuresOfAll(tx: Transaction, webhook: Webhook, wasProbe: boolean): Promise<number> {
  if (isResting(webhook)) return webhook.failures + (wasProbe ? 1 : 0);
  const { rows } = await tx.execute(sql`
    select from webhook_deliveries where webhook_id = ${webhook.id} and is_first and next_try_at > 'epoch' limit ${restsAfter}`);
  return Math.min(webhook.failures + 1, rows.length < restsAfter ? restsAfter - 1 : restsAfter);
}

async function pauseByItself(tx: Transaction, { id, url, pausedAt }: Webhook, why: string) {
  if (pausedAt) return;
  await pause(tx, id, why, true);
  await record(tx, system, "website", `Paused the webhook ${placeOf(url)}: ${why}`, {
    about: { kind: "webhook", id },
    events: [{ type: "webhook.paused", data: { webhook: { _id: id, host: placeOf(url) }, because: why } }],
  });
}

export const pause = (tx: Transaction, id: string, pausedBecause: string, pausedByItself = false) =>
  tx
    .update(webhooks)
    .set({ pausedAt: sql`clock_timestamp()`, pausedBecause, pausedByItself })
    .where(eq(webhooks.id, id));

const notPaused = { pausedAt: null, pausedBecause: "", pausedByItself: false };

/** Starts over: everything is tried at once, and has three days again. */
export async function resume(tx: Transaction, id: string): Promise<void> {
  await tx.update(webhooks).set(notPaused).where(eq(webhooks.id, id));
  await forgetFailures(tx, id);
}

/** The same without unpausing: failures at another address say nothing about a new one. */
export async function forgetFailures(tx: Transaction, id: string): Promise<void> {
  await tx.update(webhooks).set(notFailing).where(eq(webhooks.id, id));
  await tryAllNow(tx, id, { failures: 0, firstTriedAt: null });
}

/** Only failed deliveries: all others are due already, and may be too many to write at once. */
const tryAllNow = (tx: Transaction, webhookId: string, anew: Partial<Delivery>) =>
  tx
    .update(deliveries)
    .set({ ...anew, nextTryAt: sql`'epoch'` })
    .where(
      and(
        ...[eq(deliveries.webhookId, webhookId), eq(deliveries.isFirst, true)],
        gt(deliveries.nextTryAt, sql`'epoch'`),
      ),
    );

/** Counted up to this many. */
const mostCounted = 1_000;

/** Events for a webhook since its deliveries were last made. */
const toBeMade = sql`(
  select created_at from (
    select type, created_at from events where position > webhooks.position order by position limit ${10 * mostCounted}
  ) as since
  where type = any(coalesce(nullif(webhooks.events, '{}'), ${sql.param(eventTypes)}::text[])))`;

/** How many deliveries wait for a webhook, and since when. */
export const waiting = sql<number>`(
  select least(${mostCounted}, (
    select count(*) from (
      select from webhook_deliveries where webhook_id = webhooks.id and state = 'waiting' limit ${mostCounted}
    ) as made
  ) + (select count(*) from ${toBeMade} as to_be_made))::int)`;
const waitingSince = sql`least((
  select created_at from webhook_deliveries
  where webhook_id = webhooks.id and state = 'waiting' order by created_at, id limit 1
), (select min(created_at) from ${toBeMade} as to_be_made))`;

/** Figures of all webhooks. Deliveries of webhooks that somebody paused by hand are no problem of the server's. */
export async function webhookFigures(db: Database) {
  const { rows } = await db.execute<{
    waiting: number;
    seconds: number;
    pausedByHand: number;
    pausedByItself: number;
  }>(sql`
    select coalesce(sum(waiting), 0)::float8 as waiting,
      coalesce(greatest(extract(epoch from clock_timestamp() - min(since)), 0), 0)::float8 as seconds,
      (count(*) filter (where is_paused and not by_itself))::int as "pausedByHand",
      (count(*) filter (where is_paused and by_itself))::int as "pausedByItself"
    from (
      select paused_at is not null as is_paused, paused_by_itself as by_itself,
        case when paused_at is null then ${waiting} end as waiting,
        case when paused_at is null then ${waitingSince} end as since
      from webhooks where deleted_at is null
    ) as all_webhooks`);
  return rows[0] as (typeof rows)[number];
}

/** An address for the log: everything after the host may be a secret of the receiver. */
export const placeOf = (url: string) => new URL(url).host;

/** So many failures in a row take some minutes. */
const troublingFailures = 5;

/** The webhooks that administrators are told of, paused ones first. */
export async function troubledWebhooks(db: Database) {
  const query = prepared(db, "troubled webhooks", () =>
    db
      .select({ id: webhooks.id, url: webhooks.url, isPaused: sql<boolean>`paused_at is not null` })
      .from(webhooks)
      .where(sql`deleted_at is null and case when paused_at is not null then paused_by_itself else failures >= ${troublingFailures} or exists (
        select from webhook_deliveries
        where webhook_id = webhooks.id and is_first and next_try_at > 'epoch'
          and webhook_deliveries.failures >= ${troublingFailures}) end`)
      .orderBy(sql`paused_at is null`, webhooks.createdAt, webhooks.id)
      .prepare(""),
  );
  const rows = await query.execute();
  return rows.map(({ id, url, isPaused }) => ({ _id: id, name: placeOf(url), isPaused }));
}

/** Deletes deleted webhooks with everything sent to them, and deliveries that are too old, some at a time. */
export async function clearDeliveries(db: Database): Promise<void> {
  await endForgotten(db);
  const isOld = sql`event_at < now() - interval '30 days' and state <> 'waiting'`;
  while (await clearSome(db, isOld));
  const gone = await db.select({ id: webhooks.id }).from(webhooks).where(sql`${webhooks.deletedAt} is not null`);
  for (const { id } of gone) {
    while (await clearSome(db, sql`webhook_id = ${id}`));
    await db.delete(webhooks).where(eq(webhooks.id, id));
  }
}

const cleared = 1_000;

async function clearSome(db: Database, where: ReturnType<typeof sql>): Promise<boolean> {
  const { rows } = await db.execute(sql`
    with cleared as (
      delete from webhook_deliveries where id = any(array(select id from webhook_deliveries where ${where} limit ${cleared}))
      returning id
    ), tries as (delete from webhook_tries where delivery_id in (select id from cleared))
    select from cleared`);
  return rows.length > 0;
}

/** Ends deliveries whose event is no longer kept. */
async function endForgotten(db: Database) {
  const old = await db
    .select()
    .from(deliveries)
    .where(sql`${deliveries.eventAt} < now() - interval '30 days' and ${deliveries.state} = 'waiting'`)
    .orderBy(asc(deliveries.number))
    .limit(10_000);
  for (const { id, webhookId } of old)
    await db.transaction(async (tx) => {
      await lockWebhook(tx, webhookId);
      const [delivery] = await tx
        .select()
        .from(deliveries)
        .where(and(eq(deliveries.id, id), eq(deliveries.state, "waiting")));
      if (delivery) await endDeliveries(tx, webhookId, [delivery], "failed", "It waited for 30 days");
    });
}
