import { Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";
import classes from "./Conflict.module.css";
import type { ConflictRow, ShownConflict } from "./edits.ts";
import { Time } from "./format.tsx";
import { useSession } from "./session.ts";

/** Somebody else saved first: shows their changes beside one's own, to be decided field by field. */
export function Conflict({ conflict }: { conflict: ShownConflict }) {
  const { version, by, at, asked, rows, isShown, onShown } = conflict;
  const { username } = useSession();
  const box = useRef<HTMLElement>(null);
  const title = useId();
  // Together with what is drawn: whoever sees it may press a key at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each one that is met
  useLayoutEffect(() => box.current?.focus(), [version]);
  useLayoutEffect(() => {
    if (!isShown) onShown();
  });
  useEffect(() => {
    if (asked) box.current?.querySelector<HTMLElement>("[data-open] input")?.focus();
  }, [asked]);
  const isOwn = by === username;
  const when = at && <Time value={at} plain />;
  return (
    <section ref={box} tabIndex={-1} className={classes.conflict} aria-labelledby={title}>
      <h3 id={title}>
        <IconAlertTriangle size={16} aria-hidden />
        <span>
          {isOwn ? "You" : (by ?? "Somebody")} changed this {isOwn ? "elsewhere " : ""}
          {when}
        </span>
      </h3>
      <p>{rows.length > 0 ? "Nothing of yours is saved yet: decide what stays, then save." : "Save again to go on."}</p>
      {rows.map((row) => (
        <Decision
          key={row.name}
          row={row}
          now={
            <>
              Now{by ? ` (by ${isOwn ? "you" : by}` : at ? " (" : ""}
              {by && at ? ", " : ""}
              {when}
              {by || at ? ")" : ""}
            </>
          }
        />
      ))}
      {asked > 0 && (
        <Text inherit role="alert" c="var(--mantine-color-error)">
          Decide about{" "}
          {rows
            .filter(({ chosen }) => !chosen)
            .map(({ label }) => label)
            .join(", ")}{" "}
          first.
        </Text>
      )}
    </section>
  );
}

function Decision({ row, now }: { row: ConflictRow; now: ReactNode }) {
  const group = useId();
  const side = (name: "mine" | "theirs", whose: ReactNode, value: string) => (
    <label className={classes.side} data-chosen={row.chosen === name || undefined}>
      <input type="radio" name={group} checked={row.chosen === name} onChange={() => row.choose(name)} />
      <Side whose={whose} value={value} />
    </label>
  );
  return (
    <fieldset className={classes.field} data-open={!row.chosen || undefined}>
      <legend>{row.label}</legend>
      {row.isFinal ? (
        <div className={classes.side}>
          <Side whose={now} value={row.theirs} />
        </div>
      ) : (
        <>
          {side("mine", row.isTheirs ? "Before" : "Yours", row.mine)}
          {side("theirs", now, row.theirs)}
        </>
      )}
    </fieldset>
  );
}

const Side = ({ whose, value }: { whose: ReactNode; value: string }) => (
  <span>
    <span className={classes.whose}>{whose}</span> <span className={classes.value}>{value || "–"}</span>
  </span>
);
