import { session } from "@footprint/contract/session.ts";
import { Alert } from "@mantine/core";
import { formatCount } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";

/** A warning if sign-ins with this account failed before the present session began. */
export function FailedSignIns() {
  const current = useApiQuery(session.sessions, {}).data?.sessions.find((open) => open.current);
  const failures = current?.failuresBefore ?? 0;
  if (failures === 0) return null;
  return (
    <Alert
      color="orange"
      mb="md"
      maw={984}
      title={`${failures === 1 ? "1 failed sign-in" : `${formatCount(failures)} failed sign-ins`} before you signed in`}
    >
      If that was not you, somebody may be guessing your password. A long password and two-step sign-in keep them out.
    </Alert>
  );
}
