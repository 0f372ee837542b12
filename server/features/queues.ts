import { queues as contract } from "@footprint/contract/queues.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { routes } from "../http/routes.ts";
import { countsByKind } from "../lists/counters.ts";
import { runways } from "../lists/runway.ts";
import { waitingApprovals, waitingFedexOrders, waitingInvoices, waitingNewcomers } from "../lists/waiting.ts";

export const queueRoutes = routes(contract, {
  async read({ db, config, now, actor }) {
    const [newUsers, fedexOrders, invoices, approvals, codes] = await Promise.all([
      waitingNewcomers(db),
      waitingFedexOrders(db),
      waitingInvoices(db),
      waitingApprovals(db, actor),
      actor.role === "admin" ? shortestStock(db, config, now()) : null,
    ]);
    return { newUsers, fedexOrders, invoices, approvals, codes };
  },
});

/** The codes that run out soonest, of the types that were ever bought or are needed. */
async function shortestStock(db: Database, config: Config, now: Date) {
  const [counts, all] = await Promise.all([countsByKind(db, "tracking codes"), runways(db, config, now)]);
  const [shortest] = all
    .filter(({ type, left, isLow }) => isLow || left + (counts[`${type} used`] ?? 0) > 0)
    .sort((a, b) => Number(b.isLow) - Number(a.isLow) || (a.days ?? farOff) - (b.days ?? farOff) || a.left - b.left);
  if (!shortest) return null;
  const { type, left, days, isLow } = shortest;
  return { type, left, days, low: isLow };
}

const farOff = Number.MAX_SAFE_INTEGER;
