import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import {
  hashKey,
  notifyManager,
  QueryCache,
  QueryClient,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError, callApi } from "./api.ts";
import { fetchedForOthers } from "./liveEvents.ts";
import { notify, notifyError } from "./notify.ts";

// Without a timer, so that a button is disabled before a second click can arrive.
notifyManager.setScheduler(queueMicrotask);

export const queryClient: QueryClient = new QueryClient({
  // The screen shows the failure too, instead of rows or figures; a session that has ended leaves the page.
  queryCache: new QueryCache({
    onError: (error) => (error instanceof ApiError && error.status === 401) || console.error(error),
  }),
  defaultOptions: {
    // Offline, a call must fail visibly instead of waiting. After every change everything on the screen is fetched
    // again; after a failed one too, since a 409 says that the page is stale.
    mutations: {
      networkMode: "always",
      onSettled: () => {
        // One's own change is shown, even if rows move.
        fetchedForOthers.clear();
        void fetchAllAgain();
      },
    },
    queries: {
      networkMode: "always",
      // What others did while the tab was hidden must not move what somebody reads.
      refetchOnWindowFocus({ queryHash }) {
        fetchedForOthers.add(queryHash);
        return true;
      },
      // The server would refuse again; other failures may be temporary.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});

async function fetchAllAgain() {
  // A first fetch was made before the change, and its old answer would be shown.
  await queryClient.cancelQueries({ predicate: ({ state }) => state.data === undefined });
  await queryClient.invalidateQueries();
}

export const keyOf = <E extends Endpoint>(endpoint: E, input: Input<E>) => [endpoint.path, input] as const;

/** Pages fetched in advance; if opened within half a minute, they are not fetched again. */
const prefetched = new Set<string>();
const prefetchedMs = 30_000;

/** Reads from the API. While another page or search of a list loads, the old rows stay (isPlaceholderData). */
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
    staleTime: ({ queryHash }) => (prefetched.has(queryHash) ? prefetchedMs : 0),
    ...options,
  });
  const shown = query.isPlaceholderData ? undefined : query.data;
  const hash = hashKey(keyOf(endpoint, input));
  useEffect(() => {
    if (shown) prefetched.delete(hash);
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
    prefetched.add(hashKey(queryKey));
    void client.prefetchQuery({
      queryKey,
      queryFn: ({ signal }) => callApi(endpoint, nextInput, { signal }),
      staleTime: prefetchedMs,
    });
  }, [client, endpoint, next]);
}

/** For a change without a form: a toast shows its answer or failure. */
export const useToastedCall = <V = void, R extends { message: string } = { message: string }>(
  call: (values: V) => Promise<R>,
) =>
  useMutation<R, Error, V>({
    mutationFn: call,
    onSuccess: ({ message }) => notify("success", message),
    // A conflict is shown by the form that met it.
    onError: (error) => (error instanceof ApiError && error.conflict) || notifyError(error),
  });
