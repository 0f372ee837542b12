import { Column, getTableName, is, SQL, Subquery } from "drizzle-orm";
import type { Database, Transaction } from "./database.ts";

const built = new WeakMap<Database | Transaction, Map<string, unknown>>();
/** What was not asked for the longest is built again. */
const mostQueries = 1_000;

/**
 * A query that is built at its first use and from then on only filled in: building it costs more than many an answer.
 * `build` ends in `.prepare("")`; the database's own prepared statements are named where they are sent.
 */
export function prepared<Q>(db: Database | Transaction, key: string, build: () => Q): Q {
  const queries = built.get(db) ?? new Map<string, unknown>();
  built.set(db, queries);
  let query = queries.get(key) as Q | undefined;
  if (query) queries.delete(key);
  else {
    query = build();
    mapQuickly(query as Selected);
  }
  queries.set(key, query);
  const [oldest = key] = queries.keys();
  if (queries.size > mostQueries) queries.delete(oldest);
  return query;
}

type Field = Column | SQL | SQL.Aliased | Subquery;

/** What a query keeps of the columns that it selects, and what makes rows of their values. */
type Selected = {
  fields?: { path: string[]; field: Field }[];
  joinsNotNullableMap?: Record<string, boolean>;
  customResultMapper?: (rows: unknown[][]) => object[];
};

/**
 * Makes rows with what can be known of their columns beforehand; looked up for every value, that takes as long as all
 * else that is done with an answer. Where a join may find nothing, it is left to the query itself.
 */
function mapQuickly(query: Selected) {
  const { fields, joinsNotNullableMap: joins, customResultMapper } = query;
  const mayBeMissing = ({ path, field }: { path: string[]; field: Field }) =>
    path.length > 2 || (path.length === 2 && is(field, Column) && joins && !joins[getTableName(field.table)]);
  if (!fields || customResultMapper || fields.some(mayBeMissing)) return;
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
      return row;
    });
}

type Decoder = { mapFromDriverValue(value: unknown): unknown };

function decoderOf(field: Field): Decoder {
  if (is(field, Column)) return field;
  const expression = is(field, SQL) ? field : is(field, Subquery) ? field._.sql : field.sql;
  return (expression as unknown as { decoder: Decoder }).decoder;
}
