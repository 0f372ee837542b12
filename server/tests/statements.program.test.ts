import { setTimeout } from "node:timers/promises";
import { statements } from "@footprint/contract/statements.ts";
import { count, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import * as schema from "../db/schema.ts";
import { checkBooks } from "../money/books.ts";
import { addCustomer } from "../testing/add.ts";
import { formWith } from "../testing/multipart.ts";
import { look, migratedPostgres, openShop } from "../testing/program.ts";

const amount = 3_000;

/** Kills the program as soon as this holds in the database. */
async function killWhen(
  env: { DATABASE_URL: string },
  shop: { child: { kill: (signal: "SIGKILL") => void } },
  state: string,
) {
  await look(env, async ({ db }) => {
    const reached = async () => {
      const rows = db.select({ count: count() }).from(schema.statementLines).where(sql`state = ${state}`);
      return ((await rows)[0]?.count ?? 0) > 0;
    };
    while (!(await reached())) await setTimeout(5);
  });
  shop.child.kill("SIGKILL");
}

test("a server that is killed while it reads a statement, and while it pays many, leaves nothing half done", async () => {
  const env = { ...(await migratedPostgres()), DEMO: "off" };
  let shop = await openShop(env);
  const at = Date.now() - 3_600_000;
  await look(env, async ({ db }) => {
    const customer = await db.transaction((tx) => addCustomer(tx, { username: "maren.olsen" }));
    const open = Array.from({ length: amount }, (_, place) => ({
      customerId: customer.id,
      amountCents: 1_000 + place,
      paymentMethod: "cashapp" as const,
      createdAt: new Date(at),
    }));
    for (let place = 0; place < amount; place += 1_000)
      await db.insert(schema.invoices).values(open.slice(place, place + 1_000));
  });
  const lines = Array.from(
    { length: amount },
    (_, place) => `T${place},${new Date(at + 60_000).toISOString()},${((1_000 + place) / 100).toFixed(2)},Maren Olsen`,
  );
  const file = ["Transaction ID,Date,Amount,Name of sender/receiver", ...lines].join("\n");
  const form = () => formWith({ file: new Blob([file]) }, "report.csv");
  const { statement } = await shop.call(statements.drop, { form: form() });
  const params = { id: statement._id };

  const reading = shop.call(statements.take, { params, body: {} }).catch(() => undefined);
  await killWhen(env, shop, "none");
  await reading;
  shop = await openShop(env);
  const { statement: begun } = await shop.call(statements.read, { params });
  expect(begun.state).not.toBe("new");
  // Uploaded again, it continues where it ended.
  expect((await shop.call(statements.drop, { form: form() })).statement._id).toBe(statement._id);
  let read = begun;
  while (read.state !== "ready") read = (await shop.call(statements.take, { params, body: {} })).statement;
  expect(read).toMatchObject({
    lines: amount,
    read: amount,
    known: 0,
    refused: 0,
    payments: { certain: { count: amount } },
  });

  const certain = async (after = 0) =>
    (await shop.call(statements.lines, { params, query: { state: "certain", after, limit: 100 } })).lines;
  const paying = (async () => {
    for (let next = await certain(); next.length > 0; next = await certain(next.at(-1)?.line))
      await shop.call(statements.payCertain, { body: { ids: next.map(({ _id }) => _id) } });
  })().catch(() => undefined);
  await killWhen(env, shop, "paid");
  await paying;
  const settled = await look(env, async ({ db }) => ({
    paid: await db.$count(schema.statementLines, eq(schema.statementLines.state, "paid")),
    deposits: await db.$count(schema.transfers, eq(schema.transfers.kind, "deposit")),
    problems: (await checkBooks(db)).problems,
  }));
  expect(settled.problems).toEqual([]);
  expect(settled.paid).toBe(settled.deposits);
  expect(settled.paid).toBeLessThan(amount);

  shop = await openShop(env);
  const next = await certain();
  const { outcomes } = await shop.call(statements.payCertain, { body: { ids: next.map(({ _id }) => _id) } });
  expect(outcomes.filter(({ done }) => done)).toHaveLength(100);
});
