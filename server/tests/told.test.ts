import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createKey } from "../accounts/api-keys.ts";
import { features } from "../app.ts";
import { call, db, emptyDatabase } from "../testing/server.ts";
import { addSomeOfEverything } from "../testing/some-of-everything.ts";
import { type Known, validInput } from "../testing/valid-input.ts";

const seed = Number(process.env.BAD_INPUT_SEED ?? 7400);

/** Log entries without events, by how their sentence begins. */
const silent = [
  // Concerns only staff.
  /^(Exported|Downloaded|Saved the view|Changed the view|Deleted the view|Left a note)/,
  /^(Created|Changed|Made|Reset|Suspended|Resumed|Deleted|Signed) (the password|two-step|(a )?staff|(an )?administrator|\S+ (out|a staff account|an administrator))/,
  /^(Suspended|Resumed|Made|Signed) /,
  /^(Created|Changed|Deleted) the API key/,
  /^(Created|Changed|Deleted|Paused|Resumed|Sent|Made a new secret|Gave up) .*\bwebhook\b/,
  // A refusal has changed nothing.
  /^Was refused to /,
  /^(Asked for approval|Declined|Withdrew|Approved|Could not do|Dismissed something unusual)/,
  /^(Dropped|Began to read|Read|Removed|Used|Set aside|Opened line) /,
  // Codes are the business's stock: only that they are low is told.
  /^(Registered|Deleted (un)?used|Deleted [\d,]+ unused|Noted where|Recalled)/,
  // Shops see these changes later, or never.
  /^(Scheduled prices|Withdrew|Set invoice|Prolonged the claim|Claimed|Released)/,
];

/** Only about accounts: no change to the trade. */
const ofAccounts = ["session", "passkeys", "staff", "views"];

const changing = Object.entries(features).flatMap(([feature, { feature: calls }]) =>
  Object.entries(calls as Record<string, Endpoint>)
    .filter(([, { method }]) => method !== "GET" && !ofAccounts.includes(feature))
    .map(([name, endpoint]) => ({ name: `${feature}.${name}`, feature, endpoint })),
);

async function count() {
  const { rows } = await db.execute<{ told: number; logged: number }>(sql`
    select (select count(*) from (select id from outbox union select id from events) as told)::int as told,
      (select count(*) from logs)::int as logged`);
  return rows[0] ?? { told: 0, logged: 0 };
}

test("every change of the trade has an event, or is on the list of those without", async () => {
  let known: (feature: string) => Known = () => ({});
  let shop = { token: "" };
  const begin = async () => {
    await emptyDatabase();
    known = await addSomeOfEverything();
    shop = { token: await db.transaction((tx) => createKey(tx, { name: "Telling", bounded: false })) };
  };
  await begin();
  const heard = new Set<string>();
  const forgotten: string[] = [];
  let before = await count();
  for (const { name, feature, endpoint } of changing) {
    const part = (schema: Endpoint["params"]) => (schema ? validInput(schema, known(feature)) : fc.constant(undefined));
    const inputs = fc.record({ params: part(endpoint.params), query: part(endpoint.query), body: part(endpoint.body) });
    for (const [place, input] of fc.sample(inputs, { seed, numRuns: 8 }).entries()) {
      const headers = endpoint.idempotent ? { "idempotency-key": `${name}-${place}` } : {};
      const as = endpoint.access === "storefront" ? shop : "admin";
      const { status } = await call(as, endpoint, { ...input, headers } as never).catch(() => ({ status: 0 }));
      const after = await count();
      const isTold = after.told > before.told;
      const logged = after.logged - before.logged;
      before = after;
      if (isTold) heard.add(name);
      if (status >= 300 || isTold || logged === 0) continue;
      const { rows } = await db.execute<{ action: string }>(
        sql`select action from logs order by created_at desc, id desc limit ${logged}`,
      );
      for (const { action } of rows)
        if (!silent.some((words) => words.test(action))) forgotten.push(`${name}: ${action}`);
    }
  }
  expect([...new Set(forgotten)]).toEqual([]);
  // Makes sure that the test above proves something: these events occurred.
  expect([...heard]).toEqual(
    expect.arrayContaining([
      ...["fedex.update", "fedex.charge", "invoices.markPaid", "labelTypes.setStatus", "orders.refund"],
      ...["storefront.putCustomer", "transfers.reverse", "users.addBalance", "users.addCustomPrice", "users.verify"],
      ...["users.setStatusOfSeveral", "website.updateCashapp", "website.updateLimits"],
    ]),
  );
});
