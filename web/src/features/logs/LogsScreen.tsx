import { type Log, logs, logTypes } from "@footprint/contract/logs.ts";
import { IconArrowsDiff, IconArrowUpRight } from "@tabler/icons-react";
import { Author } from "../../shared/Author.tsx";
import { RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { isId, useList } from "../../shared/list.ts";
import { subjectPath } from "./subject.ts";

const LogChanges = lazyPart(() => import("./LogChanges.tsx").then((file) => file.LogChanges));

const typeFilter = { name: "status", label: "Type", options: ["All", ...logTypes], optionLabel: statusLabel } as const;

/** All entries, or those that concern one customer. */
export function LogsScreen({ customer }: { customer?: string }) {
  const list = useList(logs.list, (reply) => reply.logs, {
    filter: typeFilter,
    links: { by: isId },
    within: customer ? { query: { customer } } : undefined,
  });
  const reply = list.query.data;

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
      cell: (log) => (
        <>
          <Subject log={log} />
          {(log.before !== null || log.after !== null) && (
            <RowButton
              text="Changes"
              label={`Changes: ${log.action}`}
              Icon={IconArrowsDiff}
              onClick={() => list.open(log)}
            />
          )}
        </>
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

/** Leads to what the entry is about. */
function Subject({ log }: { log: Log }) {
  const to = subjectPath(log);
  return to && <RowButton text="Open" of={`${log.subject?.kind}: ${log.action}`} Icon={IconArrowUpRight} to={to} />;
}
