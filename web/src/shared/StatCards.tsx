import { Alert, Button, Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ApiError } from "./api.ts";
import classes from "./StatCards.module.css";

/** Figures above a list. While they load, their cards are there already, as tall as they will be. */
export function StatCards<R, K extends string>({
  title,
  query,
  names,
  figure,
  note,
}: {
  title: string;
  query: UseQueryResult<R, ApiError>;
  /** What is counted, in the cards' order. */
  names: readonly (readonly [of: K, name: string])[];
  figure: (stats: R, of: K) => ReactNode;
  /** Below the figure, in quiet text. */
  note?: (stats: R, of: K) => ReactNode;
}) {
  const { data } = query;
  if (query.isError && !data)
    return (
      <Alert color="red" mb="md">
        The statistics could not be loaded: {query.error.message}{" "}
        <Button size="compact-xs" variant="subtle" color="red" onClick={() => query.refetch()}>
          Retry
        </Button>
      </Alert>
    );
  return (
    <ul className={classes.cards} aria-label={title} aria-busy={!data}>
      {names.map(([of, name]) => (
        <li key={of} className={classes.card}>
          <div className={classes.quiet}>{name}</div>
          <div className={classes.figure}>{data ? figure(data, of) : <Skeleton height={24} width={48} />}</div>
          {note && <div className={classes.quiet}>{data ? note(data, of) : <Skeleton height={12} width={64} />}</div>}
        </li>
      ))}
    </ul>
  );
}
