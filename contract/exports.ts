import * as z from "zod";
import type { Endpoint } from "./endpoint.ts";
import { download } from "./schemas.ts";

/** The call that answers all rows of a list, not one page of them, as CSV. */
export function exportOf<const L extends Endpoint & { query: z.ZodObject }>(list: L) {
  const { page, limit, ...query } = list.query.shape as L["query"]["shape"];
  return {
    method: "GET",
    path: `${list.path}/export` as `/${string}`,
    access: "admin",
    summary: `${list.summary}: all of them, as CSV`,
    ...((list.params && { params: list.params }) as Pick<L, "params" & keyof L>),
    query: z.object(query as Omit<L["query"]["shape"], "page" | "limit">),
    reply: download,
  } as const;
}
