import { openStatuses } from "@footprint/contract/fedex.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { eq, lte, sql } from "drizzle-orm";
import { record, system } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { fedexOrders } from "../db/schema.ts";
import { fedexOrderChanged, telling } from "./happenings.ts";
import { claimedFedexOrder, unclaimedFedexOrder } from "./trade-log.ts";

type FedexOrder = typeof fedexOrders.$inferSelect;
type Claimed = Pick<FedexOrder, "claimedBy" | "claimedName" | "claimedUntil"> & { isClaimed: boolean };

export const unclaimed = { claimedBy: null, claimedName: null, claimedUntil: null };

/** By the database's clock, since those of servers differ. */
export const isClaimed = sql<boolean>`coalesce(${fedexOrders.claimedUntil} > now(), false)`;

/** Who works on an order; nobody once the claim has expired, even before housekeeping clears it. */
export function claimOf({ claimedBy, claimedName, claimedUntil, isClaimed }: Claimed) {
  if (!claimedBy || !claimedName || !claimedUntil || !isClaimed) return null;
  return { by: { _id: claimedBy, username: claimedName }, until: claimedUntil };
}

/** Takes a locked order for 15 minutes, or for 15 more. */
export async function claimOrder(tx: Transaction, order: FedexOrder & Claimed, actor: Actor) {
  const held = claimOf(order);
  if (held && held.by._id !== actor.id) throw refusal(409, `${held.by.username} works on this order`);
  if (!openStatuses.some((status) => status === order.status))
    throw refusal(409, `This order is ${order.status.toLowerCase()}: there is nothing to work on`);
  const status = order.status === "Pending" ? "In Process" : order.status;
  const [claimed] = await tx
    .update(fedexOrders)
    .set({
      status,
      claimedBy: actor.id,
      claimedName: actor.username,
      claimedUntil: sql`now() + interval '15 minutes'`,
    })
    .where(eq(fedexOrders.id, order.id))
    .returning();
  const claim = claimed && claimOf({ ...claimed, isClaimed: true });
  if (!claim) throw new Error("a claim that was just made holds");
  const entry = claimedFedexOrder(order, { status, claimedName: actor.username }, held !== null);
  await record(tx, actor, ...telling(entry, ...(await statusEvents(tx, order, status))));
  return claim;
}

/** Gives up the claim on a locked order. An administrator may do that for others. */
export async function releaseOrder(tx: Transaction, order: FedexOrder & Claimed, actor: Actor) {
  const held = claimOf(order);
  if (!held) throw refusal(409, "Nobody works on this order");
  if (held.by._id !== actor.id && actor.role !== "admin") throw refusal(409, `${held.by.username} works on this order`);
  const after = await endClaim(tx, order);
  const entry = unclaimedFedexOrder(order, after, "released");
  await record(tx, actor, ...telling(entry, ...(await statusEvents(tx, order, after.status))));
}

/** Ends expired claims. Safe on any number of servers at once: each claim ends once. */
export async function endClaims(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    const over = await tx
      .select()
      .from(fedexOrders)
      .where(lte(fedexOrders.claimedUntil, sql`now()`))
      // Skips claims that somebody is changing just now; the next minute will do.
      .for("update", { skipLocked: true });
    for (const order of over) {
      const after = await endClaim(tx, order);
      const entry = unclaimedFedexOrder(order, after, "expired");
      await record(tx, system, ...telling(entry, ...(await statusEvents(tx, order, after.status))));
    }
  });
}

/** Shops are told of an order's status, but not of who works on it. */
const statusEvents = async (tx: Transaction, order: FedexOrder, status: FedexOrder["status"]) =>
  status === order.status ? [] : [await fedexOrderChanged(tx, { ...order, status })];

async function endClaim(tx: Transaction, { id, status }: FedexOrder) {
  const after = { status: status === "In Process" ? ("Pending" as const) : status };
  await tx
    .update(fedexOrders)
    .set({ ...unclaimed, ...after })
    .where(eq(fedexOrders.id, id));
  return after;
}
