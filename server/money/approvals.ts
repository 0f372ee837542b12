import type { Approval, approvalActs } from "@footprint/contract/approvals.ts";
import { badInput, refusal } from "@footprint/contract/refusal.ts";
import { and, eq, lte, type SQL, sql } from "drizzle-orm";
import type * as z from "zod";
import { type Author, type LogEntry, record, system } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { approvals, customers } from "../db/schema.ts";
import { tell } from "../outbox/outbox.ts";
import { because } from "./corrections.ts";
import { dollars } from "./ledger.ts";

type Row = typeof approvals.$inferSelect;

/** An act that somebody wants to do for a customer, and why. */
export type Wish = {
  act: (typeof approvalActs)[number];
  customerId: string;
  /** The order or invoice that it is about. */
  reference?: { id: string; name: string };
  /** The statement line that would pay the invoice. */
  lineId?: string;
  reason: string;
};

/** Neither decided nor expired. */
export const stillWaits = and(eq(approvals.status, "waiting"), sql`${approvals.expiresAt} > clock_timestamp()`);

export const selectApprovals = (db: Database | Transaction) =>
  db
    .select({
      approval: approvals,
      user: { _id: customers.id, username: customers.username },
      isOver: sql<boolean>`${approvals.expiresAt} <= clock_timestamp()`,
    })
    .from(approvals)
    .innerJoin(customers, eq(customers.id, approvals.customerId))
    .$dynamic();

type Shown = Awaited<ReturnType<typeof selectApprovals>>[number];

export function presentApproval({ approval, user, isOver }: Shown): z.output<typeof Approval> {
  const { decidedName: by, decidedBecause: reason, decidedAt: at, reference } = approval;
  return {
    ...approval,
    _id: approval.id,
    user,
    amount: approval.amountCents,
    for: reference
      ? { kind: approval.act === "refund" ? "order" : "invoice", _id: reference, name: approval.referenceName }
      : null,
    by: { _id: approval.askedBy, username: approval.askedName },
    // An expired request is never shown as waiting, even before housekeeping has ended it.
    status: approval.status === "waiting" && isOver ? "expired" : approval.status,
    decision: by && at ? { by, reason, at } : null,
  };
}

/** Most requests of an account that may wait at once. */
const mostWaiting = 100;

/** Makes a request for an act above a limit, unless the same request is already waiting. */
export async function askApproval(tx: Transaction, actor: Actor, wish: Wish, cents: number, limit: string) {
  const { act, customerId, reference, lineId = null, reason } = wish;
  if (!reason)
    throw badInput("body.reason", `${limit}: give a reason, and it is sent to the administrators for approval`);
  const [customer] = await tx.select().from(customers).where(eq(customers.id, customerId));
  if (!customer) throw refusal(404, "This customer does not exist");
  const same = act === "credit" ? `${customerId} ${actor.id} ${cents}` : reference?.id;
  const thing = `${act} ${same}`;
  await expireRequests(tx, eq(approvals.thing, thing));
  const waiting = and(eq(approvals.status, "waiting"), eq(approvals.askedBy, actor.id));
  if ((await tx.$count(approvals, waiting)) >= mostWaiting)
    throw refusal(409, `${mostWaiting} of your requests wait already: ask an administrator to decide about them`);
  const [asked] = await tx
    .insert(approvals)
    .values({
      ...{ act, thing, customerId, reason, amountCents: cents, customerActive: customer.active, lineId },
      ...(reference && { reference: reference.id, referenceName: reference.name }),
      askedBy: actor.id,
      askedName: actor.username,
    })
    .onConflictDoNothing()
    .returning();
  const isWaiting = and(eq(approvals.thing, thing), eq(approvals.status, "waiting"));
  const [shown] = await selectApprovals(tx).where(asked ? eq(approvals.id, asked.id) : isWaiting);
  if (!shown) throw refusal(409, "Somebody has just decided about the same request. Try again.");
  if (asked) {
    await record(tx, actor, ...because(reason, aboutRequest(shown, "Asked for approval to")));
    const approval = { _id: asked.id, act, amount: cents, by: actor.username, words: inWords(shown) };
    await tell(tx, { type: "approval.asked", data: { approval } });
  }
  const message = asked
    ? "Sent to the administrators for approval"
    : `This waits for approval already: ${shown.approval.askedName} asked for it`;
  return { message, request: presentApproval(shown) };
}

type Wished = { approval: Pick<Row, "act" | "amountCents" | "referenceName">; user: { username: string } };

/** refund order 1f3c… ($12.40) to alice */
export function inWords({ approval: { act, amountCents, referenceName }, user }: Wished): string {
  if (act === "credit") return `add ${dollars(amountCents)} to ${user.username}'s balance`;
  const done = act === "refund" ? `refund order ${referenceName}` : `mark invoice ${referenceName} as paid`;
  return `${done} (${dollars(amountCents)}) for ${user.username}`;
}

const logTypes = { credit: "balance", refund: "refund", deposit: "invoice" } as const;

const subjects = { credit: "customer", refund: "order", deposit: "invoice" } as const;

/** The log's words for an act that was refused and for which nobody made a request. */
export async function wishInWords(tx: Transaction, { act, customerId, reference }: Wish, cents: number) {
  const [customer] = await tx.select().from(customers).where(eq(customers.id, customerId));
  const approval = { act, amountCents: cents, referenceName: reference?.name ?? "" };
  return {
    type: logTypes[act],
    words: inWords({ approval, user: { username: customer?.username ?? "nobody" } }),
    about: { kind: subjects[act], id: reference?.id ?? customerId, customerId },
  };
}

/** The log's sentence about a request: "Declined bob's request to" and the act. */
export function aboutRequest(
  shown: Shown,
  words: string,
  change: { before?: unknown; after?: unknown } = {},
): LogEntry {
  const { id, act, customerId } = shown.approval;
  return [logTypes[act], `${words} ${inWords(shown)}`, { ...change, about: { kind: "approval", id, customerId } }];
}

/** Ends a request that is waiting and not expired, by the database's clock; undefined if somebody else was first. */
export async function endRequest(
  tx: Transaction,
  id: string,
  actor: Author & { id: string },
  status: "approved" | "declined" | "failed",
  reason: string,
): Promise<Row | undefined> {
  const [ended] = await tx
    .update(approvals)
    .set({
      status,
      decidedBy: actor.id,
      decidedName: actor.username,
      decidedBecause: reason,
      decidedAt: sql`clock_timestamp()`,
    })
    .where(and(eq(approvals.id, id), stillWaits))
    .returning();
  return ended;
}

/** Safe on any number of servers at once: each request expires once. */
export const endRequests = (db: Database): Promise<void> => db.transaction((tx) => expireRequests(tx));

async function expireRequests(tx: Transaction, which?: SQL): Promise<void> {
  const over = await selectApprovals(tx)
    .where(and(eq(approvals.status, "waiting"), lte(approvals.expiresAt, sql`clock_timestamp()`), which))
    .limit(100)
    // Skips requests that somebody is deciding about just now.
    .for("update", { of: approvals, skipLocked: true });
  for (const shown of over) {
    await tx.update(approvals).set({ status: "expired" }).where(eq(approvals.id, shown.approval.id));
    await record(
      tx,
      system,
      ...aboutRequest(shown, `Nobody decided in time about ${shown.approval.askedName}'s request to`),
    );
  }
}
