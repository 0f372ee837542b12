import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "./db/engine.ts";
import { customers, type transferKinds, transfers } from "./db/schema.ts";
import { refusal } from "./errors.ts";

type Movement = {
  customerId: string;
  /** Negative to take. */
  cents: number;
  kind: (typeof transferKinds)[number];
  /** What the money moves for; an adjustment refers to nothing. */
  reference?: string;
  actor: { username: string };
};

const mostCents = 1_000_000_000_000;

/** The only way a balance changes: the customer's row and one transfer, in the caller's transaction. */
export async function move(tx: Transaction, { customerId, cents, kind, reference, actor }: Movement) {
  const after = sql`${customers.balanceCents} + ${cents}`;
  const [customer] = await tx
    .update(customers)
    .set({ balanceCents: after })
    .where(and(eq(customers.id, customerId), sql`${after} between 0 and ${mostCents}`))
    .returning({ id: customers.id, username: customers.username, balanceCents: customers.balanceCents });
  if (!customer) throw await cannotMove(tx, customerId, cents);
  await tx.insert(transfers).values({
    customerId,
    kind,
    amountCents: cents,
    balanceAfterCents: customer.balanceCents,
    reference: reference ?? null,
    actor: actor.username,
  });
  return customer;
}

async function cannotMove(tx: Transaction, customerId: string, cents: number) {
  const [customer] = await tx.select().from(customers).where(eq(customers.id, customerId));
  if (!customer) return refusal(404, "This customer does not exist");
  if (cents > 0) return refusal(400, `${customer.username}'s balance would be too large`);
  const missing = -cents - customer.balanceCents;
  return refusal(
    402,
    `${customer.username} has ${dollars(customer.balanceCents)}: ${dollars(missing)} is missing to take ${dollars(-cents)}`,
  );
}

/** "$1,234.50", for sentences in messages and logs. */
export function dollars(cents: number): string {
  const text = (Math.abs(cents) / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return `${cents < 0 ? "-" : ""}$${text}`;
}
