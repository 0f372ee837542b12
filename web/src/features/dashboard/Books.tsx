import { dashboard } from "@footprint/contract/dashboard.ts";
import { Alert, Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { notify } from "../../shared/notify.ts";
import { useApiQuery } from "../../shared/queries.ts";
import classes from "./Books.module.css";

/** Recomputes every balance from the rows. Only when asked: with many rows that takes a while. */
export function useBooks() {
  const { data, isFetching, refetch } = useApiQuery(dashboard.books, {}, { enabled: false, retry: false, gcTime: 0 });
  const client = useQueryClient();
  async function check() {
    const { error } = await refetch({ cancelRefetch: false });
    if (error) return notify("error", error.message);
    await client.invalidateQueries({ queryKey: [dashboard.owed.path] });
  }
  return { result: data, checking: isFetching, check };
}

type Books = ReturnType<typeof useBooks>;

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
      <Button variant="default" onClick={check} data-print="never" aria-disabled={checking} data-disabled={checking}>
        {checking ? "Checking the books…" : "Check the books"}
      </Button>
    </div>
  );
}

export function BooksProblems({ result }: Pick<Books, "result">) {
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
