import { expect, inject, test } from "vitest";
import { torture } from "../../bench/torture.ts";

/** Without at least these, nothing would be proven. */
const important = ["storefront/orders", "storefront/invoices/:id/status", "admin/orders/refund/:id"];

test("killed at full speed, the business keeps all that was answered and does nothing twice", {
  timeout: 900_000,
}, async () => {
  const engine = inject("embeddedDump") ? "embedded" : "postgres";
  const { findings } = await torture({
    engine,
    seed: 7528,
    between: { changes: [10, 50] },
    // Fewer are warm sooner, and still keep the servers busy.
    crowd: { shops: 2, visits: 6, operators: 4 },
    emptyFolder: inject("embeddedFolder"),
    warm: ({ outcomes }) => important.every((path) => outcomes()[path]?.done),
    enough: ({ kills }) => kills.server >= 2 && (engine === "embedded" || kills.database >= 1),
  });
  expect(findings).toEqual([]);
});
