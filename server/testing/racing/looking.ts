import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { logs } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { staff } from "@footprint/contract/staff.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { transfers } from "@footprint/contract/transfers.ts";
import { users } from "@footprint/contract/users.ts";
import { call, logRows } from "../server.ts";
import { asTier, inCents, type Moved, mapped, type Shown, type State, shown } from "./state.ts";

const read = async <E extends Endpoint>(endpoint: E, input = {}) =>
  (await call("admin", endpoint, input as never)).body;
const whole = { query: { limit: "100" } };

/** Everything an administrator can see, and what it tells about the state behind it. */
export async function look(): Promise<{ seen: Shown; lists: Lists; problems: string[] }> {
  const lists = await readLists();
  const { seenOrders, revenue, deposits, joined, codes, fedexStats, logCount, books } = await readFigures();
  const logTypes = (await logRows()).map(({ type }) => type);
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);
  const { allTimeInvoicesAmount: paid } = deposits;
  const seen: Shown = {
    ...shown(stateIn(lists)),
    orders: byId(lists.orders, ({ user, labelType, price, tracking, isRefunded }) => ({
      labelType: labelType.name,
      cents: inCents(price),
      tracking,
      refunded: isRefunded,
      username: user.username,
    })),
    invoices: byId(lists.invoices, ({ user, amount, payment_method, status }) => ({
      cents: inCents(amount),
      method: payment_method,
      status,
      username: user.username,
    })),
    logs: mapped(Object.groupBy(logTypes, (type) => type) as Record<string, string[]>, ({ length }) => length),
    figures: {
      orders: seenOrders.allTimeOrdersCount,
      customers: joined.allTimeUsersCount,
      revenue: inCents(revenue.allTimeRevenue),
      deposits: inCents(paid.allTimeInvoicesAmount),
      cashApp: inCents(paid.cashApp),
      paypal: inCents(paid.paypal),
      pending: fedexStats.pending,
      completed: fedexStats.completed,
      codesUsed: sum(codes.used),
      codesLeft: sum(codes.left),
    },
  };
  const uncounted = logCount === logTypes.length ? [] : [`The log lists ${logCount} of ${logTypes.length} rows`];
  return { seen, lists, problems: [...books.problems, ...uncounted] };
}

type Lists = Awaited<ReturnType<typeof readLists>>;

async function readLists() {
  const [customers, types, codes, sold, inBulk, opened, fedexOrders, moved, accounts] = await Promise.all([
    read(users.list, whole),
    read(labelTypes.list),
    read(tracking.list, whole),
    read(orders.list, whole),
    read(bulkOrders.list, whole),
    read(invoices.list, whole),
    read(fedex.list, whole),
    read(transfers.list, whole),
    read(staff.list, whole),
  ]);
  return {
    customers: customers.users,
    labelTypes: types.labelTypes,
    codes: codes.trackings,
    orders: sold.orders,
    bulkOrders: inBulk.orders,
    invoices: opened.invoices,
    fedexOrders: fedexOrders.docs,
    transfers: moved.transfers,
    staff: accounts.staff,
  };
}

async function readFigures() {
  const [seenOrders, revenue, deposits, joined, codes, fedexStats, log, books] = await Promise.all([
    read(dashboard.orders),
    read(dashboard.revenue),
    read(dashboard.deposits),
    read(dashboard.users),
    read(tracking.stats),
    read(fedex.stats),
    read(logs.list),
    read(dashboard.books),
  ]);
  return { seenOrders, revenue, deposits, joined, codes, fedexStats, logCount: log.total, books };
}

/** The state as far as lists tell it; they do not say for certain whose an order or invoice is. */
function stateIn(lists: Lists): State {
  const uids = new Map(lists.labelTypes.map(({ _id, uid }) => [_id, uid]));
  const discordIds = new Map(lists.customers.map(({ _id, discordId }) => [_id, discordId]));
  return {
    customers: Object.fromEntries(
      lists.customers.map((one) => [
        one.discordId,
        {
          id: one._id,
          username: one.username,
          balance: inCents(one.balance),
          active: one.status,
          verified: one.isVerified,
          customPricing: one.customPricingEnabled,
          prices: one.customPricing.map((price) => ({
            labelType: uids.get(price.labelType._id) ?? "",
            ...asTier(price),
          })),
        },
      ]),
    ),
    labelTypes: Object.fromEntries(
      lists.labelTypes.map(({ _id, uid, name, type, status, prices }) => [
        uid,
        { id: _id, name, usesCodes: type === "usps", active: status, tiers: prices.map(asTier) },
      ]),
    ),
    codes: Object.fromEntries(lists.codes.map(({ _id, code, type, used }) => [code, { id: _id, type, used }])),
    orders: {},
    bulkOrders: byId(lists.bulkOrders, ({ orders }) => orders.map(({ _id }) => _id)),
    invoices: {},
    fedexOrders: byId(lists.fedexOrders, ({ user, price, status, note, chargedAt, claim }) => ({
      customer: user.discordId,
      cents: price === null ? null : inCents(price),
      status,
      note,
      charged: chargedAt !== null,
      claimedBy: claim?.by.username ?? null,
    })),
    transfers: lists.transfers.map((transfer) => ({
      id: transfer._id,
      customer: discordIds.get(transfer.user._id) ?? "",
      kind: transfer.kind as Moved["kind"],
      cents: inCents(transfer.amount),
      ...(transfer.for?.kind === "invoice" && { invoice: transfer.for._id }),
      reversed: transfer.reversedBy !== null,
    })),
    staff: Object.fromEntries(lists.staff.map(({ _id, username }) => [username, { id: _id }])),
    logs: {},
    replies: {},
  };
}

/** The same state with ids and the order of custom prices, which only lists tell. */
export function withIds(state: State, lists: Lists): State {
  const { customers, labelTypes, codes, transfers, staff } = stateIn(lists);
  return { ...state, customers, labelTypes, codes, transfers, staff };
}

const byId = <A extends { _id: string }, B>(list: A[], change: (item: A) => B): Record<string, B> =>
  Object.fromEntries(list.map((item) => [item._id, change(item)]));
