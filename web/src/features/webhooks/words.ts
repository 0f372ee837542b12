import { type EventType, eventTypes } from "@footprint/contract/outbox.ts";
import type { Delivery, Webhook } from "@footprint/contract/webhooks.ts";
import { formatCount } from "../../shared/format.tsx";

/** What can happen. */
export const eventNames: Record<EventType, string> = {
  "order.created": "Order created",
  "order.refunded": "Order refunded",
  "bulk-order.created": "Bulk order created",
  "invoice.created": "Invoice created",
  "invoice.paid": "Invoice paid",
  "invoice.reversed": "Invoice reversed",
  "customer.created": "Customer created",
  "customer.verified": "Customer verified",
  "customer.changed": "Customer changed",
  "balance.changed": "Balance changed",
  "fedex-order.created": "Fedex order created",
  "fedex-order.changed": "Fedex order changed",
  "price.changed": "Price changed",
  "codes.low": "Codes low",
  "books.unbalanced": "Books unbalanced",
  "settings.changed": "Settings changed",
};

type DeliveryType = Delivery["event"]["type"];

export const eventName = (type: DeliveryType) => (type === "test" ? "Test event" : eventNames[type]);

export const deliveryTypes: readonly DeliveryType[] = [...eventTypes, "test"];

/** "All", or the first few. */
export function eventsInShort({ events }: Webhook): string {
  if (events.length === 0) return "All events";
  const names = events.map((type) => eventNames[type]);
  const few = names.length > 3 ? names.slice(0, 2) : names;
  const more = names.length - few.length;
  return few.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** What tells a webhook from others: its note, or else its address. */
export const nameOf = ({ note, url }: Webhook) => note || url.replace(/^https?:\/\//, "").replace(/\/$/, "");

export const webhookPath = ({ _id }: { _id: string }) => `/website/webhooks/${_id}`;

/** So many that wait are counted at most. */
const mostCounted = 1_000;
export const waitingInWords = ({ waiting }: Webhook) => formatCount(waiting) + (waiting >= mostCounted ? "+" : "");

/** 85 ms, 2.4 s */
export const formatDuration = (ms: number) => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** Something is on its way. What fails waits for its next try. */
export const isMoving = ({ state, waiting }: Webhook) => state === "active" && waiting > 0;
