import { Alert, type AlertProps, Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ApiError } from "./api.ts";
import { Notice } from "./Notice.tsx";

type Query = UseQueryResult<unknown, ApiError>;

/** Shown instead of what could not be loaded. */
export function LoadFailure({ query, title = "This list could not be loaded" }: { query: Query; title?: string }) {
  return (
    <Notice title={title} hint={query.error?.message} role="alert">
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
    <RetryAlert radius={0} py={8} onRetry={() => query.refetch()}>
      These rows may be out of date: {query.error.message}
    </RetryAlert>
  );
}

/** A failure in a line, with a button that tries again. */
export function RetryAlert({ onRetry, children, ...look }: AlertProps & { onRetry: () => void }) {
  return (
    <Alert color="red" {...look}>
      {children}{" "}
      <Button size="compact-xs" variant="subtle" color="red" onClick={onRetry}>
        Retry
      </Button>
    </Alert>
  );
}
