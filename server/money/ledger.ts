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
  /** Negative to take money. */
  cents: number;
  kind: Kind;
  /** What the money is for; adjustments and reversals refer to nothing. */
  reference?: string;
  actor: Author;
  reason?: string;
  /** How many orders a purchase pays for. */
  orders?: number;
  /** The transfer that a reversal reverses. */
  reverses?: { id: string; kind: Kind };
};

const mostCents = 1_000_000_000_000;

/**
 * The only function that changes a balance. In the caller's transaction it writes the customer's row, one transfer and
 * the events. Callers first lock what the money is for, then call this, and only then write rows that are counted; with
 * everybody in this order no two calls can wait for each other. A transfer gets its number, time and totals while the
 * customer's row is locked, so transfers follow one another as the balance changed.
 */
export async function move(tx: Transaction, movement: Movement) {
  const [moved] = await moveEach(tx, [movement]);
  if (moved) return moved;
  // Under lock: money that came meanwhile is used, and a refusal says what there is.
  const [customer] = await tx
    .select()
    .from(customers)
    .where(eq(customers.id, movement.customerId))
    .for("no key update");
  const [movedNow] = await moveEach(tx, [movement]);
  if (!movedNow) throw cannotMove(customer, movement.cents);
  return movedNow;
}

/**
 * The same for several, one after the other, in one statement. Either all of a customer's movements are made or none;
 * in that case they are missing from the result. A caller that moves money of several customers has locked their rows
 * before, in a fixed order.
 */
export async function moveEach(tx: Transaction, movements: Movement[]) {
  const wanted = movements.map(
    ({ customerId, cents, kind, reference, actor, reason = "", orders = 0, reverses }, place) => {
      const isDeposit = kind === "deposit" || reverses?.kind === "deposit";
      const isRefund = kind === "refund";
      const isPurchase = kind === "purchase" || reverses?.kind === "purchase";
      return {
        ...{ place, id: uuidv7(), event_id: uuidv7(), customer_id: customerId, cents, kind, reason, orders },
        ...{ reference, reverses: reverses?.id, actor: actor.username, actor_kind: actor.kind, actor_id: actor.id },
        spent: isPurchase ? -cents : 0,
        deposits: isDeposit ? Math.sign(cents) : 0,
        deposited: isDeposit ? cents : 0,
        refunds: isRefund ? 1 : 0,
        refunded: isRefund ? cents : 0,
      };
    },
  );
  type Moved = {
    place: number;
    id: string;
    customer_id: string;
    username: string;
    discord_id: string;
    balance: string;
  };
  // The customers are named twice: the database cannot know how few there are, and would scan all customers.
  const { rows } = await tx.execute<Moved>(sql`
    with wanted as materialized (
      select * from json_to_recordset(${JSON.stringify(wanted)}::json) as wanted (place int, id uuid, event_id uuid,
        customer_id uuid, cents bigint, kind text, reason text, orders int, reference uuid, reverses uuid, actor text,
        actor_kind text, actor_id uuid, spent bigint, deposits int, deposited bigint, refunds int, refunded bigint)
    ), sums as (
      select customer_id as customer, count(*) as transfers, sum(cents) as cents, sum(greatest(cents, 0)) as received,
        sum(spent) as spent, sum(wanted.orders) as orders, sum(wanted.deposits) as deposits, sum(deposited) as deposited,
        sum(wanted.refunds) as refunds, sum(refunded) as refunded
      from wanted group by customer_id
    ), moved as (
      update customers set balance_cents = balance_cents + sums.cents, transfers = customers.transfers + sums.transfers,
        received_cents = received_cents + sums.received, spent_cents = spent_cents + sums.spent,
        orders = customers.orders + sums.orders, deposits = customers.deposits + sums.deposits,
        deposited_cents = deposited_cents + sums.deposited, refunds = customers.refunds + sums.refunds,
        refunded_cents = refunded_cents + sums.refunded
      from sums
      where customers.id = sums.customer and customers.id = any(array(select customer_id from wanted)) and balance_cents + sums.cents between 0 and ${mostCents}
      returning customers.id, username, discord_id, shop_id, balance_cents, customers.transfers, received_cents, spent_cents
    ), each as materialized (
      select wanted.*, username, discord_id, shop_id,
        balance_cents - coalesce(sum(cents) over later, 0) as balance, moved.transfers - count(*) over later as number,
        received_cents - coalesce(sum(greatest(cents, 0)) over later, 0) as received_then,
        spent_cents - coalesce(sum(spent) over later, 0) as spent_then
      from wanted join moved on moved.id = wanted.customer_id
      window later as (partition by customer_id order by place rows between 1 following and unbounded following)
    ), noted as (
      insert into transfers (id, customer_id, kind, amount_cents, balance_after_cents, number, received_cents, spent_cents,
        reference, reverses, reason, actor, actor_kind, actor_id, created_at)
      select id, customer_id, kind, cents, balance, number, received_then, spent_then, reference, reverses, reason, actor,
        actor_kind, actor_id, clock_timestamp()
      from each order by place
    ), told as (
      insert into outbox (id, type, customer_id, shop_id, data, created_at)
      select event_id, 'balance.changed', customer_id, shop_id, jsonb_build_object(
        'customer', jsonb_build_object('_id', customer_id, 'discordId', discord_id, 'username', username),
        'balance', (balance / 100.0)::float8,
        'transfer', jsonb_build_object('_id', id, 'kind', kind, 'amount', (cents / 100.0)::float8, 'for', reference)),
        clock_timestamp()
      from each order by place
    )
    select place, id, customer_id, username, discord_id, balance from each`);
  const moved: (
    | { id: string; transferId: string; username: string; discordId: string; balanceCents: number }
    | undefined
  )[] = movements.map(() => undefined);
  for (const { place, id, customer_id, username, discord_id: discordId, balance } of rows)
    moved[place] = { id: customer_id, transferId: id, username, discordId, balanceCents: Number(balance) };
  return moved;
}

function cannotMove(customer: typeof customers.$inferSelect | undefined, cents: number) {
  if (!customer) return refusal(404, "This customer does not exist");
  if (cents > 0) return refusal(400, `${customer.username}'s balance would be too large`);
  return balanceTooSmall(customer, -cents);
}

export const balanceTooSmall = (
  { username, balanceCents }: { username: string; balanceCents: number },
  cents: number,
) =>
  refusal(402, `${username} has ${dollars(balanceCents)}, ${dollars(cents - balanceCents)} short of ${dollars(cents)}`);

/** "$1,234.50", for sentences in messages and logs. */
export function dollars(cents: number): string {
  return `${cents < 0 ? "-" : ""}$${amounts.format(Math.abs(cents) / 100)}`;
}

const amounts = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
