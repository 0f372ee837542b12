import type { NoticeKind, noticedEvents } from "@footprint/contract/notices.ts";
import type { EventType, eventData, StaffEventType, staffEventData } from "@footprint/contract/outbox.ts";
import { inArray, sql } from "drizzle-orm";
import type * as z from "zod";
import type { Config } from "../config.ts";
import type { Database, Transaction } from "../db/database.ts";
import { approvals, customers, fedexOrders, invoices, settings, unusualEvents, webhooks } from "../db/schema.ts";
import { runways } from "../lists/runway.ts";
import { isClaimed } from "../money/fedex-claims.ts";
import { dollars } from "../money/ledger.ts";

/** In the event's form. */
type DataOf<T> = T extends EventType
  ? z.input<(typeof eventData)[T]>
  : T extends StaffEventType
    ? z.input<(typeof staffEventData)[T]>
    : never;

/** Makes other people's text harmless where it is shown. */
type Say = (foreign: string) => string;

/** What is needed to tell the current state. */
export type Present = { db: Database | Transaction; timezone: Config["timezone"]; now: Date };

type Kind<Data> = {
  title: (count: string) => string;
  one: string;
  text: (data: Data, say: Say) => string;
  act: string;
  /** The screens of all and of one. */
  all: string;
  to: (data: Data) => string;
  /** The id of its subject, as `done` gets it. */
  about: (data: Data) => string;
  /** What became of notices that need nobody any more, in a word or two. */
  done: (present: Present, about: string[]) => Promise<Map<string, string>>;
};

const viewed = (path: string, id: string) => `${path}?view=${id}`;

/** For notices that need no action, or whose state is seen on their screen. */
const isTold = async () => new Map<string, string>();

/** For each kind of notice its events, its words and its link. */
export const kinds: { [K in NoticeKind]: Kind<DataOf<(typeof noticedEvents)[K]>> } = {
  newcomers: {
    one: "A new customer",
    title: (count) => `${count} new customers`,
    text: ({ customer }, say) => say(customer.username),
    act: "Verify",
    all: "/new-users",
    to: ({ customer }) => `/new-users?search=${customer._id}`,
    about: ({ customer }) => customer._id,
    async done({ db }, ids) {
      const rows = await db.select().from(customers).where(inArray(customers.id, ids));
      return wordsOf(rows, ({ verifiedAt, active }) => (verifiedAt ? "Verified" : active ? "" : "Declined"));
    },
  },
  fedex: {
    one: "A new Fedex order",
    title: (count) => `${count} new Fedex orders`,
    text: ({ customer }, say) => say(customer.username),
    act: "Claim",
    all: "/fedex",
    to: ({ order }) => viewed("/fedex", order._id),
    about: ({ order }) => order._id,
    async done({ db }, ids) {
      const { id, status, claimedName } = fedexOrders;
      const rows = await db
        .select({ id, status, claimedName, isClaimed })
        .from(fedexOrders)
        .where(inArray(fedexOrders.id, ids));
      return wordsOf(rows, ({ status, isClaimed, claimedName }) =>
        isClaimed ? `Claimed by ${claimedName}` : status === "Pending" ? "" : status,
      );
    },
  },
  invoices: {
    one: "A new invoice",
    title: (count) => `${count} new invoices`,
    text: ({ customer, invoice }, say) =>
      `${inDollars(invoice.amount)} of ${say(customer.username)} by ${methods[invoice.payment_method]}`,
    act: "Look for the deposit",
    all: "/invoices",
    to: ({ invoice }) => viewed("/invoices", invoice._id),
    about: ({ invoice }) => invoice._id,
    async done({ db }, ids) {
      const rows = await db.select().from(invoices).where(inArray(invoices.id, ids));
      return wordsOf(rows, ({ status }) => (status === "pending" ? "" : capitalised(status)));
    },
  },
  approvals: {
    one: "A request for approval",
    title: (count) => `${count} requests for approval`,
    text: ({ approval }, say) => `${say(approval.by)} wants to ${say(approval.words)}`,
    act: "Approve or decline",
    all: "/approvals",
    to: ({ approval }) => viewed("/approvals", approval._id),
    about: ({ approval }) => approval._id,
    async done({ db }, ids) {
      const { id, status, decidedName } = approvals;
      const isOver = sql<boolean>`${approvals.expiresAt} <= clock_timestamp()`;
      const rows = await db
        .select({ id, status, decidedName, isOver })
        .from(approvals)
        .where(inArray(approvals.id, ids));
      return wordsOf(rows, ({ status, decidedName, isOver }) => {
        if (status === "waiting") return isOver ? "Expired" : "";
        return decidedName ? `${capitalised(status)} by ${decidedName}` : capitalised(status);
      });
    },
  },
  books: {
    one: "The books do not balance",
    title: (count) => `The books did not balance, found ${count} times`,
    text: ({ problems }) => (problems.length === 1 ? "1 problem" : `${problems.length} problems`),
    act: "Open the books",
    all: "/",
    to: () => "/",
    about: () => "books",
    async done({ db }) {
      const [current] = await db.select().from(settings);
      return new Map(current?.booksProblems?.length === 0 ? [["books", "Balanced again"]] : []);
    },
  },
  "payment-handle": {
    one: "The payment handle was changed",
    title: (count) => `The payment handle was changed ${count} times`,
    text: ({ cashapp }, say) =>
      cashapp?.cashappId ? `Customers pay to ${say(cashapp.cashappId)}` : "Customers are shown none",
    act: "Check it",
    all: "/website",
    to: () => "/website",
    about: () => "",
    done: isTold,
  },
  codes: {
    one: "Codes run low",
    title: () => "Codes run low",
    text: ({ type, left }) => `${left === 0 ? "No" : left} ${type} codes left`,
    act: "Register codes",
    all: "/usps",
    to: () => "/usps",
    about: ({ type }) => type,
    async done({ db, now, timezone }) {
      const enough = (await runways(db as Database, { timezone }, now)).filter(({ isLow }) => !isLow);
      return new Map(enough.map(({ type }) => [type, "Enough again"]));
    },
  },
  webhooks: {
    one: "A webhook was paused",
    title: (count) => `${count} webhooks were paused`,
    text: ({ webhook, because }, say) => `${say(webhook.host)}: ${say(because)}`,
    act: "Mend and resume it",
    all: "/website",
    to: ({ webhook }) => `/website/webhooks/${webhook._id}`,
    about: ({ webhook }) => webhook._id,
    async done({ db }, ids) {
      const rows = await db.select().from(webhooks).where(inArray(webhooks.id, ids));
      const words = wordsOf(rows, ({ deletedAt, pausedAt }) => (deletedAt ? "Deleted" : pausedAt ? "" : "Resumed"));
      return new Map(ids.map((id) => [id, words.get(id) ?? "Deleted"]));
    },
  },
  unusual: {
    one: "Something unusual",
    title: (count) => `${count} unusual events`,
    text: ({ event }, say) => say(event.words),
    act: "Look into it",
    all: "/unusual",
    to: ({ event }) => `/unusual?status=All&search=${event._id}&view=${event._id}`,
    about: ({ event }) => event._id,
    async done({ db }, ids) {
      const rows = await db.select().from(unusualEvents).where(inArray(unusualEvents.id, ids));
      return wordsOf(rows, ({ dismissedName }) => (dismissedName ? `Dismissed by ${dismissedName}` : ""));
    },
  },
};

const methods = { cashapp: "Cash App", paypal: "PayPal" };
const inDollars = (amount: number) => dollars(Math.round(amount * 100));
const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const wordsOf = <Row extends { id: string }>(rows: Row[], words: (row: Row) => string) =>
  new Map(rows.map((row) => [row.id, words(row)]));
