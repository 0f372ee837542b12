import { randomBytes } from "node:crypto";
import { flatAddress } from "@footprint/contract/address.ts";
import { bulkOrders } from "@footprint/contract/bulk-orders.ts";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { type Endpoint, pathOf } from "@footprint/contract/endpoint.ts";
import { fedex, fedexStatuses } from "@footprint/contract/fedex.ts";
import { invoiceStatuses, invoices } from "@footprint/contract/invoices.ts";
import { labelTypes } from "@footprint/contract/label-types.ts";
import { logs, logTypes } from "@footprint/contract/logs.ts";
import { orders } from "@footprint/contract/orders.ts";
import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { tracking } from "@footprint/contract/tracking.ts";
import { users } from "@footprint/contract/users.ts";
import { uuidv7 } from "../../server/db/ids.ts";
import { must } from "../calls.ts";
import { trackingCode } from "../operators.ts";
import type { Floor } from "./floor.ts";
import type { Request } from "./load.ts";

/** A running server with a seeded business, and how to look into it. */
export type Business = {
  origin: string;
  /** The administrator's. */
  token: string;
  shopKey: string;
  query: <T>(text: string) => Promise<T[]>;
};

/** One row of the table: a call, and what its floor has to vary from request to request. */
export type Row = { name: string; next: () => Request } & Partial<Pick<Floor, "targets" | "fresh" | "password">>;

type List = {
  name: string;
  endpoint: Endpoint;
  filters?: { name: string; values: readonly string[] };
  /** Search terms, by the name of their row. */
  terms: (business: Business) => Promise<Record<string, string>>;
};

/** Texts from the middle of a table, and one that very many rows share. */
const middleOf = (table: string, one: string, many: string, code?: string) => async (business: Business) => {
  const term = async (column: string) => {
    const [row] = await business.query<{ term: string }>(`select ${column} as term from ${table}
      where created_at >= (select min(created_at) + (max(created_at) - min(created_at)) / 2 from ${table})
      and ${column}::text <> '' order by created_at limit 1`);
    return row?.term ?? "";
  };
  return {
    "search finds one": await term(one),
    ...(code && { "search for a tracking code": await term(code) }),
    "search finds many": many,
  };
};

const lists: List[] = [
  {
    name: "orders",
    endpoint: orders.list,
    filters: { name: "status", values: ["Active", "Refunded"] },
    terms: middleOf("orders", "uuid", "umar", "tracking"),
  },
  { name: "bulk orders", endpoint: bulkOrders.list, terms: middleOf("bulk_orders", "uuid", "ship") },
  {
    name: "fedex orders",
    endpoint: fedex.list,
    filters: { name: "filter", values: fedexStatuses },
    terms: middleOf("fedex_orders", "uuid", "umar"),
  },
  { name: "users", endpoint: users.list, terms: middleOf("customers", "discord_id", "example") },
  { name: "new users", endpoint: users.listNew, terms: middleOf("customers", "discord_id", "example") },
  {
    name: "invoices",
    endpoint: invoices.list,
    filters: { name: "status", values: invoiceStatuses },
    terms: middleOf("invoices", "id", "example"),
  },
  { name: "tracking codes", endpoint: tracking.list, terms: middleOf("tracking_codes", "code", "9400") },
  {
    name: "logs",
    endpoint: logs.list,
    filters: { name: "status", values: logTypes },
    terms: middleOf("logs", "regexp_replace(action, '.*([0-9a-f-]{36}).*', '\\1')", "sold"),
  },
  {
    name: "staff",
    endpoint: staff.list,
    terms: async () => ({ "search finds one": "staff7", "search finds many": "staff" }),
  },
];

const namesList = (text: string) => lists.some(({ name }) => text.startsWith(`${name},`));

const statistics: [string, Endpoint][] = [
  ["dashboard: orders", dashboard.orders],
  ["dashboard: users", dashboard.users],
  ["dashboard: revenue", dashboard.revenue],
  ["dashboard: deposits", dashboard.deposits],
  ["dashboard: graph", dashboard.graph],
  ["dashboard: charts", dashboard.charts],
  ["dashboard: trends", dashboard.trends],
  ["dashboard: compare", dashboard.compare],
  ["dashboard: attention", dashboard.attention],
  ["fedex statistics", fedex.stats],
  ["tracking statistics", tracking.stats],
  ["label types", labelTypes.list],
  ["access", session.access],
];

const password = "a benchmark's own password";

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** The most frequent value among orders. */
const mostFrequent = (column: string) => async (business: Business) => {
  const [row] = await business.query<{ id: string }>(
    `select ${column} as id from orders group by 1 order by count(*) desc limit 1`,
  );
  return row?.id ?? "";
};
const busiestCustomer = mostFrequent("customer_id");
const busiestLabelType = mostFrequent("label_type_id");

/** The table's rows for one business, if their name contains a text. */
export async function rowsOf(business: Business, only: string): Promise<Row[]> {
  const authorization = `Bearer ${business.token}`;
  const read = (name: string, path: string): Row => {
    const request = { method: "GET", path, headers: { authorization } };
    return { name, next: () => request };
  };
  const rows: Row[] = [];
  for (const list of lists.filter(({ name }) => !namesList(only) || only.startsWith(`${name},`))) {
    const row = (what: string, query: Record<string, string>) =>
      read(`${list.name}, ${what}`, `${list.endpoint.path}?${new URLSearchParams(query)}`);
    const { totalPages } = (await must(business, list.endpoint, {})) as { totalPages: number };
    const terms = Object.entries(await list.terms(business));
    const { query } = list.endpoint;
    const days = { from: daysAgo(60), to: daysAgo(31) };
    rows.push(
      row("page 1", {}),
      row("middle page", { page: String(Math.ceil(totalPages / 2)) }),
      row("last page", { page: String(totalPages) }),
      row("oldest first", { sort: "asc" }),
      ...(list.filters?.values ?? []).map((value) => row(value, { [list.filters?.name ?? ""]: value })),
      ...(query?.shape.from
        ? [row("of a month", days), row("of a month, oldest first", { ...days, sort: "asc" })]
        : []),
      ...(query?.shape.customer ? [row("of a customer", { customer: await busiestCustomer(business) })] : []),
      ...(query?.shape.labelType ? [row("of a label type", { labelType: await busiestLabelType(business) })] : []),
      ...(query?.shape.used ? [row("used", { used: "true" }), row("of a type", { type: "express" })] : []),
      ...(query?.shape.withBalance ? [row("with a balance", { withBalance: "true" })] : []),
      ...terms.map(([what, search]) => row(what, { search })),
      row("search finds none", { search: "zzqqxx" }),
      row("search for an unknown UUID", { search: "0198c0de-0000-7000-8000-00000000dead" }),
    );
  }
  rows.push(...statistics.map(([name, endpoint]) => read(name, endpoint.path)));
  for (const [name, make] of Object.entries(changes)) if (name.includes(only)) rows.push(await make(name, business));
  return rows.filter(({ name }) => name.includes(only));
}

/** A call that changes something: each request gets the next target and its own key. */
function change<T extends Record<string, unknown>>(
  name: string,
  token: string | undefined,
  endpoint: Endpoint,
  targets: T[],
  of: (target: T) => { params?: Record<string, string>; body?: object },
): Row {
  let number = 0;
  return {
    name,
    targets,
    next() {
      const target = targets[number++ % targets.length];
      if (!target) throw new Error(`${name} has no target`);
      const { params, body } = of(target);
      return {
        target,
        method: endpoint.method,
        path: pathOf(endpoint, params),
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(endpoint.idempotent && { "idempotency-key": uuidv7() }),
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      };
    },
  };
}

const changes = { refund, "add balance": addBalance, "storefront order": storefrontOrder, "sign in": signIn };

async function refund(name: string, business: Business) {
  const targets = await business.query<{ id: string; customer: string }>(
    "select id, customer_id as customer from orders where refunded_at is null and price_cents > 0 order by id limit 9000",
  );
  return change(name, business.token, orders.refund, targets, ({ id }) => ({ params: { id } }));
}

async function addBalance(name: string, business: Business) {
  const targets = await business.query<{ id: string }>("select id from customers order by id limit 1000");
  return change(name, business.token, users.addBalance, targets, ({ id }) => ({
    params: { id },
    body: { balance: 1 },
  }));
}

/** Orders of a label type with prepaid codes, for customers who can afford them. */
async function storefrontOrder(name: string, business: Business) {
  const [type] = await business.query<{ uid: string; weight: string }>(
    `select uid, min(to_weight) as weight from label_types join price_tiers on label_type_id = label_types.id
     where uid = 'priority' group by uid`,
  );
  if (!type) throw new Error("the business has no label type of prepaid codes");
  const targets = await business.query<{ discordId: string; id: string }>(
    `select discord_id as "discordId", id from customers where active and verified_at is not null order by id limit 64`,
  );
  for (const { id } of targets) await must(business, users.addBalance, { params: { id }, body: { balance: 100_000 } });
  // Enough for half a minute at full speed, and for the floor; at most 10,000 are registered at once.
  for (let registered = 0; registered < 50_000; registered += 10_000) {
    const trackRef = trackingCode(randomBytes(8).readBigUInt64BE());
    await must(business, tracking.create, { body: { amount: 10_000, type: "priority", trackRef, template: "evs" } });
  }
  const party = { name: "Bench Mark", street: "1 Floor St", street2: "", city: "Austin", state: "TX", zip: "73301" };
  const address = { ...party, country: "United States" };
  const addresses = { ...flatAddress("from", address), ...flatAddress("to", address) };
  const parcel = { labelType: type.uid, weight: Number(type.weight), ...addresses };
  return change(name, business.shopKey, storefront.createOrder, targets, ({ discordId }) => ({
    body: { discordId, ...parcel },
  }));
}

/** By many accounts, since one account's password may not be tried this often. */
async function signIn(name: string, business: Business) {
  const names = Array.from({ length: 64 }, (_, number) => `staff${number}`);
  const [known] = await business.query("select from accounts where username = 'staff63'");
  if (!known) for (const username of names) await must(business, staff.create, { body: { username, password } });
  const targets = await business.query<{ username: string; id: string }>(
    "select username, id from accounts where username like 'staff%' order by id",
  );
  const row = change(name, undefined, session.login, targets, ({ username }) => ({
    body: { username, password },
  }));
  return { ...row, password };
}
