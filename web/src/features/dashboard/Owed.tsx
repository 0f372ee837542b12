import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Reply } from "@footprint/contract/endpoint.ts";
import { Button, Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ApiError } from "../../shared/api.ts";
import { CardLink } from "../../shared/CardLink.tsx";
import { formatMoney, StatusBadge, Time } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import classes from "./Owed.module.css";
import { useReportedFailure } from "./useReportedFailure.ts";

/** Asked after the figures. */
export function useOwed(enabled: boolean) {
  const query = useApiQuery(dashboard.owed, {}, { enabled });
  useReportedFailure([query], "What is owed to customers could not be loaded");
  return query;
}

/** What is owed to all customers together, and whether the ledger agreed when it was last checked. */
export function Owed({ query }: { query: UseQueryResult<Reply<typeof dashboard.owed>, ApiError> }) {
  const { data } = query;
  return (
    <dl className={classes.owed} aria-busy={query.isPending}>
      <div>
        <dt>Owed to customers</dt>
        <dd className={classes.sum}>
          {data ? (
            <CardLink to="/users?withBalance=true" aria-label={`Owed to customers ${formatMoney(data.owed)}`}>
              {formatMoney(data.owed)}
            </CardLink>
          ) : (
            query.isPending && <Skeleton component="span" display="inline-block" width="5em" height="0.8em" />
          )}
        </dd>
      </div>
      <div>
        <dt>Ledger</dt>
        <dd>
          {data && (
            <>
              <StatusBadge tone={data.balanced ? "positive" : "danger"}>
                {data.balanced ? "Agrees" : "Does not agree"}
              </StatusBadge>{" "}
              <span className={classes.when}>
                checked <Time value={data.checkedAt} />
              </span>
            </>
          )}
          {query.isError && !data && (
            <Button size="compact-sm" variant="subtle" color="red" onClick={() => query.refetch()}>
              Not loaded. Retry
            </Button>
          )}
        </dd>
      </div>
    </dl>
  );
}
