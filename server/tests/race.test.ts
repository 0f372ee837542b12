import { website } from "@footprint/contract/website.ts";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { apiKeys, trackingCodes } from "../db/schema.ts";
import { addCustomer, addFedexOrder, addInvoice, addLabelType, addOrder } from "../testing/builders.ts";
import { eventFaultsSince, rowsWithEvents } from "../testing/event-faults.ts";
import { waitingForLocks } from "../testing/races.ts";
import { type Gate, requestsOf, rounds } from "../testing/racing/commands.ts";
import { type Exchange, explain } from "../testing/racing/explaining.ts";
import { look, withIds } from "../testing/racing/looking.ts";
import { type Asked, newFedexOrder } from "../testing/racing/rules.ts";
import type { State } from "../testing/racing/state.ts";
import { call, db, emptyDatabase } from "../testing/server.ts";

// RACE_RUNS=1000 races longer; RACE_SEED and RACE_PATH repeat a failure. The embedded engine does one thing at a time,
// so there are few conflicts to try there.
const runs = Number(process.env.RACE_RUNS ?? (inject("embeddedDump") ? 3 : 13));
const seed = Number(process.env.RACE_SEED ?? 7400);
const path = process.env.RACE_PATH ?? "";

let shops: Record<string, { token: string }>;

/** A small business in which calls often conflict. */
async function open(): Promise<State> {
  await emptyDatabase();
  shops = {};
  for (const name of ["shop0", "shop1"])
    shops[name] = { token: (await call("admin", website.createApiKey, { body: { name } })).body.key };
  // Bounded shops could not reach each other's things.
  await db.update(apiKeys).set({ bounded: false });
  const tiers: [number, number, number][] = [
    [0, 1, 3],
    [1, 2, 5.25],
  ];
  for (const uid of ["priority", "express"]) await addLabelType({ uid, name: uid, tiers });
  const plain = await addLabelType({ uid: "plain", name: "plain", kind: "shipv2", tiers });
  for (const [place, type] of (["priority", "priority", "priority", "express"] as const).entries())
    await db.insert(trackingCodes).values({ code: `930000000000000000000${place}`, type, template: "evs" });
  const state: State = {
    ...{
      customers: {},
      labelTypes: {},
      codes: {},
      orders: {},
      bulkOrders: {},
      invoices: {},
      fedexOrders: {},
      transfers: [],
      staff: {},
    },
    logs: { website: 2 },
    replies: {},
  };
  for (const balance of [20, 8, 0.5]) {
    const customer = await addCustomer({ balance, verifiedAt: balance > 1 ? new Date() : null });
    const order = await addOrder({ customer, labelType: plain, price: 4 });
    const invoice = await addInvoice({ customer, amount: 7 });
    const parcel = await addFedexOrder({ customer });
    const { discordId } = customer;
    state.orders[order.id] = { customer: discordId, labelType: "plain", cents: 400, tracking: "", refunded: false };
    state.invoices[invoice.id] = { customer: discordId, cents: 700, method: "cashapp", status: "pending" };
    state.fedexOrders[parcel.id] = newFedexOrder(discordId);
  }
  return withIds(state, (await look()).lists);
}

async function ask(asked: Asked): Promise<Exchange> {
  const { as, call: endpoint, input, key } = asked;
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const { status, body } = await call(shops[as] ?? (as as "admin"), endpoint, { ...(input as object), headers });
  return { asked, answer: { status, body } };
}

/** Blocks a table until all calls have been answered or wait, then lets all of them pass at once. */
async function askAll(requests: Asked[], gate: Gate): Promise<Exchange[]> {
  if (gate === "none" || inject("embeddedDump")) return Promise.all(requests.map(ask));
  const { exchanges } = await db.transaction(async (tx) => {
    await tx.execute(sql`lock table ${sql.identifier(gate)} in exclusive mode`);
    let answered = 0;
    const exchanges = requests.map((asked) => ask(asked).finally(() => answered++));
    // Some may wait for a place that calls at the gate hold: these run afterwards.
    const patience = Date.now() + 10_000;
    while (answered + (await waitingForLocks(tx)) < exchanges.length && Date.now() < patience);
    // Wrapped: the transaction must end before they can.
    return { exchanges };
  });
  return Promise.all(exchanges);
}

const told = ({ asked, answer }: Exchange) =>
  `${asked.as} ${asked.call.method} ${asked.call.path} ${JSON.stringify(asked.input)} ${asked.key ?? ""}: ${answer.status} ${JSON.stringify(answer.body)}`;

test("whatever operators and shops do at once, it could have been done one after another", {
  timeout: 120_000 + runs * 2_000,
}, async () => {
  const property = fc.asyncProperty(rounds, async (plan) => {
    let state = await open();
    const before = await rowsWithEvents();
    const asked: Asked[] = [];
    for (const { commands, gate, again } of plan) {
      const repeats = again.flatMap((place) => asked.filter(({ key }) => key)[place] ?? []);
      const requests = [...commands.flatMap((command) => requestsOf(command, state)), ...repeats];
      const round = await askAll(requests, gate);
      asked.push(...requests);
      const { seen, lists, problems } = await look();
      const found = explain(state, round, seen);
      const context = `${gate}\n${round.map(told).join("\n")}`;
      if (!("after" in found))
        expect(seen, `no order of these calls explains what is seen:\n${context}`).toEqual(found.nearest);
      if (!("after" in found)) throw new Error(`no order explains these answers:\n${context}`);
      expect(problems, context).toEqual([]);
      state = withIds(found.after, lists);
    }
    expect(await eventFaultsSince(before)).toEqual([]);
  });
  await fc.assert(property, { seed, path, numRuns: runs, interruptAfterTimeLimit: 60_000 + runs * 2_000 });
});
