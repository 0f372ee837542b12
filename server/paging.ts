import type { listQuery } from "@footprint/contract/endpoint.ts";
import { type AnyColumn, asc, desc, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgSelect, PgTable } from "drizzle-orm/pg-core";
import type * as z from "zod";
import type { Database } from "./db/engine.ts";
import { customers } from "./db/schema.ts";
import { countOf } from "./stats.ts";

type Listed = PgTable & { id: PgColumn; createdAt: PgColumn };
type ListQuery = z.output<typeof listQuery>;

/** The rows of one page, newest or oldest first; the id breaks ties, so that no row is shown twice or never. */
export function onPage<Q extends PgSelect>(select: Q, table: Listed, query: ListQuery, where: SQL | undefined) {
  const direction = query.sort === "asc" ? asc : desc;
  return select
    .where(where)
    .orderBy(direction(table.createdAt), direction(table.id))
    .limit(query.limit)
    .offset((query.page - 1) * query.limit);
}

/** Beyond this many hits of a search nobody counts on. */
const mostHits = 10_000;

/** What a list answers beside its rows: from the counters, or, for a search, by counting its hits. */
export async function pageCounts(
  db: Database,
  query: ListQuery,
  all: { subject: string; kind?: string | undefined },
  hits: { table: PgTable; where: SQL | undefined },
) {
  if (query.search === "") return pages(await countOf(db, all.subject, all.kind), query.limit);
  const found = db
    .select({ hit: sql`1` })
    .from(hits.table)
    .where(hits.where)
    .limit(mostHits + 1)
    .as("found");
  const total = await db.$count(found);
  return { ...pages(Math.min(total, mostHits), query.limit), totalCapped: total > mostHits };
}

export function pages(total: number, limit: number) {
  return { total, totalPages: Math.max(1, Math.ceil(total / limit)) };
}

/** True for rows whose text contains what was typed, in any case; `%` and `_` are ordinary characters. */
export function contains(lowerCase: AnyColumn | SQL, typed: string): SQL {
  const pattern = `%${typed.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  return sql`${lowerCase} like ${pattern}`;
}

/** True for rows of customers found by one of the customers' own fields. */
export function ofCustomersWith(db: Database, customerId: PgColumn, field: AnyColumn, typed: string): SQL {
  const found = db
    .select({ id: customers.id })
    .from(customers)
    .where(contains(sql`lower(${field})`, typed));
  return inArray(customerId, found);
}
