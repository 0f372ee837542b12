import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import {
  hashKey,
  notifyManager,
  type Query,
  QueryCache,
  QueryClient,
  type QueryKey,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ApiError, callApi } from "./api.ts";
import { fetchedForOthers } from "./liveEvents.ts";
import { notify, notifyError } from "./notify.ts";

// Without a timer, so that a button is disabled before a second click can arrive.
notifyManager.setScheduler(queueMicrotask);

/** How often a query had failed when it last succeeded. */
const forgiven = new WeakMap<object, number>();

export const queryClient: QueryClient = new QueryClient({
  // The screen shows the failure too, instead of rows or figures; a session that has ended leaves the page.
  queryCache: new QueryCache({
    onError: (error) => (error instanceof ApiError && error.status === 401) || console.error(error),
    onSuccess: (_, query) => void forgiven.set(query, query.state.errorUpdateCount),
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
      retry: (failures, error) => failures < 2 && mayPass(error),
      refetchInterval: (query) => query.state.status === "error" && mayPass(query.state.error) && pauseAfter(query),
      // Back online.
      refetchOnReconnect: ({ state }) => state.status === "error",
    },
  },
});

/** The server would refuse again; other failures may be temporary. */
const mayPass = (error: unknown) => !(error instanceof ApiError && error.status >= 400 && error.status < 500);

/**
 * What failed is fetched again by itself, less and less often, up to once a minute. The millisecond of the failure makes
 * the pauses differ, so that not all panels ask at once when the server is back.
 */
function pauseAfter(query: Pick<Query, "state">) {
  const { errorUpdateCount, errorUpdatedAt } = query.state;
  const failures = errorUpdateCount - (forgiven.get(query) ?? 0);
  return Math.min(10_000 * 2 ** (failures - 1), 60_000) * (0.5 + (errorUpdatedAt % 1_000) / 1_000);
}

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
    queryFn({ signal, queryKey }) {
      const call = () => callApi(endpoint, input, { signal });
      return untilLeft(queryKey)?.then(call) ?? call();
    },
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
  // While it is tried again, what failed is still shown as failed.
  const failure = useRef<{ of: string; error: ApiError }>(undefined);
  const isTriedAgain = query.isPending && query.errorUpdateCount > 0;
  if (!isTriedAgain) failure.current = query.error ? { of: hash, error: query.error } : undefined;
  if (!isTriedAgain || failure.current?.of !== hash) return query;
  const { error } = failure.current;
  const failed: object = { status: "error", error, isError: true, isPending: false, isLoading: false };
  return { ...query, ...failed };
}

/** What is being removed from here, by its id, and when its screen will have been left. */
const removals = new Map<string, Promise<void>>();

const isAbout = (id: string, queryKey: QueryKey) => hashKey(queryKey).includes(id);
const untilLeft = (queryKey: QueryKey) => [...removals].find(([id]) => isAbout(id, queryKey))?.[1];

/**
 * Makes the call that removes what a screen shows. Until the screen is left nothing about it is fetched again, or the
 * screen would say for a moment that it does not exist.
 */
export function useRemoval(id: string) {
  const end = useRef(() => {});
  useEffect(() => () => end.current(), []);
  return async <R>(call: () => Promise<R>): Promise<R> => {
    const left = new Promise<void>((resolve) => {
      end.current = () => removals.delete(id) && resolve();
    });
    removals.set(id, left);
    await queryClient.cancelQueries({ predicate: ({ queryKey }) => isAbout(id, queryKey) });
    return call().catch((error) => {
      end.current();
      throw error;
    });
  };
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
