import { type Log, logs, logTypes } from "@footprint/contract/logs.ts";
import { Button } from "@mantine/core";
import { IconArrowsDiff } from "@tabler/icons-react";
import { useState } from "react";
import type { Column } from "../../shared/DataTable.tsx";
import { formatTotal, StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { useListState } from "../../shared/listState.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { LogChanges } from "./LogChanges.tsx";
import classes from "./LogsScreen.module.css";

const typeFilter = { name: "status", label: "Type", options: ["All", ...logTypes], read: statusLabel } as const;

export function LogsScreen() {
  const list = useListState({ filter: typeFilter });
  const query = useApiQuery(logs.list, { query: list.values });
  const [viewed, setViewed] = useState<Log>();

  const columns: Column<Log>[] = [
    { title: "Who", cell: (log) => <b>{log.admin.username}</b>, width: "14%", onCard: "headline" },
    {
      title: "Type",
      cell: (log) => <StatusBadge tone="info">{statusLabel(log.type)}</StatusBadge>,
      width: "10%",
      onCard: "aside",
    },
    { title: "Action", cell: (log) => <span className={classes.action}>{log.action}</span>, width: "52%" },
    { title: "Created", cell: (log) => <Time value={log.createdAt} />, dimmed: true, width: "12%" },
    {
      title: "",
      cell: (log) =>
        (log.before !== null || log.after !== null) && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconArrowsDiff size={14} aria-hidden />}
            aria-label={`Changes: ${log.action}`}
            onClick={() => setViewed(log)}
          >
            Changes
          </Button>
        ),
    },
  ];

  return (
    <>
      <ListScreen
        title="Transaction Logs"
        subtitle={formatTotal(query.data, "entry", "entries", list.isNarrowed)}
        showsTimes
        list={list}
        query={query}
        rows={(reply) => reply.logs}
        columns={columns}
        searchFor="Who, action"
        empty={{
          title: "Nothing was changed yet",
          hint: "Whatever anyone changes is written here, with who and when.",
        }}
      />
      {viewed && <LogChanges log={viewed} onClose={() => setViewed(undefined)} />}
    </>
  );
}
