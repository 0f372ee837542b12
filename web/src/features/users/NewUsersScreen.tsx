import { type User, users } from "@footprint/contract/users.ts";
import { balancePath, CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { dayFilter } from "../../shared/filters.tsx";
import { Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { useList } from "../../shared/list.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { VerifyUser } from "./VerifyUser.tsx";

export function NewUsersScreen() {
  const list = useList(users.listNew, (reply) => reply.users, { filters: [dayFilter] });

  const columns: Column<User>[] = [
    { title: "Name", cell: (user) => <CustomerLink user={user} />, width: "22%", onCard: "headline" },
    {
      title: "Discord id",
      cell: (user) => <ShortId value={user.discordId} name="discord id" />,
      width: "18%",
      onCard: "hidden",
    },
    { title: "Email", cell: (user) => user.email || "–", width: "24%" },
    {
      title: "Joined",
      cell: (user) => <Time value={user.createdAt} />,
      dimmed: true,
      titled: true,
      width: "14%",
      below: "Name",
    },
    { title: "", cell: (user) => <VerifyUser user={user} /> },
  ];

  return (
    <ListScreen
      title="New Users"
      counted={["customer to verify", "customers to verify"]}
      list={list}
      views={{ screen: "new-users" }}
      columns={columns}
      pageOf={({ _id }) => balancePath(_id)}
      exported={users.exportNew}
      searchFor="Name, discord id, email"
      empty={{ title: "Nobody is waiting", hint: "Every customer is verified. Who joins next appears here." }}
    />
  );
}
