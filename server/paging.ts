import { type AnyColumn, or, type SQL, sql } from "drizzle-orm";

/** True for rows in which any of the columns contains the text; `%` and `_` are ordinary characters. */
export function contains(columns: AnyColumn[], text: string): SQL | undefined {
  if (text === "") return undefined;
  const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  return or(...columns.map((column) => sql`${column} ilike ${pattern}`));
}

/** What a list answers beside its rows. */
export function counts(total: number, limit: number) {
  return { total, totalPages: Math.max(1, Math.ceil(total / limit)) };
}
