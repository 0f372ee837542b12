import { type User, users } from "@footprint/contract/users.ts";
import { Group } from "@mantine/core";
import { useState } from "react";
import type { Column } from "../../shared/DataTable.tsx";
import { formatMoney, formatTotal, StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useListState } from "../../shared/listState.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { UserActions } from "./UserActions.tsx";

const AddBalance = lazyPart(() => import("./AddBalance.tsx").then((file) => file.AddBalance));

export function UsersScreen() {
  const list = useListState();
  const query = useApiQuery(users.list, { query: list.values });
  const [credited, setCredited] = useState<User>();

  const columns: Column<User>[] = [
    { title: "Name", cell: (user) => <b>{user.username}</b>, width: "20%", onCard: "headline" },
    { title: "Discord id", cell: (user) => <ShortId value={user.discordId} name="discord id" />, width: "16%" },
    { title: "Balance", cell: (user) => formatMoney(user.balance), align: "right", width: "11%", onCard: "aside" },
    { title: "Status", cell: (user) => <Status user={user} />, width: "19%", below: "Discord id" },
    { title: "Joined", cell: (user) => <Time value={user.createdAt} />, dimmed: true, width: "10%", below: "Name" },
    { title: "", cell: (user) => <UserActions user={user} onAddBalance={() => setCredited(user)} /> },
  ];

  return (
    <>
      <ListScreen
        title="Users"
        subtitle={formatTotal(query.data, "customer", "customers", list.isNarrowed)}
        showsTimes
        list={list}
        query={query}
        rows={(reply) => reply.users}
        columns={columns}
        searchFor="Name, discord id, email"
        empty={{ title: "No customers yet", hint: "Customers appear here when they join through the shop." }}
      />
      {credited && <AddBalance user={credited} onClose={() => setCredited(undefined)} />}
    </>
  );
}

function Status({ user }: { user: User }) {
  return (
    <Group gap="2px 8px">
      <StatusBadge tone={user.status ? "positive" : "danger"}>{user.status ? "Active" : "Inactive"}</StatusBadge>
      {user.customPricingEnabled && <StatusBadge tone="info">Custom pricing</StatusBadge>}
    </Group>
  );
}
