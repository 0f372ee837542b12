import { readWeight, type Weight } from "@footprint/contract/weights.ts";
import { and, isNull, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Database } from "../db/database.ts";
import { literal } from "../db/prepared.ts";
import { customers } from "../db/schema.ts";
import { frequencyOf } from "./frequency.ts";

/** The columns that a search looks through: the same as in the table's column `search`, which the database computes. */
export type Searched = {
  /** Found by any part of at least two letters. */
  names: PgColumn[];
  /** Found whole, by their beginning or by their end, if at least four characters are typed. */
  codes: PgColumn[];
  /** A code that begins alike in most rows, and its digits, written as in the index that has them in order. */
  digits?: { of: PgColumn; plain: SQL };
  /** If codes are registered in batches of consecutive numbers, each at one moment: beginnings are found by these. */
  batches?: { table: Batches; id: PgColumn };
  /** The rows are also found by their customer's names and, if the caller may see them, codes. */
  customer?: { id: PgColumn; byCodes: boolean };
  /** Finds rows by a weight with its unit, typed alone or with other words. It has no index: each row is compared. */
  weighs?: (weight: Weight) => SQL;
};

type Batches = PgTable & Record<"id" | "first" | "last" | "createdAt", PgColumn>;

/** The conditions that make a row of a table a hit. */
export type Hits = {
  /** True for a hit, to compare rows one by one. */
  where: SQL;
  /** The same as several conditions with an index each; undefined if no index can find all hits. */
  indexed: SQL[] | undefined;
  /** What the keys alone can tell: true for all hits and maybe for other rows. Absent if keys tell everything. */
  keys?: SQL;
  /** More customers match than are asked for by their ids. */
  hasManyCustomers?: boolean;
  /** If there are very many: true for the rows of some of them, with an index. */
  ofSomeCustomers?: SQL;
  /** How to find the hits through batches of codes, if digits were typed. */
  batched?: Batched;
  /** A whole id or tracking code was typed, which few rows have. */
  isWholeCode?: boolean;
  /** Too little was typed for any key. */
  hasNoKeys: boolean;
};

export type Batched = {
  batches: Batches;
  /** True for batches that may have codes that begin as was typed. */
  isMatching: SQL;
  beginsAsTyped: SQL;
  /** True for codes from before batches were kept. */
  hasNoBatch: SQL;
  endsAsTyped: SQL;
};

/** Up to how many customers rows are found by their ids, or by a subquery. Beyond, each row's customer is compared. */
const mostCustomers = { byIds: 1_000, bySubquery: 5_000 };

/** The ids as one text, in the database's notation of an array: only the database reads it. */
type CustomersFound = { ids: string; amount: number };

/** Customers found so far in a search over several lists, so that they are looked up once. */
export type CustomerLookUps = Map<string, Promise<CustomersFound>>;

/** Turns what was typed into conditions. */
export async function hitsOf(
  db: Database,
  table: PgTable,
  searched: Searched,
  search: string,
  lookUps: CustomerLookUps = new Map(),
): Promise<Hits> {
  // The character that separates columns in `textOf` occurs in none of them.
  if (search.includes("\x1f")) return { where: sql`false`, indexed: [sql`false`], hasNoKeys: false };
  const read = searched.weighs && readWeight(search);
  if (searched.weighs && read)
    return hitsOfWeight(
      searched.weighs(read.weight),
      read.rest && (await hitsOf(db, table, searched, read.rest, lookUps)),
    );
  const typed = keysOf(search);
  const hasNoKeys = !typed.words && !typed.code;
  const own = hasNoKeys ? contains(searched.names, search) : byKeys(table, searched, typed);
  const keys =
    !hasNoKeys && (typed.wordsPattern || typed.codePattern) && byKeys(table, searched, withoutPatterns(typed));
  const batched = batchedBy(table, searched, typed);
  const isWholeCode = isWholeId(search) || (searched.digits && (typed.digits?.from.length ?? 0) >= shortestTracking);
  const more = { ...(isWholeCode && { isWholeCode }), hasNoKeys };
  const ownHits = {
    where: own,
    indexed: hasNoKeys ? undefined : [own],
    ...(keys && { keys }),
    ...(batched && { batched }),
    ...more,
  };
  const { customer } = searched;
  if (!customer) return ownHits;

  const ofCustomer = { names: [customers.username, customers.email], codes: [customers.id, customers.discordId] };
  const customerHit = hasNoKeys
    ? contains(ofCustomer.names, search)
    : byKeys(customers, ofCustomer, customer.byCodes ? typed : { ...typed, code: "" });
  const found = hasNoKeys ? undefined : await customersFound(db, customerHit, `${customer.byCodes} ${search}`, lookUps);
  const both = (theirs: SQL) => ({
    where: or(own, theirs) as SQL,
    ...(keys && { keys: or(keys, theirs) as SQL }),
    ...more,
  });
  // Hidden from the planner, which would take as long to look at each id as to find its rows.
  const ofThese = (ids: string) => sql`${customer.id} = any((select ${ids}::text::uuid[])::uuid[])`;
  if (found && found.amount <= mostCustomers.byIds) {
    if (found.amount === 0) return ownHits;
    // As a set: rows are not compared with one id after the other.
    const theirs = sql`${customer.id} in (select unnest((select ${found.ids}::text::uuid[])))`;
    return { ...both(theirs), indexed: [own, ofThese(found.ids)] };
  }
  if (found && found.amount <= mostCustomers.bySubquery) {
    const ids = sql`select ${customers.id} from ${customers} where ${customerHit}`;
    // The subquery runs once; rows are compared with its ids, or found by them.
    return {
      ...both(sql`${customer.id} in (${ids})`),
      indexed: [own, sql`${customer.id} = any(array(${ids}))`],
      hasManyCustomers: true,
    };
  }
  // Not with EXISTS, for which PostgreSQL would go through all customers first.
  const ofOne = sql`(select ${customerHit} from ${customers} where ${customers.id} = ${customer.id})`;
  return {
    ...both(ofOne),
    indexed: undefined,
    hasManyCustomers: true,
    ...(found && { ofSomeCustomers: ofThese(found.ids) }),
  };
}

/** How many customers match, and their ids; only some of the ids if there are too many. */
function customersFound(db: Database, hit: SQL, asked: string, lookUps: CustomerLookUps): Promise<CustomersFound> {
  const known = lookUps.get(asked);
  if (known) return known;
  const look = async () => {
    const limit = mostCustomers.byIds + 1;
    const { rows } = await db.execute<CustomersFound>(sql`
      select coalesce(array_agg(id), '{}')::text as ids, count(*)::int as amount
      from (select id from ${customers} where ${hit} limit ${literal(limit)}) as found`);
    const { ids, amount } = rows[0] ?? { ids: "{}", amount: 0 };
    if (amount < limit) return { ids, amount };
    const { rowsWithKeys } = await frequencyOf(db, customers, { keys: hit });
    return { ids, amount: Math.max(rowsWithKeys, limit) };
  };
  const found = look();
  lookUps.set(asked, found);
  return found;
}

const isWholeId = (search: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(search);

/** From so many digits on, a number is taken for a whole tracking code. */
const shortestTracking = 20;

/** Hits of a weight and, if more was typed, of that too. */
function hitsOfWeight(weighs: SQL, others: Hits | ""): Hits {
  if (!others) return { where: weighs, indexed: undefined, hasNoKeys: false };
  const both = (hit: SQL) => sql`(${hit}) and ${weighs}`;
  const { ofSomeCustomers: _, ...rest } = others;
  return { keys: others.where, ...rest, where: both(others.where), indexed: others.indexed?.map(both) };
}

/**
 * What was typed, as queries for the keys that `search_keys` in the migrations makes of names and codes. A pattern is
 * there if keys alone cannot tell what is a hit.
 */
type Typed = {
  words: string;
  wordsPattern?: string;
  code: string;
  codePattern?: string;
  /** If only digits were typed: keys of a word and of a code's end, and the range of codes that begin so. */
  digits?: { word: string; end: string; from: string; below: string; areLongerThanKey: boolean };
};

/** These two are the same in `search_keys`. */
const longestKey = 12;
const separators = /[\0-/:-@[-`{-\x7f]+/;
const spaces = /[\0- ]+/;

function keysOf(search: string): Typed {
  const text = lowerCase(search);
  const words = wordsOf(text);
  const code = text.replace(/[ -]/g, "");
  // As the panel shortens them: 89299e…619e6a
  const [, first, last] = /^(\w{4,12})(?:…|\.{3})(\w{4,12})$/.exec(code) ?? [];
  const isCode = /^[\w.]{4,}$/.test(code);
  const isOneKey = words[0] === text && [...text].length <= longestKey;
  return {
    words: isOneKey ? beginning("", text) : text.split(spaces).map(sentencePart).filter(Boolean).join(" & "),
    ...(!isOneKey && { wordsPattern: patternOf(text) }),
    code:
      first && last
        ? `${beginning("=", first)} & ${ending(last)}`
        : isCode
          ? `${beginning("=", code)} | ${ending(code)}`
          : "",
    ...(code.length > longestKey && !last && { codePattern: patternOf(code) }),
    ...(/^(?!420|9+$)\d{4,}$/.test(code) && { digits: digitsOf(code) }),
  };
}

const withoutPatterns = ({ words, code, digits }: Typed): Typed => ({ words, code, ...(digits && { digits }) });

function digitsOf(code: string): NonNullable<Typed["digits"]> {
  const below = String(BigInt(code) + 1n).padStart(code.length, "0");
  const end = ending(code);
  return { word: beginning("", code), end, from: code, below, areLongerThanKey: code.length > longestKey };
}

/** Letter by letter, like the database: this treats a final sigma like any other, and no letter becomes two. */
const lowerCase = (text: string) =>
  Array.from(text, (letter) => Array.from(letter.toLowerCase())[0])
    .join("")
    .replaceAll("ς", "σ");

const wordsOf = (text: string) => text.split(separators).filter((word) => [...word].length > 1);

/**
 * One part of a sentence. Ids and long numbers are looked up as codes, of which only the beginning may have been typed.
 * All words but the last are complete: whole keys are looked up much faster than all keys with a beginning.
 */
function sentencePart(part: string, place: number, parts: string[]): string {
  const words = wordsOf(part);
  const isLast = (word: number) => place === parts.length - 1 && word === words.length - 1;
  const keys = words.map((word, at) => (isLast(at) ? beginning("", word) : key("", word))).join(" & ");
  const [code = words.length === 1 && part.length > 3 ? words[0] : undefined] =
    /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{10,}/.exec(part) ?? [];
  return code && keys ? `((${keys}) | ${beginning("=", code.replaceAll("-", ""))})` : keys;
}

/** Asks for keys that begin with this text. */
const beginning = (mark: string, text: string) => `${key(mark, text)}:*`;

/** Asks for the keys of codes that end with this text. */
const ending = (code: string) => beginning("~", [...code].reverse().join(""));

const key = (mark: string, text: string) => `'${mark}${[...text].slice(0, longestKey).join("")}'`;

const hasKeys = (table: PgTable) => (keys: string) => sql`${table}.search @@ ${keys}::tsquery`;

/** How to find codes through their batches, if the list has batches and only digits were typed. */
function batchedBy(table: PgTable, { batches, codes, ...searched }: Searched, { digits, codePattern }: Typed) {
  if (!batches || !searched.digits || !digits) return undefined;
  const { plain } = searched.digits;
  const { from, below, end } = digits;
  const { table: batchTable, id } = batches;
  return {
    batches: batchTable,
    isMatching: sql`${batchTable.first} < ${below} and ${batchTable.last} >= ${from}`,
    beginsAsTyped: sql`${plain} >= ${from} and ${plain} < ${below}`,
    hasNoBatch: isNull(id),
    endsAsTyped: and(hasKeys(table)(end), codePattern ? someCodeIsLike(codes, codePattern) : undefined) as SQL,
  };
}

const someCodeIsLike = (codes: PgColumn[], pattern: string) =>
  sql`translate(${textOf(codes, pattern)}, ' -', '') like ${pattern}`;

/** True for rows that have the keys of what was typed and, if keys cannot tell everything, contain it literally. */
function byKeys(table: PgTable, { names, codes, ...searched }: Searched, typed: Typed): SQL {
  const { words, wordsPattern, code, codePattern } = typed;
  const digits = searched.digits && typed.digits?.areLongerThanKey ? typed.digits : undefined;
  const has = hasKeys(table);
  if (!wordsPattern && !codePattern && !digits && words && code) return has(`${words} | ${code}`);
  const byName =
    words &&
    and(
      has(digits?.word ?? words),
      wordsPattern ? sql`${textOf(names, wordsPattern)} like ${wordsPattern}` : undefined,
    );
  // Codes of one sender begin alike, so half the table may have the key of a beginning.
  const hasCode =
    digits && searched.digits ? or(has(digits.end), beginsWith(searched.digits, digits)) : code && has(code);
  const byCode = hasCode && and(hasCode, codePattern ? someCodeIsLike(codes, codePattern) : undefined);
  return or(byName || undefined, byCode || undefined) ?? sql`false`;
}

/** Making a code plain takes five times as long as seeing that the digits are not in it. */
const beginsWith = ({ of, plain }: NonNullable<Searched["digits"]>, { from, below }: NonNullable<Typed["digits"]>) =>
  sql`(strpos(translate(${of}, ' -', ''), ${from}) > 0 and ${plain} >= ${from} and ${plain} < ${below})`;

/** True for rows with the typed text in one of the columns, in upper or lower case. */
export function contains(columns: PgColumn[], typed: string): SQL {
  const pattern = patternOf(lowerCase(typed));
  return sql`${textOf(columns, pattern)} like ${pattern}`;
}

/** The columns in lower case, separated by a character that nobody types. Final sigmas are made plain if need be. */
function textOf(columns: PgColumn[], pattern: string): SQL {
  const texts = columns.map((column) => sql`${column}::text`);
  if (texts.length === 0) return sql`''`;
  const lower = sql`lower(${sql.join(texts, sql` || chr(31) || `)})`;
  return pattern.includes("σ") ? sql`translate(${lower}, 'ς', 'σ')` : lower;
}

/** A LIKE pattern for any text that contains this; `%` and `_` are ordinary characters. */
const patternOf = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
