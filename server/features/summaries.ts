import { refusal } from "@footprint/contract/refusal.ts";
import { summaries as contract, DaySummary, mostDays } from "@footprint/contract/summaries.ts";
import { between, eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { daySummaries } from "../db/schema.ts";
import { routes } from "../http/routes.ts";
import { daysUntil, figuresByDay, today } from "../lists/counters.ts";
import { summaryOf } from "../money/summaries.ts";

/** Days that are listed by default. */
const usualDays = 14;

export const summaryRoutes = routes(contract, {
  async list({ db, query, config, now }) {
    const [yesterday = "", present = ""] = daysUntil(today(config, now()), 2);
    const { from, to = yesterday } = query;
    const last = to < present ? to : present;
    // There are no days before the year 1.
    const days = daysUntil(last, from ? mostDays : usualDays).filter((day) => day >= (from ?? "0001"));
    const [first, end] = [days[0], days.at(-1)];
    if (!first || !end) return { summaries: [] };
    const kept = await db
      .select()
      .from(daySummaries)
      .where(between(daySummaries.day, first, end));
    const sold = await figuresByDay(db, ["orders"], days);
    const earned = await figuresByDay(db, ["orders", "fedex charges"], days, ["Active", "charged"]);
    const paid = await figuresByDay(db, ["deposits"], days);
    const listed = days.map((day, place) => {
      const found = kept.find((row) => row.day === day);
      const summary = found && DaySummary.parse(found.summary);
      return {
        day,
        isKept: found !== undefined,
        orders: summary?.orders ?? sold[place]?.count ?? 0,
        revenue: summary?.revenue ?? earned[place]?.cents ?? 0,
        deposits: summary?.deposits.total ?? paid[place]?.cents ?? 0,
      };
    });
    return { summaries: listed.reverse() };
  },

  async read({ db, params: { day }, config, now }) {
    const present = today(config, now());
    if (day > present) throw refusal(404, "This day has not begun");
    const [kept] = await db.select().from(daySummaries).where(eq(daySummaries.day, day));
    return {
      day,
      isOver: day < present,
      keptAt: kept?.createdAt ?? null,
      firstDay: (await firstDay(db)) ?? present,
      summary: kept ? DaySummary.parse(kept.summary) : await summaryOf(db, day, day === present),
    };
  },
});

/** The day of the first customer. */
async function firstDay(db: Database): Promise<string | undefined> {
  const { rows } = await db.execute<{ day: string | null }>(sql`
    select min(first.day)::text as day from unnest(array['new', 'declined', 'verified']) as kind
    cross join lateral (
      select day from counters where subject = 'customers' and counters.kind = kind.kind and count > 0
      order by day limit 1) as first`);
  return rows[0]?.day ?? undefined;
}
