import { refusal } from "@footprint/contract/refusal.ts";
import type { transferKinds } from "@footprint/contract/transfers.ts";
import { eq, sql } from "drizzle-orm";
import type { Author } from "../accounts/audit.ts";
import type { Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { customers } from "../db/schema.ts";

type Kind = (typeof transferKinds)[number];

type Movement = {
  customerId: string;
  /** Negative to take. */
  cents: number;
  kind: Kind;
  /** What the money moves for; an adjustment and a reversal refer to nothing. */
  reference?: string;
  actor: Author;
  reason?: string;
  /** How many orders a purchase pays for. */
  orders?: number;
  /** The transfer that a reversal takes back. */
  reverses?: { id: string; kind: Kind };
};

const mostCents = 1_000_000_000_000;

/**
 * The only way a balance changes: the customer's row, one transfer and what is told of it, in the caller's transaction. Everybody first
 * locks what the money is for, then moves it, and writes what is counted only then: in one order, so that no two can
 * wait for each other. A transfer gets its number, its moment and its totals while the customer's row is locked, so
 * that they follow one another as the balance changed.
 */
export async function move(tx: Transaction, movement: Movement) {
  const { customerId, cents, kind, reference, actor, reason = "", orders = 0, reverses } = movement;
  const id = uuidv7();
  const isDeposit = kind === "deposit" || reverses?.kind === "deposit";
  const isRefund = kind === "refund";
  const isPurchase = kind === "purchase" || reverses?.kind === "purchase";
  const { rows } = await tx.execute<{ username: string; discord_id: string; balance_cents: string | number }>(sql`
    with moved as (
      update customers set balance_cents = balance_cents + ${cents}::bigint, transfers = transfers + 1,
        received_cents = received_cents + ${Math.max(cents, 0)}::bigint,
        spent_cents = spent_cents + ${isPurchase ? -cents : 0}::bigint,
        orders = orders + ${orders}::int,
        deposits = deposits + ${isDeposit ? Math.sign(cents) : 0}::int,
        deposited_cents = deposited_cents + ${isDeposit ? cents : 0}::bigint,
        refunds = refunds + ${isRefund ? 1 : 0}::int, refunded_cents = refunded_cents + ${isRefund ? cents : 0}::bigint
      where id = ${customerId} and balance_cents + ${cents}::bigint between 0 and ${mostCents}
      returning id, username, discord_id, shop_id, balance_cents, transfers, received_cents, spent_cents
    ), noted as (
      insert into transfers (id, customer_id, kind, amount_cents, balance_after_cents, number, received_cents, spent_cents,
        reference, reverses, reason, actor, actor_kind, actor_id, created_at)
      select ${id}::uuid, id, ${kind}, ${cents}::bigint, balance_cents, transfers, received_cents, spent_cents,
        ${reference ?? null}::uuid, ${reverses?.id ?? null}::uuid, ${reason}, ${actor.username}, ${actor.kind},
        ${actor.id}::uuid, clock_timestamp()
      from moved
    ), told as (
      insert into outbox (id, type, customer_id, shop_id, data, created_at)
      select ${uuidv7()}::uuid, 'balance.changed', id, shop_id, jsonb_build_object(
        'customer', jsonb_build_object('_id', id, 'discordId', discord_id, 'username', username),
        'balance', (balance_cents / 100.0)::float8,
        'transfer', jsonb_build_object('_id', ${id}::uuid, 'kind', ${kind}::text, 'amount', ${cents / 100}::float8,
          'for', ${reference ?? null}::uuid)), clock_timestamp()
      from moved
    )
    select username, discord_id, balance_cents from moved`);
  const [customer] = rows;
  if (!customer) throw await cannotMove(tx, customerId, cents);
  const { username, discord_id: discordId, balance_cents: balanceCents } = customer;
  return { id: customerId, transferId: id, username, discordId, balanceCents: Number(balanceCents) };
}

async function cannotMove(tx: Transaction, customerId: string, cents: number) {
  const [customer] = await tx.select().from(customers).where(eq(customers.id, customerId));
  if (!customer) return refusal(404, "This customer does not exist");
  if (cents > 0) return refusal(400, `${customer.username}'s balance would be too large`);
  return balanceTooSmall(customer, -cents);
}

export const balanceTooSmall = (
  { username, balanceCents }: { username: string; balanceCents: number },
  cents: number,
) =>
  refusal(
    402,
    `${username} has ${dollars(balanceCents)}: ${dollars(cents - balanceCents)} is missing to take ${dollars(cents)}`,
  );

/** "$1,234.50", for sentences in messages and logs. */
export function dollars(cents: number): string {
  return `${cents < 0 ? "-" : ""}$${amounts.format(Math.abs(cents) / 100)}`;
}

const amounts = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
