import { type TrackingCode, tracking } from "@footprint/contract/tracking.ts";
import { Alert, Button, Skeleton } from "@mantine/core";
import { formatCount, StatusBadge } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { typeNames } from "./names.ts";
import classes from "./TrackingStats.module.css";

/** Fewer than this are soon gone: time to buy the next range. */
const lowStock = 100;

const types = Object.keys(typeNames) as TrackingCode["type"][];

/** How many codes are left and used, per type. */
export function TrackingStats() {
  const query = useApiQuery(tracking.stats, {});
  if (query.isError && !query.data)
    return (
      <Alert color="red" mb="md">
        The statistics could not be loaded: {query.error.message}{" "}
        <Button size="compact-xs" variant="subtle" color="red" onClick={() => query.refetch()}>
          Retry
        </Button>
      </Alert>
    );
  return (
    <ul className={classes.stats} aria-label="Codes left and used" aria-busy={!query.data}>
      {types.map((type) => (
        <li key={type} className={classes.card}>
          <div className={classes.name}>{typeNames[type]}</div>
          {query.data ? (
            <>
              <div className={classes.left}>
                {formatCount(query.data.left[type])} <small>left</small>
                <Stock left={query.data.left[type]} />
              </div>
              <div className={classes.used}>{formatCount(query.data.used[type])} used</div>
            </>
          ) : (
            <Skeleton height={56} width="60%" />
          )}
        </li>
      ))}
    </ul>
  );
}

function Stock({ left }: { left: number }) {
  if (left === 0) return <StatusBadge tone="danger">None</StatusBadge>;
  return left < lowStock ? <StatusBadge tone="warning">Low</StatusBadge> : null;
}
