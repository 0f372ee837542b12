import * as z from "zod";
import type { Endpoint } from "./endpoint.ts";
import { chosenIds, download } from "./schemas.ts";

type ListCall = Endpoint & { query: z.ZodObject };

/** The call that returns all rows of a list as CSV, instead of one page. */
export const exportOf = <const L extends ListCall>(list: L) =>
  ({ method: "GET", summary: `${list.summary}: all of them, as CSV`, ...rowsOf(list) }) as const;

/** The same for chosen rows only. Their ids are in the body, because an address could not hold them all. */
export const exportChosenOf = <const L extends ListCall>(list: L) =>
  ({
    method: "POST",
    summary: `${list.summary}: chosen ones, as CSV`,
    ...rowsOf(list),
    body: z.object({ ids: chosenIds }),
    maxBytes: 64 * 1024,
  }) as const;

function rowsOf<const L extends ListCall>(list: L) {
  const { ids, page, limit, ...query } = list.query.shape as L["query"]["shape"];
  return {
    path: `${list.path}/export` as `/${string}`,
    access: "admin",
    ...((list.params && { params: list.params }) as Pick<L, "params" & keyof L>),
    query: z.object(query as Omit<L["query"]["shape"], "ids" | "page" | "limit">),
    reply: download,
  } as const;
}
