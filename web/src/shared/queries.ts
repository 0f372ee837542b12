import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import {
  hashKey,
  QueryCache,
  QueryClient,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError, type CallOptions, callApi } from "./api.ts";

export const queryClient = new QueryClient({
  // The screen says it too, where the rows or figures would stand.
  queryCache: new QueryCache({ onError: (error) => console.error(error) }),
  defaultOptions: {
    // Offline, a call is to fail and say so, not to wait in silence.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      // A refusal stays a refusal; only what may pass is tried again.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});

const keyOf = <E extends Endpoint>(endpoint: E, input: Input<E>) => [endpoint.path, input] as const;

/** Pages that were fetched ahead and not opened yet: for half a minute, opening one does not fetch it again. */
const ahead = new Set<string>();
const aheadMs = 30_000;

/** Reads from the API. While another page or search of the same list loads, the rows at hand stay (isPlaceholderData). */
export function useApiQuery<E extends Endpoint>(
  endpoint: E,
  input: Input<E>,
  options: { enabled?: boolean; refetchInterval?: number } = {},
): UseQueryResult<Reply<E>, ApiError> {
  const query = useQuery<Reply<E>, ApiError>({
    queryKey: keyOf(endpoint, input),
    queryFn: ({ signal }) => callApi(endpoint, input, { signal }),
    placeholderData: (previous, previousQuery) =>
      previousQuery && sameParams(previousQuery.queryKey[1], input) ? previous : undefined,
    staleTime: ({ queryHash }) => (ahead.has(queryHash) ? aheadMs : 0),
    ...options,
  });
  const shown = query.isPlaceholderData ? undefined : query.data;
  const hash = hashKey(keyOf(endpoint, input));
  useEffect(() => {
    if (shown) ahead.delete(hash);
  }, [shown, hash]);
  usePrefetchedNextPage(endpoint, input, shown);
  return query;
}

const sameParams = (one: unknown, other: unknown) =>
  JSON.stringify((one as { params?: unknown }).params) === JSON.stringify((other as { params?: unknown }).params);

function usePrefetchedNextPage<E extends Endpoint>(endpoint: E, input: Input<E>, reply: Reply<E> | undefined): void {
  const client = useQueryClient();
  const query = (input as { query?: { page?: unknown } }).query;
  const totalPages = (reply as { totalPages?: number } | undefined)?.totalPages ?? 0;
  const hasNext = typeof query?.page === "number" && query.page < totalPages;
  const next = hasNext
    ? JSON.stringify({ ...(input as object), query: { ...query, page: Number(query.page) + 1 } })
    : "";
  useEffect(() => {
    if (!next) return;
    const nextInput: Input<E> = JSON.parse(next);
    const queryKey = keyOf(endpoint, nextInput);
    ahead.add(hashKey(queryKey));
    void client.prefetchQuery({
      queryKey,
      queryFn: ({ signal }) => callApi(endpoint, nextInput, { signal }),
      staleTime: aheadMs,
    });
  }, [client, endpoint, next]);
}

export type ApiMutation<E extends Endpoint> = {
  /** Makes the call; rejects with ApiError. Resolves when what it made stale is on its way. */
  send: (input: Input<E>, options?: CallOptions) => Promise<Reply<E>>;
  /** The input of the call that is under way, to mark the row it belongs to. */
  sending: Input<E> | undefined;
};

/** Changes something, then refreshes the calls whose answers it made stale, also when it failed: 409 means they are. */
export function useApiMutation<E extends Endpoint>(
  endpoint: E,
  { refreshes }: { refreshes: readonly Endpoint[] },
): ApiMutation<E> {
  const client = useQueryClient();
  const { mutateAsync, isPending, variables } = useMutation<
    Reply<E>,
    ApiError,
    { input: Input<E>; options: CallOptions | undefined }
  >({
    mutationFn: ({ input, options }) => callApi(endpoint, input, options),
    onSettled: () => {
      for (const stale of refreshes) void client.invalidateQueries({ queryKey: [stale.path] });
    },
  });
  return {
    send: (input, options) => mutateAsync({ input, options }),
    sending: isPending ? variables?.input : undefined,
  };
}
