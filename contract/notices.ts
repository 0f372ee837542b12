import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import type { EventType, StaffEventType } from "./outbox.ts";
import { id, message, timestamp } from "./schemas.ts";

/** What accounts are given notice of: by the bell, and by messages where these are set up. */
export const noticeKinds = [
  "newcomers",
  "fedex",
  "invoices",
  "approvals",
  "books",
  "payment-handle",
  "codes",
  "webhooks",
  "unusual",
] as const;
export const noticeKind = z.enum(noticeKinds);
export type NoticeKind = (typeof noticeKinds)[number];

/** The events that they are made of; of settings, the payment handle's alone. */
export const noticedEvents = {
  newcomers: "customer.created",
  fedex: "fedex-order.created",
  invoices: "invoice.created",
  approvals: "approval.asked",
  books: "books.unbalanced",
  "payment-handle": "settings.changed",
  codes: "codes.low",
  webhooks: "webhook.paused",
  unusual: "unusual.noticed",
} as const satisfies Record<NoticeKind, EventType | StaffEventType>;

export const noticeNames: Record<NoticeKind, string> = {
  newcomers: "New customers",
  fedex: "New Fedex orders",
  invoices: "New invoices",
  approvals: "Requests for approval",
  books: "Books that do not balance",
  "payment-handle": "A changed payment handle",
  codes: "Codes that run low",
  webhooks: "Paused webhooks",
  unusual: "Unusual events",
};

/** What staff accounts see too; all else is for administrators. */
export const staffNoticeKinds: readonly NoticeKind[] = ["newcomers", "fedex", "invoices"];

/** What no message waits an hour for. */
export const urgentKinds: readonly NoticeKind[] = ["approvals", "books", "payment-handle", "webhooks"];

/** New ones of a kind are counted up to here: this many stand for more. */
export const mostCounted = 100;

/** Where in the order of events one has read up to. */
const position = z.int().min(0);

export type Notice = z.input<typeof Notice>;
export const Notice = z.object({
  _id: id,
  text: z.string(),
  /** Where in the panel it leads. */
  to: z.string(),
  /** What became of it, in a word or two; empty while it waits for somebody. */
  done: z.string(),
  isNew: z.boolean(),
  createdAt: timestamp,
});

/** Notices of one kind, the newest of them one by one. */
export type NoticeGroup = z.input<typeof NoticeGroup>;
export const NoticeGroup = z.object({
  kind: noticeKind,
  title: z.string(),
  /** How many are new, 100 standing for more. */
  count: z.int(),
  /** What can be done about them, and where all of them are. */
  act: z.string(),
  to: z.string(),
  notices: z.array(Notice),
});

export const notices = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/notices",
    access: "staff",
    summary:
      "What happened lately that one's account may see, by kind; new is what came after `since` or the last look",
    query: z.object({ since: z.coerce.number<string | number>().pipe(position).optional() }),
    reply: z.object({ unseen: z.int(), groups: z.array(NoticeGroup), newest: position }),
  }),
  unseen: endpoint({
    method: "GET",
    path: "/api/v1/notices/unseen",
    access: "staff",
    summary: "How many notices came since one last looked, 100 standing for more, and where that was",
    reply: z.object({ unseen: z.int(), seen: position }),
  }),
  see: endpoint({
    method: "POST",
    path: "/api/v1/notices/seen",
    access: "staff",
    summary: "Say up to where one has looked at the notices",
    body: z.object({ position }),
    reply: message,
  }),
};

export const messageStates = ["waiting", "sent", "failed"] as const;
export const messageState = z.enum(messageStates);

/** What one try to send a message came to. */
export type MessageOutcome = z.input<typeof MessageOutcome>;
const MessageOutcome = z.object({
  at: z.iso.datetime(),
  /** Of the provider's answer; null where there was none. */
  status: z.int().nullable(),
  /** The beginning of that answer, or why there was none. */
  answer: z.string(),
});

/** A message to an account. Failed: it was given up after three days. */
export type ChatMessage = z.input<typeof ChatMessage>;
export const ChatMessage = z.object({
  _id: id,
  state: messageState,
  isTest: z.boolean(),
  text: z.string(),
  outcomes: z.array(MessageOutcome),
  nextTryAt: timestamp.nullable(),
  createdAt: timestamp,
});

export const chatProviders = ["telegram", "discord"] as const;
export const chatProvider = z.enum(chatProviders);
export type ChatProvider = (typeof chatProviders)[number];
