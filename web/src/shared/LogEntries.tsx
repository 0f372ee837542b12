import type { Log } from "@footprint/contract/logs.ts";
import { Group, Skeleton, Text } from "@mantine/core";
import { Author } from "./Author.tsx";
import { Changes } from "./Changes.tsx";
import { Time } from "./format.tsx";
import classes from "./LogEntries.module.css";

/** Log entries; undefined while loading. `brief` is for entries of one account: only what was done, and when. */
export function LogEntries({ entries, brief = false }: { entries: readonly Log[] | undefined; brief?: boolean }) {
  const Entry = brief ? BriefEntry : WholeEntry;
  return (
    <ol className={classes.entries} aria-busy={!entries} data-brief={brief || undefined}>
      {entries?.map((entry) => (
        <li key={entry._id} className={classes.entry}>
          <Entry entry={entry} />
        </li>
      )) ?? (
        <li>
          <Skeleton height={160} />
        </li>
      )}
    </ol>
  );
}

function BriefEntry({ entry: { action, createdAt } }: { entry: Log }) {
  return (
    <Group justify="space-between" align="baseline" gap="0 16px">
      <Text span fz={13} style={{ overflowWrap: "anywhere" }}>
        {action}
      </Text>
      <Text span size="xs" c="dimmed">
        <Time value={createdAt} withHour />
      </Text>
    </Group>
  );
}

function WholeEntry({ entry }: { entry: Log }) {
  return (
    <>
      <Group justify="space-between" gap="0 16px">
        <Author by={entry.admin} />
        <Text size="xs" c="dimmed">
          <Time value={entry.createdAt} full />
        </Text>
      </Group>
      <Text size="sm" mb="xs">
        {entry.action}
      </Text>
      {(entry.before !== null || entry.after !== null) && <Changes log={entry} />}
    </>
  );
}
