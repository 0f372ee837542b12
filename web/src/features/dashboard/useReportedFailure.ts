import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { ApiError } from "../../shared/api.ts";
import { notify } from "../../shared/notify.ts";

/** Once all calls have ended, one toast says that some failed. */
export function useReportedFailure(calls: readonly UseQueryResult<unknown, ApiError>[], what: string): void {
  const ended = calls.every((call) => call.fetchStatus === "idle");
  const failures = calls.flatMap((call) => call.error ?? []);
  const lastFailure = ended && failures.length > 0 ? Math.max(...calls.map((call) => call.errorUpdatedAt)) : 0;

  const told = useRef(0);
  useEffect(() => {
    if (lastFailure === told.current) return;
    told.current = lastFailure;
    if (!lastFailure) return;
    notify("error", `${what}: ${failures[0]?.message}`);
  }, [lastFailure, failures, what]);
}
