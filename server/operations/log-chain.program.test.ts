import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { chainLog, newestLink } from "../accounts/log-chain.ts";
import { backup, books, emptyPostgres, look, migratedPostgres, place, restore } from "../testing/program.ts";

test("the chain is the same after a restore, and what is changed there is named", async () => {
  const source = await migratedPostgres();
  const { link } = await look(source, async ({ db }) => {
    await db.execute(sql`
      insert into logs (id, admin, type, action, before, after, created_at)
      select gen_random_uuid(), 'maren "ж" 📦 \ {}', 'user', E'Line 1\nline 2\t' || n,
        '{"price": 1.50, "aa": [1e3, "\u2028"], "z": null, "b": {}}', 'null', '2026-03-29T01:59:59.123456Z'::timestamptz + n * interval '1 hour'
      from generate_series(1, 1500) as n where n % 7 < 6`);
    await chainLog(db);
    return newestLink(db);
  });
  const noted = `${link?.number}:${link?.hash}`;
  const chained = `Chained log entries: 1,286. Newest link, to be noted elsewhere:\n${noted}`;
  expect(await books(source, "--link", noted)).toEqual({ code: 0, output: `The books balance.\n${chained}` });

  expect((await backup(source, place("chained.gz"))).code).toBe(0);
  const target = await emptyPostgres();
  expect((await restore(target, place("chained.gz"))).code).toBe(0);
  expect(await books(target, "--link", noted)).toEqual({ code: 0, output: `The books balance.\n${chained}` });

  const changed = await look(target, async ({ db }) => {
    const { rows } = await db.execute<{ id: string }>(sql`
      update logs set after = null where id = (select id from logs order by created_at offset 1100 limit 1) returning id`);
    return rows[0]?.id;
  });
  expect(await books(target)).toEqual({
    code: 1,
    output: `Log entry ${changed} was changed after it had been chained (link 2)\nThe books do not balance.\n${chained}`,
  });

  const other = `1:${link?.hash}`;
  expect(await books(source, "--link", noted, "--link", other)).toEqual({
    code: 1,
    output: `The log's chain was rewritten: link 1 is not the one that it was\nThe books do not balance.\n${chained}`,
  });
  expect(await books(source, "--link", "12")).toEqual({
    code: 1,
    output: "Usage: npm run books -- [--link NUMBER:HASH …]",
  });
});
