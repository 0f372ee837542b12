import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { callApi } from "./api.ts";
import { longestPage } from "./chosen.ts";
import { keyOf } from "./queries.ts";

type Row = { _id: string };

/**
 * The current state of rows that may have moved to another page or left the list: those are read by their ids, whenever
 * the list is. Undefined for a row that the list no longer has.
 */
export function useCurrentRows<E extends Endpoint, T extends Row>(
  endpoint: E,
  /** Such as whose list it is. */
  params: object,
  rowsOf: (reply: Reply<E>) => readonly T[],
  onPage: readonly T[],
  kept: readonly T[],
): (row: T) => T | undefined {
  const listed = new Map(onPage.map((row) => [row._id, row]));
  const ids = [...new Set(kept.flatMap(({ _id }) => (listed.has(_id) ? [] : _id)))];
  const { data } = useQuery({
    queryKey: keyOf(endpoint, { ...params, query: { ids: ids.join() } } as unknown as Input<E>),
    async queryFn({ signal }) {
      const found: T[] = [];
      for (let from = 0; from < ids.length; from += longestPage) {
        const query = { ids: ids.slice(from, from + longestPage).join() };
        found.push(...rowsOf(await callApi(endpoint, { ...params, query } as unknown as Input<E>, { signal })));
      }
      return found;
    },
    enabled: ids.length > 0,
    gcTime: 0,
  });

  // The last known state is shown until the answer comes.
  const known = useRef<ReadonlyMap<string, T | undefined>>(new Map());
  const read = data && new Map(data.map((row) => [row._id, row]));
  const current = (row: T) =>
    listed.get(row._id) ?? (read ? read.get(row._id) : known.current.has(row._id) ? known.current.get(row._id) : row);
  known.current = new Map(kept.map((row) => [row._id, current(row)]));
  return (row) => known.current.get(row._id);
}
