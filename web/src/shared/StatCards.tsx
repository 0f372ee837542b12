import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import type { ApiError } from "./api.ts";
import { CardLink } from "./CardLink.tsx";
import { RetryAlert } from "./LoadFailure.tsx";
import classes from "./StatCards.module.css";

/** Figures above a list. The cards have their final height while the figures load. */
export function StatCards<R, K extends string>({
  title,
  query,
  names,
  inline = false,
  figure,
  note,
  emptyNote = <Skeleton height={12} width={64} />,
  list,
}: {
  title: string;
  query: UseQueryResult<R, ApiError>;
  /** What is counted, in the order of the cards. */
  names: readonly (readonly [key: K, name: string])[];
  /** Name, figure and note in one line, if there is room. */
  inline?: boolean;
  figure: (stats: R, key: K) => ReactNode;
  /** Small grey text below the figure, or at the end of the line. */
  note?: (stats: R, key: K) => ReactNode;
  /** Keeps the note's place while the figures load. */
  emptyNote?: ReactNode;
  /** The address of the list behind a figure. */
  list: (key: K) => string;
}) {
  const id = useId();
  const { data } = query;
  if (query.isError && !data)
    return (
      <RetryAlert mb="md" onRetry={() => query.refetch()}>
        The statistics could not be loaded: {query.error.message}
      </RetryAlert>
    );
  return (
    <ul className={classes.cards} aria-label={title} aria-busy={!data} data-inline={inline || undefined}>
      {names.map(([key, name]) => (
        <li key={key} className={classes.card}>
          <div className={classes.quiet} id={`${id}-${key}`}>
            {name}
          </div>
          <div className={classes.figure}>
            {data ? (
              <CardLink to={list(key)} preventScrollReset aria-describedby={`${id}-${key}`}>
                {figure(data, key)}
              </CardLink>
            ) : (
              <Skeleton height={24} width={48} />
            )}
          </div>
          {note && <div className={classes.quiet}>{data ? note(data, key) : emptyNote}</div>}
        </li>
      ))}
    </ul>
  );
}
