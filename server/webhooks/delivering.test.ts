import { notices } from "@footprint/contract/notices.ts";
import type { EventType } from "@footprint/contract/outbox.ts";
import { webhooks as contract } from "@footprint/contract/webhooks.ts";
import { asc, eq, sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { webhookDeliveries as deliveries, events, outbox, webhooks, webhookTries } from "../db/schema.ts";
import { addCustomer } from "../testing/builders.ts";
import { type Received, receiver } from "../testing/receiver.ts";
import { allowPrivateWebhooks, call, db, logRows } from "../testing/server.ts";
import { startDelivering } from "./delivering.ts";

const soon = { timeout: 30_000, interval: 20 };

/** A sending server; stopped when the test ends. */
function deliver(on = db) {
  const delivering = startDelivering(on, { mayBePrivate: true, limits: { connect: 5_000, total: 15_000 } }, (error) =>
    console.error(error),
  );
  onTestFinished(delivering.stop);
  return delivering;
}

async function addWebhook(url: string, types: EventType[] = []) {
  allowPrivateWebhooks();
  const { body } = await call("admin", contract.create, { body: { url, events: types } });
  return { id: body.webhook._id, secret: body.secret };
}

/** Adds an event as if it had happened and been numbered. */
async function happen(customerId: string | null, number: number, type: EventType = "customer.changed") {
  const [event] = await db
    .insert(events)
    .values({ id: uuidv7(), type, customerId, shopId: null, data: { number }, createdAt: new Date() })
    .returning();
  if (!event) throw new Error("not inserted");
  return event;
}

const numbersOf = (received: Received[]) => received.map(({ body }) => JSON.parse(body).data.number as number);
const allDeliveries = () => db.select().from(deliveries).orderBy(asc(deliveries.number));
const stateOf = async (id: string) => (await call("admin", contract.deliveries, { params: { id } })).body.webhook;

/** Makes all failed deliveries due, as if the pauses were over. */
const pausesAreOver = async () => {
  await db.update(deliveries).set({ nextTryAt: sql`now() - interval '1 second'` }).where(eq(deliveries.isFirst, true));
  await db.update(webhooks).set({ retryAt: sql`now() - interval '1 second'` }).where(sql`retry_at is not null`);
};

test("events are sent as the specification says, signed, with exactly the bytes that are shown", async () => {
  const shop = await receiver();
  const { id, secret } = await addWebhook(shop.url);
  const customer = await addCustomer();
  const event = await happen(customer.id, 1);
  deliver();
  await vi.waitFor(() => expect(shop.received).toHaveLength(1), soon);
  const [{ headers, body } = { headers: {}, body: "" }] = shop.received;
  expect(new Webhook(secret).verify(body, headers)).toEqual({
    ...{ id: event.id, type: "customer.changed", timestamp: event.createdAt.toISOString(), data: { number: 1 } },
  });
  expect(headers["webhook-id"]).toBe(event.id);
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow("No matching signature");
  await vi.waitFor(
    async () => expect(await allDeliveries()).toMatchObject([{ state: "delivered", status: 200 }]),
    soon,
  );
  const [delivery] = await allDeliveries();
  const story = await call("admin", contract.delivery, { params: { id: delivery?.id ?? "" } });
  expect(story.body.request.body).toBe(body);
  expect(story.body.request.headers).toMatchObject({ "webhook-signature": headers["webhook-signature"] });
  expect(story.body.delivery.customer).toEqual({ _id: customer.id, username: customer.username });
  expect(await stateOf(id)).toMatchObject({ state: "active", waiting: 0 });
});

test("a webhook hears of its types alone, and of nothing from before it", async () => {
  const shop = await receiver();
  await happen(null, 0, "price.changed");
  // Committed, but not numbered yet.
  await db.insert(outbox).values({ type: "price.changed", data: { number: -1 }, createdAt: sql`clock_timestamp()` });
  await addWebhook(shop.url, ["price.changed"]);
  await happen(null, 1, "codes.low");
  await happen(null, 2, "price.changed");
  deliver();
  await vi.waitFor(() => expect(numbersOf(shop.received)).toEqual([2]), soon);
});

test("a failed delivery is tried again; the same customer's events wait for it, and others' do not", async () => {
  const [first, second] = [uuidv7(), uuidv7()];
  let isBroken = true;
  const shop = await receiver((response, { body }) => {
    response.statusCode = isBroken && JSON.parse(body).data.number === 1 ? 500 : 204;
    response.end();
  });
  const { id } = await addWebhook(shop.url);
  for (const number of [1, 3, 5]) await happen(first, number);
  for (const number of [2, 4]) await happen(second, number);
  deliver();
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "failing", waiting: 3 }), soon);
  expect(numbersOf(shop.received).filter((number) => number % 2 === 0)).toEqual([2, 4]);
  isBroken = false;
  await pausesAreOver();
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "active", waiting: 0 }), soon);
  const ofFirst = numbersOf(shop.received).filter((number) => number % 2 === 1);
  expect(ofFirst.filter((number, place) => ofFirst.indexOf(number) === place)).toEqual([1, 3, 5]);
  const [delivery] = await allDeliveries();
  const { body } = await call("admin", contract.delivery, { params: { id: delivery?.id ?? "" } });
  expect(body.tries.map(({ status }) => status)).toEqual([...body.tries.slice(1).map(() => 500), 204]);
});

test("if everything fails only one delivery is tried, and its success sends all others at once", async () => {
  const shop = await receiver((response) => response.writeHead(503).end());
  const { id } = await addWebhook(shop.url);
  for (let number = 1; number <= 20; number++) await happen(uuidv7(), number);
  deliver();
  await vi.waitFor(async () => expect((await stateOf(id)).nextTryAt).not.toBeNull(), soon);
  await vi.waitFor(async () => expect((await db.select().from(webhooks))[0]?.failures).toBe(5), soon);
  // Those under way when it began to rest: eight at most.
  await vi.waitFor(async () => expect(await db.select().from(webhookTries)).toHaveLength(shop.received.length), soon);
  const before = shop.received.length;
  expect(before).toBeLessThan(20);
  await db.update(webhooks).set({ retryAt: sql`now() - interval '1 second'` });
  await vi.waitFor(async () => expect((await db.select().from(webhooks))[0]?.failures).toBe(6), soon);
  expect(shop.received).toHaveLength(before + 1);
  shop.answerWith((response) => response.end());
  await db.update(webhooks).set({ retryAt: sql`now() - interval '1 second'` });
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "active", waiting: 0 }), soon);
});

test("while everything fails, what has not been tried is left alone: there may be very much of it", async () => {
  const shop = await receiver((response) => response.writeHead(503).end());
  const { id } = await addWebhook(shop.url);
  for (let number = 1; number <= 20; number++) await happen(uuidv7(), number);
  const first = deliver();
  await vi.waitFor(async () => expect((await db.select().from(webhooks))[0]?.failures).toBeGreaterThanOrEqual(5), soon);
  await first.stop();
  /** The version of each row, which changes when the row is written again. */
  const untried = async () => {
    const { rows } = await db.execute<{ version: string }>(
      sql`select xmin::text as version from webhook_deliveries where tries = 0 order by number`,
    );
    return rows;
  };
  const before = await untried();
  expect(before.length).toBeGreaterThan(5);
  await db.update(webhooks).set({ retryAt: sql`now() + interval '1 hour'` });
  await happen(uuidv7(), 21);
  const second = deliver();
  // An event for another webhook: when it arrives, this one was looked at too.
  const other = await receiver();
  await addWebhook(other.url);
  await happen(uuidv7(), 22);
  await vi.waitFor(() => expect(numbersOf(other.received)).toEqual([22]), soon);
  await second.stop();
  expect(await allDeliveries()).toHaveLength(21);
  expect(await stateOf(id)).toMatchObject({ state: "failing", waiting: 22 });
  await call("admin", contract.resume, { params: { id } });
  expect((await untried()).slice(0, before.length)).toEqual(before);
  shop.answerWith((response) => response.end());
  deliver();
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "active", waiting: 0 }), soon);
  expect(numbersOf(shop.received)).toContain(22);
});

test("a webhook that rests says so, though nothing that failed is left; at another address it does not rest", async () => {
  const shop = await receiver((response) => response.writeHead(503).end());
  const { id } = await addWebhook(shop.url);
  for (let number = 1; number <= 20; number++) await happen(uuidv7(), number);
  deliver();
  await vi.waitFor(async () => expect((await db.select().from(webhooks))[0]?.failures).toBeGreaterThanOrEqual(5), soon);
  await vi.waitFor(async () => expect(await db.select().from(webhookTries)).toHaveLength(shop.received.length), soon);
  for (const { id, tries } of await allDeliveries())
    if (tries > 0) await call("admin", contract.giveUp, { params: { id } });
  await db.update(webhooks).set({ retryAt: sql`now() + interval '1 hour'` });
  const resting = await stateOf(id);
  expect(resting).toMatchObject({ state: "failing", nextTryAt: expect.any(String) });

  const mended = await receiver();
  await call("admin", contract.update, { params: { id }, body: { url: mended.url } });
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "active", waiting: 0 }), soon);
  expect(mended.received).toHaveLength(resting.waiting);
});

test("one slow receiver delays no other", async () => {
  const slow = await receiver(() => {});
  const quick = await receiver();
  await addWebhook(slow.url);
  await addWebhook(quick.url);
  for (let number = 1; number <= 30; number++) await happen(uuidv7(), number);
  deliver();
  await vi.waitFor(() => expect(quick.received).toHaveLength(30), soon);
  expect(slow.received.length).toBeLessThanOrEqual(8);
});

test("after three days of tries a webhook pauses itself, says so, and loses nothing", async () => {
  const shop = await receiver((response) => response.writeHead(500).end());
  const { id } = await addWebhook(shop.url);
  await happen(null, 1);
  await happen(null, 2);
  deliver();
  await vi.waitFor(async () => expect((await allDeliveries())[0]).toMatchObject({ tries: 1 }), soon);
  // The clock alone is no reason, since a server may have been off for days.
  await db.update(deliveries).set({ firstTriedAt: sql`now() - interval '4 days'` });
  await pausesAreOver();
  await vi.waitFor(async () => expect((await allDeliveries())[0]?.tries).toBe(2), soon);
  expect(await stateOf(id)).toMatchObject({ state: "failing" });

  await db.update(deliveries).set({ failures: 20 });
  await pausesAreOver();
  await vi.waitFor(
    async () => expect(await stateOf(id)).toMatchObject({ state: "paused", pausedByItself: true }),
    soon,
  );
  expect(await stateOf(id)).toMatchObject({ waiting: 2, pausedBecause: "It was tried for three days in vain" });
  const last = (await logRows()).at(-1);
  expect(last).toMatchObject({ admin: "system", type: "website" });
  expect(last?.action).toContain("tried for three days in vain");

  shop.answerWith((response) => response.end());
  await call("admin", contract.resume, { params: { id } });
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "active", waiting: 0 }), soon);
  expect(numbersOf(shop.received).slice(-2)).toEqual([1, 2]);
});

test("410 pauses at once; while paused what happens waits", async () => {
  const shop = await receiver((response) => response.writeHead(410).end());
  const { id } = await addWebhook(shop.url);
  await happen(null, 1);
  deliver();
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "paused", waiting: 1 }), soon);
  await happen(null, 2);
  expect(await stateOf(id)).toMatchObject({
    state: "paused",
    waiting: 2,
    pausedBecause: "The receiver answered 410 Gone",
  });
  await vi.waitFor(async () => {
    const { body } = await call("admin", notices.list);
    expect(body.groups).toMatchObject([{ kind: "webhooks", notices: [{ to: `/website/webhooks/${id}`, done: "" }] }]);
  }, soon);
});

test("paused by hand nothing is sent; resumed everything is", async () => {
  const shop = await receiver();
  const other = await receiver();
  const { id } = await addWebhook(shop.url);
  await addWebhook(other.url);
  await call("admin", contract.pause, { params: { id } });
  deliver();
  await happen(null, 1);
  await vi.waitFor(() => expect(other.received).toHaveLength(1), soon);
  expect(shop.received).toEqual([]);
  expect(await stateOf(id)).toMatchObject({ state: "paused", pausedBecause: "Paused by admin", waiting: 1 });
  await call("admin", contract.resume, { params: { id } });
  await vi.waitFor(() => expect(shop.received).toHaveLength(1), soon);
});

test("a new secret signs beside the old one for a day", async () => {
  const shop = await receiver();
  const { id, secret: old } = await addWebhook(shop.url);
  const { body: rotated } = await call("admin", contract.rotate, { params: { id } });
  await happen(null, 1);
  deliver();
  await vi.waitFor(() => expect(shop.received).toHaveLength(1), soon);
  const verify = (secret: string, { body, headers } = shop.received.at(-1) as Received) =>
    new Webhook(secret).verify(body, headers);
  expect(verify(old)).toEqual(verify(rotated.secret));
  expect(rotated.webhook.oldSecretUntil).not.toBeNull();
  await db.update(webhooks).set({ oldSecretUntil: sql`now() - interval '1 second'` });
  await happen(null, 2);
  await vi.waitFor(() => expect(shop.received).toHaveLength(2), soon);
  expect(() => verify(old)).toThrow();
  expect(verify(rotated.secret)).toMatchObject({ data: { number: 2 } });
});

test("an event is sent again, singly and for some days; what stands in the way is given up", async () => {
  const shop = await receiver();
  const { id } = await addWebhook(shop.url);
  const event = await happen(null, 1);
  await happen(null, 2);
  deliver();
  await vi.waitFor(async () => expect((await stateOf(id)).lastDeliveredAt).not.toBeNull(), soon);
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ waiting: 0 }), soon);
  const [delivery] = await allDeliveries();
  const resent = await call("admin", contract.resend, { params: { id: delivery?.id ?? "" } });
  expect(resent.body.delivery).toMatchObject({ resentBy: "admin", event: { id: event.id } });
  await vi.waitFor(() => expect(numbersOf(shop.received)).toEqual([1, 2, 1]), soon);
  expect(shop.received[2]?.headers["webhook-id"]).toBe(event.id);

  const day = new Date().toISOString().slice(0, 10);
  const days = { from: day, to: day };
  const period = await call("admin", contract.resendPeriod, { params: { id }, body: days });
  expect(period.body).toMatchObject({ count: 2 });
  await vi.waitFor(() => expect(numbersOf(shop.received)).toEqual([1, 2, 1, 1, 2]), soon);
  const failed = await call("admin", contract.resendPeriod, { params: { id }, body: { ...days, only: "failed" } });
  expect(failed.status).toBe(409);

  shop.answerWith((response) => response.writeHead(500).end());
  await happen(null, 3);
  await happen(null, 4);
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "failing", waiting: 2 }), soon);
  const stuck = (await allDeliveries()).find(({ isFirst }) => isFirst);
  shop.answerWith((response) => response.end());
  await call("admin", contract.giveUp, { params: { id: stuck?.id ?? "" } });
  await vi.waitFor(() => expect(numbersOf(shop.received).at(-1)).toBe(4), soon);
  const again = await call("admin", contract.resendPeriod, { params: { id }, body: { ...days, only: "failed" } });
  expect(again.body).toMatchObject({ count: 1 });
  await vi.waitFor(() => expect(numbersOf(shop.received).at(-1)).toBe(3), soon);
});

test("a server that has died leaves what it was at to another, which no clock keeps from it", async () => {
  const shop = await receiver();
  const { id } = await addWebhook(shop.url);
  await happen(null, 1);
  const until = (moment: ReturnType<typeof sql>) =>
    db.update(webhooks).set({ holder: uuidv7(), heldUntil: moment }).where(eq(webhooks.id, id));
  await until(sql`now() + interval '14 seconds'`);
  deliver();
  const other = await receiver();
  await addWebhook(other.url);
  await happen(null, 2);
  await vi.waitFor(() => expect(other.received).toHaveLength(1), soon);
  expect(shop.received).toEqual([]);
  await until(sql`now() - interval '1 second'`);
  await vi.waitFor(() => expect(numbersOf(shop.received)).toEqual([1, 2]), soon);

  await vi.waitFor(async () => expect((await db.select().from(webhooks))[0]?.holder).toBeNull(), soon);
  await happen(null, 3);
  // Given before the clock was set back by a year.
  await until(sql`now() + interval '1 year'`);
  await vi.waitFor(() => expect(numbersOf(shop.received)).toEqual([1, 2, 3]), soon);
});

test("what was tried before the clock was set back is due", async () => {
  const shop = await receiver((response) => response.writeHead(500).end());
  const { id } = await addWebhook(shop.url);
  await happen(null, 1);
  const first = deliver();
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "failing" }), soon);
  await first.stop();
  await db
    .update(deliveries)
    .set({ triedAt: sql`now() + interval '1 year'`, nextTryAt: sql`now() + interval '1 year 1 minute'` });
  shop.answerWith((response) => response.end());
  deliver();
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "active", waiting: 0 }), soon);
});

test("two servers share the work: nothing is lost, nothing sent twice, all in order", async () => {
  const shop = await receiver();
  await addWebhook(shop.url);
  deliver();
  deliver();
  const customers = [uuidv7(), uuidv7(), uuidv7()];
  for (let number = 1; number <= 60; number++) await happen(customers[number % 3] ?? null, number);
  await vi.waitFor(() => expect(shop.received).toHaveLength(60), soon);
  const numbers = numbersOf(shop.received);
  expect(new Set(numbers).size).toBe(60);
  for (const rest of [0, 1, 2]) {
    const ofOne = numbers.filter((number) => number % 3 === rest);
    expect(ofOne).toEqual([...ofOne].sort((a, b) => a - b));
  }
});

test("a server that is stopped between an answer and its record sends the event again, before any other", async () => {
  let answers = 0;
  const shop = await receiver((response) => {
    answers++;
    if (answers > 1) response.end();
  });
  const { id } = await addWebhook(shop.url);
  await happen(null, 1);
  await happen(null, 2);
  const killed = deliver();
  await vi.waitFor(() => expect(shop.received).toHaveLength(1), soon);
  await killed.stop();
  expect(await allDeliveries()).toMatchObject([{ tries: 0 }, { tries: 0 }]);
  deliver();
  await vi.waitFor(() => expect(numbersOf(shop.received)).toEqual([1, 1, 2]), soon);
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ waiting: 0 }), soon);
});

test("a delivery whose event is gone is ended, and what comes after it goes on", async () => {
  const shop = await receiver((response) => response.writeHead(500).end());
  const { id } = await addWebhook(shop.url);
  const event = await happen(null, 1);
  await happen(null, 2);
  deliver();
  await vi.waitFor(async () => expect(await stateOf(id)).toMatchObject({ state: "failing" }), soon);
  await db.delete(events).where(eq(events.id, event.id));
  shop.answerWith((response) => response.end());
  await pausesAreOver();
  await vi.waitFor(() => expect(numbersOf(shop.received).at(-1)).toBe(2), soon);
  expect((await allDeliveries())[0]).toMatchObject({ state: "failed", problem: "Its event is kept no longer" });
});

test("a webhook that is deleted hears of nothing more", async () => {
  const shop = await receiver(() => {});
  const other = await receiver();
  const { id } = await addWebhook(shop.url);
  await addWebhook(other.url);
  await happen(null, 1);
  const { stop } = deliver();
  await vi.waitFor(() => expect([shop.received.length, other.received.length]).toEqual([1, 1]), soon);
  await call("admin", contract.remove, { params: { id } });
  await happen(null, 2);
  await vi.waitFor(() => expect(other.received).toHaveLength(2), soon);
  expect(shop.received).toHaveLength(1);
  await stop();
});
