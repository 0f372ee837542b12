import { isDeepStrictEqual } from "node:util";
import { badInput, refusal } from "@footprint/contract/refusal.ts";
import { webhooks as contract } from "@footprint/contract/webhooks.ts";
import { and, asc, count as countOf, eq, getTableColumns, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import type { Config } from "../config.ts";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { customers, webhookDeliveries as deliveries, events, webhooks, webhookTries } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportList } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { numberEverything } from "../outbox/numbering.ts";
import { isInside } from "../webhooks/addresses.ts";
import {
  addDeliveries,
  addTries,
  type Delivery,
  endDeliveries,
  eventColumns,
  forgetFailures,
  hasSucceeded,
  isResting,
  lockWebhook,
  noCustomer,
  pause,
  placeOf,
  resume,
  typesOf,
  type Webhook,
  waiting,
} from "../webhooks/deliveries.ts";
import { insideProblem, send } from "../webhooks/sending.ts";
import { bodyOf, headersOf, newSecret, secretsOf } from "../webhooks/signing.ts";

/** Few, since each is asked for news twice a second. */
const most = 20;
const creatingLock = sql.raw("74000010");
/** Most events sent again at once. */
const mostResent = 10_000;
const mostEvents = 100_000;

export const webhookRoutes = routes(contract, {
  async list({ db }) {
    const rows = await select(db).where(isNull(webhooks.deletedAt)).orderBy(asc(webhooks.createdAt), asc(webhooks.id));
    return { webhooks: rows.map(present) };
  },

  async create({ db, body, config, actor, transaction }) {
    refuseInside(body.url, config);
    // Earlier events get their number now, so the new webhook does not get them.
    await numberEverything(db);
    return transaction(async (tx) => {
      // One after the other: two calls at once would both find room for one more.
      await tx.execute(sql`select pg_advisory_xact_lock(${creatingLock})`);
      const [{ there } = { there: 0 }] = await tx
        .select({ there: countOf() })
        .from(webhooks)
        .where(isNull(webhooks.deletedAt));
      if (there >= most) throw refusal(409, `There are ${most} webhooks already: delete one that is not needed`);
      const id = uuidv7();
      const secret = newSecret();
      const position = sql<number>`coalesce((select max(position) from events), 0)`;
      await tx.insert(webhooks).values({ ...body, id, secret, position });
      await record(tx, actor, "website", `Created the webhook ${placeOf(body.url)}`, {
        after: body,
        about: about(id),
      });
      return { message: `Webhook ${placeOf(body.url)} created`, webhook: await read(tx, id), secret };
    });
  },

  async update({ params, body, config, actor, transaction }) {
    if (body.url !== undefined) refuseInside(body.url, config);
    return transaction(async (tx) => {
      const { id, url, events, note } = await locked(tx, params.id);
      const before = { url, events, note };
      const after = { url: body.url ?? url, events: body.events ?? events, note: body.note ?? note };
      const name = placeOf(after.url);
      if (isDeepStrictEqual(before, after))
        return { message: `Webhook ${name} is unchanged`, webhook: await read(tx, id) };
      await tx.update(webhooks).set(after).where(eq(webhooks.id, id));
      if (after.url !== url) await forgetFailures(tx, id);
      await record(tx, actor, "website", `Changed the webhook ${name}`, { before, after, about: about(id) });
      return { message: `Webhook ${name} saved`, webhook: await read(tx, id) };
    });
  },

  async remove({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const { id, url, events, note } = await locked(tx, params.id);
      // It may have millions of deliveries: housekeeping deletes them and then the webhook.
      await tx
        .update(webhooks)
        .set({
          deletedAt: sql`now()`,
          secret: "",
          oldSecret: null,
          oldSecretUntil: null,
          holder: null,
          heldUntil: null,
        })
        .where(eq(webhooks.id, id));
      await record(tx, actor, "website", `Deleted the webhook ${placeOf(url)}`, {
        before: { url, events, note },
        about: about(id),
      });
      return { message: `Webhook ${placeOf(url)} deleted` };
    });
  },

  async test({ db, params, config, actor, transaction }) {
    const delivery = { id: uuidv7(), webhookId: params.id, eventId: uuidv7() };
    let webhook: Webhook | undefined;
    let now = new Date();
    await transaction(async (tx) => {
      webhook = await locked(tx, params.id);
      now = await databaseTime(tx);
      await record(tx, actor, "website", `Sent a test event to the webhook ${placeOf(webhook.url)}`, {
        about: about(params.id),
      });
    });
    if (!webhook) throw unknown();
    const { url } = webhook;
    const body = bodyOf({ id: delivery.eventId, type: "test", createdAt: now, data: testData });
    const headers = headersOf(secretsOf(webhook, now), delivery.eventId, now, body);
    const outcome = await send(url, headers, body, { mayBePrivate: config.webhookPrivate });
    const state = hasSucceeded(outcome) ? "delivered" : "failed";
    await db.transaction(async (tx) => {
      await tx.insert(deliveries).values({ ...delivery, lane: noCustomer, type: "test", eventAt: now, state });
      await addTries(tx, [{ delivery: { id: delivery.id, tries: 0 }, outcome: { ...outcome, url, headers } }]);
    });
    const came = outcome.status === null ? outcome.problem : `It answered ${outcome.status}`;
    return {
      message: `${state === "delivered" ? "Delivered" : "Not delivered"}: ${came}, after ${outcome.duration} ms`,
      delivery: await readDelivery(db, delivery.id),
      answer: outcome.answer,
    };
  },

  async rotate({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const { id, url, secret: oldSecret } = await locked(tx, params.id);
      const secret = newSecret();
      await tx
        .update(webhooks)
        .set({ secret, oldSecret, oldSecretUntil: sql`now() + interval '24 hours'` })
        .where(eq(webhooks.id, id));
      await record(tx, actor, "website", `Made a new secret for the webhook ${placeOf(url)}`, { about: about(id) });
      return {
        message: `New secret for ${placeOf(url)}: the old one goes along for 24 hours`,
        webhook: await read(tx, id),
        secret,
      };
    });
  },

  async pause({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const { id, url, pausedAt, pausedByItself } = await locked(tx, params.id);
      if (pausedAt && !pausedByItself)
        return { message: `${placeOf(url)} is paused already`, webhook: await read(tx, id) };
      await pause(tx, id, `Paused by ${actor.username}`);
      await record(tx, actor, "website", `Paused the webhook ${placeOf(url)}`, { about: about(id) });
      return { message: `${placeOf(url)} is paused: what happens waits`, webhook: await read(tx, id) };
    });
  },

  async resume({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const { id, url } = await locked(tx, params.id);
      await resume(tx, id);
      await record(tx, actor, "website", `Resumed the webhook ${placeOf(url)}`, { about: about(id) });
      return { message: `Sending to ${placeOf(url)}, beginning with what waits`, webhook: await read(tx, id) };
    });
  },

  async deliveries({ db, params, query }) {
    const webhook = await read(db, params.id);
    const { rows, ...counts } = await pageOf(db, list, { ...query, search: "", webhook: params.id });
    return { webhook, deliveries: rows.map(presentDelivery), ...counts };
  },

  async exportDeliveries(call) {
    const { id } = await read(call.db, call.params.id);
    return exportList({ ...call, query: { ...call.query, search: "", webhook: id } }, list);
  },

  async delivery({ db, params }) {
    const delivery = await readDelivery(db, params.id);
    const tries = await db
      .select()
      .from(webhookTries)
      .where(eq(webhookTries.deliveryId, params.id))
      .orderBy(asc(webhookTries.number));
    const { id, type } = delivery.event;
    const [event] = await db.select({ data: events.data }).from(events).where(eq(events.id, id));
    const data = type === "test" ? testData : event?.data;
    const last = tries.at(-1);
    return {
      delivery,
      request: {
        url: last?.url ?? (await webhookOf(db, params.id)).url,
        headers: last?.headers ?? {},
        body: data ? bodyOf({ id, type, createdAt: delivery.event.timestamp, data }) : "",
      },
      tries,
    };
  },

  async resend({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const { webhook, delivery } = await lockedDelivery(tx, params.id);
      if (delivery.state === "waiting") throw refusal(409, "This waits to be sent already");
      const [event] = await tx.select(eventColumns).from(events).where(eq(events.id, delivery.eventId));
      if (!event)
        throw refusal(409, delivery.type === "test" ? "Send another test instead" : "This event is kept no longer");
      const [added = ""] = await addDeliveries(tx, webhook.id, [event], actor.username);
      await record(tx, actor, "website", `Sent ${event.type} again to the webhook ${placeOf(webhook.url)}`, {
        after: { event: event.id },
        about: about(webhook.id),
      });
      return {
        message: `Sending ${event.type} again${whilePaused(webhook)}`,
        delivery: await readDelivery(tx, added),
      };
    });
  },

  async giveUp({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const { webhook, delivery } = await lockedDelivery(tx, params.id);
      if (delivery.state !== "waiting") throw refusal(409, `This is ${delivery.state} already`);
      await endDeliveries(tx, webhook.id, [delivery], "failed", `Given up by ${actor.username}`);
      await record(tx, actor, "website", `Gave up ${delivery.type} for the webhook ${placeOf(webhook.url)}`, {
        after: { event: delivery.eventId },
        about: about(webhook.id),
      });
      return { message: `${delivery.type} is not tried any more`, delivery: await readDelivery(tx, delivery.id) };
    });
  },

  async resendPeriod({ params, body: { from, to, only }, actor, transaction }) {
    if (from > to) throw badInput("body.to", "The last day is before the first");
    return transaction(async (tx) => {
      const webhook = await locked(tx, params.id);
      const asked = and(
        // As subqueries, which are evaluated once and not for every row.
        sql`${events.createdAt} >= (select day_start(${from}::date))`,
        sql`${events.createdAt} < (select day_start(${to}::date + 1))`,
        // Later events are still to be sent for the first time.
        lte(events.position, webhook.position),
        inArray(events.type, typesOf(webhook)),
        only === "failed" ? isFailed(webhook.id) : undefined,
      );
      const found = tx.select({ id: events.id }).from(events).where(asked).limit(mostEvents).as("found");
      const [{ count } = { count: 0 }] = await tx.select({ count: countOf() }).from(found);
      if (count === 0) throw refusal(409, "There is nothing to send again on these days");
      if (count > mostResent)
        throw refusal(
          409,
          `These days have ${count < mostEvents ? "" : "more than "}${inWords(count)} events: take fewer days, at most ${inWords(mostResent)} events`,
        );
      const happened = await tx.select(eventColumns).from(events).where(asked).orderBy(asc(events.position));
      await addDeliveries(tx, webhook.id, happened, actor.username);
      const days = from === to ? from : `${from} to ${to}`;
      const what = `${inWords(count)} ${only === "failed" ? "failed " : ""}${count === 1 ? "event" : "events"}`;
      await record(tx, actor, "website", `Sent ${what} of ${days} again to the webhook ${placeOf(webhook.url)}`, {
        after: { from, to, only, count },
        about: about(webhook.id),
      });
      return { message: `Sending ${what} again${whilePaused(webhook)}`, count };
    });
  },
});

const inWords = (count: number) => count.toLocaleString("en-US");

/** The data of a test event. */
const testData = { message: "This is a test: nothing has happened" };

const about = (id: string) => ({ kind: "webhook" as const, id });

const unknown = () => refusal(404, "This webhook does not exist");
const unknownDelivery = () => refusal(404, "This delivery does not exist");

const whilePaused = ({ pausedAt }: Webhook) => (pausedAt ? ", once the webhook is resumed" : "");

/** Checked again at every try, since the name may lead elsewhere by then. */
function refuseInside(url: string, { webhookPrivate }: Config) {
  if (!webhookPrivate && isInside(new URL(url))) throw badInput("body.url", insideProblem);
}

async function locked(tx: Transaction, id: string): Promise<Webhook> {
  const webhook = await lockWebhook(tx, id);
  if (!webhook) throw unknown();
  return webhook;
}

/** As everywhere, the webhook is locked first. */
async function lockedDelivery(tx: Transaction, id: string): Promise<{ webhook: Webhook; delivery: Delivery }> {
  const isIt = eq(deliveries.id, id);
  const [found] = await tx.select().from(deliveries).where(isIt);
  const webhook = found && (await lockWebhook(tx, found.webhookId));
  const [delivery] = await tx.select().from(deliveries).where(isIt);
  if (!webhook || !delivery) throw unknownDelivery();
  return { webhook, delivery };
}

async function databaseTime(tx: Transaction): Promise<Date> {
  const [row] = await tx
    .select({ now: sql`clock_timestamp()`.mapWith(webhooks.createdAt) })
    .from(sql`(values (1)) as one`);
  return row?.now ?? new Date();
}

/** Neither delivered since nor on its way. */
function isFailed(webhookId: string): SQL {
  const has = (state: SQL) => sql`exists (
    select from webhook_deliveries where event_id = ${events.id} and webhook_id = ${webhookId} and state ${state})`;
  return sql`${has(sql`= 'failed'`)} and not ${has(sql`<> 'failed'`)}`;
}

/** A webhook with figures of its deliveries. */
const select = (db: Database | Transaction) => {
  const failing = sql`from webhook_deliveries where webhook_id = webhooks.id and is_first and next_try_at > 'epoch'`;
  return db
    .select({
      webhook: webhooks,
      nextTryAt: sql`(select min(next_try_at) ${failing})`.mapWith(webhooks.createdAt),
      isFailing: sql<boolean>`(retry_at is not null or exists (select ${failing}))`,
      waiting,
      hasOldSecret: sql<boolean>`coalesce(${webhooks.oldSecretUntil} > now(), false)`,
    })
    .from(webhooks)
    .$dynamic();
};

type Selected = Awaited<ReturnType<typeof select>>[number];

const present = ({ webhook, nextTryAt, isFailing, waiting, hasOldSecret }: Selected) => ({
  ...webhook,
  _id: webhook.id,
  state: webhook.pausedAt ? ("paused" as const) : isFailing ? ("failing" as const) : ("active" as const),
  waiting,
  nextTryAt: webhook.pausedAt || !isFailing ? null : isResting(webhook) ? webhook.retryAt : nextTryAt,
  oldSecretUntil: hasOldSecret ? webhook.oldSecretUntil : null,
});

async function read(db: Database | Transaction, id: string) {
  const [found] = await select(db).where(and(eq(webhooks.id, id), isNull(webhooks.deletedAt)));
  if (!found) throw unknown();
  return present(found);
}

const selectDeliveries = (db: Database | Transaction) =>
  db
    .select({ ...getTableColumns(deliveries), customer: customers.username })
    .from(deliveries)
    .leftJoin(customers, eq(customers.id, deliveries.lane))
    .$dynamic();

const presentDelivery = (delivery: Delivery & { customer: string | null }) => ({
  ...delivery,
  _id: delivery.id,
  event: { id: delivery.eventId, type: delivery.type, timestamp: delivery.eventAt },
  customer: delivery.customer === null ? null : { _id: delivery.lane, username: delivery.customer },
  nextTryAt: delivery.isFirst && delivery.nextTryAt.getTime() > 0 ? delivery.nextTryAt : null,
});

async function readDelivery(db: Database | Transaction, id: string) {
  const [found] = await selectDeliveries(db).where(eq(deliveries.id, id));
  if (!found) throw unknownDelivery();
  await webhookOf(db, id);
  return presentDelivery(found);
}

/** A deleted webhook shows nothing, though its deliveries may still exist. */
async function webhookOf(db: Database | Transaction, deliveryId: string): Promise<Webhook> {
  const [found] = await db
    .select({ webhook: webhooks })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .where(and(eq(deliveries.id, deliveryId), isNull(webhooks.deletedAt)));
  if (!found) throw unknownDelivery();
  return found.webhook;
}

/** Always for one webhook, with which all indexes begin. */
const list = listOf({
  name: "deliveries",
  table: deliveries,
  searched: { names: [], codes: [] },
  mostScanned: 20_000,
  filters: ({ webhook, customer, state, type }: Filters<typeof contract.deliveries> & { webhook: string }) => {
    const ofWebhook = ({ column, where }: ReturnType<typeof having>) => ({
      column,
      where: sql`${eq(deliveries.webhookId, webhook)} and ${where}`,
    });
    return [
      customer && ofWebhook(having(deliveries.lane, customer)),
      state !== "All" && ofWebhook(having(deliveries.state, state)),
      having(deliveries.webhookId, webhook),
      type && { where: eq(deliveries.type, type), hasNoIndex: true },
    ];
  },
  select: selectDeliveries,
  columns: {
    Id: deliveries.id,
    Created: deliveries.createdAt,
    "Event id": deliveries.eventId,
    Event: deliveries.type,
    Happened: deliveries.eventAt,
    "Customer id": sql`nullif(${deliveries.lane}, ${noCustomer})`,
    Customer: customers.username,
    State: deliveries.state,
    Tries: deliveries.tries,
    "Last try": deliveries.triedAt,
    Status: deliveries.status,
    Problem: deliveries.problem,
    "Duration ms": deliveries.duration,
    "Sent again by": deliveries.resentBy,
  },
});
