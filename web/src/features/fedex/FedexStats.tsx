import { fedex } from "@footprint/contract/fedex.ts";
import { Alert, Button, Skeleton } from "@mantine/core";
import { formatCount } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import classes from "./FedexStats.module.css";

const cards = [
  { label: "Pending", count: "pending" },
  { label: "Completed", count: "completed" },
  { label: "Cancelled", count: "cancelled" },
] as const;

/** How many orders there are of the statuses that matter most. */
export function FedexStats() {
  const query = useApiQuery(fedex.stats, {});
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
    <dl className={classes.stats} aria-busy={!query.data}>
      {cards.map(({ label, count }) => (
        <div key={label} className={classes.card} data-count={count}>
          <dt>{label}</dt>
          <dd>{query.data ? formatCount(query.data[count]) : <Skeleton height={24} width={48} my={6} />}</dd>
        </div>
      ))}
    </dl>
  );
}
