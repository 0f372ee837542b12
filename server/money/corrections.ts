import type { About, LogEntry } from "../accounts/audit.ts";
import type { transfers } from "../db/schema.ts";
import { dollars } from "./ledger.ts";

// The log's sentences about money that people move by hand. The made-up business uses them for its past too.

/** A customer whose balance has just been changed by a transfer. */
type Moved = { id: string; transferId: string; username: string; balanceCents: number };
type Original = Pick<typeof transfers.$inferSelect, "id" | "kind" | "amountCents" | "reference">;

/** Adds the reason, if there is one, to an entry: to the sentence, so that a search finds it, and to the data. */
export function because(reason: string, [type, action, change]: LogEntry): LogEntry {
  if (!reason) return [type, action, change];
  return [type, `${action}: ${reason}`, { ...change, after: { ...(change?.after as object), reason } }];
}

/** The reason of what was approved, as ledger and log keep it. */
export const approvedReason = (reason: string, asker: string, note: string) =>
  `${reason} (asked for by ${asker}${note && `; ${note}`})`;

/** What shops, and so their customers, read of a reason: nothing of who asked, nor of what the approver noted. */
export const toldReason = (reason: string) => reason.replace(/ \(asked for by .*\)$/, "");

const transfer = (id: string) => ({ kind: "transfer" as const, id });

const changed = ({ id, balanceCents }: Moved, cents: number, about: About) => ({
  before: { balance: (balanceCents - cents) / 100 },
  after: { balance: balanceCents / 100 },
  about: { ...about, customerId: id },
});

export function adjustedBalance(customer: Moved, cents: number): LogEntry {
  const amount = dollars(Math.abs(cents));
  const words = cents > 0 ? `Added ${amount} to` : `Took ${amount} from`;
  return [
    "balance",
    `${words} ${customer.username}'s balance`,
    changed(customer, cents, transfer(customer.transferId)),
  ];
}

/**
 * About the transfer that was reversed, with the customer's new balance, so that it appears in that transfer's history.
 */
export function reversedTransfer({ id, kind, amountCents, reference }: Original, customer: Moved): LogEntry {
  if (kind !== "deposit" || !reference) {
    const change = changed(customer, -amountCents, transfer(id));
    const words = amountCents > 0 ? `${dollars(amountCents)} added to` : `${dollars(-amountCents)} taken from`;
    return ["balance", `Reversed the ${words} ${customer.username}'s balance`, change];
  }
  const change = changed(customer, -amountCents, { kind: "invoice", id: reference });
  const sentence = `Reversed the deposit of invoice ${reference} (${dollars(amountCents)}) of ${customer.username}`;
  return [
    "invoice",
    sentence,
    {
      ...change,
      before: { status: "paid", ...change.before },
      after: { status: "reversed", ...change.after },
    },
  ];
}
