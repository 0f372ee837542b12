import { Column, fillPlaceholders, getTableName, is, type Placeholder, SQL, Subquery, sql } from "drizzle-orm";
import type { Database, Transaction } from "./database.ts";
import { unsentOn } from "./one-connection.ts";
import { Shared } from "./shared.ts";
import { Recent } from "./statements.ts";

const built = new WeakMap<Database | Transaction, Recent<unknown>>();
/** Beyond this, queries not used for the longest are built again. */
const mostQueries = 1_000;

/**
 * A query that is built at its first use and later only filled in: building one often takes longer than its answer.
 * `build` ends in `.prepare("")`; the names of the database's own prepared statements are given when they are sent. A
 * `long` query is sent by itself, and its rows are shared by all who ask at the same moment, so they must not be
 * changed. The answer to a `personal` query is for its caller only.
 */
export const prepared = <Q>(
  db: Database | Transaction,
  key: string,
  build: () => Q,
  how?: "long" | "personal" | false,
): Q =>
  keptFor(db, key, () => {
    const query = build();
    mapQuickly(query as PreparedQuery);
    if (how === "long") shareRows(query as PreparedQuery);
    else askTogether(db, key, query as PreparedQuery, how === "personal");
    return query;
  });

function keptFor<Q>(db: Database | Transaction, key: string, build: () => Q): Q {
  const queries = built.get(db) ?? new Recent<unknown>(mostQueries);
  built.set(db, queries);
  const known = queries.get(key) as Q | undefined;
  if (known) return known;
  const query = build();
  queries.add(key, query);
  return query;
}

/** A number written into the statement's text, so that its plan is made for this number and not for any. */
export const literal = (amount: number) => sql.raw(String(amount));

/**
 * A placeholder whose value the planner does not see. If it saw the value, PostgreSQL might expect a plan for it to be
 * cheaper than one for all values, and plan again at every call, which takes longer than the rest.
 */
export const hiddenPlaceholder = (name: string, type: "bigint" | "date") =>
  sql`(select ${sql.placeholder(name)}::${sql.raw(type)})`;

/** True if a column has one of some values, which the planner does not see either: all share one plan. */
export function isOneOfHidden(column: Column, values: readonly string[] | Placeholder): SQL {
  const array = sql.raw(`${column.getSQLType()}[]`);
  return sql`${column} = any((select ${sql.param(values)}::${array})::${array})`;
}

function shareRows(query: PreparedQuery) {
  const execute = query.execute.bind(query);
  const shared = new Shared(execute);
  query.execute = (given = {}) => {
    const turn = shared.do(JSON.stringify(given), given);
    return turn.asked === given ? turn.done : turn.done.catch(() => execute(given));
  };
}

type Field = Column | SQL | SQL.Aliased | Subquery;

/** The parts of Drizzle's prepared query that are used here. `customResultMapper` makes rows of lists of values. */
type PreparedQuery = {
  queryString: string;
  params: unknown[];
  fields?: { path: string[]; field: Field }[];
  joinsNotNullableMap?: Record<string, boolean>;
  customResultMapper?: (rows: unknown[][]) => object[];
  execute(values?: object): Promise<object[]>;
};

/** A query that was asked for and is not answered yet. Its answer has a list of values for each row. */
type Pending = {
  key: string;
  query: PreparedQuery;
  params: unknown[];
  isPersonal: boolean;
  answer: (rows: unknown[][]) => void;
  refuse: (reason: unknown) => void;
  alone: () => Promise<unknown[][]>;
};

/**
 * Sends all queries that a call asks for before it waits as one statement, if the call holds a connection: each
 * statement costs server and database more than most queries do.
 */
function askTogether(db: Database | Transaction, key: string, query: PreparedQuery, isPersonal: boolean) {
  const { customResultMapper: makeRows } = query;
  // Queries that need Drizzle to make rows of their values, or that have bytes, are sent by themselves.
  if (!makeRows || query.fields?.some(({ field }) => isBytes(field))) return;
  const execute = query.execute.bind(query);
  const forValues: PreparedQuery = Object.create(query, { customResultMapper: { value: (rows: unknown) => rows } });
  const executeForValues = query.execute.bind(forValues) as unknown as (given: object) => Promise<unknown[][]>;
  query.execute = async (given = {}) => {
    const unsent = unsentOn(db) as Pending[] | undefined;
    if (!unsent) return execute(given);
    const values = await new Promise<unknown[][]>((answer, refuse) => {
      const params = fillPlaceholders(query.params, given as Record<string, unknown>);
      const alone = () => executeForValues(given);
      unsent.push({ key, query, params, isPersonal, answer, refuse, alone });
      if (unsent.length === 1) process.nextTick(() => send(db, unsent.splice(0)));
    });
    return makeRows(values);
  };
}

const isBytes = (field: Field) => is(field, Column) && field.getSQLType() === "bytea";

/** Everything that a call asks for at one moment. */
type Question = { asked: Pending[]; text: string };

const questions = new WeakMap<Database | Transaction, Shared<Question, unknown[][][]>>();

/**
 * Shares answers between calls, since panels with live updates all ask the same at the same moment (decision 72). Calls
 * that ask while the same question is being answered share the next answer. The first of them asks for it together with
 * its personal queries; the others send theirs apart. A single query that is not personal is not worth sharing.
 */
function send(db: Database | Transaction, asked: Pending[]) {
  const common = asked.filter(isCommon);
  if (common.length === 1) return tell(asked, valuesOf(db, asked));
  const shared = questions.get(db) ?? new Shared(({ asked }) => valuesOf(db, asked));
  questions.set(db, shared);
  const text = textOf(asked);
  const turn = shared.do(common.length > 0 ? textOf(common) : text, { asked, text });
  const { asked: first, text: firstText } = turn.asked;
  if (first === asked) return tell(asked, turn.done);
  // The first caller's connection may be what failed, so each of the others asks again.
  const share = (some: Pending[], found: Promise<unknown[][][]>) =>
    tell(
      some,
      found.catch(() => valuesOf(db, some)),
    );
  if (firstText === text) return share(asked, turn.done);
  const personal = asked.filter(({ isPersonal }) => isPersonal);
  if (personal.length > 0) tell(personal, valuesOf(db, personal));
  share(
    common,
    turn.done.then((values) => values.filter((_, place) => isCommon(first[place] as Pending))),
  );
}

const isCommon = ({ isPersonal }: Pending) => !isPersonal;
const textOf = (asked: Pending[]) => JSON.stringify(asked.map(({ key, params }) => [key, params]));

/** The rows of each query, as lists of values. */
async function valuesOf(db: Database | Transaction, asked: Pending[]): Promise<unknown[][][]> {
  const [first, ...others] = asked as [Pending, ...Pending[]];
  if (others.length === 0) return [await first.alone()];
  const whole = keptFor(db, asked.map(({ key }) => key).join(" & "), () => combined(db, asked));
  const params = asked.flatMap(({ params }) => params);
  const [answers] = (await whole.execute({ ...params })) as unknown as [unknown[][][]];
  return answers;
}

function tell(asked: Pending[], found: Promise<unknown[][][]>) {
  found.then(
    (values) => {
      for (const [place, { answer }] of asked.entries()) answer(values[place] ?? []);
    },
    (error) => {
      for (const { refuse } of asked) refuse(error);
    },
  );
}

/** One statement with a column for each query: its rows as JSON, each a list of values. */
function combined(db: Database | Transaction, asked: Pending[]): PreparedQuery {
  let filled = 0;
  const columns = asked.map(({ query: { queryString, fields = [] } }, place) => {
    const text = queryString.split(/\$\d+/).map((piece) => sql.raw(piece));
    const filledIn = text.flatMap((piece, at) => (at === 0 ? piece : [sql.placeholder(String(filled++)), piece]));
    const values = sql.raw(fields.map((_, number) => `v${number}`).join());
    return [
      `part${place}`,
      sql`(select coalesce(json_agg(json_build_array(${values})), '[]') from (${sql.join(filledIn)}) as part(${values}))`,
    ] as const;
  });
  const whole = db
    .select(Object.fromEntries(columns))
    .from(sql`(values (1)) as one`)
    .prepare("") as unknown as PreparedQuery & { queryConfig: { comesAgain?: boolean } };
  whole.customResultMapper = (rows) => rows;
  whole.queryConfig.comesAgain = true;
  return whole;
}

/**
 * Makes rows by a list of columns that is worked out once. Drizzle looks it up for each value, which takes as long as
 * everything else that is done with an answer.
 */
function mapQuickly(query: PreparedQuery) {
  const { fields, customResultMapper } = query;
  if (!fields || customResultMapper || fields.some(({ path }) => path.length > 2)) return;
  const missing = partsThatMayBeMissing(query);
  const columns = fields.map(({ path, field }) => {
    const decoder = decoderOf(field);
    const isPlain = decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue;
    return { part: path.length === 2 ? path[0] : undefined, name: path.at(-1) as string, decoder, isPlain };
  });
  query.customResultMapper = (rows) =>
    rows.map((values) => {
      const row: Record<string, unknown> = {};
      for (let index = 0; index < columns.length; index++) {
        const { part, name, decoder, isPlain } = columns[index] as (typeof columns)[number];
        const value = values[index];
        if (part !== undefined) row[part] ??= {};
        const target = part === undefined ? row : (row[part] as Record<string, unknown>);
        target[name] = value === null || isPlain ? value : decoder.mapFromDriverValue(value);
      }
      for (const { part, first } of missing) if (values[first] === null) row[part] = null;
      return row;
    });
}

/** The parts of a row that are null if a join found nothing, each with its first column. By Drizzle's own rules. */
function partsThatMayBeMissing({ fields = [], joinsNotNullableMap: joins }: PreparedQuery) {
  const tables = new Map<string, { names: Set<string>; first: number }>();
  for (const [place, { path, field }] of fields.entries()) {
    if (path.length !== 2 || !is(field, Column)) continue;
    const part = tables.get(path[0] as string) ?? { names: new Set(), first: place };
    part.names.add(getTableName(field.table));
    tables.set(path[0] as string, part);
  }
  return [...tables].flatMap(([part, { names, first }]) => {
    const [name, ...others] = names;
    return joins && name && others.length === 0 && !joins[name] ? { part, first } : [];
  });
}

type Decoder = { mapFromDriverValue(value: unknown): unknown };

function decoderOf(field: Field): Decoder {
  if (is(field, Column)) return field;
  const expression = is(field, SQL) ? field : is(field, Subquery) ? field._.sql : field.sql;
  return (expression as unknown as { decoder: Decoder }).decoder;
}
