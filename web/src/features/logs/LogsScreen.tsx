import { type Log, logs, logTypes } from "@footprint/contract/logs.ts";
import { IconArrowsDiff } from "@tabler/icons-react";
import { Author } from "../../shared/Author.tsx";
import { RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { isId, useList } from "../../shared/list.ts";

const LogChanges = lazyPart(() => import("./LogChanges.tsx").then((file) => file.LogChanges));

const typeFilter = { name: "status", label: "Type", options: ["All", ...logTypes], optionLabel: statusLabel } as const;

export function LogsScreen() {
  const list = useList(logs.list, (reply) => reply.logs, { filter: typeFilter, links: { by: isId } });
  const reply = list.query.data;

  const columns: Column<Log>[] = [
    { title: "Who", cell: (log) => <Author by={log.admin} />, width: "14%", wraps: true, onCard: "headline" },
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
          <RowButton
            text="Changes"
            label={`Changes: ${log.action}`}
            Icon={IconArrowsDiff}
            onClick={() => list.open(log)}
          />
        ),
    },
  ];

  return (
    <ListScreen
      title="Transaction Logs"
      counted={["entry", "entries"]}
      list={list}
      columns={columns}
      searchFor="Who, action"
      chips={{
        by: {
          text: `By: ${reply?.by?.username ?? (reply ? "nobody known" : "…")}`,
          removes: "show everybody's entries",
        },
      }}
      empty={{
        title: "Nothing was changed yet",
        hint: "Whatever anyone changes is written here, with who and when.",
      }}
      details={(log, close) => <LogChanges log={log} onClose={close} />}
    />
  );
}
