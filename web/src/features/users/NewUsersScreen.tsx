import { type User, users } from "@footprint/contract/users.ts";
import { Button } from "@mantine/core";
import { IconUserCheck } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import type { Column } from "../../shared/DataTable.tsx";
import { dayFilter } from "../../shared/filters.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { useList } from "../../shared/list.ts";
import { useToastedCall } from "../../shared/queries.ts";
import { ShortId } from "../../shared/ShortId.tsx";

export function NewUsersScreen() {
  const list = useList(users.listNew, (reply) => reply.users, { filters: [dayFilter] });

  const columns: Column<User>[] = [
    { title: "Name", cell: (user) => <b>{user.username}</b>, width: "22%", onCard: "headline" },
    { title: "Discord id", cell: (user) => <ShortId value={user.discordId} name="discord id" />, width: "18%" },
    { title: "Email", cell: (user) => user.email || "–", width: "24%" },
    { title: "Joined", cell: (user) => <Time value={user.createdAt} />, dimmed: true, width: "14%", below: "Name" },
    { title: "", cell: (user) => <Verify user={user} /> },
  ];

  return (
    <ListScreen
      title="New Users"
      counted={["customer to verify", "customers to verify"]}
      list={list}
      columns={columns}
      exported={users.exportNew}
      searchFor="Name, discord id, email"
      empty={{ title: "Nobody is waiting", hint: "Every customer is verified. Who joins next appears here." }}
    />
  );
}

function Verify({ user }: { user: User }) {
  const verify = useToastedCall(() => callApi(users.verify, { params: { id: user._id } }));
  const button = useKeptFocus(verify.isPending);

  // Until the refreshed list no longer has this row.
  if (user.isVerified || verify.isSuccess) return <StatusBadge tone="positive">Verified</StatusBadge>;
  return (
    <Button
      ref={button}
      size="compact-sm"
      variant="light"
      leftSection={<IconUserCheck size={14} aria-hidden />}
      aria-label={`Verify User ${user.username}`}
      disabled={verify.isPending}
      onClick={() => verify.mutate()}
    >
      {verify.isPending ? "Verifying…" : "Verify User"}
    </Button>
  );
}
