import { dashboard } from "@footprint/contract/dashboard.ts";
import type { Reply } from "@footprint/contract/endpoint.ts";
import { Alert, Button } from "@mantine/core";
import { useState } from "react";
import { callApi } from "../../shared/api.ts";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { notifyError } from "../../shared/notify.ts";
import classes from "./Books.module.css";

type Result = Reply<typeof dashboard.books>;
type Books = { result: Result | undefined; checking: boolean; check: () => void };

/** Recomputes every balance from the rows. Only when asked: with many rows that takes a while. */
export function useBooks(): Books {
  const [result, setResult] = useState<Result>();
  const [checking, setChecking] = useState(false);

  async function check() {
    if (checking) return;
    setChecking(true);
    await callApi(dashboard.books, {}).then(setResult, notifyError);
    setChecking(false);
  }

  return { result, checking, check: () => void check() };
}

export function BooksCheck({ result, checking, check }: Books) {
  return (
    <div className={classes.check}>
      <div role="status">
        {result && (
          <StatusBadge tone={result.balanced ? "positive" : "danger"}>
            {result.balanced ? "Books balance" : "Books do not balance"}, checked <Time value={result.checkedAt} />
          </StatusBadge>
        )}
      </div>
      {/* Not `disabled`: a browser would take the focus away from it. */}
      <Button variant="default" onClick={check} aria-disabled={checking} data-disabled={checking}>
        {checking ? "Checking the books…" : "Check the books"}
      </Button>
    </div>
  );
}

export function BooksProblems({ result }: Books) {
  if (!result || result.balanced) return null;
  return (
    <Alert color="red" title="The books do not balance" mb={16}>
      <ul className={classes.problems}>
        {result.problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </Alert>
  );
}
