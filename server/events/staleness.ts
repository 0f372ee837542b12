import { adminKinds, type Stale, type StaleKind } from "@footprint/contract/events.ts";
import type { subjectKinds } from "@footprint/contract/logs.ts";
import type { LogRow } from "../db/commits.ts";

/** What became stale for everybody, and in addition for single accounts. */
export type Staleness = { kinds: Kinds; accounts: Map<string, Kinds>; everything: boolean };
type Kinds = Map<StaleKind, Set<string> | true>;

/** Up to so many ids of a kind are named one by one. */
const mostIds = 100;

export const nothingStale = (): Staleness => ({ kinds: new Map(), accounts: new Map(), everything: false });

type Changed = { id?: StaleKind; all?: StaleKind[] };

/** For each subject of a log row: the kind of its id, and everything that may have changed with it. */
const changedWith: Record<(typeof subjectKinds)[number], Changed> = {
  // Customers' names appear in all of these. Notices say whether something still has to be done.
  customer: {
    id: "customers",
    all: ["orders", "bulkOrders", "fedexOrders", "invoices", "queues", "notices", "dashboard"],
  },
  // An order uses a code, and may be part of a bulk order. Money acts may have been approved requests.
  order: { id: "orders", all: ["bulkOrders", "tracking", "queues", "dashboard", "approvals"] },
  "bulk order": { id: "bulkOrders", all: ["orders", "tracking", "queues", "dashboard"] },
  // Charging it changes a balance, which is shown beside the customer's orders.
  "fedex order": { id: "fedexOrders", all: ["orders", "queues", "notices", "dashboard"] },
  // A statement line may have paid it.
  invoice: { id: "invoices", all: ["orders", "statements", "queues", "notices", "dashboard", "approvals"] },
  // A reversal changes what it reverses.
  transfer: { all: ["orders", "invoices", "fedexOrders", "queues", "dashboard", "approvals"] },
  // It may take other codes now.
  "label type": { id: "labelTypes", all: ["orders", "tracking", "queues", "dashboard"] },
  price: { all: ["labelTypes", "dashboard"] },
  "custom price": {},
  "tracking codes": { all: ["tracking", "queues", "dashboard"] },
  account: { id: "accounts", all: ["views"] },
  "api key": { all: ["website"] },
  "saved view": { all: ["views"] },
  "unusual event": { id: "unusual", all: ["adminNotices", "dashboard"] },
  // A statement line may wait for it.
  approval: { id: "approvals", all: ["statements", "queues", "adminNotices", "dashboard"] },
  "payment handle": { all: ["paymentHandle", "website", "dashboard"] },
  statement: { id: "statements" },
  // The dashboard shows webhooks that were paused automatically.
  webhook: { all: ["website", "dashboard"] },
  // The alert for low codes is a setting too.
  settings: { all: ["website", "tracking", "queues", "dashboard", "unusual"] },
};

export function addLogRow(staleness: Staleness, row: LogRow): void {
  const { kinds, accounts } = staleness;
  const changed: Changed | undefined = row.subjectKind ? changedWith[row.subjectKind] : {};
  // A server of a later version may use more kinds.
  if (!changed) staleness.everything = true;
  const { id, all = [] } = changed ?? {};
  kinds.set("logs", true);
  for (const kind of all) kinds.set(kind, true);
  if (id && row.subjectId) addId(kinds, id, row.subjectId);
  if (row.customerId) {
    addId(kinds, "customers", row.customerId);
    addId(kinds, "transfers", row.customerId);
  }
  // Administrators see who signed in, and who failed to.
  if (row.type === "session") kinds.set("accounts", true);
  for (const account of accountsOf(row)) kindsOf(accounts, account).set("sessions", true);
}

/** The accounts whose sessions may have begun or ended. */
function accountsOf({ type, actorId, subjectKind, subjectId }: LogRow): string[] {
  if (type !== "session" && type !== "staff") return [];
  return [actorId, subjectKind === "account" ? subjectId : null].filter((id) => id !== null);
}

/** New notices, for those who may see them. */
export const addNotices = ({ kinds }: Staleness, kind: "notices" | "adminNotices") => kinds.set(kind, true);

export const addForAccount = ({ accounts }: Staleness, account: string, kind: StaleKind, id: string) =>
  addId(kindsOf(accounts, account), kind, id);

export function addAll(to: Staleness, from: Staleness): void {
  if (from.everything) to.everything = true;
  addKinds(to.kinds, from.kinds);
  for (const [account, kinds] of from.accounts) addKinds(kindsOf(to.accounts, account), kinds);
}

function addKinds(to: Kinds, from: Kinds) {
  for (const [kind, ids] of from)
    if (ids === true) to.set(kind, true);
    else for (const id of ids) addId(to, kind, id);
}

function kindsOf(accounts: Map<string, Kinds>, account: string): Kinds {
  const kinds = accounts.get(account) ?? new Map();
  accounts.set(account, kinds);
  return kinds;
}

function addId(kinds: Kinds, kind: StaleKind, id: string) {
  const ids = kinds.get(kind) ?? new Set();
  if (ids === true) return;
  ids.add(id);
  kinds.set(kind, ids.size > mostIds ? true : ids);
}

/** What a role may be told; undefined if nothing. */
export function visibleTo(role: "admin" | "staff", { kinds, everything }: Staleness): Stale | undefined {
  return everything ? { everything } : told(kinds, role);
}

export function told(kinds: Kinds | undefined, role: "admin" | "staff"): Stale | undefined {
  const seen = [...(kinds ?? [])].filter(([kind]) => role === "admin" || !adminKinds.has(kind));
  if (seen.length === 0) return undefined;
  return Object.fromEntries(seen.map(([kind, ids]) => [kind, ids === true ? true : [...ids]]));
}
