import { storefront } from "@footprint/contract/storefront.ts";
import { website } from "@footprint/contract/website.ts";
import { sql } from "drizzle-orm";
import { beforeEach, expect, inject, test } from "vitest";
import { orders, trackingCodes } from "../db/schema.ts";
import { checkBooks } from "../money/books.ts";
import { addCustomer, addLabelType, balanceOf, someAddresses, transfersOf } from "../testing/builders.ts";
import { untilTheyWait } from "../testing/races.ts";
import { call, db, logRows } from "../testing/server.ts";

let shop: { token: string };

beforeEach(async () => {
  const { body } = await call("admin", website.createApiKey, { body: { name: "Main shop" } });
  shop = { token: body.key };
  await addLabelType({ uid: "own", kind: "shipv2", tiers: [[0, 5, 4]] });
});

const onPostgres = test.skipIf(inject("embeddedDump"));

let keys = 0;
type Wanted = { discordId: string; labelType?: string; weight?: number; key?: string };
function buy({ discordId, labelType = "own", weight = 1, key = `together-${++keys}` }: Wanted) {
  const body = { discordId, labelType, weight, ...someAddresses, fromCountry: "US", toCountry: "US" };
  return call(shop, storefront.createOrder, { body, headers: { "idempotency-key": key } });
}

const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

/** In how many transactions all orders were made. */
async function transactionsOfOrders() {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(distinct xmin::text)::int as count from ${orders}`,
  );
  return rows[0]?.count;
}

test("orders that arrive at once are made together, and each leaves all that it leaves alone", async () => {
  const [maren, lena] = [await addCustomer({ balance: 400 }), await addCustomer({ balance: 400 })];
  const answers = await Promise.all(times(40, () => buy(keys % 2 ? maren : lena)));
  expect(statuses(answers)).toEqual(Array(40).fill(201));
  expect(await transactionsOfOrders()).toBeLessThan(20);
  for (const customer of [maren, lena]) {
    expect(await balanceOf(customer)).toBe(320);
    const moved = await transfersOf(customer);
    expect(moved.map(({ balanceAfter }) => balanceAfter)).toEqual(times(20, () => 0).map((_, n) => 396 - 4 * n));
    const own = answers.filter(({ body }) => body.order.user._id === customer.id);
    expect(own.map(({ body }) => body.order._id).sort()).toEqual(moved.map(({ reference }) => reference).sort());
    for (const { body } of own)
      expect(moved.find(({ reference }) => reference === body.order._id)?.balanceAfter).toBe(body.balance);
  }
  const actions = (await logRows()).map(({ action }) => action);
  for (const { body } of answers)
    expect(
      actions.filter((action) => action.includes(body.order.uuid)),
      body.order.uuid,
    ).toHaveLength(1);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("of orders that arrive at once each gets its own refusal, and may be sent again", async () => {
  await addLabelType({ uid: "off", kind: "shipv2", active: false, tiers: [[0, 5, 1]] });
  const rich = await addCustomer({ balance: 100 });
  const poor = await addCustomer({ balance: 10 });
  const disabled = await addCustomer({ balance: 10, active: false });
  const wrong: [Wanted, number][] = [
    [{ discordId: "nobody" }, 404],
    [{ ...rich, labelType: "none" }, 404],
    [{ ...rich, labelType: "off" }, 400],
    [{ ...rich, weight: 6 }, 400],
    [disabled, 403],
  ];
  const asked = [
    ...wrong.map(([{ discordId, ...other }, status], place) => [
      { ...other, discordId, key: `wrong-${place}` },
      status,
    ]),
    ...times(5, () => [{ discordId: rich.discordId }, 201]),
  ] as [Wanted, number][];
  const poorOnes = times(4, () => buy({ discordId: poor.discordId }));
  const answers = await Promise.all(asked.map(([wanted]) => buy(wanted)));
  expect(statuses(answers)).toEqual(asked.map(([, status]) => status));
  expect(statuses(await Promise.all(poorOnes)).sort()).toEqual([201, 201, 402, 402]);
  expect([await balanceOf(rich), await balanceOf(poor)]).toEqual([80, 2]);
  for (const place of wrong.keys())
    expect((await buy({ discordId: rich.discordId, key: `wrong-${place}` })).status).toBe(201);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a key that is sent several times at once buys once, and for another order is refused", async () => {
  const customer = await addCustomer({ balance: 100 });
  const key = "the-same";
  const same = times(6, () => buy({ discordId: customer.discordId, key }));
  const others = times(6, () => buy({ discordId: customer.discordId }));
  const answers = await Promise.all(same);
  expect(statuses(answers)).toEqual(Array(6).fill(201));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(statuses(await Promise.all(others))).toEqual(Array(6).fill(201));
  const [other] = await Promise.all([
    buy({ discordId: customer.discordId, weight: 2, key }),
    ...times(3, () => buy({ discordId: customer.discordId })),
  ]);
  expect(other.status).toBe(409);
  expect(await balanceOf(customer)).toBe(100 - 4 * 10);
});

test.each([
  ["whose last statement fails", "create trigger refuse before insert on idempotent_replies"],
  [
    "whose commit fails",
    "create constraint trigger refuse after insert on idempotent_replies deferrable initially deferred",
  ],
])("orders %s have moved nothing, and may be sent again", async (_, trigger) => {
  const maren = await addCustomer({ balance: 100 });
  const wanted = times(5, () => ({ ...maren, key: `again-${++keys}` }));
  const run = (text: string) => db.execute(sql.raw(text));
  await run("create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'");
  await run(`${trigger} for each row execute function refuse()`);
  try {
    expect(statuses(await Promise.all(wanted.map(buy)))).toEqual(Array(5).fill(500));
  } finally {
    await run("drop function refuse cascade");
  }
  expect(await balanceOf(maren)).toBe(100);
  expect(await db.$count(orders)).toBe(0);
  expect((await logRows()).filter(({ action }) => action.startsWith("Sold"))).toEqual([]);

  const answers = await Promise.all(wanted.map(buy));
  expect(statuses(answers)).toEqual(Array(5).fill(201));
  const repeated = await Promise.all(wanted.map(buy));
  expect(repeated.map(({ body }) => body)).toEqual(answers.map(({ body }) => body));
  expect(await balanceOf(maren)).toBe(80);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("when codes run out, some of the orders that arrive at once get them, and the others cost nothing", async () => {
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  const left = times(5, () => `94${String(++keys).padStart(20, "0")}`);
  await db
    .insert(trackingCodes)
    .values(left.map((code) => ({ code, type: "priority" as const, template: "evs" as const })));
  const customer = await addCustomer({ balance: 100 });
  const coded = times(12, () => buy({ discordId: customer.discordId, labelType: "priority" }));
  const others = times(6, () => buy({ discordId: customer.discordId }));
  const answers = await Promise.all(coded);
  const sold = answers.filter(({ status }) => status === 201);
  expect(sold.map(({ body }) => body.order.tracking).sort()).toEqual(left);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
  expect(statuses(await Promise.all(others))).toEqual(Array(6).fill(201));
  expect(await balanceOf(customer)).toBe(100 - 5 - 6 * 4);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test("a code that turns up behind those that were sold before it is sold too", async () => {
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  const customer = await addCustomer({ balance: 100 });
  const register = (createdAt: Date, codes: string[]) =>
    db
      .insert(trackingCodes)
      .values(codes.map((code) => ({ code, type: "priority" as const, template: "evs" as const, createdAt })));
  const codes = times(8, () => `94${String(++keys).padStart(20, "0")}`);
  await register(new Date(), codes.slice(0, 4));
  const first = await Promise.all(times(3, () => buy({ discordId: customer.discordId, labelType: "priority" })));
  await register(new Date("2020-01-01"), codes.slice(4));
  const rest = await Promise.all(times(5, () => buy({ discordId: customer.discordId, labelType: "priority" })));
  expect([...first, ...rest].map(({ body }) => body.order.tracking).sort()).toEqual(codes);
  expect((await buy({ discordId: customer.discordId, labelType: "priority" })).status).toBe(409);
});

onPostgres("nobody waits for a customer whom somebody else is working for", async () => {
  const [held, free] = [await addCustomer({ balance: 100 }), await addCustomer({ balance: 100 })];
  let waiting: ReturnType<typeof buy>[] = [];
  await db.transaction(async (tx) => {
    await tx.execute(sql`select from customers where id = ${held.id} for update`);
    waiting = times(10, () => buy({ discordId: held.discordId }));
    // One for each of the two servers; the other calls about this customer wait with it.
    await untilTheyWait(tx, 2);
    expect(statuses(await Promise.all(times(10, () => buy({ discordId: free.discordId }))))).toEqual(
      Array(10).fill(201),
    );
  });
  expect(statuses(await Promise.all(waiting))).toEqual(Array(10).fill(201));
  expect([await balanceOf(held), await balanceOf(free)]).toEqual([60, 60]);
});

onPostgres("nobody but a repeat waits for what was sent first", async () => {
  const [held, free] = [await addCustomer({ balance: 100 }), await addCustomer({ balance: 100 })];
  const key = "slow";
  let repeated: ReturnType<typeof buy>[] = [];
  await db.transaction(async (tx) => {
    await tx.execute(sql`select from customers where id = ${held.id} for update`);
    const first = buy({ discordId: held.discordId, key });
    await untilTheyWait(tx, 1);
    // Sent to both servers.
    repeated = [first, ...times(4, () => buy({ discordId: held.discordId, key }))];
    await untilTheyWait(tx, 2);
    expect(statuses(await Promise.all(times(10, () => buy({ discordId: free.discordId }))))).toEqual(
      Array(10).fill(201),
    );
  });
  const answers = await Promise.all(repeated);
  expect(statuses(answers)).toEqual(Array(5).fill(201));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect([await balanceOf(held), await balanceOf(free)]).toEqual([96, 60]);
});

test("a key that was deleted a moment after an order buys nothing more, and is told nothing of what it sent", async () => {
  const customer = await addCustomer({ balance: 100 });
  // Sent to both servers.
  expect(statuses(await Promise.all(times(4, () => buy(customer))))).toEqual(Array(4).fill(201));
  const { keys } = (await call("admin", website.listApiKeys, {})).body;
  const own = keys.find(({ name }) => name === "Main shop");
  await call("admin", website.deleteApiKey, { params: { id: own?._id ?? "" } });
  const wrong = { ...customer, weight: -1 };
  const refused = await Promise.all([...times(4, () => buy(customer)), ...times(4, () => buy(wrong))]);
  expect(statuses(refused)).toEqual(Array(8).fill(401));
  expect(await balanceOf(customer)).toBe(84);
});
