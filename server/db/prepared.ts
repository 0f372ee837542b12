import type { Database, Transaction } from "./database.ts";

const built = new WeakMap<Database | Transaction, Map<string, unknown>>();
const mostQueries = 1_000;

/**
 * A query that is built at its first use and from then on only filled in: building it costs more than many an answer.
 * `build` ends in `.prepare("")`; the database's own prepared statements are named where they are sent.
 */
export function prepared<Q>(db: Database | Transaction, key: string, build: () => Q): Q {
  const queries = built.get(db) ?? new Map<string, unknown>();
  built.set(db, queries);
  const known = queries.get(key) as Q | undefined;
  if (known) return known;
  const query = build();
  if (queries.size < mostQueries) queries.set(key, query);
  return query;
}
