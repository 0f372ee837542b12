import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { ApiError } from "../../shared/api.ts";
import { notify } from "../../shared/notify.ts";

/** Once all calls have ended, one toast says that some failed. */
export function useReportedFailure(calls: readonly UseQueryResult<unknown, ApiError>[], what: string): void {
  const ended = calls.every((call) => call.fetchStatus === "idle");
  const failure = calls.find((call) => call.error)?.error?.message;

  const isTold = useRef(false);
  useEffect(() => {
    if (!ended) return;
    if (failure && !isTold.current) notify("error", `${what}: ${failure}`);
    isTold.current = failure !== undefined;
  }, [ended, failure, what]);
}
