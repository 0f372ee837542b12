import { Column, fillPlaceholders, getTableName, is, type Placeholder, SQL, Subquery, sql } from "drizzle-orm";
import type { Database, Transaction } from "./database.ts";
import { askedOn } from "./one-connection.ts";
import { Shared } from "./shared.ts";
import { Recent } from "./statements.ts";

const built = new WeakMap<Database | Transaction, Recent<unknown>>();
/** What was not asked for the longest is built again. */
const mostQueries = 1_000;

/**
 * A query that is built at its first use and from then on only filled in: building it costs more than many an answer.
 * `build` ends in `.prepare("")`; the database's own prepared statements are named where they are sent. A `long` one is
 * asked by itself, and its rows are shared by all who ask at the same moment: they are not to be changed. The answer to a
 * `personal` one is for nobody but the caller.
 */
export const prepared = <Q>(
  db: Database | Transaction,
  key: string,
  build: () => Q,
  how?: "long" | "personal" | false,
): Q =>
  keptFor(db, key, () => {
    const query = build();
    mapQuickly(query as Selected);
    if (how === "long") shareRows(query as Selected);
    else askTogether(db, key, query as Selected, how === "personal");
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

/** A number as a part of the text: a statement's plan is made for so many rows, not for any number. */
export const exactly = (amount: number) => sql.raw(String(amount));

/**
 * A value that is not looked at when a statement is planned. Where it is, PostgreSQL may find that one plan for all values
 * would be dearer than one for this, and plan again at every call, which takes longer than the rest.
 */
export const unforeseen = (name: string, type: "bigint" | "date") =>
  sql`(select ${sql.placeholder(name)}::${sql.raw(type)})`;

/** True where a column has one of some values that are not looked at either: one plan does for all of them. */
export function isOneUnforeseen(column: Column, values: readonly string[] | Placeholder): SQL {
  const array = sql.raw(`${column.getSQLType()}[]`);
  return sql`${column} = any((select ${sql.param(values)}::${array})::${array})`;
}

function shareRows(query: Selected) {
  const execute = query.execute.bind(query);
  const shared = new Shared(execute);
  query.execute = (given = {}) => {
    const turn = shared.do(JSON.stringify(given), given);
    return turn.asked === given ? turn.done : turn.done.catch(() => execute(given));
  };
}

type Field = Column | SQL | SQL.Aliased | Subquery;

/** What a query keeps of itself and of the columns that it selects, and what makes rows of their values. */
type Selected = {
  queryString: string;
  params: unknown[];
  fields?: { path: string[]; field: Field }[];
  joinsNotNullableMap?: Record<string, boolean>;
  customResultMapper?: (rows: unknown[][]) => object[];
  execute(values?: object): Promise<object[]>;
};

/** A query that was asked, and what its answer is given to: a list of values for each row. */
type Asked = {
  key: string;
  query: Selected;
  params: unknown[];
  isPersonal: boolean;
  answer: (rows: unknown[][]) => void;
  refuse: (reason: unknown) => void;
  alone: () => Promise<unknown[][]>;
};

/**
 * What a call that holds a connection asks for before it waits leaves as one statement: each costs server and database
 * more than most of what is asked.
 */
function askTogether(db: Database | Transaction, key: string, query: Selected, isPersonal: boolean) {
  const { customResultMapper: makeRows } = query;
  // An answer that only the query itself can make rows of is asked for by itself.
  if (!makeRows || query.fields?.some(({ field }) => isBytes(field))) return;
  const execute = query.execute.bind(query);
  const forValues: Selected = Object.create(query, { customResultMapper: { value: (rows: unknown) => rows } });
  const executeForValues = query.execute.bind(forValues) as unknown as (given: object) => Promise<unknown[][]>;
  query.execute = async (given = {}) => {
    const asked = askedOn(db) as Asked[] | undefined;
    if (!asked) return execute(given);
    const values = await new Promise<unknown[][]>((answer, refuse) => {
      const params = fillPlaceholders(query.params, given as Record<string, unknown>);
      const alone = () => executeForValues(given);
      asked.push({ key, query, params, isPersonal, answer, refuse, alone });
      if (asked.length === 1) process.nextTick(() => send(db, asked.splice(0)));
    });
    return makeRows(values);
  };
}

const isBytes = (field: Field) => is(field, Column) && field.getSQLType() === "bytea";

/** All that a call asks for at one moment. */
type Question = { asked: Asked[]; text: string };

const questions = new WeakMap<Database | Transaction, Shared<Question, unknown[][][]>>();

/**
 * Panels that follow what happens all ask the same at the same moment: who asks what others are just being told shares
 * the next answer with all who do. The first of them asks for it together with what is about them alone, which the
 * others ask by themselves. One query with who calls is not worth that.
 */
function send(db: Database | Transaction, asked: Asked[]) {
  const common = asked.filter(isCommon);
  if (common.length === 1) return tell(asked, valuesOf(db, asked));
  const shared = questions.get(db) ?? new Shared(({ asked }) => valuesOf(db, asked));
  questions.set(db, shared);
  const text = textOf(asked);
  const turn = shared.do(common.length > 0 ? textOf(common) : text, { asked, text });
  const { asked: first, text: firstText } = turn.asked;
  if (first === asked) return tell(asked, turn.done);
  // On whose connection it failed is no matter of the others: each of them asks again.
  const share = (some: Asked[], found: Promise<unknown[][][]>) =>
    tell(
      some,
      found.catch(() => valuesOf(db, some)),
    );
  if (firstText === text) return share(asked, turn.done);
  const personal = asked.filter(({ isPersonal }) => isPersonal);
  if (personal.length > 0) tell(personal, valuesOf(db, personal));
  share(
    common,
    turn.done.then((values) => values.filter((_, place) => isCommon(first[place] as Asked))),
  );
}

const isCommon = ({ isPersonal }: Asked) => !isPersonal;
const textOf = (asked: Asked[]) => JSON.stringify(asked.map(({ key, params }) => [key, params]));

/** What each query found. */
async function valuesOf(db: Database | Transaction, asked: Asked[]): Promise<unknown[][][]> {
  const [first, ...others] = asked as [Asked, ...Asked[]];
  if (others.length === 0) return [await first.alone()];
  const whole = keptFor(db, asked.map(({ key }) => key).join(" & "), () => wholeOf(db, asked));
  const params = asked.flatMap(({ params }) => params);
  const [answers] = (await whole.execute({ ...params })) as unknown as [unknown[][][]];
  return answers;
}

function tell(asked: Asked[], found: Promise<unknown[][][]>) {
  found.then(
    (values) => {
      for (const [place, { answer }] of asked.entries()) answer(values[place] ?? []);
    },
    (error) => {
      for (const { refuse } of asked) refuse(error);
    },
  );
}

/** One statement that answers with a column for each query: a list of rows, each of them a list of values. */
function wholeOf(db: Database | Transaction, asked: Asked[]): Selected {
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
    .prepare("") as unknown as Selected & { queryConfig: { comesAgain?: boolean } };
  whole.customResultMapper = (rows) => rows;
  whole.queryConfig.comesAgain = true;
  return whole;
}

/**
 * Makes rows with what can be known of their columns beforehand; looked up for every value, that takes as long as all
 * else that is done with an answer.
 */
function mapQuickly(query: Selected) {
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

/** Parts of a row that a join may not have found, each with its first column: as Drizzle knows them. */
function partsThatMayBeMissing({ fields = [], joinsNotNullableMap: joins }: Selected) {
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
