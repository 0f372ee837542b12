import { logs } from "@footprint/contract/logs.ts";
import { staff } from "@footprint/contract/staff.ts";
import { moneyRules, unusual, unusualRules } from "@footprint/contract/unusual.ts";
import { users } from "@footprint/contract/users.ts";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders, transfers, unusualEvents, unusualLooks } from "../db/schema.ts";
import { seededRandom } from "../demo/random.ts";
import { daysUntil, today } from "../lists/counters.ts";
import { lookForUnusual } from "../money/unusual-look.ts";
import { addCustomer, addLabelType } from "../testing/builders.ts";
import { follow, tells } from "../testing/follower.ts";
import { addPast, addPastOrders, type Past } from "../testing/ledger.ts";
import { addAccount, call, db, logRows, moveBusinessTo } from "../testing/server.ts";
import { addBalance, problems } from "../testing/transfers.ts";

const look = () => lookForUnusual(db, { distance: "0" });
const list = async (query: object = {}) => (await call("admin", unusual.list, { query })).body;
const hour = 3_600_000;
const day = 24 * hour;
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);

/** A customer who deposited and bought nothing: the simplest event. */
async function idleDeposit(amount = 500) {
  const customer = await addCustomer({ createdAt: ago(90 * day) });
  await addPast(customer, [{ at: ago(4 * day), kind: "deposit", amount }]);
  return customer;
}

test("an unusual event is noticed once, however often and however many servers look", async () => {
  const customer = await idleDeposit(500);
  await Promise.all([look(), look(), look()]);
  await look();
  const { events, total } = await list({ status: "open" });
  expect(total).toBe(1);
  expect(events).toMatchObject([
    { rule: "deposits", name: customer.username, user: { _id: customer.id }, seen: 500, usual: null, dismissed: null },
  ]);
  const noticed = (await logRows()).filter(({ action }) => action.startsWith("Noticed"));
  expect(noticed).toMatchObject([{ admin: "system", type: "user", after: { rule: "deposits", seen: 500 } }]);
  expect(await problems()).not.toContainEqual(expect.stringContaining("unusual events"));
});

test("a day that goes on tells how much it has come to, until it is dismissed", async () => {
  const { token } = await addAccount("maren", "staff");
  const customer = await addCustomer();
  await addBalance(customer, 300, "", { token });
  await look();
  expect((await list()).events).toMatchObject([
    { rule: "credits", account: { username: "maren" }, seen: 300, usual: 0 },
  ]);
  const follower = await follow("admin");
  await addBalance(customer, 200, "", { token });
  await look();
  const [event] = (await list()).events;
  expect(event).toMatchObject({ seen: 500, usual: 0 });
  const params = { id: event?._id ?? "" };
  await follower.until(tells("unusual", params.id));
  await follower.leave();
  // A caller who has seen less of it is refused first.
  const early = await call("admin", unusual.dismiss, { params, body: { reason: "A fair was paid", seen: 300 } });
  expect([early.status, early.body.message]).toEqual([409, expect.stringContaining("maren credited $500.00")]);
  await call("admin", unusual.dismiss, { params, body: { reason: "A fair was paid", seen: 500 } });
  await addBalance(customer, 100, "", { token });
  await look();
  expect((await list()).events).toMatchObject([{ seen: 500, dismissed: { by: "admin", reason: "A fair was paid" } }]);
  expect((await logRows()).filter(({ action }) => action.includes("unusual"))).toHaveLength(2);
});

test("what an account gave is noticed though it was deleted", async () => {
  const { id, token } = await addAccount("maren", "staff");
  await addBalance(await addCustomer(), 4000, "", { token });
  await call("admin", staff.delete, { params: { id } });
  await look();
  expect((await list()).events).toMatchObject([{ rule: "credits", name: "maren", account: null, seen: 4000 }]);
});

test("deposits without orders that were dismissed do not hide later ones", async () => {
  const customer = await idleDeposit(500);
  await look();
  const [event] = (await list()).events;
  await call("admin", unusual.dismiss, { params: { id: event?._id ?? "" }, body: { reason: "Asked them" } });
  await addPast(customer, [{ at: ago(hour), kind: "deposit", amount: 9_000 }]);
  // As if three days had gone by.
  await db.execute(sql`update transfers set created_at = created_at - interval '3 days'`);
  await db.update(unusualEvents).set({ dismissedAt: ago(3.5 * day), day: sql`day - 3` });
  await look();
  expect((await list({ status: "open" })).events).toMatchObject([{ rule: "deposits", seen: 9_000 }]);
});

test("it is dismissed once, with a reason, which the log keeps", async () => {
  const customer = await idleDeposit();
  await look();
  const [event] = (await list()).events;
  const params = { id: event?._id ?? "" };
  const unsaid = await call("admin", unusual.dismiss, { params, body: { reason: " " } });
  expect([unsaid.status, unsaid.body.issues]).toEqual([
    400,
    [{ path: "body.reason", message: "Say why it may be dismissed" }],
  ]);
  const answers = await Promise.all(
    ["A", "B"].map((reason) => call("admin", unusual.dismiss, { params, body: { reason } })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await list({ status: "open" })).toMatchObject({ events: [], total: 0 });
  expect(await list({ status: "dismissed" })).toMatchObject({ total: 1 });
  const { body } = await call("admin", logs.list, { query: { subject: params.id } });
  expect(body.logs.map(({ action }) => action.split(":")[0])).toEqual([
    "Dismissed something unusual",
    "Noticed something unusual",
  ]);
  expect(body.logs.every((entry) => entry.customer === customer.id)).toBe(true);
});

test("several are dismissed for one reason, and who comes late is told", async () => {
  for (let number = 0; number < 3; number++) await idleDeposit();
  await look();
  const ids = (await list()).events.map(({ _id }) => _id);
  await call("admin", unusual.dismiss, { params: { id: ids[1] ?? "" }, body: { reason: "Known" } });
  const { body } = await call("admin", unusual.dismissSeveral, { body: { ids, reason: "Asked them" } });
  expect(body.outcomes.map(({ done, message }) => [done, message.split(":")[0]])).toEqual([
    [true, "Dismissed"],
    [false, "admin has dismissed this already"],
    [true, "Dismissed"],
  ]);
  expect((await list({ status: "open" })).total).toBe(0);
});

test("a rule that is switched off notices nothing, and its least is what an administrator set", async () => {
  const { rules, version } = (await call("admin", unusual.rules)).body;
  expect(rules).toEqual({ spend: 200, refunds: 100, credits: 250, address: 10, deposits: 200, night: 3, prices: 30 });
  const update = (body: object, seen = version) =>
    call("admin", unusual.updateRules, { body, headers: { "if-match": `"${seen}"` } });
  expect((await update({ deposits: null })).status).toBe(200);
  await idleDeposit();
  await look();
  expect((await list()).total).toBe(0);

  const late = await update({ deposits: 600 });
  expect([late.status, (late.body as { conflict?: object }).conflict]).toMatchObject([
    409,
    { current: { deposits: null }, changedBy: "admin" },
  ]);
  const now = (await call("admin", unusual.rules)).body.version;
  expect((await update({ deposits: 600 }, now)).body.message).toBe("Rules saved");
  await idleDeposit(599.99);
  const above = await idleDeposit(600);
  await db.delete(unusualLooks);
  await look();
  expect((await list()).events.map(({ name }) => name)).toEqual([above.username]);
  const changes = (await logRows()).filter(({ type }) => type === "website");
  expect(changes.map(({ action }) => action)).toEqual([
    "Changed the rules about unusual events: deposits from $200.00 to off",
    "Changed the rules about unusual events: deposits off to from $600.00",
  ]);
});

test("nothing that looks unusual keeps anybody from doing it", async () => {
  const customer = await idleDeposit();
  await look();
  expect((await addBalance(customer, 9_999)).status).toBe(200);
  expect((await call("staff", users.verify, { params: { id: customer.id } })).status).toBe(409);
});

const zones = ["America/New_York", "America/Havana", "Europe/London", "Pacific/Auckland", "Asia/Kolkata"];

test.for(zones)("%s: what is noticed is what the rules say of the rows", async (timezone) => {
  await moveBusinessTo(timezone);
  const { pick, chance, between } = seededRandom(zones.indexOf(timezone) + 17);
  // Clocks change within these days, in both hemispheres.
  const spans = ["2025-04-10", "2025-11-06"].map((last) => daysUntil(last, 40));
  const moment = () => new Date(Date.parse(`${pick(pick(spans))}T00:00:00Z`) + between(0, day) - 1);
  const colleagues = [await addAccount("maren", "staff"), await addAccount("tobias", "staff")];
  const labelType = await addLabelType();
  const customers = [];
  for (let number = 0; number < 6; number++) {
    const joined = number > 2 ? new Date("2024-01-01") : new Date(`${pick(spans[0] ?? [])}T20:00:00Z`);
    const customer = await addCustomer({ createdAt: joined });
    const [amount, largest] = [between(20, 90), pick([40, 400])];
    const past: Past[] = [];
    for (let step = 0; step < amount; step++) {
      const kind = pick(["purchase", "purchase", "purchase", "refund", "deposit", "adjustment"] as const);
      const size = between(1, chance(0.1) ? largest * 6 : largest);
      const by = kind !== "purchase" && chance(0.6) ? pick(colleagues) : undefined;
      past.push({ at: moment(), kind, amount: kind === "purchase" ? -size : size, ...(by && { by }) });
    }
    if (number === 0) past.push(...oneOfEach(joined, pick(colleagues)));
    // Nobody can spend more than they have.
    await addPast(customer, [{ at: new Date("2024-01-02"), kind: "adjustment", amount: 1_000_000 }, ...past]);
    const bought = past.filter(({ kind }) => kind === "purchase");
    const ordered = { customerId: customer.id, labelTypeId: labelType.id };
    const street = () => pick(["1 Elm St", "1 ELM ST.", "9 Oak Rd", `${between(1, 90)} Pine Ave`]);
    await addPastOrders(bought.map(({ at }) => ({ ...ordered, createdAt: at, toStreet: street() })));
    customers.push(customer);
  }
  const least = { spend: 300, refunds: 150, credits: 400, address: 3, deposits: 50, night: 1, prices: 30 };
  await call("admin", unusual.updateRules, { body: least });
  for (const source of ["orders", "transfers", "deposits"])
    await db.insert(unusualLooks).values({ source, untilAt: new Date("2024-06-01"), untilId: customers[0]?.id ?? "" });
  await look();

  const found = (await db.select().from(unusualEvents)).map(({ rule, subject, name, day, seen, usual }) =>
    [rule, rule === "address" ? name.replace(/\W/g, "").toLowerCase().slice(0, 6) : subject, day, seen, usual].join(),
  );
  const expected = await bruteForce(timezone, least);
  expect(found.sort()).toEqual(expected.sort());
  // The rule for prices uses the log instead of the ledger: see label-prices.test.ts.
  for (const rule of unusualRules.filter((one) => one !== "prices"))
    expect(
      found.some((line) => line.startsWith(rule)),
      rule,
    ).toBe(true);
});

/** A history about which every rule reports something. */
function oneOfEach(joined: Date, by: Past["by"] & {}): Past[] {
  const at = new Date("2025-11-05T12:00:00Z");
  const roundTheClock = Array.from({ length: 24 }, (_, hours) => new Date(joined.getTime() + day + hours * hour));
  return [
    ...roundTheClock.map((time) => ({ at: time, kind: "purchase" as const, amount: -1 })),
    { at, kind: "purchase", amount: -20_000 },
    { at, kind: "refund", amount: 20_000 },
    { at, kind: "adjustment", amount: 50_000, by },
    { at: new Date("2025-11-08T12:00:00Z"), kind: "deposit", amount: 400 },
  ];
}

/** The rules written plainly, over all rows. */
async function bruteForce(timezone: string, least: Record<string, number>): Promise<string[]> {
  const moved = (await db.select().from(transfers)).map((row) => ({ ...row, day: today({ timezone }, row.createdAt) }));
  const bought = (await db.select().from(orders)).map((row) => ({ ...row, day: today({ timezone }, row.createdAt) }));
  const people = (await call("admin", users.list, { query: { limit: 100 } })).body.users;
  const lines: string[] = [];
  const tell = (rule: string, subject: string, on: string, seen: number, usual: number | null = null) => {
    if (seen >= (least[rule] ?? 0) * (moneyRules.some((one) => one === rule) ? 100 : 1))
      lines.push([rule, subject, on, seen, usual].join());
  };
  const farAbove = (rule: string, subject: string, rows: typeof moved, asked: Set<string>, leastDays: number) => {
    const sums = new Map<string, number>();
    for (const row of rows) sums.set(row.day, (sums.get(row.day) ?? 0) + Math.abs(row.amountCents));
    for (const [on, seen] of sums) {
      if (!asked.has(on)) continue;
      const before = daysUntil(on, 29)
        .slice(0, 28)
        .flatMap((earlier) => sums.get(earlier) ?? []);
      const usual = before.length > 0 ? before.reduce((a, b) => a + b) / before.length : 0;
      if (before.length >= leastDays && seen > 3 * usual) tell(rule, subject, on, seen, Math.round(usual));
    }
  };
  const looked = "2024-06-01";
  for (const { _id, createdAt } of people) {
    const own = moved.filter((row) => row.customerId === _id);
    const ordered = bought.filter((row) => row.customerId === _id);
    const daysOf = (rows: { day: string }[]) => new Set(rows.map((row) => row.day).filter((on) => on > looked));
    farAbove(
      "spend",
      _id,
      own.filter(({ kind }) => kind === "purchase"),
      daysOf(ordered),
      3,
    );
    farAbove(
      "refunds",
      _id,
      own.filter(({ kind }) => kind === "refund"),
      daysOf(own),
      0,
    );

    for (const on of daysOf(ordered)) {
      const isNew = today({ timezone }, new Date(createdAt)) >= (daysUntil(on, 8)[0] ?? "");
      const clock = new Intl.DateTimeFormat("en-GB", { timeZone: timezone, hour: "2-digit", hour12: false });
      const atNight = ordered.filter((row) => row.day === on && Number(clock.format(row.createdAt)) % 24 < 5);
      if (isNew) tell("night", _id, on, atNight.length);
    }

    const lastPurchase = Math.max(...own.filter(({ kind }) => kind === "purchase").map((row) => row.number));
    const waiting = own.filter((row) => row.kind === "deposit" && row.number > lastPurchase);
    const first = waiting.sort((a, b) => a.number - b.number)[0];
    if (first)
      tell(
        "deposits",
        _id,
        first.day,
        waiting.reduce((sum, row) => sum + row.amountCents, 0),
      );
  }
  for (const account of new Set(
    moved.flatMap(({ actorKind, actorId }) => (actorKind === "account" && actorId) || []),
  )) {
    const given = moved.filter(
      ({ actorId, kind }) => actorId === account && (kind === "deposit" || kind === "adjustment"),
    );
    farAbove("credits", account, given, new Set(given.map((row) => row.day)), 0);
  }
  const addresses = Map.groupBy(bought, ({ day: on, toStreet }) =>
    [toStreet.replace(/\W/g, "").toLowerCase(), on].join(),
  );
  for (const [key, rows] of addresses) {
    const [street = "", on = ""] = key.split(",");
    tell("address", street.slice(0, 6), on, rows.length);
  }
  return lines;
}
