import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { id } from "./schemas.ts";

/**
 * What can become stale, with the beginnings of the paths whose answers show it. Ids are those of rows; for transfers,
 * those of their customers.
 */
export const shownBy = {
  orders: ["/api/v1/admin/orders/"],
  bulkOrders: ["/api/v1/order/admin/"],
  fedexOrders: ["/api/v1/fed/"],
  customers: ["/api/v1/admin/user/", "/api/v1/admin/users/", "/api/v1/admin/quote"],
  invoices: ["/api/v1/admin/invoice/"],
  statements: ["/api/v1/admin/statements/"],
  transfers: ["/api/v1/admin/transfers/", "/api/v1/admin/user/transfers/"],
  labelTypes: ["/api/v1/labeltype/", "/api/v1/admin/quote"],
  views: ["/api/v1/views"],
  queues: ["/api/v1/admin/queues"],
  notices: ["/api/v1/notices"],
  /** For administrators only. */
  adminNotices: ["/api/v1/notices"],
  /** Sessions of the account that is told. */
  sessions: ["/api/v1/auth/"],
  /** Somebody opened or closed one of these, of any kind. */
  presence: [],
  dashboard: ["/api/v1/dashboard/"],
  tracking: ["/api/v1/tracking/"],
  logs: ["/api/v1/admin/logs/"],
  accounts: ["/api/v1/admin/staff/"],
  website: ["/api/v1/website/"],
  unusual: ["/api/v1/admin/unusual/"],
  approvals: ["/api/v1/admin/approvals/"],
  /** The payment handle: every open panel of an administrator shows its changes. */
  paymentHandle: [],
} as const satisfies Record<string, readonly string[]>;

export type StaleKind = keyof typeof shownBy;

/** Told to administrators only. */
export const adminKinds: ReadonlySet<StaleKind> = new Set([
  "dashboard",
  "tracking",
  "logs",
  "accounts",
  "website",
  "unusual",
  "paymentHandle",
  "adminNotices",
]);

/**
 * The contents of an event `stale`: for each kind the ids that became stale, or true if these are too many.
 * `everything` is sent after a time about which nothing is known.
 */
export type Stale = { [K in StaleKind]?: true | string[] } & { everything?: true };

/** A reply that lasts as long as the caller stays: `hello` at once, then `stale` events. */
export const eventStream = z.custom<(response: never) => void>();

export const events = {
  stream: endpoint({
    method: "GET",
    path: "/api/v1/events",
    access: "staff",
    summary: "Follow what becomes stale, as server-sent events: no event holds data, each names what to read again",
    reply: eventStream,
  }),
  setPresence: endpoint({
    method: "PUT",
    path: "/api/v1/events/presence",
    access: "staff",
    summary:
      "Say what a tab has open, again every ten seconds while it has, and null when it closes; answers who else has it open",
    body: z.object({ tab: id, open: id.nullable() }),
    reply: z.object({ others: z.array(z.object({ _id: id, username: z.string() })) }),
  }),
};
