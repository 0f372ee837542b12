import { ActionIcon, Button, NativeSelect, TextInput, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconChevronsLeft, IconChevronsRight } from "@tabler/icons-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { formatCount, formatTotal } from "./format.tsx";
import { type List, pageSizes } from "./list.ts";
import { numberOf } from "./NumberField.tsx";
import classes from "./Pages.module.css";

/** The foot of a list: which rows are shown, the page size, and paging. */
export function Pages<T extends { _id: string }>({
  list,
  counted,
}: {
  list: List<T>;
  /** The words for one row and for several. */
  counted: [one: string, many: string];
}) {
  const { query, rows = [], values, setPage, setLimit } = list;
  const { page, limit } = values;
  const totalPages = query.data?.totalPages ?? 1;
  const first = (page - 1) * limit + 1;
  const all = formatTotal(query.data, ...counted, Boolean(values.search || list.isFiltered));
  const busy = query.isPlaceholderData;
  const rowsId = useId();
  const isLast = !query.data || page >= totalPages;

  return (
    <nav className={classes.pages} aria-label="Pages">
      <span className={classes.range} role="status">
        {!busy && rows.length > 0 && `${formatCount(first)}–${formatCount(first + rows.length - 1)} of `}
        {!busy && all}
        {busy && <VisuallyHidden>Loading</VisuallyHidden>}
      </span>
      <div className={classes.rows}>
        <label htmlFor={rowsId}>Rows</label>
        <NativeSelect
          id={rowsId}
          size="xs"
          value={limit}
          onChange={(event) => setLimit(Number(event.currentTarget.value))}
          data={pageSizes.map(String)}
        />
      </div>
      <div className={classes.turn}>
        <ActionIcon variant="default" size={30} aria-label="First page" disabled={page <= 1} onClick={() => setPage(1)}>
          <IconChevronsLeft size={14} />
        </ActionIcon>
        <Button
          variant="default"
          size="xs"
          disabled={page <= 1}
          onClick={() => setPage(Math.min(page - 1, totalPages))}
        >
          Prev
        </Button>
        <Place page={page} totalPages={query.data && totalPages} onGo={setPage} />
        <Button variant="default" size="xs" disabled={isLast} onClick={() => setPage(page + 1)}>
          Next
        </Button>
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Last page"
          disabled={isLast}
          onClick={() => setPage(totalPages)}
        >
          <IconChevronsRight size={14} />
        </ActionIcon>
      </div>
    </nav>
  );
}

/** "Page 3 of 1,260": when pressed, it becomes a field for a page number. */
function Place({
  page,
  totalPages,
  onGo,
}: {
  page: number;
  totalPages: number | undefined;
  onGo: (page: number) => void;
}) {
  const [isEditing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!isEditing) return;
    field.current?.focus();
    field.current?.select();
  }, [isEditing]);
  const of = totalPages ? ` of ${formatCount(totalPages)}` : "";

  function stop() {
    setEditing(false);
    // It exists again after this event.
    window.requestAnimationFrame(() => button.current?.focus());
  }

  function go(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const wanted = numberOf(String(new FormData(event.currentTarget).get("page")), 0);
    stop();
    if (Number.isInteger(wanted) && wanted > 0 && wanted !== page) onGo(Math.min(wanted, totalPages ?? wanted));
  }

  if (!isEditing) {
    return (
      <UnstyledButton ref={button} className={classes.place} onClick={() => setEditing(true)} title="Go to a page">
        {`Page ${formatCount(page)}${of}`}
      </UnstyledButton>
    );
  }
  return (
    <form className={classes.place} onSubmit={go}>
      Page{" "}
      <TextInput
        size="xs"
        w={64}
        name="page"
        inputMode="numeric"
        maxLength={9}
        aria-label="Go to page"
        defaultValue={page}
        ref={field}
        onKeyDown={(event) => event.key === "Escape" && stop()}
        onBlur={() => setEditing(false)}
      />
      {of}
    </form>
  );
}
