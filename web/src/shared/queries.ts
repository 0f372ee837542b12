import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import {
  hashKey,
  notifyManager,
  QueryCache,
  QueryClient,
  type UseMutationOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError, type CallOptions, callApi } from "./api.ts";

// At once, not with the next timer: a button must know that its call is under way before a second click.
notifyManager.setScheduler(queueMicrotask);

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
  options: { enabled?: boolean; retry?: false; gcTime?: number } = {},
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

type Call<E extends Endpoint> = { input: Input<E>; options?: CallOptions | undefined };

/** Changes something, then fetches again what that made stale, also when it failed: a 409 means that it is stale. */
export function useApiMutation<E extends Endpoint>(
  endpoint: E,
  {
    refreshes,
    ...told
  }: { refreshes: readonly Endpoint[] } & Pick<
    UseMutationOptions<Reply<E>, ApiError, Call<E>>,
    "onSuccess" | "onError"
  >,
) {
  const client = useQueryClient();
  const { mutate, mutateAsync, isPending, isSuccess, data } = useMutation<Reply<E>, ApiError, Call<E>>({
    mutationFn: ({ input, options }) => callApi(endpoint, input, options),
    onSettled: () => {
      for (const stale of refreshes) void client.invalidateQueries({ queryKey: [stale.path] });
    },
    ...told,
  });
  return {
    /** Makes the call; rejects with ApiError. */
    send: (input: Input<E>, options?: CallOptions) => mutateAsync({ input, options }),
    /** The same for who does not wait: `onSuccess` and `onError` say how it went. */
    start: (input: Input<E>) => mutate({ input }),
    isPending,
    isSuccess,
    data,
  };
}
