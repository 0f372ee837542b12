import { type OpenSession, session } from "@footprint/contract/session.ts";
import { Box, Group, Title } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useConfirm } from "../../shared/dialogs.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { TablePanel } from "../../shared/TablePanel.tsx";

/** Where one's own account is signed in. */
export function Sessions() {
  const query = useApiQuery(session.sessions, {});
  const confirm = useConfirm();

  const askToEnd = (open: OpenSession) =>
    confirm({
      title: `Sign out ${nameOf(open)}?`,
      message: `Whoever uses it${open.address && ` at ${open.address}`} has to sign in again.`,
      action: "Sign out",
      working: "Signing out…",
      danger: true,
      onConfirm: () => callApi(session.endSession, { params: { id: open._id } }),
    });

  const columns: Column<OpenSession>[] = [
    {
      title: "Device",
      cell: (open) => (
        <Group component="span" gap="4px 8px" style={{ overflowWrap: "anywhere" }}>
          <b>{nameOf(open)}</b> {open.current && <StatusBadge tone="info">This session</StatusBadge>}
        </Group>
      ),
      width: "36%",
      onCard: "headline",
    },
    { title: "Address", cell: (open) => open.address || "–", width: "20%" },
    { title: "Last used", cell: (open) => <Time value={open.lastUsedAt} />, dimmed: true },
    { title: "Signed in", cell: (open) => <Time value={open.createdAt} />, dimmed: true },
    {
      title: "",
      cell: (open) =>
        open.current ? null : (
          <RowButton danger text="Sign out" of={nameOf(open)} Icon={IconLogout} onClick={() => askToEnd(open)} />
        ),
    },
  ];

  return (
    <Box maw={984} mt={32}>
      <Title order={2} size="h4" mb="sm">
        Sessions
      </Title>
      <TablePanel
        title="Sessions"
        query={query}
        rows={(reply) => reply.sessions}
        columns={columns}
        empty={{ title: "No open sessions", hint: "Sign in again." }}
      />
    </Box>
  );
}

/** Old sessions have no device. */
const nameOf = (open: OpenSession) => open.device || "Unknown device";
