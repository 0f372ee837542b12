import { type OpenSession, session } from "@footprint/contract/session.ts";
import { Title } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { useConfirm } from "../../shared/confirm.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { useApiMutation, useApiQuery } from "../../shared/queries.ts";
import { RowButton } from "../../shared/RowButton.tsx";
import { TablePanel } from "../../shared/TablePanel.tsx";
import classes from "./AccountSettingScreen.module.css";

/** Where one's own account is signed in. */
export function Sessions() {
  const query = useApiQuery(session.sessions, {});
  const end = useApiMutation(session.endSession, { refreshes: [session.sessions] });
  const confirm = useConfirm();

  const askToEnd = (open: OpenSession) =>
    confirm({
      title: `Sign out ${nameOf(open)}?`,
      message: `Whoever uses it${open.address && ` at ${open.address}`} has to sign in again.`,
      action: "Sign out",
      working: "Signing out…",
      danger: true,
      onConfirm: () => end.send({ params: { id: open._id } }),
    });

  const columns: Column<OpenSession>[] = [
    {
      title: "Device",
      cell: (open) => (
        <span className={classes.device}>
          <b>{nameOf(open)}</b> {open.current && <StatusBadge tone="info">This session</StatusBadge>}
        </span>
      ),
      width: "36%",
      onCard: "headline",
    },
    { title: "Address", cell: (open) => <span className={classes.address}>{open.address || "–"}</span>, width: "20%" },
    { title: "Last used", cell: (open) => <Time value={open.lastUsedAt} />, dimmed: true },
    { title: "Signed in", cell: (open) => <Time value={open.createdAt} />, dimmed: true },
    {
      title: "",
      cell: (open) =>
        open.current ? null : (
          <RowButton danger Icon={IconLogout} label={`Sign out ${nameOf(open)}`} onClick={() => askToEnd(open)}>
            Sign out
          </RowButton>
        ),
    },
  ];

  return (
    <div className={classes.sessions}>
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
    </div>
  );
}

/** Old sessions have no device. */
const nameOf = (open: OpenSession) => open.device || "Unknown device";
