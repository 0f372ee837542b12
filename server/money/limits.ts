import { refusal } from "@footprint/contract/refusal.ts";
import { sql } from "drizzle-orm";
import { toBeLogged, wasRefused } from "../accounts/attempts.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Transaction } from "../db/database.ts";
import { settings } from "../db/schema.ts";
import { askApproval, type Wish, wishInWords } from "./approvals.ts";
import { dollars } from "./ledger.ts";

/** Everything that gives money to a customer, except refunds. What was reversed gave nothing. */
export const isCredit = sql`kind in ('adjustment', 'deposit', 'reversal') and amount_cents > 0 and reversed_by is null`;

/** Any number that all servers agree on. */
const limitsLock = sql.raw("75");

/**
 * Refuses a staff account a credit or refund above its limits, at once or per business day. If there is a wish and
 * requests are switched on, makes a request instead and returns it. Call it after what the money is for was locked, and
 * before the money moves.
 */
export async function checkStaffLimit(tx: Transaction, actor: Actor, act: Act, cents: number, wish?: Wish) {
  if (actor.role !== "staff" || cents <= 0) return undefined;
  const [current] = await tx.select().from(settings);
  if (!current) throw new Error("the settings row is missing");
  const limit = await exceededLimit(tx, actor, act, cents, current);
  if (limit === undefined) return undefined;
  if (wish && current.staffApprovals) return askApproval(tx, actor, wish, cents, limit);
  const refused = refusal(403, `${limit}: ask an administrator to ${act} ${dollars(cents)}`);
  if (!wish) throw toBeLogged(refused, actor, ["balance", `${wasRefused}${act} ${dollars(cents)}: ${limit}`]);
  const { type, words, about } = await wishInWords(tx, wish, cents);
  const { reason } = wish;
  throw toBeLogged(refused, actor, [type, `${wasRefused}${words}: ${limit}`, { after: { reason }, about }]);
}

type Act = "credit" | "refund";

/** The limit that would be exceeded, in words; undefined if there is none. */
async function exceededLimit(
  tx: Transaction,
  actor: Actor,
  act: Act,
  cents: number,
  current: typeof settings.$inferSelect,
): Promise<string | undefined> {
  const [atOnce, perDay] =
    act === "credit"
      ? [current.staffCreditCents, current.staffCreditPerDayCents]
      : [current.staffRefundCents, current.staffRefundPerDayCents];
  if (atOnce !== null && cents > atOnce) return `You may ${act} at most ${dollars(atOnce)} at once`;
  if (perDay === null) return undefined;
  // Calls of one account take turns. An advisory lock, because whoever deletes the account holds its row while waiting
  // for its sessions.
  await tx.execute(sql`select pg_advisory_xact_lock(${limitsLock}, hashtext(${actor.id}))`);
  const { rows } = await tx.execute<{ cents: number }>(sql`
    select coalesce(sum(amount_cents), 0)::float8 as cents from transfers
    where actor_kind = 'account' and actor_id = ${actor.id} and created_at >= day_start(business_day(now()))
      and ${act === "credit" ? isCredit : sql`kind = 'refund'`}`);
  const used = rows[0]?.cents ?? 0;
  if (used + cents <= perDay) return undefined;
  return `You may ${act} at most ${dollars(perDay)} a day, and ${dollars(used)} were today`;
}
