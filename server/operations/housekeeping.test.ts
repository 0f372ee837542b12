import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { codeTries, counters, files, idempotentReplies, sessions, signIns, signInTries } from "../db/schema.ts";
import { checkBooks } from "../money/books.ts";
import { addOrder } from "../testing/builders.ts";
import { db, engine } from "../testing/server.ts";
import { mergeKeys, tidy } from "./housekeeping.ts";

const ago = (interval: string) => sql`now() - ${interval}::interval`;

test("what has ended is cleared away, and nothing else", async () => {
  const key = { caller: "shop", request: "", reply: {} };
  await db.insert(idempotentReplies).values({ ...key, key: "new", createdAt: ago("6 days 23 hours") });
  await db.insert(idempotentReplies).values({ ...key, key: "old", createdAt: ago("7 days 1 minute") });
  const [session] = await db.select().from(sessions);
  if (!session) throw new Error("there are sessions");
  const openSessions = await db.$count(sessions);
  const { accountId } = session;
  await db.insert(sessions).values({ accountId, tokenHash: "unused", lastUsedAt: ago("12 hours 1 minute") });
  await db.insert(sessions).values({ accountId, tokenHash: "old", createdAt: ago("7 days 1 minute") });
  const tried = { username: "admin", address: "::1" };
  await db.insert(signInTries).values([tried, { ...tried, triedAt: ago("61 minutes") }]);
  const signedIn = { accountId, outcome: "signed in", device: "Firefox", address: "::1" } as const;
  await db.insert(signIns).values([signedIn, { ...signedIn, createdAt: ago("91 days") }]);
  await db.insert(codeTries).values([{ accountId }, { accountId, triedAt: ago("10 minutes 1 second") }]);
  const file = { name: "a.pdf", type: "application/pdf" };
  await db.insert(files).values([
    { ...file, name: "on its way" },
    { ...file, name: "attached", size: 1, createdAt: ago("2 hours") },
    { ...file, name: "left behind by a crash", createdAt: ago("2 hours") },
  ]);

  await tidy(engine);
  expect((await db.select().from(idempotentReplies)).map((row) => row.key)).toEqual(["new"]);
  expect(await db.$count(sessions)).toBe(openSessions);
  expect(await db.$count(signInTries)).toBe(1);
  expect(await db.$count(signIns)).toBe(1);
  expect(await db.$count(codeTries)).toBe(1);
  expect((await db.select().from(files)).map(({ name }) => name).sort()).toEqual(["attached", "on its way"]);
});

test("an index of keys has taken in what waited for it", async () => {
  const waiting = async () => {
    const { rows } = await db.execute<{ pages: string }>(sql`select gin_clean_pending_list('orders_search') as pages`);
    return Number(rows[0]?.pages);
  };
  // Left over from earlier tests.
  await waiting();
  await addOrder();
  expect(await waiting()).toBe(1);
  await addOrder();
  await mergeKeys(db);
  expect(await waiting()).toBe(0);
});

test("the counters of past days are added up, and count the same", async () => {
  for (const days of [3, 2, 0])
    for (let number = 0; number < 3; number++) await addOrder({ createdAt: new Date(Date.now() - days * 86_400_000) });
  await db.execute(sql`update counters set slot = 7`);
  await db.execute(sql`update counters set count = count - 1 where day < current_date`);
  await db.execute(sql`insert into counters select subject, kind, day, 3, 1, 0 from counters where day < current_date`);
  expect(await checkBooks(db)).toMatchObject({ problems: [] });

  await tidy(engine);
  expect(await checkBooks(db)).toMatchObject({ problems: [] });
  const slots = await db
    .selectDistinct({ slot: counters.slot, isPast: sql<boolean>`day < current_date` })
    .from(counters)
    .orderBy(counters.slot);
  expect(slots).toEqual([
    { slot: -1, isPast: true },
    { slot: 7, isPast: false },
  ]);
});
