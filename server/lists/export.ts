import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Download } from "@footprint/contract/endpoint.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, is, type SQL, sql } from "drizzle-orm";
import { PgBoolean, type PgColumn, PgNumericNumber, type PgSelect, PgTimestamp, PgUUID } from "drizzle-orm/pg-core";
import { type About, type Author, recordRead } from "../accounts/audit.ts";
import type { Config } from "../config.ts";
import { openCursor } from "../db/cursor.ts";
import type { Database, Transaction } from "../db/database.ts";
import { countOf, today } from "./counters.ts";
import {
  type Cell,
  type Columns,
  conditionOf,
  inOrder,
  type List,
  type Listed,
  type ListQuery,
  narrow,
} from "./list.ts";
import { hitsOf } from "./search.ts";

/** The part of a call that an export needs. */
type Call<Q> = {
  db: Database;
  config: Config;
  now: () => Date;
  actor: Author;
  query: Q;
  /** If only chosen rows are asked for. */
  body?: { ids: string[] } | undefined;
};

/** Each export has its own connection, and the database keeps its rows aside. */
const mostAtOnce = 2;
/** After this many pieces of a file, their buffers are freed. */
const piecesAtOnce = 4;
/** A receiver that takes longer than this holds up others. */
const mostMinutes = 60;

/** The rows of a list that a query asks for, or only the chosen ones of them, as CSV. */
export async function exportList<Q extends object>(
  call: Call<Q & Omit<ListQuery, "ids" | "page" | "limit">>,
  list: List<Q, PgSelect>,
): Promise<Download> {
  const { db, query } = call;
  const { table, searched } = list;
  const ids = call.body?.ids;
  const narrowed = await narrow(db, list, query);
  const found = query.search === "" ? undefined : (await hitsOf(db, table, searched, query.search)).where;
  const { counted } = narrowed;
  return exportRows(call, {
    name: list.name,
    columns: list.columns,
    select: (tx) =>
      list
        .select(tx)
        .where(
          ids
            ? chosenOf(table, ids, and(conditionOf(table, narrowed), found))
            : and(conditionOf(table, narrowed), found),
        )
        .orderBy(...inOrder(table, query.sort)),
    ...(counted && !found && !ids && { total: async (tx) => Math.max(0, await countOf(tx, counted, query)) }),
  });
}

/** The chosen rows that meet the condition. Written with "is true" it can use no index, so rows are found by id. */
const chosenOf = (table: Listed, ids: string[], condition: SQL | undefined) =>
  and(sql`${table.id} = any(${sql.param(ids)}::uuid[])`, condition && sql`(${condition}) is true`);

type Exported = {
  /** The file is named after it. */
  name: string;
  columns: Columns;
  /** The rows in order, with any columns. */
  select(tx: Transaction): PgSelect;
  /** How many rows there are, if that is known without counting them. */
  total?: (tx: Transaction) => Promise<number>;
  /** The subject of the log entry. */
  about?: About;
};

/** The rows of a query as CSV, all as of one moment, read from the database as fast as the receiver takes them. */
export async function exportRows({ db, config, now, actor, query, body }: Call<object>, exported: Exported) {
  const { name, columns, select, total, about } = exported;
  const leave = takePlace(actor.id ?? "");
  try {
    const { cursor, beside } = await openCursor(
      db,
      (tx) => withLines(select(tx), columns),
      async (tx) => total?.(tx),
    );
    const end = () => cursor.close().finally(leave);
    try {
      await recordRead(db, actor, "session", sentence(name, query, body?.ids.length), {
        after: { list: name, ...(body && { chosen: body.ids.length }), ...query },
        ...(about && { about }),
      });
    } catch (error) {
      await end();
      throw error;
    }
    const file = `${name}-${today(config, now())}.csv`;
    return {
      name: file,
      type: "text/csv; charset=utf-8",
      rows: beside,
      content: pieces(Object.keys(columns), cursor.next, end),
    };
  } catch (error) {
    leave();
    throw error;
  }
}

/** The places of running exports, by account. */
const running = new Map<string, object>();

function takePlace(who: string) {
  if (running.has(who)) throw refusal(503, "Another export of yours is still running", { retryAfter: 10 });
  if (running.size >= mostAtOnce)
    throw refusal(503, "Others are exporting at the moment. Try again shortly.", { retryAfter: 10 });
  const place = {};
  running.set(who, place);
  // An export may be ended more than once; the place of another one begun since then is kept.
  return () => {
    if (running.get(who) === place) running.delete(who);
  };
}

const sentence = (name: string, query: object, chosen: number | undefined) => {
  const asked = Object.entries(query).filter(([key, value]) => key !== "sort" && value && value !== "All");
  const words = asked.map(([key, value]) => `${key} ${value}`).join(", ");
  const rows = chosen ? `${chosen} chosen ${chosen === 1 ? "row" : "rows"} of ` : "";
  return `Exported ${rows}${name.replaceAll("-", " ")}${words && ` (${words})`}`;
};

setFlagsFromString("--expose-gc");
/** V8 collects garbage by the size of its own heap; the buffers of a large file are outside it and would pile up. */
const freeBuffers: (options: { type: "minor" }) => void = runInNewContext("gc");

/** The lines of a CSV file. The first is the heading, with the mark by which spreadsheets recognise UTF-8. */
function pieces(
  headings: string[],
  read: () => Promise<string[]>,
  end: () => Promise<void>,
): AsyncIterable<Uint8Array> {
  const begun = Date.now();
  let sent = 0;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      // Breaks the download off, so that nobody takes a part for the whole.
      if (Date.now() - begun > mostMinutes * 60_000) throw new Error("an export was not read in time");
      if (sent % piecesAtOnce === 0) freeBuffers({ type: "minor" });
      const lines = [...(sent > 0 ? [] : [`\ufeff${headings.join(",")}\r\n`]), ...(await read())];
      sent++;
      if (lines.length > 0) return { done: false, value: Buffer.concat(lines.map((text) => Buffer.from(text))) };
      await end();
      return { done: true, value: undefined };
    } catch (error) {
      await end();
      throw error;
    }
  };
  const abandon = async () => {
    await end();
    return { done: true as const, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: abandon }) };
}

/** The same query with one column, the row's line. The database writes it, since a million rows have many cells. */
function withLines(select: PgSelect, columns: Columns): SQL {
  const line = sql`concat_ws(',', ${sql.join(Object.values(columns).map(cellOf), sql`, `)})`.as("line");
  // Drizzle has no way to change the columns of a query.
  (select as unknown as { config: { fields: unknown } }).config.fields = { line };
  return select.getSQL();
}

function cellOf(value: Cell): SQL {
  if (is(value, PgTimestamp))
    return orEmpty(sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
  if (is(value, PgBoolean)) return orEmpty(yesOrNo(sql`${value}`).plain);
  if (is(value, PgUUID) || is(value, PgNumericNumber)) return orEmpty(sql`${value}`);
  return "plain" in value ? orEmpty(value.plain) : quoted(orEmpty(sql`${value}`));
}

const orEmpty = (value: SQL) => sql`coalesce((${value})::text, '')`;

/** First characters of cells that a spreadsheet would run: = + - @ tab CR LF, and the wide ones of Asian keyboards. */
const runnable = sql.raw([..."=+-@\t\r\n＝＋－＠"].map((mark) => mark.codePointAt(0)).join(", "));

/** In many languages spreadsheets split at semicolons or tabs, so that a cell also begins in the middle of a text. */
const runnableInside = sql.raw(`'([;\t\r\n][ "]*)([=+@＝＋－＠-])'`);

/** Quoted for CSV, with an apostrophe before anything that a spreadsheet would run, unless it is a number. */
const quoted = (text: SQL) => sql`'"' || case
  when ascii(${text}) in (${runnable}) and ${text} !~ '^[+-]?[0-9]+([.][0-9]+)?$' then '''' else '' end ||
  replace(regexp_replace(${text}, ${runnableInside}, '\\1''\\2', 'g'), '"', '""') || '"'`;

export const yesOrNo = (condition: SQL) => ({ plain: sql`case when ${condition} then 'Yes' else 'No' end` });

/** Cents as dollars. */
export const inDollars = (cents: PgColumn) => ({ plain: sql`(${cents} / 100.0)::numeric(20, 2)` });
