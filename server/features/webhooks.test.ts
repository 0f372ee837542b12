import { dashboard } from "@footprint/contract/dashboard.ts";
import { deliveryStates, webhooks } from "@footprint/contract/webhooks.ts";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { webhookDeliveries as deliveriesTable, events, webhooks as webhooksTable, webhookTries } from "../db/schema.ts";
import { tidy } from "../operations/housekeeping.ts";
import { addCustomer } from "../testing/builders.ts";
import { receiver } from "../testing/receiver.ts";
import { allowPrivateWebhooks, call, db, engine, logRows, send } from "../testing/server.ts";
import { addDeliveries } from "../webhooks/deliveries.ts";

const url = "https://shop.example.com/hooks";

async function add(body: { url?: string; note?: string } = {}) {
  const { body: made } = await call("admin", webhooks.create, { body: { url, ...body } });
  return { ...made.webhook, secret: made.secret };
}

test("a webhook is made, its secret shown once, changed, and deleted", async () => {
  const made = await call("admin", webhooks.create, { body: { url, events: ["order.refunded"], note: "The shop" } });
  expect(made.status).toBe(201);
  expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const { _id } = made.body.webhook;
  expect(made.body.webhook).toMatchObject({ url, events: ["order.refunded"], note: "The shop", state: "active" });

  const changed = await call("admin", webhooks.update, { params: { id: _id }, body: { events: [] } });
  expect(changed.body.webhook).toMatchObject({ url, events: [], note: "The shop" });
  const listed = await call("admin", webhooks.list);
  expect(listed.body.webhooks).toHaveLength(1);
  expect(JSON.stringify([listed.body, changed.body])).not.toContain("whsec_");

  expect((await call("admin", webhooks.remove, { params: { id: _id } })).status).toBe(200);
  expect((await call("admin", webhooks.list)).body.webhooks).toEqual([]);
  expect((await call("admin", webhooks.remove, { params: { id: _id } })).status).toBe(404);
  const log = await logRows();
  expect(log.map(({ action }) => action)).toEqual([
    "Created the webhook shop.example.com",
    "Changed the webhook shop.example.com",
    "Deleted the webhook shop.example.com",
  ]);
  expect(JSON.stringify(log)).not.toContain("whsec_");
});

test("a test event is sent at once, and is on record", async () => {
  allowPrivateWebhooks();
  const shop = await receiver((response) => response.end("thanks\0"));
  const { _id } = await add({ url: shop.url });
  const { body } = await call("admin", webhooks.test, { params: { id: _id } });
  expect(body).toMatchObject({ answer: "thanks\ufffd", delivery: { state: "delivered", status: 200 } });
  const listed = await call("admin", webhooks.deliveries, { params: { id: _id } });
  expect(listed.body).toMatchObject({ total: 1, deliveries: [{ _id: body.delivery._id, event: { type: "test" } }] });
  const story = await call("admin", webhooks.delivery, { params: { id: body.delivery._id } });
  expect(story.body.tries).toMatchObject([{ number: 1, status: 200, answer: "thanks\ufffd" }]);
});

test("there are at most twenty, however many are made at once", async () => {
  for (let place = 0; place < 18; place++) await add();
  const made = await Promise.all([1, 2, 3, 4].map(() => call("admin", webhooks.create, { body: { url } })));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
  const [first] = (await call("admin", webhooks.list)).body.webhooks;
  await call("admin", webhooks.remove, { params: { id: first?._id ?? "" } });
  expect((await call("admin", webhooks.create, { body: { url } })).status).toBe(201);
});

/** An event on its way to a webhook. */
async function addDelivery(webhook: string, { customer = null as string | null, at = new Date() } = {}) {
  const [event] = await db
    .insert(events)
    .values({ id: uuidv7(), type: "customer.changed", customerId: customer, shopId: null, data: {}, createdAt: at })
    .returning();
  const [id = ""] = await db.transaction((tx) => addDeliveries(tx, webhook, event ? [event] : []));
  return { id };
}

test("deliveries are listed newest first, by state, type, customer and day, of one webhook alone", async () => {
  const { _id } = await add();
  const other = await add();
  const [lena, tobias] = [await addCustomer(), await addCustomer()];
  const all: string[] = [];
  for (let place = 0; place < 12; place++) {
    const { id } = await addDelivery(_id, { customer: (place % 2 === 0 ? lena : tobias).id });
    const state = deliveryStates[place % 3] ?? "waiting";
    await db.update(deliveriesTable).set({ state, isFirst: false }).where(eq(deliveriesTable.id, id));
    all.unshift(id);
    await addDelivery(other._id, { customer: lena.id });
  }
  const ask = async (query: object) => {
    const { body } = await call("admin", webhooks.deliveries, { params: { id: _id }, query });
    return { ids: body.deliveries.map((delivery) => delivery._id), total: body.total, pages: body.totalPages };
  };
  const where = (keep: (place: number) => boolean) => all.filter((_, place) => keep(11 - place));
  expect(await ask({ limit: 5, page: 2 })).toEqual({ ids: all.slice(5, 10), total: 12, pages: 3 });
  expect(await ask({ sort: "asc", limit: 5 })).toEqual({ ids: all.toReversed().slice(0, 5), total: 12, pages: 3 });
  expect((await ask({ state: "failed" })).ids).toEqual(where((place) => place % 3 === 2));
  expect((await ask({ customer: lena.id })).ids).toEqual(where((place) => place % 2 === 0));
  expect((await ask({ customer: lena.id, state: "waiting" })).ids).toEqual(where((place) => place % 6 === 0));
  expect(await ask({ type: "customer.changed" })).toMatchObject({ total: 12 });
  expect(await ask({ type: "codes.low" })).toMatchObject({ ids: [], total: 0 });
  expect(await ask({ from: "2020-01-01", to: "2020-01-31" })).toMatchObject({ ids: [], total: 0 });
  expect(await ask({ from: "2020-01-01" })).toMatchObject({ total: 12 });
});

test("deliveries are exported with the list's own filters", async () => {
  const { _id } = await add();
  const other = await add();
  const lena = await addCustomer({ username: "=lena" });
  const [first, second] = [await addDelivery(_id, { customer: lena.id }), await addDelivery(_id)];
  await addDelivery(other._id);
  const rows = async (query: object) => {
    const answer = await send("admin", webhooks.exportDeliveries, { params: { id: _id }, query });
    expect(answer.status).toBe(200);
    return (await answer.text()).trim().split(/\r?\n/).slice(1);
  };
  expect((await rows({ sort: "asc" })).map((row) => row.slice(0, 36))).toEqual([first.id, second.id]);
  const [ofLena = "", ...more] = await rows({ customer: lena.id, state: "waiting" });
  expect(more).toEqual([]);
  expect(ofLena).toContain("customer.changed");
  expect(ofLena).toContain("'=lena");
  expect((await logRows()).at(-1)?.action).toContain("Exported deliveries");
  expect((await call("staff", webhooks.exportDeliveries, { params: { id: _id } })).status).toBe(403);
  expect((await call("admin", webhooks.exportDeliveries, { params: { id: uuidv7() } })).status).toBe(404);
});

test("housekeeping deletes what happened more than 30 days ago, and all of a webhook that was deleted", async () => {
  const [kept, deleted] = [await add(), await add()];
  const old = new Date(Date.now() - 31 * 86_400_000);
  const customer = uuidv7();
  const first = await addDelivery(kept._id, { customer, at: old });
  const second = await addDelivery(kept._id, { customer });
  await addDelivery(deleted._id);
  const tried = { url, headers: {}, status: 500, problem: "", duration: 1, answer: "", at: new Date() };
  for (const { id } of [first, second]) await db.insert(webhookTries).values({ ...tried, deliveryId: id, number: 1 });
  await call("admin", webhooks.remove, { params: { id: deleted._id } });
  await tidy(engine);
  const left = await db.select().from(deliveriesTable);
  expect(left).toMatchObject([{ id: second.id, state: "waiting", isFirst: true }]);
  expect(await db.select().from(webhookTries)).toMatchObject([{ deliveryId: second.id }]);
  expect(await db.select().from(webhooksTable)).toMatchObject([{ id: kept._id }]);
});

test("nothing of a webhook's is shown once it is deleted, and its secret is gone", async () => {
  const { _id } = await add();
  const { id } = await addDelivery(_id);
  await call("admin", webhooks.remove, { params: { id: _id } });
  expect((await call("admin", webhooks.deliveries, { params: { id: _id } })).status).toBe(404);
  expect((await call("admin", webhooks.delivery, { params: { id } })).status).toBe(404);
  expect((await call("admin", webhooks.resend, { params: { id } })).status).toBe(404);
  expect(await db.select().from(webhooksTable)).toMatchObject([{ secret: "", oldSecret: null }]);
});

test("the dashboard tells of webhooks that paused themselves or keep failing, and of no others", async () => {
  const attention = async () => (await call("admin", dashboard.attention)).body.webhooks;
  const [well, failing, paused, byHand] = [await add(), await add(), await add(), await add()];
  const { id } = await addDelivery(failing._id);
  await addDelivery(well._id);
  await call("admin", webhooks.pause, { params: { id: byHand._id } });
  expect(await attention()).toEqual([]);
  const later = sql`now() + interval '5 minutes'`;
  await db.update(deliveriesTable).set({ failures: 6, nextTryAt: later }).where(eq(deliveriesTable.id, id));
  await db
    .update(webhooksTable)
    .set({ pausedAt: sql`now()`, pausedByItself: true })
    .where(eq(webhooksTable.id, paused._id));
  expect(await attention()).toEqual([
    { _id: paused._id, name: "shop.example.com", isPaused: true },
    { _id: failing._id, name: "shop.example.com", isPaused: false },
  ]);
});

test("more than 10,000 events are not sent again at once", async () => {
  const { _id } = await add();
  await db.execute(sql`
    insert into events (id, type, customer_id, data, created_at)
    select gen_random_uuid(), 'customer.changed', md5((n % 3000)::text)::uuid, '{}', now()
    from generate_series(1, 10001) as n`);
  await db.update(webhooksTable).set({ position: sql`(select max(position) from events)` });
  const day = new Date().toISOString().slice(0, 10);
  const period = (body: { from: string; to: string }) =>
    call("admin", webhooks.resendPeriod, { params: { id: _id }, body });
  const { status, body } = await period({ from: day, to: day });
  expect(status).toBe(409);
  expect(body.message).toContain("10,001");
  expect((await period({ from: day, to: "2020-01-01" })).status).toBe(400);
  expect(await db.select().from(deliveriesTable)).toEqual([]);
  await db.delete(events).where(sql`position = (select max(position) from events)`);
  expect((await period({ from: day, to: day })).body).toMatchObject({ count: 10_000 });
  const { waiting } = (await call("admin", webhooks.deliveries, { params: { id: _id } })).body.webhook;
  expect(waiting).toBe(1_000);
});
