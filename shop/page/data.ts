import { keepPreviousData, type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Answers } from "../server/calls.ts";
import type { Topic } from "../server/live.ts";
import { ask } from "./ask.ts";
import { useCustomer } from "./useCustomer.ts";

/** All data of a customer is cached under a topic, by which the server says that it is stale. */
const read = <K extends keyof Answers>(topic: Topic, call: K, sent: Parameters<typeof ask>[1] = {}) => ({
  queryKey: [topic, call, sent] as QueryKey,
  queryFn: () => ask(call, sent) as Promise<Answers[K]>,
});

/** Data read for one customer is never shown to the next one who signs in. */
const useOwn = <Q extends { queryKey: QueryKey }>(query: Q): Q => ({
  ...query,
  queryKey: [...query.queryKey, useCustomer().discordId],
});

export const useShop = () =>
  useQuery({
    queryKey: ["shop"],
    queryFn: () => ask("GET /api/shop"),
    refetchInterval: ({ state: { data, status } }) =>
      status === "error" || data?.standing !== "ready" ? 2_000 : false,
  });

export const useMe = () => useQuery(read("me", "GET /api/me"));
export const useLabelTypes = () => useQuery(useOwn(read("prices", "GET /api/label-types")));
export const usePayment = () => useQuery(useOwn(read("payment", "GET /api/payment")));

type Listed = { page: number; search?: string; status?: string };
const list = <K extends keyof Answers>(topic: Topic, call: K, query: Listed) => ({
  ...read(topic, call, { query }),
  // The previous page stays while the next loads, so that nothing jumps.
  placeholderData: keepPreviousData,
});

export const useOrders = (query: Listed) => useQuery(useOwn(list("orders", "GET /api/orders", query)));
export const useOrder = (id: string) => useQuery(useOwn(read("orders", "GET /api/orders/:id", { params: { id } })));
export const useFedexOrders = (page: number) => useQuery(useOwn(list("fedex", "GET /api/fedex-orders", { page })));
export const useInvoices = (page: number) => useQuery(useOwn(list("invoices", "GET /api/invoices", { page })));
export const useInvoice = (id: string) =>
  useQuery(useOwn(read("invoices", "GET /api/invoices/:id", { params: { id } })));
export const useTransfers = (page: number) => useQuery(useOwn(list("transfers", "GET /api/transfers", { page })));

/** After an action, fetches again what it changed, whether the server says so or not. */
export function useRefresh() {
  const client = useQueryClient();
  return (...topics: Topic[]) =>
    Promise.all(topics.map((topic) => client.invalidateQueries({ queryKey: [topic] }))).then(() => {});
}
