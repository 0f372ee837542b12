import { customPrices as customPricing } from "@footprint/contract/custom-prices.ts";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { logs } from "@footprint/contract/logs.ts";
import { staff } from "@footprint/contract/staff.ts";
import { unusual } from "@footprint/contract/unusual.ts";
import { users } from "@footprint/contract/users.ts";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { accounts, customPrices, labelTypes as labelTypesTable, priceTiers, scheduledPrices } from "../db/schema.ts";
import { makeScheduledChanges } from "../money/prices/schedule.ts";
import { lookForUnusual } from "../money/unusual-look.ts";
import { addCustomer, addLabelType, addOrder } from "../testing/builders.ts";
import { follow } from "../testing/follower.ts";
import { meetAt } from "../testing/races.ts";
import { addAccount, call, db, logRows, moveBusinessTo } from "../testing/server.ts";

type Known = { id: string };
type Tier = [from: number, to: number, price: number];

const answerOf = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message];
const read = async ({ id }: Known) => (await call("staff", labelTypes.read, { params: { id } })).body.labelType;
const tiersOf = async (labelType: Known) =>
  (await read(labelType)).prices.map(({ fromWeight, toWeight, price }): Tier => [fromWeight, toWeight, price]);
const tierAt = async (labelType: Known, place = 0) => {
  const tier = (await read(labelType)).prices[place];
  if (!tier) throw new Error("no such tier");
  return tier;
};

const usual: Tier[] = [
  [0, 1, 7.45],
  [1, 3, 8.9],
  [3, 20, 11.45],
];
const parcel = (tiers = usual) => addLabelType({ name: "Parcel", maxWeight: 20, tiers });

async function change(labelType: Known, price: number, more: { place?: number; at?: string; reason?: string } = {}) {
  const { place = 0, ...rest } = more;
  const { _id: price_id, fromWeight, toWeight } = await tierAt(labelType, place);
  const body = { price_id, fromWeight, toWeight, price, ...rest };
  return call("admin", labelTypes.updateTier, { params: { id: labelType.id }, body });
}

const replace = ({ id }: Known, prices: Tier[], more: { at?: string; reason?: string } = {}, headers = {}) =>
  call("admin", labelTypes.replaceTiers, {
    params: { id },
    body: { prices: prices.map(([fromWeight, toWeight, price]) => ({ fromWeight, toWeight, price })), ...more },
    headers,
  });

const paste = async ({ id }: Known, text: string) =>
  (await call("admin", labelTypes.paste, { params: { id }, body: { text } })).body;
const overview = async ({ id }: Known) => (await call("admin", labelTypes.overview, { params: { id } })).body;
const scheduled = async (labelType: Known) => (await overview(labelType)).scheduled;
const withdraw = (id: string, reason = "") => call("admin", labelTypes.withdraw, { params: { id }, body: { reason } });

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
/** Makes all scheduled changes due. */
const letTimePass = () => db.update(scheduledPrices).set({ at: sql`${scheduledPrices.at} - interval '2 days'` });
const tick = () => makeScheduledChanges(db);

test("a price ten times too low goes through for a plain caller, who is warned, and it is on record", async () => {
  const labelType = await parcel();
  const rosa = await addCustomer({ username: "rosa", customPricingEnabled: true });
  const body = { labelType: labelType.id, fromWeight: 0, toWeight: 1, price: 7 };
  await call("staff", users.addCustomPrice, { params: { id: rosa.id }, body });
  const answer = await change(labelType, 0.75, { reason: "Summer sale" });
  expect(answerOf(answer)).toEqual([200, "Price for Parcel saved: 0–1 lb at $0.75"]);
  expect(answer.body.warnings).toMatchObject([
    { kind: "change", message: "0–1 lb: $7.45 to $0.75 is 89.9 % less" },
    { kind: "custom", message: "One custom price would be above the standard", customers: [{ username: "rosa" }] },
  ]);
  expect((await logRows()).at(-1)).toEqual({
    admin: "admin",
    type: "pricing",
    action: "Changed a price for Parcel from 0–1 lb at $7.45 to 0–1 lb at $0.75: Summer sale",
    before: { fromWeight: 0, toWeight: 1, price: 7.45 },
    after: {
      fromWeight: 0,
      toWeight: 1,
      price: 0.75,
      percent: 89.93,
      reason: "Summer sale",
      warnings: ["0–1 lb: $7.45 to $0.75 is 89.9 % less", "One custom price would be above the standard: rosa $7.00"],
    },
  });

  const looked = async () => {
    await lookForUnusual(db, { distance: "0" });
    return (await call("admin", unusual.list)).body.events;
  };
  const words = "Parcel from 0–1 lb at $7.45 to 0–1 lb at $0.75: Summer sale";
  expect(await looked()).toMatchObject([{ rule: "prices", seen: 90, name: words, account: { username: "admin" } }]);
  await call("admin", unusual.updateRules, { body: { prices: 95 } });
  await change(labelType, 0.4);
  expect(await looked()).toHaveLength(1);
  await call("admin", unusual.updateRules, { body: { prices: null } });
  await change(labelType, 7.45);
  expect(await looked()).toMatchObject([{ seen: 90 }]);
});

test("steps that are small each and large together are asked about, and are unusual", async () => {
  const labelType = await parcel([[0, 20, 18.2]]);
  const told: unknown[] = [];
  for (const price of [13, 9.3, 6.7]) {
    const { body } = await call("admin", labelTypes.preview, {
      params: { id: labelType.id },
      body: { prices: [{ fromWeight: 0, toWeight: 20, price }] },
    });
    const { warnings = [] } = (await change(labelType, price)).body;
    expect(body.warnings).toEqual(warnings);
    told.push(warnings.map(({ message }) => message));
  }
  const sinceThen = "0–20 lb: $18.20 a day ago to $9.30 is 48.9 % less";
  expect(told).toEqual([[], [sinceThen], ["0–20 lb: $18.20 a day ago to $6.70 is 63.2 % less"]]);
  expect((await logRows()).at(-2)?.after).toMatchObject({ percent: 48.9, warnings: [sinceThen] });
  await lookForUnusual(db, { distance: "0" });
  expect((await call("admin", unusual.list)).body.events).toMatchObject([{ seen: 63 }, { seen: 49 }]);

  // The same for tables that are pasted, scheduled or set; and moved bounds hide nothing.
  await replace(labelType, [
    [0, 10, 6.7],
    [10, 20, 6.7],
  ]);
  const warningsOf = async (answer: ReturnType<typeof replace>) =>
    ((await answer).body.warnings ?? []).map(({ message }) => message);
  const messages = [
    "0–10 lb: $18.20 a day ago to $5.00 is 72.5 % less",
    "10–20 lb: $18.20 a day ago to $5.00 is 72.5 % less",
  ];
  const five: Tier[] = [
    [0, 10, 5],
    [10, 20, 5],
  ];
  expect((await paste(labelType, "0\t10\t5\n10\t20\t5")).warnings?.map(({ message }) => message)).toEqual(messages);
  expect(await warningsOf(replace(labelType, five, { at: tomorrow() }))).toEqual(messages);
  expect(await warningsOf(replace(labelType, five))).toEqual(messages);
  // A step back towards it is no step away, and after a day the new price is the reference.
  expect(
    await warningsOf(
      replace(labelType, [
        [0, 10, 6],
        [10, 20, 6],
      ]),
    ),
  ).toEqual([]);
  await db.execute(sql`alter table logs disable trigger user`);
  await db.execute(sql`update logs set created_at = created_at - interval '25 hours' where type = 'pricing'`);
  await db.execute(sql`alter table logs enable trigger user`);
  expect(await warningsOf(replace(labelType, five))).toEqual([]);
});

test("a price that is deleted, and added cheaper under another name of its label type, is a changed one", async () => {
  const labelType = await parcel();
  const { uid, type } = await read(labelType);
  const params = { id: labelType.id };
  await call("admin", labelTypes.deleteTier, { params, body: { fromWeight: 0, toWeight: 1 } });
  const names = ["Packet", "Parcel 2"];
  for (const name of names)
    await call("admin", labelTypes.update, { params, body: { name, uid, type, maxWeight: 20 } });
  const { body } = await call("admin", labelTypes.addTier, {
    params,
    body: { fromWeight: 0, toWeight: 1, price: 0.05 },
  });
  expect(body.warnings?.map(({ message }) => message)).toEqual(["0–1 lb: $7.45 to $0.05 is 99.3 % less"]);
  expect((await logRows()).at(-1)?.after).toMatchObject({ percent: 99.33 });
});

test("a change that opens a gap warns too, and reasons are kept for added and deleted prices", async () => {
  const labelType = await parcel();
  const params = { id: labelType.id };
  const bounds = { fromWeight: 1, toWeight: 3 };
  const deleted = await call("admin", labelTypes.deleteTier, { params, body: { ...bounds, reason: "Not sold" } });
  expect(deleted.body.warnings).toMatchObject([{ kind: "gap", message: "1–3 lb would have no price" }]);
  const added = await call("admin", labelTypes.addTier, { params, body: { ...bounds, price: 7, reason: "After all" } });
  expect(added.body.warnings).toMatchObject([{ kind: "order" }]);
  const told = (await logRows()).map(({ action, after }) => [action, after]);
  expect(told).toEqual([
    [
      "Deleted a price for Parcel: 1–3 lb at $8.90: Not sold",
      { reason: "Not sold", warnings: ["1–3 lb would have no price"] },
    ],
    [
      "Added a price for Parcel: 1–3 lb at $7.00: After all",
      {
        ...bounds,
        price: 7,
        percent: 21.35,
        reason: "After all",
        warnings: ["1–3 lb at $7.00 would cost less than 0–1 lb at $7.45"],
      },
    ],
  ]);
});

test("the overview tells what each price brought in 30 days, who has custom prices, and when it changed", async () => {
  const labelType = await parcel();
  const customer = await addCustomer({ customPricingEnabled: true });
  for (const [fromWeight, toWeight] of [
    [0, 2],
    [2, 3],
  ] as const) {
    const body = { labelType: labelType.id, fromWeight, toWeight, price: 5 };
    await call("staff", users.addCustomPrice, { params: { id: customer.id }, body });
  }
  for (const [weight, price] of [
    [1, 7.45],
    [1, 0.1],
    [1, 0.2],
    [1.001, 8.9],
    [3, 8.9],
    [20, 11.45],
  ] as const)
    await addOrder({ labelType, customer, weight, price });
  await addOrder({ labelType, customer, weight: 2, refundedAt: new Date() });
  await addOrder({ labelType, customer, weight: 2, createdAt: new Date(Date.now() - 31 * 86_400_000) });
  await change(labelType, 9, { place: 1 });
  const { tiers, all } = await overview(labelType);
  expect(tiers.map(({ orders, revenue, customPrices }) => [orders, revenue, customPrices])).toEqual([
    [3, 7.75, 1],
    [2, 17.8, 2],
    [1, 11.45, 0],
  ]);
  expect(all).toEqual({ orders: 6, revenue: 37, customPrices: 2 });
  const subject = (await tierAt(labelType, 1))._id;
  const entry = (await call("admin", logs.list, { query: { subject } })).body.logs[0];
  expect(tiers[1]?.changedAt).toBe(entry?.createdAt);
  expect((await call("admin", labelTypes.overview, { params: { id: uuidv7() } })).status).toBe(404);
});

test("a scheduled price is listed, changes at its moment in the name of who scheduled it, and is in the history", async () => {
  await moveBusinessTo("America/New_York");
  const labelType = await parcel();
  const { _id, version } = await tierAt(labelType, 1);
  const local = `${new Date().getUTCFullYear() + 1}-12-01T00:00`;
  const answer = await change(labelType, 8.61, { place: 1, at: local, reason: "Winter" });
  const words = `Dec 1, ${local.slice(0, 4)}, 00:00`;
  expect(answerOf(answer)).toEqual([200, `Price for Parcel from ${words}: 1–3 lb at $8.61`]);
  expect(answer.body.version).toBe(version);
  expect(await scheduled(labelType)).toMatchObject([
    {
      at: `${local.slice(0, 10)}T05:00:00.000Z`,
      status: "waiting",
      wholeTable: false,
      changes: [{ fate: "changed", fromWeight: 1, toWeight: 3, was: 8.9, price: 8.61 }],
      reason: "Winter",
      by: "admin",
    },
  ]);
  await tick();
  expect((await tierAt(labelType, 1)).price).toBe(8.9);

  const follower = await follow("staff");
  await db.update(scheduledPrices).set({ at: sql`now()` });
  await tick();
  await follower.until(({ data }) => data.labelTypes === true);
  await follower.leave();
  expect((await tierAt(labelType, 1)).price).toBe(8.61);
  expect(await scheduled(labelType)).toEqual([]);
  const history = (await call("admin", logs.list, { query: { subject: _id } })).body.logs;
  expect(history).toMatchObject([
    {
      admin: { username: "admin", kind: "account" },
      action: "Changed a price for Parcel from 1–3 lb at $8.90 to 1–3 lb at $8.61, as scheduled: Winter",
      before: { price: 8.9 },
      after: { price: 8.61, reason: "Winter", scheduled: true },
    },
  ]);
  expect((await logRows()).map(({ action }) => action)).toEqual([
    `Scheduled prices for Parcel from ${words}: 1–3 lb at $8.61: Winter`,
    expect.stringContaining("as scheduled"),
  ]);
});

test("however many servers see that a change is due, it happens once, and changes happen in the order of their moments", async () => {
  const labelType = await parcel();
  const at = tomorrow();
  const later = new Date(Date.parse(at) + 1000).toISOString();
  await change(labelType, 8, { at: later, reason: "second" });
  await change(labelType, 7.5, { at, reason: "first" });
  await change(labelType, 9, { place: 1, at });
  await letTimePass();
  await meetAt(labelTypesTable, labelType, () => Array.from({ length: 6 }, tick));
  await tick();
  expect((await tiersOf(labelType)).map(([, , price]) => price)).toEqual([8, 9, 11.45]);
  const made = (await logRows()).filter(({ action }) => action.includes("as scheduled"));
  expect(made).toHaveLength(3);
  expect(made.map(({ after }) => (after as { reason?: string }).reason).filter(Boolean)).toEqual(["first", "second"]);
});

test("a change that is taken back as its moment comes is made or taken back, not both", async () => {
  for (let round = 0; round < 3; round++) {
    const labelType = await addLabelType({ tiers: [[0, 70, 5]] });
    await change(labelType, 6, { at: tomorrow() });
    const [row] = await scheduled(labelType);
    await letTimePass();
    const [answer] = await meetAt<unknown>(labelTypesTable, labelType, () => [withdraw(row?._id ?? ""), tick()]);
    const isTakenBack = (answer as { status: number }).status === 200;
    expect((await tierAt(labelType)).price).toBe(isTakenBack ? 5 : 6);
  }
});

test("a scheduled change is taken back once", async () => {
  const labelType = await parcel();
  await change(labelType, 8, { at: tomorrow() });
  const id = (await scheduled(labelType))[0]?._id ?? "";
  expect(answerOf(await withdraw(id, "Too early"))).toEqual([200, "The scheduled change is taken back"]);
  expect(answerOf(await withdraw(id))).toEqual([409, "This change was taken back already"]);
  expect((await withdraw(uuidv7())).status).toBe(404);
  await letTimePass();
  await tick();
  expect((await tierAt(labelType)).price).toBe(7.45);
  expect((await logRows()).at(-1)).toMatchObject({
    action: expect.stringMatching(/^Took back the change of prices for Parcel from .*: Too early$/),
  });
});

test("a scheduled change that no longer fits is not made, and says why, also on the dashboard, until dismissed", async () => {
  const other = await addAccount("maren", "admin");
  const problemOf = async (spoil: (labelType: Known) => Promise<unknown>, at: string = tomorrow()) => {
    const labelType = await parcel();
    const { _id: price_id } = await tierAt(labelType);
    const body = { price_id, fromWeight: 0, toWeight: 1, price: 8, at };
    await call({ token: other.token }, labelTypes.updateTier, { params: { id: labelType.id }, body });
    await spoil(labelType);
    const before = await tiersOf(labelType);
    await letTimePass();
    await tick();
    await tick();
    expect(await tiersOf(labelType)).toEqual(before);
    const [failed] = await scheduled(labelType);
    expect(failed?.status).toBe("failed");
    return failed?.problem;
  };
  const params = ({ id }: Known) => ({ params: { id } });
  expect(
    await problemOf((labelType) =>
      call("admin", labelTypes.deleteTier, { ...params(labelType), body: { fromWeight: 0, toWeight: 1 } }),
    ),
  ).toBe("The price for 0–1 lb was deleted meanwhile");
  expect(
    await problemOf(async (labelType) => {
      const { _id: price_id } = await tierAt(labelType);
      const body = { price_id, fromWeight: 0, toWeight: 0.5, price: 7.45 };
      return call("admin", labelTypes.updateTier, { ...params(labelType), body });
    }),
  ).toBe("The price for 0–1 lb is for 0–0.5 lb by now");
  expect(
    await problemOf(() => db.update(accounts).set({ suspendedAt: new Date() }).where(eq(accounts.id, other.id))),
  ).toBe("The account maren is suspended");
  await db.update(accounts).set({ suspendedAt: null, role: "staff" }).where(eq(accounts.id, other.id));

  const { failedPrices } = (await call("admin", dashboard.attention)).body;
  expect(failedPrices).toHaveLength(3);
  const [first] = failedPrices;
  const [failed] = await scheduled({ id: first?._id ?? "" });
  expect((await logRows()).filter(({ admin }) => admin === "system")).toHaveLength(3);
  expect(answerOf(await withdraw(failed?._id ?? ""))).toEqual([200, "Dismissed"]);
  expect((await call("admin", dashboard.attention)).body.failedPrices).toHaveLength(2);
});

test("what an account scheduled ends with the account", async () => {
  const { id, token } = await addAccount("maren", "admin");
  const labelType = await parcel();
  const { _id: price_id } = await tierAt(labelType);
  const body = { price_id, fromWeight: 0, toWeight: 1, price: 8, at: tomorrow() };
  await call({ token }, labelTypes.updateTier, { params: { id: labelType.id }, body });
  await db.update(accounts).set({ role: "staff" }).where(eq(accounts.id, id));
  await call("admin", staff.delete, { params: { id } });
  await letTimePass();
  await tick();
  expect(await scheduled(labelType)).toMatchObject([{ status: "failed", problem: "The account maren was deleted" }]);
  expect((await tierAt(labelType)).price).toBe(7.45);
});

test("a price that was changed by hand meanwhile is set to what was scheduled all the same", async () => {
  const labelType = await parcel();
  await change(labelType, 8, { at: tomorrow() });
  await change(labelType, 7.9);
  await letTimePass();
  await tick();
  expect((await tierAt(labelType)).price).toBe(8);
  expect((await logRows()).at(-1)).toMatchObject({ before: { price: 7.9 }, after: { price: 8 } });
});

test("a change is not scheduled for the past, nor for a moment that does not exist", async () => {
  const labelType = await parcel();
  const at = async (moment: string) => answerOf(await change(labelType, 8, { at: moment }));
  expect(await at(new Date(Date.now() - 1000).toISOString())).toEqual([400, "This moment has passed"]);
  expect(await at("2099-12-31T00:00")).toEqual([400, "This is more than two years ahead"]);
  expect((await at("2030-02-30T00:00"))[0]).toBe(400);
  expect((await at("0000-01-01T00:00"))[0]).toBe(400);
  expect((await at("tomorrow"))[0]).toBe(400);
  const year = new Date().getUTCFullYear() + 1;
  expect((await at(`${year}-06-01T00:00:00+23:00`))[0]).toBe(400);
  expect((await at(`${year}-06-01T00:00:00.${"0".repeat(200)}Z`))[0]).toBe(400);
  expect(await logRows()).toEqual([]);
});

test("a scheduled change is on record with what deserves a second look, and is listed with it", async () => {
  const labelType = await parcel();
  const warning = "0–1 lb: $7.45 to $0.05 is 99.3 % less";
  const gap = "3–20 lb would have no price";
  await change(labelType, 0.05, { at: tomorrow() });
  await replace(labelType, [usual[0] as Tier, usual[1] as Tier], { at: tomorrow() });
  await change(labelType, 7.4, { at: tomorrow() });
  expect((await scheduled(labelType)).map(({ warnings }) => warnings)).toEqual([[warning], [gap], []]);
  const rows = await logRows();
  expect(rows.map(({ after }) => after)).toMatchObject([
    { percent: 99.33, warnings: [warning] },
    { warnings: [gap] },
    {},
  ]);
  expect(rows.at(-1)?.after).not.toHaveProperty("warnings");
});

test("the same change is not scheduled twice for one moment", async () => {
  const labelType = await parcel();
  const at = tomorrow();
  const tables = [
    usual.toReversed().map(([from, to]): Tier => [from, to, 9]),
    usual.map(([from, to]): Tier => [from, to, 9]),
  ];
  const answers = [
    await change(labelType, 7, { at }),
    await change(labelType, 7, { at }),
    await change(labelType, 6.9, { at }),
    await replace(labelType, tables[0] as Tier[], { at }),
    await replace(labelType, tables[1] as Tier[], { at }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 409, 200, 200, 409]);
  expect(answers[1]?.body.message).toMatch(/^This is scheduled for .* already$/);
  expect(await logRows()).toHaveLength(3);
});

test("an hour that the clocks leave out is refused, and one that comes twice is named", async () => {
  await moveBusinessTo("America/New_York");
  const labelType = await parcel();
  const year = new Date().getUTCFullYear() + 1;
  /** The clocks change on the second Sunday of March and the first of November. */
  const sunday = (month: string, from: number) => {
    const first = new Date(`${year}-${month}-01T00:00Z`).getUTCDay();
    return String(from + ((7 - first) % 7)).padStart(2, "0");
  };
  const [spring, autumn] = [`${year}-03-${sunday("03", 8)}`, `${year}-11-${sunday("11", 1)}`];
  expect(answerOf(await change(labelType, 8, { at: `${spring}T02:30` }))).toEqual([
    400,
    "There is no such time on that day: the clocks go forward. Choose an hour later.",
  ]);
  const words = `Nov ${Number(autumn.slice(-2))}, ${year}`;
  const saved = async (at: string) => (await change(labelType, 8, { at })).body.message;
  expect(await saved(`${autumn}T01:30`)).toBe(`Price for Parcel from ${words}, 01:30 EST: 0–1 lb at $8.00`);
  expect(await saved(`${autumn}T01:30:00-04:00`)).toBe(`Price for Parcel from ${words}, 01:30 EDT: 0–1 lb at $8.00`);
  expect(await saved(`${autumn}T02:30`)).toBe(`Price for Parcel from ${words}, 02:30: 0–1 lb at $8.00`);
  expect(await saved(`${spring}T03:30`)).toContain("03:30: ");
});

test("a change without effect is not scheduled, unless it returns from another one", async () => {
  const labelType = await parcel();
  const nothing = [409, "The prices of Parcel are like that already"];
  const [sale, after] = [tomorrow(), new Date(Date.now() + 100_000_000).toISOString()];
  expect(answerOf(await change(labelType, 7.45, { at: after }))).toEqual(nothing);
  expect(answerOf(await replace(labelType, usual, { at: after }))).toEqual(nothing);
  await change(labelType, 5.45, { at: sale });
  expect((await change(labelType, 7.45, { at: after })).status).toBe(200);
  expect((await scheduled(labelType)).map(({ changes }) => changes.map(({ price }) => price))).toEqual([
    [5.45],
    [7.45],
  ]);
});

test("prices that were scheduled in pounds are not set in ounces; whoever renames is told so", async () => {
  const labelType = await parcel();
  await change(labelType, 8, { at: tomorrow() });
  const { uid, maxWeight, type } = await read(labelType);
  const body = { name: "First Class", uid, maxWeight, type };
  const renamed = await call("admin", labelTypes.update, { params: { id: labelType.id }, body });
  expect(renamed.body.warnings[0]?.message).toMatch(/, and 1 scheduled change will not be made$/);
  await letTimePass();
  await tick();
  const problem = "First Class is weighed in oz by now, not in lb";
  expect(await scheduled(labelType)).toMatchObject([{ status: "failed", problem }]);
});

test("a table from a spreadsheet is read whatever separates it, and each line's fate is told", async () => {
  const labelType = await addLabelType({ name: "Freight", maxWeight: 2000, tiers: usual });
  const same: Tier[] = [
    [0, 1, 7.45],
    [1, 3, 8.61],
    [3, 1500, 1234.5],
  ];
  const texts = [
    "From\tTo\tPrice\n0\t1\t$7.45\n1\t3\t$8.61\n3\t1,500\t$1,234.50",
    "0,1,7.45\n1,3,8.61\n3,1500,1234.50\n",
    'from,to,price\r\n0,1,"$7.45"\r\n1,3,8.61\r\n3,"1,500","$1,234.50"\r\n\r\n',
    "von;bis;Preis\n0;1;7,45\n1;3;8,61\n3;1500;1.234,50 $",
    "Weight\tPrice\n0–1 lb\t7.45\n1-3 lb\t8.61\n3 to 1500\t1234.5",
    "  3 1500 1234.50\n 0 1 7.45\n1 3 8.61",
    "0-1 7,45\n1-3 8,61\n3-1500 1234,50",
    "von bis Preis\n0 1 7,45\n1 3 8,61\n3 1500 $1234,5",
    "\ufeff0;1;7.45\u200b\n\u200b1;3;8.61\n3;1 500;1'234,50",
  ];
  for (const text of texts) {
    const { prices, refused } = await paste(labelType, text);
    expect(refused).toEqual([]);
    expect(prices.map(({ fromWeight, toWeight, price }) => [fromWeight, toWeight, price])).toEqual(same);
  }
  const { changes, warnings, preview } = await paste(labelType, texts[0] ?? "");
  expect(changes.map(({ fate, fromWeight, toWeight, was, price }) => [fate, fromWeight, toWeight, was, price])).toEqual(
    [
      ["unchanged", 0, 1, 7.45, 7.45],
      ["changed", 1, 3, 8.9, 8.61],
      ["new", 3, 1500, null, 1234.5],
      ["removed", 3, 20, 11.45, null],
    ],
  );
  expect(warnings).toMatchObject([{ kind: "change", message: "3–20 lb: $11.45 to $1,234.50 is 10681.7 % more" }]);
  expect(preview).toMatchObject({ all: { orders: 0 } });
  expect(await tiersOf(labelType)).toHaveLength(3);
});

test("lines that cannot be read are named with their number and why, and then nothing is previewed", async () => {
  const labelType = await parcel();
  const text =
    "From\tTo\tPrice\n0\t1\t7.45\n1\t3\tfree\n\n2\t1\t5\n0.5\t2\t8\n3\t21\t9\n1\t3\t8.611\n1\t3.0001\t8\nx\t3\t8\n4\t5";
  const { refused, preview, prices } = await paste(labelType, text);
  expect(refused.map(({ line, problem }) => [line, problem])).toEqual([
    [3, "“free” is not a price"],
    [5, "2–1 lb must reach higher than it begins"],
    [6, "Overlaps with line 2, 0–1 lb at $7.45"],
    [7, "Parcel goes up to 20 lb"],
    [8, "A price has at most two decimals"],
    [9, "A weight has at most three decimals"],
    [10, "“x” is not a weight"],
    [11, "Needs three columns: from weight, to weight and price"],
  ]);
  expect(preview).toBeNull();
  expect(prices).toHaveLength(1);
});

test("a blank in a number stands between thousands, and a comma behind 0 before decimals", async () => {
  const labelType = await addLabelType({ name: "Freight", maxWeight: 2000, tiers: usual });
  const readAs = async (text: string) => {
    const { prices, refused } = await paste(labelType, text);
    return [
      ...prices.map((tier) => [tier.fromWeight, tier.toWeight, tier.price]),
      ...refused.map((one) => one.problem),
    ];
  };
  expect(await readAs("1 7\t18\t7")).toEqual(["“1 7” is not a weight"]);
  expect(await readAs("0-1 7\t45")).toEqual(["“1 7” is not a weight"]);
  expect(await readAs("0\t1\t7 45")).toEqual(["“7 45” is not a price"]);
  expect(await readAs("0\t0,500\t7,45")).toEqual([[0, 0.5, 7.45]]);
  expect(await readAs("0\t1 500\t1 234,50")).toEqual([[0, 1500, 1234.5]]);
  expect(await readAs("0\t1\t1250,500")).toEqual(["A price has at most two decimals"]);
  expect(await readAs("0\t1\t-5")).toEqual(["“-5” is not a price"]);
});

test("a table in another unit is refused, and so is a price with a weight's unit or a weight with a price's", async () => {
  const pounds = await parcel();
  const ounces = await addLabelType({ name: "First Class", maxWeight: 20 });
  const problemsOf = async (labelType: Known, text: string) =>
    (await paste(labelType, text)).refused.map(({ line, problem }) => [line, problem]);
  const inPounds = "The weights of Parcel are in lb";
  const inOunces = "The weights of First Class are in oz";
  expect(await problemsOf(pounds, "0 oz\t8oz\t3.10\n8\t16 oz\t4.10\n16\t17 lb\t$5")).toEqual([
    [1, inPounds],
    [2, inPounds],
  ]);
  expect(await problemsOf(pounds, "Weight (oz)\tPrice\n0–8\t3.10")).toEqual([[1, inPounds]]);
  expect(await problemsOf(ounces, "0–1 lb\t3.10\n1–2 lbs\t3\n2–3oz.\t4 USD")).toEqual([
    [1, inOunces],
    [2, inOunces],
  ]);
  expect(await problemsOf(pounds, "0\t$1\t3.10\n1\t2\t3 lb\n2\t3\t4 oz")).toEqual([
    [1, "“$1” is not a weight"],
    [2, "“3 lb” is not a price"],
    [3, "“4 oz” is not a price"],
  ]);
});

test("after 200 refused lines a table is not read any further, and says so", async () => {
  const { refused } = await paste(await parcel(), "x\ty\t1\n".repeat(1_500));
  expect(refused).toHaveLength(201);
  expect(refused.at(-1)).toMatchObject({
    line: 201,
    problem: "Not read, nor are those after it: 200 lines are refused",
  });
});

test("a table replaces all prices or none, with a row in the log for each price that changed", async () => {
  const labelType = await parcel();
  const { _id } = await tierAt(labelType, 1);
  const table: Tier[] = [
    [0, 1, 7.45],
    [1, 3, 8.61],
    [3, 10, 12],
    [10, 20, 20],
  ];
  const overlapping = await replace(labelType, [...table, [19, 20, 5]]);
  expect(answerOf(overlapping)).toEqual([409, "19–20 lb at $5.00 overlaps with 10–20 lb at $20.00"]);
  const stale = await replace(labelType, table, {}, { "if-match": '"another"' });
  expect(stale.status).toBe(409);
  expect(await tiersOf(labelType)).toHaveLength(3);
  expect(await logRows()).toEqual([]);

  const { version } = await paste(labelType, "0\t1\t7.45");
  const answer = await replace(labelType, table, { reason: "New contract" }, { "if-match": `"${version}"` });
  expect(answerOf(answer)).toEqual([200, "4 prices of Parcel changed"]);
  expect(answer.body.warnings).toMatchObject([
    { kind: "change", message: "10–20 lb: $11.45 to $20.00 is 74.7 % more" },
  ]);
  expect(await tiersOf(labelType)).toEqual(table);
  expect((await tierAt(labelType, 1))._id).toBe(_id);
  expect((await logRows()).map(({ action }) => action)).toEqual([
    "Changed a price for Parcel from 1–3 lb at $8.90 to 1–3 lb at $8.61: New contract",
    "Added a price for Parcel: 3–10 lb at $12.00: New contract",
    "Deleted a price for Parcel: 3–20 lb at $11.45: New contract",
    "Added a price for Parcel: 10–20 lb at $20.00: New contract",
  ]);
  expect(answerOf(await replace(labelType, table))).toEqual([409, "The prices of Parcel are like that already"]);
});

test("a whole table is scheduled, and is not set where tiers came or went meanwhile", async () => {
  const table: Tier[] = [[0, 20, 9]];
  const labelType = await parcel();
  expect((await replace(labelType, table, { at: tomorrow() })).status).toBe(200);
  const changes = (await scheduled(labelType))[0]?.changes.map(({ fate }) => fate);
  expect(changes).toEqual(["new", "removed", "removed", "removed"]);
  await letTimePass();
  await tick();
  expect(await tiersOf(labelType)).toEqual(table);

  const spoiled = await parcel([[0, 10, 5]]);
  await replace(spoiled, table, { at: tomorrow() });
  const body = { fromWeight: 10, toWeight: 20, price: 6 };
  await call("admin", labelTypes.addTier, { params: { id: spoiled.id }, body });
  await letTimePass();
  await tick();
  expect(await tiersOf(spoiled)).toEqual([
    [0, 10, 5],
    [10, 20, 6],
  ]);
  expect(await scheduled(spoiled)).toMatchObject([{ problem: "A price for 10–20 lb was added meanwhile" }]);
});

test("a server that dies in the middle of a scheduled change leaves nothing half done, and the next one makes it", async () => {
  const labelType = await parcel();
  await replace(labelType, [[0, 20, 9]], { at: tomorrow() });
  await letTimePass();
  const before = await tiersOf(labelType);
  // Its last statement fails, as if the connection had broken.
  await db.execute(sql`alter table scheduled_prices add constraint broken check (status <> 'done') not valid`);
  await expect(tick()).rejects.toThrow();
  expect(await tiersOf(labelType)).toEqual(before);
  expect((await logRows()).filter(({ action }) => action.includes("as scheduled"))).toEqual([]);
  await db.execute(sql`alter table scheduled_prices drop constraint broken`);
  await tick();
  await tick();
  expect(await tiersOf(labelType)).toEqual([[0, 20, 9]]);
  expect((await logRows()).filter(({ action }) => action.includes("as scheduled"))).toHaveLength(4);
  expect(await db.$count(priceTiers)).toBe(1);
});

test("a change that fails for no reason of its own is tried five times, and then makes way for those after it", async () => {
  const [stuck, next] = [await parcel(), await parcel()];
  await change(stuck, 8, { at: tomorrow() });
  await change(next, 9, { at: tomorrow() });
  await letTimePass();
  await db.execute(sql`alter table price_tiers add constraint broken check (price_cents <> 800) not valid`);
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      expect(await scheduled(stuck)).toMatchObject([{ status: "waiting" }]);
      await expect(tick()).rejects.toThrow();
    }
    const problem = "It failed 5 times (23514): the server's own log says why";
    expect(await scheduled(stuck)).toMatchObject([{ status: "failed", problem }]);
    expect((await call("admin", dashboard.attention)).body.failedPrices).toEqual([{ _id: stuck.id, name: "Parcel" }]);
    expect((await logRows()).at(-1)).toMatchObject({
      admin: "system",
      action: `Scheduled prices for Parcel were not set: ${problem}`,
    });
    await tick();
    expect((await tierAt(next)).price).toBe(9);
    expect((await tierAt(stuck)).price).toBe(7.45);
  } finally {
    await db.execute(sql`alter table price_tiers drop constraint broken`);
  }
});

test("of many custom prices above the new standard, the first twenty are named and all are counted", async () => {
  const labelType = await parcel();
  for (let n = 10; n < 33; n++) {
    const customer = await addCustomer({ username: `rosa-${n}`, customPricingEnabled: true });
    const price = { fromWeight: 0, toWeight: 1, priceCents: n === 32 ? 600 : 700 };
    await db.insert(customPrices).values({ customerId: customer.id, labelTypeId: labelType.id, ...price });
  }
  const { warnings } = (await change(labelType, 6)).body;
  expect(warnings).toMatchObject([
    { kind: "custom", message: "22 custom prices would be above the standard, among them" },
  ]);
  expect(warnings[0]?.customers?.map(({ username }) => username).at(-1)).toBe("rosa-29");
  const kept = (await logRows()).at(-1)?.after as { warnings: string[] };
  expect(kept.warnings).toEqual([
    expect.stringMatching(
      /^22 custom prices would be above the standard, among them: rosa-10 \$7\.00, .*rosa-29 \$7\.00$/,
    ),
  ]);
});

const looked = async () => {
  await lookForUnusual(db, { distance: "0" });
  const { events } = (await call("admin", unusual.list)).body;
  return events.map(({ rule, seen, name }) => [rule, seen, name]).toReversed();
};

test("prices that change a lot are unusual however they are changed: by other bounds, by deleting and adding, each time anew", async () => {
  const labelType = await parcel();
  const params = { id: labelType.id };
  await replace(labelType, [
    [0, 1.5, 0.05],
    [1.5, 20, 9],
  ]);
  const first = ["prices", 99, "Parcel: 0–1.5 lb at $0.05"];
  expect(await looked()).toEqual([first]);

  const bounds = { fromWeight: 1.5, toWeight: 20 };
  await call("admin", labelTypes.deleteTier, { params, body: bounds });
  const { warnings } = (await call("admin", labelTypes.addTier, { params, body: { ...bounds, price: 0.07 } })).body;
  expect(warnings).toMatchObject([{ kind: "change", message: "1.5–20 lb: $9.00 to $0.07 is 99.2 % less" }]);
  const second = ["prices", 99, "Parcel: 1.5–20 lb at $0.07"];
  expect(await looked()).toEqual([first, second]);

  await change(labelType, 0.03);
  const third = ["prices", 40, "Parcel from 0–1.5 lb at $0.05 to 0–1.5 lb at $0.03"];
  expect(await looked()).toEqual([first, second, third]);

  const [newest] = (await call("admin", unusual.list)).body.events;
  const { _id: id, seen } = newest ?? { _id: "", seen: 0 };
  await call("admin", unusual.dismiss, { params: { id }, body: { reason: "Agreed", seen } });
  await change(labelType, 0.01);
  const fourth = ["prices", 67, "Parcel from 0–1.5 lb at $0.03 to 0–1.5 lb at $0.01"];
  expect(await looked()).toEqual([first, second, third, fourth]);
});

test("a tier that is cut and a cheap one beside it are a change of price, too", async () => {
  const labelType = await parcel([[0, 20, 9]]);
  const params = { id: labelType.id };
  const { _id: price_id } = await tierAt(labelType);
  await call("admin", labelTypes.updateTier, { params, body: { price_id, fromWeight: 0, toWeight: 1, price: 9 } });
  const body = { fromWeight: 1, toWeight: 20, price: 0.9 };
  const added = await call("admin", labelTypes.addTier, { params, body });
  expect(added.body.warnings).toMatchObject([{ kind: "change" }, { kind: "order" }]);
  expect(await looked()).toEqual([["prices", 90, "Parcel: 1–20 lb at $0.90"]]);
});

test("custom prices that change a lot are unusual, too", async () => {
  const labelType = await parcel();
  const rosa = await addCustomer({ username: "rosa", customPricingEnabled: true });
  const params = { id: rosa.id };
  const price = { labelType: labelType.id, fromWeight: 0, toWeight: 1 };
  await call("staff", users.addCustomPrice, { params, body: { ...price, price: 0.74 } });
  await call("staff", customPricing.change, { params, body: { percent: 20 } });
  await call("staff", customPricing.change, { params, body: { percent: 50 } });
  await call("staff", users.deleteCustomPrice, { params, body: { index: 0 } });
  expect(await looked()).toEqual([
    ["prices", 90, "Added a custom price for rosa: Parcel, 0–1 lb at $0.74"],
    ["prices", 51, "Raised 1 custom price of rosa by 50 %"],
    ["prices", 456, "Deleted a custom price of rosa: Parcel, 0–1 lb at $1.34"],
  ]);
});
