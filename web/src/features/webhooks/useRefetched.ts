import { webhooks } from "@footprint/contract/webhooks.ts";
import { type Query, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { fetchedForOthers } from "../../shared/liveEvents.ts";

const isOfWebhooks = ({ queryKey: [path] }: Query) => String(path).startsWith(webhooks.list.path);

/** Deliveries are no changes that anybody makes, and nobody announces them: what is shown of them is fetched again. */
export function useRefetched(every: number): void {
  const client = useQueryClient();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden) return;
      const shown = { type: "active", fetchStatus: "idle", predicate: isOfWebhooks } as const;
      for (const { queryHash } of client.getQueryCache().findAll(shown)) fetchedForOthers.add(queryHash);
      void client.invalidateQueries(shown);
    }, every);
    return () => clearInterval(timer);
  }, [client, every]);
}

/** Often while something is on its way. */
export const pauseWhile = (isMoving: boolean) => (isMoving ? 3_000 : 10_000);
