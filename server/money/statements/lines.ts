import { refusal } from "@footprint/contract/refusal.ts";
import { lineStates } from "@footprint/contract/statements.ts";
import { and, eq, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { type Author, record } from "../../accounts/audit.ts";
import type { Actor } from "../../accounts/sessions.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { prepared } from "../../db/prepared.ts";
import { approvals, files, invoices, monthlyCounters, statementLines, statements, transfers } from "../../db/schema.ts";
import { stillWaits } from "../approvals.ts";
import { settle } from "../deposits.ts";
import { dollars } from "../ledger.ts";
import { checkStaffLimit } from "../limits.ts";
import { about, type Line, lockStatement, takeTurns } from "./statement.ts";

async function lockLine(tx: Transaction, id: string) {
  const [line] = await tx.select().from(statementLines).where(eq(statementLines.id, id)).for("update");
  if (!line) throw refusal(404, "This line does not exist");
  const [statement] = await tx.select().from(statements).where(eq(statements.id, line.statementId));
  if (!statement) throw new Error("a line belongs to a statement");
  return { line, statement };
}

type Locked = Awaited<ReturnType<typeof lockLine>>;

/** For logs and reasons, which are kept for ever, so without the payer's name. */
const lineInWords = ({ line, statement }: Locked) =>
  `line ${line.line} of ${statement.file}${line.transaction ? `, transaction ${line.transaction}` : ""}`;

function refuseUsed({ line }: Locked) {
  if (line.state === "paid") throw refusal(409, "This line has paid an invoice already");
  if (line.state === "aside") throw refusal(409, `${line.doneBy} has set this line aside already`);
}

function refuseReversed({ reversed }: Line) {
  if (reversed) throw refusal(409, `The payment was reversed in ${reversed}`);
}

/** The waiting request to pay an invoice with a line. */
async function requestFor(tx: Transaction, id: string) {
  const [request] = await tx
    .select()
    .from(approvals)
    .where(and(eq(approvals.lineId, id), stillWaits));
  return request;
}

/**
 * Without `invoice`, the one that the line certainly fits; or one that it fits, with `proposed` when somebody looked.
 */
type Paying = { invoice?: string; proposed?: string; differs?: boolean; reason: string };

/** Marks an invoice as paid by a line, or answers the request that was made instead. */
export async function payWithLine(
  tx: Transaction,
  actor: Actor,
  id: string,
  { invoice: chosen, proposed, differs, reason }: Paying,
) {
  const locked = await lockLine(tx, id);
  const { line } = locked;
  refuseUsed(locked);
  const wanted = chosen ?? proposed;
  // Somebody who chose the line by hand was told.
  if (!chosen) refuseReversed(line);
  if (!wanted && line.state !== "certain")
    throw refusal(409, "It is not certain any more which invoice this line has paid");
  if (proposed && (line.invoiceId !== proposed || (line.state !== "certain" && line.state !== "likely")))
    throw refusal(409, "This line does not fit that invoice any more: look at it again");
  const [invoice] = await tx
    .select()
    .from(invoices)
    .where(eq(invoices.id, wanted ?? line.invoiceId ?? ""))
    .for("update");
  if (!invoice) throw refusal(404, "This invoice does not exist");
  if (invoice.status === "paid") throw refusal(409, "This invoice is already paid");
  if (!chosen && invoice.status !== "pending") throw refusal(409, `This invoice is ${invoice.status} meanwhile`);
  if (invoice.amountCents !== line.amountCents && !differs)
    throw refusal(409, `The line is ${dollars(line.amountCents)}, and the invoice ${dollars(invoice.amountCents)}`);
  const isOther = invoice.amountCents !== line.amountCents;
  if (isOther && !reason) throw refusal(400, "Say why a line of another amount pays this invoice");
  const waiting = await requestFor(tx, id);
  if (waiting && waiting.reference !== invoice.id)
    throw refusal(409, `This line waits for an approval to pay another invoice: ${waiting.askedName} asked for it`);
  const words = `Paid by ${lineInWords(locked)}${isOther ? `, which is ${dollars(line.amountCents)}` : ""}`;
  const because = [words, reason].filter(Boolean).join(": ").slice(0, 1000);
  const asked = await checkStaffLimit(tx, actor, "credit", invoice.amountCents, {
    ...{ act: "deposit", customerId: invoice.customerId, lineId: id, reason: because },
    reference: { id: invoice.id, name: invoice.id },
  });
  return asked ?? use(tx, actor, line, invoice, because);
}

/** Pays an approved request with the line that it named. */
export async function payApproved(tx: Transaction, actor: Actor, id: string, invoiceId: string, reason: string) {
  const locked = await lockLine(tx, id);
  refuseUsed(locked);
  refuseReversed(locked.line);
  const [invoice] = await tx.select().from(invoices).where(eq(invoices.id, invoiceId)).for("update");
  if (!invoice) throw refusal(404, "This invoice does not exist");
  if (invoice.status === "paid") throw refusal(409, "This invoice is already paid");
  return use(tx, actor, locked.line, invoice, reason);
}

async function use(tx: Transaction, actor: Actor, { id }: Line, invoice: typeof invoices.$inferSelect, why: string) {
  const customer = await settle(tx, invoice, actor, why);
  await tx
    .update(statementLines)
    .set({ state: "paid", invoiceId: invoice.id, transferId: customer.transferId, ...done(actor) })
    .where(eq(statementLines.id, id));
  return { message: `${dollars(invoice.amountCents)} credited to ${customer.username}` };
}

const done = (actor: Author) => ({ doneBy: actor.username, doneById: actor.id, doneAt: sql`now()` });
const undone = {
  state: "none" as const,
  invoiceId: null,
  transferId: null,
  reason: "",
  doneBy: null,
  doneById: null,
  doneAt: null,
};

/** Marks a line as belonging to no invoice. */
export async function setLineAside(tx: Transaction, actor: Actor, id: string, reason: string) {
  const locked = await lockLine(tx, id);
  refuseUsed(locked);
  const waiting = await requestFor(tx, id);
  if (waiting) throw refusal(409, `This line waits for an approval: ${waiting.askedName} asked for it`);
  const { line, statement } = locked;
  await tx
    .update(statementLines)
    .set({ state: "aside", invoiceId: null, reason, ...done(actor) })
    .where(eq(statementLines.id, id));
  await record(tx, actor, "invoice", `Set aside ${lineInWords(locked)} (${dollars(line.amountCents)}): ${reason}`, {
    before: { state: line.state },
    after: { state: "aside", reason },
    about: about(statement),
  });
  return { message: `${dollars(line.amountCents)} set aside` };
}

/** Reopens a line that was set aside, or whose payment was reversed; needs a reason. */
export async function reopenLine(tx: Transaction, actor: Actor, id: string, reason: string) {
  const locked = await lockLine(tx, id);
  const { line, statement } = locked;
  const isReversed = line.state === "paid" && (await isTakenBack(tx, line));
  if (line.state === "paid" && !isReversed)
    throw refusal(409, "This line has paid an invoice: reverse the deposit first");
  if (line.state !== "paid" && line.state !== "aside") throw refusal(409, "This line is open");
  await tx.update(statementLines).set(undone).where(eq(statementLines.id, id));
  const words = isReversed ? ", whose payment was reversed" : "";
  await record(
    tx,
    actor,
    "invoice",
    `Opened ${lineInWords(locked)} (${dollars(line.amountCents)}) again${words}: ${reason}`,
    {
      before: { state: line.state, invoice: line.invoiceId, transfer: line.transferId },
      after: { state: "none", reason },
      about: about(statement),
    },
  );
  return { message: `${dollars(line.amountCents)} is open again` };
}

async function isTakenBack(tx: Transaction, { transferId }: Line): Promise<boolean> {
  const [transfer] = await tx
    .select()
    .from(transfers)
    .where(eq(transfers.id, transferId ?? ""));
  return transfer?.reversedBy != null;
}

/**
 * Payments that a statement of the last seven days reports as reversed while they are still credited, with the newest
 * such statement.
 */
export async function creditedAndReversed(db: Database) {
  const query = prepared(db, "credited and reversed", () =>
    db
      .select({
        count: sql`count(*)`.mapWith(Number),
        amount: sql`coalesce(sum(${statementLines.amountCents}), 0)`.mapWith(Number),
        statement: sql<string>`(array_agg(${statementLines.statementId} order by ${statementLines.reversedAt} desc, ${statementLines.id}))[1]`,
      })
      .from(statementLines)
      .innerJoin(transfers, eq(transfers.id, statementLines.transferId))
      .where(
        and(
          sql`${statementLines.state} = 'paid' and ${statementLines.reversed} is not null`,
          sql`${statementLines.reversedAt} > now() - interval '7 days'`,
          isNull(transfers.reversedBy),
        ),
      )
      .prepare(""),
  );
  const [found] = await query.execute();
  return found && found.count > 0 ? found : null;
}

/** Number and sum of the lines in each state, by statement id and state. */
export async function countLines(db: Database, ids: string[]) {
  const query = prepared(db, "counts of statements", () =>
    db
      .select({
        kind: monthlyCounters.kind,
        count: sql`sum(${monthlyCounters.count})`.mapWith(Number),
        cents: sql`sum(${monthlyCounters.cents})`.mapWith(Number),
      })
      .from(monthlyCounters)
      .where(
        sql`${monthlyCounters.subject} = 'statement lines' and ${monthlyCounters.kind} = any(${sql.placeholder("kinds")}::text[])`,
      )
      .groupBy(monthlyCounters.kind)
      .prepare(""),
  );
  const kinds = ids.flatMap((id) => lineStates.map((state) => `${id} ${state}`));
  const rows = await query.execute({ kinds });
  const counts = new Map(rows.map(({ kind, count, cents }) => [kind, { count, sum: cents }]));
  return (id: string, state: (typeof lineStates)[number]) => counts.get(`${id} ${state}`) ?? { count: 0, sum: 0 };
}

/** So that no single statement of SQL takes long, however many lines there are. */
const linesAtOnce = 5_000;

/** Removes a statement of which no line was used: all of it or nothing. */
export async function removeStatement(tx: Transaction, actor: Actor, id: string): Promise<string> {
  await takeTurns(tx);
  const statement = await lockStatement(tx, id);
  if (actor.role !== "admin" && statement.actorId !== actor.id)
    throw refusal(403, `${statement.actor} has dropped this statement: only they or an administrator can remove it`);
  // Waits for whoever is paying with a line just now.
  await tx.execute(sql`
    select count(*) from (select from statement_lines where statement_id = ${id} order by line for update) as locked`);
  const lines = eq(statementLines.statementId, id);
  const [paid] = await tx
    .select({ id: statementLines.id })
    .from(statementLines)
    .where(and(lines, eq(statementLines.state, "paid")))
    .limit(1);
  if (paid) throw refusal(409, "Lines of this statement have paid invoices: it stays");
  const [relying] = await tx
    .select({ file: statements.file })
    .from(statements)
    .where(sql`${statements.reliesOn} @> ${JSON.stringify([id])}::jsonb`)
    .limit(1);
  if (relying)
    throw refusal(409, `${relying.file} has lines of this statement, which count here: remove ${relying.file} first`);
  for (let removed = linesAtOnce; removed === linesAtOnce; ) {
    const some = tx.select({ id: statementLines.id }).from(statementLines).where(lines).limit(linesAtOnce);
    const gone = await tx
      .delete(statementLines)
      .where(inArray(statementLines.id, some))
      .returning({ id: statementLines.id });
    removed = gone.length;
  }
  await tx.delete(statements).where(eq(statements.id, id));
  if (statement.fileId) await tx.delete(files).where(eq(files.id, statement.fileId));
  await record(tx, actor, "invoice", `Removed the statement ${statement.file}`, {
    before: { file: statement.file, lines: statement.lines },
    about: about(statement),
  });
  return statement.file;
}

/** How long names and notes of payers are kept, and files whose columns nobody confirmed. */
const namesKept = sql`interval '400 days'`;
const filesKept = sql`interval '7 days'`;

/** Payers are strangers, so their names are forgotten. Their payments stay, so that none is used again. */
export async function forgetPayers(db: Database): Promise<void> {
  await db.execute(sql`
    update statement_lines set name = '', email = '', note = ''
    where created_at < now() - ${namesKept} and (name <> '' or email <> '' or note <> '')`);
  await db.transaction(async (tx) => {
    const isOlder = (age: SQL) => lt(statements.createdAt, sql`now() - ${age}`);
    const isUnconfirmed = and(eq(statements.state, "new"), isOlder(filesKept));
    // Begun, and never read to the end.
    const isUnread = and(eq(statements.state, "reading"), isOlder(namesKept));
    const left = await tx.select().from(statements).where(or(isUnconfirmed, isUnread)).for("update");
    if (left.length === 0) return;
    const ids = left.map(({ id }) => id);
    await tx.delete(statements).where(and(inArray(statements.id, ids), eq(statements.state, "new")));
    await tx.update(statements).set({ state: "ready", fileId: null }).where(inArray(statements.id, ids));
    const leftFiles = left.flatMap(({ fileId }) => fileId ?? []);
    await tx.delete(files).where(inArray(files.id, leftFiles));
  });
}
