import type { FedexOrder } from "@footprint/contract/fedex.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { ActionIcon, Button, Kbd, Skeleton, VisuallyHidden } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconFileCheck, IconFiles } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { useHasDraft } from "../../shared/drafts.ts";
import { formatCount, formatTotal } from "../../shared/format.tsx";
import { LoadFailure, OutOfDate } from "../../shared/LoadFailure.tsx";
import { Notice } from "../../shared/Notice.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { SearchField } from "../../shared/SearchField.tsx";
import { useSession } from "../../shared/session.ts";
import { useMinute } from "../../shared/today.ts";
import { chooseFiles } from "./chooseFiles.ts";
import { ageOf, type Desk, isLate, queues } from "./desk.ts";
import classes from "./FedexDesk.module.css";

/** The orders of a queue, those that have waited longest first. */
export function DeskList({ desk, onFiles }: { desk: Desk; onFiles: (files: File[]) => void }) {
  const { query, rows, search, page } = desk;
  const total = query.data;
  return (
    <div className={classes.list}>
      <search className={classes.tools}>
        <SearchField value={search} onChange={desk.setSearch} placeholder="Order id, sender, receiver" />
        <Queues desk={desk} />
      </search>
      <OutOfDate query={query} />
      {query.isError && !rows ? (
        <LoadFailure query={query} />
      ) : rows?.length === 0 ? (
        <Notice title={search ? "Nothing found" : "No orders here"} />
      ) : (
        <ul
          className={classes.rows}
          aria-label="Orders"
          aria-busy={!rows}
          data-stale={query.isPlaceholderData || undefined}
        >
          {rows?.map((order) => <Row key={order._id} order={order} desk={desk} />) ?? <Waiting />}
        </ul>
      )}
      <div className={classes.listFoot}>
        <span>{formatTotal(total, "order", "orders", false)}</span>
        {total && total.totalPages > 1 && (
          <nav aria-label="Pages" className={classes.pager}>
            <ActionIcon variant="default" aria-label="Prev" disabled={page <= 1} onClick={() => desk.setPage(page - 1)}>
              <IconChevronLeft size={16} />
            </ActionIcon>
            {page}
            <ActionIcon
              variant="default"
              aria-label="Next"
              disabled={page >= total.totalPages}
              onClick={() => desk.setPage(page + 1)}
            >
              <IconChevronRight size={16} />
            </ActionIcon>
          </nav>
        )}
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconFiles size={14} aria-hidden />}
          rightSection={<Key name="U" />}
          aria-keyshortcuts="u"
          onClick={() => chooseFiles(onFiles)}
        >
          Several files…
        </Button>
      </div>
    </div>
  );
}

/** The key that does the same; a screen reader hears it with the button. */
export const Key = ({ name }: { name: string }) => (
  <Kbd size="xs" aria-hidden>
    {name}
  </Kbd>
);

function Queues({ desk: { queue, setQueue } }: { desk: Desk }) {
  const { data } = useApiQuery(fedex.stats, {});
  const counts: Record<string, number | undefined> = data
    ? {
        open: data.pending + data.inProcess + data.awaitingInput,
        pending: data.pending,
        awaiting: data.awaitingInput,
      }
    : {};
  return (
    <fieldset className={classes.queues} aria-label="Show">
      {queues.map(({ name, label }) => (
        <Button
          key={name}
          size="compact-sm"
          variant="light"
          {...(queue.name !== name && { color: "gray" })}
          aria-pressed={queue.name === name}
          onClick={() => setQueue(name)}
        >
          {label} {counts[name] !== undefined && formatCount(counts[name])}
        </Button>
      ))}
    </fieldset>
  );
}

function Row({ order, desk }: { order: FedexOrder; desk: Desk }) {
  useMinute();
  const isOpen = order._id === desk.viewed;
  const isUnsaved = useHasDraft(order._id);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    button.current?.scrollIntoView({ block: "nearest" });
    // The form of the order before had the focus and is gone, or the list itself moved on.
    const { activeElement } = document;
    const isFree = activeElement === document.body || activeElement?.id === "content";
    if (isFree || activeElement?.closest(`.${classes.rows}`)) button.current?.focus({ preventScroll: true });
  }, [isOpen]);
  return (
    <li>
      <button
        ref={button}
        type="button"
        className={classes.row}
        aria-current={isOpen || undefined}
        onClick={() => desk.view(order._id)}
      >
        <b>{order.to.name}</b>
        <span className={classes.signs}>
          {order.file && (
            <>
              <IconFileCheck className={classes.hasFile} size={16} aria-hidden />
              <VisuallyHidden>Has a file, </VisuallyHidden>
            </>
          )}
          {order.claim && <Claimant claim={order.claim} />}
          <span className={classes.age} data-late={isLate(order) || undefined}>
            {ageOf(order.createdAt)}
          </span>
        </span>
        <span className={classes.second}>
          {[[order.to.city, order.to.state].filter(Boolean).join(", "), `${order.weight} ${order.weightUnit}`]
            .filter(Boolean)
            .join(" · ")}
        </span>
        <span className={classes.second} data-unsaved={isUnsaved || undefined}>
          {isUnsaved ? "Not saved" : order.status}
        </span>
      </button>
    </li>
  );
}

/** Who works on it, in two letters. */
export function Claimant({ claim: { by } }: { claim: NonNullable<FedexOrder["claim"]> }) {
  const { username } = useSession();
  return (
    <span
      className={classes.claimant}
      data-mine={by.username === username || undefined}
      title={`Claimed by ${by.username}`}
    >
      <span aria-hidden>{by.username.slice(0, 2).toUpperCase()}</span>
      <VisuallyHidden>Claimed by {by.username}, </VisuallyHidden>
    </span>
  );
}

const Waiting = () =>
  Array.from({ length: 8 }, (_, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <li key={place} className={classes.row}>
      <Skeleton height={36} />
    </li>
  ));
