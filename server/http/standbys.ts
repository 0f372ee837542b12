import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { queues } from "@footprint/contract/queues.ts";
import { download } from "@footprint/contract/schemas.ts";
import { search } from "@footprint/contract/search.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { summaries } from "@footprint/contract/summaries.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import type { FastifyRequest } from "fastify";
import type { Database } from "../db/database.ts";
import { standbysOf } from "../db/engine.ts";

/** Figures and searches. Lists and exports are recognised by their schemas. */
const figures = new Set<Endpoint>([
  ...Object.values(dashboard),
  ...[search.find, queues.read, tracking.stats, tracking.runway, fedex.stats, summaries.list],
]);

/** Sessions and sign-ins are read where they change, on the primary. */
const kept = new Set<Endpoint>([...Object.values(session), staff.signIns]);

const isList = ({ method, query }: Endpoint) => method === "GET" && query !== undefined && "page" in query.shape;
const isExport = ({ path, reply }: Endpoint) => reply === download && path.endsWith("/export");

/**
 * Calls that read much and change nothing, so that a standby may answer them. Single rows, for instance before an edit,
 * come from the primary.
 */
export const mayReadFromStandby = (call: Endpoint) =>
  !kept.has(call) && (figures.has(call) || isList(call) || isExport(call));

/** Those of them that only read rows, at once and without a search: one connection is enough. */
export function isPlainRead(call: Endpoint, request: FastifyRequest): boolean {
  const { search, q } = request.query as { search?: string; q?: string };
  if (search || q || call.access === "storefront" || call.takesLong) return false;
  return call.method === "GET" && mayReadFromStandby(call) && !isExport(call);
}

const isRefusal = (error: unknown) =>
  !("code" in Object(error)) && Boolean((error as { statusCode?: number }).statusCode);

/** Answers a call from a standby, if one is as far as the primary. */
export function readFromStandby<T>(db: Database, call: Endpoint, answer: (db: Database) => Promise<T>): Promise<T> {
  const standbys = standbysOf.get(db);
  return standbys && mayReadFromStandby(call) ? standbys.read(answer, isRefusal) : answer(db);
}
