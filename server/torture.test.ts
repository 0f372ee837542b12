import { expect, inject, test } from "vitest";
import { torture } from "../bench/torture.ts";

test("killed at full speed, the business keeps all that was answered and does nothing twice", {
  timeout: 300_000,
}, async () => {
  const engine = inject("embeddedDump") ? "embedded" : "postgres";
  const { findings, outcomes } = await torture({
    engine,
    seed: 7400,
    between: { changes: [20, 120] },
    enough: ({ kills }) => kills.server >= 2 && (engine === "embedded" || kills.database >= 1),
  });
  expect(findings).toEqual([]);
  // What nobody did would prove nothing.
  const busy = ["storefront/orders", "storefront/invoices/:id/status", "admin/orders/refund/:id"];
  for (const path of busy) expect(outcomes[path]?.done, path).toBeGreaterThan(0);
});
