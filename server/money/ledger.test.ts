import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { orders } from "@footprint/contract/orders.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { website } from "@footprint/contract/website.ts";
import { eq, sql } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { system } from "../accounts/audit.ts";
import { customers, shops, trackingCodes, transfers as transferTable } from "../db/schema.ts";
import { addCustomer, addFedexOrder, addInvoice, addLabelType, addOrder, someAddresses } from "../testing/builders.ts";
import { meetAt } from "../testing/races.ts";
import { call, db } from "../testing/server.ts";
import { checkBooks } from "./books.ts";
import { move } from "./ledger.ts";

const isEmbedded = Boolean(inject("embeddedDump"));

const parcel = { ...someAddresses, fromCountry: "US", toCountry: "US", labelType: "priority", weight: 1 };

type Known = {
  customer: { id: string; discordId: string };
  order: { id: string };
  invoice: { id: string };
  fedexOrder: { id: string };
  deposit: string;
};
type Movement = [what: string, endpoint: Endpoint, input: (known: Known) => object];
const movements: Movement[] = [
  ["a refund", orders.refund, ({ order }) => ({ params: { id: order.id } })],
  ["an invoice marked as paid", invoices.markPaid, ({ invoice }) => ({ params: { id: invoice.id } })],
  [
    "an invoice paid in the shop",
    storefront.setInvoiceStatus,
    ({ invoice }) => ({ params: { id: invoice.id }, body: { status: "paid" } }),
  ],
  ["an order", storefront.createOrder, ({ customer: { discordId } }) => ({ body: { discordId, ...parcel } })],
  [
    "a bulk order",
    storefront.createBulkOrder,
    ({ customer: { discordId } }) => ({ body: { discordId, orders: [parcel, parcel] } }),
  ],
  ["a charged Fedex order", fedex.charge, ({ fedexOrder }) => ({ params: { id: fedexOrder.id } })],
  ["a reversal", transfers.reverse, ({ deposit }) => ({ params: { id: deposit } })],
  ["added balance", users.addBalance, ({ customer }) => ({ params: { id: customer.id }, body: { balance: 5 } })],
];

// Whoever moves money locks the customer's row first and the counters afterwards. In the opposite order two calls could
// wait for each other.
test.for(movements)("%s waits for the customer's balance without holding a counter", async ([, endpoint, input]) => {
  const { body } = await call("admin", website.createApiKey, { body: { name: "Main shop" } });
  const customer = await addCustomer({ balance: 20 });
  await addLabelType({ uid: "priority", tiers: [[0, 5, 1]] });
  const list = ["9400000000000000000017", "9400000000000000000024"];
  await db
    .insert(trackingCodes)
    .values(list.map((code) => ({ code, type: "priority" as const, template: "evs" as const })));
  const [shop] = await db.select().from(shops);
  const invoice = await addInvoice({ customer, shopId: shop?.id ?? null });
  const paid = await addInvoice({ customer, shopId: shop?.id ?? null });
  await call("staff", invoices.markPaid, { params: { id: paid.id } });
  const [deposit] = await db.select().from(transferTable).where(eq(transferTable.reference, paid.id));
  const fedexOrder = await addFedexOrder({ customer, price: 5 });
  const known = { customer, order: await addOrder({ customer }), invoice, fedexOrder, deposit: deposit?.id ?? "" };
  // A counter has one row for each of sixteen groups of writers. Whichever group the call is in, its row can be locked.
  await db.execute(sql`
    insert into counters select subject, kind, day, writers, 0, 0 from counters, generate_series(0, 15) writers
    on conflict do nothing`);

  const caller = endpoint.access === "storefront" ? { token: body.key } : "staff";
  const headers = endpoint.idempotent ? { "idempotency-key": "once" } : {};
  const [answer] = await meetAt(
    customers,
    customer,
    () => [call(caller, endpoint, { ...input(known), headers } as never)],
    (tx) => tx.execute(sql`select from counters for update nowait`),
  );
  expect([200, 201]).toContain(answer?.status);
  expect((await checkBooks(db)).problems).toEqual([]);
});

test.skipIf(isEmbedded)("money that comes between a try and its refusal is used", async () => {
  const customer = await addCustomer({ username: "maren", balance: 5 });
  const moved = await db.transaction((tx) => {
    let tries = 0;
    const withCredit = new Proxy(tx, {
      get: (target, name) =>
        name !== "execute"
          ? Reflect.get(target, name)
          : async (statement: Parameters<typeof tx.execute>[0]) => {
              const result = await target.execute(statement);
              if (tries++ === 0)
                await call("staff", users.addBalance, { params: { id: customer.id }, body: { balance: 10 } });
              return result;
            },
    });
    return move(withCredit, { customerId: customer.id, cents: -777, kind: "adjustment", actor: system });
  });
  expect(moved.balanceCents).toBe(723);
  expect((await checkBooks(db)).problems).toEqual([]);
});
