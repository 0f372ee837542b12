import { isDeepStrictEqual } from "node:util";
import { settingsId } from "@footprint/contract/logs.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { unusual as contract, moneyRules, type UnusualRule, unusualRules } from "@footprint/contract/unusual.ts";
import { eq, isNotNull, isNull, sql } from "drizzle-orm";
import { record } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import { refuseIfChanged, versionOf } from "../accounts/versions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { accounts, customers, settings, unusualEvents } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { exportList } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { searched } from "../lists/searched.ts";
import { because } from "../money/corrections.ts";
import { dollars } from "../money/ledger.ts";
import { aboutEvent, eventInWords } from "../money/unusual-look.ts";
import { type Least, leastOf } from "../money/unusual-rules.ts";

export const unusualRoutes = routes(contract, {
  async list({ db, query }) {
    const { rows, ...counts } = await pageOf(db, list, query);
    return { events: rows.map(present), ...counts };
  },

  export: (call) => exportList(call, list),

  exportChosen: (call) => exportList(call, list),

  async read({ db, params }) {
    const [row] = await selectEvents(db).where(eq(unusualEvents.id, params.id));
    if (!row) throw unknownEvent();
    return { event: present(row) };
  },

  dismiss: ({ params, body: { reason, seen }, actor, transaction }) =>
    transaction((tx) => dismiss(tx, actor, params.id, reason, seen)),

  dismissSeveral: ({ body: { ids, reason }, actor, several }) =>
    several(ids, "dismissed", (tx, id) => dismiss(tx, actor, id, reason)),

  async rules({ db }) {
    const [current] = await db.select().from(settings);
    if (!current) throw new Error("the settings row is missing");
    const rules = leastOf(current);
    return { rules, version: versionOf(inDollars(rules)) };
  },

  async updateRules({ body, actor, seen, transaction }) {
    return transaction(async (tx) => {
      const [current] = await tx.select().from(settings).for("update");
      if (!current) throw new Error("the settings row is missing");
      const before = leastOf(current);
      await refuseIfChanged(tx, seen, settingsId, inDollars(before));
      const after = { ...before };
      for (const rule of unusualRules) after[rule] = body[rule] === undefined ? before[rule] : body[rule];
      const version = versionOf(inDollars(after));
      if (isDeepStrictEqual(before, after)) return { message: "The rules are unchanged", version };
      await tx.update(settings).set({ unusualRules: after });
      const changed = unusualRules.filter((rule) => before[rule] !== after[rule]);
      const words = changed.map((rule) => `${rule} ${inWords(rule, before[rule])} to ${inWords(rule, after[rule])}`);
      await record(tx, actor, "website", `Changed the rules about unusual events: ${words.join(", ")}`, {
        before: inDollars(before),
        after: inDollars(after),
        about: { kind: "settings", id: settingsId },
        events: [{ type: "settings.changed", data: { setting: "unusual-rules" } }],
      });
      return { message: "Rules saved", version };
    });
  },
});

const selectEvents = (db: Database | Transaction) =>
  db
    .select({
      event: unusualEvents,
      user: { _id: customers.id, username: customers.username },
      account: { _id: accounts.id, username: accounts.username },
    })
    .from(unusualEvents)
    .leftJoin(customers, eq(customers.id, unusualEvents.customerId))
    .leftJoin(accounts, eq(accounts.id, unusualEvents.accountId))
    .$dynamic();

type Row = Awaited<ReturnType<typeof selectEvents>>[number];

function present({ event, user, account }: Row) {
  const { dismissedAt: at, dismissedName: by, dismissedBecause: reason } = event;
  return {
    ...event,
    _id: event.id,
    user,
    account,
    seen: amountOf(event.rule, event.seen),
    usual: event.usual === null ? null : amountOf(event.rule, event.usual),
    dismissed: at && by !== null && reason !== null ? { at, by, reason } : null,
  };
}

const isOpen = isNull(unusualEvents.dismissedAt);
const isDismissed = isNotNull(unusualEvents.dismissedAt);
const shown = (value: typeof unusualEvents.seen | typeof unusualEvents.usual) =>
  sql`case when ${unusualEvents.rule} in ('spend', 'refunds', 'credits', 'deposits') then (${value} / 100.0)::numeric(18, 2) else ${value} end`;

const list = listOf({
  name: "unusual-events",
  table: unusualEvents,
  counted: { subject: "unusual events" },
  searched: searched.unusualEvents,
  filters: ({ customer, rule, status }: Filters<typeof contract.list>) => [
    customer && having(unusualEvents.customerId, customer),
    status !== "All" && {
      where: status === "open" ? isOpen : isDismissed,
      counted: { subject: "unusual events", kinds: [status] },
    },
    rule && having(unusualEvents.rule, rule),
  ],
  select: selectEvents,
  columns: {
    Id: unusualEvents.id,
    Noticed: unusualEvents.createdAt,
    Rule: unusualEvents.rule,
    Day: unusualEvents.day,
    Name: unusualEvents.name,
    Seen: shown(unusualEvents.seen),
    Usual: shown(unusualEvents.usual),
    "Customer id": unusualEvents.customerId,
    "Account id": unusualEvents.accountId,
    Dismissed: unusualEvents.dismissedAt,
    "Dismissed by": unusualEvents.dismissedName,
    Reason: unusualEvents.dismissedBecause,
  },
});

async function dismiss(tx: Transaction, actor: Actor, id: string, reason: string, seen?: number) {
  const [event] = await tx.select().from(unusualEvents).where(eq(unusualEvents.id, id)).for("update");
  if (!event) throw unknownEvent();
  if (event.dismissedAt) throw refusal(409, `${event.dismissedName} has dismissed this already`);
  if (seen !== undefined && amountOf(event.rule, event.seen) > seen)
    throw refusal(409, `It has come to more meanwhile: ${eventInWords(event)}`);
  await tx
    .update(unusualEvents)
    .set({
      dismissedAt: sql`now()`,
      dismissedBy: actor.id,
      dismissedName: actor.username,
      dismissedBecause: reason,
    })
    .where(eq(unusualEvents.id, id));
  const { type, about } = aboutEvent(event);
  const words = eventInWords(event);
  const change = { before: { dismissed: false }, after: { dismissed: true }, about };
  await record(tx, actor, ...because(reason, [type, `Dismissed something unusual: ${words}`, change]));
  return { message: `Dismissed: ${words}` };
}

const unknownEvent = () => refusal(404, "This event does not exist");

const amountOf = (rule: UnusualRule, value: number) => (moneyRules.includes(rule) ? value / 100 : value);

/** In dollars, as in contract and log. */
const inDollars = (rules: Least) =>
  Object.fromEntries(
    unusualRules.map((rule) => {
      const least = rules[rule];
      return [rule, least === null ? null : amountOf(rule, least)];
    }),
  );

function inWords(rule: UnusualRule, least: number | null): string {
  if (least === null) return "off";
  if (rule === "prices") return `above ${least} %`;
  return moneyRules.includes(rule) ? `from ${dollars(least)}` : `from ${least} orders`;
}
