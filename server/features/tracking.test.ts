import { tracking } from "@footprint/contract/tracking.ts";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { trackingCodes } from "../db/schema.ts";
import { call, db, logRows } from "../testing/server.ts";

const first = "9400111206200000000008";
const five = [
  "9400111206200000000008",
  "9400111206200000000015",
  "9400111206200000000022",
  "9400111206200000000039",
  "9400111206200000000046",
];
const none = { priority: 0, express: 0, ground_oz: 0, ground_lbs: 0 };

const create = (body: object) =>
  call("admin", tracking.create, {
    body: { amount: 5, type: "priority", trackRef: first, template: "evs", ...body },
  });
const list = async (query: object = {}) => (await call("admin", tracking.list, { query })).body;
const codes = async (query: object) => (await list(query)).trackings.map((row) => row.code);
const stats = async () => (await call("admin", tracking.stats)).body;
const use = (code: string) => db.update(trackingCodes).set({ usedAt: new Date() }).where(eq(trackingCodes.code, code));
const answerOf = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message];

test("a range of codes is registered, each with its own check digit", async () => {
  const registered = `Registered 5 ground_oz codes from ${five[0]} to ${five[4]}`;
  expect(answerOf(await create({ type: "ground_oz", template: "pitney" }))).toEqual([200, registered]);
  expect(await codes({ sort: "asc" })).toEqual(five);
  expect((await list()).trackings[0]).toEqual({
    _id: expect.any(String),
    code: "9400111206200000000046",
    used: false,
    type: "ground_oz",
    template: "pitney",
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  expect(await logRows()).toEqual([
    {
      admin: "admin",
      type: "tracking",
      action: registered,
      before: null,
      after: { amount: 5, type: "ground_oz", template: "pitney", first: five[0], last: five[4] },
    },
  ]);
});

test("a number the carrier really issued is taken as it is", async () => {
  const answer = await create({ amount: 1, trackRef: " 9400110200881269505160 " });
  expect(answerOf(answer)).toEqual([200, "Registered priority code 9400110200881269505160"]);
});

test.for([
  [{ trackRef: "940011120620000000000" }, "The first code has 22 digits and begins with 9"],
  [{ trackRef: "8400111206200000000008" }, "The first code has 22 digits and begins with 9"],
  [
    { trackRef: "9400111206200000000007" },
    "9400111206200000000007 is mistyped: after 940011120620000000000 the last digit is 8",
  ],
  [
    { trackRef: "9999999999999999999986", amount: 3 },
    "The carrier's numbers end before that: from 9999999999999999999986 on there are 2",
  ],
  [{ amount: 0 }, "amount must be at least 1"],
  [{ amount: 10_001 }, "amount must be at most 10000"],
  [{ amount: 1.5 }, "amount must be a whole number"],
  [{ type: "media" }, "type must be one of priority, express, ground_oz, ground_lbs"],
  [{ template: "dymo" }, "template must be one of evs, indica, pitney"],
] as const)("%j is refused", async ([wrong, message]) => {
  const answer = await create(wrong);
  expect(answerOf(answer)).toEqual([400, message]);
  expect(answer.body.issues[0]?.path).toBe(`body.${Object.keys(wrong).at(-1)}`);
  expect((await list()).total).toBe(0);
  expect(await logRows()).toEqual([]);
});

test("the carrier's last two numbers can be registered", async () => {
  expect((await create({ trackRef: "9999999999999999999986", amount: 2 })).status).toBe(200);
  expect(await codes({})).toEqual(["9999999999999999999993", "9999999999999999999986"]);
});

test("a code that exists already is named, and nothing is created", async () => {
  await create({ trackRef: five[3], amount: 1 });
  const taken = [409, "The code 9400111206200000000039 is already registered. Nothing was created."];
  expect(answerOf(await create({ amount: 5, type: "express" }))).toEqual(taken);
  expect(await list()).toMatchObject({ trackings: [{ code: five[3], type: "priority" }], total: 1 });
  expect(await logRows()).toHaveLength(1);
  expect((await create({ amount: 3 })).status).toBe(200);
  expect((await list()).total).toBe(4);
});

test("twenty who register one range at once: one does", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => create({ amount: 50 })));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  const late = answers.filter((answer) => answer.status === 409).map((answer) => answer.body.message);
  expect(late).toEqual(Array(19).fill(`The code ${first} is already registered. Nothing was created.`));
  expect((await list()).total).toBe(50);
  expect(await db.$count(trackingCodes)).toBe(50);
  expect(await logRows()).toHaveLength(1);
});

test("ranges that overlap in part, registered at once: whole ranges or nothing", async () => {
  const answers = await Promise.all([0, 1, 2, 3, 4].map((from) => create({ trackRef: five[from], amount: 100 })));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409, 409]);
  expect((await list()).total).toBe(100);
});

test("ten thousand codes are registered in one go, in order", async () => {
  const answer = await create({ trackRef: "9400111206210000000007", amount: 10_000 });
  const registered = "Registered 10,000 priority codes from 9400111206210000000007 to 9400111206210000099995";
  expect(answerOf(answer)).toEqual([200, registered]);
  expect(await stats()).toEqual({ left: { ...none, priority: 10_000 }, used: none });
  const page = await list({ sort: "asc", page: 5, limit: 100 });
  expect([page.total, page.totalPages, page.trackings.at(-1)?.code]).toEqual([10_000, 100, "9400111206210000004999"]);
});

test("the list pages, and a search finds codes by their beginning and their end", async () => {
  await create({ amount: 12 });
  await create({ amount: 1, trackRef: "9400110200881269505160" });
  expect(await codes({ limit: 2, page: 3, sort: "asc" })).toEqual([five[4], "9400111206200000000053"]);
  expect(await list({ page: 9 })).toEqual({ trackings: [], total: 13, totalPages: 2 });
  expect(await list({ search: "95 05160" })).toMatchObject({
    trackings: [{ code: "9400110200881269505160" }],
    total: 1,
    totalPages: 1,
  });
  expect(await codes({ search: "94_0" })).toEqual([]);
});

test("the statistics count codes left and used, per type", async () => {
  expect(await stats()).toEqual({ left: none, used: none });
  await create({ type: "express" });
  await create({ type: "ground_lbs", trackRef: "9400110200881269505160", amount: 2 });
  await use(first);
  expect(await stats()).toEqual({
    left: { priority: 0, express: 4, ground_oz: 0, ground_lbs: 2 },
    used: { priority: 0, express: 1, ground_oz: 0, ground_lbs: 0 },
  });
  expect((await list({ search: first })).trackings[0]?.used).toBe(true);
});

test("a code is deleted, used or not, and the log remembers it", async () => {
  await create({ amount: 3 });
  await use(first);
  const before = await list({ sort: "asc" });
  for (const { _id, code } of before.trackings.slice(0, 2))
    expect(answerOf(await call("admin", tracking.delete, { params: { id: _id } }))).toEqual([
      200,
      `Tracking code ${code} deleted`,
    ]);
  expect(await codes({})).toEqual([five[2]]);
  expect(await stats()).toEqual({ left: { ...none, priority: 1 }, used: none });
  const about = { type: "priority", template: "evs" };
  expect((await logRows()).slice(1)).toEqual([
    {
      admin: "admin",
      type: "tracking",
      action: `Deleted used priority code ${five[0]}`,
      before: { code: five[0], used: true, ...about },
      after: null,
    },
    {
      admin: "admin",
      type: "tracking",
      action: `Deleted unused priority code ${five[1]}`,
      before: { code: five[1], used: false, ...about },
      after: null,
    },
  ]);
});

test("of several deletions of one code at once, one succeeds and the others get 404", async () => {
  await create({ amount: 1 });
  const id = (await list()).trackings[0]?._id as string;
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call("admin", tracking.delete, { params: { id } })),
  );
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404]);
  expect((await list()).total).toBe(0);
});

test("a malformed id is 400 and an unknown one 404", async () => {
  expect((await call("admin", tracking.delete, { params: { id: "7" } })).status).toBe(400);
  expect(answerOf(await call("admin", tracking.delete, { params: { id: uuidv7() } }))).toEqual([
    404,
    "This tracking code does not exist any more",
  ]);
});
