import { dashboard } from "@footprint/contract/dashboard.ts";
import { badInput } from "@footprint/contract/refusal.ts";
import { prepared } from "../db/prepared.ts";
import { labelTypes, settings } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { compared, namesOf } from "../lists/compared.ts";
import {
  centsOf,
  countOf,
  countsSince,
  dayAfter,
  daysUntil,
  figuresByDay,
  figuresByPeriod,
  type Span,
  today,
} from "../lists/counters.ts";
import { lastBackup } from "../lists/last-backup.ts";
import { type Runway, runways } from "../lists/runway.ts";
import { trendsAt } from "../lists/trends.ts";
import { waitingApprovals, waitingFedexOrders, waitingInvoices, waitingNewcomers } from "../lists/waiting.ts";
import { checkAndKeepBooks, lastBooks } from "../money/books.ts";
import { recentHandleChanges } from "../money/payment-settings.ts";
import { withFailedPrices } from "../money/prices/schedule.ts";
import { withPriceGaps } from "../money/prices/tiers.ts";
import { creditedAndReversed } from "../money/statements/lines.ts";
import { troubledWebhooks } from "../webhooks/deliveries.ts";

export const dashboardRoutes = routes(dashboard, {
  async orders({ db, config, now }) {
    const { allTime, today, week, month } = (await figuresByPeriod(db, ["orders"], config, now())).all;
    return {
      allTimeOrdersCount: allTime.count,
      todayOrdersCount: today.count,
      thisWeekOrdersCount: week.count,
      thisMonthOrdersCount: month.count,
    };
  },

  async users({ db, config, now }) {
    const { allTime, today, week, month } = (await figuresByPeriod(db, ["customers"], config, now())).all;
    return {
      allTimeUsersCount: allTime.count,
      // The specification's name for customers who joined today.
      todayOrdersCount: today.count,
      todayUsersCount: today.count,
      thisWeekUsersCount: week.count,
      thisMonthUsersCount: month.count,
    };
  },

  async revenue({ db, config, now }) {
    const { ofKind } = await figuresByPeriod(db, ["orders", "fedex charges"], config, now());
    const [sold, charged] = [ofKind("Active"), ofKind("charged")];
    const revenue = (period: keyof typeof sold) => sold[period].cents + charged[period].cents;
    return {
      allTimeRevenue: revenue("allTime"),
      todayRevenue: revenue("today"),
      thisWeekRevenue: revenue("week"),
      thisMonthRevenue: revenue("month"),
    };
  },

  async deposits({ db, config, now }) {
    const { all, ofKind } = await figuresByPeriod(db, ["deposits"], config, now());
    const cashapp = ofKind("cashapp");
    const paypal = ofKind("paypal");
    const by = (period: keyof typeof all) => ({ cashApp: cashapp[period].cents, paypal: paypal[period].cents });
    return {
      allTimeInvoicesAmount: { allTimeInvoicesAmount: all.allTime.cents, ...by("allTime") },
      todayInvoicesAmount: { todayInvoicesAmount: all.today.cents, ...by("today") },
      thisWeekInvoicesAmount: { thisWeekInvoicesAmount: all.week.cents, ...by("week") },
      thisMonthInvoicesAmount: { thisMonthInvoicesAmount: all.month.cents, ...by("month") },
    };
  },

  async graph({ db, config, now }) {
    const days = daysUntil(today(config, now()), 30);
    const counts = await figuresByDay(db, ["orders"], days);
    return { labels: days, data: counts.map(({ count }) => count) };
  },

  async charts({ db, config, now, query }) {
    const days = daysUntil(today(config, now()), Number(query.days));
    const since = days[0] ?? "";
    const [orders, revenue, byLabelType, byMethod, names] = await Promise.all([
      figuresByDay(db, ["orders"], days),
      figuresByDay(db, ["orders", "fedex charges"], days, ["Active", "charged"]),
      countsSince(db, "orders by label type", since),
      countsSince(db, "deposits", since),
      namesOf(db, labelTypes),
    ]);
    return {
      orders: { labels: days, data: orders.map(({ count }) => count) },
      revenue: { labels: days, data: revenue.map(({ cents }) => cents) },
      labelTypes: byLabelType.map(({ kind, count }) => ({ _id: kind, labelType: names.get(kind) ?? kind, count })),
      paymentGateways: byMethod.map(({ kind, count }) => ({ paymentGateway: kind, count })),
    };
  },

  trends: ({ db, config, now }) => trendsAt(db, today(config, now())),

  async compare({ db, config, now, query }) {
    const day = today(config, now());
    const { to = day, from = `${to.slice(0, 7)}-01` } = query;
    const span = { from, to };
    const days = daysIn(span);
    // If only one end is given, the compared span is equally long.
    const against = {
      from: query.againstFrom ?? dayAfter(query.againstTo ?? dayAfter(from, -1), 1 - days),
      to: query.againstTo ?? (query.againstFrom ? dayAfter(query.againstFrom, days - 1) : dayAfter(from, -1)),
    };
    if (days < 1) throw badInput("query.to", "The last day comes before the first");
    if (daysIn(against) < 1) throw badInput("query.againstTo", "The last day comes before the first");
    return compared(db, span, against, day);
  },

  async attention({ db, config, now, actor }) {
    const together = await allOf({
      kept: prepared(db, "settings", () => db.select().from(settings).prepare("")).execute(),
      newUsers: waitingNewcomers(db),
      fedexOrders: waitingFedexOrders(db),
      invoices: waitingInvoices(db),
      amount: centsOf(db, "invoices", "pending"),
      codes: runways(db, config, now()),
      priceGaps: withPriceGaps(db),
      failedPrices: withFailedPrices(db),
      unusual: countOf(db, { subject: "unusual events", kinds: ["open"] }),
      approvals: waitingApprovals(db, actor),
      reversedPayments: creditedAndReversed(db),
      webhooks: troubledWebhooks(db),
      paymentHandle: recentHandleChanges(db),
      backup: config.backups ? lastBackup(db, config.backups, now()) : null,
    });
    const {
      kept: [kept],
      amount,
      ...found
    } = together;
    return {
      ...found,
      invoices: { ...found.invoices, amount },
      codes: found.codes.filter(({ isLow }) => isLow).sort(byDaysLeft),
      approvals: found.approvals ?? { count: 0, oldest: null },
      books: kept?.booksCheckedAt
        ? {
            balanced: !kept.booksProblems?.length,
            checkedAt: kept.booksCheckedAt,
            problems: kept.booksProblems?.length ?? 0,
          }
        : null,
    };
  },

  async owed({ db }) {
    return lastBooks(db);
  },

  async books({ db }) {
    return checkAndKeepBooks(db);
  },
});

/** Runs several queries at once. */
async function allOf<T extends Record<string, unknown>>(asked: T): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const found = await Promise.all(Object.entries(asked).map(async ([name, answer]) => [name, await answer] as const));
  return Object.fromEntries(found) as { [K in keyof T]: Awaited<T[K]> };
}

const daysIn = ({ from, to }: Span) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;

/** Types that are needed but empty, or whose days are unknown, come first. */
const byDaysLeft = (a: Runway, b: Runway) => (a.days ?? 0) - (b.days ?? 0) || a.left - b.left;
