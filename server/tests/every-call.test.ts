import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { eventStream } from "@footprint/contract/events.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createKey } from "../accounts/api-keys.ts";
import { features } from "../app.ts";
import { addAccount, db, send } from "../testing/server.ts";
import { addSomeOfEverything } from "../testing/some-of-everything.ts";
import { validInput } from "../testing/valid-input.ts";

const calls = Object.entries(features).flatMap(([feature, { feature: calls }]) =>
  Object.values(calls as Record<string, Endpoint>)
    // The event stream never ends.
    .filter(({ reply }) => reply !== eventStream)
    .map((endpoint) => ({ feature, endpoint })),
);
const reading = calls.filter(({ endpoint }) => endpoint.method === "GET");
const changing = calls.filter(({ endpoint }) => endpoint.method !== "GET");

test("no call fails at valid input, whatever the engine", async () => {
  const known = await addSomeOfEverything();
  const shop = { token: await db.transaction((tx) => createKey(tx, { name: "Caller", bounded: false })) };
  const failed: string[] = [];
  const done = new Set<Endpoint>();
  for (const [place, { feature, endpoint }] of [...reading, ...changing].entries()) {
    // Some calls sign out the caller.
    const as = endpoint.access === "storefront" ? shop : await addAccount(`caller.${place}`, "admin");
    const part = (schema: Endpoint["params"]) => (schema ? validInput(schema, known(feature)) : fc.constant(undefined));
    const inputs = fc.record({ params: part(endpoint.params), query: part(endpoint.query), body: part(endpoint.body) });
    for (const [time, input] of fc.sample(inputs, { seed: 7400, numRuns: 3 }).entries()) {
      const headers = endpoint.idempotent ? { "idempotency-key": `${place}-${time}` } : {};
      const answer = await send(as, endpoint, { ...input, headers } as never);
      const text = await answer.text();
      if (answer.status === 200) done.add(endpoint);
      if (answer.status >= 500) failed.push(`${endpoint.path} ${JSON.stringify(input)}: ${answer.status} ${text}`);
    }
  }
  expect(failed).toEqual([]);
  // Makes sure that the test above proves something.
  expect(reading.filter(({ endpoint }) => done.has(endpoint)).length).toBeGreaterThan(reading.length / 2);
  expect(changing.filter(({ endpoint }) => done.has(endpoint)).length).toBeGreaterThan(changing.length / 5);
});
