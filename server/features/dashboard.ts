import { dashboard } from "@footprint/contract/dashboard.ts";
import { inArray } from "drizzle-orm";
import { labelTypes } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { countsSince, daysUntil, figuresByDay, figuresByPeriod, today } from "../lists/counters.ts";
import { checkAndKeepBooks, lastBooks } from "../money/books.ts";

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
      // The specification's name for the customers who joined today.
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
    const revenue = await figuresByDay(db, ["orders", "fedex charges"], days, ["Active", "charged"]);
    const byLabelType = await countsSince(db, "orders by label type", since);
    const named = await db
      .select()
      .from(labelTypes)
      .where(
        inArray(
          labelTypes.id,
          byLabelType.map(({ kind }) => kind),
        ),
      );
    const names = new Map(named.map(({ id, name }) => [id, name]));
    const byMethod = await countsSince(db, "deposits", since);
    return {
      revenue: { labels: days, data: revenue.map(({ cents }) => cents) },
      labelTypes: byLabelType.map(({ kind, count }) => ({ labelType: names.get(kind) ?? kind, count })),
      paymentGateways: byMethod.map(({ kind, count }) => ({ paymentGateway: kind, count })),
    };
  },

  async owed({ db }) {
    return lastBooks(db);
  },

  async books({ db }) {
    return checkAndKeepBooks(db);
  },
});
