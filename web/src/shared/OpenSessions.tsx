import type { OpenSession } from "@footprint/contract/session.ts";
import { Group } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ApiError } from "./api.ts";
import { RowButton } from "./buttons.tsx";
import type { Column } from "./DataTable.tsx";
import { StatusBadge, Time } from "./format.tsx";
import { TablePanel } from "./TablePanel.tsx";

/** The open sessions of an account. */
export function OpenSessions({
  query,
  empty,
  onEnd,
}: {
  query: UseQueryResult<{ sessions: OpenSession[] }, ApiError>;
  empty: { title: string; hint: string };
  /** Signs out another session; undefined if the operator may not. */
  onEnd: ((open: OpenSession) => void) | undefined;
}) {
  const columns: Column<OpenSession>[] = [
    {
      title: "Device",
      cell: (open) => (
        <Group component="span" gap="4px 8px" style={{ overflowWrap: "anywhere" }}>
          <b>{nameOfSession(open)}</b> {open.current && <StatusBadge tone="info">This session</StatusBadge>}
        </Group>
      ),
      width: "36%",
      onCard: "headline",
    },
    { title: "Address", cell: (open) => open.address || "–", width: "20%", below: "Device" },
    { title: "Last used", cell: (open) => <Time value={open.lastUsedAt} />, dimmed: true, titled: true },
    { title: "Signed in", cell: (open) => <Time value={open.createdAt} />, dimmed: true, titled: true },
    {
      title: "",
      cell: (open) =>
        open.current || !onEnd ? null : (
          <RowButton danger text="Sign out" of={nameOfSession(open)} Icon={IconLogout} onClick={() => onEnd(open)} />
        ),
    },
  ];
  return <TablePanel title="Sessions" query={query} rows={(reply) => reply.sessions} columns={columns} empty={empty} />;
}

/** Old sessions have no device. */
export const nameOfSession = ({ device }: { device: string }) => device || "Unknown device";
