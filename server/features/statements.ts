import { refusal } from "@footprint/contract/refusal.ts";
import { statements as contract, lineStates } from "@footprint/contract/statements.ts";
import { and, asc, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import type { Database, Transaction } from "../db/database.ts";
import { presentInvoice } from "../db/presenters.ts";
import { approvals, customers, invoices, statementLines, statements, transfers } from "../db/schema.ts";
import { attach, discard, readWhole } from "../http/files.ts";
import { routes } from "../http/routes.ts";
import { pages } from "../lists/paging.ts";
import { presentAuthor } from "../lists/presenters.ts";
import { stillWaits } from "../money/approvals.ts";
import { decodeText } from "../money/statements/csv.ts";
import { countLines, payWithLine, removeStatement, reopenLine, setLineAside } from "../money/statements/lines.ts";
import { near } from "../money/statements/matching.ts";
import { matchLines } from "../money/statements/proposals.ts";
import {
  confirmColumns,
  countFileLines,
  finishReading,
  firstPayments,
  problemWith,
  readLines,
  recogniseColumns,
  tableOf,
  warningOf,
} from "../money/statements/reading.ts";
import { type Statement, unknownStatement } from "../money/statements/statement.ts";

/** Most lines, and the longest time, of one call, so that it answers before anybody thinks that it hangs. */
const linesAtOnce = 20_000;
const longestRead = 15_000;
/** Without a counter rows are counted up to this. */
const mostCounted = 1_000;

/** These calls take no Idempotency-Key, so there are no replays. */
type Change = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

export const statementRoutes = routes(contract, {
  async list({ db, query }) {
    const rows = await db
      .select()
      .from(statements)
      .orderBy(desc(statements.createdAt), desc(statements.id))
      .limit(query.limit)
      .offset((query.page - 1) * query.limit);
    const total = await countUpTo(db, sql`select from statements`);
    return { statements: await present(db, rows), ...total, ...pages(total.total, query.limit) };
  },

  async read({ db, params }) {
    const statement = await find(db, params.id);
    return { ...(await presentOne(db, statement)), refused: statement.refusals };
  },

  async drop({ db, file, actor, transaction }) {
    if (!file) throw refusal(400, "Choose the file of the statement");
    const lines = await countFileLines(decodeText(await readWhole(db, file)));
    const change = transaction as Change;
    const added = await change(async (tx) => {
      const { username, kind, id: actorId } = actor;
      const [statement] = await tx
        .insert(statements)
        .values({
          file: file.name,
          contentHash: file.contentHash,
          lines,
          actor: username,
          actorKind: kind,
          actorId,
          fileId: file.id,
        })
        .onConflictDoNothing()
        .returning();
      if (!statement) return undefined;
      await attach(tx, file);
      await record(tx, actor, "invoice", `Dropped the statement ${file.name}`, {
        after: { lines },
        about: { kind: "statement", id: statement.id },
      });
      return statement;
    });
    if (added) return { message: "Statement received", ...(await presentOne(db, added)), isKnown: false };
    await discard(db, file);
    const [known] = await db.select().from(statements).where(eq(statements.contentHash, file.contentHash));
    if (!known) throw refusal(409, "This statement was removed a moment ago: drop it again");
    return { message: `${known.actor} has dropped this file before`, ...(await presentOne(db, known)), isKnown: true };
  },

  async columns({ db, config, params, body }) {
    const text = await textOf(db, await find(db, params.id));
    const { layout, first, mapping: recognised, orderGuessed, remembered } = await recogniseColumns(db, text);
    const mapping = body.mapping ?? recognised;
    const payments = await firstPayments(text, layout, mapping, config.timezone);
    const cut = (value: string) => value.toWellFormed().replaceAll("\0", "").slice(0, 100);
    return {
      columns: {
        headings: layout.headings.map(cut),
        samples: first.slice(0, 5).map((fields) => fields.map(cut)),
        mapping,
        remembered,
        orderGuessed,
        understood: payments.map(({ line, at, amountCents, name, note }) => ({
          line,
          at,
          amount: amountCents,
          name,
          note,
        })),
        problem: problemWith(mapping, layout),
        warning: warningOf(mapping, layout),
      },
    };
  },

  async take({ db, config, params, body, actor, transaction, refuseIfGone }) {
    const change = transaction as Change;
    let statement = await find(db, params.id);
    if (statement.state !== "ready") {
      const text = await textOf(db, statement);
      const layout = tableOf(text);
      if (statement.state === "new") {
        const mapping = body.mapping ?? (await recogniseColumns(db, text)).mapping;
        const problem = problemWith(mapping, layout);
        if (problem) throw refusal(400, problem);
        statement = await change((tx) => confirmColumns(tx, actor, statement, layout, mapping));
      }
      const limits = {
        most: linesAtOnce,
        milliseconds: longestRead,
        timezone: config.timezone,
        whenEach: refuseIfGone,
      };
      if (statement.state === "reading" && statement.mapping)
        statement = await readLines(change, actor, text, layout, statement, statement.mapping, limits);
      if (statement.state === "reading" && statement.read >= statement.lines) {
        await matchLines(db, change, statement);
        statement = await change((tx) => finishReading(tx, actor, statement));
      }
    }
    const message =
      statement.state === "ready" ? "Statement read" : `${statement.read} of ${statement.lines} lines read`;
    return { message, ...(await presentOne(db, statement)) };
  },

  async match({ db, params, transaction }) {
    const statement = await find(db, params.id);
    if (statement.state !== "ready") throw refusal(409, "Not all lines of this statement are read yet");
    await matchLines(db, transaction as Change, statement);
    return { message: "Matched again", ...(await presentOne(db, statement)) };
  },

  async lines({ db, params: { id }, query }) {
    await find(db, id);
    const states =
      query.state === "All" ? lineStates : query.state === "left" ? (["unclear", "none"] as const) : [query.state];
    const where = and(
      eq(statementLines.statementId, id),
      query.ids
        ? inArray(statementLines.id, query.ids)
        : and(
            query.state === "All" ? undefined : inArray(statementLines.state, [...states]),
            query.after === undefined ? undefined : gt(statementLines.line, query.after),
            query.search ? says(query.search) : undefined,
          ),
    );
    const limit = query.ids?.length ?? query.limit;
    const direction = query.sort === "asc" ? asc : desc;
    const inOrder =
      query.after === undefined
        ? [direction(statementLines.at), direction(statementLines.id)]
        : [asc(statementLines.line)];
    const rows = await db
      .select({
        line: statementLines,
        invoice: invoices,
        user: { _id: customers.id, username: customers.username, email: customers.email },
        reversedBy: transfers.reversedBy,
        asked: { by: approvals.askedName, request: approvals.id },
      })
      .from(statementLines)
      .leftJoin(invoices, eq(invoices.id, statementLines.invoiceId))
      .leftJoin(customers, eq(customers.id, invoices.customerId))
      .leftJoin(transfers, eq(transfers.id, statementLines.transferId))
      .leftJoin(approvals, and(eq(approvals.lineId, statementLines.id), stillWaits))
      .where(where)
      .orderBy(...inOrder)
      .limit(limit)
      .offset(query.ids ? 0 : (query.page - 1) * limit);
    const isCounted = !query.ids && query.after === undefined && !query.search;
    const count = isCounted ? await countLines(db, [id]) : undefined;
    const total = count
      ? { total: states.reduce((sum, state) => sum + count(id, state).count, 0) }
      : await countUpTo(db, sql`select from ${statementLines} where ${where}`);
    return { lines: rows.map(presentLine), ...total, ...pages(total.total, limit) };
  },

  async invoices({ db, params, query }) {
    const { firstAt, lastAt, mapping } = await find(db, params.id);
    if (!firstAt || !lastAt || !mapping) return { invoices: [], ...pages(0, query.limit) };
    const isLeft = and(
      eq(invoices.status, "pending"),
      query.ids ? inArray(invoices.id, query.ids) : undefined,
      sql`${invoices.createdAt} between ${new Date(firstAt.getTime() - near).toISOString()}::timestamptz and ${lastAt.toISOString()}::timestamptz`,
      eq(invoices.paymentMethod, mapping.source),
      sql`not exists (select from statement_lines where statement_lines.invoice_id = ${invoices.id}
        and statement_lines.state in ('certain', 'likely', 'unclear'))`,
    );
    const limit = query.ids?.length ?? query.limit;
    const rows = await db
      .select({ invoice: invoices, user: { _id: customers.id, username: customers.username, email: customers.email } })
      .from(invoices)
      .innerJoin(customers, eq(customers.id, invoices.customerId))
      .where(isLeft)
      .orderBy(asc(invoices.createdAt), asc(invoices.id))
      .limit(limit)
      .offset(query.ids ? 0 : (query.page - 1) * limit);
    const total = await countUpTo(db, sql`select from ${invoices} where ${isLeft}`);
    const listed = rows.map(({ invoice, user }) => ({ ...presentInvoice(invoice), user }));
    return { invoices: listed, ...total, ...pages(total.total, limit) };
  },

  pay: ({ params, body: { invoice, differs, reason }, actor, transaction }) =>
    transaction((tx) => payWithLine(tx, actor, params.id, { invoice, differs, reason })),

  payCertain: ({ body: { ids, reason }, actor, several }) =>
    several(ids, "marked as paid", (tx, id) => payWithLine(tx, actor, id, { reason })),

  payProposed: ({ body: { pairs, reason }, actor, several }) => {
    const invoiceOf = new Map(pairs.map(({ line, invoice }) => [line, invoice]));
    return several([...invoiceOf.keys()], "marked as paid", (tx, id) =>
      payWithLine(tx, actor, id, { proposed: invoiceOf.get(id) ?? "", reason }),
    );
  },

  setAside: ({ body: { ids, reason }, actor, several }) =>
    several(ids, "set aside", (tx, id) => setLineAside(tx, actor, id, reason)),

  reopen: ({ params, body: { reason }, actor, transaction }) =>
    transaction((tx) => reopenLine(tx, actor, params.id, reason)),

  remove: ({ params, actor, transaction }) =>
    transaction(async (tx) => ({ message: `${await removeStatement(tx, actor, params.id)} removed` })),
});

async function find(db: Database, id: string): Promise<Statement> {
  const [statement] = await db.select().from(statements).where(eq(statements.id, id));
  if (!statement) throw unknownStatement();
  return statement;
}

async function textOf(db: Database, { fileId }: Statement): Promise<string> {
  if (!fileId) throw refusal(409, "All lines of this statement are read already");
  return decodeText(await readWhole(db, { id: fileId }));
}

async function presentOne(db: Database, row: Statement) {
  const [statement] = await present(db, [row]);
  if (!statement) throw unknownStatement();
  return { statement };
}

async function present(db: Database, rows: Statement[]) {
  const count = await countLines(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...row,
    _id: row.id,
    source: row.mapping?.source ?? null,
    by: presentAuthor(row),
    payments: Object.fromEntries(lineStates.map((state) => [state, count(row.id, state)])) as Payments,
    skipped: { outgoing: 0, "not completed": 0, "another currency": 0, "no payment": 0, ...row.skipped },
  }));
}
type Payments = Record<(typeof lineStates)[number], { count: number; sum: number }>;

type Row = {
  line: typeof statementLines.$inferSelect;
  invoice: typeof invoices.$inferSelect | null;
  user: { _id: string; username: string; email: string } | null;
  reversedBy: string | null;
  asked: { by: string; request: string } | null;
};

const presentLine = ({ line, invoice, user, reversedBy, asked }: Row) => ({
  ...line,
  _id: line.id,
  amount: line.amountCents,
  transaction: line.transaction ?? "",
  invoice: invoice && user ? { ...presentInvoice(invoice), user } : null,
  done: line.doneAt
    ? { by: line.doneBy ?? "", at: line.doneAt, transfer: line.transferId, reversed: reversedBy !== null }
    : null,
  asked: line.doneAt ? null : asked,
});

/** Any part of a line's text. A statement is short enough to search without an index. */
const says = (search: string) =>
  sql`concat_ws(' ', ${statementLines.name}, ${statementLines.email}, ${statementLines.note}, ${statementLines.transaction})
    ilike ${`%${search.replace(/[\\%_]/g, "\\$&")}%`}`;

async function countUpTo(db: Database, rows: SQL) {
  const { rows: found } = await db.execute<{ total: number }>(
    sql`select count(*)::int as total from (${rows} limit ${sql.raw(String(mostCounted + 1))}) as counted`,
  );
  const total = found[0]?.total ?? 0;
  return { total: Math.min(total, mostCounted), totalCapped: total > mostCounted };
}
