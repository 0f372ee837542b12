import { queues as contract } from "@footprint/contract/queues.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { routes } from "../http/routes.ts";
import { countsByKind } from "../lists/counters.ts";
import { runways } from "../lists/runway.ts";
import { waitingApprovals, waitingFedexOrders, waitingInvoices, waitingNewcomers } from "../lists/waiting.ts";

export const queueRoutes = routes(contract, {
  async read({ db, config, now, actor }) {
    return {
      newUsers: await waitingNewcomers(db),
      fedexOrders: await waitingFedexOrders(db),
      invoices: await waitingInvoices(db),
      approvals: await waitingApprovals(db, actor),
      codes: actor.role === "admin" ? await shortestStock(db, config, now()) : null,
    };
  },
});

/** The codes that need somebody soonest, of the types that were ever bought or are needed. */
async function shortestStock(db: Database, config: Config, now: Date) {
  const counts = await countsByKind(db, "tracking codes");
  const [shortest] = (await runways(db, config, now))
    .filter(({ type, left, isLow }) => isLow || left + (counts[`${type} used`] ?? 0) > 0)
    .sort((a, b) => Number(b.isLow) - Number(a.isLow) || (a.days ?? farOff) - (b.days ?? farOff) || a.left - b.left);
  if (!shortest) return null;
  const { type, left, days, isLow } = shortest;
  return { type, left, days, low: isLow };
}

const farOff = Number.MAX_SAFE_INTEGER;
