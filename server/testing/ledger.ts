import type { transferKinds } from "@footprint/contract/transfers.ts";
import { eq } from "drizzle-orm";
import { uuidv7 } from "../db/ids.ts";
import { customers, orders, transfers } from "../db/schema.ts";
import { someAddresses } from "./builders.ts";
import { db } from "./server.ts";

/** What moved when, in dollars; negative for a purchase. */
export type Past = {
  at: Date;
  kind: (typeof transferKinds)[number];
  amount: number;
  by?: { id: string; username: string };
  reason?: string;
};

/** Gives a customer a history: builders move money now, this at any time. */
export async function addPast(customer: { id: string }, past: Past[]): Promise<void> {
  const [row] = await db.select().from(customers).where(eq(customers.id, customer.id));
  if (!row) throw new Error("there is no such customer");
  let { transfers: number, balanceCents, receivedCents, spentCents } = row;
  const rows = past
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ at, kind, amount, by, reason = "" }) => {
      const amountCents = Math.round(amount * 100);
      number++;
      balanceCents += amountCents;
      receivedCents += Math.max(amountCents, 0);
      if (kind === "purchase") spentCents -= amountCents;
      return {
        customerId: customer.id,
        kind,
        amountCents,
        balanceAfterCents: balanceCents,
        number,
        receivedCents,
        spentCents,
        reference: kind === "adjustment" ? null : uuidv7(),
        actor: by?.username ?? "shop",
        actorKind: by ? ("account" as const) : ("shop" as const),
        actorId: by?.id ?? null,
        reason,
        createdAt: at,
      };
    });
  await db.insert(transfers).values(rows);
  await db
    .update(customers)
    .set({ transfers: number, balanceCents, receivedCents, spentCents })
    .where(eq(customers.id, customer.id));
}

type Order = { customerId: string; labelTypeId: string; createdAt: Date; toStreet?: string; priceCents?: number };

/** Orders of any time, without transfers. */
export async function addPastOrders(rows: Order[]): Promise<void> {
  const rest = { ...someAddresses, fromCountry: "US", toCountry: "US", weight: 1 };
  await db.insert(orders).values(rows.map((row) => ({ priceCents: 500, ...rest, ...row })));
}
