import { Alert, Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ApiError } from "./api.ts";
import { Notice } from "./Notice.tsx";

type Query = UseQueryResult<unknown, ApiError>;

/** Shown instead of the rows. */
export function LoadFailure({ query }: { query: Query }) {
  return (
    <Notice title="This list could not be loaded" hint={query.error?.message} role="alert">
      <Button variant="default" loading={query.isFetching} onClick={() => query.refetch()}>
        Retry
      </Button>
    </Notice>
  );
}

/** Shown above rows that could not be refreshed. */
export function OutOfDate({ query }: { query: Query }) {
  if (!query.isError || !query.data) return null;
  return (
    <Alert color="red" radius={0} py={8}>
      These rows may be out of date: {query.error.message}{" "}
      <Button size="compact-xs" variant="subtle" color="red" onClick={() => query.refetch()}>
        Retry
      </Button>
    </Alert>
  );
}
