import { refusal } from "@footprint/contract/refusal.ts";
import { eq, sql } from "drizzle-orm";
import type { Author } from "../accounts/audit.ts";
import type { Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { customers, type transferKinds } from "../db/schema.ts";

type Movement = {
  customerId: string;
  /** Negative to take. */
  cents: number;
  kind: (typeof transferKinds)[number];
  /** What the money moves for; an adjustment refers to nothing. */
  reference?: string;
  actor: Author;
};

const mostCents = 1_000_000_000_000;

/**
 * The only way a balance changes: the customer's row and one transfer, in the caller's transaction. Everybody first
 * locks what the money is for, then moves it, and writes what is counted only then: in one order, so that no two can
 * wait for each other.
 */
export async function move(tx: Transaction, { customerId, cents, kind, reference, actor }: Movement) {
  const { rows } = await tx.execute<{ username: string; balance_cents: string | number }>(sql`
    with moved as (
      update customers set balance_cents = balance_cents + ${cents}::bigint
      where id = ${customerId} and balance_cents + ${cents}::bigint between 0 and ${mostCents}
      returning id, username, balance_cents
    ), noted as (
      insert into transfers (id, customer_id, kind, amount_cents, balance_after_cents, reference, actor, actor_kind, actor_id)
      select ${uuidv7()}::uuid, id, ${kind}, ${cents}::bigint, balance_cents, ${reference ?? null}::uuid, ${actor.username},
        ${actor.kind}, ${actor.id}::uuid
      from moved
    )
    select username, balance_cents from moved`);
  const [customer] = rows;
  if (!customer) throw await cannotMove(tx, customerId, cents);
  return { username: customer.username, balanceCents: Number(customer.balance_cents) };
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
  return `${cents < 0 ? "-" : ""}$${amounts.format(Math.abs(cents) / 100)}`;
}

const amounts = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
