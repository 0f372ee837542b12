import { type Log, logs, logTypes } from "@footprint/contract/logs.ts";
import { Button, VisuallyHidden } from "@mantine/core";
import { IconArrowsDiff, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import type { Column } from "../../shared/DataTable.tsx";
import { formatTotal, StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useListState } from "../../shared/listState.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { RowButton } from "../../shared/RowButton.tsx";
import { Author } from "./Author.tsx";

const LogChanges = lazyPart(() => import("./LogChanges.tsx").then((file) => file.LogChanges));

const typeFilter = { name: "status", label: "Type", options: ["All", ...logTypes], optionLabel: statusLabel } as const;

export function LogsScreen() {
  const state = useListState({ filter: typeFilter });
  const { by, showAll, clear } = useAuthorInAddress();
  const list = by === undefined ? state : { ...state, isNarrowed: true, clear };
  const query = useApiQuery(logs.list, { query: { ...list.values, ...(by && { by }) } });
  const [viewed, setViewed] = useState<Log>();

  const columns: Column<Log>[] = [
    { title: "Who", cell: (log) => <Author admin={log.admin} />, width: "14%", wraps: true, onCard: "headline" },
    {
      title: "Type",
      cell: (log) => <StatusBadge tone="info">{statusLabel(log.type)}</StatusBadge>,
      width: "10%",
      onCard: "aside",
    },
    { title: "Action", cell: (log) => log.action, width: "52%", wraps: true },
    { title: "Created", cell: (log) => <Time value={log.createdAt} />, dimmed: true, width: "12%" },
    {
      title: "",
      cell: (log) =>
        (log.before !== null || log.after !== null) && (
          <RowButton Icon={IconArrowsDiff} label={`Changes: ${log.action}`} onClick={() => setViewed(log)}>
            Changes
          </RowButton>
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
        tools={
          by && (
            <Button variant="light" rightSection={<IconX size={14} aria-hidden />} onClick={showAll}>
              By: {query.data?.by?.username ?? (query.data ? "nobody known" : "…")}
              <VisuallyHidden>, show everybody&apos;s entries</VisuallyHidden>
            </Button>
          )
        }
        empty={{
          title: "Nothing was changed yet",
          hint: "Whatever anyone changes is written here, with who and when.",
        }}
      />
      {viewed && <LogChanges log={viewed} onClose={() => setViewed(undefined)} />}
    </>
  );
}

const isId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The account whose entries the address asks for, and functions that show everybody's again. */
function useAuthorInAddress() {
  const [address, setAddress] = useSearchParams();
  const by = address.get("by") ?? "";
  const showAll = () =>
    setAddress((next) => {
      next.delete("by");
      next.delete("page");
      return next;
    });
  return { by: isId.test(by) ? by : undefined, showAll, clear: () => setAddress({}) };
}
