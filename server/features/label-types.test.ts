import { labelTypes } from "@footprint/contract/label-types.ts";
import { users } from "@footprint/contract/users.ts";
import { expect, inject, test as onBothEngines } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { labelTypes as labelTypesTable } from "../db/schema.ts";
import { addCustomer, addLabelType } from "../testing/builders.ts";
import { meetAt } from "../testing/races.ts";
import { call, logRows } from "../testing/server.ts";

/** For what both engines do alike. */
const test = onBothEngines.skipIf(inject("embeddedDump"));

const priority = { name: "USPS Priority", uid: "usps_priority", maxWeight: 70, type: "usps" } as const;
const answerOf = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message];

const create = (body: object) => call("admin", labelTypes.create, { body: { ...priority, ...body } });
const update = (id: string, body: object) =>
  call("admin", labelTypes.update, { params: { id }, body: { ...priority, ...body } });
const list = async () => (await call("staff", labelTypes.list)).body.labelTypes;
const read = async (id: string) => (await call("staff", labelTypes.read, { params: { id } })).body.labelType;
const bounds = async (id: string) => (await read(id)).prices.map((price) => [price.fromWeight, price.toWeight]);

const addTier = ({ id }: { id: string }, fromWeight: number, toWeight: number, price = 4.2) =>
  call("admin", labelTypes.addTier, { params: { id }, body: { fromWeight, toWeight, price } });
const deleteTier = ({ id }: { id: string }, fromWeight: number, toWeight: number) =>
  call("admin", labelTypes.deleteTier, { params: { id }, body: { fromWeight, toWeight } });

test("the list is ordered by name and carries the specification's fields, prices by weight", async () => {
  await addLabelType({ name: "usps ground", uid: "ground" });
  const labelType = await addLabelType({
    ...priority,
    tiers: [
      [5, 70, 9.5],
      [0, 5, 4.2],
    ],
  });
  await addLabelType({ name: "Fedex", uid: "fedex", kind: "wwbiz", active: false });
  const all = await list();
  expect(all.map(({ name, type, status }) => [name, type, status])).toEqual([
    ["Fedex", "wwbiz", false],
    ["usps ground", "usps", true],
    ["USPS Priority", "usps", true],
  ]);
  expect(all[2]).toEqual({
    _id: labelType.id,
    name: "USPS Priority",
    uid: "usps_priority",
    maxWeight: 70,
    type: "usps",
    codes: null,
    status: true,
    prices: [
      { _id: expect.any(String), fromWeight: 0, toWeight: 5, price: 4.2, version: expect.any(String) },
      { _id: expect.any(String), fromWeight: 5, toWeight: 70, price: 9.5, version: expect.any(String) },
    ],
    version: expect.any(String),
  });
  expect(await read(labelType.id)).toEqual(all[2]);
});

test("without label types the list is empty", async () => {
  expect(await list()).toEqual([]);
});

test("a label type is created, active and without prices", async () => {
  expect(answerOf(await create({ name: " USPS Priority ", maxWeight: 70.5 }))).toEqual([
    200,
    "Label type USPS Priority created",
  ]);
  expect(await list()).toMatchObject([{ ...priority, maxWeight: 70.5, status: true, prices: [] }]);
  expect(await logRows()).toEqual([
    {
      admin: "admin",
      type: "label",
      action: "Created label type USPS Priority",
      before: null,
      after: { ...priority, maxWeight: 70.5, codes: null },
    },
  ]);
});

onBothEngines("a uid is taken regardless of case, also when several ask at once", async () => {
  const uids = ["usps_p", "USPS_P", "Usps_P", "usps_P"];
  const answers = await Promise.all(uids.map((uid) => create({ uid })));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409]);
  for (const { status, body } of answers)
    if (status === 409) expect(body.message).toMatch(/^The uid usps_p is taken$/i);

  const other = await addLabelType();
  expect(answerOf(await update(other.id, { uid: "Usps_p" }))).toEqual([409, "The uid Usps_p is taken"]);
  expect(await logRows()).toHaveLength(1);
});

test.for([
  [{ name: " " }, "A label type needs a name"],
  [{ uid: "" }, "A label type needs a uid"],
  [{ maxWeight: 0 }, "The maximum weight is more than 0"],
  [{ maxWeight: 0.00000001 }, "A weight has at most three decimals"],
  [{ maxWeight: 5.00000001 }, "A weight has at most three decimals"],
  [{ maxWeight: 1.0001 }, "A weight has at most three decimals"],
  [{ maxWeight: undefined }, "maxWeight is required"],
  [{ type: "dhl" }, "type must be one of usps, shipv2, wwbiz"],
] as const)("a label type with %j is refused", async ([wrong, message]) => {
  expect(answerOf(await create(wrong))).toEqual([400, message]);
  const existing = await addLabelType();
  expect(answerOf(await update(existing.id, wrong))).toEqual([400, message]);
  expect(await logRows()).toEqual([]);
});

test("an update changes the label type, keeps its uid and prices, and logs before and after", async () => {
  const labelType = await addLabelType({ ...priority, tiers: [[0, 5, 4.2]] });
  const after = { name: "Priority Mail", uid: "USPS_Priority", maxWeight: 5, type: "shipv2" };
  expect(answerOf(await update(labelType.id, after))).toEqual([200, "Label type Priority Mail saved"]);
  expect(await read(labelType.id)).toMatchObject({ ...after, status: true, prices: [{ fromWeight: 0, toWeight: 5 }] });
  expect(await logRows()).toEqual([
    {
      admin: "admin",
      type: "label",
      action: "Changed label type Priority Mail",
      before: { ...priority, codes: null },
      after: { ...after, codes: null },
    },
  ]);
});

test("which codes a label type takes is chosen, and where nobody chooses, its uid tells", async () => {
  const codesOf = async (name: string) => (await list()).find((type) => type.name === name)?.codes;
  await create({ name: "By uid", uid: "Ground_OZ" });
  await create({ name: "Chosen", uid: "special", codes: "express" });
  await create({ name: "Declined", uid: "priority", codes: null });
  await create({ name: "Elsewhere", uid: "express", type: "shipv2" });
  for (const [name, codes] of [
    ["By uid", "ground_oz"],
    ["Chosen", "express"],
    ["Declined", null],
    ["Elsewhere", null],
  ] as const)
    expect([name, await codesOf(name)]).toEqual([name, codes]);

  const chosen = (await list()).find(({ name }) => name === "Chosen");
  const change = async (values: object) => (await update(chosen?._id ?? "", { name: "Chosen", ...values })).status;
  // A caller that does not know codes changes something else: the choice stays until uid or type change.
  expect([await change({ uid: "special", maxWeight: 60 }), await codesOf("Chosen")]).toEqual([200, "express"]);
  expect([await change({ uid: "Special" }), await codesOf("Chosen")]).toEqual([200, "express"]);
  expect([await change({ uid: "ground_lbs" }), await codesOf("Chosen")]).toEqual([200, "ground_lbs"]);
  expect([await change({ uid: "ground_lbs", codes: null }), await codesOf("Chosen")]).toEqual([200, null]);
  const refused = await create({ name: "Other", uid: "other", type: "wwbiz", codes: "priority" });
  expect([answerOf(refused), refused.body.issues[0]?.path]).toEqual([
    [400, "Only labels of type usps take prepaid codes"],
    "body.codes",
  ]);
  expect((await logRows()).at(-1)?.after).toMatchObject({ name: "Chosen", codes: null });
});

test("the maximum weight does not go below a price, the label type's or a customer's", async () => {
  const labelType = await addLabelType({ ...priority, tiers: [[0, 50, 4.2]] });
  const customer = await addCustomer({ username: "maren" });
  await call("staff", users.addCustomPrice, {
    params: { id: customer.id },
    body: { labelType: labelType.id, fromWeight: 10, toWeight: 60, price: 3 },
  });
  const remedy = (weight: number) => `Change or delete it before lowering the maximum to ${weight} lb.`;
  expect(answerOf(await update(labelType.id, { maxWeight: 49.999 }))).toEqual([
    409,
    `USPS Priority has a price for 0–50 lb at $4.20. ${remedy(49.999)}`,
  ]);
  expect(answerOf(await update(labelType.id, { maxWeight: 59 }))).toEqual([
    409,
    `maren has a custom price for 10–60 lb at $3.00. ${remedy(59)}`,
  ]);
  expect((await read(labelType.id)).maxWeight).toBe(70);
  expect((await update(labelType.id, { maxWeight: 60 })).status).toBe(200);
});

onBothEngines("lowering the maximum and adding a price above it at once: one of the two", async () => {
  for (let round = 0; round < 3; round++) {
    const labelType = await addLabelType();
    const customer = await addCustomer();
    const body = { labelType: labelType.id, fromWeight: 0, toWeight: 70, price: 1 };
    const [lowered, added] = await meetAt<{ status: number }>(labelTypesTable, labelType, () => [
      update(labelType.id, { uid: labelType.uid, maxWeight: 50 }),
      call("staff", users.addCustomPrice, { params: { id: customer.id }, body }),
    ]);
    expect([
      [200, 400],
      [409, 200],
    ]).toContainEqual([lowered?.status, added?.status]);
  }
});

test("the status is set to the wanted value, or flips; what already is leaves no log row", async () => {
  const { id } = await addLabelType(priority);
  const set = async (body?: { status?: boolean }) =>
    answerOf(await call("admin", labelTypes.setStatus, { params: { id }, ...(body && { body }) }));
  expect(await set({ status: false })).toEqual([200, "USPS Priority is disabled"]);
  expect(await set({ status: false })).toEqual([200, "USPS Priority is already disabled"]);
  expect((await read(id)).status).toBe(false);
  expect(await set()).toEqual([200, "USPS Priority is enabled"]);
  expect((await read(id)).status).toBe(true);
  expect((await logRows()).map(({ type, action, before, after }) => [type, action, before, after])).toEqual([
    ["label", "Disabled label type USPS Priority", { status: true }, { status: false }],
    ["label", "Enabled label type USPS Priority", { status: false }, { status: true }],
  ]);
});

onBothEngines("prices are added; those that meet do not overlap, one that overlaps is named", async () => {
  const labelType = await addLabelType(priority);
  expect(answerOf(await addTier(labelType, 0, 5))).toEqual([200, "Price for USPS Priority added: 0–5 lb at $4.20"]);
  expect((await addTier(labelType, 5, 70, 1234.5)).status).toBe(200);
  expect(answerOf(await addTier(labelType, 4.999, 5))).toEqual([409, "Overlaps with 0–5 lb at $4.20"]);
  expect(answerOf(await addTier(labelType, 6, 7))).toEqual([409, "Overlaps with 5–70 lb at $1,234.50"]);
  expect((await addTier(await addLabelType(), 0, 5)).status).toBe(200);
  expect((await logRows())[0]).toEqual({
    admin: "admin",
    type: "pricing",
    action: "Added a price for USPS Priority: 0–5 lb at $4.20",
    before: null,
    after: { fromWeight: 0, toWeight: 5, price: 4.2 },
  });
  expect(await bounds(labelType.id)).toEqual([
    [0, 5],
    [5, 70],
  ]);
});

onBothEngines("of ten overlapping prices added at once, one is added, and the other refusals name it", async () => {
  const labelType = await addLabelType(priority);
  const answers = await meetAt(labelTypesTable, labelType, () =>
    Array.from({ length: 10 }, (_, n) => addTier(labelType, n / 10, 5, n)),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  const [winner] = (await read(labelType.id)).prices;
  const refused = answers.filter((answer) => answer.status === 409).map((answer) => answer.body.message);
  expect(refused).toEqual(Array(9).fill(`Overlaps with ${winner?.fromWeight}–5 lb at $${winner?.price}.00`));
  expect(await logRows()).toHaveLength(1);
});

test("a price is changed, may keep its own bounds, and does not run into its neighbour", async () => {
  const labelType = await addLabelType({
    ...priority,
    tiers: [
      [0, 5, 4.2],
      [5, 70, 9],
    ],
  });
  const price_id = (await read(labelType.id)).prices[0]?._id as string;
  const change = async (fromWeight: number, toWeight: number, price: number) =>
    answerOf(
      await call("admin", labelTypes.updateTier, {
        params: { id: labelType.id },
        body: { price_id, fromWeight, toWeight, price },
      }),
    );
  expect(await change(0, 5, 4.5)).toEqual([200, "Price for USPS Priority saved: 0–5 lb at $4.50"]);
  expect(await change(1, 4, 4.5)).toEqual([200, "Price for USPS Priority saved: 1–4 lb at $4.50"]);
  expect(await change(1, 5.001, 4.5)).toEqual([409, "Overlaps with 5–70 lb at $9.00"]);
  expect(await change(4, 4, 4.5)).toEqual([400, "A price from 4 lb must reach higher than 4 lb"]);
  expect(await change(1, 71, 4.5)).toEqual([400, "USPS Priority goes up to 70 lb: 71 lb is too heavy"]);
  expect((await read(labelType.id)).prices[0]).toMatchObject({ _id: price_id, fromWeight: 1, toWeight: 4, price: 4.5 });
  expect(await logRows()).toHaveLength(2);
  expect((await logRows())[0]).toEqual({
    admin: "admin",
    type: "pricing",
    action: "Changed a price for USPS Priority from 0–5 lb at $4.20 to 0–5 lb at $4.50",
    before: { fromWeight: 0, toWeight: 5, price: 4.2 },
    after: { fromWeight: 0, toWeight: 5, price: 4.5, percent: 7.14 },
  });
});

test("a price of another label type, or of none, is 404", async () => {
  const labelType = await addLabelType({ ...priority, tiers: [[0, 5, 4.2]] });
  const other = await addLabelType({ name: "Other" });
  const price_id = (await read(labelType.id)).prices[0]?._id as string;
  const change = (id: string, price_id: string) =>
    call("admin", labelTypes.updateTier, { params: { id }, body: { price_id, fromWeight: 0, toWeight: 5, price: 1 } });
  expect(answerOf(await change(other.id, price_id))).toEqual([404, "This price of Other does not exist any more"]);
  expect((await change(labelType.id, uuidv7())).status).toBe(404);
  expect((await read(labelType.id)).prices[0]?.price).toBe(4.2);
});

test("a price is deleted by its exact bounds", async () => {
  const tiers: [number, number, number][] = [
    [0, 0.3, 4.2],
    [0.3, 70, 9],
  ];
  const labelType = await addLabelType({ ...priority, tiers });
  await addLabelType({ tiers });
  expect(answerOf(await deleteTier(labelType, 0, 70))).toEqual([404, "USPS Priority has no price for 0–70 lb"]);
  // A sum as a program computes it: 0.30000000000000004.
  expect(answerOf(await deleteTier(labelType, 0, 0.1 + 0.2))).toEqual([
    200,
    "Price for USPS Priority deleted: 0–0.3 lb at $4.20",
  ]);
  expect(await bounds(labelType.id)).toEqual([[0.3, 70]]);
  expect(await logRows()).toEqual([
    {
      admin: "admin",
      type: "pricing",
      action: "Deleted a price for USPS Priority: 0–0.3 lb at $4.20",
      before: { fromWeight: 0, toWeight: 0.3, price: 4.2 },
      after: { warnings: ["0–0.3 lb would have no price"] },
    },
  ]);
  expect((await deleteTier(labelType, 0, 0.3)).status).toBe(404);
});

test("a malformed id is 400 and an unknown one 404, in every call", async () => {
  const tier = { fromWeight: 0, toWeight: 1, price: 1 };
  const calls = [
    (id: string) => call("staff", labelTypes.read, { params: { id } }),
    (id: string) => update(id, {}),
    (id: string) => call("admin", labelTypes.setStatus, { params: { id } }),
    (id: string) => addTier({ id }, 0, 1),
    (id: string) => call("admin", labelTypes.updateTier, { params: { id }, body: { price_id: uuidv7(), ...tier } }),
    (id: string) => deleteTier({ id }, 0, 1),
  ];
  for (const make of calls) {
    expect((await make("7")).status).toBe(400);
    expect(answerOf(await make(uuidv7()))).toEqual([404, "This label type does not exist"]);
  }
  expect(await logRows()).toEqual([]);
});

test("a label type has at most 200 prices, and there are at most 200 label types: lists of them stay light", async () => {
  const tiers = Array.from({ length: 199 }, (_, n): [number, number, number] => [n / 10, (n + 1) / 10, 1]);
  const labelType = await addLabelType({ name: "USPS Priority", maxWeight: 70, tiers });
  expect((await addTier(labelType, 20, 21)).status).toBe(200);
  expect(answerOf(await addTier(labelType, 21, 22))).toEqual([
    409,
    "USPS Priority has 200 prices already: delete one before adding another",
  ]);

  for (let count = 1; count < 199; count++) await addLabelType();
  expect((await create({ uid: "the_last" })).status).toBe(200);
  expect(answerOf(await create({ uid: "one_more" }))).toEqual([
    409,
    "There are 200 label types already: change one that is not used any more",
  ]);
});
