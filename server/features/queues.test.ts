import { queues } from "@footprint/contract/queues.ts";
import type { trackingType } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { expect, test } from "vitest";
import type * as z from "zod";
import { trackingCodes } from "../db/schema.ts";
import { addCustomer, addFedexOrder, addInvoice } from "../testing/builders.ts";
import { call, db } from "../testing/server.ts";

const read = async (as: "admin" | "staff" = "staff") => (await call(as, queues.read)).body;
const empty = { count: 0, oldest: null };
const [early, late] = [new Date("2026-03-01T10:00:00Z"), new Date("2026-03-02T10:00:00Z")];
const waiting = (count: number, since: Date) => ({ count, oldest: since.toISOString() });

test("the queues say how many wait, and since when", async () => {
  expect(await read()).toEqual({ newUsers: empty, fedexOrders: empty, invoices: empty, approvals: null, codes: null });
  const declined = await addCustomer({ verifiedAt: null, createdAt: early });
  await call("staff", users.setStatus, { params: { id: declined.id }, body: { status: false } });
  await addCustomer({ createdAt: early });
  const newcomer = await addCustomer({ verifiedAt: null, createdAt: late });
  for (const createdAt of [late, early]) await addFedexOrder({ createdAt });
  await addFedexOrder({ status: "Completed", createdAt: early });
  await addInvoice({ createdAt: late });
  await addInvoice({ status: "expired", createdAt: early });
  expect(await read()).toMatchObject({
    newUsers: waiting(1, late),
    fedexOrders: waiting(2, early),
    invoices: waiting(1, late),
  });
  await call("staff", users.verify, { params: { id: newcomer.id } });
  expect((await read()).newUsers).toEqual(empty);
});

test("administrators see the codes that run out first, of the types that were ever bought", async () => {
  const add = (type: z.output<typeof trackingType>, start: number, amount: number, usedAt: Date | null = null) =>
    db.insert(trackingCodes).values(
      Array.from({ length: amount }, (_, place) => ({
        code: `94${start + place}`,
        type,
        template: "evs" as const,
        usedAt,
      })),
    );
  expect((await read("admin")).codes).toBeNull();
  await add("express", 1000, 120);
  await add("priority", 2000, 100);
  expect((await read("admin")).codes).toEqual({ type: "priority", left: 100, days: null, low: false });
  await add("ground_oz", 3000, 1, new Date());
  expect((await read("admin")).codes).toEqual({ type: "ground_oz", left: 0, days: 0, low: true });
  await add("ground_oz", 4000, 99);
  expect((await read("admin")).codes).toEqual({ type: "ground_oz", left: 99, days: 99, low: true });
  expect((await read()).codes).toBeNull();
});
