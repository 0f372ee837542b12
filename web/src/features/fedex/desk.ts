import type { FedexOrder, FedexStory } from "@footprint/contract/fedex.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { serverNow } from "../../shared/clock.ts";
import { formatMoney } from "../../shared/format.tsx";
import { isId } from "../../shared/list.ts";
import { amountOf } from "../../shared/NumberField.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import type { FedexValues } from "./update.ts";

/** What the desk's list shows: its name in the address, its label, and what is asked for. */
export const queues = [
  { name: "open", label: "Open", filter: "Open", sort: "asc" },
  { name: "pending", label: "Pending", filter: "Pending", sort: "asc" },
  { name: "awaiting", label: "Awaiting input", filter: "Awaiting User Input", sort: "asc" },
  { name: "all", label: "All", filter: "All", sort: "des" },
] as const;

const pageSize = 50;
/** So that a colleague's claim shows before long. */
const lookAgainAfter = 20_000;

/** The desk's list, the order that is open, and how to move between them: all of it lives in the address. */
export function useDesk() {
  const { pathname, search: address } = useLocation();
  const navigate = useNavigate();
  const given = new URLSearchParams(address);
  const queue = queues.find(({ name }) => name === given.get("desk")) ?? queues[0];
  const search = (given.get("search") ?? "").slice(0, 200);
  const page = Math.max(1, Number(/^\d{1,6}$/.exec(given.get("page") ?? "")) || 1);
  const viewed = isId.test(given.get("view") ?? "") ? String(given.get("view")) : undefined;
  const { filter, sort } = queue;
  const query = useApiQuery(fedex.list, { query: { filter, sort, search, page, limit: pageSize } });
  const { refetch } = query;
  useEffect(() => {
    const timer = setInterval(() => document.hidden || void refetch(), lookAgainAfter);
    return () => clearInterval(timer);
  }, [refetch]);

  function go(change: Record<string, string | undefined>, how: { replace?: boolean } = {}) {
    // The next screen, which will be shown in a moment, already has the address.
    if (window.location.pathname !== pathname) return;
    // Not the address of this render: a debounced change may come later.
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries({ desk: queue.name, ...change })) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    void navigate({ search: next.toString() }, { preventScrollReset: true, ...how });
  }

  const rows = query.data?.docs;
  const place = rows?.findIndex(({ _id }) => _id === viewed) ?? -1;
  const lastPlace = useRef({ of: viewed, place: -1 });
  if (place >= 0) lastPlace.current = { of: viewed, place };
  /** The order so many places further; from none, the first; from one that has left the list, where it stood. */
  const neighbour = (step: 1 | -1) => {
    if (place >= 0) return rows?.[place + step];
    const left = lastPlace.current.of === viewed ? lastPlace.current.place : -1;
    return left < 0 ? rows?.[0] : rows?.[step > 0 ? left : left - 1];
  };
  return {
    queue,
    search,
    page,
    viewed,
    query,
    rows,
    listed: rows?.[place],
    neighbour,
    view: (id: string | undefined, how?: { replace?: boolean }) => go({ view: id }, how),
    setQueue: (name: string) => go({ desk: name, page: undefined, view: undefined }),
    setSearch: (text: string) => go({ search: text || undefined, page: undefined }, { replace: true }),
    setPage: (next: number) => go({ page: next > 1 ? String(next) : undefined, view: undefined }),
  };
}

export type Desk = ReturnType<typeof useDesk>;

const hour = 3_600_000;

/** Somebody has waited so long that it shows. */
export const isLate = ({ status, createdAt }: FedexOrder) =>
  (status === "Pending" || status === "In Process") && isOld(createdAt);

export const isOld = (createdAt: string) => serverNow() - Date.parse(createdAt) > 6 * hour;

/** 42 min, 8 h, 3 d */
export function ageOf(createdAt: string): string {
  const age = Math.max(0, serverNow() - Date.parse(createdAt));
  if (age < hour) return `${Math.floor(age / 60_000)} min`;
  return age < 48 * hour ? `${Math.floor(age / hour)} h` : `${Math.floor(age / (24 * hour))} d`;
}

/** What could be wrong with an order as the form has it. */
export function doubtsAbout(values: FedexValues, order: FedexOrder, story: FedexStory | undefined): string[] {
  const price = values.price === "" ? undefined : amountOf(values.price);
  const hasFile = values.file !== null || (order.file !== null && !values.removesFile);
  const missing = [...(hasFile ? [] : ["file"]), ...(price === undefined ? ["price"] : [])];
  const usual = story?.usualPrice;
  const isFar = usual && price !== undefined && (price < usual.low * 0.75 || price > usual.high * 1.25);
  return [
    ...(values.status === "Completed" && missing.length > 0 ? [`Completed without a ${missing.join(" or a ")}.`] : []),
    ...(isFar
      ? [`An unusual price: similar parcels cost ${formatMoney(usual.low)} to ${formatMoney(usual.high)}.`]
      : []),
    ...(values.status === "Cancelled" && order.chargedAt
      ? ["Cancelled, but charged: reverse the charge if the customer gets the money back."]
      : []),
  ];
}
