import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { exportOf } from "./exports.ts";
import { eventType } from "./outbox.ts";
import { id, idParam, listQuery, message, oneLine, pageCounts, period, timestamp } from "./schemas.ts";

const url = z
  .url({ protocol: /^https?$/, error: "Give an address such as https://shop.example.com/hooks" })
  .max(500, "An address has at most 500 characters")
  .regex(oneLine, "An address has no line breaks and nothing that turns text around")
  .refine((text) => !/^https?:\/\/[^/?#]*@/i.test(text), "An address holds no user name and no password");

/** Empty for all. */
const events = z
  .array(eventType)
  .max(eventType.options.length)
  .transform((types) => [...new Set(types)]);

const note = z
  .string()
  .trim()
  .max(100, "A note has at most 100 characters")
  .regex(oneLine, "A note is one line of text");

export const webhookStates = ["active", "paused", "failing"] as const;

/** An address to which events are sent. Its secret is shown when it is made, and never again. */
export type Webhook = z.input<typeof Webhook>;
export const Webhook = z.object({
  _id: id,
  url: z.string(),
  note: z.string(),
  events: z.array(eventType),
  /** `failing` means that a delivery failed and waits for another try. */
  state: z.enum(webhookStates),
  /** Why it is paused, or by whom. */
  pausedBecause: z.string(),
  pausedAt: timestamp.nullable(),
  /** Paused automatically, after three days of failures or an answer of 410 Gone; false if somebody paused it. */
  pausedByItself: z.boolean(),
  /** How many events wait to be sent, counted up to 1,000. */
  waiting: z.int(),
  /** When the next try is due, if it is failing. */
  nextTryAt: timestamp.nullable(),
  lastDeliveredAt: timestamp.nullable(),
  /** Until when requests are signed with the previous secret too. */
  oldSecretUntil: timestamp.nullable(),
  createdAt: timestamp,
});

export const deliveryStates = ["waiting", "delivered", "failed"] as const;

export const deliveryType = z.enum([...eventType.options, "test"]);

/** One event on its way to one webhook. */
export type Delivery = z.input<typeof Delivery>;
export const Delivery = z.object({
  _id: id,
  event: z.object({ id, type: deliveryType, timestamp }),
  customer: z.object({ _id: id, username: z.string() }).nullable(),
  /** `failed`: somebody gave it up, its event is no longer kept, or it was a test. Nothing else is ever given up. */
  state: z.enum(deliveryStates),
  /** Who sent it again; null the first time. */
  resentBy: z.string().nullable(),
  tries: z.int(),
  /** The last try: the answer's HTTP status or why there was none, and its duration in milliseconds. */
  status: z.int().nullable(),
  problem: z.string(),
  duration: z.int().nullable(),
  nextTryAt: timestamp.nullable(),
  createdAt: timestamp,
});

const deliveryTry = z.object({
  number: z.int(),
  at: timestamp,
  status: z.int().nullable(),
  problem: z.string(),
  duration: z.int(),
  /** The beginning of the answer. */
  answer: z.string(),
});

/** Includes the last request and every try. */
export type DeliveryStory = z.input<typeof DeliveryStory>;
const DeliveryStory = z.object({
  delivery: Delivery,
  request: z.object({ url: z.string(), headers: z.record(z.string(), z.string()), body: z.string() }),
  tries: z.array(deliveryTry),
});

const path = "/api/v1/website/webhooks";

const deliveries = endpoint({
  method: "GET",
  path: `${path}/deliveries/:id`,
  access: "admin",
  summary: "What was and will be sent to a webhook",
  params: idParam,
  query: listQuery.omit({ search: true }).extend({
    state: z.enum(["All", ...deliveryStates]).default("All"),
    type: deliveryType.optional(),
    customer: id.optional(),
    ...period,
  }),
  reply: z.object({ webhook: Webhook, deliveries: z.array(Delivery), ...pageCounts }),
});

const changed = z.object({ message: z.string(), webhook: Webhook });
const shownOnce = changed.extend({ secret: z.string() });

export const webhooks = {
  list: endpoint({
    method: "GET",
    path,
    access: "admin",
    summary: "Where events are sent to",
    reply: z.object({ webhooks: z.array(Webhook) }),
  }),
  create: endpoint({
    method: "POST",
    path,
    access: "admin",
    sensitive: true,
    summary: "Send events to an address; without `events` all of them. This is the only time its secret is shown",
    body: z.object({ url, events: events.default([]), note: note.default("") }),
    status: 201,
    reply: shownOnce,
  }),
  update: endpoint({
    method: "PUT",
    path: `${path}/:id`,
    access: "admin",
    sensitive: true,
    summary: "Change a webhook; what is not given stays",
    params: idParam,
    body: z.object({ url, events, note }).partial(),
    reply: changed,
  }),
  remove: endpoint({
    method: "DELETE",
    path: `${path}/:id`,
    access: "admin",
    sensitive: true,
    summary: "Delete a webhook with its deliveries",
    params: idParam,
    reply: message,
  }),
  test: endpoint({
    method: "POST",
    path: `${path}/test/:id`,
    access: "admin",
    sensitive: true,
    summary: "Send a test event at once, also where it is paused, and say what was answered",
    params: idParam,
    takesLong: true,
    reply: z.object({ message: z.string(), delivery: Delivery, answer: z.string() }),
  }),
  rotate: endpoint({
    method: "POST",
    path: `${path}/rotate/:id`,
    access: "admin",
    sensitive: true,
    summary: "Make a new secret; for a day what is sent is signed with the old one too",
    params: idParam,
    reply: shownOnce,
  }),
  pause: endpoint({
    method: "POST",
    path: `${path}/pause/:id`,
    access: "admin",
    sensitive: true,
    summary: "Send nothing for now; what happens meanwhile waits, for 30 days at most",
    params: idParam,
    reply: changed,
  }),
  resume: endpoint({
    method: "POST",
    path: `${path}/resume/:id`,
    access: "admin",
    sensitive: true,
    summary: "Send again, beginning with what waits; also tries at once what is failing",
    params: idParam,
    reply: changed,
  }),
  deliveries,
  exportDeliveries: exportOf(deliveries),
  delivery: endpoint({
    method: "GET",
    path: `${path}/delivery/:id`,
    access: "admin",
    summary: "One delivery: what was sent, and what each try came to",
    params: idParam,
    reply: DeliveryStory,
  }),
  resend: endpoint({
    method: "POST",
    path: `${path}/resend/:id`,
    access: "admin",
    sensitive: true,
    summary: "Send an event again, as a delivery of its own",
    params: idParam,
    reply: z.object({ message: z.string(), delivery: Delivery }),
  }),
  giveUp: endpoint({
    method: "POST",
    path: `${path}/give-up/:id`,
    access: "admin",
    sensitive: true,
    summary: "Try a delivery no more, so that what waits behind it goes on",
    params: idParam,
    reply: z.object({ message: z.string(), delivery: Delivery }),
  }),
  resendPeriod: endpoint({
    method: "POST",
    path: `${path}/resend-period/:id`,
    access: "admin",
    sensitive: true,
    summary: "Send again what happened on some business days: all of it, or only what failed; 10,000 events at most",
    params: idParam,
    body: z.object({
      from: period.from.unwrap(),
      to: period.to.unwrap(),
      only: z.enum(["all", "failed"]).default("all"),
    }),
    reply: z.object({ message: z.string(), count: z.int() }),
  }),
};
