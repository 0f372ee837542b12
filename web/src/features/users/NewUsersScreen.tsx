import { type User, users } from "@footprint/contract/users.ts";
import { Button } from "@mantine/core";
import { IconUserCheck } from "@tabler/icons-react";
import { useState } from "react";
import type { Column } from "../../shared/DataTable.tsx";
import { formatTotal, StatusBadge, Time } from "../../shared/format.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { useListState } from "../../shared/listState.ts";
import { useApiMutation, useApiQuery } from "../../shared/queries.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { useToastedCall } from "../../shared/toastedCall.ts";

export function NewUsersScreen() {
  const list = useListState();
  const query = useApiQuery(users.listNew, { query: list.values });

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
      subtitle={formatTotal(query.data, "customer to verify", "customers to verify", list.isNarrowed)}
      showsTimes
      list={list}
      query={query}
      rows={(reply) => reply.users}
      columns={columns}
      searchFor="Name, discord id, email"
      empty={{ title: "Nobody is waiting", hint: "Every customer is verified. Who joins next appears here." }}
    />
  );
}

function Verify({ user }: { user: User }) {
  const verify = useApiMutation(users.verify, { refreshes: [users.listNew, users.list, users.read] });
  const { working, run } = useToastedCall();
  // From the answer until the list without this row is there.
  const [verified, setVerified] = useState(user.isVerified);
  const button = useKeptFocus(working);
  const send = async () => setVerified(await run(() => verify.send({ params: { id: user._id } })));

  if (verified) return <StatusBadge tone="positive">Verified</StatusBadge>;
  return (
    <Button
      ref={button}
      size="compact-sm"
      variant="light"
      leftSection={<IconUserCheck size={14} aria-hidden />}
      aria-label={`Verify User ${user.username}`}
      disabled={working}
      onClick={send}
    >
      {working ? "Verifying…" : "Verify User"}
    </Button>
  );
}
