import * as z from "zod";
import { approvalAct } from "./approvals.ts";
import { endpoint } from "./endpoint.ts";
import { Order } from "./orders.ts";
import { id, money, timestamp } from "./schemas.ts";
import { Price, ShopFedexOrder, ShopInvoice, StorefrontCustomer } from "./storefront.ts";
import { trackingType } from "./tracking.ts";
import { transferKind } from "./transfers.ts";
import { unusualRule } from "./unusual.ts";

/** The customer that an event concerns, as shops know them. */
const customer = z.object({ _id: id, discordId: z.string(), username: z.string() });

const invoice = z.object({ customer, invoice: ShopInvoice });
const aboutCustomer = z.object({ customer: StorefrontCustomer });
const fedexOrder = z.object({ customer, order: ShopFedexOrder });

/** The types of events, and the data of each: the state at the time of the event. */
export const eventData = {
  "order.created": z.object({ customer, order: Order }),
  "order.refunded": z.object({ customer, order: Order, reason: z.string() }),
  "bulk-order.created": z.object({
    customer,
    bulkOrder: z.object({
      _id: id,
      uuid: z.string(),
      total: money,
      orders: z.array(z.object({ _id: id, uuid: z.string(), price: money, tracking: z.string() })),
      createdAt: timestamp,
    }),
  }),
  "invoice.created": invoice,
  "invoice.paid": invoice,
  "invoice.reversed": invoice,
  "customer.created": aboutCustomer,
  "customer.verified": aboutCustomer,
  "customer.changed": aboutCustomer,
  "balance.changed": z.object({
    customer,
    /** After the change. */
    balance: money,
    transfer: z.object({
      _id: id,
      kind: transferKind,
      amount: money,
      /** The order, bulk order, Fedex order or invoice that the money was for. */
      for: id.nullable(),
    }),
  }),
  "fedex-order.created": fedexOrder,
  "fedex-order.changed": fedexOrder,
  "price.changed": z.object({
    labelType: z.object({ _id: id, uid: z.string(), name: z.string(), status: z.boolean() }),
    /** The customer whose custom prices these are; null for standard prices. */
    customer: customer.nullable(),
    prices: z.array(Price),
  }),
  "codes.low": z.object({ type: trackingType, left: z.int(), alert: z.int() }),
  "books.unbalanced": z.object({ problems: z.array(z.string()), checkedAt: timestamp }),
  "settings.changed": z.object({
    setting: z.enum(["payment-handle", "limits", "two-step", "unusual-rules", "code-alerts"]),
    /** The payment handle, if that is what changed. */
    cashapp: z.object({ cashappId: z.string(), image: z.string().nullable() }).optional(),
  }),
} as const;

export type EventType = keyof typeof eventData;
export const eventTypes = Object.keys(eventData) as [EventType, ...EventType[]];
export const eventType = z.enum(eventTypes);

/** Events for administrators only: shops never get them, neither by webhook nor by asking. */
export const staffEventData = {
  "approval.asked": z.object({
    approval: z.object({ _id: id, act: approvalAct, amount: money, by: z.string(), words: z.string() }),
  }),
  "unusual.noticed": z.object({ event: z.object({ _id: id, rule: unusualRule, words: z.string() }) }),
  /** Only the host of the address: what follows may be a secret of the receiver. */
  "webhook.paused": z.object({ webhook: z.object({ _id: id, host: z.string() }), because: z.string() }),
} as const;

export type StaffEventType = keyof typeof staffEventData;
/** All types of stored events. */
export const keptEventType = z.enum([...eventTypes, ...(Object.keys(staffEventData) as StaffEventType[])]);
export type StaffEventData<T extends StaffEventType> = z.output<(typeof staffEventData)[T]>;

/** An event's data as the server has it: money in cents, times as Date. */
export type EventData<T extends EventType> = z.output<(typeof eventData)[T]>;

/** An event as it is sent, both to webhooks and in answers. */
export type Event = z.input<typeof Event>;
export const Event = z.object({
  id,
  type: eventType,
  timestamp,
  /** Depends on the type: see `eventData`. */
  data: z.record(z.string(), z.unknown()),
});

export const outbox = {
  pull: endpoint({
    method: "GET",
    path: "/api/v1/storefront/events",
    access: "storefront",
    summary:
      "What happened since, oldest first: what concerns the key's shop and scopes. With `wait` an empty answer takes up to so many seconds",
    query: z.object({
      /** `next` from the previous answer, or an event's id. If left out, begins with the oldest event that is kept. */
      after: z.union([z.string().regex(/^\d{1,18}$/), id]).optional(),
      limit: z.coerce.number<string | number>().int().min(1).max(100).default(100),
      wait: z.coerce.number<string | number>().int().min(0).max(30).default(0),
    }),
    reply: z.object({ events: z.array(Event), next: z.string() }),
  }),
};
