import { refusal } from "@footprint/contract/refusal.ts";
import { sql } from "drizzle-orm";
import { onRecord, wasRefused } from "../accounts/attempts.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Transaction } from "../db/database.ts";
import { settings } from "../db/schema.ts";
import { askApproval, type Wish, wishInWords } from "./approvals.ts";
import { dollars } from "./ledger.ts";

/** What gives money to a customer beside refunds; what was taken back gave nothing. */
export const isCredit = sql`kind in ('adjustment', 'deposit', 'reversal') and amount_cents > 0 and reversed_by is null`;

/** Any number that all servers agree on. */
const limitsLock = sql.raw("75");

/**
 * Refuses a staff account more than it may credit or refund, at once and in a business day; or answers the request that
 * became of it, where there is a wish and an administrator switched that on. Comes after what the money is for was
 * locked, and before it moves.
 */
export async function needRoom(tx: Transaction, actor: Actor, act: Act, cents: number, wish?: Wish) {
  if (actor.role !== "staff" || cents <= 0) return undefined;
  const [current] = await tx.select().from(settings);
  if (!current) throw new Error("the settings row is missing");
  const limit = await limitBelow(tx, actor, act, cents, current);
  if (limit === undefined) return undefined;
  if (wish && current.staffApprovals) return askApproval(tx, actor, wish, cents, limit);
  const refused = refusal(403, `${limit}: ask an administrator to ${act} ${dollars(cents)}`);
  if (!wish) throw onRecord(refused, actor, ["balance", `${wasRefused}${act} ${dollars(cents)}: ${limit}`]);
  const { type, words, about } = await wishInWords(tx, wish, cents);
  const { reason } = wish;
  throw onRecord(refused, actor, [type, `${wasRefused}${words}: ${limit}`, { after: { reason }, about }]);
}

type Act = "credit" | "refund";

/** The limit that is passed, in words; undefined where there is room. */
async function limitBelow(
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
  // Two by one account take turns. Not by its row: whoever deletes the account holds that while waiting for its sessions.
  await tx.execute(sql`select pg_advisory_xact_lock(${limitsLock}, hashtext(${actor.id}))`);
  const { rows } = await tx.execute<{ cents: number }>(sql`
    select coalesce(sum(amount_cents), 0)::float8 as cents from transfers
    where actor_kind = 'account' and actor_id = ${actor.id} and created_at >= day_start(business_day(now()))
      and ${act === "credit" ? isCredit : sql`kind = 'refund'`}`);
  const used = rows[0]?.cents ?? 0;
  if (used + cents <= perDay) return undefined;
  return `You may ${act} at most ${dollars(perDay)} a day, and ${dollars(used)} were today`;
}
