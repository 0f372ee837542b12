import type { Reply } from "@footprint/contract/endpoint.ts";
import { type Log, logs, logTypes, settingsId } from "@footprint/contract/logs.ts";
import { IconArrowsDiff, IconArrowUpRight } from "@tabler/icons-react";
import { Author } from "../../shared/Author.tsx";
import { RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { LinkChip } from "../../shared/FilterChip.tsx";
import { byFilter, customerFilter, dayFilter } from "../../shared/filters.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { isId, type ListFilter, useList } from "../../shared/list.ts";
import { NewestLink } from "./NewestLink.tsx";
import { subjectPath } from "./subject.ts";

const LogChanges = lazyPart(() => import("./LogChanges.tsx").then((file) => file.LogChanges));

const typeFilter = { name: "status", label: "Type", options: ["All", ...logTypes], optionLabel: statusLabel } as const;

type LogReply = Reply<typeof logs.list>;

const subjectFilter: ListFilter<"subject", LogReply> = {
  names: ["subject"],
  accepts: (value) => isId.test(value),
  Chip: ({ values: { subject }, set, reply }) => {
    const kind = reply?.logs.find((log) => log.subject?._id === subject)?.subject?.kind ?? "";
    const name = subject === settingsId ? "settings" : `${kind} ${subject?.slice(-6)}`.trim();
    return <LinkChip label="About" text={subject && name} onRemove={() => set({ subject: undefined })} />;
  },
};

/** All entries, or those that concern one customer. */
export function LogsScreen({ customer }: { customer?: string }) {
  const list = useList(logs.list, (reply) => reply.logs, {
    filter: typeFilter,
    filters: [dayFilter, byFilter, ...(customer ? [] : [customerFilter]), subjectFilter],
    read: { call: logs.read, rowOf: (reply) => reply.log },
    within: customer ? { query: { customer } } : undefined,
  });

  const type: Column<Log> = {
    title: "Type",
    cell: (log) => <StatusBadge tone="plain">{statusLabel(log.type)}</StatusBadge>,
    onCard: "aside",
  };
  const who: Column<Log> = {
    title: "Who",
    cell: (log) => <Author by={log.admin} inList />,
    width: "14%",
    wraps: true,
    onCard: "headline",
  };
  const action: Column<Log> = { title: "Action", cell: (log) => log.action, wraps: true };
  const created: Column<Log> = {
    title: "Created",
    cell: (log) => <Time value={log.createdAt} withHour />,
    dimmed: true,
  };

  const columns: Column<Log>[] = [
    who,
    { ...type, width: "9%" },
    { ...action, width: "53%" },
    { ...created, width: "12%" },
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
      subtitle={<NewestLink />}
      counted={["entry", "entries"]}
      list={list}
      views={{ screen: "logs", usual: { Today: "days=Today" } }}
      columns={columns}
      columnsBeside={[{ ...who, width: "22%" }, action, created]}
      exported={logs.export}
      searchFor="Who, action"
      empty={{
        title: "No changes yet",
        hint: "Every change appears here, with who made it and when.",
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
