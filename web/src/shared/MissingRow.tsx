import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ApiError } from "./api.ts";
import { DetailsPane } from "./DetailsPane.tsx";
import { keys, useEarlyKey } from "./keys.ts";
import { LoadFailure } from "./LoadFailure.tsx";
import { isNotFound } from "./NotFound.tsx";
import { Notice } from "./Notice.tsx";

/** Stands in for details whose row is missing: still loading, not on this page, or nonexistent. */
export function MissingRow({
  id,
  query,
  rowQuery,
  what,
  onClose,
}: {
  id: string;
  query: UseQueryResult<unknown, ApiError>;
  /** The query for that one row. */
  rowQuery: UseQueryResult<unknown, ApiError>;
  what: string;
  onClose: () => void;
}) {
  useEarlyKey(keys.refund.key);
  const name = what.charAt(0).toUpperCase() + what.slice(1);
  const isLoading = query.isPending || query.isPlaceholderData || rowQuery.isFetching;
  return (
    <DetailsPane what={name} id={id} size="md" onClose={onClose}>
      {isLoading ? (
        <Skeleton height={240} aria-busy />
      ) : rowQuery.isError && !isNotFound(rowQuery.error) ? (
        <LoadFailure query={rowQuery} title={`This ${what} could not be loaded`} />
      ) : rowQuery.isError ? (
        <Notice title={`This ${what} does not exist`} hint="The link may be mistyped or out of date." />
      ) : (
        <Notice title={`This ${what} is not on this page`} hint="The list has changed since. Search for it." />
      )}
    </DetailsPane>
  );
}
