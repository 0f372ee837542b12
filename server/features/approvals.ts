import { approvals as contract } from "@footprint/contract/approvals.ts";
import { type Refusal, refusal } from "@footprint/contract/refusal.ts";
import { eq } from "drizzle-orm";
import { toBeLogged, wasRefused } from "../accounts/attempts.ts";
import { record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { accounts, approvals, customers } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportList, inDollars } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { searched } from "../lists/searched.ts";
import { aboutRequest, endRequest, inWords, presentApproval, selectApprovals } from "../money/approvals.ts";
import { approvedReason, because } from "../money/corrections.ts";
import { addBalance, markPaid, refund } from "../money/staff-acts.ts";
import { payApproved } from "../money/statements/lines.ts";

export const approvalRoutes = routes(contract, {
  async list({ db, query, actor }) {
    const { rows, ...counts } = await pageOf(db, list, actor.role === "admin" ? query : { ...query, by: actor.id });
    // Ids in a query do not show other people's requests.
    const shown = rows.filter(({ approval }) => maySee(actor, approval));
    return { approvals: shown.map(presentApproval), ...counts, ...(query.ids && { total: shown.length }) };
  },

  export: (call) => exportList(call, list),

  async read({ db, params, actor }) {
    const [found] = await selectApprovals(db).where(eq(approvals.id, params.id));
    if (!found || !maySee(actor, found.approval)) throw unknownRequest();
    return { approval: presentApproval(found) };
  },

  async approve({ db, params, body, actor, transaction }) {
    try {
      return await transaction((tx) => approve(tx, actor, params.id, body.reason));
    } catch (error) {
      if (!(error instanceof CannotBeDone)) throw error;
      throw await closeAsFailed(db, actor, params.id, error.message);
    }
  },

  decline: ({ params, body: { reason }, actor, transaction }) =>
    transaction(async (tx) => {
      const shown = await open(tx, actor, params.id);
      if (!(await endRequest(tx, params.id, actor, "declined", reason))) throw await decided(tx, params.id);
      const words = `Declined ${shown.approval.askedName}'s request to`;
      await record(tx, actor, ...because(reason, aboutRequest(shown, words)));
      return { message: `Declined: ${inWords(shown)}` };
    }),
});

const maySee = (actor: Actor, { askedBy }: { askedBy: string }) => actor.role === "admin" || askedBy === actor.id;

type Shown = Awaited<ReturnType<typeof selectApprovals>>[number];

const acts = {
  credit: (tx: Transaction, actor: Actor, { approval }: Shown, reason: string) =>
    addBalance(tx, actor, approval.customerId, approval.amountCents, reason),
  refund: (tx: Transaction, actor: Actor, { approval }: Shown, reason: string) =>
    refund(tx, actor, approval.reference ?? "", reason),
  deposit: (tx: Transaction, actor: Actor, { approval: { reference, lineId } }: Shown, reason: string) =>
    lineId ? payApproved(tx, actor, lineId, reference ?? "", reason) : markPaid(tx, actor, reference ?? "", reason),
};

/**
 * Does what was requested, in the approver's name and naming the requester. As everywhere, what the money is for is
 * locked first. Then the request ends; if somebody else decided first, nothing has happened.
 */
async function approve(tx: Transaction, actor: Actor, id: string, note: string) {
  const shown = await open(tx, actor, id);
  await refuseIfMeanwhile(tx, shown);
  const { act, reason, askedName } = shown.approval;
  const why = approvedReason(reason, askedName, note);
  const { message } = await acts[act](tx, actor, shown, why).catch(cannotBeDone);
  if (!(await endRequest(tx, id, actor, "approved", note))) throw await decided(tx, id);
  return { message: `Approved: ${message}` };
}

/** The reason why a request can no longer be carried out. */
class CannotBeDone extends Error {}

function cannotBeDone(error: Partial<Refusal>): never {
  const isRefused = error.statusCode !== undefined && error.statusCode < 500;
  throw isRefused ? new CannotBeDone(error.message) : error;
}

async function refuseIfMeanwhile(tx: Transaction, { approval, user }: Shown) {
  const [asker] = await tx.select().from(accounts).where(eq(accounts.id, approval.askedBy));
  if (!asker) throw new CannotBeDone(`${approval.askedName}'s account was deleted`);
  if (asker.suspendedAt) throw new CannotBeDone(`${approval.askedName}'s account is suspended`);
  const [customer] = await tx.select().from(customers).where(eq(customers.id, user._id));
  if (approval.customerActive && !customer?.active) throw new CannotBeDone(`${user.username} was disabled meanwhile`);
}

/** In its own transaction, since the approval's was rolled back. */
async function closeAsFailed(db: Database, actor: Actor, id: string, why: string): Promise<Refusal> {
  return db.transaction(async (tx) => {
    const [shown] = await selectApprovals(tx).where(eq(approvals.id, id));
    if (!shown) return unknownRequest();
    if (!(await endRequest(tx, id, actor, "failed", why))) return decided(tx, id);
    await record(
      tx,
      actor,
      ...because(why, aboutRequest(shown, `Could not do ${shown.approval.askedName}'s request to`)),
    );
    return refusal(409, `This cannot be done any more: ${why}`);
  });
}

/** A waiting request that this account may decide. */
async function open(tx: Transaction, actor: Actor, id: string) {
  const [shown] = await selectApprovals(tx).where(eq(approvals.id, id));
  if (!shown) throw unknownRequest();
  if (shown.approval.askedBy === actor.id)
    throw toBeLogged(
      refusal(403, "Somebody else has to decide about your own request"),
      actor,
      aboutRequest(shown, `${wasRefused}decide about their own request to`),
    );
  if (shown.approval.status !== "waiting" || shown.isOver) throw await decided(tx, id);
  return shown;
}

/** The refusal for a request that is no longer waiting. */
async function decided(tx: Transaction, id: string): Promise<Refusal> {
  const [now] = await tx.select().from(approvals).where(eq(approvals.id, id));
  if (!now?.decidedName) return refusal(409, "This request has expired: it has to be asked for again");
  if (now.status === "failed") return refusal(409, `This cannot be done any more: ${now.decidedBecause}`);
  return refusal(409, `${now.decidedName} has ${now.status} this already`);
}

const unknownRequest = () => refusal(404, "This request does not exist");

const list = listOf({
  name: "approvals",
  table: approvals,
  counted: { subject: "approvals" },
  searched: searched.approvals,
  filters: ({ by, customer, status }: Filters<typeof contract.list>) => [
    by && having(approvals.askedBy, by),
    customer && having(approvals.customerId, customer),
    status !== "All" && { ...having(approvals.status, status), counted: { subject: "approvals", kinds: [status] } },
  ],
  select: selectApprovals,
  columns: {
    Id: approvals.id,
    Asked: approvals.createdAt,
    "Asked by": approvals.askedName,
    For: approvals.act,
    Customer: customers.username,
    Amount: inDollars(approvals.amountCents),
    Reason: approvals.reason,
    Status: approvals.status,
    "Decided by": approvals.decidedName,
    Decided: approvals.decidedAt,
    "Decided because": approvals.decidedBecause,
    Reference: approvals.reference,
  },
});
