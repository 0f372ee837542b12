import { refusal } from "@footprint/contract/refusal.ts";
import type { StatementMapping } from "@footprint/contract/statements.ts";
import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { customers, invoices, statementLines, transfers } from "../../db/schema.ts";
import {
  type Customer,
  far,
  idsIn,
  type MatchedInvoice,
  near,
  type OpenLine,
  type Proposal,
  proposeInvoices,
  soughtBy,
} from "./matching.ts";
import { inSlices } from "./payments.ts";
import { type Change, isOpen, type Line, type Statement, takeTurns } from "./statement.ts";

/** Most open lines that are compared. */
const mostCompared = 300_000;
const page = 5_000;

/**
 * Matches the open lines of a statement, and those of other statements that may concern the same invoices, with the
 * pending invoices: those with the same amounts, and those that notes may name. It changes only proposals, in parts;
 * whoever pays meanwhile checks line and invoice again.
 */
export async function matchLines(db: Database, change: Change, statement: Statement): Promise<void> {
  const { mapping, firstAt, lastAt } = statement;
  if (!mapping || !firstAt || !lastAt) return;
  const [first, last] = [firstAt.getTime(), lastAt.getTime()];
  const { source } = mapping;
  const days = { from: new Date(first - 3 * far), until: new Date(last + 3 * far) };
  const own = await openLines(db, sql`${statementLines.statementId} = ${statement.id}`, {
    from: firstAt,
    until: lastAt,
  });
  const meant = await amountsMeant(db, source, own, days);
  // Lines further away are matched with others, but may compete for the same invoices.
  const competing = { from: new Date(first - 2 * far), until: new Date(last + 2 * far) };
  const isOfAmount = sql`${statementLines.amountCents} = any(${sql.param([...meant])}::bigint[])`;
  const alike = await openLines(db, sql`${statementLines.source} = ${source} and ${isOfAmount}`, competing);
  const naming = await linesNaming(db, source, meant, days, competing);
  const lines = [...new Map([...alike, ...naming].map((line) => [line.id, line])).values()];
  const named = await namedInvoices(db, source, lines);
  const sought = new Set([...meant, ...lines.map(({ amountCents }) => amountCents)]);
  const pending = await pendingInvoices(db, source, sought, days);
  const amounts = new Set(pending.map(({ amountCents }) => amountCents));
  const payable = lines.filter(({ amountCents }) => amounts.has(amountCents));
  const paid = await invoicesPaidOtherwise(db, source, payable);
  const candidates = new Map([...named, ...pending, ...paid].map((invoice) => [invoice.id, invoice]));
  const people = await customersMeant(db, payable, [...candidates.values()]);
  const paidFor = await earlierCustomers(db, lines);
  const open: OpenLine[] = lines.map((line) => ({
    ...line,
    at: line.at.getTime(),
    paidFor: (line.payer && paidFor.get(line.payer)) || [],
  }));
  const proposals = await proposeInvoices(open, [...candidates.values()], people);
  await doubtTwins(db, proposals);
  const changed = lines.flatMap((line) => {
    if (Math.max(first - line.at.getTime(), line.at.getTime() - last) > far) return [];
    const proposal = proposals.get(line.id) ?? { invoiceId: null, state: "none" as const, reason: "" };
    // The other lines' own invoices were not looked at.
    const isConcerned = [line, candidates.get(proposal.invoiceId ?? "")].some(
      (one) => one && meant.has(one.amountCents),
    );
    if (!isConcerned) return [];
    const { invoiceId, state, reason } = line.reversed ? doubtReversed(proposal, line.reversed) : proposal;
    const isSame = line.invoiceId === invoiceId && line.state === state && line.reason === reason;
    return isSame ? [] : [{ id: line.id, invoiceId, state, reason }];
  });
  for await (const part of inSlices(changed)) {
    await change(async (tx) => {
      await takeTurns(tx);
      const column = <K extends keyof (typeof part)[number]>(name: K) => sql.param(part.map((each) => each[name]));
      await tx.execute(sql`
        update statement_lines set state = given.state, invoice_id = given.invoice_id, reason = given.reason
        from unnest(${column("id")}::uuid[], ${column("state")}::text[], ${column("invoiceId")}::uuid[], ${column("reason")}::text[])
          as given (id, state, invoice_id, reason)
        where statement_lines.id = given.id and ${isOpen}
          -- A reversal that was read meanwhile stays.
          and (statement_lines.reversed is null or given.state not in ('certain', 'likely'))`);
    });
  }
}

type Days = { from: Date; until: Date };

/** The amounts of a statement's open lines, and of the pending invoices that their notes may name. */
async function amountsMeant(db: Database, source: StatementMapping["source"], own: Compared[], { from, until }: Days) {
  const meant = new Set(own.map(({ amountCents }) => amountCents));
  for (const { amountCents } of await namedInvoices(db, source, own)) meant.add(amountCents);
  const ends = new Set<string>();
  for await (const part of inSlices(own))
    for (const { note } of part) for (const word of idsIn(note)) ends.add(word.slice(-6)).add(word.slice(0, 6));
  for await (const part of inSlices(ends)) {
    const { rows } = await db.execute<{ amount: number }>(sql`
      select distinct amount_cents::float8 as amount from invoices
      where status = 'pending' and created_at between ${from.toISOString()}::timestamptz and ${until.toISOString()}::timestamptz
        and (right(id::text, 6) = any(${sql.param(part)}::text[]) or left(id::text, 6) = any(${sql.param(part)}::text[]))`);
    for (const { amount } of rows) meant.add(amount);
  }
  return meant;
}

/** More would be too long for a pattern; then every note with something like an id counts. */
const mostEnds = 1_000;

/** Open lines of any amount whose notes may name a pending invoice of these amounts. */
async function linesNaming(
  db: Database,
  source: StatementMapping["source"],
  amounts: Set<number>,
  { from, until }: Days,
  days: Days,
): Promise<Compared[]> {
  const { rows } = await db.execute<{ end: string }>(sql`
    select right(id::text, 6) as end from invoices
    where status = 'pending' and created_at between ${from.toISOString()}::timestamptz and ${until.toISOString()}::timestamptz
      and amount_cents = any(${sql.param([...amounts])}::bigint[])
    limit ${mostEnds + 1}`);
  if (rows.length === 0) return [];
  const pattern = rows.length > mostEnds ? "[0-9a-f]{6}" : rows.map(({ end }) => end).join("|");
  const isNaming = sql`replace(lower(${statementLines.note}), '-', '') ~ ${pattern}`;
  return openLines(
    db,
    sql`${statementLines.source} = ${source} and ${statementLines.note} <> '' and ${isNaming}`,
    days,
  );
}

const doubtReversed = ({ invoiceId }: Proposal, reversed: string) => ({
  invoiceId,
  state: invoiceId ? ("unclear" as const) : ("none" as const),
  reason: `Reversed in ${reversed}`,
});

/**
 * A line that another statement may already contain is not certain: one with the same amount at the same moment, in any
 * timezone or, where only the day is known, on about the same day. Two lines with different transaction ids count as
 * twins if the payer may be the same, since files can have several id columns; within one file they must also be of the
 * same second. A likely line says where its twin paid.
 */
async function doubtTwins(db: Database, proposals: Map<string, Proposal>): Promise<void> {
  const payable = [...proposals].flatMap(([id, { state }]) => (state === "certain" || state === "likely" ? [id] : []));
  for await (const part of inSlices(payable)) {
    const { rows } = await db.execute<{ id: string; file: string; line: number; isPaid: boolean }>(sql`
      select own.id, twin.file, twin.line, twin.state = 'paid' as "isPaid"
      from unnest(${sql.param(part)}::uuid[]) as given (id)
        join statement_lines own on own.id = given.id
        cross join lateral (
          select other.line, other.state,
            (select file from statements where statements.id = other.statement_id) as file
          from statement_lines other
          where other.amount_cents = own.amount_cents
            and other.at between own.at - interval '24 hours' and own.at + interval '24 hours'
            and (not (own.has_time and other.has_time)
              or mod(abs(extract(epoch from other.at - own.at))::integer, 1800) = 0
              or abs(extract(epoch from other.at - own.at)) < 60)
            and case
              when other.statement_id = own.statement_id
                then other.id <> own.id and own.has_time and other.at = own.at and other.transaction is not null
                  and own.transaction is not null and ${mayBeSamePayer}
              when other.transaction is null or own.transaction is null then true
              else ${mayBeSamePayer}
            end
          order by other.state = 'paid' desc, other.id limit 1) as twin`);
    for (const { id, file, line, isPaid } of rows) {
      const proposal = proposals.get(id);
      if (proposal?.invoiceId && (isPaid || proposal.state === "certain"))
        proposals.set(id, {
          ...proposal,
          state: "likely",
          reason: `${proposal.reason}, but line ${line} of ${file} says nearly the same${isPaid ? " and has paid an invoice" : ""}`,
        });
    }
  }
}

/** By name or e-mail; a line without both may be from anybody. */
const mayBeSamePayer = sql`(own.payer is null or other.payer is null or own.payer = other.payer
  or own.name <> '' and lower(own.name) = lower(other.name)
  or own.email <> '' and lower(own.email) = lower(other.email))`;

type Compared = Pick<
  Line,
  | "id"
  | "line"
  | "at"
  | "hasTime"
  | "amountCents"
  | "name"
  | "email"
  | "note"
  | "payer"
  | "reversed"
  | "state"
  | "invoiceId"
  | "reason"
>;

/** A page at a time, by the index of open lines. */
async function openLines(db: Database, isMeant: SQL, { from, until }: Days): Promise<Compared[]> {
  const all: Compared[] = [];
  let after = { at: from, id: "00000000-0000-0000-0000-000000000000" };
  for (;;) {
    const rows: Compared[] = await db
      .select({
        id: statementLines.id,
        line: statementLines.line,
        at: statementLines.at,
        hasTime: statementLines.hasTime,
        amountCents: statementLines.amountCents,
        name: statementLines.name,
        email: statementLines.email,
        note: statementLines.note,
        payer: statementLines.payer,
        reversed: statementLines.reversed,
        state: statementLines.state,
        invoiceId: statementLines.invoiceId,
        reason: statementLines.reason,
      })
      .from(statementLines)
      .where(
        and(
          isMeant,
          isOpen,
          sql`(${statementLines.at}, ${statementLines.id}) > (${after.at.toISOString()}::timestamptz, ${after.id}::uuid)`,
          sql`${statementLines.at} <= ${until.toISOString()}::timestamptz`,
        ),
      )
      .orderBy(statementLines.at, statementLines.id)
      .limit(page);
    all.push(...rows);
    const last = rows.at(-1);
    if (!last || rows.length < page) return all;
    if (all.length > mostCompared)
      throw refusal(
        409,
        "Too many lines of these days are open: set aside what belongs to no invoice, or remove a statement",
      );
    after = last;
  }
}

const selectInvoices = (db: Database) =>
  db
    .select({
      id: invoices.id,
      customerId: invoices.customerId,
      amountCents: invoices.amountCents,
      status: invoices.status,
      method: invoices.paymentMethod,
      createdAt: invoices.createdAt,
    })
    .from(invoices);

const matched = (
  source: StatementMapping["source"],
  rows: Awaited<ReturnType<typeof selectInvoices>>,
  isUnaccounted: boolean,
): MatchedInvoice[] =>
  rows.map(({ method, createdAt, ...invoice }) => ({
    ...invoice,
    isUnaccounted,
    isOfSource: method === source,
    createdAt: createdAt.getTime(),
  }));

const amountsOf = (lines: Compared[]) => sql.param([...new Set(lines.map(({ amountCents }) => amountCents))]);

async function pendingInvoices(
  db: Database,
  source: StatementMapping["source"],
  sought: Set<number>,
  { from, until }: Days,
): Promise<MatchedInvoice[]> {
  const found: MatchedInvoice[] = [];
  const amounts = sql.param([...sought]);
  let after = { createdAt: from, id: "00000000-0000-0000-0000-000000000000" };
  for (;;) {
    const rows = await selectInvoices(db)
      .where(
        and(
          eq(invoices.status, "pending"),
          sql`(${invoices.createdAt}, ${invoices.id}) > (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`,
          sql`${invoices.createdAt} <= ${until.toISOString()}::timestamptz`,
          sql`${invoices.amountCents} = any(${amounts}::bigint[])`,
        ),
      )
      .orderBy(invoices.createdAt, invoices.id)
      .limit(page);
    found.push(...matched(source, rows, true));
    const last = rows.at(-1);
    if (!last || rows.length < page) return found;
    after = last;
  }
}

/** The invoices that a note names in full, whatever their amount and state. */
async function namedInvoices(
  db: Database,
  source: StatementMapping["source"],
  lines: Compared[],
): Promise<MatchedInvoice[]> {
  const wholeIds = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gi;
  const ids = new Set<string>();
  for await (const part of inSlices(lines))
    for (const { note } of part) for (const id of (note.match(wholeIds) ?? []).slice(0, 20)) ids.add(id);
  const found: MatchedInvoice[] = [];
  for await (const part of inSlices(ids)) {
    const rows = await selectInvoices(db).where(inArray(invoices.id, part));
    for (const row of rows) found.push(...matched(source, [row], row.status === "pending"));
  }
  return found;
}

/**
 * Invoices of the lines' amounts and days that were marked as paid by hand or by a shop, since an open line may be that
 * payment. Read day by day, so that a statement reads no more than its days.
 */
async function invoicesPaidOtherwise(
  db: Database,
  source: StatementMapping["source"],
  lines: Compared[],
): Promise<MatchedInvoice[]> {
  const dayLong = near / 3;
  const days = new Set(
    lines.flatMap(({ at }) => [-3, -2, -1, 0, 1].map((offset) => Math.floor(at.getTime() / dayLong) + offset)),
  );
  const amounts = amountsOf(lines);
  const found: MatchedInvoice[] = [];
  for (const day of days) {
    const [from, until] = [day, day + 1].map((each) => new Date(each * dayLong).toISOString());
    const rows = await selectInvoices(db).where(
      and(
        eq(invoices.status, "paid"),
        sql`${invoices.createdAt} >= ${from}::timestamptz and ${invoices.createdAt} < ${until}::timestamptz`,
        sql`${invoices.amountCents} = any(${amounts}::bigint[])`,
        // Asked row by row: with NOT EXISTS, PostgreSQL may scan all lines first.
        sql`(select statement_lines.id from statement_lines where statement_lines.invoice_id = ${invoices.id}
          and statement_lines.state = 'paid' limit 1) is null`,
      ),
    );
    found.push(...matched(source, rows, true));
    if (found.length > mostCompared)
      throw refusal(409, "Too many invoices of these days are paid already: export fewer days at once");
  }
  return found;
}

/** The customers of the pending invoices, and all others that a line may mean. */
async function customersMeant(db: Database, lines: Compared[], candidates: MatchedInvoice[]): Promise<Customer[]> {
  const found = new Map<string, Customer>();
  const { id, username, email, discordId } = customers;
  const ids = candidates.flatMap(({ status, customerId }) => (status === "pending" ? [customerId] : []));
  for await (const part of inSlices(new Set(ids))) {
    const rows = await db.select({ id, username, email, discordId }).from(customers).where(inArray(id, part));
    for (const row of rows) found.set(row.id, row);
  }
  const sought = { names: new Set<string>(), mails: new Set<string>(), discordIds: new Set<string>() };
  for await (const part of inSlices(lines))
    for (const { names, mails, discordIds } of part.map(soughtBy)) {
      for (const name of names) sought.names.add(name);
      for (const mail of mails) sought.mails.add(mail);
      for (const each of discordIds) sought.discordIds.add(each);
    }
  // More customers with one name identify nobody. With an order, the index is used whatever the planner expects.
  const lookUp = async (keys: Iterable<string>, isMeant: SQL) => {
    for await (const part of inSlices(keys)) {
      const { rows } = await db.execute<Customer>(sql`
        select found.id, found.username, found.email, found.discord_id as "discordId"
        from unnest(${sql.param(part)}::text[]) as given (key) cross join lateral (
          select * from customers where ${isMeant} order by customers.id limit 6) as found`);
      for (const row of rows) found.set(row.id, row);
    }
  };
  await lookUp(sought.names, sql`translate(lower(username), ' ._-', '') = given.key`);
  await lookUp(sought.mails, sql`lower(email) = given.key`);
  await lookUp(sought.discordIds, sql`discord_id = given.key`);
  return [...found.values()];
}

/** The customers whose invoices each payer has paid, without reversed payments. */
async function earlierCustomers(db: Database, lines: Compared[]): Promise<Map<string, string[]>> {
  const known = new Map<string, string[]>();
  const payers = [...new Set(lines.flatMap(({ payer }) => payer ?? []))];
  for await (const part of inSlices(payers)) {
    const rows = await db
      .selectDistinct({ payer: statementLines.payer, customer: transfers.customerId })
      .from(statementLines)
      .innerJoin(transfers, eq(transfers.id, statementLines.transferId))
      .where(
        and(
          sql`${statementLines.payer} = any(${sql.param(part)}::text[])`,
          sql`${statementLines.state} = 'paid'`,
          isNull(transfers.reversedBy),
        ),
      );
    for (const { payer, customer } of rows) if (payer) known.set(payer, [...(known.get(payer) ?? []), customer]);
  }
  return known;
}
