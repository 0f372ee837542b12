import { tracking } from "@footprint/contract/tracking.ts";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { codeBatches, trackingCodes } from "../db/schema.ts";
import { call, db } from "../testing/server.ts";
import { readBatches } from "./hit-queries.ts";
import { type Batched, hitsOf } from "./search.ts";
import { searched } from "./searched.ts";

type Code = typeof trackingCodes.$inferSelect;
type Query = {
  page?: number;
  limit?: number;
  sort?: "asc" | "des";
  type?: Code["type"];
  template?: Code["template"];
  used?: "true" | "false";
};

/** Registers codes with consecutive numbers at one moment, as `create` does. Their last digit is always 0. */
async function register(
  from: string,
  amount: number,
  { createdAt, ...about }: { createdAt: string; type?: Code["type"]; template?: Code["template"] },
) {
  const { type = "priority", template = "evs" } = about;
  const codes = Array.from({ length: amount }, (_, index) => `${BigInt(from) + BigInt(index)}0`);
  const batch = { id: uuidv7(), type, template, amount, createdAt: new Date(createdAt) };
  await db.insert(codeBatches).values({ ...batch, first: codes[0] as string, last: codes.at(-1) as string });
  await db.execute(sql`insert into tracking_codes (id, code, type, template, batch_id, created_at, used_at)
    select gen_random_uuid(), code, ${type}, ${template}, ${batch.id}::uuid, ${createdAt}::timestamptz,
      case when number % 3 > 0 then now() end
    from unnest(${sql.param(codes)}::text[]) with ordinality as batch (code, number)`);
}

test("codes that begin like very many others are found in order and counted, whatever was registered in between", async () => {
  await register("940011120620000000000", 3_000, { createdAt: "2026-03-01T10:00:00Z" });
  await register("940011120620000003000", 3_000, {
    createdAt: "2026-03-02T10:00:00Z",
    type: "ground_oz",
    template: "indica",
  });
  // Two batches of the same moment, one of which is nearly deleted.
  await register("940011120620000100000", 20, { createdAt: "2026-03-03T10:00:00Z", template: "indica" });
  await register("940022220620000000000", 700, { createdAt: "2026-03-03T10:00:00Z" });
  await db.execute(
    sql`delete from tracking_codes where code between '9400222206200000000030' and '9400222206200000006980'`,
  );
  // Codes with another beginning, one of which ends as the many begin.
  await register("940511120620000000000", 600, { createdAt: "2026-03-04T10:00:00Z" });
  await db.execute(
    sql`update tracking_codes set code = '9405111206299999999400' where code = '9405111206200000000500'`,
  );
  // Codes from before batches were kept.
  for (const [place, createdAt] of ["2026-02-01", "2026-03-02", "2026-03-05"].entries())
    await db.insert(trackingCodes).values({
      ...{ code: `940099920620000000000${place}`, type: "express", template: "evs", createdAt: new Date(createdAt) },
    });

  const codes = await db.select().from(trackingCodes);
  const byTime = (a: Code, b: Code) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
  const check = async (search: string, { from, to, ...query }: Query & { from?: string; to?: string } = {}) => {
    const { page = 1, limit = 10, sort = "des", type, template, used } = query;
    const hits = codes
      .filter(({ code }) => code.startsWith(search) || code.endsWith(search))
      .filter((code) => !type || code.type === type)
      .filter((code) => !template || code.template === template)
      .filter(({ usedAt }) => !used || (usedAt !== null) === (used === "true"))
      .filter(({ createdAt }) => !from || createdAt.toISOString() >= from)
      .filter(({ createdAt }) => !to || createdAt.toISOString().slice(0, 10) <= to)
      .sort(sort === "asc" ? byTime : (a, b) => byTime(b, a));
    const period = { ...(from && { from }), ...(to && { to }) };
    const { body } = await call("admin", tracking.list, { query: { ...query, ...period, search } });
    const asked = JSON.stringify({ search, ...query, ...period });
    expect(
      body.trackings.map(({ code }) => code),
      asked,
    ).toEqual(hits.slice((page - 1) * limit, page * limit).map(({ code }) => code));
    expect(body.total, asked).toBe(Math.min(hits.length, 1_000));
    expect(body.totalCapped, asked).toBe(hits.length > 1_000);
  };
  for (const search of ["9400", "940011120620"])
    for (const sort of ["des", "asc"] as const)
      for (const used of [undefined, "true", "false"] as const)
        for (const query of [
          {},
          { page: 2 },
          { page: 10, limit: 100 },
          { type: "ground_oz" },
          { type: "express" },
          { template: "indica" },
          { template: "indica", type: "priority" },
        ] as const)
          await check(search, { ...query, sort, ...(used && { used }) });
  await check("9400", { from: "2026-03-02", to: "2026-03-02" });
  await check("9400", { from: "2026-03-03", limit: 100 });
  await check("9400", { to: "2026-02-28", type: "express" });
});

test("codes are looked for at so many moments only, and then it is said that there may be more", async () => {
  for (const [place, day] of ["01", "02", "03"].entries())
    await register(`94001112062000000000${place}`, 1, { createdAt: `2026-03-${day}T10:00:00Z` });
  const query = { page: 1, limit: 10, sort: "des", search: "9400" } as const;
  const all = { indexConditions: [], indexColumn: undefined, indexValue: undefined, otherFilters: undefined };
  const selection = { ...all, counted: undefined, moments: {}, table: trackingCodes, query };
  const { batched } = await hitsOf(db, trackingCodes, searched.trackingCodes, query.search);
  const limits = { offset: 0, mostCounted: 10, mostUnbatched: 10 };
  const read = (mostMoments: number) => readBatches(db, selection, batched as Batched, { ...limits, mostMoments });
  expect(await read(3)).toMatchObject({ total: 3, isMore: false });
  expect(await read(2)).toMatchObject({ total: 2, isMore: true });
});
