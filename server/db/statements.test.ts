import { type PGlite, protocol } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { db, engine } from "../testing/server.ts";
import type { Transaction } from "./database.ts";
import { type Engine, withoutTimeLimit } from "./engine.ts";
import { mostStatements } from "./statements.ts";

/** Only here: on PostgreSQL, tables change while older servers run, whose statements name their columns. */
const onEmbedded = test.skipIf(!inject("embeddedDump"));

const numbered = (number: number) => sql`select ${number}::int as answer, ${sql.raw(String(number))} as question`;

async function preparedOf(tx: Transaction): Promise<string[]> {
  const { rows } = await tx.execute<{ statement: string }>(
    sql`select statement from pg_prepared_statements where ${true}`,
  );
  return rows.map(({ statement }) => statement);
}

test.runIf(inject("postgresUrl"))(
  "no statement is compiled, and only slow ones are divided among processes",
  async () => {
    const settings = sql`select current_setting('jit') as jit, current_setting('max_parallel_workers_per_gather') as more`;
    expect((await db.execute(settings)).rows).toEqual([{ jit: "off", more: "0" }]);
    expect((await withoutTimeLimit(db).execute(settings)).rows).toEqual([{ jit: "off", more: "2" }]);
  },
);

test("a connection keeps the statements prepared that were used last", async () => {
  await db.transaction(async (tx) => {
    const often = sql`select ${"often"}::text as answer`;
    for (let number = 0; number <= mostStatements; number++) {
      if (number % 100 === 0) await tx.execute(often);
      const { rows } = await tx.execute(numbered(number));
      expect(rows).toEqual([{ answer: number, question: number }]);
    }

    const prepared = await preparedOf(tx);
    expect(prepared).toHaveLength(mostStatements);
    expect(prepared).toContain("select $1::text as answer");
    expect(prepared.some((text) => text.endsWith(`, ${mostStatements} as question`))).toBe(true);
    expect(prepared.some((text) => text.endsWith(", 0 as question"))).toBe(false);

    const again = await tx.execute(numbered(0));
    expect(again.rows).toEqual([{ answer: 0, question: 0 }]);
  });
});

test("what fails in the middle of a transaction leaves its statements usable", async () => {
  const divided = (by: number) => sql`select 6 / ${by}::int as answer`;
  const greeted = sql`select ${"hello"}::text as greeting`;
  await db.transaction(async (tx) => {
    expect((await tx.execute(divided(3))).rows).toEqual([{ answer: 2 }]);
    await expect(tx.transaction((inner) => inner.execute(divided(0)))).rejects.toMatchObject({
      cause: { code: "22012" },
    });
    expect((await tx.execute(divided(2))).rows).toEqual([{ answer: 3 }]);
  });
  const aborted = db.transaction(async (tx) => {
    await tx.execute(divided(0)).catch(() => {});
    // First prepared in a failed transaction.
    await tx.execute(greeted);
  });
  await expect(aborted).rejects.toMatchObject({ cause: { code: "25P02" } });
  expect((await db.execute(greeted)).rows).toEqual([{ greeting: "hello" }]);
  expect((await db.execute(divided(1))).rows).toEqual([{ answer: 6 }]);
});

onEmbedded("a table that was changed answers as it is now, also within one transaction", async () => {
  const all = sql`select * from changing where id = ${1}`;
  const undone = db.transaction(async (tx) => {
    await tx.execute(sql`create table changing as select 1 as id`);
    expect((await tx.execute(all)).rows).toEqual([{ id: 1 }]);
    await tx.execute(sql`alter table changing add column name text default 'one'`);
    expect((await tx.execute(all)).rows).toEqual([{ id: 1, name: "one" }]);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");

  // The earlier prepared statement would answer with two columns.
  await db.execute(sql`create table changing as select 1 as id, 2 as size, 3 as weight`);
  try {
    expect((await db.execute(all)).rows).toEqual([{ id: 1, size: 2, weight: 3 }]);
  } finally {
    await db.execute(sql`drop table changing`);
  }
});

onEmbedded("a statement that is outdated without anybody knowing is prepared again", async () => {
  const all = sql`select * from changing where id = ${1}`;
  await db.execute(sql`create table changing as select 1 as id`);
  try {
    await db.execute(all);
    await (engine as Engine & { client: PGlite }).client.execProtocol(
      protocol.serialize.query("alter table changing add column name text default 'one'"),
    );
    expect((await db.execute(all)).rows).toEqual([{ id: 1, name: "one" }]);
  } finally {
    await db.execute(sql`drop table changing`);
  }
});
