import { readWeight, type Weight } from "@footprint/contract/weights.ts";
import { and, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Database } from "../db/database.ts";
import { exactly } from "../db/prepared.ts";
import { customers } from "../db/schema.ts";
import { frequencyOf } from "./frequency.ts";

/** What a search looks through: the same columns as in the table's `search`, which the database computes. */
export type Searched = {
  /** Found by any part of at least two letters. */
  names: PgColumn[];
  /** Found whole, by their beginning or by their end, from four characters on. */
  codes: PgColumn[];
  /** The digits of the code among these whose first ones are the same in most rows, as an index has them in order. */
  digits?: SQL;
  /** Whose the rows are: they are found by their customer too, for some callers not by the customer's codes. */
  customer?: { id: PgColumn; byCodes: boolean };
  /** Found by a weight with its unit, alone or beside other words. No index has it: it is looked for row by row. */
  weighs?: (weight: Weight) => SQL;
};

export type Hits = {
  /** True for a hit, to be asked row by row. */
  where: SQL;
  /** The same as conditions of which each has an index; undefined where indexes cannot find the hits. */
  indexed: SQL[] | undefined;
  /** What the indexes look for, where that does not tell all: a row that has it may still be no hit. */
  keys?: SQL;
  /** More customers match than are told by their ids. */
  isFrequent?: boolean;
  /** Where there are very many: a condition with an index, for some of them. */
  some?: SQL;
  /** Too little was typed for any key. */
  isShort: boolean;
};

/** More customers than these are not told by their ids; still more are asked for row by row. */
const mostCustomers = { known: 1_000, gathered: 5_000 };

/** Their ids as one text, as the database writes and reads an array: nobody else looks at them. */
type CustomersFound = { ids: string; amount: number };

/** The customers that were looked up for one search over several lists, by what was asked. */
export type LookedUp = Map<string, Promise<CustomersFound>>;

/** What makes a row of a table a hit. */
export async function hitsOf(
  db: Database,
  table: PgTable,
  searched: Searched,
  search: string,
  lookedUp: LookedUp = new Map(),
): Promise<Hits> {
  // What keeps columns apart below stands in none of them.
  if (search.includes("\x1f")) return { where: sql`false`, indexed: [sql`false`], isShort: false };
  const read = searched.weighs && readWeight(search);
  if (searched.weighs && read)
    return weighing(
      searched.weighs(read.weight),
      read.rest && (await hitsOf(db, table, searched, read.rest, lookedUp)),
    );
  const typed = keysOf(search);
  const isShort = !typed.words && !typed.code;
  const own = isShort ? contains(searched.names, search) : byKeys(table, searched, typed);
  const keys = !isShort && (typed.wordsPattern || typed.codePattern) && byKeys(table, searched, withoutPatterns(typed));
  const alone = { where: own, indexed: isShort ? undefined : [own], ...(keys && { keys }), isShort };
  const { customer } = searched;
  if (!customer) return alone;

  const ofCustomer = { names: [customers.username, customers.email], codes: [customers.id, customers.discordId] };
  const customerHit = isShort
    ? contains(ofCustomer.names, search)
    : byKeys(customers, ofCustomer, customer.byCodes ? typed : { ...typed, code: "" });
  const found = isShort ? undefined : await customersFound(db, customerHit, `${customer.byCodes} ${search}`, lookedUp);
  const both = (theirs: SQL) => ({
    where: or(own, theirs) as SQL,
    ...(keys && { keys: or(keys, theirs) as SQL }),
    isShort,
  });
  // Not looked at when it is planned, which would take as long for each of them as to find it.
  const ofThese = (ids: string) => sql`${customer.id} = any((select ${ids}::text::uuid[])::uuid[])`;
  if (found && found.amount <= mostCustomers.known) {
    if (found.amount === 0) return alone;
    // Compared with each row: as a set, not one after the other.
    const theirs = sql`${customer.id} in (select unnest((select ${found.ids}::text::uuid[])))`;
    return { ...both(theirs), indexed: [own, ofThese(found.ids)] };
  }
  if (found && found.amount <= mostCustomers.gathered) {
    const ids = sql`select ${customers.id} from ${customers} where ${customerHit}`;
    // Gathered once: the rows are compared with these, or looked up by them.
    return {
      ...both(sql`${customer.id} in (${ids})`),
      indexed: [own, sql`${customer.id} = any(array(${ids}))`],
      isFrequent: true,
    };
  }
  // Not EXISTS, for which PostgreSQL would go through all customers first.
  const ofOne = sql`(select ${customerHit} from ${customers} where ${customers.id} = ${customer.id})`;
  return { ...both(ofOne), indexed: undefined, isFrequent: true, ...(found && { some: ofThese(found.ids) }) };
}

/** How many there are, and which; of too many, some. */
function customersFound(db: Database, hit: SQL, asked: string, lookedUp: LookedUp): Promise<CustomersFound> {
  const known = lookedUp.get(asked);
  if (known) return known;
  const look = async () => {
    const limit = mostCustomers.known + 1;
    const { rows } = await db.execute<CustomersFound>(sql`
      select coalesce(array_agg(id), '{}')::text as ids, count(*)::int as amount
      from (select id from ${customers} where ${hit} limit ${exactly(limit)}) as found`);
    const { ids, amount } = rows[0] ?? { ids: "{}", amount: 0 };
    if (amount < limit) return { ids, amount };
    const { keyed } = await frequencyOf(db, customers, { keys: hit });
    return { ids, amount: Math.max(keyed, limit) };
  };
  const found = look();
  lookedUp.set(asked, found);
  return found;
}

/** Of what else was typed, the hits of this weight. */
function weighing(weighs: SQL, others: Hits | ""): Hits {
  if (!others) return { where: weighs, indexed: undefined, isShort: false };
  const both = (hit: SQL) => sql`(${hit}) and ${weighs}`;
  const { some: _, ...rest } = others;
  return { keys: others.where, ...rest, where: both(others.where), indexed: others.indexed?.map(both) };
}

/** What was typed, in terms of the keys that `search_keys` in the migrations makes of names and codes. */
type Typed = {
  words: string;
  wordsPattern?: string;
  code: string;
  codePattern?: string;
  /** Where more digits were typed than a key has. */
  digits?: { word: string; end: string; from: string; below: string };
};

/** Both as in `search_keys`. */
const longestKey = 12;
const separators = /[\0-/:-@[-`{-\x7f]+/;
const spaces = /[\0- ]+/;

function keysOf(search: string): Typed {
  const text = lowerCase(search);
  const words = wordsOf(text);
  const code = text.replace(/[ -]/g, "");
  const isCode = /^[\w.]{4,}$/.test(code);
  const isOneKey = words[0] === text && [...text].length <= longestKey;
  return {
    words: isOneKey ? beginning("", text) : text.split(spaces).map(sentencePart).filter(Boolean).join(" & "),
    ...(!isOneKey && { wordsPattern: patternOf(text) }),
    code: isCode ? `${beginning("=", code)} | ${beginning("~", [...code].reverse().join(""))}` : "",
    ...(code.length > longestKey && { codePattern: patternOf(code) }),
    ...(/^(?!420|9+$)\d+$/.test(code) && code.length > longestKey && { digits: digitsOf(code) }),
  };
}

const withoutPatterns = ({ words, code, digits }: Typed): Typed => ({ words, code, ...(digits && { digits }) });

function digitsOf(code: string): NonNullable<Typed["digits"]> {
  const below = String(BigInt(code) + 1n).padStart(code.length, "0");
  return { word: beginning("", code), end: beginning("~", [...code].reverse().join("")), from: code, below };
}

/** Letter by letter, as the database does it: a word's last sigma, and letters that would become two. */
const lowerCase = (text: string) =>
  Array.from(text, (letter) => Array.from(letter.toLowerCase())[0])
    .join("")
    .replaceAll("ς", "σ");

const wordsOf = (text: string) => text.split(separators).filter((word) => [...word].length > 1);

/**
 * In a sentence, ids and long numbers are codes; what was typed of one, at its end, may be a beginning. All words but
 * the last are typed to their end: whole keys are looked up much faster than all that begin alike.
 */
function sentencePart(part: string, place: number, parts: string[]): string {
  const words = wordsOf(part);
  const isLast = (word: number) => place === parts.length - 1 && word === words.length - 1;
  const keys = words.map((word, at) => (isLast(at) ? beginning("", word) : key("", word))).join(" & ");
  const [code = words.length === 1 && part.length > 3 ? words[0] : undefined] =
    /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{10,}/.exec(part) ?? [];
  return code && keys ? `((${keys}) | ${beginning("=", code.replaceAll("-", ""))})` : keys;
}

/** Asks for keys that begin with this. */
const beginning = (mark: string, text: string) => `${key(mark, text)}:*`;

const key = (mark: string, text: string) => `'${mark}${[...text].slice(0, longestKey).join("")}'`;

/** True for rows with the keys of what was typed, and where these do not tell all, with what was typed itself. */
function byKeys(table: PgTable, { names, codes, ...searched }: Searched, typed: Typed): SQL {
  const { words, wordsPattern, code, codePattern } = typed;
  const digits = searched.digits && typed.digits;
  const has = (keys: string) => sql`${table}.search @@ ${keys}::tsquery`;
  if (!wordsPattern && !codePattern && !digits && words && code) return has(`${words} | ${code}`);
  const byName =
    words &&
    and(
      has(digits?.word ?? words),
      wordsPattern ? sql`${textOf(names, wordsPattern)} like ${wordsPattern}` : undefined,
    );
  // Codes of one sender begin alike: the key of a beginning would be that of half the table.
  const hasCode =
    digits && searched.digits
      ? or(has(digits.end), sql`(${searched.digits} >= ${digits.from} and ${searched.digits} < ${digits.below})`)
      : code && has(code);
  const byCode =
    hasCode &&
    and(hasCode, codePattern ? sql`translate(${textOf(codes, codePattern)}, ' -', '') like ${codePattern}` : undefined);
  return or(byName || undefined, byCode || undefined) ?? sql`false`;
}

/** True for rows in whose columns what was typed stands, in any case. */
export function contains(columns: PgColumn[], typed: string): SQL {
  const pattern = patternOf(lowerCase(typed));
  return sql`${textOf(columns, pattern)} like ${pattern}`;
}

/** In lower case, kept apart by a character nobody types. Both forms of a sigma are one where the pattern has any. */
function textOf(columns: PgColumn[], pattern: string): SQL {
  const texts = columns.map((column) => sql`${column}::text`);
  if (texts.length === 0) return sql`''`;
  const lower = sql`lower(${sql.join(texts, sql` || chr(31) || `)})`;
  return pattern.includes("σ") ? sql`translate(${lower}, 'ς', 'σ')` : lower;
}

/** What LIKE takes for any text with this in it; `%` and `_` are ordinary characters. */
const patternOf = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
