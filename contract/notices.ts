import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import type { EventType, StaffEventType } from "./outbox.ts";
import { id, message, timestamp } from "./schemas.ts";

/** The kinds of notices that accounts get: in the bell, and as messages where these are set up. */
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

/** The events behind them; of settings only the payment handle. */
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

/** Kinds that staff accounts see too; all others are for administrators. */
export const staffNoticeKinds: readonly NoticeKind[] = ["newcomers", "fedex", "invoices"];

/** Kinds that are messaged at once, not up to an hour later. */
export const urgentKinds: readonly NoticeKind[] = ["approvals", "books", "payment-handle", "webhooks"];

/** New notices of a kind are counted up to this; it then means "or more". */
export const mostCounted = 100;

/** The position in the order of events up to which somebody has read. */
const position = z.int().min(0);

export type Notice = z.input<typeof Notice>;
export const Notice = z.object({
  _id: id,
  text: z.string(),
  /** The link in the panel. */
  to: z.string(),
  /** What became of it, in a word or two; empty while it waits for somebody. */
  done: z.string(),
  isNew: z.boolean(),
  createdAt: timestamp,
});

/** The notices of one kind, of which the newest are listed. */
export type NoticeGroup = z.input<typeof NoticeGroup>;
export const NoticeGroup = z.object({
  kind: noticeKind,
  title: z.string(),
  /** How many are new; 100 means "or more". */
  count: z.int(),
  /** What can be done about them, and the link to all of them. */
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

/** The outcome of one try to send a message. */
export type MessageOutcome = z.input<typeof MessageOutcome>;
const MessageOutcome = z.object({
  at: z.iso.datetime(),
  /** The status of the provider's answer; null if there was none. */
  status: z.int().nullable(),
  /** The beginning of that answer, or why there was none. */
  answer: z.string(),
});

/** A message to an account. `failed` means given up after three days. */
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
