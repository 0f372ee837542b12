import { setTimeout as sleep } from "node:timers/promises";
import { users } from "@footprint/contract/users.ts";
import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { customers, customPrices } from "../db/schema.ts";
import { addCustomer, addLabelType } from "../testing/builders.ts";
import { meetAt } from "../testing/races.ts";
import { call, db, logRows } from "../testing/server.ts";

type Tier = { fromWeight: number; toWeight: number; price: number };

let maren: { id: string };
let priority: { id: string };

beforeEach(async () => {
  maren = await addCustomer({ username: "maren" });
  priority = await addLabelType({ name: "USPS Priority", maxWeight: 70 });
});

const tier = (fromWeight: number, toWeight: number, price = 4.2): Tier => ({ fromWeight, toWeight, price });

const add = (sent: Tier, { customer = maren, labelType = priority } = {}) =>
  call("staff", users.addCustomPrice, { params: { id: customer.id }, body: { labelType: labelType.id, ...sent } });

const remove = (body: { index: number; _id?: string }) =>
  call("staff", users.deleteCustomPrice, { params: { id: maren.id }, body });

const prices = async () => (await call("staff", users.read, { params: { id: maren.id } })).body.user.customPricing;

const bounds = async () => (await prices()).map(({ fromWeight, toWeight }) => [fromWeight, toWeight]);

const answerOf = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message];

test("a customer gets a price of their own, and the log says which", async () => {
  expect(answerOf(await add(tier(0, 2.5)))).toEqual([
    200,
    "Custom price for maren added: USPS Priority, 0–2.5 lb at $4.20",
  ]);
  expect(await prices()).toMatchObject([
    {
      _id: expect.any(String),
      labelType: { _id: priority.id, name: "USPS Priority" },
      fromWeight: 0,
      toWeight: 2.5,
      price: 4.2,
    },
  ]);
  expect(await logRows()).toEqual([
    {
      admin: "staff",
      type: "pricing",
      action: "Added a custom price for maren: USPS Priority, 0–2.5 lb at $4.20",
      before: null,
      after: { labelType: "USPS Priority", fromWeight: 0, toWeight: 2.5, price: 4.2 },
    },
  ]);
});

test("prices that meet do not overlap; one that overlaps is refused and named", async () => {
  await add(tier(0, 5));
  expect((await add(tier(5, 70, 9))).status).toBe(200);
  expect(answerOf(await add(tier(4.999, 6)))).toEqual([409, "Overlaps with 0–5 lb at $4.20"]);
  expect(answerOf(await add(tier(60, 61)))).toEqual([409, "Overlaps with 5–70 lb at $9.00"]);
  expect(answerOf(await add(tier(0, 5)))).toEqual([409, "Overlaps with 0–5 lb at $4.20"]);
  expect(await logRows()).toHaveLength(2);
});

test("first class mail is weighed in ounces", async () => {
  const labelType = await addLabelType({ name: "USPS First Class", maxWeight: 16 });
  await add(tier(0, 8), { labelType });
  expect(answerOf(await add(tier(7, 9), { labelType }))).toEqual([409, "Overlaps with 0–8 oz at $4.20"]);
  expect(answerOf(await add(tier(8, 17), { labelType }))).toEqual([
    400,
    "USPS First Class goes up to 16 oz: 17 oz is too heavy",
  ]);
});

test("other customers and other label types have lists of their own", async () => {
  await add(tier(0, 5));
  expect((await add(tier(0, 5), { customer: await addCustomer() })).status).toBe(200);
  expect((await add(tier(0, 5), { labelType: await addLabelType() })).status).toBe(200);
});

test("bounds and price that make no sense are 400, an unknown label type is 404", async () => {
  for (const [sent, message] of [
    [tier(5, 5), "A price from 5 lb must reach higher than 5 lb"],
    [tier(6, 5), "A price from 6 lb must reach higher than 5 lb"],
    // They differ by a float's rounding error, which the database would not see.
    [tier(0.3, 0.1 + 0.2), "A price from 0.3 lb must reach higher than 0.3 lb"],
    [tier(5, 70.001), "USPS Priority goes up to 70 lb: 70.001 lb is too heavy"],
    [tier(-1, 5), "fromWeight must be at least 0"],
    [tier(0, 1.0001), "A weight has at most three decimals"],
    [tier(0, 1.00000001), "A weight has at most three decimals"],
    [tier(0, 1, -0.01), "A price is not negative"],
    [tier(0, 1, 0.001), "An amount has at most two decimals"],
    [{ fromWeight: 0, toWeight: 1 }, "price is required"],
  ] as [Tier, string][]) {
    const answer = await add(sent);
    expect([...answerOf(answer), answer.body.issues.length]).toEqual([400, message, 1]);
  }
  expect(answerOf(await add(tier(0, 5), { labelType: { id: uuidv7() } }))).toEqual([
    404,
    "This label type does not exist",
  ]);
  expect(await prices()).toEqual([]);
  expect(await logRows()).toEqual([]);
  expect((await add(tier(0, 70, 0))).status).toBe(200);
});

test("of ten overlapping prices added at once, one is added, and the other refusals name it", async () => {
  const answers = await meetAt(customers, maren, () =>
    Array.from({ length: 10 }, (_, number) => add(tier(number / 10, 5, number))),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  const [winner] = await prices();
  const refused = answers.filter((answer) => answer.status === 409).map((answer) => answer.body.message);
  expect(refused).toEqual(Array(9).fill(`Overlaps with ${winner?.fromWeight}–5 lb at $${winner?.price}.00`));
  expect(await logRows()).toHaveLength(1);
});

test("an overlap that came about past the locks is 409 all the same", async () => {
  await add(tier(10, 20));
  const past = await db.transaction(async (tx) => {
    await tx.update(customPrices).set({ fromWeight: 0, toWeight: 5 }).where(eq(customPrices.customerId, maren.id));
    const answer = add(tier(4, 6));
    // Long enough for the call to find no overlap and wait for this transaction.
    await sleep(500);
    return { answer };
  });
  const answer = await past.answer;
  expect(answer.status).toBe(409);
  expect(answer.body.message).toMatch(/^Overlaps with /);
  expect(await bounds()).toEqual([[0, 5]]);
});

test("a price is deleted by its place in the list, and the log says which it was", async () => {
  for (const from of [0, 10, 20]) await add(tier(from, from + 10, from));
  expect(answerOf(await remove({ index: 1 }))).toEqual([
    200,
    "Custom price of maren deleted: USPS Priority, 10–20 lb at $10.00",
  ]);
  expect(await bounds()).toEqual([
    [0, 10],
    [20, 30],
  ]);
  expect((await logRows()).at(-1)).toEqual({
    admin: "staff",
    type: "pricing",
    action: "Deleted a custom price of maren: USPS Priority, 10–20 lb at $10.00",
    before: { labelType: "USPS Priority", fromWeight: 10, toWeight: 20, price: 10 },
    after: { warnings: ["USPS Priority 10–20 lb: no price any more, was $10.00"] },
  });
  expect(answerOf(await remove({ index: 2 }))).toEqual([404, "maren has no custom price at this place of the list"]);
  expect((await remove({ index: -1 })).status).toBe(400);
});

test("with its _id, a price is deleted only where both still match", async () => {
  for (const from of [0, 10]) await add(tier(from, from + 10));
  const [first, second] = await prices();
  const changed = [409, "This price was changed meanwhile. Reload the list."];
  expect(answerOf(await remove({ index: 0, _id: second?._id as string }))).toEqual(changed);
  expect(answerOf(await remove({ index: 7, _id: second?._id as string }))).toEqual(changed);
  expect((await remove({ index: 1, _id: second?._id as string })).status).toBe(200);
  expect(answerOf(await remove({ index: 1, _id: second?._id as string }))).toEqual(changed);
  expect(await prices()).toEqual([first]);
});

test("two windows delete the first price at once: one does, and the second price stays", async () => {
  for (const from of [0, 10]) await add(tier(from, from + 10));
  const [first, second] = await prices();
  const shown = { index: 0, _id: first?._id as string };
  const windows = await meetAt(customPrices, { id: shown._id }, () => [remove(shown), remove(shown)]);
  expect(windows.map(answerOf).sort()).toEqual([
    [200, "Custom price of maren deleted: USPS Priority, 0–10 lb at $4.20"],
    [409, "This price was changed meanwhile. Reload the list."],
  ]);
  expect(await prices()).toEqual([second]);
  expect(await logRows()).toHaveLength(3);
});

test("a customer has at most 200 prices, so that a list of customers stays light", async () => {
  const owner = { customerId: maren.id, labelTypeId: priority.id, priceCents: 100 };
  const many = Array.from({ length: 199 }, (_, n) => ({ ...owner, fromWeight: n / 10, toWeight: (n + 1) / 10 }));
  await db.insert(customPrices).values(many);
  expect((await add(tier(20, 21))).status).toBe(200);
  const { status, body } = await add(tier(21, 22));
  expect([status, body.message]).toEqual([409, "maren has 200 prices already: delete one before adding another"]);
});
