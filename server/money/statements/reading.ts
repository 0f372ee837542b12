import { refusal } from "@footprint/contract/refusal.ts";
import {
  mostStatementLines,
  type SkippedBecause,
  type StatementMapping,
  statementFields,
} from "@footprint/contract/statements.ts";
import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import { record } from "../../accounts/audit.ts";
import type { Actor } from "../../accounts/sessions.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { uuidv7 } from "../../db/ids.ts";
import {
  customers,
  files,
  invoices,
  statementLines,
  statementMappings,
  statementReversals,
  statements,
} from "../../db/schema.ts";
import { dollars } from "../ledger.ts";
import {
  columnsOf,
  headingHash,
  type Layout,
  layoutOf,
  learnFormats,
  recordsBelow,
  sourceOf,
  sourceTold,
} from "./columns.ts";
import {
  inSlices,
  namesOf,
  type Payment,
  paymentReader,
  takenBackBy,
  transactionKey,
  type Understood,
} from "./payments.ts";
import { about, type Change, isOpen, lockStatement, type Statement, takeTurns } from "./statement.ts";

const samples = 200;

/** The table in a file's text; refused if there is none. */
export function tableOf(text: string): Layout {
  const layout = layoutOf(text);
  if (!layout)
    throw refusal(400, "This is no table with columns: choose the CSV file that the payment app or PayPal made");
  return layout;
}

/** How many lines a file has below its headings. */
export async function countFileLines(text: string): Promise<number> {
  const layout = tableOf(text);
  let lines = 0;
  for await (const part of inSlices(recordsBelow(text, layout))) {
    lines += part.length;
    if (lines > mostStatementLines)
      throw refusal(
        413,
        `A statement has at most ${mostStatementLines.toLocaleString("en-US")} lines: export fewer days at once`,
      );
  }
  if (lines === 0) throw refusal(400, "There is no line below the headings");
  return lines;
}

/** The meaning of a file's columns: as confirmed for such a file before, else by their names and contents. */
export async function recogniseColumns(db: Database, text: string) {
  const layout = tableOf(text);
  const first: string[][] = [];
  for (const { fields } of recordsBelow(text, layout) as Iterable<{ fields?: string[] }>) {
    if (fields) first.push(fields);
    if (first.length === samples) break;
  }
  const [stored] = await db
    .select()
    .from(statementMappings)
    .where(eq(statementMappings.heading, headingHash(layout)));
  // A mapping that was stored before id columns were checked is checked now.
  const known = stored && remembered(stored.mapping, layout);
  const { source, columns } = known ?? { source: sourceOf(layout, first), columns: columnsOf(layout, first) };
  const writing = learnFormats();
  for await (const part of inSlices(recordsBelow(text, layout)))
    for (const { fields = [] } of part as { fields?: string[] }[])
      writing.see(fields[columns.date ?? -1] ?? "", fields[columns.amount ?? -1] ?? "");
  const { orderGuessed, ...written } = writing.conclude(known);
  const mapping: StatementMapping = { source, columns, ...written };
  return { layout, first, mapping, orderGuessed, remembered: known !== undefined };
}

/** Why a mapping cannot be used; null if it can. */
export function problemWith({ columns }: StatementMapping, { headings }: Layout): string | null {
  if (columns.date === null) return "Choose the column with the date";
  if (columns.amount === null) return "Choose the column with the amount";
  const places = statementFields.map((field) => columns[field]).filter((place) => place !== null);
  if (places.some((place) => place >= headings.length)) return `The file has ${headings.length} columns only`;
  return null;
}

/** Columns that separate payments from other lines, and the warning if such a column is not used. */
const guarded = {
  transaction: ["the transaction id", "payments that other statements have too may not be known again"],
  status: ["the status", "payments that are pending, failed or refunded count as received"],
  currency: ["the currency", "amounts in other currencies count as dollars"],
  type: ["the type of transaction", "what is no payment by a customer may count as one"],
  reference: ["the transaction that a line takes back", "payments that were reversed may not be known to be"],
} as const;
type Guarded = keyof typeof guarded;

/** Columns with one of these names that are not used as such. */
function unusedColumns({ columns }: StatementMapping, layout: Layout): { field: Guarded; place: number }[] {
  const called = columnsOf(layout, []);
  return (Object.keys(guarded) as Guarded[]).flatMap((field) => {
    const place = called[field];
    return place === null || place === columns[field] ? [] : [{ field, place }];
  });
}

/** What to look at twice. */
export function warningOf(mapping: StatementMapping, layout: Layout): string | null {
  const sentences = unusedColumns(mapping, layout).map(({ field, place }) => {
    const [what, otherwise] = guarded[field];
    const name = (layout.headings[place] ?? "").trim().slice(0, 100);
    return `“${name}” looks like ${what} and is not used as such: ${otherwise}.`;
  });
  return sentences.length === 0 ? null : [...sentences, "This is not remembered for other files."].join(" ");
}

/**
 * A stored mapping, which must not take these columns from others. Undefined if it uses one of them as something else.
 */
function remembered(mapping: StatementMapping, layout: Layout): StatementMapping | undefined {
  const unused = unusedColumns(mapping, layout);
  const used = Object.values(mapping.columns);
  if (unused.some(({ place }) => used.includes(place))) return undefined;
  const columns = Object.fromEntries(unused.map(({ field, place }) => [field, place]));
  return { ...mapping, columns: { ...mapping.columns, ...columns } };
}

/** The first payments of a file, as they would be read. */
export async function firstPayments(text: string, layout: Layout, mapping: StatementMapping, timezone: string) {
  const read = paymentReader(mapping, timezone, new Map());
  const found: Payment[] = [];
  if (problemWith(mapping, layout)) return found;
  for await (const part of inSlices(recordsBelow(text, layout)))
    for (const line of part.map(read)) if ("payment" in line && found.push(line.payment) === 5) return found;
  return found;
}

/** Stores the confirmed meaning of the columns, for this file and for others with the same headings. */
export async function confirmColumns(
  tx: Transaction,
  actor: Actor,
  { id }: Statement,
  layout: Layout,
  mapping: StatementMapping,
): Promise<Statement> {
  const statement = await lockStatement(tx, id);
  if (statement.state !== "new") return statement;
  // A choice that contradicts the headings is no rule for other files.
  const rule = (sourceTold(layout) ?? mapping.source) === mapping.source ? remembered(mapping, layout) : undefined;
  if (rule)
    await tx
      .insert(statementMappings)
      .values({ heading: headingHash(layout), mapping: rule })
      .onConflictDoUpdate({ target: statementMappings.heading, set: { mapping: rule } });
  const [begun] = await tx
    .update(statements)
    .set({ state: "reading", mapping })
    .where(eq(statements.id, id))
    .returning();
  if (!begun) throw new Error("a locked row is there");
  const columns = Object.fromEntries(
    statementFields.flatMap((field) => {
      const place = mapping.columns[field];
      return place === null ? [] : [[field, (layout.headings[place] ?? "").slice(0, 100)]];
    }),
  );
  await record(tx, actor, "invoice", `Began to read the statement ${statement.file}`, {
    after: { ...mapping, columns },
    about: about(statement),
  });
  return begun;
}

/** Most refused lines that are listed. */
const mostRefusals = 1_000;

type Limits = { most: number; milliseconds: number; timezone: string; whenEach: () => void };

/**
 * Reads on from where reading ended, slice by slice. Each slice is one transaction that also moves the position, so the
 * next reader continues there, even after a kill, and of two readers at once each slice counts for one.
 */
export async function readLines(
  change: Change,
  actor: Actor,
  text: string,
  layout: Layout,
  begun: Statement,
  mapping: StatementMapping,
  { most, milliseconds, timezone, whenEach }: Limits,
): Promise<Statement> {
  const takenBack = await takenBackBy(recordsBelow(text, layout), mapping, timezone);
  const understand = paymentReader(mapping, timezone, takenBack);
  const until = performance.now() + milliseconds;
  let statement = begun;
  let place = 0;
  for await (const part of inSlices(recordsBelow(text, layout))) {
    // Earlier lines are parsed again, since lines with the same content are numbered.
    const lines = part.map(understand);
    const from = place;
    place += lines.length;
    if (place <= statement.read) continue;
    const isFirst = from <= begun.read;
    if (place > begun.read + most || (!isFirst && performance.now() > until)) break;
    whenEach();
    statement = await change((tx) => storeLines(tx, actor, statement.id, from, lines, mapping));
  }
  return statement;
}

async function storeLines(
  tx: Transaction,
  actor: Actor,
  id: string,
  from: number,
  lines: Understood[],
  { source }: StatementMapping,
): Promise<Statement> {
  await takeTurns(tx);
  const statement = await lockStatement(tx, id);
  // Another reader was faster.
  if (statement.read !== from || statement.state !== "reading") return statement;
  const payments = lines.flatMap((line) => ("payment" in line ? [line.payment] : []));
  const { added, known, repeated } = await addLines(tx, statement, source, payments);
  await keepReversals(tx, statement, lines);
  const backInFile = known.flatMap(({ id, payment }) => (payment.reversed ? [{ id, by: payment.reversed }] : []));
  await markTakenBack(tx, actor, statement, backInFile, lines);
  const refusals = [
    ...lines.flatMap((line) => ("refused" in line ? [{ line: line.line, why: line.refused }] : [])),
    ...repeated,
  ];
  const skipped = { ...statement.skipped };
  for (const line of lines) if ("skipped" in line) skipped[line.skipped] = (skipped[line.skipped] ?? 0) + 1;
  const times = [statement.firstAt, statement.lastAt, ...added.map(({ at }) => at)]
    .filter((at) => at !== null)
    .map((at) => at.getTime());
  const [read] = await tx
    .update(statements)
    .set({
      read: from + lines.length,
      known: statement.known + known.length,
      reliesOn: [...new Set([...statement.reliesOn, ...known.map(({ statementId }) => statementId)])],
      refused: statement.refused + refusals.length,
      refusals: [...statement.refusals, ...refusals].slice(0, mostRefusals),
      skipped: skipped as Record<SkippedBecause, number>,
      firstAt: times.length > 0 ? new Date(Math.min(...times)) : null,
      lastAt: times.length > 0 ? new Date(Math.max(...times)) : null,
    })
    .where(eq(statements.id, id))
    .returning();
  if (!read) throw new Error("a locked row is there");
  return read;
}

/** Adds payments that no statement contains yet. Writers take turns, and the database refuses duplicates. */
async function addLines(
  tx: Transaction,
  statement: Statement,
  source: StatementMapping["source"],
  payments: Payment[],
) {
  const { byTransaction, withoutId, withId } = await linesLike(tx, statement, payments);
  const added: Payment[] = [];
  const repeated: { line: number; why: string }[] = [];
  const known: { id: string; statementId: string; payment: Payment }[] = [];
  for (const payment of payments) {
    const first = payment.transaction ? byTransaction.get(transactionKey(payment.transaction)) : undefined;
    const key = contentKey(payment);
    const told = first ?? withoutId.get(key) ?? (payment.transaction ? undefined : withId.get(key));
    if (first?.statementId === statement.id)
      repeated.push({ line: payment.line, why: `It has the same transaction id as line ${first.line}` });
    else if (told) known.push({ id: told.id, statementId: told.statementId, payment });
    else {
      added.push(payment);
      if (payment.transaction)
        byTransaction.set(transactionKey(payment.transaction), {
          id: "",
          statementId: statement.id,
          line: payment.line,
        });
    }
  }
  // As one value: sending ten thousand would take longer than storing them.
  const elsewhere = await reversalsOf(tx, statement, added);
  const rows = added.map((payment) => {
    const [known] = namesOf(payment).flatMap((name) => elsewhere.get(name) ?? []);
    return { ...payment, id: uuidv7(), reversed: payment.reversed ?? known ?? null };
  });
  if (rows.length > 0)
    await tx.execute(sql`
      insert into statement_lines (id, statement_id, source, line, transaction, content, occurrence, at, has_time,
        amount_cents, name, email, note, payer, reversed, reversed_at)
      select id, ${statement.id}::uuid, ${source}::text, line, transaction, content, occurrence, at, "hasTime",
        "amountCents", name, email, note, payer, reversed, case when reversed is not null then now() end
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id uuid, line integer, transaction text,
        content text, occurrence integer, at timestamptz, "hasTime" boolean, "amountCents" bigint, name text, email text,
        note text, payer text, reversed text)`);
  return { added, known, repeated };
}

/** For payments that a later statement contains. */
async function keepReversals(tx: Transaction, { id: statementId }: Statement, lines: Understood[]) {
  const rows = reversalsIn(lines).flatMap(({ line, payments }) =>
    payments.map((payment) => ({ id: uuidv7(), statementId, line, payment })),
  );
  if (rows.length > 0) await tx.insert(statementReversals).values(rows);
}

const reversalsIn = (lines: Understood[]) => lines.flatMap((line) => ("reversal" in line ? (line.reversal ?? []) : []));

/** The lines of other statements that reverse these payments, in words, by the payments' names. */
async function reversalsOf(tx: Transaction, statement: Statement, payments: Payment[]) {
  const rows = await tx
    .select({ payment: statementReversals.payment, line: statementReversals.line, file: statements.file })
    .from(statementReversals)
    .innerJoin(statements, eq(statements.id, statementReversals.statementId))
    .where(
      and(
        sql`${statementReversals.payment} = any(${sql.param(payments.flatMap(namesOf))}::text[])`,
        ne(statementReversals.statementId, statement.id),
      ),
    )
    .orderBy(statementReversals.id);
  return new Map(rows.map(({ payment, line, file }) => [payment, `line ${line} of ${file}`]));
}

/** Marks payments of other statements that this one reports as reversed. */
async function markTakenBack(
  tx: Transaction,
  actor: Actor,
  { id, file }: Statement,
  known: { id: string; by: string }[],
  lines: Understood[],
) {
  const mark = async (reversed: string, isMeant: SQL) => {
    const reason = `Reversed in ${reversed}`;
    const { rows } = await tx.execute<{ id: string; isPaid: boolean }>(sql`
      update statement_lines set reversed = ${reversed}, reversed_at = now(),
        state = case when state in ('certain', 'likely') then 'unclear' else state end,
        reason = case when ${isOpen} then ${reason} else reason end
      where ${isMeant} and reversed is null
      returning id, state = 'paid' as "isPaid"`);
    for (const { id, isPaid } of rows) if (isPaid) await tellTakenBack(tx, actor, id, reversed);
  };
  for (const line of known) await mark(`${line.by} of ${file}`, sql`id = ${line.id}::uuid`);
  for (const { line, payments } of reversalsIn(lines))
    for (const payment of payments)
      await mark(`line ${line} of ${file}`, sql`${isCalled(payment)} and statement_id <> ${id}::uuid`);
}

/** As `namesOf` writes it, so that an index finds it. */
function isCalled(payment: string): SQL {
  const name = (start: string) => (payment.startsWith(start) ? payment.slice(start.length) : undefined);
  const [transaction, without] = [name("id "), name("without id ")];
  if (transaction !== undefined) return sql`lower(transaction) = ${transaction}`;
  if (without !== undefined) return sql`transaction is null and content = ${without}`;
  const content = name("content ") ?? "";
  return sql`(transaction is null and content = ${content} or transaction is not null and content = ${content})`;
}

/** The money is already with the customer, so staff should know. */
async function tellTakenBack(tx: Transaction, actor: Actor, id: string, reversed: string) {
  const [paid] = await tx
    .select({ line: statementLines, file: statements.file, invoice: invoices, username: customers.username })
    .from(statementLines)
    .innerJoin(statements, eq(statements.id, statementLines.statementId))
    .innerJoin(invoices, eq(invoices.id, statementLines.invoiceId))
    .innerJoin(customers, eq(customers.id, invoices.customerId))
    .where(eq(statementLines.id, id));
  if (!paid) return;
  const { line, file, invoice, username } = paid;
  const words = `The payment of ${dollars(line.amountCents)} in line ${line.line} of ${file}, which was credited to ${username}, was reversed in ${reversed}`;
  await record(tx, actor, "invoice", words, {
    after: { reversed },
    about: { kind: "invoice", id: invoice.id, customerId: invoice.customerId },
  });
}

const contentKey = ({ content, occurrence }: Pick<Payment, "content" | "occurrence">) => `${content} ${occurrence}`;

/**
 * Lines that exist already: with the same transaction id; or with the same content and no id, in either of the two, in
 * another statement, since another export of the same days may leave ids out. The limits make each one an index
 * look-up: right after many inserts the planner would rather read the whole table.
 */
async function linesLike(tx: Transaction, { id }: Statement, payments: Payment[]) {
  type Like = { given: string; id: string; statementId: string; line: number };
  const like = async (keys: string[], isLike: SQL) => {
    const { rows } = await tx.execute<Like>(sql`
      select given.key as given, found.id, found.statement_id as "statementId", found.line
      from unnest(${sql.param(keys)}::text[]) as given (key) cross join lateral (
        select id, statement_id, line from statement_lines where ${isLike} limit 1) as found`);
    return new Map(rows.map(({ given, ...found }) => [given, found]));
  };
  const saysTheSame = sql`content = split_part(given.key, ' ', 1) and occurrence = split_part(given.key, ' ', 2)::integer`;
  const isWithoutId = ({ transaction }: Payment) => !transaction;
  return {
    byTransaction: await like(
      payments.flatMap(({ transaction }) => (transaction ? transactionKey(transaction) : [])),
      sql`lower(transaction) = given.key`,
    ),
    withoutId: await like(payments.map(contentKey), sql`transaction is null and ${saysTheSame}`),
    withId: await like(
      payments.filter(isWithoutId).map(contentKey),
      sql`transaction is not null and ${saysTheSame} and statement_id <> ${id}::uuid`,
    ),
  };
}

/** All lines are read and matched. The file has done its work, and holds more than anybody needs to keep. */
export async function finishReading(tx: Transaction, actor: Actor, { id }: Statement): Promise<Statement> {
  const statement = await lockStatement(tx, id);
  if (statement.state !== "reading") return statement;
  const [ready] = await tx
    .update(statements)
    .set({ state: "ready", fileId: null })
    .where(eq(statements.id, id))
    .returning();
  if (statement.fileId) await tx.delete(files).where(eq(files.id, statement.fileId));
  const { file, lines, known, refused, skipped } = statement;
  await record(tx, actor, "invoice", `Read the statement ${file}`, {
    after: { lines, known, refused, skipped },
    about: about(statement),
  });
  return ready ?? statement;
}
